"""Names of people: of those who play, and of those who enter something on a phone."""

from __future__ import annotations

from collections.abc import Sequence

from companion.log.events import SOURCES
from companion.log.header import can_be_shown
from companion.web.body import MAX_NAME
from companion.web.languages import gettext as _
from companion.web.look_alikes import skeleton
from companion.web.returned import FieldError

RESERVED = frozenset({"MX", "MX2", "R", "L", *(source.upper() for source in SOURCES)})
"""Trains and ends of a line, and who else says what is on record."""

_SOURCES = frozenset(map(skeleton, SOURCES))


def refuse_name(field: str, name: str, earlier: Sequence[str]) -> None:
    """Raises FieldError for a name that is none, or looks like one of the `earlier`."""
    if len(name) > MAX_NAME:
        raise FieldError(field, _("A player's name has at most 24 letters."))
    if not can_be_shown(name):
        raise FieldError(field, _("This holds signs that no keyboard types. Please type it again."))
    if name.upper() in RESERVED or skeleton(name) in _SOURCES or name.startswith("*"):
        raise FieldError(field, _("%(name)s cannot be a player's name here.", name=name))
    if name.casefold() in (other.casefold() for other in earlier):
        raise FieldError(field, _("Two players have the same name."))
    for other in earlier:
        if skeleton(name) == skeleton(other):
            sentence = _(
                "%(one)s and %(other)s look the same on the screen. Spell one of them differently.",
                one=other,
                other=name,
            )
            raise FieldError(field, sentence)


def name_of_phone(field: str, written: str, players: Sequence[str]) -> str:
    """The name under which a phone is signed in: one of the players' own, or one that nobody takes for theirs."""
    name = " ".join(written.split())
    if name in players or not name:
        return name
    refuse_name(field, name, players)
    return name
