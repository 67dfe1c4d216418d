"""Access: the PIN, the phones that are signed in, and the evening's code.

The PIN that guards every change: kept only as a scrypt hash, guessed only slowly.

The phones that are signed in: the box remembers them, so that a restart signs nobody out.

This evening's code: a phone that has scanned it may play without the PIN, until the evening is over.

Signing in, once for each phone: with the PIN, or for one evening with its code.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, wraps
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from flask import Blueprint, Flask, Response, current_app, jsonify, redirect, render_template, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadSignature, URLSafeSerializer
from werkzeug.exceptions import Forbidden, TooManyRequests, Unauthorized
from werkzeug.sansio.http import parse_cookie  # that of werkzeug.http raises UnicodeDecodeError
from werkzeug.wrappers import Request
from werkzeug.wrappers import Response as AnyResponse

from companion.app.state import AppState
from companion.log.journal import PHONE
from companion.storage.state_file import read_state, write_state
from companion.web.forms import at_field, name_of_phone, person, plain_digits, read_body, send_again, sent_again, text
from companion.web.guard import address_parts, network_of
from companion.web.languages import gettext as _
from companion.web.languages import ngettext

FIRST_WAIT_S = 30.0
"""The first wait after too many wrong tries; it doubles up to `LONGEST_WAIT_S`."""
LONGEST_WAIT_S = 900.0
FORGET_AFTER_S = 3600.0
"""After so long without a try the count begins anew."""


@dataclass(frozen=True, slots=True)
class PinSettings:
    """scrypt with n=2^14, r=8 takes about 50 ms and 16 MB on a small box: felt by a guesser, not by a player. `at_once`
    may wait for it, and `waiting` more for that: each keeps one of the page's threads waiting too."""

    n: int = 2**14
    r: int = 8
    p: int = 1
    free_tries: int = 5
    free_tries_for_all: int = 50
    at_once: int = 8
    waiting: int = 12


@dataclass(slots=True)
class _Tries:
    wrong: int = 0
    last_s: float = 0.0
    closed_until_s: float = 0.0


class TooManyTriesError(Exception):
    """This guesser may not try for `wait_s` seconds."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"too many wrong PINs, wait {wait_s:.0f} s")
        self.wait_s = wait_s


class PinCrowdError(Exception):
    """So many PINs are being compared that this one was not."""


def fresh_pin() -> str:
    """Six digits."""
    return f"{secrets.randbelow(1_000_000):06d}"


EVERYONE = "*"

PATIENCE_S = 3.0
"""So long a guesser without wrong tries waits until others' PINs have been compared: 60 of them on a small box."""

MOST_REMEMBERED = 5000
"""Addresses; a home network has 250."""


