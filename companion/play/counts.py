"""Counts that turn out to be unknown: hands and boneyard are compared with nothing any more, and nobody is to blame.

Each function answers with the table and the turn being made (if any), both without what cannot be counted.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from companion.play.event_actions import uncounted
from companion.play.turn import Table, TurnInProgress
from companion.rules.position import Position

Counted = tuple[Table, TurnInProgress | None]


def miscounted(table: Table, turn: TurnInProgress | None, player: str) -> Counted:
    """Somebody whose hand was counted down to nothing goes on: the count was wrong."""
    if turn is not None and turn.player == player:
        turn = replace(turn, before=uncounted(turn.before, player))
    return uncounted(table, player), turn


def uncounted_among(table: Table, turn: TurnInProgress | None, players: Collection[str]) -> Counted:
    """While it is open whose tile it was, the hands of all who are meant cannot be counted."""
    if not isinstance(table, Position):
        return table, turn
    without: Table = table
    for player in players:
        without = uncounted(without, player)
        if turn is not None:
            turn = replace(turn, before=uncounted(turn.before, player))
    return without, turn


def misdealt(table: Table, turn: TurnInProgress | None, player: str) -> Counted:
    """A hand was dealt wrongly: neither it nor the boneyard can be counted."""
    table, turn = miscounted(table, turn, player)
    if not isinstance(table, Position):
        return table, turn
    if turn is not None and isinstance(turn.before, Position):
        turn = replace(turn, before=replace(turn.before, boneyard=None))
    return replace(table, boneyard=None), turn
