"""Deleting pictures on a disk that refuses: the rest goes all the same, and what is left is emptied and reported."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from companion.storage.repairs import Repair


class Deleter:
    """Deletes pictures; `report` hears how many the disk would not delete, and why."""

    def __init__(self, report: Callable[[Repair], None] = lambda repair: None) -> None:
        self._report = report

    def delete(self, paths: Iterable[Path]) -> set[Path]:
        """Delete them all; those that are still there."""
        why = {path: reason for path in paths if (reason := _delete(path))}
        if why:
            self._report(Repair("PICTURES_LEFT", {"count": len(why), "why": next(iter(why.values()))}))
        return set(why)


def _delete(path: Path) -> str:
    """Why it is still there; "" when it is gone. What cannot be deleted is at least emptied."""
    try:
        path.unlink(missing_ok=True)
    except OSError as fault:
        with suppress(OSError):
            os.truncate(path, 0)
        return fault.strerror or type(fault).__name__
    return ""
