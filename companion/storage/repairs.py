"""Troubles of this box, present or repaired: since when, and what a person can do about them.

The words stand with the page (`companion.web.texts`); here is which case it is, and what it is about.

May the clock be believed when something is to be deleted for its age?

A small board without a battery starts with the time at which it was switched off, and a network sets it later; a flat
battery gives any date at all. So a leap of the clock counts only where a network has set it, or a person says that the
date is right.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from companion.storage.state_file import NOT_UNDERSTOOD, read_state, write_state

REPAIRS_FILE = "repairs.json"
"""In the data folder: what has been reported and not been seen yet."""

MOST_REPORTS = 100
"""The oldest go first: a failing card must not fill itself with reports."""

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing that was repaired or is broken."""

    code: str
    """Which case it is."""
    about: Mapping[str, str | int] = field(default_factory=dict)
    """The values to put into the words of `code`."""
    since: str = ""
    """UTC, ISO 8601; "" where nobody noticed when it began."""
    reported: bool = False
    """It is over, and stays on the list until somebody has seen it; otherwise it stays while it lasts."""

    @property
    def id(self) -> str:
        """Stands for this case in an address: the same case has the same id."""
        return hashlib.sha256(json.dumps([self.code, dict(self.about)]).encode()).hexdigest()[:12]


LASTING_TROUBLE = "TROUBLE"
"""A sentence that another part of the program says about itself while something lasts; it is shown there as well."""

Check = Callable[[], Sequence[Repair]]


class Repairs:
    """Everything that is wrong now, and what was and has not been seen yet. Thread-safe.

    Args:
        path: where reports are kept until they are seen; None: only in memory.
        clock: UTC.
    """

    def __init__(self, path: Path | None = None, clock: Clock = lambda: datetime.now(UTC)) -> None:
        self._path, self._clock = path, clock
        self._lock = threading.Lock()
        self._checks: list[Check] = []
        self._since: dict[str, str] = {}
        self._reports: list[Repair] = []
        self.actions: dict[str, Callable[[], object]] = {}
        """The action of a lasting case's button, by the case's code."""
        self.changed: Callable[[], None] = lambda: None
        damaged: list[Path] = []
        if path is not None:
            self._reports = read_state(path, _reports_of, [], damaged.append)
            for aside in damaged:
                self.report_damaged(aside)

    def report(self, repair: Repair) -> None:
        """Something happened that a person should know of. Kept over restarts, until `seen`."""
        fresh = replace(repair, since=self._now(), reported=True)
        with self._lock:
            if fresh.id in (one.id for one in self._reports):
                return
            self._reports = [*self._reports, fresh][-MOST_REPORTS:]
            self._keep()
        self.changed()

    def report_damaged(self, aside: Path) -> None:
        """A small file of the data folder made no sense and was set aside as `aside`."""
        name = aside.name.rpartition(".damaged-")[0] or aside.name
        self.report(Repair("STATE_FILE", {"file": name, "aside": aside.name}))

    def check(self, check: Check) -> None:
        """Ask `check` whenever somebody looks; it has to answer at once."""
        self._checks.append(check)

    def open(self) -> list[Repair]:
        """Troubles of now, then those that have been reported, the newest first."""
        lasting = [one for check in self._checks for one in check()]
        with self._lock:
            now = self._now()
            self._since = {one.id: self._since.get(one.id, one.since or now) for one in lasting}
            lasting = [replace(one, since=self._since[one.id]) for one in lasting]
            return [*lasting, *reversed(self._reports)]

    def to_show(self) -> list[Repair]:
        """Those that no other part of the page shows."""
        return [one for one in self.open() if one.code != LASTING_TROUBLE]

    def seen(self, id: str) -> bool:
        """Note that somebody has seen this report; False for an unknown id."""
        with self._lock:
            left = [one for one in self._reports if one.id != id]
            found = len(left) < len(self._reports)
            self._reports = left
            if found:
                self._keep()
        self.changed()
        return found

    def act(self, id: str) -> bool:
        """Press the button of a lasting case; False for an unknown id, or without a button."""
        action = next((self.actions.get(one.code) for one in self.open() if one.id == id and not one.reported), None)
        if action is None:
            return False
        action()
        self.changed()
        return True

    def _now(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

    def _keep(self) -> None:
        if self._path is None:
            return
        lines = [{"code": one.code, "about": dict(one.about), "since": one.since} for one in self._reports]
        try:
            write_state(self._path, lines)
        except OSError:
            # A full disk is itself on the list, and the report stays in memory.
            return


def reported(path: Path) -> list[Repair]:
    """The reports that lie there and were not seen yet, only looked at; none where they cannot be understood."""
    try:
        return _reports_of(json.loads(path.read_bytes()))
    except (OSError, *NOT_UNDERSTOOD):
        return []


def _reports_of(lines: Any) -> list[Repair]:
    return [
        Repair(str(line["code"]), {str(k): _plain(v) for k, v in line["about"].items()}, str(line["since"]), True)
        for line in lines
    ]


def _plain(value: Any) -> str | int:
    return value if isinstance(value, int) else str(value)


CLOCK_FILE = "clock.json"
"""In the data folder: when the clock was last right."""

SET_BY_NETWORK = Path("/run/systemd/timesync/synchronized")

LEAP_S = 3600.0
"""How far the clock may be set, by summer time or by hand, without a question."""

PAUSE_S = 20 * 86400.0
"""How long a box may stay switched off without a question; pictures are kept for longer."""

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
