"""Screens that follow the game: what each has got, and who gives up a seat when all are taken.

Server-sent events: each line of the journal under its own `seq` and its game's name, and the camera's state in
between.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from flask import Blueprint, Response, current_app, request

from companion.app.state import AppState, event_lines
from companion.game.game import Game
from companion.game.told import Follower
from companion.web.access import may_invite
from companion.web.guard import address_of, network_of

GREETING = b"retry: 1500\n\n"
FAREWELL = b"retry: 15000\n\n"
"""For a screen that has to make room: it comes back later."""


class Listener:
    """One screen. `news` brings everything it has not got; it resumes after any journal line: line `sent` of the game
    that `resumes` names (None: of the one on the table)."""

    def __init__(self, app_state: AppState, sent: int, resumes: str | None = None) -> None:
        self._app_state = app_state
        self._known_count = -1
        self._sent = sent
        self._resumes = resumes
        self._game: str | None = None
        self._camera: Any = None
        self._follower = Follower()

    def news(self) -> bytes:
        """Messages since the last call, b"" where nothing has happened."""
        count = self._app_state.signal.count
        if count == self._known_count:
            return b""
        self._known_count = count
        return b"".join(self._messages())

    def beat(self) -> bytes:
        """A sign of life, with the mark of what a screen should show by now."""
        return message({"mark": self._app_state.signal.mark}, event="beat")

    def _messages(self) -> Iterator[bytes]:
        game, session = self._app_state.on_the_table()
        if self._game != game:
            resumed = self._game is None and self._resumes in (None, game)
            self._sent = self._sent if resumed else 0
            self._game = game
            self._follower.forget()
            yield message({"game": game}, event="game")
        quiet = True
        told = [] if session is None else _told_lines(session, game)
        if self._sent > len(told):  # a copy took the journal's place, which had gone further
            self._sent = 0
        lines = told[self._sent :]
        if lines:
            self._sent += len(lines)
            quiet = False
            yield b"".join(lines)
        otherwise = () if session is None else session.read_otherwise()
        for one in () if session is None else self._follower.news(session.events, otherwise, self._sent):
            quiet = False
            yield message(one.to_json(), event=None, number=f"{self._sent}@{game}")
        camera = self._app_state.camera_status()
        if camera != self._camera:
            self._camera = camera
            yield message(camera, event="camera")
        elif quiet:
            # Something changed that the journal does not hold; the page looks again all the same.
            yield message({}, event="change")


_written: WeakKeyDictionary[Game, tuple[str | None, list[bytes]]] = WeakKeyDictionary()


def _told_lines(session: Game, game: str | None) -> list[bytes]:
    """The messages of all events of a game, each written once: a phone that comes back again and again costs little."""
    of, lines = _written.get(session, (game, []))
    lines = lines if of == game else []
    more = event_lines(session, after=len(lines))
    lines = [*lines, *(message(line, event=None, number=f"{line['seq']}@{game}") for line in more)] if more else lines
    _written[session] = game, lines
    return lines


def message(value: Any, *, event: str | None, number: str | None = None) -> bytes:
    lines = []
    if number is not None:
        lines.append(f"id: {number}")
    if event is not None:
        lines.append(f"event: {event}")
    lines.append("data: " + json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    return ("\n".join(lines) + "\n\n").encode()


@dataclass(slots=True, eq=False)
class ScreenPlace:
    """One screen's place."""

    address: str
    known: bool
    """It is signed in, or the box's own."""


class ScreenPlaces:
    """Limits how many screens are connected at a time. One that is known never gives way to one that is not; among
    equals the oldest of the address with the most of them goes, in the network with the most, and the new one where
    nobody has more than it has. All phones of a house may be in one IPv6 network."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._taken: dict[ScreenPlace, None] = {}

    def __len__(self) -> int:
        with self._lock:
            return len(self._taken)

    def __contains__(self, seat: object) -> bool:
        with self._lock:
            return seat in self._taken

    def take(self, address: str, *, known: bool) -> ScreenPlace:
        mine = ScreenPlace(address, known)
        with self._lock:
            self._taken[mine] = None
            if len(self._taken) > self._most:
                del self._taken[self._crowding(address)]
        return mine

    def give_back(self, seat: ScreenPlace) -> None:
        with self._lock:
            self._taken.pop(seat, None)

    def _crowding(self, newest: str) -> ScreenPlace:
        may_go = [seat for seat in self._taken if not seat.known] or list(self._taken)
        for whose in (network_of, address_of):
            counted = Counter(whose(seat.address) for seat in may_go)
            most = max(counted, key=lambda one: (counted[one], one == whose(newest)))
            may_go = [seat for seat in may_go if whose(seat.address) == most]
        return may_go[0]


stream = Blueprint("stream", __name__)

LOOK_S = 1.0
"""A screen that has gone, or has to make room, is noticed after so long."""


@dataclass(frozen=True, slots=True)
class StreamSettings:
    ping_s: float = 3.0
    """A beat as often as this: a screen that hears none says so, and a connection that is gone is noticed."""
    most: int = 32
    """Open screens: two dozen guests and a few more. Each costs a thread."""


@stream.get("/api/stream")
def events() -> Response:
    """All events after `Last-Event-ID` (or `?after=`), then each one as it happens.

    An id is `SEQ@GAME`: after one of another game than is on the table, all of its events come. A mere number is of
    the game that `?game=` names, or of the one on the table.
    """
    if request.method == "HEAD":  # takes no seat, and has an end
        return Response(mimetype="text/event-stream")
    app_state: AppState = current_app.extensions["companion_state"]
    settings: StreamSettings = current_app.extensions["companion_stream"]
    seats: ScreenPlaces = current_app.extensions["companion_seats"]
    asked, _, game = (request.headers.get("Last-Event-ID") or request.args.get("after") or "").partition("@")
    sent = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 12 else 0
    listener = Listener(app_state, sent, game or request.args.get("game"))
    seat = seats.take(request.remote_addr or "", known=may_invite())
    gone: Callable[[], bool] = request.environ.get("waitress.client_disconnected", lambda: False)
    body = _Flow(app_state, listener, seat, seats, settings.ping_s, gone)
    response = Response(body, mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


class _Flow:
    """The body: gives its seat back when it is closed, even if it was never begun. `gone`: nobody listens any more."""

    def __init__(
        self,
        app_state: AppState,
        listener: Listener,
        seat: ScreenPlace,
        seats: ScreenPlaces,
        ping_s: float,
        gone: Callable[[], bool],
    ) -> None:
        self._seat, self._seats = seat, seats
        self._flow = self._messages(app_state, listener, ping_s, gone)

    def __iter__(self) -> Iterator[bytes]:
        return self._flow

    def __next__(self) -> bytes:
        return next(self._flow)

    def close(self) -> None:
        self._seats.give_back(self._seat)
        self._flow.close()

    def _messages(
        self, app_state: AppState, listener: Listener, ping_s: float, gone: Callable[[], bool]
    ) -> Generator[bytes]:
        yield GREETING
        spoke = time.monotonic()
        while not app_state.signal.closed and not gone():
            if self._seat not in self._seats:
                yield FAREWELL
                return
            count = app_state.signal.count
            data = listener.news()
            if not data and time.monotonic() - spoke >= ping_s:
                data = listener.beat()
            if data:
                spoke = time.monotonic()
                yield data
            app_state.signal.wait(count, min(ping_s, LOOK_S))
