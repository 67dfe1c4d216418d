"""The app factory: everything the page needs is handed in, nothing is found by itself."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from flask import Flask, Response, g, jsonify, render_template, request
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from companion.app.state import AppState, NoGameError
from companion.log.journal import JournalError
from companion.web.access import (
    EVENING_FILE,
    PHONES_FILE,
    Evening,
    PhoneSessions,
    PinLock,
    SignedIn,
    access,
    fresh_pin,
    wants_page,
)
from companion.web.api import api
from companion.web.archive import DownloadSlots, SourceArchive, games, manual, sharing, source
from companion.web.changing import LastUnable, Repeats
from companion.web.forms import FieldError, give_back, helpers
from companion.web.guard import Turns, guard, own_names, pack_answers
from companion.web.guests import GuestHands, guests, inviting
from companion.web.languages import LANGUAGES, choose_language, gettext, keep_tiles_whole, speak_languages
from companion.web.misfits import settling
from companion.web.pages import RegionCache, pages, whose
from companion.web.placing import learning, placing, seating
from companion.web.plays import hypotheses, plays
from companion.web.repairing import repairing
from companion.web.rounds import rounds
from companion.web.serving import TOO_LARGE, OwnAddress
from companion.web.setup import broken, changing_players, setup
from companion.web.stream import ScreenPlaces, StreamSettings, stream
from companion.web.texts import disk_fault, disk_is_full, status_text

SOURCE_URL = "/source"
"""The page itself hands out what it runs."""

BODY_LIMIT = 64 * 1024
"""Bytes of an ordinary request; a photograph's own route allows more."""

FORM_MEMORY = 4 * BODY_LIMIT
"""Bytes of one text field. The parser holds what it reads at a time (64 KiB) and what is left of the part before
against it: a photograph's form fails where this is no more than that."""

PinPlace = Literal["terminal", "log", "chosen"]
"""In the terminal that started the program, in its log, or nowhere: the person who set the box up chose it."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PageSettings:
    """How the page is served."""

    pin: str = field(default_factory=fresh_pin)
    names: Collection[str] = field(default_factory=own_names)
    address: OwnAddress | None = None
    """For the QR code."""
    screen_key: str = ""
    """Shown by the box's own screen to prove itself; empty: no screen may show the PIN."""
    pin_is_drawn: bool = False
    """Nobody has chosen the PIN: each start has another, and phones that have given an earlier one stay signed in."""
    pin_place: PinPlace = "terminal"
    """Where people find the PIN, apart from the box's own screen: the page says so."""
    source_url: str = SOURCE_URL
    """Where the corresponding source is."""
    stream: StreamSettings = field(default_factory=StreamSettings)
    testing: bool = False


class Page(Flask):
    """Names the route of a request that failed, not its address, in which a link's code may stand."""

    def log_exception(self, exc_info: Any) -> None:
        self.logger.error("Exception on %s [%s]", request.url_rule, request.method, exc_info=exc_info)


def create_app(app_state: AppState, settings: PageSettings | None = None, lock: PinLock | None = None) -> Flask:
    """The page over `app_state`. `lock` stands in for the PIN of `settings` (tests give one with their own clock)."""
    chosen = settings or PageSettings()
    folder, damaged = app_state.data_dir, app_state.repairs.report_damaged
    phones = SignedIn(None if folder is None else folder / PHONES_FILE, damaged=damaged)
    app = Page(__name__)
    app.session_interface = PhoneSessions()
    app.config.update(
        SECRET_KEY=phones.key,
        MAX_CONTENT_LENGTH=BODY_LIMIT,
        MAX_FORM_MEMORY_SIZE=FORM_MEMORY,
        MAX_FORM_PARTS=200,
        SESSION_COOKIE_NAME=f"companion-{phones.mark}",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        TESTING=chosen.testing,
    )
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.extensions["companion_state"] = app_state
    app.extensions["companion_settings"] = chosen
    app.extensions["companion_lock"] = lock or PinLock.of(chosen.pin, salt=phones.salt, drawn=chosen.pin_is_drawn)
    app.extensions["companion_stream"] = chosen.stream
    app.extensions["companion_seats"] = ScreenPlaces(chosen.stream.most)
    app.extensions["companion_signed_in"] = phones
    app.extensions["companion_evening"] = Evening(None if folder is None else folder / EVENING_FILE, damaged=damaged)
    app.extensions["companion_source"] = SourceArchive()
    app.extensions["companion_exports"] = DownloadSlots()
    app.extensions["companion_turns"], app.extensions["companion_readings"] = Turns(), Turns()
    app.extensions["companion_disputes"] = OrderedDict()
    app.extensions["companion_repeats"] = Repeats()
    app.extensions["companion_unable"] = LastUnable()
    app.extensions["companion_guest_hands"] = GuestHands()
    app.extensions["companion_regions"] = RegionCache()
    app.extensions["companion_whose"] = dict[str, str]()  # a phone's secret -> whose it is
    app_state.repairs.check(partial(broken, app_state.data_dir, app_state.repairs.report))
    guard(app, frozenset(name.lower() for name in chosen.names))
    pack_answers(app)
    keep_tiles_whole(app)
    speak_languages(app)
    _prefer(app)
    _register(app)
    _answer_faults(app)
    app.context_processor(helpers)
    app.jinja_env.globals.update(
        version=own_version(),
        source_url=chosen.source_url,
        asset_mark=_asset_mark(Path(app.static_folder or "")),
    )
    return app


