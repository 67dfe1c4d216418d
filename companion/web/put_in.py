"""What happened at the table and was neither seen nor tapped: what the page puts in before or after a play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.web.board import Board
from companion.web.body import person
from companion.web.languages import gettext as _
from companion.web.returned import FieldError

EVENTS: Mapping[str, Mapping[str, Any]] = {
    "draw": {"event": "drew"},
    "mark": {"event": "marker_placed"},
    "unmark": {"event": "marker_removed"},
    "pass": {"event": "passed"},
    "done": {"event": "passed", "done": True},
    "discard": {"event": "discarded"},
}
"""The word of a form and of the API -> the event that it puts in."""


def insertable(board: Board) -> tuple[str, ...]:
    """What can be missing in this game, besides a tile."""
    return ("discard", "pass", "done") if board.chinese else ("draw", "mark", "unmark", "pass", "done")


def insertable_text(act: str) -> str:
    """The same in words, of whoever did it."""
    texts = {
        "draw": _("drew a tile"),
        "mark": _("put the marker on the own train"),
        "unmark": _("took the marker off the own train"),
        "pass": _("passed"),
        "done": _("said that the turn is over"),
        "discard": _("put a tile away, face down"),
    }
    return texts[act]


def missing_act(fields: Mapping[str, Any], board: Board, players: list[str]) -> dict[str, Any] | None:
    """The act that the fields `insert_...` tell of, as the journal writes it; None where it is a tile."""
    act = _one_of(fields, "insert_event", ("tile", *insertable(board)))
    if act == "tile":
        return None
    by = person(fields, "insert_by", players)
    own = {"train": by} if act in ("mark", "unmark") else {}
    return {**EVENTS[act], "source": "person", "by": by, "violations": [], **own}


def comes_after(fields: Mapping[str, Any]) -> bool:
    """Whether it happened after the play from whose page it is put in, or before it."""
    return _one_of(fields, "insert_at", ("after", "before")) == "after"


def _one_of(fields: Mapping[str, Any], name: str, words: tuple[str, ...]) -> str:
    """The first of the words where the field is left out."""
    said = fields.get(name) or words[0]
    if said not in words:
        raise FieldError(name, f"The field '{name}' must be one of: {', '.join(words)}.")
    return str(said)