@dataclass(slots=True)
class PinLock:
    """Compares PINs. One guesser has `free_tries`, all together `free_tries_for_all`; then the wait doubles each time.
    The right PIN forgets the wrong ones of its guesser, and of nobody else."""

    _salt: bytes
    _hash: bytes
    settings: PinSettings
    clock: Callable[[], float]
    """Returns monotonic seconds."""
    drawn: bool = False
    _tries: dict[str, _Tries] = field(default_factory=dict)
    _hashing: int = 0
    _waiting: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)
    """Guards all of it; told when a PIN has been compared."""

    @classmethod
    def of(
        cls,
        pin: str,
        settings: PinSettings | None = None,
        clock: Callable[[], float] = time.monotonic,
        salt: bytes | None = None,
        *,
        drawn: bool = False,
    ) -> PinLock:
        """`salt` kept from an earlier start: the same PIN then has the same fingerprint; so have all that are `drawn`
        anew at each start, or a restart would sign everybody out."""
        chosen = settings or PinSettings()
        salt = secrets.token_bytes(16) if salt is None else salt
        return cls(salt, _scrypt(pin, salt, chosen), chosen, clock, drawn)

    @property
    def fingerprint(self) -> str:
        """Names this PIN in a signed cookie, so that another chosen PIN signs everybody out."""
        if self.drawn:
            return "drawn"
        return hashlib.sha256(self._hash).hexdigest()[:16]

    def opens(self, pin: str, guesser: str) -> bool:
        """Whether `pin` is right. Raises TooManyTriesError before any hashing while the guesser has to wait, and
        PinCrowdError while too many others' are being compared; one without wrong tries waits for those.

        A guesser is a phone that has given a PIN before, or a whole network (`network_of`). One without wrong tries
        always has one, however many others guess. In one IPv6 network, or behind one proxy, all new phones are one
        guesser: who guesses there keeps them from signing in, and nobody who is signed in from anything.
        """
        with self._changed:
            now = self.clock()
            self._forget(now)
            mine = self._tries.setdefault(guesser, _Tries())
            everyone = self._tries.setdefault(EVERYONE, _Tries())
            closed_until = max(mine.closed_until_s, everyone.closed_until_s) if mine.wrong else 0.0
            if now < closed_until:
                raise TooManyTriesError(closed_until - now)
            crowded = self._waiting or not self._is_free()
            if crowded and (mine.wrong or self._waiting >= self.settings.waiting):
                raise PinCrowdError
            # Counted before it is known: many at once of one guesser are many tries.
            self._count(mine, self.settings.free_tries, now)
            self._waiting += 1
            free = self._changed.wait_for(self._is_free, PATIENCE_S)
            self._waiting -= 1
            if not free:
                mine.wrong -= 1
                raise PinCrowdError
            self._hashing += 1
        try:
            right = hmac.compare_digest(_scrypt(pin[:64], self._salt, self.settings), self._hash)
        finally:
            with self._changed:
                self._hashing -= 1
                self._changed.notify()
        with self._changed:
            if right:
                self._tries.pop(guesser, None)
            else:
                self._count(everyone, self.settings.free_tries_for_all, now)
        return right

    def _is_free(self) -> bool:
        return self._hashing < self.settings.at_once

    def _count(self, tries: _Tries, free: int, now: float) -> None:
        tries.wrong += 1
        tries.last_s = now
        if tries.wrong >= free:
            wait = FIRST_WAIT_S * 2.0 ** min(tries.wrong - free, 20)
            tries.closed_until_s = now + min(wait, LONGEST_WAIT_S)

    def _forget(self, now: float) -> None:
        old = [name for name, tries in self._tries.items() if now - tries.last_s > FORGET_AFTER_S]
        for name in (*old, *[name for name in self._tries if name != EVERYONE][: len(self._tries) - MOST_REMEMBERED]):
            self._tries.pop(name, None)


def _scrypt(pin: str, salt: bytes, settings: PinSettings) -> bytes:
    secret, n, r, p = plain_digits(pin).encode("utf-8", "replace"), settings.n, settings.r, settings.p
    return _hasher().submit(lambda: hashlib.scrypt(secret, salt=salt, n=n, r=r, p=p, dklen=32)).result()


@cache
def _hasher() -> ThreadPoolExecutor:
    """The only thread that hashes. The C library keeps the 16 MB of each scrypt for the thread that asked, so that
    a hundred serving threads grew by half a gigabyte."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="pin")


PHONES_FILE = "phones.json"

MOST_SIGNED_IN = 200
"""Browsers that gave the PIN, and as many that have signed out; a club of forty tables has fewer."""


@dataclass(slots=True)
class _Kept:
    """The phones that are signed in, as the box remembers them."""

    key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    """Signs the cookies."""
    salt: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    """Goes into the PIN's hash."""
    browsers: dict[str, None] = field(default_factory=dict)
    """Hashes of the secrets of those that gave the PIN, the oldest first."""
    left: dict[str, None] = field(default_factory=dict)
    """The same of those that have signed out."""


