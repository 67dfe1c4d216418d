"""What was worked out from a file, kept until the file is another one."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")

State = tuple[int, int, int]
"""A file's inode, time of change (ns) and size: what appends, rewrites or replaces it changes one of them."""


class ByFile(Generic[T]):
    """Values made from files by `make`, each kept while its file stays as it is; the longest unused ones go first.

    A fault that `make` raises is kept as well: a broken file is not read again until somebody mends it. Thread-safe;
    values are made one at a time, and whoever wants one that is kept does not wait for that.
    """

    def __init__(self, make: Callable[[Path], T], most: int) -> None:
        self._make, self._most = make, most
        self._making, self._lock = threading.Lock(), threading.Lock()
        self._kept: OrderedDict[Path, tuple[State, T | None, Exception | None]] = OrderedDict()

    def get(self, path: Path) -> T:
        """The value of this file as it is now. Raises OSError, and whatever `make` raises."""
        found = self._look_up(path)
        if found is None:
            with self._making:
                found = self._look_up(path) or self._made(path)
        value, fault = found
        if fault is not None:
            raise fault
        return value  # type: ignore[return-value]

    def _look_up(self, path: Path) -> tuple[T | None, Exception | None] | None:
        state = _state(path)
        with self._lock:
            kept = self._kept.get(path)
            if kept is None or kept[0] != state:
                return None
            self._kept.move_to_end(path)
            return kept[1:]

    def _made(self, path: Path) -> tuple[T | None, Exception | None]:
        state = _state(path)
        try:
            made: tuple[T | None, Exception | None] = self._make(path), None
        except OSError:
            raise
        except Exception as fault:
            made = None, fault.with_traceback(None)
        with self._lock:
            self._kept[path] = (state, *made)
            self._kept.move_to_end(path)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made


def _state(path: Path) -> State:
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size
