"""Every thread that lives as long as the program: none may end, fail or hang without the page saying so.

A thread's work is a step that is called again and again (`Part.loop`). What a step raises is said, and it is tried
again; a step that takes too long is said while it lasts. `Parts` knows the last sign of life of all of them.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from companion.storage.repairs import Repair

SAY_S = 7.0
"""A part that has given no sign of life for so long is named on the page: within ten seconds with `Watchdog`'s look."""

PAUSES_S = (0.5, 1.0, 2.0, 5.0)
"""Before a step that failed is tried again; the last one for ever. Shorter than `SAY_S`."""

WELL_AGAIN = 3
"""Signs of life after a failure: the loop's, that of a long step's beginning, and that of a step inside it that went
well."""

SILENT, FAILED = "PART_SILENT", "PART_FAILED"

Step = Callable[[], bool]
Loop = Callable[[Step], None]

log = logging.getLogger(__name__)


def plain_loop(step: Step) -> None:
    """`step` until it says False, where nobody watches over it."""
    while step():
        pass


def line_of(fault: BaseException) -> str:
    """What was raised, in one line without the place of a file."""
    said = (getattr(fault, name, None) for name in ("cause", "why", "strerror"))
    why = next((one for one in said if one), str(fault))
    return (str(why).strip().splitlines() or [type(fault).__name__])[0]


@dataclass(frozen=True, slots=True)
class Sign:
    """`silent_s`: seconds since the last sign of life; `trouble`: why the last step failed, "" where it went well."""

    part: str
    silent_s: float
    trouble: str
    hangs: bool


class Part:
    """One thread, or one place where a thread may be held up. Thread-safe."""

    def __init__(
        self, name: str, clock: Callable[[], float], pause: Callable[[float], object], changed: Callable[[], None]
    ) -> None:
        self.name = name
        self._clock, self._pause, self._changed = clock, pause, changed
        self._beat_at = clock()
        self._patience_s = SAY_S
        self._trouble = ""
        self._beats = 0
        self._lives = False

    def beat(self, patience_s: float = SAY_S) -> None:
        """A sign of life; the next one comes within `patience_s`."""
        self._beat_at, self._patience_s, self._lives = self._clock(), patience_s, True
        self._beats += 1
        if self._beats == WELL_AGAIN:
            self.fail("")

    def fail(self, why: str) -> None:
        """Something went wrong that is tried again; "" once it has gone well."""
        self._beats = 0
        if why != self._trouble:
            self._trouble = why
            self._changed()

    def loop(self, step: Step) -> None:
        """Call `step` until it says False, whatever it raises: also what would end a thread without a word."""
        failures = 0
        while True:
            self.beat()
            try:
                going_on = step()
            except BaseException as fault:
                log.exception("%s failed and is tried again", self.name)
                self.fail(line_of(fault))
                self._pause(PAUSES_S[min(failures, len(PAUSES_S) - 1)])
                failures += 1
                continue
            failures = 0
            self.fail("")
            if not going_on:
                self._lives = False
                return

    @contextmanager
    def busy(self, patience_s: float = SAY_S) -> Iterator[None]:
        """For work that is done now and then: it has to be done within `patience_s`."""
        self.beat(patience_s)
        try:
            yield
        finally:
            self._lives = False

    def sign(self) -> Sign:
        silent_s = self._clock() - self._beat_at
        return Sign(self.name, silent_s, self._trouble, self._lives and silent_s > self._patience_s)


class Parts:
    """All of them, in the order in which they began. Thread-safe. `changed` is told when one fails or is well again.

    Args:
        clock: monotonic seconds.
        pause: waits so many seconds.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, pause: Callable[[float], object] = time.sleep
    ) -> None:
        self._clock, self._pause = clock, pause
        self._parts: dict[str, Part] = {}
        self._lock = threading.Lock()
        self.changed: Callable[[], None] = lambda: None

    def add(self, name: str) -> Part:
        """A part of this name; one that had it before is forgotten."""
        part = Part(name, self._clock, self._pause, lambda: self.changed())
        with self._lock:
            self._parts[name] = part
        return part

    def signs(self) -> list[Sign]:
        with self._lock:
            parts = list(self._parts.values())
        return [part.sign() for part in parts]

    def silent(self, over_s: float, among: frozenset[str]) -> tuple[str, ...]:
        """Those of `among` that hang and have given no sign of life for `over_s`."""
        return tuple(one.part for one in self.signs() if one.hangs and one.silent_s > over_s and one.part in among)

    def repairs(self) -> list[Repair]:
        """Each part that hangs or fails, for the page and for `/health`."""
        found = []
        for one in self.signs():
            if one.hangs:
                found.append(Repair(SILENT, {"part": one.part}))
            elif one.trouble:
                found.append(Repair(FAILED, {"part": one.part, "why": one.trouble}))
        return found
