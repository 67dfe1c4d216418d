"""What a tap carries of the page on which it was made: the turn that the phone showed, and for a tile the train's end.

A tap may arrive when the table has gone on, because somebody was quicker or the line was away. These fields say what it
was meant for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from companion.rules.actions import LEFT, RIGHT
from companion.web.body import HIGHEST, number, person
from companion.web.page_view import PageView

END = "end:"
"""A form shows several trains: each has a field of its own, `end:` and the train's name."""


@dataclass(frozen=True, slots=True)
class Carried:
    """`turn`: the player whose turn the phone showed; `end`: the value at which the train ended there. None: not
    said, or not known then."""

    turn: str | None = None
    end: int | None = None


def carried(fields: Mapping[str, Any], players: Sequence[str], train: str | None = None) -> Carried:
    """The fields `turn` and, for a tile on `train`, `end` (of a form `end:TRAIN`). Raises FieldError."""
    turn = person(fields, "turn", list(players)) if fields.get("turn") not in (None, "") else None
    if train is None:
        return Carried(turn)
    name = "end" if fields.get("end") not in (None, "") else END + train
    return Carried(turn, number(fields, name, 0, HIGHEST) if fields.get(name) not in (None, "") else None)


def carry(board: PageView, *, ends: bool = False) -> Markup:
    """The hidden fields of a key: whose turn is shown, and with `ends` where each train, or the line, ends."""
    fields = {"turn": board.turn.name} if board.turn else {}
    if ends:
        line = dict(zip((LEFT, RIGHT), board.ends, strict=True))
        found = line if board.chinese else {train.name: train.end for train in board.trains}
        fields |= {END + train: str(end) for train, end in found.items() if end is not None}
    return Markup("").join(
        Markup('<input type="hidden" name="{}" value="{}">').format(name, value) for name, value in fields.items()
    )
