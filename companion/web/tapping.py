"""Fields that a tap brings from the phone: the page it was made on, and the acts it puts in.

A tap carries three facts about the page on which it was made: whose turn the phone showed, which turn of its own
player, and for a tile the train's end.

A tap may arrive when the table has gone on, because somebody was quicker or the line was away. These fields say what it
was meant for.

Acts that were neither seen nor tapped: the page puts them in before or after a play.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from companion.game.game_view import GameView, OwnTurn
from companion.rules.position import LEFT, RIGHT
from companion.web.forms import HIGHEST, FieldError, number, person
from companion.web.languages import gettext as _
from companion.web.wording import train_name

END, OWN = "end:", "own_turn:"
"""A form shows several trains: each has a field of its own, `end:` and the train's name. So has the player whose own
turn it shows, whoever is then chosen."""

MOST_TURNS = 999


@dataclass(frozen=True, slots=True)
class Carried:
    """The state that the phone showed when somebody tapped. None: not said, or not known then."""

    turn: str | None = None
    """The player whose turn it was."""
    own: int | None = None
    """Which turn of the round, from 1, it is of the player who acts."""
    end: int | None = None
    """The value at which the train ended."""

    def said(self) -> dict[str, int]:
        """The arguments for a command of the session."""
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


EVENTS: Mapping[str, Mapping[str, Any]] = {
    "draw": {"event": "drew"},
    "mark": {"event": "marker_placed"},
    "unmark": {"event": "marker_removed"},
    "pass": {"event": "passed"},
    "done": {"event": "passed", "done": True},
    "discard": {"event": "discarded"},
    "announce": {"event": "announced"},
    "flip": {"event": "double_flipped"},
}
"""The word of a form and of the API -> the event that it puts in; `flip` is written with its train, `flip:Ann`."""


def insertable(board: GameView) -> tuple[str, ...]:
    """The acts, besides a tile, that can be missing in this game."""
    if board.chinese:
        return ("discard", "pass", "done")
    ends = (train.name for train in board.trains if train.tiles and train.tiles[-1].double and not train.flipped)
    flips = (f"flip:{name}" for name in ends if board.turns_over)
    return ("draw", "mark", "unmark", "pass", "done", "announce", *flips)


def insertable_text(act: str) -> str:
    """The same in words, of the player who did it."""
    kind, _colon, train = act.partition(":")
    texts = {
        "draw": _("drew a tile"),
        "mark": _("put the marker on their own train"),
        "unmark": _("took the marker off their own train"),
        "pass": _("passed"),
        "done": _("said that the turn is over"),
        "discard": _("put a tile away, face down"),
        "announce": _("announced the last tile"),
        "flip": _("turned over the double at the end: %(train)s", train=train_name(train)),
    }
    return texts[kind]


def missing_act(fields: Mapping[str, Any], board: GameView, players: list[str]) -> dict[str, Any] | None:
    """The act that the fields `insert_...` tell of, as the journal writes it; None where it is a tile."""
    act = _one_of(fields, "insert_event", ("tile", *insertable(board)))
    if act == "tile":
        return None
    by = person(fields, "insert_by", players)
    kind, _colon, train = act.partition(":")
    own = {"train": by} if kind in ("mark", "unmark") else {"train": train} if train else {}
    return {**EVENTS[kind], "source": "person", "by": by, "violations": [], **own}


def comes_after(fields: Mapping[str, Any]) -> bool:
    """Whether it happened after the play from whose page it is put in, or before it."""
    return _one_of(fields, "insert_at", ("after", "before")) == "after"


def _one_of(fields: Mapping[str, Any], name: str, words: tuple[str, ...]) -> str:
    """The first of the words where the field is left out."""
    said = fields.get(name) or words[0]
    if said not in words:
        raise FieldError(name, f"The field '{name}' must be one of: {', '.join(words)}.")
    return str(said)
