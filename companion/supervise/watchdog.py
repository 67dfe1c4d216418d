"""Tells systemd that the companion lives: only while camera, referee and page all do.

The protocol is sd_notify(3): datagrams to the socket named in NOTIFY_SOCKET. Without systemd nothing is sent and
everything else works the same.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Mapping
from typing import Self

from companion.supervise.parts import Parts

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
        vital: frozenset[str] = VITAL,
        notify: Notify | None = None,
        every_s: float = FEED_S,
    ) -> None:
        self._parts, self._vital = parts, vital
        self._notify = notify
        self._every_s = every_s
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._silent_before: tuple[str, ...] = ()
        self._hanging_before: list[str] = []

    def silent(self) -> tuple[str, ...]:
        """The vital parts that have not beaten for too long."""
        return self._parts.silent(RESTART_S, self._vital)

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
