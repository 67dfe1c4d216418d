"""Signing in, once for each phone: with the PIN, or for one evening with its code."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any
from urllib.parse import quote, urlsplit

from flask import Blueprint, Flask, Response, current_app, jsonify, redirect, render_template, request, session
from werkzeug.exceptions import Forbidden, TooManyRequests, Unauthorized
from werkzeug.wrappers import Response as AnyResponse

from companion.app.state import AppState
from companion.log.author import PHONE
from companion.web.body import read_body, text
from companion.web.evening import Evening
from companion.web.guard import network_of
from companion.web.languages import gettext as _
from companion.web.languages import ngettext
from companion.web.names import name_of_phone
from companion.web.phones import PhoneSessions, SignedIn
from companion.web.pin import PinLock, TooManyTriesError
from companion.web.returned import at_field, send_again
from companion.web.same_page import sent_again

access = Blueprint("access", __name__)

PIN_HEADER = "X-Companion-Pin"

SHARED = "*everybody"
"""Whose phone one in the middle of the table is, and who enters something with it (others: log.author)."""


def lock() -> PinLock:
    found: PinLock = current_app.extensions["companion_lock"]
    return found


def browsers() -> SignedIn:
    found: SignedIn = current_app.extensions["companion_signed_in"]
    return found


def evening() -> Evening:
    found: Evening = current_app.extensions["companion_evening"]
    return found


def signed_in() -> bool:
    """Whether this browser may change the game: it has given the PIN that is valid now or scanned this evening's code,
    and has not signed out since."""
    return _opens(current_app, session)


def knows_pin() -> bool:
    """Whether it has given the PIN."""
    return signed_in() and session.get("pin") == lock().fingerprint


def on_the_box() -> bool:
    """Whether the page is shown on the box's own screen, which may show the PIN.

    Where a request comes from says nothing: through a proxy on the box everybody comes from the box.
    """
    return bool(session.get("screen"))


def may_invite() -> bool:
    """Whether this viewer is shown the code that lets others play."""
    return signed_in() or on_the_box()


def _opens(app: Flask, kept: Mapping[str, Any]) -> bool:
    found: PinLock = app.extensions["companion_lock"]
    known: SignedIn = app.extensions["companion_signed_in"]
    tonight: Evening = app.extensions["companion_evening"]
    right = kept.get("pin") == found.fingerprint or kept.get("evening") == evenings_right(found, tonight)
    return right and kept.get("browser") in known


def evenings_right(pin: PinLock, tonight: Evening) -> str:
    """What the cookie of a phone holds that has come in by the code; another chosen PIN ends it too."""
    return f"{tonight.mark} {pin.fingerprint}"


def let_in() -> None:
    """From now on this browser may play for this evening. One that was here before keeps its place in the list."""
    session.permanent = True
    session["evening"] = evenings_right(lock(), evening())
    if session.get("browser") not in browsers():
        session["browser"] = browsers().add()


def head_opens(app: Flask, headers: Mapping[str, str], address: str) -> bool:
    """The same of a request that is still being read: `headers` are those of its head, like {"COOKIE": "..."}. A PIN in
    it is tried, and a wrong one counted, as any other."""
    if "companion_lock" not in app.extensions or not isinstance(app.session_interface, PhoneSessions):
        return False
    kept = app.session_interface.of_head(app, headers)
    # Whoever opened the link of a round may send a photograph of a hand.
    if _opens(app, kept) or isinstance(kept.get("hand"), str):
        return True
    offered = headers.get(PIN_HEADER.upper().replace("-", "_"))
    found: PinLock = app.extensions["companion_lock"]
    try:
        return offered is not None and found.opens(offered, network_of(address))
    except TooManyTriesError:
        return False


def who_changes() -> str | None:
    """The name under which this phone's corrections are kept, if its person chose one."""
    name = session.get("name")
    return name if isinstance(name, str) else None


def author_now() -> str:
    """Who enters something with this request: the phone's name, that it is everybody's, or that it has none."""
    return who_changes() or (SHARED if session.get("shared") else PHONE)


def wants_page() -> bool:
    """A form was sent by a browser, which then wants to see a page; a program wants JSON."""
    return request.mimetype in ("application/x-www-form-urlencoded", "multipart/form-data")


OF_THE_HOUSE = frozenset(
    {
        "games.delete_game",
        "games.delete_pictures",
        "games.export",
        "learning.corrections",
        "repairing.diagnostics",
        "repairing.do",
        "setup.camera_picture",
        "setup.forget_rules",
    }
)
"""What an evening's code does not open: whatever is lost for good, taken away, or not painted over."""


