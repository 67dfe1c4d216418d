"""Pictures in shared memory: a few slots one process fills and another empties, without pickling 36 MB a frame.

Who may touch a slot is agreed elsewhere (messages over the pipe); the shelf only knows where the bytes are. The parent
makes and removes it; a child that is killed leaves nothing behind.
"""

from __future__ import annotations

import os
from multiprocessing import shared_memory
from pathlib import Path

import numpy as np

from vision.frame import Image

SHARED = Path("/dev/shm")


class Shelf:
    """`slots` pictures of up to `slot_bytes` each. With `name`, the shelf another process has made. Raises OSError
    where there is not so much shared memory."""

    def __init__(self, slots: int, slot_bytes: int, name: str | None = None) -> None:
        self.slots, self.slot_bytes = slots, slot_bytes
        self._made_here = name is None
        self._memory = shared_memory.SharedMemory(name=name, create=name is None, size=slots * slot_bytes)
        if self._made_here:
            self._claim(slots * slot_bytes)

    def _claim(self, size: int) -> None:
        """Have every page now: a page that is not there would kill whoever writes to it (SIGBUS)."""
        try:
            handle = os.open(SHARED / self._memory.name.lstrip("/"), os.O_RDWR)
        except FileNotFoundError:
            return  # no Linux: the pages come another way
        try:
            os.posix_fallocate(handle, 0, size)
        except OSError:
            self.close()
            raise
        finally:
            os.close(handle)

    @property
    def name(self) -> str:
        return self._memory.name

    def put(self, slot: int, image: Image, after: int = 0) -> None:
        """Copy `image` into the slot, `after` bytes from its start. The shape travels separately."""
        if after + image.nbytes > self.slot_bytes:
            raise ValueError(f"a slot holds {self.slot_bytes} bytes, not {after + image.nbytes}")
        self.view(slot, image.shape, after)[...] = image

    def take(self, slot: int, shape: tuple[int, ...], after: int = 0) -> Image:
        """A copy of the slot's picture of `shape`; the slot may be filled again afterwards."""
        return self.view(slot, shape, after).copy()

    def view(self, slot: int, shape: tuple[int, ...], after: int = 0) -> Image:
        """The slot's picture itself: it changes when the slot is filled again, and must be let go of before `close`."""
        return np.ndarray(shape, np.uint8, buffer=self._memory.buf, offset=slot * self.slot_bytes + after)

    def close(self) -> None:
        """Let go; the maker also removes it. Twice is no error."""
        self._memory.close()
        if self._made_here:
            self._made_here = False
            self._memory.unlink()
