"""This evening's code: whoever has scanned it may play without the PIN, until the evening is over."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from companion.storage.state_file import read_state, write_state

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
    """

    def __init__(
        self,
        path: Path | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path, self._clock, self._monotonic = path, clock, monotonic
        self._lock = threading.Lock()
        kept = None if path is None else read_state(path, _understood, None)
        # A clock that was set back makes no code older.
        age_s = LASTS_S if kept is None else max(0.0, clock() - kept.at)
        self._code, self._over = "" if kept is None else kept.code, monotonic() + LASTS_S - age_s

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
        """From now on there is another code, and whoever came in by this one is out."""
        with self._lock:
            self._draw()

    def _draw(self) -> None:
        self._code, self._over = secrets.token_urlsafe(CODE_BYTES), self._monotonic() + LASTS_S
        if self._path is not None:
            with suppress(OSError):  # a disk that takes nothing: the code is good until the program ends
                write_state(self._path, {"code": self._code, "at": self._clock()})


def _understood(state: Any) -> _Drawn:
    drawn = _Drawn(str(state["code"]), float(state["at"]))
    if len(drawn.code) < 16:
        raise ValueError
    return drawn