class SignedIn:
    """The browsers that gave the PIN, and those that have signed out: a cookie of theirs opens nothing any more. Those
    that came by a code are in no list, where the many would have to make room for the next. Thread-safe.

    Args:
        path: where they are kept; None, or where nothing can be written: until the program ends.
        damaged: hears where a file lies now that made no sense.
    """

    def __init__(
        self, path: Path | None = None, most: int = MOST_SIGNED_IN, damaged: Callable[[Path], None] = lambda _: None
    ) -> None:
        self._path, self._most = path, most
        self._lock = threading.Lock()
        kept = None if path is None else read_state(path, _phones_from, None, damaged)
        self._kept = _Kept() if kept is None else kept
        if kept is None:
            self._keep()

    @property
    def key(self) -> bytes:
        return self._kept.key

    @property
    def salt(self) -> bytes:
        return self._kept.salt

    @property
    def mark(self) -> str:
        """Tells this box's cookies from those of another program on the same host, at another port."""
        return hashlib.sha256(self._kept.salt).hexdigest()[:8]

    def add(self) -> str:
        """The secret of a new one that gave the PIN; the oldest is forgotten when there are too many."""
        secret = new_secret()
        with self._lock:
            self._put(self._kept.browsers, secret)
            self._keep()
        return secret

    # Both without the lock, which is held while a slow card writes.
    def gave_pin(self, secret: object) -> bool:
        """Whether it has given a PIN, even an earlier one, and has not signed out since."""
        return isinstance(secret, str) and _hash(secret) in self._kept.browsers

    def has_left(self, secret: object) -> bool:
        """Whether it has signed out, or never was here."""
        return not isinstance(secret, str) or _hash(secret) in self._kept.left

    def remove(self, secret: object) -> None:
        with self._lock:
            if isinstance(secret, str):
                self._kept.browsers.pop(_hash(secret), None)
                self._put(self._kept.left, secret)
                self._keep()

    def _put(self, known: dict[str, None], secret: str) -> None:
        known[_hash(secret)] = None
        while len(known) > self._most:
            del known[next(iter(known))]

    def clear(self) -> None:
        with self._lock:
            self._kept.browsers.clear()
            self._keep()

    def _keep(self) -> None:
        if self._path is None:
            return
        kept = self._kept
        state = {
            "key": kept.key.hex(),
            "salt": kept.salt.hex(),
            "browsers": list(kept.browsers),
            "left": list(kept.left),
        }
        with suppress(OSError):  # a disk that takes nothing signs nobody out before the next start
            write_state(self._path, state)


def new_secret() -> str:
    """Names a browser in its cookie."""
    return secrets.token_urlsafe(16)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _phones_from(state: Any) -> _Kept:
    kept = _Kept(
        bytes.fromhex(state["key"]),
        bytes.fromhex(state["salt"]),
        dict.fromkeys(map(str, state["browsers"])),
        dict.fromkeys(map(str, state["left"])),
    )
    if len(kept.key) != 32 or len(kept.salt) != 16:
        raise ValueError
    return kept


class PhoneSessions(SecureCookieSessionInterface):
    """Flask's sessions in signed cookies. How old one is says nothing on a box whose clock is set back and forth: the
    browser forgets it after a month without a visit, and `SignedIn` says which still open anything."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession:
        kept = self.opened(app, request.cookies.get(self.get_cookie_name(app), ""))
        return self.session_class(kept)

    def get_expiration_time(self, app: Flask, session: SessionMixin) -> None:
        """None: a date by a clock that may be decades behind would have the phone forget at once."""

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Have the phone count the month by its own clock, anew with every page that is opened: what a page fetches by
        itself may be answered after a tap has changed the cookie, and would put the old one back."""
        opens_page = request.method == "GET" and response.mimetype == "text/html"
        if not session.modified and not opens_page:
            if session.accessed:
                response.vary.add("Cookie")
            return
        super().save_session(app, session, response)
        if session and session.permanent:
            mine, lasts = f"{self.get_cookie_name(app)}=", int(app.permanent_session_lifetime.total_seconds())
            kept = response.headers.getlist("Set-Cookie")
            response.headers.setlist(
                "Set-Cookie", [f"{one}; Max-Age={lasts}" if one.startswith(mine) else one for one in kept]
            )

    def opened(self, app: Flask, cookie: str) -> Mapping[str, Any]:
        """The content of a cookie of this box; nothing for any other text."""
        signer = self.get_signing_serializer(app)
        if signer is None or not cookie:
            return {}
        try:
            kept = signer.loads(cookie)
        except BadSignature:
            return {}
        return kept if isinstance(kept, dict) else {}

    def of_head(self, app: Flask, headers: Mapping[str, str]) -> Mapping[str, Any]:
        """The same of a request that is still being read: `headers` are those of its head, like {"COOKIE": "..."}."""
        return self.opened(app, parse_cookie(headers.get("COOKIE", "")).get(self.get_cookie_name(app), ""))