def own_version() -> str:
    try:
        return version("tabletop-companion")
    except PackageNotFoundError:
        return "0"


def _asset_mark(folder: Path) -> str:
    """Changes with the files, so that a browser may keep them for ever."""
    newest = max((path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()), default=0)
    return f"{newest:x}"[-10:]


def _register(app: Flask) -> None:
    for blueprint in (
        pages,
        access,
        inviting,
        whose,
        settling,
        api,
        stream,
        plays,
        hypotheses,
        rounds,
        changing_players,
        guests,
        setup,
        placing,
        seating,
        learning,
        games,
        sharing,
        source,
        repairing,
        manual,
    ):
        app.register_blueprint(blueprint)


def _prefer(app: Flask) -> None:
    @app.before_request
    def choose() -> None:
        g.language = choose_language(request)
        theme = request.args.get("theme") or request.cookies.get("theme") or "auto"
        g.theme = theme if theme in ("dark", "light") else "auto"
        if request.environ.get(TOO_LARGE):
            raise RequestEntityTooLarge

    @app.after_request
    def remember(response: Response) -> Response:
        year = 365 * 24 * 3600
        if request.args.get("lang") in LANGUAGES:
            response.set_cookie("lang", request.args["lang"], max_age=year, samesite="Lax")
        if request.args.get("theme") in ("dark", "light", "auto"):
            response.set_cookie("theme", request.args["theme"], max_age=year, samesite="Lax")
        if request.path.startswith("/static/") and request.args.get("v"):
            response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        response.vary.update(("Cookie", "Accept-Language"))
        return response


def _answer_faults(app: Flask) -> None:
    @app.errorhandler(HTTPException)
    def refused(fault: HTTPException) -> Response | tuple[str, int] | HTTPException:
        code = fault.code or 500
        if code in (301, 302, 303, 304, 307, 308):
            return fault
        is_own_text = fault.description != type(fault).description
        sentence = (fault.description if is_own_text else status_text(code)) or fault.description or fault.name
        if not isinstance(fault, FieldError):
            fault.description = sentence
        response: Response
        if request.path.startswith("/api/") and not wants_page():
            response = jsonify({"error": sentence, **({"field": fault.field} if isinstance(fault, FieldError) else {})})
        elif (back := give_back(app, fault)) is not None:
            return back
        else:
            response = Response(render_template("fault.html", sentence=sentence), mimetype="text/html")
        response.status_code = code
        for name, value in fault.get_headers():
            if name.lower() in ("retry-after", "allow"):
                response.headers[name] = value
        return response

    @app.errorhandler(OSError)
    @app.errorhandler(JournalError)
    def disk_refused(fault: Exception) -> Response | tuple[str, int] | HTTPException:
        if not disk_is_full(fault):
            raise fault
        return refused(disk_fault(fault, ""))

    @app.errorhandler(NoGameError)
    def nothing_played(_: NoGameError) -> Response:
        if request.path.startswith("/api/"):
            response = jsonify({"error": gettext("No game is being played.")})
        else:
            template = "empty_tv.html" if request.path == "/tv" else "empty.html"
            response = Response(render_template(template), mimetype="text/html")
        response.status_code = 404 if request.path not in ("/", "/tv") else 200
        return response
