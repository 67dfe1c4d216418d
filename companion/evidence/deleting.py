"""Deleting pictures on a disk that refuses: the rest goes all the same, and what is left is tried again until it is
gone."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from companion.storage.repairs import Repair
from companion.storage.state_file import read_state, write_state

UNDELETED_FILE = "undeleted-pictures.json"
"""In the data folder: pictures that somebody has deleted and the disk has not."""


class Deleter:
    """Deletes files under the data folder. Thread-safe; it remembers over restarts what could not be deleted."""

    def __init__(self, data_dir: Path, damaged: Callable[[Path], None] = lambda aside: None) -> None:
        self._data_dir = data_dir
        self._lock = threading.Lock()
        nothing: list[str] = []
        left = read_state(data_dir / UNDELETED_FILE, _names_of, nothing, damaged)
        self._left = {data_dir / name: "" for name in left}

    def delete(self, paths: Iterable[Path]) -> set[Path]:
        """Delete them all; those that are still there."""
        with self._lock:
            before = set(self._left)
            failed: set[Path] = set()
            for path in paths:
                why = _delete(path)
                if why:
                    self._left[path] = why
                    failed.add(path)
                else:
                    self._left.pop(path, None)
            if before != set(self._left):
                self._keep()
            return failed

    def try_again(self) -> set[Path]:
        """Delete what could not be deleted before; those that are still there."""
        return self.delete(list(self._left))

    def repairs(self) -> tuple[Repair, ...]:
        with self._lock:
            if not self._left:
                return ()
            why = next((reason for reason in self._left.values() if reason), "?")
            return (Repair("PICTURES_LEFT", {"count": len(self._left), "why": why}),)

    def _keep(self) -> None:
        path = self._data_dir / UNDELETED_FILE
        # A disk that deletes nothing may take nothing either: then it counts until the program ends.
        with suppress(OSError):
            if self._left:
                write_state(path, sorted(str(one.relative_to(self._data_dir)) for one in self._left))
            else:
                path.unlink(missing_ok=True)


def _delete(path: Path) -> str:
    """Why it is still there; "" when it is gone. What cannot be deleted is at least emptied."""
    try:
        path.unlink(missing_ok=True)
    except OSError as fault:
        with suppress(OSError):
            os.truncate(path, 0)
        return fault.strerror or type(fault).__name__
    return ""


def _names_of(kept: Any) -> list[str]:
    """Only files within the data folder: whatever else the list says, nothing else is deleted."""
    names = [str(name) for name in kept]
    if not isinstance(kept, list) or any(Path(name).is_absolute() or ".." in Path(name).parts for name in names):
        raise ValueError
    return names
