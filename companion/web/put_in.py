"""What happened at the table and was neither seen nor tapped: what the page puts in before or after a play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.game.game_view import GameView
from companion.web.body import person
from companion.web.languages import gettext as _
from companion.web.returned import FieldError
from companion.web.wording import train_name

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
    """What can be missing in this game, besides a tile."""
    if board.chinese:
        return ("discard", "pass", "done")
    ends = (train.name for train in board.trains if train.tiles and train.tiles[-1].double and not train.flipped)
    flips = (f"flip:{name}" for name in ends if board.turns_over)
    return ("draw", "mark", "unmark", "pass", "done", "announce", *flips)


def insertable_text(act: str) -> str:
    """The same in words, of whoever did it."""
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
