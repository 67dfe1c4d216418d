"""The changes that stand in no game's journal, by the view that makes them: what the trail says of each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from companion.web.languages import marked as _

NOTED: Mapping[str, str] = {
    "setup.start": _("This game was begun."),
    "changing_players.change": _("The match went on with other players in a new game."),
    "games.reopen": _("This game was put on the table again."),
    "games.delete_game": _("A game was deleted."),
    "games.delete_pictures": _("All pictures were deleted."),
    "placing.place": _("The table's corners were set."),
    "placing.film": _("How the camera films was chosen."),
    "placing.watch_again": _("The film was shown from its beginning."),
    "placing.read_now": _("The table was read at once."),
    "seating.keep": _("Who sits where was changed, or whether arms are looked at."),
    "learning.begin": _("The players' own set was learned, tested or forgotten."),
    "setup.keep_rules": _("House rules were kept."),
    "setup.forget_rules": _("House rules were deleted."),
    "repairing.seen": _("A report of the box was taken from the list."),
    "repairing.do": _("A repair of the box was asked for."),
    "access.sign_out": _("Every phone was signed out."),
}

OF_ALL_GAMES = frozenset({"games.delete_pictures"})
"""These are said in every game."""

PLAIN = frozenset({"setup.start", "games.reopen"})
"""Of these the words say everything."""

_OF_THE_FORM = frozenset({"expected_game", "expected_seq", "shows", "once", "next", "page", "form", "pin", "name"})
LONGEST = 300


def is_change(endpoint: str, fields: Mapping[str, Any]) -> bool:
    """Whether this request changes something that no journal holds."""
    return endpoint in NOTED and not (endpoint == "placing.place" and fields.get("do") == "try")


def about(fields: Mapping[str, Any], place: Mapping[str, Any]) -> dict[str, str]:
    """What was asked for, without what only belongs to the form; `place` is what the address names."""
    asked = {**place, **{name: value for name, value in fields.items() if name not in _OF_THE_FORM}}
    found = {}
    for name, value in sorted(asked.items()):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if text:
            found[str(name)[:40]] = text[:LONGEST]
    return found
