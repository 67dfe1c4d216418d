"""Every thread that lives as long as the program: none may end, fail or hang without the page saying so.

A thread's work is a step that is called again and again (`Part.loop`). A step that raises is reported and tried again;
one that takes too long is reported while it lasts. `Parts` knows the last sign of life of all of them.

`Watchdog` tells systemd that the companion lives, only while camera, referee and page all do: datagrams of sd_notify(3)
to the socket named in NOTIFY_SOCKET. Without systemd nothing is sent, and everything else works the same.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from companion.storage.repairs import Repair

SAY_S = 7.0
"""A part that has given no sign of life for so long is named on the page: within ten seconds with `Watchdog`'s look."""

PAUSES_S = (0.5, 1.0, 2.0, 5.0)
"""Before a step that failed is tried again; the last one for ever. Shorter than `SAY_S`."""

WELL_AGAIN = 3
"""Signs of life after a failure: the loop's, that of a long step's beginning, and that of a step inside it that went
well."""

DISK_REFUSES = frozenset({errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO})
"""No fault of the program, so that its place says nothing."""

SILENT, FAILED = "PART_SILENT", "PART_FAILED"

LoopStep = Callable[[], bool]
Loop = Callable[[LoopStep], None]

log = logging.getLogger(__name__)


class UnreadReason(StrEnum):
    """Why the table is not read, for the page to say in other words."""

    AWAY = "away"  # no pictures come
    SLOW = "slow"  # the reader takes its time
    OTHER = "other"


def plain_loop(step: LoopStep) -> None:
    """`step` until it says False, where nobody watches over it."""
    while step():
        pass


def line_of(fault: BaseException) -> str:
    """The exception in one line, without the place of a file."""
    said = (getattr(fault, name, None) for name in ("cause", "why", "strerror"))
    why = next((one for one in said if one), str(fault))
    return (str(why).strip().splitlines() or [type(fault).__name__])[0]


@dataclass(frozen=True, slots=True)
class Sign:
    """How one part is."""

    part: str
    silent_s: float
    """Since its last sign of life."""
    trouble: str
    """Why its last step failed; "" where it went well."""
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

    def loop(self, step: LoopStep) -> None:
        """Call `step` until it says False, whatever it raises: also what would end a thread without a word."""
        failures = 0
        while True:
            self.beat()
            try:
                going_on = step()
            except BaseException as fault:
                of_the_disk = getattr(fault, "errno", None) in DISK_REFUSES
                log.error("%s failed and is tried again (%s)", self.name, line_of(fault), exc_info=not of_the_disk)
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

    def repairs(self) -> list[Repair]:
        """Each part that hangs or fails, for the page and for `/health`."""
        found = []
        for one in self.signs():
            if one.hangs:
                found.append(Repair(SILENT, {"part": one.part}))
            elif one.trouble:
                found.append(Repair(FAILED, {"part": one.part, "why": one.trouble}))
        return found


Notify = Callable[[str], None]

FEED_S = 1.0
"""Soon enough for the page; the installed unit waits for thirty seconds."""

VITAL = frozenset({"camera", "referee", "game", "page"})
"""Parts without which there is no product: when one hangs for RESTART_S, a restart is better."""

RESTART_S = 25.0


def systemd_notifier(environment: Mapping[str, str] = os.environ) -> Notify | None:
    """A function that sends one state string to systemd, or None when it did not start us."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return None
    address = "\0" + address[1:] if address[0] == "@" else address

    def notify(state: str) -> None:
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out,
        ):
            out.connect(address)
            out.sendall(state.encode())

    return notify


def watchdog_interval_s(environment: Mapping[str, str] = os.environ) -> float | None:
    """How often systemd wants to be fed at the latest (WATCHDOG_USEC), or None when it does not watch this process."""
    pid = environment.get("WATCHDOG_PID")
    if pid not in (None, "", str(os.getpid())):
        return None
    try:
        micros = int(environment.get("WATCHDOG_USEC", ""))
    except ValueError:
        return None
    return micros / 1e6 if micros > 0 else None


def feed_every_s(environment: Mapping[str, str] = os.environ) -> float:
    """How often to feed: three times in systemd's interval, and at least every second."""
    interval_s = watchdog_interval_s(environment)
    return FEED_S if interval_s is None else min(FEED_S, interval_s / 3)


class Watchdog:
    """Looks at every part once a second: tells the page when one begins or ceases to hang, and systemd that we live
    while those do that it restarts us for.

    A vital part that hangs is named in the status line that `systemctl status` shows, and once the interval is over
    systemd restarts the program. A camera that is merely away still beats: its keeper lives, and that is what counts.
    """

    def __init__(
        self,
        parts: Parts,
        *,
        notify: Notify | None = None,
        every_s: float = FEED_S,
    ) -> None:
        self._parts, self._notify = parts, notify
        self._every_s = every_s
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._silent_before: tuple[str, ...] = ()
        self._hanging_before: list[str] = []

    def silent(self) -> tuple[str, ...]:
        """The vital parts that have not beaten for too long."""
        signs = self._parts.signs()
        return tuple(one.part for one in signs if one.hangs and one.silent_s > RESTART_S and one.part in VITAL)

    def feed(self) -> bool:
        """Once: tell the page what is new, and systemd when all vital parts live. True when they do."""
        hanging = [sign.part for sign in self._parts.signs() if sign.hangs]
        if hanging != self._hanging_before:
            self._hanging_before = hanging
            self._parts.changed()
        silent = self.silent()
        if self._notify is not None:
            if not silent:
                self._notify("WATCHDOG=1")
            if silent != self._silent_before:
                status = f"no sign of life from: {', '.join(silent)}" if silent else "all well"
                self._notify(f"STATUS={status}")
        self._silent_before = silent
        return not silent

    def ready(self, status: str = "all well") -> None:
        """The page answers: systemd may call the start done."""
        if self._notify is not None:
            self._notify(f"READY=1\nSTATUS={status}")

    def __enter__(self) -> Self:
        loop = self._parts.add("watchdog").loop
        self._thread = threading.Thread(target=loop, args=(self._look,), name="watchdog", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        if self._notify is not None:
            self._notify("STOPPING=1")

    def _look(self) -> bool:
        if self._stop.wait(self._every_s):
            return False
        self.feed()
        return True
