"""Server-sent events: each line of the journal under its own `seq`, and the camera's state in between."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, current_app, request
from werkzeug.exceptions import ServiceUnavailable

from companion.web.house import House, NoGameError, event_lines

stream = Blueprint("stream", __name__)


@dataclass(frozen=True, slots=True)
class StreamSettings:
    ping_s: float = 15.0
    """A comment as often as this keeps the connection open and notices one that is gone."""
    most: int = 110
    """Each stream holds one of waitress's 128 threads; the rest must be left for pages and taps."""


class Seats:
    """Counts open streams."""

    def __init__(self, most: int) -> None:
        self._lock = threading.Lock()
        self._free = most

    def take(self) -> bool:
        with self._lock:
            if self._free <= 0:
                return False
            self._free -= 1
            return True

    def give_back(self) -> None:
        with self._lock:
            self._free += 1


@stream.get("/api/stream")
def events() -> Response:
    """All events after `Last-Event-ID` (or `?after=`), then each one as it happens."""
    house: House = current_app.extensions["companion_house"]
    settings: StreamSettings = current_app.extensions["companion_stream"]
    seats: Seats = current_app.extensions["companion_seats"]
    asked = request.headers.get("Last-Event-ID") or request.args.get("after") or ""
    sent = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 12 else 0
    if request.args.get("game") not in (None, house.game):
        sent = 0
    if not seats.take():
        raise ServiceUnavailable("Too many screens are watching already; this one will try again.", retry_after=20)
    response = Response(_Flow(_flow(house, sent, settings), seats), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


class _Flow:
    """The body: gives its seat back when the server closes it, even if it was never begun."""

    def __init__(self, flow: Iterator[bytes], seats: Seats) -> None:
        self._flow = flow
        self._seats: Seats | None = seats

    def __iter__(self) -> Iterator[bytes]:
        return self._flow

    def close(self) -> None:
        if self._seats is not None:
            self._seats.give_back()
            self._seats = None
        close = getattr(self._flow, "close", None)
        if close is not None:
            close()


def _flow(house: House, sent: int, settings: StreamSettings) -> Iterator[bytes]:
    game: str | None = None
    camera: Any = None
    yield b"retry: 1500\n\n"
    heard = -1
    while True:
        rings = house.bell.rings
        if rings == heard:
            rings = house.bell.wait(heard, settings.ping_s)
            if rings == heard:
                yield b": ping\n\n"
                continue
        heard = rings
        if house.bell.closed:
            return
        if game is None or game != house.game:
            sent = sent if game is None else 0
            game = house.game
            yield _message({"game": game}, event="game")
        told = False
        for line in _news(house, sent):
            sent = line["seq"]
            told = True
            yield _message(line, event=None, number=sent)
        seen = house.camera_status()
        if seen != camera:
            camera = seen
            yield _message(seen, event="camera")
        elif not told:
            # Something rang that the journal does not hold; the page looks again all the same.
            yield _message({}, event="change")


def _news(house: House, sent: int) -> list[dict[str, Any]]:
    try:
        return event_lines(house.session, after=sent)
    except NoGameError:
        return []


def _message(value: Any, *, event: str | None, number: int | None = None) -> bytes:
    lines = []
    if number is not None:
        lines.append(f"id: {number}")
    if event is not None:
        lines.append(f"event: {event}")
    lines.append("data: " + json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    return ("\n".join(lines) + "\n\n").encode()
