"""A hand that a phone has photographed: read it, and say in words what was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flask import Request
from werkzeug.exceptions import Conflict

from companion.game.game_view import GameView
from companion.web.api import app_state
from companion.web.body import tiles
from companion.web.languages import gettext as _
from companion.web.languages import ngettext
from companion.web.photographs import read_photograph
from companion.web.refusals import translated
from companion.web.returned import FieldError


def as_typed(board: GameView, hand: Iterable[Sequence[int]]) -> str:
    """A hand as people type it."""
    sign = ":" if board.chinese else "-"
    return " ".join(f"{low}{sign}{high}" for low, high in hand)


def read_hand_of(request: Request, board: GameView) -> Mapping[str, Any]:
    """What the reader says of the photograph in the form (`app.hands.hand_of`). Raises FieldError, Conflict."""
    repository = app_state().repository
    if repository is None or repository.read_hand is None:
        raise Conflict(_("This box cannot read photographs; type the tiles instead."))
    raw = read_photograph(request)
    if raw is None:
        raise FieldError("photo", _("Choose a photograph first."))
    try:
        return repository.read_hand(raw, {"rules": board.rules, "set": board.set})
    except ValueError as fault:
        raise FieldError("photo", _("The photograph cannot be read: %(why)s", why=translated(str(fault)))) from None


def photo_note(name: str, read: Mapping[str, Any], then: str, replaced: str = "") -> tuple[str, bool]:
    """What was read, with `then` at its end, and whether nothing of it or of what it `replaced` needs a look."""
    found = len(read.get("tiles") or ())
    unread = int(read.get("unreadable") or 0)
    note = ngettext("%(name)s: one tile read.", "%(name)s: %(num)s tiles read.", found, name=name)
    if unread:
        note += " " + ngettext(
            "One tile could not be read; add it by hand.", "%(num)s tiles could not be read; add them by hand.", unread
        )
    apart = sum(one["face"] == "up" and not one["counts"] for one in read.get("found") or ())
    if apart:
        note += " " + ngettext(
            "One tile lies away from the hand and is not counted.",
            "%(num)s tiles lie away from the hand and are not counted.",
            apart,
        )
    whys = [translated(str(why)) for why in read.get("why") or ()]
    whys += [replaced] if replaced else []
    return " ".join([note, *whys, then]), not (unread or apart or whys)


def replaced_text(before: object, read: Mapping[str, Any], board: GameView) -> str:
    """What was typed `before` that the photograph, in whose place it stands now, does not show; "" where nothing."""
    typed = str(before or "").replace(",", " ").replace(";", " ").split()
    left = [sorted(tile) for tile in read.get("tiles") or ()]
    lost = []
    for word in typed:
        try:
            [one] = tiles(word, board.set_max)
            left.remove(sorted(one))
        except (FieldError, ValueError):
            lost.append(word)
    gone = " ".join(lost)
    return _("The photograph took the place of what was typed; it does not show %(tiles)s.", tiles=gone) if lost else ""
