"""May the clock be believed when something is to be deleted for its age?

A small board without a battery starts with the time at which it was switched off, and a network sets it later; a flat
battery gives any date at all. So a leap of the clock counts only where a network has set it, or a person says that the
date is right.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from companion.storage.repairs import Repair
from companion.storage.state_file import read_state, write_state

CLOCK_FILE = "clock.json"
"""In the data folder: when the clock was last right."""

SET_BY_NETWORK = Path("/run/systemd/timesync/synchronized")

LEAP_S = 3600.0
"""So far the clock may be set, by summer time or by hand, without a question."""

PAUSE_S = 20 * 86400.0
"""So long a box may stay switched off without a question; pictures are kept for longer."""

CODE = "CLOCK_LEAPT"


class ClockTrust:
    """Follows the clock of this box. Thread-safe.

    Args:
        path: where the last believable time is kept.
        earlier: seconds since 1970 of the newest thing of earlier runs, where `path` does not exist yet.
        clock, monotonic: the time of day and the time that only runs.
        set_by_network: whether a network has set the clock since the board started.
        damaged: hears of a file that made no sense and was set aside.
    """

    def __init__(
        self,
        path: Path,
        earlier: float | None = None,
        *,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        set_by_network: Callable[[], bool] = SET_BY_NETWORK.exists,
        damaged: Callable[[Path], None] = lambda aside: None,
    ) -> None:
        self._path, self._clock, self._monotonic, self._set_by_network = path, clock, monotonic, set_by_network
        self._lock = threading.Lock()
        self._last = read_state(path, _seconds, earlier, damaged)
        now = clock()
        self._wall, self._ran = now, monotonic()
        self._leap = 0.0
        self._sure = self._last is None or -LEAP_S <= now - self._last <= PAUSE_S
        self.tick()

    @property
    def sure(self) -> bool:
        with self._lock:
            return self._sure

    def tick(self) -> float:
        """Look at the clock. By how many seconds it was set forward since the last tick, once that is believed."""
        with self._lock:
            now, ran = self._clock(), self._monotonic()
            leap = (now - self._wall) - (ran - self._ran)
            self._wall, self._ran = now, ran
            if abs(leap) > LEAP_S:
                self._leap += leap
                self._sure = False
            if not self._sure and self._set_by_network():
                self._sure = True
            if not self._sure:
                return 0.0
            if self._last is None or abs(now - self._last) >= LEAP_S:
                self._keep(now)
            leap, self._leap = self._leap, 0.0
            return leap

    def confirm(self) -> None:
        """A person says that the date is right."""
        with self._lock:
            self._sure = True
            self._keep(self._clock())

    def repairs(self) -> tuple[Repair, ...]:
        with self._lock:
            if self._sure or self._last is None:
                return ()
            return (Repair(CODE, {"last": datetime.fromtimestamp(self._last, UTC).strftime("%Y-%m-%d")}),)

    def _keep(self, now: float) -> None:
        self._last = now
        with suppress(OSError):
            write_state(self._path, {"last": round(now)})


def _seconds(kept: Any) -> float | None:
    last = float(kept["last"])
    datetime.fromtimestamp(last, UTC)
    return last
