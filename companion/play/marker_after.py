"""Markers once a turn is over: which may still be moved without blame, and which may lie there unseen."""

from __future__ import annotations

from dataclasses import replace

from companion.play.turn import Table, TurnInProgress
from companion.rules.actions import Action, Mark, Unmark
from companion.rules.position import Position
from companion.rules.ruleset import RuleSet

Owed = frozenset[tuple[str, type[Action]]]
"""(player, act) of markers that may still be put right without blame."""


def owed_after(turn: TurnInProgress, table: Table, owed: Owed, rules: RuleSet) -> Owed:
    """A marker may come a moment after the next player has begun: late is not wrong a second time."""
    others = frozenset(item for item in owed if item[0] != turn.player)
    if not isinstance(table, Position):
        return others
    marked = turn.player in table.markers
    if not turn.complete(rules):
        return others if marked else others | {(turn.player, Mark)}
    if not marked:
        return others
    still = not rules.marker_off_required and (turn.player, Unmark) in owed
    return others | {(turn.player, Unmark)} if still or turn.qualifies(rules) else others


def perhaps_marked(turn: TurnInProgress, table: Table, rules: RuleSet, *, watched: bool) -> Table:
    """The table after a turn in which the player passed: where no camera looks on, a marker may lie there that nobody
    has tapped, be it due or left to the player. Whoever then plays on that train is not accused for somebody else's
    tap."""
    if watched or not isinstance(table, Position) or turn.complete(rules) or turn.player in table.markers:
        return table
    return replace(table, perhaps_marked=table.perhaps_marked | {turn.player})
