"""Repairs: everything that is wrong with the box, since when, what it means, and what a person can do about it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flask import Blueprint, Response, current_app, jsonify, redirect, render_template
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from companion.storage.repairs import Repair
from companion.web.access import evening, needs_pin, wants_page
from companion.web.api import app_state
from companion.web.archive import send_once
from companion.web.changing import changes
from companion.web.languages import gettext as _
from companion.web.languages import show_time
from companion.web.texts import part_text, repair_text

repairing = Blueprint("repairing", __name__)


def shown(repair: Repair) -> dict[str, Any]:
    """One case as a template shows it."""
    return {"words": repair_text(repair), "since": _moment(repair.since), "id": repair.id, "reported": repair.reported}


def _moment(since: str) -> str:
    try:
        return show_time(datetime.fromisoformat(since))
    except ValueError:
        return since


@repairing.get("/repairs")
def listing() -> str:
    """Help: what is wrong with the box, with a button for what can be done."""
    found = [shown(one) for one in app_state().repairs.open()]
    lives = [(part_text(one.part), one) for one in app_state().parts.signs()]
    can_diagnose = app_state().diagnostics is not None
    return render_template("repairs.html", found=found, lives=lives, tv=False, can_diagnose=can_diagnose)


@repairing.get("/diagnostics.zip")
@needs_pin
def diagnostics() -> Response:
    """Diagnostics of the box, for helpers from afar: no pictures, no names, no PIN."""
    found = app_state().diagnostics
    if found is None:
        raise NotFound(_("There are no diagnostics here."))
    settings = current_app.extensions["companion_settings"]
    secrets = [settings.pin, settings.screen_key, evening().code]
    exports = current_app.extensions["companion_exports"]
    return send_once(lambda into: found(into, secrets), "diagnostics.zip", app_state().data_dir, exports)


@repairing.post("/repairs/<id>/seen")
@changes
def seen(id: str) -> AnyResponse:
    """Take a report that was read off the list."""
    if not app_state().repairs.seen(id):
        raise NotFound(_("That report is no longer on the list."))
    return redirect("/repairs", 303) if wants_page() else jsonify({"seen": id})


@repairing.post("/repairs/<id>/do")
@changes
def do(id: str) -> AnyResponse:
    """Press the button of a case."""
    if not app_state().repairs.act(id):
        raise NotFound(_("That report is no longer on the list."))
    return redirect("/repairs", 303) if wants_page() else jsonify({"done": id})
