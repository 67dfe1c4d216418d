"""Changes of a game from the page: tried first, and made once.

The changes that stand in no game's journal, by the view that makes them, with the trail's words for each.

The effect of a correction, as its preview shows it, and whether that is still so when somebody keeps it.

Changes made once: a tap that arrives twice counts once, and a decision made at an older table is refused.

A change may carry `expected_game` and `expected_seq` (the table its sender has looked at), and a key of its own: the
field `once` or the header Idempotency-Key. The same change sent again, by an impatient finger or a retrying network,
gets the answer of the first; a change that looked at another table is refused with 409.
"""

from __future__ import annotations

import hashlib
import json
import math
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import wraps
from typing import Any

from flask import Response, current_app, make_response, request
from markupsafe import Markup
from werkzeug.exceptions import Conflict

from companion.app.state import AppState
from companion.game.game import Game
from companion.game.game_view import GameView, standing_doubts, standing_faults, standing_open
from companion.log.journal import entered_by
from companion.web.access import author_now, needs_pin, who_changes
from companion.web.forms import number, read_body
from companion.web.languages import gettext as _
from companion.web.languages import marked
from companion.web.texts import code_title, why
from companion.web.uploads import PHOTOGRAPH_ROUTES, expect_photograph
from companion.web.wording import fault_title

NOTED: Mapping[str, str] = {
    "setup.start": marked("This game was begun."),
    "changing_players.change": marked("The match went on with other players in a new game."),
    "games.reopen": marked("This game was put on the table again."),
    "games.delete_game": marked("A game was deleted."),
    "games.delete_pictures": marked("All pictures were deleted."),
    "placing.place": marked("The table's corners were set."),
    "placing.film": marked("How the camera films was chosen."),
    "placing.watch_again": marked("The film was shown from its beginning."),
    "placing.read_now": marked("The table was read at once."),
    "seating.keep": marked("Who sits where was changed, or whether arms are looked at."),
    "learning.begin": marked("The players' own set was learned, tested or forgotten."),
    "setup.keep_rules": marked("House rules were kept."),
    "setup.forget_rules": marked("House rules were deleted."),
    "repairing.seen": marked("A report of the box was taken from the list."),
    "repairing.do": marked("A repair of the box was asked for."),
    "access.sign_out": marked("Every phone was signed out."),
}

OF_ALL_GAMES = frozenset({"games.delete_pictures"})
"""These are said in every game."""

PLAIN = frozenset({"setup.start", "games.reopen"})
"""The words of these changes say everything."""

_OF_THE_FORM = frozenset({"expected_game", "expected_seq", "shows", "once", "next", "page", "form", "pin", "name"})
LONGEST = 300


def is_change(endpoint: str, fields: Mapping[str, Any]) -> bool:
    """Whether this request changes something that no journal holds."""
    return endpoint in NOTED and not (endpoint == "placing.place" and fields.get("do") == "try")


