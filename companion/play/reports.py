"""What no camera sees and somebody says: a last tile or an open end not announced, a hand of the wrong size."""

from __future__ import annotations

from collections.abc import Collection

from companion.log.event_fields import Finding
from companion.log.events import Announced
from companion.play.event_actions import Table
from companion.rules.mexican.open_questions import open_codes
from companion.rules.position import LinePosition, Position
from companion.rules.ruleset import ANY_SET, RuleSet
from companion.rules.violations import Violation

LAST_TILE = "last_tile"
NO_LAST_TILE, NO_OPEN_END, DEALT = "no_last_tile", "no_open_end", "dealt"
REPORTS = (NO_LAST_TILE, NO_OPEN_END, DEALT)


def reported(rules: RuleSet, table: Table, event: Announced, announced: Collection[str] = ()) -> tuple[Finding, ...]:
    """What a report comes to: nothing where the rules ask for no such thing, or the table or the record (who has
    `announced` the last tile) shows otherwise."""
    code = _code(rules, table, event, announced)
    return () if code is None else (Finding(str(code), certain=code not in open_codes(rules)),)


def _code(rules: RuleSet, table: Table, event: Announced, announced: Collection[str]) -> Violation | None:
    if event.by not in table.players:
        return None
    if event.what == NO_LAST_TILE:
        asked = rules.announce is not None and table.hands.get(event.by, 1) == 1 and event.by not in announced
        return Violation.ANNOUNCE_MISSING if asked else None
    if event.what == NO_OPEN_END and isinstance(table, LinePosition):
        lead = table.line[0] if len(table.line) == 1 else None
        named = lead is None or lead.is_double or rules.arms != 1
        return None if named else Violation.OPEN_END_UNDECLARED
    if event.what == DEALT:
        size = rules.hand_size(table.set_max if isinstance(table, Position) else ANY_SET, len(table.players))
        return Violation.HAND_SIZE if size is not None and event.value not in (None, size) else None
    return None
