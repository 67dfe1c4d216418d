"""A disk that takes nothing new, made up within this process: whatever would write, move or delete there fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CALLS = frozenset({"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "os.link", "os.symlink"})

_refused: dict[str, tuple[int, bool]] = {}
_installed = False


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if not _refused or event not in _CALLS:
        return
    path = arguments[0]
    if not isinstance(path, str | bytes | os.PathLike):
        return
    place = os.fspath(path)
    text = place.decode(errors="replace") if isinstance(place, bytes) else place
    for folder, (number, only_new) in _refused.items():
        if not text.startswith(folder):
            continue
        if event == "open":
            flags = arguments[2]
            if not isinstance(flags, int) or not flags & _WRITING:
                continue
            if only_new and (not flags & os.O_CREAT or Path(text).exists()) and not flags & getattr(os, "O_TMPFILE", 0):
                continue
        raise OSError(number, os.strerror(number), text)


@contextmanager
def refusing(folder: Path, number: int, *, only_new: bool = False) -> Iterator[None]:
    """Everything that writes in `folder` fails with this errno; `only_new`: what is there can still be written."""
    global _installed
    if not _installed:
        sys.addaudithook(_hook)
        _installed = True
    _refused[str(folder)] = number, only_new
    try:
        yield
    finally:
        del _refused[str(folder)]
