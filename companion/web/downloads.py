"""Downloads: packed into a file on the disk and sent from there: a slow reader costs a file handle and no memory.

At most a few run at a time. The file has no name in its folder, so that nothing is left behind, whatever happens.
"""

from __future__ import annotations

import io
import os
import tempfile
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from flask import Response, send_file
from werkzeug.exceptions import ServiceUnavailable

from companion.web.disk import disk_fault
from companion.web.languages import gettext as _

AT_A_TIME = 2

AGAIN_S = 30
"""When somebody who found all places taken may ask again."""

Pack = Callable[[IO[bytes]], None]
"""Writes the download into an open file."""


class Places:
    """So many downloads of one kind at a time. Thread-safe."""

    def __init__(self, most: int = AT_A_TIME) -> None:
        self._free = threading.BoundedSemaphore(most)

    def take(self) -> Callable[[], None]:
        """A function that gives the place back, however often it is called. Raises ServiceUnavailable."""
        if not self._free.acquire(blocking=False):
            sentence = _("Somebody else is downloading. Try again in half a minute.")
            raise ServiceUnavailable(sentence, retry_after=AGAIN_S)
        once = threading.Lock()

        def give_back() -> None:
            if once.acquire(blocking=False):
                self._free.release()

        return give_back


class Packed:
    """A packed file on the disk, without a name. Several may read it at once."""

    def __init__(self, pack: Pack, folder: Path | None) -> None:
        """In `folder`; where that takes no file, where the system keeps temporary ones, or else in memory. Raises
        OSError."""
        with _unnamed(folder) as file:
            pack(file)
            file.flush()
            self._descriptor = os.dup(file.fileno())
        self.size = os.fstat(self._descriptor).st_size
        self.close = weakref.finalize(self, os.close, self._descriptor)

    def reader(self, closed: Callable[[], None] = lambda: None) -> Reader:
        """The file from its beginning, with a place of its own; `closed` is called when it is closed."""
        return Reader(os.dup(self._descriptor), self.size, closed)


def _unnamed(folder: Path | None) -> IO[bytes]:
    for place in (folder, None):
        with suppress(OSError):
            return tempfile.TemporaryFile(dir=place)
    return os.fdopen(os.memfd_create("download"), "w+b")


class Reader(io.RawIOBase):
    """Reads a file that others read too: it keeps its own place."""

    def __init__(self, descriptor: int, size: int, closed: Callable[[], None]) -> None:
        self._descriptor, self._size, self._when_closed = descriptor, size, closed
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        part = os.pread(self._descriptor, len(buffer), self._at)
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)

    def close(self) -> None:
        if not self.closed:
            os.close(self._descriptor)
            self._when_closed()
        super().close()


def send(packed: Packed, name: str, give_back: Callable[[], None]) -> Response:
    """The file as an answer; the place is given back when the last byte is sent or the reader has gone."""
    response = send_file(
        packed.reader(give_back),  # type: ignore[arg-type]
        mimetype="application/zip",
        as_attachment=True,
        download_name=name,
    )
    response.content_length = packed.size
    response.call_on_close(give_back)
    return response


def send_once(pack: Pack, name: str, folder: Path | None, places: Places) -> Response:
    """Pack it for this one reader. Raises ServiceUnavailable where nothing can be packed just now."""
    give_back = places.take()
    try:
        packed = Packed(pack, folder)
    except OSError as fault:
        give_back()
        raise disk_fault(fault, _("It could not be packed: %(why)s"), retry_after=AGAIN_S) from None
    except BaseException:
        give_back()
        raise
    answer = send(packed, name, give_back)
    packed.close()
    return answer
