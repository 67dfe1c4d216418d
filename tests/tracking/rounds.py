"""Small rounds for the belief: a table after the deal, and changes in the notation of docs/rules.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from companion.rules.notation import parse_delta
from companion.rules.position import Play, Position
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from companion.tracking.evidence import Evidence
from companion.tracking.tracker import RoundTracker
from companion.tracking.verdict import Verdict
from datasets.bots.watching import table_change


def dealt(players: str = "Ann Ben Cy", boneyard: int | None = 40, hand: int | None = 10) -> Position:
    """A double-12 table after the deal, the first of `players` to begin."""
    names = tuple(players.split())
    hands = {} if hand is None or boneyard is None else dict.fromkeys(names, hand)
    trains: dict[str, tuple[Laid, ...]] = dict.fromkeys((*names, "MX"), ())
    return Position(
        12, names, Laid(12, 12), trains, turn=names[0], first_turn=True, boneyard=boneyard, hands=hands, round=1
    )


def tracked(rules: str, changes: Iterable[str], table: Position | None = None, **context: Any) -> RoundTracker:
    """The belief after these changes, each a delta with its items separated by commas."""
    table = table or dealt()
    tracker = RoundTracker(load_ruleset(rules), table, table.turn)
    for change in changes:
        see(tracker, change, **context)
    return tracker


def see(tracker: RoundTracker, change: str, **context: Any) -> None:
    delta = parse_delta(item.strip() for item in change.split(","))
    tracker.observe(Evidence.of(tracker.number, table_change(delta, **context)))


def play(tracker: RoundTracker, tile: str) -> Verdict:
    """The verdict on `a-b@T`."""
    for verdict in reversed(tracker.verdicts()):
        act = verdict.act
        if isinstance(act, Play) and f"{act.tile.inner}-{act.tile.outer}@{act.train}" == tile:
            return verdict
    raise AssertionError(f"{tile} was not seen")


def charges(verdict: Verdict) -> Mapping[str, tuple[str | None, bool]]:
    """Code -> (player, certain)."""
    return {charge.code: (charge.by, charge.certain) for charge in verdict.charges}
