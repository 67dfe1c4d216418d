"""Ending the program so that it starts again, in safe mode or out of it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Mapping

from companion.app.safe_mode import SafeMode

SOON_S = 0.5
"""The phone that asked still gets its answer."""


class Restart:
    """systemd starts a service again by itself; in a terminal the program takes its own place."""

    def __init__(self, mode: SafeMode) -> None:
        self._mode = mode
        self._wanted = False

    def into(self, safe: bool) -> None:
        """End soon, and start in safe mode or normally."""
        self._mode.choose(safe)
        self._wanted = True
        timer = threading.Timer(SOON_S, os.kill, (os.getpid(), signal.SIGTERM))
        timer.daemon = True
        timer.start()

    def again(self, environment: Mapping[str, str] = os.environ) -> None:
        """Called at the very end: start again, where somebody wanted it and nobody else does it."""
        if self._wanted and "NOTIFY_SOCKET" not in environment:
            os.execv(sys.executable, arguments_again(sys.orig_argv))


def arguments_again(arguments: list[str]) -> list[str]:
    """The same command without `--safe`: what is wanted now is written down."""
    return [sys.executable, *(argument for argument in arguments[1:] if argument != "--safe")]
