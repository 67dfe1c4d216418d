"""Small JSON files of the data folder: written whole or not at all, and set aside where they cannot be understood."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

State = TypeVar("State")

NOT_UNDERSTOOD = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError)
"""What a reader of a damaged file may raise."""


def write_state(path: Path, state: Any) -> None:
    """`state` as JSON at `path`, on the disk when this returns. Raises OSError; the old file is then still there."""
    write_whole(path, json.dumps(state, ensure_ascii=False).encode())


def write_whole(path: Path, content: bytes) -> None:
    """Replace the file by one rename, readable by its owner only. Raises OSError."""
    write_beside(path, content).replace(path)
    sync_folder(path.parent)


def write_beside(path: Path, content: bytes) -> Path:
    """A file beside `path` with this content, on the disk and readable by its owner only; raises OSError."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
    except OSError:
        with suppress(OSError):
            fresh.unlink()
        raise
    return fresh


def read_state(
    path: Path, understand: Callable[[Any], State], otherwise: State, damaged: Callable[[Path], None] = lambda _: None
) -> State:
    """What the file holds; `otherwise` where there is none, or none that `understand` can make sense of.

    A file that makes no sense is set aside first, and `damaged` hears where it lies now.
    """
    try:
        if not path.is_file():  # a pipe would be waited for
            return otherwise
        content = path.read_bytes()
    except OSError:
        return otherwise
    try:
        return understand(json.loads(content))
    except NOT_UNDERSTOOD:
        aside = set_aside(path)
        if aside is not None:
            damaged(aside)
        return otherwise


def takes_nothing(folder: Path) -> str:
    """Why no file can be made in this folder (a read-only card, no room, no inodes); "" where one can be made, or
    there is no folder yet."""
    probe = folder / ".writable"
    try:
        probe.touch()
        probe.unlink()
    except FileNotFoundError:
        return ""
    except OSError as fault:
        return fault.strerror or str(fault)
    return ""


def set_aside(path: Path, why: str = "damaged") -> Path | None:
    """Rename a file to the first free `NAME.WHY-N` beside it; None where it cannot be renamed."""
    aside = free_name(path, why)
    try:
        path.rename(aside)
    except OSError:
        return None
    return aside


def free_name(path: Path, why: str) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.name}.{why}-{number}")).exists():
        number += 1
    return aside


def sync_folder(folder: Path) -> None:
    """Have the folder's own entries on the disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