EVENING_FILE = "evening.json"

LASTS_S = 16 * 3600.0
"""From the first game to the last phone that looks at the scores; the next evening has another code."""

CODE_BYTES = 12
"""Nobody guesses one of 2^96, and a screen across the room still shows it in large squares."""


class _Drawn(NamedTuple):
    code: str
    at: float


class Evening:
    """A random code that is drawn anew when it is over, or when somebody ends it. Thread-safe.

    Args:
        path: where it is kept, so that a restart shuts nobody out; None, or where nothing can be written: until the
            program ends.
        clock, monotonic: the time of day, which says how old a kept code is, and the time that only runs.
        damaged: hears where a file lies now that made no sense.
    """

    def __init__(
        self,
        path: Path | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        damaged: Callable[[Path], None] = lambda _: None,
    ) -> None:
        self._path, self._clock, self._monotonic = path, clock, monotonic
        self._lock = threading.Lock()
        kept = None if path is None else read_state(path, _evening_from, None, damaged)
        age_s = LASTS_S if kept is None else max(0.0, clock() - kept.at)
        self._code, self._over = "" if kept is None else kept.code, monotonic() + LASTS_S - age_s
        if kept is not None and kept.at > clock():
            # A clock that was set back ends no evening; but a date years ahead would have the code live for years.
            self._keep()

    @property
    def code(self) -> str:
        with self._lock:
            if self._monotonic() >= self._over:
                self._draw()
            return self._code

    @property
    def mark(self) -> str:
        """Names the code in a signed cookie and in an address, without telling it."""
        return hashlib.sha256(self.code.encode()).hexdigest()[:16]

    def lets_in(self, code: str) -> bool:
        return hmac.compare_digest(code.encode("utf-8", "replace"), self.code.encode())

    def end(self) -> None:
        """From now on there is another code, and phones that came in by this one are out."""
        with self._lock:
            self._draw()

    def _draw(self) -> None:
        self._code, self._over = secrets.token_urlsafe(CODE_BYTES), self._monotonic() + LASTS_S
        self._keep()

    def _keep(self) -> None:
        if self._path is not None:
            with suppress(OSError):  # a disk that takes nothing: the code is good until the program ends
                write_state(self._path, {"code": self._code, "at": self._clock()})


def _evening_from(state: Any) -> _Drawn:
    drawn = _Drawn(str(state["code"]), float(state["at"]))
    if len(drawn.code) < 16 or not math.isfinite(drawn.at):
        raise ValueError
    return drawn


access = Blueprint("access", __name__)

PIN_HEADER = "X-Companion-Pin"

SHARED = "*everybody"
"""The owner of a phone in the middle of the table, and the author of its entries (others: log.author)."""


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
    """Whether it has given the PIN that is valid now."""
    return _gave_pin(current_app, session)


def on_the_box() -> bool:
    """Whether the page is shown on the box's own screen, which may show the PIN.

    Where a request comes from says nothing: through a proxy on the box everybody comes from the box.
    """
    return bool(session.get("screen"))


