"""Changes by people that stand in no game's journal: corners, seats, pictures, learned sets. One JSON line each.

Lines are only added. Lines that the disk does not take wait in memory until it does.
"""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISREG
from typing import Any

from companion.storage.state_file import NOT_UNDERSTOOD

TRAIL_FILE = "changes.jsonl"

MOST_BYTES = 4_000_000
"""The program reads only this many bytes from the end of the file: thousands of changes."""

TrailLine = dict[str, Any]


class Trail:
    """The file in the data folder. Thread-safe. `refused` hears why the disk takes no line, "" once it does again."""

    def __init__(self, path: Path | None, refused: Callable[[str], None] = lambda why: None) -> None:
        self._path, self._refused = path, refused
        self._lock = threading.Lock()
        self._waiting: list[TrailLine] = []

    def note(self, author: str, game: str, what: str, about: Mapping[str, Any]) -> None:
        """Somebody changed something while `game` was on the table ("": none)."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        with self._lock:
            self._waiting.append({"at": at, "author": author, "game": game, "what": what, "about": dict(about)})
            self._write()

    def catch_up(self) -> None:
        """Write what the disk has not taken yet."""
        with self._lock:
            if self._waiting:
                self._write()

    def lines(self) -> list[TrailLine]:
        """Every line there is, the oldest first; one that makes no sense (a power cut tore it) is left out."""
        with self._lock:
            return [*self._kept(), *self._waiting]

    def _write(self) -> None:
        if self._path is None:
            return
        block = b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in self._waiting)
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                _add(descriptor, block)
            finally:
                os.close(descriptor)
        except OSError as error:
            self._refused(error.strerror or str(error))
            return
        self._waiting = []
        self._refused("")

    def _kept(self) -> list[TrailLine]:
        if self._path is None:
            return []
        try:
            if not self._path.is_file():  # a pipe would be waited for
                return []
            with self._path.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - MOST_BYTES))
                content = file.read(MOST_BYTES)
        except OSError:
            return []
        return [line for text in content.split(b"\n") if (line := _line_of(text)) is not None]


def _add(descriptor: int, block: bytes) -> None:
    """The block on the disk, or nothing of it. A line torn by a power cut swallows none after it. Raises OSError."""
    length = os.fstat(descriptor).st_size
    if not S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, "what lies there is no file")
    if length and os.pread(descriptor, 1, length - 1) != b"\n":
        block = b"\n" + block
    try:
        while block:
            block = block[os.write(descriptor, block) :]
        os.fsync(descriptor)
    except OSError:
        with suppress(OSError):
            os.ftruncate(descriptor, length)
        raise


def _line_of(text: bytes) -> TrailLine | None:
    try:
        line = json.loads(text)
        fields = {name: str(line[name]) for name in ("at", "author", "game", "what")}
        return {**fields, "about": dict(line["about"])}
    except NOT_UNDERSTOOD:
        return None
