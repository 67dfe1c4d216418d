"""Camera and table before play: where the table lies in the picture, set by hand where no markers are printed, and
whether the picture is good enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, redirect, render_template, request
from werkzeug.exceptions import BadRequest, Conflict
from werkzeug.wrappers import Response as AnyResponse

from companion.app.state import TableSetupPort
from companion.web.access import wants_page
from companion.web.api import app_state
from companion.web.body import read_body, share
from companion.web.changing import changes
from companion.web.disk import disk_fault
from companion.web.languages import gettext as _
from companion.web.languages import ngettext
from companion.web.refusals import translated
from companion.web.returned import FieldError

placing = Blueprint("placing", __name__)

FIRST_CORNERS = ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9))
"""Where the handles stand when nothing is known."""


def cause_text(cause: str) -> tuple[str, str]:
    """What is wrong with the picture, and what helps."""
    texts = {
        "FROZEN": (_("The picture is frozen."), _("Unplug the camera and plug it in again.")),
        "DARK": (_("Too dark."), _("Switch on more light.")),
        "GLARE": (_("Glare on the table."), _("Move the lamp, or the camera a little, until no spot is white.")),
        "BLURRED": (_("Blurred."), _("Focus the camera on the table and clean its lens.")),
        "TOO_SMALL": (_("The tiles are too small to read."), _("Bring the camera nearer, or choose a larger picture.")),
        "SMALL": (_("The pips are small."), _("Good enough; a lower camera is better.")),
        "UNEVEN": (_("The markers do not fit a flat table."), _("Press the printed sheets flat.")),
        "OUTSIDE": (_("A corner of the table is outside the picture."), _("Turn or lift the camera.")),
        "NO_BORDER": (
            _("The picture ends at the table's edge."),
            _("Good enough. With 10 cm around the table the camera sees whose arm comes in."),
        ),
    }
    return texts.get(cause, (cause, ""))


def problem_text(found: Mapping[str, Any]) -> str:
    """Why the table is not found."""
    why = found.get("why")
    if why == "MARKERS":
        missing = len(found.get("missing") or ())
        told = (
            _("None of the four printed markers is in the picture.")
            if missing in (0, 4)
            else ngettext(
                "One of the four printed markers is not in the picture.",
                "%(num)s of the four printed markers are not in the picture.",
                missing,
            )
        )
        return told + " " + _("Print them and lay them on the corners, or set the corners by hand.")
    if why == "NO_TILES":
        return _("There is no tile on the table to measure it by. Put one there, or enter the table's size.")
    return _("These four corners do not make a table. Go round it clockwise and stay inside the picture.")


def table() -> TableSetupPort:
    """Raises Conflict where no camera looks at the table."""
    found = app_state().table
    if found is None:
        raise Conflict(_("There is no camera here. Tap the plays in on the page."))
    return found


def looked_over(corners: Any = None, size_mm: Any = None) -> Mapping[str, Any] | None:
    try:
        return table().look_over(corners, size_mm)
    except ValueError:
        raise BadRequest(problem_text({})) from None


@placing.get("/table")
def show() -> str:
    """The camera's picture with the table's corners to be dragged, and what is wrong with it."""
    return _page(None if app_state().table is None else looked_over())


def _page(found: Mapping[str, Any] | None) -> str:
    corners = (found or {}).get("corners") or FIRST_CORNERS
    has = app_state().table is not None
    film = has and table().is_film
    filming = table().filming() if has else None
    texts = {"cause_text": cause_text, "problem_text": problem_text, "said": translated, "filming": filming}
    return render_template("table.html", found=found, corners=corners, has_camera=has, film=film, tv=False, **texts)


@placing.get("/api/table")
def state() -> Response:
    """The same for programs; `{"picture": false}` until the camera has given a picture."""
    found = looked_over()
    return jsonify({"picture": False} if found is None else {"picture": True, **found})


@placing.post("/table")
@placing.post("/api/table")
@changes
def place() -> AnyResponse | str:
    """`do`: keep these corners, try them (nothing is kept), or go by the printed markers again."""
    fields = read_body(request)
    what = str(fields.get("do") or "keep")
    if what not in ("keep", "try", "markers"):
        raise BadRequest("The field 'do' must be keep, try or markers.")
    corners, size = (None, None) if what == "markers" else (_corners(fields), _size(fields))
    if what == "try":
        found = looked_over(corners, size)
        return _page(found) if wants_page() else jsonify(found or {"picture": False})
    if what == "keep":
        found = looked_over(corners, size)
        if found is not None and found.get("by") is None:
            raise BadRequest(problem_text(found))
    try:
        table().place(corners, size)
    except ValueError:
        raise BadRequest(problem_text({})) from None
    except OSError as fault:
        raise disk_fault(fault, _("The corners could not be kept: %(why)s")) from None
    if wants_page():
        return redirect("/seats?next=/round-start" if what == "keep" and table().unseated() else "/table", 303)
    return jsonify(looked_over() or {"picture": False})


@placing.get("/api/filming")
def filming() -> Response:
    """How a live camera films, and what was chosen for it; `null` for a recording."""
    return jsonify({"filming": table().filming()})


@placing.post("/api/filming")
@changes
def film() -> AnyResponse:
    """`size` such as 1920x1080, or empty for the largest that is quick enough; `mains`: 50, 60 or auto."""
    fields = read_body(request)
    size, mains = _pixels(fields), str(fields.get("mains") or "auto")
    if mains not in ("50", "60", "auto"):
        raise BadRequest("The field 'mains' must be 50, 60 or auto.")
    try:
        table().film_with(size, None if mains == "auto" else int(mains))
    except ValueError:
        raise FieldError("size", _("Enter the picture's width and height in pixels, such as 1920x1080.")) from None
    except OSError as fault:
        raise disk_fault(fault, _("The choice could not be kept: %(why)s")) from None
    return redirect("/table", 303) if wants_page() else jsonify({"filming": table().filming()})


@placing.post("/api/watch-again")
@changes
def watch_again() -> AnyResponse:
    """The film from its first picture, with a new game of the same players."""
    read_body(request)
    if not table().is_film:
        raise Conflict(_("This camera films what happens now: there is nothing to watch again."))
    table().watch_again()
    return redirect("/", 303) if wants_page() else jsonify({"camera": app_state().camera_status()})


@placing.post("/api/read-now")
@changes
def read_now() -> AnyResponse:
    """Out of every state, should the watcher ever wait for a stillness that does not come."""
    read_body(request)
    table().read_now()
    return redirect("/", 303) if wants_page() else jsonify({"camera": app_state().camera_status()})


def _pixels(fields: Mapping[str, Any]) -> tuple[int, int] | None:
    """The size that was asked for; None where it was left empty."""
    text = str(fields.get("size") or "").strip().lower().replace("×", "x")
    if not text:
        return None
    w, _by, h = text.partition("x")
    if not (w.strip().isdecimal() and h.strip().isdecimal() and len(text) <= 13):
        raise FieldError("size", _("Enter the picture's width and height in pixels, such as 1920x1080."))
    return int(w), int(h)


def _corners(fields: Mapping[str, Any]) -> list[list[float]]:
    """As shares of the picture: JSON `corners`, or a form's `x0`, `y0` ... in percent."""
    given: Any = fields.get("corners")
    if given is None:
        given = [[share(fields, f"x{n}"), share(fields, f"y{n}")] for n in range(4)]
    if not isinstance(given, list) or len(given) != 4:
        raise BadRequest(_("A table has four corners."))
    for corner in given:
        if not isinstance(corner, list) or len(corner) != 2 or not all(_is_number(one) for one in corner):
            raise BadRequest(_("A table has four corners."))
    return given


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _size(fields: Mapping[str, Any]) -> list[float] | None:
    """In mm; both left empty: measured by the tiles on the table."""
    given: Any = fields.get("size_mm")
    if given is None:
        texts = [str(fields.get(name) or "").strip().replace(",", ".") for name in ("width_mm", "height_mm")]
        if not any(texts):
            return None
        given = texts
    names = ("width_mm", "height_mm")
    numbers = [_length(one) for one in given] if isinstance(given, list) else []
    known = [number for number in numbers if number is not None]
    if len(numbers) != 2 or len(known) != 2:
        wrong = next((name for name, one in zip(names, numbers, strict=False) if one is None), names[0])
        raise FieldError(wrong, _("Enter both lengths of the table, each from 100 to 10000 mm."))
    return known


def _length(given: Any) -> float | None:
    """A side of a table in mm; None for what is none."""
    try:
        number = float(given)
    except (TypeError, ValueError):
        return None
    return number if 100 <= number <= 10_000 else None
