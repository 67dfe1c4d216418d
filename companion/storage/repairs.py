"""What is wrong with this box, or was and has been repaired: since when, and what a person can do about it.

The words stand with the page (`companion.web.repair_texts`); here is which case it is, and what it is about.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
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
    """One case. `code` says which, `about` fills in its words; `since` is UTC, ISO 8601, "" while it was not noticed.

    `reported`: it is over, and stays on the list until somebody has seen it; otherwise it stays while it lasts.
    """

    code: str
    about: Mapping[str, str | int] = field(default_factory=dict)
    since: str = ""
    reported: bool = False

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
        """What the button of a lasting case does, by the case's code."""
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
        """What is wrong now, then what has been reported, the newest first."""
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
        """Somebody has seen this report; False where there is none of that id."""
        with self._lock:
            left = [one for one in self._reports if one.id != id]
            found = len(left) < len(self._reports)
            self._reports = left
            if found:
                self._keep()
        self.changed()
        return found

    def act(self, id: str) -> bool:
        """Press the button of a lasting case; False where there is none of that id, or no button."""
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
