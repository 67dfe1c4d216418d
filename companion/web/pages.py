"""The owner of this phone: asked once, with one tap. The phone's keys then act for that player.

The live page in its two sizes: in the hand (`/`) and on the wall (`/tv`).
"""

from __future__ import annotations

import base64
import hmac
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, current_app, g, jsonify, redirect, render_template, request, session
from markupsafe import Markup
from werkzeug.exceptions import Unauthorized
from werkzeug.wrappers import Response as AnyResponse

from companion.app.state import NoGameError
from companion.game.game_view import (
    SHAPES,
    GameView,
    Seat,
    confirmed,
    is_fault,
    is_own_fault,
    open_findings,
    standing_doubts,
    standing_faults,
)
from companion.web import misfits, tapping, wording
from companion.web import misfits as after_hands
from companion.web.access import (
    SHARED,
    browsers,
    evening,
    knows_pin,
    may_invite,
    needs_pin,
    on_the_box,
    own_path,
    say_whose,
    signed_in,
    who_changes,
)
from companion.web.api import app_state
from companion.web.changing import stamp
from companion.web.forms import fields_sent_again, here, own_address, read_body, returned
from companion.web.guests import invitation, qr_address, uninvited_text
from companion.web.languages import gettext as _
from companion.web.languages import ngettext, whole_tiles
from companion.web.misfits import settling_state
from companion.web.plays import brought_down_by, may_put_back, question_picture, taken_back_text, undo_text
from companion.web.score_sheet import summary_of
from companion.web.setup import last_game
from companion.web.tapping import carry
from companion.web.texts import code_rule, code_title, reminder, repair_text, rule_sets, translated
from companion.web.uploads import photograph_limit
from companion.web.wording import calls_of, notices, recent_faults

whose = Blueprint("whose", __name__)


def my_seat(board: GameView) -> Seat | None:
    """The player whose phone this is; None: everybody's, a program's, or nobody has said."""
    return board.seat(who_changes())


def on_another_phone(name: str) -> bool:
    """Whether another phone that is signed in has been said to be this player's."""
    said, mine = current_app.extensions["companion_whose"], session.get("browser")
    return any(
        whose == name and phone != mine and not browsers().has_left(phone) for phone, whose in tuple(said.items())
    )


def says_whose() -> bool:
    """Whether it is known to be no single player's: it lies in the middle, or a program signed in."""
    return bool(session.get("shared") or session.get("program"))


def asks_whose(board: GameView) -> bool:
    """Whether somebody has to say whose phone this is: nobody has, or it was a player's of another game."""
    return my_seat(board) is None and not says_whose()


@whose.get("/whose")
@needs_pin
def ask() -> str:
    """The form for whose phone this is."""
    board = app_state().session.snapshot()
    return render_template("whose.html", board=board, next=own_path(request.args.get("next")), tv=False)


@whose.post("/whose")
@needs_pin
def choose() -> AnyResponse:
    """Say whose phone this is: `name` is a player's, or `SHARED` for one that lies in the middle of the table."""
    fields = read_body(request)
    say_whose(fields, "name")
    return redirect(own_path(str(fields.get("next") or "/")), 303)


pages = Blueprint("pages", __name__)

REGIONS, KEYS = ("head", "alerts", "turn", "yard", "scores", "plays", "join"), ("asked", "act")
"""Parts of the live page that change by themselves; each is the template regions/<name>.html."""

LAST_PLAYS = 8


def names_in_templates() -> dict[str, Any]:
    """The functions and values that every template may use."""
    return {
        **{told.__name__: told for told in TOLD},
        "SHARED": SHARED,
        "signed_in": signed_in(),
        "knows_pin": knows_pin(),
        "my_name": who_changes(),
        "language": g.get("language", "en"),
        "theme": g.get("theme", "auto"),
        "last_plays": LAST_PLAYS,
        "on_the_box": on_the_box(),
        "pin_is_shown": app_state().pin_is_shown,
        "here": here,
        "may_invite": may_invite(),
        "settings": current_app.extensions["companion_settings"],
        "game": app_state().game,
        "can_start": app_state().repository is not None and app_state().data_dir is not None,
        "troubles": app_state().troubles(),
        "repairs": [repair_text(repair) for repair in app_state().repairs.to_show()],
    }


