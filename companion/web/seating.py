"""Who sits where: a handle for everybody, dragged to where the train starts (Chinese: to where the player sits).

Showing it takes a look at the table, for which the game has to wait: it needs the PIN.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, redirect, render_template, request
from werkzeug.exceptions import BadRequest, Conflict
from werkzeug.wrappers import Response as AnyResponse

from companion.game.seat import seats_of
from companion.rules.actions import MEXICAN
from companion.web.access import needs_pin, own_path, wants_page
from companion.web.body import read_body, share
from companion.web.changing import changes
from companion.web.disk import disk_fault
from companion.web.languages import gettext as _
from companion.web.placing import table

seating = Blueprint("seating", __name__)


SITS = "seat:"
"""Before a name: where this player sits, not where the train starts."""


def title(name: str) -> str:
    """What a handle is called."""
    if name.startswith(SITS):
        return _("%(name)s sits here", name=name.removeprefix(SITS))
    return _("Mexican train") if name == MEXICAN else name


def seats_now() -> Mapping[str, Any] | None:
    """Raises Conflict where the table is not found."""
    try:
        return table().seats()
    except ValueError:
        raise Conflict(_("Find the table first: check camera and table.")) from None


@seating.get("/seats")
@needs_pin
def show() -> str | AnyResponse:
    """The camera's picture with a handle for each train; where the table is not found, that comes first."""
    try:
        found = seats_now()
    except Conflict:
        return redirect("/table", 303)
    places = list((found or {}).get("places", ()))
    titles, sits = [title(name) for name in places], [name.startswith(SITS) for name in places]
    initials = {
        seat.name: seat.initial
        for seat in seats_of([name for name in places if name != MEXICAN and not name.startswith(SITS)])
    }
    shorts = [initials.get(name.removeprefix(SITS), MEXICAN) for name in places]
    onward = own_path(request.args.get("next") or "/")
    return render_template(
        "seats.html", seats=found, titles=titles, shorts=shorts, sits=sits, seat_title=title, next=onward, tv=False
    )


@seating.get("/api/seats")
@needs_pin
def state() -> Response:
    """The same for programs; `{"picture": false}` until there is a picture and a game."""
    found = seats_now()
    return jsonify({"picture": False} if found is None else {"picture": True, **found})


@seating.post("/seats")
@seating.post("/api/seats")
@changes
def keep() -> AnyResponse:
    """`places`: {name: [x, y]} as shares of the picture; or a form's `name0`, `x0`, `y0` ... in percent.

    `seat:NAME` is where somebody sits who does not sit behind their own train; `arms` (true, false) alone or beside
    them says whether arms are looked at.
    """
    fields = read_body(request)
    arms = _arms(fields)
    only_arms = arms is not None and not any(name in fields for name in ("places", "name0"))
    places = {} if only_arms else _places(fields)
    try:
        if places:
            table().seat(places)
        if arms is not None:
            table().watch_arms(arms)
    except ValueError as fault:
        raise BadRequest(_refusal(fault)) from None
    except OSError as fault:
        raise disk_fault(fault, _("The seats could not be kept: %(why)s")) from None
    if wants_page():
        return redirect(own_path(request.form.get("next") or "/"), 303)
    return jsonify({"kept": sorted(places)} | ({} if arms is None else {"arms": arms}))


def _arms(fields: Mapping[str, Any]) -> bool | None:
    value = fields.get("arms")
    if value is None or isinstance(value, bool):
        return value
    if value in ("on", "off"):
        return bool(value == "on")
    raise BadRequest(_("Say on or off."))


def _refusal(fault: ValueError) -> str:
    one, other = getattr(fault, "one", None), getattr(fault, "other", None)
    if one and other:
        return _("%(one)s and %(other)s cannot start at the same place.", one=title(one), other=title(other))
    if one:
        return _("Move %(name)s away from the middle.", name=title(one))
    return _("Every player needs a place in the picture.")


def _places(fields: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    given: Any = fields.get("places")
    if given is None:
        given = {}
        while (name := fields.get(f"name{len(given)}")) is not None:
            n = len(given)
            given[str(name)] = [share(fields, f"x{n}"), share(fields, f"y{n}")]
    if not isinstance(given, dict) or not given:
        raise BadRequest(_("Every player needs a place in the picture."))
    return {str(name): _point(place) for name, place in given.items()}


def _point(place: Any) -> tuple[float, float]:
    if isinstance(place, list) and len(place) == 2 and all(type(one) in (int, float) for one in place):
        x, y = float(place[0]), float(place[1])
        if -0.5 <= x <= 1.5 and -0.5 <= y <= 1.5:
            return x, y
    raise BadRequest(_("Every player needs a place in the picture."))