def about(fields: Mapping[str, Any], place: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a request without those that only belong to the form; `place` holds those of the address."""
    asked = {**place, **{name: value for name, value in fields.items() if name not in _OF_THE_FORM}}
    found = {}
    for name, value in sorted(asked.items()):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if text:
            found[str(name)[:40]] = text[:LONGEST]
    return found


@dataclass(frozen=True, slots=True)
class Ruled:
    """The ruling on a play, in words."""

    faults: tuple[str, ...] = ()
    """Certain ones."""
    doubts: tuple[str, ...] = ()
    """Possible ones."""
    is_open: bool = False
    asked: tuple[str, ...] = ()
    """Those that people would be asked about."""

    @classmethod
    def of(cls, play: Mapping[str, Any] | None) -> Ruled:
        if play is None:
            return cls()
        faults = tuple(fault_title(play, code) for code in standing_faults(play))
        doubts = tuple(code_title(code) for code in standing_doubts(play))
        asked = tuple(code_title(code) for code in standing_open(play))
        return cls(faults, doubts, bool(doubts) or bool(play.get("ruling_open")), asked)


@dataclass(frozen=True, slots=True)
class CorrectedPlay:
    """A play that reads otherwise with a correction, with its rulings."""

    seq: int
    before: Mapping[str, Any] | None
    """None: it is not there."""
    after: Mapping[str, Any] | None
    """None: it is not there."""

    @property
    def ruled(self) -> tuple[Ruled, Ruled]:
        return Ruled.of(self.before), Ruled.of(self.after)


def changes_between(now: Sequence[Mapping[str, Any]], then: Sequence[Mapping[str, Any]]) -> list[CorrectedPlay]:
    """Plays whose ruling or player differs between two lists of plays."""
    before = {play["seq"]: play for play in now}
    after = {play["seq"]: play for play in then}
    found = [CorrectedPlay(seq, before.get(seq), after.get(seq)) for seq in sorted({*before, *after})]
    return [one for one in found if one.ruled[0] != one.ruled[1] or _named_anew(one)]


def _named_anew(change: CorrectedPlay) -> bool:
    """Whether somebody else is named; where it only became open in which order they are likely, nothing changes."""
    old, new = change.before, change.after
    return old is not None and new is not None and old.get("by") != new.get("by")


@dataclass(frozen=True, slots=True)
class Preview:
    """The table before and after a correction."""

    now: GameView
    then: GameView
    """With the correction."""

    @property
    def plays(self) -> list[CorrectedPlay]:
        return changes_between(self.now.plays, self.then.plays)

    @property
    def totals(self) -> dict[str, tuple[int, int]]:
        """Player -> points before and after, where they differ."""
        both = {name: (old, self.then.totals.get(name, old)) for name, old in self.now.totals.items()}
        return {name: pair for name, pair in both.items() if pair[0] != pair[1]}

    @property
    def turn(self) -> tuple[str | None, str | None]:
        return self.now.turn, self.then.turn

    @property
    def mark(self) -> str:
        """The same for as long as the same plays change in the same way: what is laid meanwhile takes nothing away from
        what somebody has read and keeps."""
        plays = [(one.seq, [asdict(ruled) for ruled in one.ruled], _named_anew(one)) for one in self.plays]
        told = json.dumps([plays, self.totals], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:16]


def what_changes(session: Game, seq: int, what: Mapping[str, Any]) -> Preview:
    """Raises Conflict where entry `seq` cannot be corrected like that."""
    now = session.snapshot()
    try:
        then = session.what_if(seq, what, who_changes())
    except (ValueError, LookupError) as refusal:
        raise Conflict(why(refusal) or _("You cannot correct it like that.")) from None
    return Preview(now, then)


KEY_HEADER = "Idempotency-Key"

MOST_REMEMBERED = 256
"""Changes; a hasty table makes twenty a minute."""

PATIENCE_S = 30.0
"""How long the second of two equal changes waits for the first one's answer."""


@dataclass(slots=True)
class _Change:
    done: threading.Event = field(default_factory=threading.Event)
    answer: tuple[int, list[tuple[str, str]], bytes] | None = None


class Repeats:
    """Remembers the answers to the latest changes, by what was asked. Thread-safe."""

    def __init__(self, most: int = MOST_REMEMBERED, patience_s: float = PATIENCE_S) -> None:
        self._most, self._patience_s = most, patience_s
        self._lock = threading.Lock()
        self._known: OrderedDict[bytes, _Change] = OrderedDict()

    def once(self, mark: bytes, make: Callable[[], Response]) -> Response:
        """The answer of `make`, or its earlier answer to the same `mark`. A refusal (it raises) is not remembered, nor
        is a page: it asks once more, and everybody reads it in their own language."""
        while True:
            with self._lock:
                known = self._known.get(mark)
                if known is None:
                    mine = self._known[mark] = _Change()
                    self._forget()
            if known is None:
                return self._make(mark, mine, make)
            if not known.done.wait(self._patience_s):
                raise Conflict(_("That is already being done."))
            if known.answer is not None:
                status, headers, body = known.answer
                return Response(body, status, [*headers, ("Idempotency-Replayed", "true")])

    def _make(self, mark: bytes, mine: _Change, make: Callable[[], Response]) -> Response:
        try:
            answer = make()
            if not (answer.status_code == 200 and answer.mimetype == "text/html"):
                mine.answer = answer.status_code, list(answer.headers.items()), answer.get_data()
            return answer
        finally:
            if mine.answer is None:
                with self._lock:
                    self._known.pop(mark, None)
            mine.done.set()

    def _forget(self) -> None:
        for mark in [mark for mark, one in self._known.items() if one.done.is_set()]:
            if len(self._known) <= self._most:
                return
            del self._known[mark]


def changes(view: Callable[..., Any]) -> Callable[..., Any]:
    """For a view that changes something: it needs the PIN, and the same change sent twice is made once."""

    @needs_pin
    @wraps(view)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if request.path in PHOTOGRAPH_ROUTES:
            expect_photograph(request)
        fields = read_body(request)
        mark = _mark(fields)

        def change() -> Response:
            app_state: AppState = current_app.extensions["companion_state"]
            if app_state.disk_refuses:
                # There may be room by now.
                app_state.try_the_disk()
            with entered_by(author_now()) as entering:
                answer = make_response(view(*args, **kwargs))
            if not entering.lines:
                note_change(fields)
            return answer

        if mark is None:
            return change()
        repeats: Repeats = current_app.extensions["companion_repeats"]
        return repeats.once(mark, change)

    return guarded


def note_change(fields: Mapping[str, Any]) -> None:
    """Write down who has changed what, where no journal holds it."""
    endpoint = request.endpoint or ""
    if is_change(endpoint, fields):
        app_state: AppState = current_app.extensions["companion_state"]
        app_state.trail.note(author_now(), app_state.game, endpoint, about(fields, request.view_args or {}))


def _mark(fields: Mapping[str, Any]) -> bytes | None:
    """Names this very change: what is asked, with which key, about which table. None: nothing tells a repetition from
    another change of the same kind."""
    key = request.headers.get(KEY_HEADER, "")[:200]
    if not key and not any(fields.get(name) not in (None, "") for name in ("once", "expected_seq")):
        return None
    what = [request.method, request.path, key, fields, _files()]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode("utf-8", "surrogatepass")).digest()


