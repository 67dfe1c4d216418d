"""A process of our own with a pipe to it, which can always be got rid of."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any


class Child:
    """`target(pipe, *arguments)` in a fresh interpreter. The pipe's other end is `pipe`; EOF on it means it has
    died."""

    def __init__(self, target: Callable[..., None], *arguments: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_run, args=(target, theirs, *arguments), daemon=True)
        self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    def send(self, message: Any) -> bool:
        """False when the child is no longer there to hear it."""
        try:
            self.pipe.send(message)
        except (OSError, ValueError):
            return False
        return True

    def exit_code(self, patience_s: float = 0.5) -> int | None:
        """How it ended: minus the signal that ended it; None where it has not."""
        self._process.join(patience_s)
        return self._process.exitcode

    def end(self, patience_s: float = 0.5) -> None:
        """Hang up, wait a little, then kill; nothing is left behind, not even a zombie."""
        with contextlib.suppress(OSError):
            self.pipe.close()
        self._process.join(patience_s)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()


def _run(target: Callable[..., None], pipe: Connection, *arguments: Any) -> None:
    # Ctrl-C belongs to the parent, which then ends us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        target(pipe, *arguments)


def _die_with_parent() -> None:
    """Where the parent is killed, nobody is left to kill a child that hangs in its driver: it leaves by itself."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
