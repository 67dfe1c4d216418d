"""What a tap carries of the page on which it was made: whose turn the phone showed, which turn of its own player, and
for a tile the train's end.

A tap may arrive when the table has gone on, because somebody was quicker or the line was away. These fields say what it
was meant for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from companion.game.game_view import GameView, OwnTurn
from companion.rules.actions import LEFT, RIGHT
from companion.web.body import HIGHEST, number, person

END, OWN = "end:", "own_turn:"
"""A form shows several trains: each has a field of its own, `end:` and the train's name. So has the player whose own
turn it shows, whoever is then chosen."""

MOST_TURNS = 999


@dataclass(frozen=True, slots=True)
class Carried:
    """`turn`: the player whose turn the phone showed; `own`: which turn of the round, from 1, that is of whoever acts;
    `end`: the value at which the train ended there. None: not said, or not known then."""

    turn: str | None = None
    own: int | None = None
    end: int | None = None

    def said(self) -> dict[str, int]:
        """What a command of the session is told of it."""
        return {name: value for name, value in (("turn", self.own), ("end", self.end)) if value is not None}


def carried(fields: Mapping[str, Any], players: Sequence[str], by: str | None, train: str | None = None) -> Carried:
    """The fields `turn`, `own_turn` (of a form `own_turn:BY`) and, for a tile on `train`, `end` (`end:TRAIN`). Raises
    FieldError."""
    turn = person(fields, "turn", list(players)) if fields.get("turn") not in (None, "") else None
    end = None if train is None else _given(fields, "end", END + train, 0, HIGHEST)
    return Carried(turn, _given(fields, "own_turn", f"{OWN}{by}", 1, MOST_TURNS), end)


def _given(fields: Mapping[str, Any], name: str, of_one: str, low: int, high: int) -> int | None:
    name = name if fields.get(name) not in (None, "") else of_one
    return number(fields, name, low, high) if fields.get(name) not in (None, "") else None


def carry(board: GameView, own: OwnTurn | None = None, *, ends: bool = False) -> Markup:
    """The hidden fields of a key: whose turn is shown, the phone's `own` turn, and with `ends` where each train, or the
    line, ends."""
    fields = {"turn": board.turn} if board.turn else {}
    if own is not None:
        fields[OWN + own.player] = str(own.number)
    if ends:
        line = dict(zip((LEFT, RIGHT), board.ends, strict=True))
        found = line if board.chinese else {train.name: train.end for train in board.trains}
        fields |= {END + train: str(end) for train, end in found.items() if end is not None}
    return Markup("").join(
        Markup('<input type="hidden" name="{}" value="{}">').format(name, value) for name, value in fields.items()
    )