def _files() -> list[tuple[str, str]]:
    """Another photograph from the same form is another change."""
    found = []
    for name, file in sorted(request.files.items()) if request.mimetype == "multipart/form-data" else ():
        found.append((name, hashlib.file_digest(file.stream, "sha256").hexdigest()))  # type: ignore[arg-type]
        file.stream.seek(0)
    return found


JUST_NOW_S, TWICE_S = 3.0, 1.5
"""For so long after another phone's *Cannot play*, or its own, the same key of a shared phone may still mean the same
player: people who look at the table tap without reading the key again, and some tap twice."""


@dataclass(slots=True)
class LastUnable:
    """The player of whom a phone has said last that they cannot play."""

    clock: Callable[[], float] = time.monotonic
    _player: str | None = None
    _browser: str | None = None
    _said_s: float = -math.inf

    def said_just_now(self, browser: str | None) -> str | None:
        """The player, where it was only just, as `browser` sees it."""
        is_new = self.clock() < self._said_s + (TWICE_S if browser == self._browser else JUST_NOW_S)
        return self._player if is_new else None

    def say(self, player: str | None, browser: str | None) -> None:
        self._player, self._browser, self._said_s = player, browser, self.clock()


@contextmanager
def table_as_seen(
    fields: Mapping[str, Any], still_so: Callable[[Game], bool] = lambda _session: False
) -> Iterator[Game]:
    """The session of the game on the table, which nobody else changes until this is left.

    Raises Conflict where the game is not the one that the change expects, or its last entry is not, unless what the
    change was decided on is `still_so`; NoGameError.
    """
    app_state: AppState = current_app.extensions["companion_state"]
    expected = None if fields.get("expected_seq") in (None, "") else number(fields, "expected_seq", 0, 10**9)
    with app_state.switching, app_state.session.hold() as seq:
        expect_game(fields, app_state.game)
        if expected is not None and expected != seq and not still_so(app_state.session):
            raise Conflict(changed())
        yield app_state.session


def expect_game(fields: Mapping[str, Any], game: str) -> None:
    """Raises Conflict where `game` is not the one that the change was made for."""
    if fields.get("expected_game") not in (None, "", game):
        raise Conflict(changed())


def changed() -> str:
    return _("The table has changed meanwhile. Look again, and repeat it if it is still right.")


def stamp(board: Any = None, once: object = None) -> Markup:
    """The hidden fields of a form that changes something.

    With `board` they name what lies on the table as it is shown, and stay the same as long as it does. With `once` the
    change is made whatever happens meanwhile, but no second time. Without either they name this copy of the page.
    """
    app_state: AppState = current_app.extensions["companion_state"]
    fields = {"expected_game": app_state.game} if app_state.has_game else {}
    if board is not None and once is None:
        fields["expected_seq"] = str(board.seq)
    else:
        fields["once"] = secrets.token_urlsafe(9) if once is None else str(once)
    return Markup("").join(
        Markup('<input type="hidden" name="{}" value="{}">').format(name, value) for name, value in fields.items()
    )
