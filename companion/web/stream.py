"""Server-sent events: each line of the journal under its own `seq` and its game's name, and the camera's state in
between."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

from flask import Blueprint, Response, current_app, request

from companion.app.state import AppState
from companion.web.guard import address_of
from companion.web.streaming import FAREWELL, GREETING, Listener, Seat, Seats

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
    seats: Seats = current_app.extensions["companion_seats"]
    asked, _, game = (request.headers.get("Last-Event-ID") or request.args.get("after") or "").partition("@")
    sent = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 12 else 0
    listener = Listener(app_state, sent, game or request.args.get("game"))
    seat = seats.take(address_of(request.remote_addr))
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
        seat: Seat,
        seats: Seats,
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
