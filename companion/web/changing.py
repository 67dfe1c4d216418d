"""Changes made once: a tap that arrives twice counts once, and what was decided at an older table is refused.

A change may carry `expected_game` and `expected_seq` (the table its sender has looked at), and a key of its own: the
field `once` or the header Idempotency-Key. The same change sent again, by an impatient finger or a retrying network,
gets the answer of the first; a change that looked at another table is refused with 409.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from flask import Response, current_app, make_response, request
from markupsafe import Markup
from werkzeug.exceptions import Conflict

from companion.app.state import AppState, SessionLike
from companion.log.author import entered_by
from companion.web.access import author_now, needs_pin
from companion.web.body import number, read_body
from companion.web.languages import gettext as _
from companion.web.noted import about, is_change
from companion.web.photographs import ROUTES, expect_photograph

KEY_HEADER = "Idempotency-Key"

MOST_REMEMBERED = 256
"""Changes; a hasty table makes twenty a minute."""

PATIENCE_S = 30.0
"""So long the second of two equal changes waits for the first one's answer."""


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
        """What `make` answers, or has answered to the same `mark`. A refusal (it raises) is not remembered."""
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
        except BaseException:
            with self._lock:
                self._known.pop(mark, None)
            mine.done.set()
            raise
        mine.answer = answer.status_code, list(answer.headers.items()), answer.get_data()
        mine.done.set()
        return answer

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
        if request.path in ROUTES:
            expect_photograph(request)
        fields = read_body(request)
        mark = _mark(fields)

        def change() -> Response:
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


@contextmanager
def table_as_seen(
    fields: Mapping[str, Any], still_so: Callable[[SessionLike], bool] = lambda _session: False
) -> Iterator[SessionLike]:
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
