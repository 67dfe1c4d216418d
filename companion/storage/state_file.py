"""Small JSON files of the data folder: written whole or not at all, and set aside where they cannot be understood.

Checksums for the lines of a file that only grows: each line's covers that line and every line before it.

The checksum is the last member of a line's JSON object, `"sum": "0123456789abcdef"`. A line that was changed, lost,
doubled or moved shows at the next checksum at the latest. Lines without one (older files) count all the same: the first
checksum behind them covers them. The content of the objects does not matter here, so any kind of journal can use this.

A checksum finds damage; it is no signature, and keeps nobody from rewriting a file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

LARGEST = 32 * 2**20
"""Bytes of a file that is read whole; a season's longest evening is a hundredth of it."""

State = TypeVar("State")

NOT_UNDERSTOOD = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError)
"""The errors that a reader of a damaged file may raise."""


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
    """The content of the file; `otherwise` where it is missing, or `understand` can make no sense of it.

    A file that makes no sense is set aside first, and `damaged` hears where it lies now.
    """
    try:
        if not path.is_file():  # a pipe would be waited for
            return otherwise
        content = path.read_bytes() if path.stat().st_size <= LARGEST else b""
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


T = TypeVar("T")

FileState = tuple[int, int, int]
"""A file's inode, time of change (ns) and size: what appends, rewrites or replaces it changes one of them."""


def by_file(make: Callable[[Path], T], most: int) -> Callable[[Path], T]:
    """`make`, whose values are kept while their files stay as they are; the longest unused ones go first."""
    kept = lru_cache(most)(lambda path, _state: make(path))
    return lambda path: kept(path, file_state(path))


def file_state(path: Path) -> FileState:
    """Raises OSError."""
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


DIGITS = 16
"""Hexadecimal: 64 bits. Two lines of a large game agree by chance once in 10**13 games."""

_BEFORE, _BEHIND = b', "sum": "', b'"}'
LENGTH = len(_BEFORE) + DIGITS + len(_BEHIND)
"""Bytes that a checksum takes at the end of a line."""


class RunningChecksum:
    """The running checksum of a file: `value` covers the lines added so far ("" before the first).

    >>> chain = Chain()
    >>> chain.sealed(b'{"seq": 1}')
    b'{"seq": 1, "sum": "8097d11c139070c5"}'
    """

    def __init__(self, value: str = "") -> None:
        self.value = value

    def after(self, body: bytes) -> str:
        """The checksum of a next line whose object without its checksum is `body`; it is not added."""
        return hashlib.sha256(self.value.encode("ascii") + body).hexdigest()[:DIGITS]

    def add(self, body: bytes) -> str:
        """Add a line; its checksum."""
        self.value = self.after(body)
        return self.value

    def sealed(self, body: bytes) -> bytes:
        """Add a line; the line with its checksum in it."""
        return with_checksum(body, self.add(body))


def with_checksum(body: bytes, checksum: str) -> bytes:
    """A JSON object that is not empty, with its checksum as the last member."""
    return body[:-1] + _BEFORE + checksum.encode("ascii") + _BEHIND


def split_line(line: bytes) -> tuple[bytes, str | None]:
    """A line without its line feed -> the object without its checksum, and the checksum; None where it has none."""
    ending = line[-LENGTH:]
    digits = ending[len(_BEFORE) : -len(_BEHIND)]
    whole = len(digits) == DIGITS and ending.startswith(_BEFORE) and ending.endswith(_BEHIND)
    if not whole or digits.strip(b"0123456789abcdef"):
        return line, None
    return line[:-LENGTH] + b"}", digits.decode("ascii")
