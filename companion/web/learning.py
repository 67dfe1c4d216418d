"""Learn my set: the doubles in a row, read through the live camera or from a phone's photograph; and its self-test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, current_app, jsonify, redirect, render_template, request
from werkzeug.exceptions import BadRequest, Conflict, NotFound
from werkzeug.wrappers import Response as AnyResponse

from companion.app.state import Learning
from companion.web.access import needs_pin, wants_page
from companion.web.api import app_state
from companion.web.body import read_body
from companion.web.changing import changes
from companion.web.downloads import send_once
from companion.web.languages import gettext as _
from companion.web.languages import ngettext
from companion.web.photographs import read_photograph

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


def learning_of_the_table() -> Learning:
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
def show() -> str:
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
def state() -> Response:
    """What is being learned, and how the last attempt ended."""
    return jsonify(dict(learning_of_the_table().status()))


@learning.post("/learn")
@changes
def begin() -> AnyResponse:
    """`do`: learn, test, markers or forget; `set`, and perhaps a `photo`."""
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