def needs_pin(view: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse whoever has not given the PIN (by signing in, or in the header X-Companion-Pin), nor come in by this
    evening's code where that is enough."""

    @wraps(view)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if not (knows_pin() if request.endpoint in OF_THE_HOUSE else signed_in()):
            offered = request.headers.get(PIN_HEADER)
            if offered is None:
                if wants_page() and request.path in KEPT_FORMS:
                    return _ask_first()
                if wants_page():
                    return redirect("/pin?next=" + quote(own_path(request.referrer)), 303)
                if request.method == "GET" and "text/html" in request.headers.get("Accept", ""):
                    return redirect("/pin?next=" + quote(own_path(request.full_path.rstrip("?"))), 303)
                if request.method in ("GET", "HEAD"):
                    raise Unauthorized(_("You need the PIN on the box's screen for this."))
                raise Unauthorized(_("To change the game, enter the PIN on the box's screen."))
            try_pin(offered)
        return view(*args, **kwargs)

    guarded.needs_pin = True  # type: ignore[attr-defined]
    return guarded


KEPT_FORMS = frozenset({"/round-end", "/setup", "/api/start-round"})
"""Forms that people fill in at length: they wait while the PIN is asked for, and are sent again after it."""

MOST_KEPT = 60
WAITING = "waiting_"
LONGEST_KEPT = 400
"""Fields, and characters of each."""


def _ask_first() -> str:
    """The PIN page, which keeps the form that was sent without the PIN (after a restart of the box, say)."""
    kept = list(request.form.items())[:MOST_KEPT]
    waiting = {name: value[:LONGEST_KEPT] for name, value in kept if name != "pin"}
    sent_again()
    return render_template("pin.html", next="/", then=request.full_path.rstrip("?"), waiting=waiting)


def try_pin(pin: str) -> None:
    """Raises Forbidden for a wrong PIN and TooManyRequests while the address has to wait."""
    try:
        right = lock().opens(pin, network_of(request.remote_addr))
    except TooManyTriesError as many:
        seconds = math.ceil(many.wait_s)
        sentence = ngettext(
            "Too many wrong PINs. Try again in one second.",
            "Too many wrong PINs. Try again in %(num)s seconds.",
            seconds,
        )
        raise at_field(TooManyRequests(sentence, retry_after=seconds), "pin") from None
    if not right:
        raise at_field(Forbidden(_("That is not the PIN.")), "pin")


def own_path(url: str | None) -> str:
    """The path, and what is asked of it, of one of our own pages, whatever was given."""
    parts = urlsplit(url or "")
    if not parts.path.startswith("/") or parts.path.startswith(("//", "/\\", "/pin")):
        return "/"
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


@access.get("/pin")
def ask() -> str:
    """The form for the PIN."""
    return render_template("pin.html", next=own_path(request.args.get("next")))


@access.post("/pin")
def sign_in() -> AnyResponse:
    """From the page's form."""
    fields = read_body(request)
    target = own_path(str(fields.get("next") or "/"))
    _sign_in(fields)
    then = str(fields.get("then") or "")
    if urlsplit(then).path in KEPT_FORMS and not urlsplit(then).netloc:
        waiting = {name.removeprefix(WAITING): str(value) for name, value in fields.items() if name.startswith(WAITING)}
        app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
        return send_again(app, then, waiting, session)
    return redirect(where_first(target), 303)


def where_first(target: str) -> str:
    """Where whoever has just come in goes: to `target`, and on the way is asked whose phone it is."""
    players = _players()
    asks = players and who_changes() not in players and not session.get("shared")
    return "/whose?next=" + quote(target) if asks else target


@access.post("/api/pin")
def sign_in_by_program() -> Response:
    """The PIN, once; the answer sets the cookie."""
    _sign_in(read_body(request))
    session["program"] = True
    return jsonify({"signed_in": True})


@access.post("/pin/out")
def sign_out() -> AnyResponse:
    """This browser; with `all`, from somebody who has given the PIN, every one, and this evening's code is over."""
    if read_body(request).get("all") and knows_pin():
        browsers().clear()
        evening().end()
        app_state: AppState = current_app.extensions["companion_state"]
        app_state.trail.note(author_now(), app_state.game, "access.sign_out", {})
    browsers().remove(session.get("browser"))
    session.clear()
    return redirect("/", 303)


def _players() -> Sequence[str]:
    """Who plays the game on the table."""
    app_state: AppState = current_app.extensions["companion_state"]
    return app_state.session.snapshot().players if app_state.has_game else ()


def _phones_name(fields: dict[str, Any]) -> str:
    """The name that was given with the PIN; "" for none."""
    if not fields.get("name"):
        return ""
    return name_of_phone("name", text(fields, "name", longest=24), _players())


def _sign_in(fields: dict[str, Any]) -> None:
    pin = fields.get("pin")
    try_pin(str(pin) if isinstance(pin, int) and not isinstance(pin, bool) else text(fields, "pin", longest=32).strip())
    name = _phones_name(fields)
    stays = {field: session[field] for field in ("screen", "name", "shared") if session.get(field)}
    session.clear()
    session.update(stays)
    session.permanent = True
    session["pin"] = lock().fingerprint
    session["browser"] = browsers().add()
    if name:
        session["name"] = name