def fit(text: str) -> str:
    """The step of type size at which this text fits into the line of whose turn it is."""
    return next((step for step, most in (("s", 8), ("m", 14), ("l", 24)) if len(text) <= most), "xl")


def pin_place_text() -> str:
    """How long the PIN is and where it is found in this installation."""
    settings = current_app.extensions["companion_settings"]
    if settings.pin.isdigit():
        long = ngettext("It has one digit.", "It has %(num)s digits.", len(settings.pin))
    else:
        long = ngettext("It has one character.", "It has %(num)s characters.", len(settings.pin))
    where = {
        "screen": _("It stands on the screen of the box."),
        "terminal": _("It stands in the terminal where this program was started."),
        "log": _("It stands in the log of this program, where it was started last."),
        "chosen": _("Whoever set this box up chose it."),
    }["screen" if settings.screen_key else settings.pin_place]
    return f"{long} {where}"


@cache
def _symbols() -> Mapping[str, str]:
    """Name -> symbol, each a line of `symbols.svg` in a box of 100 x 100.

    `h0` to `h18` are halves of a double set, the tile's length along x; the class `c4` follows the common code of
    coloured sets. `k1` to `k6` are Chinese halves, `k66` one of the 6:6. `s0` to `s11` are the players' shapes, which
    differ without colour. `marker` is a train.
    """
    lines = (Path(__file__).parent / "templates" / "symbols.svg").read_text(encoding="utf-8").splitlines()
    return {found[1]: line for line in lines if (found := re.match(r'<symbol id="(\w+)"', line))}


@cache
def sprite(highest: int, chinese: bool = False) -> Markup:
    """All symbols a page of this set uses, in one hidden SVG."""
    values = ("1", "2", "3", "4", "5", "6", "66") if chinese else range(min(highest, 18) + 1)
    names = [f"{'k' if chinese else 'h'}{value}" for value in values]
    names += [*(f"s{shape}" for shape in range(SHAPES)), "marker"]
    inside = "".join(_symbols()[name] for name in names)
    return Markup(f'<svg class="sprite" aria-hidden="true" width="0" height="0">{inside}</svg>')


TOLD = (
    stamp, carry, my_seat, asks_whose, on_another_phone, wording.ahead_text, wording.winners_text,
    wording.match_ends_at, wording.time_is_up, wording.late_text, wording.event_text, wording.train_name,
    wording.show_tile, wording.camera_doing, wording.camera_message, wording.reads_slowly, translated, notices,
    recent_faults, wording.proof_text,
    wording.meeting_text, wording.open_text, wording.author_text, wording.entry_text, wording.unable_text,
    tapping.insertable, tapping.insertable_text, fit, wording.reason_text, wording.asks_about_seats,
    wording.asks_about_marker, wording.unscored_round, question_picture, photograph_limit, wording.place_of_question,
    wording.candidate_text, wording.rules_name, wording.set_title, wording.ended_text, wording.examined_text,
    wording.gone_texts, wording.none_text, after_hands.left_open, after_hands.moments, after_hands.only_possible,
    wording.rules_source, wording.quoted_words, code_title, code_rule, reminder, is_fault, is_own_fault,
    wording.fault_title, wording.faults_title, wording.fault_text, wording.fault_tag, wording.apart_text,
    wording.retraction_text, wording.retraction_cause, standing_faults, standing_doubts, open_findings, confirmed,
    misfits.acts_of, misfits.keys_of, misfits.question_text, misfits.put_before_text, misfits.turn_to_come_text,
    wording.settle_text, misfits.misfits_here, misfits.put_before_here, misfits.own_turn, misfits.turn_waiting, sprite,
    summary_of, pin_place_text, fields_sent_again, own_address, invitation, qr_address, uninvited_text, last_game,
    rule_sets, undo_text, taken_back_text, may_put_back, brought_down_by,
)  # fmt: skip
"""Functions that every template may call by their own names."""


def _greet_screen() -> None:
    """The box's own screen opens `/tv?screen=KEY`."""
    key = current_app.extensions["companion_settings"].screen_key
    if key and hmac.compare_digest(key.encode(), request.args.get("screen", "").encode()):
        session["screen"] = True


@pages.app_context_processor
def everywhere() -> dict[str, Any]:
    return names_in_templates()


@pages.get("/")
def live() -> str:
    """The live page."""
    return _whole("live.html", tv=False)


