"""Before play: camera, seats, and the print of your own set.

Camera and table before play: where the table lies in the picture, set by hand where no markers are printed, and
whether the picture is good enough.

Seats: a handle for everybody, dragged to where the train starts (Chinese: to where the player sits).

Showing it takes a look at the table, for which the game has to wait: it needs the PIN.

Learn my set: the doubles in a row, read through the live camera or from a phone's photograph; and its self-test.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, current_app, jsonify, redirect, render_template, request
from werkzeug.exceptions import BadRequest, Conflict, NotFound
from werkzeug.wrappers import Response as AnyResponse

from companion.game.game_view import seats_of
from companion.rules.position import MEXICAN
from companion.web.access import needs_pin, own_path, wants_page
from companion.web.api import app_state
from companion.web.archive import send_once
from companion.web.changing import changes
from companion.web.forms import FieldError, read_body, share
from companion.web.languages import gettext as _
from companion.web.languages import ngettext
from companion.web.texts import disk_fault, translated
from companion.web.uploads import read_photograph

if TYPE_CHECKING:
    from companion.app.learning import LearningDesk
    from companion.app.table_service import WatchedTable

placing = Blueprint("placing", __name__)

FIRST_CORNERS = ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9))
"""Where the handles stand when nothing is known."""


def cause_text(cause: str) -> tuple[str, str]:
    """The fault of the picture in words, and the remedy."""
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


def table() -> WatchedTable:
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
def show_table() -> str:
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
def table_state() -> Response:
    """The table's place for programs; `{"picture": false}` until the camera has given a picture."""
    found = looked_over()
    return jsonify({"picture": False} if found is None else {"picture": True, **found})


@placing.post("/table")
@placing.post("/api/table")
@changes
def place() -> AnyResponse | str:
    """Place the table. `do`: keep these corners, try them (nothing is kept), or go by the printed markers again."""
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
    """The settings of a live camera, in use and chosen; `null` for a recording."""
    return jsonify({"filming": table().filming()})


@placing.post("/api/filming")
@changes
def film() -> AnyResponse:
    """Set how the camera films. `size` such as 1920x1080, or empty for the largest that is quick enough; `mains`: 50,
    60 or auto."""
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
    """Play the film again from its first picture, with a new game of the same players."""
    read_body(request)
    if not table().is_film:
        raise Conflict(_("This camera films what happens now: there is nothing to watch again."))
    table().watch_again()
    return redirect("/", 303) if wants_page() else jsonify({"camera": app_state().camera_status()})


@placing.post("/api/read-now")
@changes
def read_now() -> AnyResponse:
    """Read the table now, whatever the watcher is waiting for."""
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
    """A side of a table in mm; None for any other text."""
    try:
        number = float(given)
    except (TypeError, ValueError):
        return None
    return number if 100 <= number <= 10_000 else None


seating = Blueprint("seating", __name__)


SITS = "seat:"
"""Before a name: where this player sits, not where the train starts."""


def title(name: str) -> str:
    """The name of a handle."""
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
def show_seats() -> str | AnyResponse:
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
def seats_state() -> Response:
    """The seats for programs; `{"picture": false}` until there is a picture and a game."""
    found = seats_now()
    return jsonify({"picture": False} if found is None else {"picture": True, **found})


@seating.post("/seats")
@seating.post("/api/seats")
@changes
def keep() -> AnyResponse:
    """Place the seats. `places`: {name: [x, y]} as shares of the picture; or a form's `name0`, `x0`, `y0` ... in
    percent.

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


learning = Blueprint("learning", __name__)

SETS: Mapping[str, tuple[int, int]] = {
    "double-6": (0, 6),
    "double-9": (0, 9),
    "double-12": (0, 12),
    "double-15": (0, 15),
    "double-18": (0, 18),
    "chinese": (1, 6),
}
"""A set and its lowest and highest double."""


def learning_of_the_table() -> LearningDesk:
    """Raises Conflict where nothing can be learned: a fixed demonstration."""
    found = app_state().learning
    if found is None:
        raise Conflict(_("This page shows one game only. Learn a set with `companion serve`."))
    return found


def failure_text(last: Mapping[str, Any]) -> str:
    """Why a row was not learned, and what helps."""
    why = last.get("why")
    if last.get("task") == "markers" and why in ("ROW", "OTHER"):
        return _("Lay one tile and your markers apart from each other, on a cloth of another colour.")
    if why == "ROW" and last.get("found") == last.get("expected"):
        return _("The row is in another order. Lay the doubles side by side, the lowest first.")
    if why == "ROW":
        found = int(last.get("found") or 0)
        text = ngettext("One tile was found.", "%(num)s tiles were found.", found)
        return text + " " + _("There must be %(expected)s doubles in the picture and nothing else.", **_expected(last))
    if why == "NO_PICTURE":
        return _("There is no picture from a camera. Take a photograph of the row and send it.")
    if why == "PICTURE":
        return _("That is not a photograph (JPEG, PNG, WebP, BMP, TIFF, HEIC or AVIF).")
    return _("It could not be learned: %(why)s", why=last.get("text") or "?")


def _expected(last: Mapping[str, Any]) -> dict[str, Any]:
    return {"expected": last.get("expected")}


@learning.get("/learn")
def show_learning() -> str:
    """The steps, what was learned, and how the last attempt ended."""
    found = None if app_state().learning is None else learning_of_the_table().status()
    camera = app_state().camera
    return render_template(
        "learn.html",
        found=found,
        sets=SETS,
        chosen=_chosen_set(),
        picture=camera is not None and camera.still() is not None,
        failure_text=failure_text,
        tv=False,
    )


def _chosen_set() -> str:
    asked = request.args.get("set", "")
    if asked in SETS:
        return asked
    played = app_state().session.snapshot().set if app_state().has_game else ""
    return played if played in SETS else "double-12"


@learning.get("/api/learn")
def learning_state() -> Response:
    """The state of learning, and how the last attempt ended."""
    return jsonify(dict(learning_of_the_table().status()))


@learning.post("/learn")
@changes
def begin() -> AnyResponse:
    """Learn the set or the markers. `do`: learn, test, markers or forget; `set`, and perhaps a `photo`."""
    photograph = read_photograph(request)
    fields = read_body(request)
    task, tile_set = str(fields.get("do") or ""), str(fields.get("set") or "")
    if task == "forget":
        learning_of_the_table().forget()
    elif task not in ("learn", "test", "markers") or tile_set not in SETS:
        raise BadRequest("Expected do=learn, test, markers or forget, and a set.")
    elif not learning_of_the_table().begin(task, tile_set, photograph):
        raise Conflict(_("A row is being learned already; wait until that is done."))
    if wants_page():
        return redirect(f"/learn?set={tile_set}" if tile_set in SETS else "/learn", 303)
    return jsonify(dict(learning_of_the_table().status()))


@learning.get("/corrections.zip")
@needs_pin
def corrections() -> Response:
    """The tiles that were corrected in play, labelled, in YOLO's format."""
    if not learning_of_the_table().status().get("corrections"):
        raise NotFound(_("No tile of a picture has been corrected yet."))
    exports = current_app.extensions["companion_exports"]
    return send_once(learning_of_the_table().write_corrections, "corrections.zip", app_state().data_dir, exports)