def may_invite() -> bool:
    """Whether this viewer is shown the code that lets others play."""
    return signed_in() or on_the_box()


def _opens(app: Flask, kept: Mapping[str, Any]) -> bool:
    known: SignedIn = app.extensions["companion_signed_in"]
    tonight = evenings_right(app.extensions["companion_lock"], app.extensions["companion_evening"])
    return _gave_pin(app, kept) or (kept.get("evening") == tonight and not known.has_left(kept.get("browser")))


def _gave_pin(app: Flask, kept: Mapping[str, Any]) -> bool:
    known: SignedIn = app.extensions["companion_signed_in"]
    right: str = app.extensions["companion_lock"].fingerprint
    return kept.get("pin") == right and known.gave_pin(kept.get("browser"))


def evenings_right(pin: PinLock, tonight: Evening) -> str:
    """The content of a phone's cookie that has come in by the code; another chosen PIN ends it too."""
    return f"{tonight.mark} {pin.fingerprint}"


def let_in() -> None:
    """From now on this browser may play for this evening."""
    session.permanent = True
    session["evening"] = evenings_right(lock(), evening())
    if browsers().has_left(session.get("browser")):
        session["browser"] = new_secret()


def head_opens(app: Flask, headers: Mapping[str, str]) -> bool:
    """The same of a request that is still being read: `headers` are those of its head, like {"COOKIE": "..."}. A PIN in
    it opens nothing: comparing it takes long, and everybody waits for the loop that reads heads."""
    # The link of a round lets a phone send a photograph of a hand, while that game is on the table.
    [game, _round] = round_of_link(app, _of_head(app, headers).get("hand")) or [None, None]
    app_state: AppState | None = app.extensions.get("companion_state")
    return head_is_known(app, headers) or (app_state is not None and game == app_state.game)


def link_signer(app: Flask) -> URLSafeSerializer:
    """Signs the links by which everybody enters their own hand of a round."""
    return URLSafeSerializer(app.secret_key or "", salt="a hand of one round")


def round_of_link(app: Flask, token: object) -> Any:
    """The game and the round of such a link; None for anything else."""
    with suppress(BadSignature):
        return link_signer(app).loads(token) if isinstance(token, str) else None


def head_is_known(app: Flask, headers: Mapping[str, str]) -> bool:
    """Whether a request that is still being read comes from a phone that is signed in, or a screen of the house."""
    kept = _of_head(app, headers)
    return bool(kept) and (_opens(app, kept) or bool(kept.get("screen")))


def _of_head(app: Flask, headers: Mapping[str, str]) -> Mapping[str, Any]:
    """The cookie of a head; {} without one, and in a page without a lock."""
    if "companion_lock" not in app.extensions or not isinstance(app.session_interface, PhoneSessions):
        return {}
    return app.session_interface.of_head(app, headers)


def who_changes() -> str | None:
    """The name under which this phone's corrections are kept, if its person chose one."""
    name = session.get("name")
    return name if isinstance(name, str) else None


def author_now() -> str:
    """The author of this request's entries: the phone's name, or marks for a shared phone and for one without a
    name."""
    return who_changes() or (SHARED if session.get("shared") else PHONE)


def this_browser() -> str | None:
    """The secret of the phone that asks; None for a program."""
    secret = session.get("browser")
    return secret if isinstance(secret, str) else None


def wants_page() -> bool:
    """A form was sent by a browser, which then wants to see a page; a program wants JSON."""
    return request.mimetype in ("application/x-www-form-urlencoded", "multipart/form-data")


OF_THE_HOUSE = frozenset(
    {
        "games.delete_game",
        "games.delete_pictures",
        "games.export",
        "learning.begin",
        "learning.corrections",
        "repairing.diagnostics",
        "repairing.do",
        "repairing.seen",
        "setup.camera_picture",
        "setup.forget_rules",
        "setup.keep_rules",
    }
)
"""Pages that an evening's code does not open: things there are lost for good, taken away, or not painted over."""