@pages.get("/tv")
def tv() -> str:
    """The live page for a screen that nobody touches."""
    _greet_screen()
    return _whole("live.html", tv=True)


def _whole(template: str, *, tv: bool) -> str:
    if not app_state().has_game:
        raise NoGameError
    board = app_state().session.snapshot()
    shown = _shown(board, app_state().camera_status())
    called = [one["key"] for one in calls_of(board)]
    return render_template(
        template, tv=tv, regions=_regions_now(tv)["regions"], title=_title(board), called=called, **shown
    )


def _shown(board: GameView, camera: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"board": board, "camera": camera, "manual": camera is None, "can_read": app_state().table is not None}


class RegionCache:
    """Rendered regions of the present moment: a hundred phones of one language cost one rendering."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._moment: int | None = None
        self._kept: dict[tuple[Any, ...], dict[str, Any]] = {}

    def get(self, moment: int, key: tuple[Any, ...]) -> dict[str, Any] | None:
        with self._lock:
            if moment != self._moment:
                self._kept.clear()
                self._moment = moment
            return self._kept.get(key)

    def put(self, moment: int, key: tuple[Any, ...], regions: dict[str, Any]) -> None:
        with self._lock:
            if moment == self._moment and len(self._kept) < 64:
                self._kept[key] = regions


@pages.get("/regions")
def regions() -> Response:
    """The live page's parts as HTML; the page's script puts in those that changed."""
    return jsonify(_regions_now(request.args.get("tv") == "1"))


def _regions_now(tv: bool) -> dict[str, Any]:
    mark = app_state().signal.mark
    return _regions_of_the_moment(tv) | {"mark": mark}


def _regions_of_the_moment(tv: bool) -> dict[str, Any]:
    around = (
        repr(app_state().camera_status()),
        tuple(app_state().troubles()),
        *(one.id for one in app_state().repairs.to_show()),
    )
    key = (tv, g.language, signed_in(), on_the_box(), invitation(), evening().mark, *around)
    shown = _kept(key, lambda: _render_regions(tv))
    # The keys are a phone's own; everything else is drawn once for all.
    keys = _kept((*key, who_changes(), says_whose(), *settling_state()), lambda: _render_keys(tv))
    return shown | {"regions": shown["regions"] | keys}


def _kept(key: tuple[Any, ...], render: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The page that `render` makes, once for each moment; a form that comes back is drawn for its sender alone."""
    if returned() is not None:
        return render()
    cache: RegionCache = current_app.extensions["companion_regions"]
    moment = app_state().signal.count
    found = cache.get(moment, key)
    if found is None:
        found = render()
        cache.put(moment, key, found)
    return found


def _render_regions(tv: bool) -> dict[str, Any]:
    board = app_state().session.snapshot()
    return {
        "seq": board.seq,
        "game": app_state().game,
        "regions": _render(board, tv, REGIONS),
        "calls": calls_of(board),
        "next": wording.turn_text(board) if board.playing else "",
        "title": _title(board),
    }


def _title(board: GameView) -> str:
    """The title of the browser's tab."""
    mover = board.at_work if board.playing else None
    parts = [_("%(name)s to play", name=mover.name)] if mover else []
    return " – ".join((*parts, _("Domino table")))


def _render_keys(tv: bool) -> dict[str, Any]:
    return _render(app_state().session.snapshot(), tv, KEYS)


def _render(board: GameView, tv: bool, names: Sequence[str]) -> dict[str, Any]:
    shown = _shown(board, app_state().camera_status())
    return {name: whole_tiles(render_template(f"regions/{name}.html", tv=tv, **shown).strip()) for name in names}


@pages.get("/api/view")
def view() -> Response:
    """The masked picture of now with its tiles and the hands over it, for people with the PIN and the box's own
    screen."""
    if not (signed_in() or on_the_box()):
        raise Unauthorized(_("You need the PIN on the box's screen for this."))
    table = app_state().table
    seen = None if table is None else table.view()
    if seen is None:
        return jsonify({"picture": None})
    picture = f"data:image/jpeg;base64,{base64.b64encode(seen['jpeg']).decode()}"
    response = jsonify({"picture": picture, **{name: seen[name] for name in ("size", "tiles", "arms")}})
    response.headers["Cache-Control"] = "no-store"
    return response
