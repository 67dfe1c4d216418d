"""Tells systemd that the companion lives: only while camera, referee and page all do.

The protocol is sd_notify(3): datagrams to the socket named in NOTIFY_SOCKET. Without systemd nothing is sent and
everything else works the same.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from typing import Self

Notify = Callable[[str], None]

FEED_S = 5.0
"""Often enough for the installed unit, which waits for thirty seconds."""


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
    """How often to feed: three times in systemd's interval, and never more rarely than every five seconds."""
    interval_s = watchdog_interval_s(environment)
    return FEED_S if interval_s is None else min(FEED_S, interval_s / 3)


class Watchdog:
    """Each part calls `beat(part)` from its own loop; `feed` passes it on while every part has beaten lately.

    A part without a recent beat is named in the status line that `systemctl status` shows, and once the interval is
    over systemd restarts the program. A camera that is merely away still beats: its keeper lives, and that is what
    counts.
    """

    def __init__(
        self,
        parts: Mapping[str, float],
        *,
        notify: Notify | None = None,
        clock: Callable[[], float] = time.monotonic,
        every_s: float = FEED_S,
    ) -> None:
        """`parts` names each part and for how many seconds one beat of it counts."""
        self._limits = dict(parts)
        self._notify = notify
        self._clock = clock
        self._every_s = every_s
        self._lock = threading.Lock()
        self._beats = dict.fromkeys(parts, clock())
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._silent_before: tuple[str, ...] = ()

    def beat(self, part: str) -> None:
        with self._lock:
            if part not in self._limits:
                raise KeyError(f"no part called {part!r} is watched; watched are {', '.join(self._limits)}")
            self._beats[part] = self._clock()

    def silent(self) -> tuple[str, ...]:
        """The parts that have not beaten for too long."""
        now = self._clock()
        with self._lock:
            return tuple(part for part, limit in self._limits.items() if now - self._beats[part] > limit)

    def feed(self) -> bool:
        """Once: tell systemd, when all parts live. True when they do."""
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
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        if self._notify is not None:
            self._notify("STOPPING=1")

    def _run(self) -> None:
        while not self._stop.wait(self._every_s):
            self.feed()
