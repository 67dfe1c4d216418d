"""Safe mode: a start with no camera, no broker and no learned set, for a box that does not come up with them.

A person asks for it on the page Help or with `--safe`; it stays until a person wants the normal start again.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from companion.storage.repairs import Repair
from companion.storage.state_file import read_state, write_state

STARTS_FILE = "starts.json"
"""In the data folder: whether to start safely."""

CODE = "SAFE_MODE"

SOON_S = 0.5
"""The phone that asked for a restart still gets its answer."""


class SafeMode:
    """Remembers which start a person has chosen, and ends the program so that it starts that way.

    systemd starts a service again by itself; in a terminal the program takes its own place.
    """

    def __init__(self, data_dir: Path, damaged: Callable[[Path], None] = lambda aside: None) -> None:
        self._path = data_dir / STARTS_FILE
        self._restarts = False
        self.chosen = read_state(self._path, _chosen_of, False, damaged)

    def choose(self, safe: bool) -> None:
        """A person wants the next start to be safe, or normal."""
        self.chosen = safe
        with suppress(OSError):
            write_state(self._path, {"safe": safe})

    def repairs(self) -> tuple[Repair, ...]:
        """What the page says while the program runs in safe mode."""
        return (Repair(CODE),)

    def restart(self, safe: bool) -> None:
        """End soon, and start in safe mode or normally."""
        self.choose(safe)
        self._restarts = True
        timer = threading.Timer(SOON_S, os.kill, (os.getpid(), signal.SIGTERM))
        timer.daemon = True
        timer.start()

    def start_again(self, environment: Mapping[str, str] = os.environ) -> None:
        """Called at the very end: start again, where somebody wanted it and nobody else does it."""
        if self._restarts and "NOTIFY_SOCKET" not in environment:
            os.execv(sys.executable, arguments_again(sys.orig_argv))


def arguments_again(arguments: list[str]) -> list[str]:
    """The same command without `--safe`: what is wanted now is written down."""
    return [sys.executable, *(argument for argument in arguments[1:] if argument != "--safe")]


def _chosen_of(kept: Any) -> bool:
    safe = kept["safe"]
    if not isinstance(safe, bool):
        raise ValueError
    return safe
