"""Server-sent events: each line of the journal under its own `seq`, and the camera's state in between."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

from flask import Blueprint, Response, current_app, request

from companion.app.state import AppState
from companion.web.guard import network_of
from companion.web.streaming import FAREWELL, GREETING, PING, Listener, Seat, Seats

stream = Blueprint("stream", __name__)

HAND_OVER = "companion.hand_over"
"""In the environ of our own server: takes over (listener, seat) once the answer's head is written."""


@dataclass(frozen=True, slots=True)
class StreamSettings:
    ping_s: float = 10.0
    """A comment as often as this keeps the connection open and notices one that is gone."""
    most: int = 400
    """Open screens. Each costs a file descriptor and a few kilobytes."""


@stream.get("/api/stream")
def events() -> Response:
    """All events after `Last-Event-ID` (or `?after=`), then each one as it happens."""
    app_state: AppState = current_app.extensions["companion_state"]
    settings: StreamSettings = current_app.extensions["companion_stream"]
    seats: Seats = current_app.extensions["companion_seats"]
    asked = request.headers.get("Last-Event-ID") or request.args.get("after") or ""
    sent = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 12 else 0
    if request.args.get("game") not in (None, app_state.game):
        sent = 0
    listener, seat = Listener(app_state, sent), seats.take(network_of(request.remote_addr))
    hand_over: Callable[[Listener, Seat], None] | None = request.environ.get(HAND_OVER)
    if hand_over is not None:
        hand_over(listener, seat)
        body: Iterator[bytes] = iter([GREETING])
    else:
        body = _Flow(app_state, listener, seat, seats, settings.ping_s)
    response = Response(body, mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


class _Flow:
    """The body for a server that iterates: gives its seat back when it is closed, even if it was never begun."""

    def __init__(self, app_state: AppState, listener: Listener, seat: Seat, seats: Seats, ping_s: float) -> None:
        self._seat, self._seats = seat, seats
        self._over = threading.Event()
        seat.end = self._over.set
        self._flow = self._messages(app_state, listener, ping_s)

    def __iter__(self) -> Iterator[bytes]:
        return self._flow

    def __next__(self) -> bytes:
        return next(self._flow)

    def close(self) -> None:
        self._seats.give_back(self._seat)
        self._flow.close()

    def _messages(self, app_state: AppState, listener: Listener, ping_s: float) -> Generator[bytes]:
        yield GREETING
        while not app_state.signal.closed:
            count = app_state.signal.count
            if data := listener.news():
                yield data
            if self._over.is_set():
                yield FAREWELL
                return
            if app_state.signal.wait(count, ping_s) == count:
                yield PING