def needs_pin(view: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse anybody who has not given the PIN (by signing in, or in the header X-Companion-Pin), nor come in by this
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
    phone = session.get("browser")
    try:
        right = lock().opens(pin, f"phone {phone}" if browsers().gave_pin(phone) else network_of(request.remote_addr))
    except TooManyTriesError as many:
        seconds = math.ceil(many.wait_s)
        sentence = ngettext(
            "Too many wrong PINs. Try again in one second.",
            "Too many wrong PINs. Try again in %(num)s seconds.",
            seconds,
        )
        raise at_field(TooManyRequests(sentence, retry_after=seconds), "pin") from None
    except PinCrowdError:
        crowd = _("Many phones are giving a PIN just now. Try again in a few seconds.")
        raise at_field(TooManyRequests(crowd, retry_after=math.ceil(PATIENCE_S)), "pin") from None
    if not right:
        raise at_field(Forbidden(_("That is not the PIN.")), "pin")


def own_path(url: str | None) -> str:
    """The path, and what is asked of it, of one of our own pages, whatever was given."""
    parts = address_parts(url)
    if not parts.path.startswith("/") or parts.path.startswith(("//", "/\\", "/pin")):
        return "/"
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


@access.get("/pin")
def ask() -> str:
    """The form for the PIN."""
    return render_template("pin.html", next=own_path(request.args.get("next")))


@access.post("/pin")
def sign_in() -> AnyResponse:
    """Sign this phone in, from the page's form."""
    fields = read_body(request)
    target = own_path(str(fields.get("next") or "/"))
    _sign_in(fields)
    then = str(fields.get("then") or "")
    parts = address_parts(then)
    if parts.path in KEPT_FORMS and not parts.netloc:
        waiting = {name.removeprefix(WAITING): str(value) for name, value in fields.items() if name.startswith(WAITING)}
        app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
        return send_again(app, then, waiting, session)
    return redirect(where_first(target), 303)


def where_first(target: str) -> str:
    """Where a phone that has just come in goes: to `target`, and on the way it is asked whose it is."""
    players = _players()
    asks = players and who_changes() not in players and not session.get("shared")
    return "/whose?next=" + quote(target) if asks else target


MOST_SAID = 400
"""Phones whose owners are remembered until the program ends."""


def say_whose(fields: Mapping[str, Any], name: str) -> None:
    """Take from this field whose phone it is: a player's, or everybody's (`SHARED`). Raises FieldError."""
    players = tuple(_players())
    chosen = SHARED if fields.get(name) == SHARED else person(fields, name, players)
    session.pop("program", None)
    session["shared"] = chosen == SHARED
    if chosen != SHARED:
        session["name"] = chosen
    elif session.get("name") in players:
        del session["name"]
    said = current_app.extensions["companion_whose"]
    if "browser" in session:
        said.pop(session["browser"], None)
        said[session["browser"]] = chosen
        for phone in tuple(said)[:-MOST_SAID]:
            said.pop(phone, None)
        current_app.extensions["companion_state"].signal.notify()


@access.post("/api/pin")
def sign_in_by_program() -> Response:
    """Sign in with the PIN, once; the answer sets the cookie."""
    _sign_in(read_body(request))
    session["program"] = True
    return jsonify({"signed_in": True})


@access.post("/pin/out")
def sign_out() -> AnyResponse:
    """Sign this browser out; with `all`, from somebody who has given the PIN, every one, and end this evening's
    code."""
    if read_body(request).get("all") and knows_pin():
        browsers().clear()
        current_app.extensions["companion_whose"].clear()
        evening().end()
        app_state: AppState = current_app.extensions["companion_state"]
        app_state.trail.note(author_now(), app_state.game, "access.sign_out", {})
    browsers().remove(session.get("browser"))
    session.clear()
    return redirect("/", 303)


def _players() -> Sequence[str]:
    """The players of the game on the table."""
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
