"""The eye in a process of its own: a model that hangs or crashes costs one reading, not the game."""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from companion.supervise.child import Child
from companion.supervise.closing import Closing
from companion.supervise.health import Why
from companion.supervise.looking import look
from companion.supervise.shelf import Shelf
from vision.weights import RUNTIME

if TYPE_CHECKING:
    from vision.eye import Region
    from vision.frame import Image
    from vision.known_set import KnownSet
    from vision.reading import PictureReading
    from vision.tile_size import TileSize

log = logging.getLogger(__name__)


def open_shipped() -> Any:
    """The eye with the shipped weights; imported only in the child, which alone needs it."""
    from vision.eye import open_eye

    return open_eye(one_box=True)


class EyeAwayError(Exception):
    """This picture was not read, and that says nothing about what lies on the table: read the next one. One line."""

    why = Why.OTHER


class SlowEyeError(EyeAwayError):
    """The eye did not answer in time."""

    why = Why.SLOW


FAILED_IN_A_ROW = 3
"""Answers that were none, until the process is replaced: one picture alone may be at fault."""

MOST_PIPS = 18

ROUNDING = 1e-3
"""Of a share that was computed in float32."""


def nonsense(answer: object) -> str:
    """Why this cannot be what lies in a picture; "" where it can: a network that is broken answers with numbers."""
    from vision.reading import Found, PictureReading, TileReading

    if not isinstance(answer, PictureReading):
        return "it answered nothing"
    found: list[Found | TileReading] = [*answer.tiles, *answer.markers]
    found += [] if answer.hub is None else [answer.hub]
    shares = [one.confidence for one in found]
    for half in (half for tile in answer.tiles for half in tile.halves or ()):
        shares += [half.p, *(p for _, p in half.others)]
        values = [value for value in (half.value, *(value for value, _ in half.others)) if value is not None]
        if not all(0 <= value <= MOST_PIPS for value in values):
            return "it answered values that no tile has"
    finite = all(math.isfinite(float(length)) for one in found for length in one.quad_px.ravel())
    # Not `p < 0`: nothing compares with a number that is none.
    if not finite or not all(-ROUNDING <= p <= 1 + ROUNDING for p in shares):
        return "it answered numbers that cannot be"
    return ""


class SupervisedEye(Closing):
    """`look` and `look_again` of vision.eye.Eye, answered by a child. Thread-safe, one picture at a time.

    Raises EyeAwayError when the child did not answer within `answer_s` or died over it; the next picture gets a new
    child. So it is after `FAILED_IN_A_ROW` pictures that it could not read, or whose answer cannot be one. `restarts`
    counts them. `beat` is called every `beat_s` while somebody waits, for the watchdog: a wait has an
    end, and a program that is restarted in the middle of it has to wait from the beginning.
    """

    def __init__(
        self,
        opener: Callable[[], Any] = open_shipped,
        *,
        answer_s: float = 15.0,
        opening_s: float = 60.0,
        nice: int = 0,
        clock: Callable[[], float] = time.monotonic,
        beat: Callable[[], None] = lambda: None,
        beat_s: float = 2.0,
        busy: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """`busy` is entered for as long as one question takes: an eye that hangs is named on the page."""
        self._opener = opener
        self._beat, self._beat_s, self._busy = beat, beat_s, busy
        self._answer_s, self._opening_s, self._nice = answer_s, opening_s, nice
        self._clock = clock
        self._lock = threading.RLock()
        self._child: Child | None = None
        self._shelf: Shelf | None = None
        self._closed = False
        self._failures = 0
        self.restarts = 0

    @property
    def pid(self) -> int:
        """The child's process id; 0 while there is none."""
        child = self._child
        return 0 if child is None else child.pid

    def look(
        self,
        image: Image,
        tile_length_px: float | None = None,
        known: KnownSet | None = None,
        size: TileSize | None = None,
    ) -> PictureReading:
        """(h, w, 3) uint8 BGR -> everything on it."""
        return self._ask("look", image, tile_length_px, known, size)

    def look_again(
        self,
        image: Image,
        regions: Sequence[Region],
        tile_length_px: float,
        known: KnownSet | None = None,
        size: TileSize | None = None,
    ) -> PictureReading:
        """Only what lies in the regions."""
        return self._ask("look_again", image, list(regions), tile_length_px, known, size)

    def open(self) -> None:
        """Start the child now, so that the first picture need not wait. Raises EyeAwayError."""
        with self._turn():
            self._living()

    def close(self) -> None:
        """End the child. Twice is no error."""
        with self._lock:
            self._closed = True
            self._give_up()

    def _ask(self, method: str, image: Image, *arguments: Any) -> PictureReading:
        with self._turn():
            child = self._living()
            if not child.send(("look", method, self._laid_out(child, image), arguments, {})):
                self._fail("the reader's process ended")
            kind, said = self._receive(child, self._answer_s)
            fault = said if kind == "error" else nonsense(said)
            if fault:
                self._count_failure()
                raise EyeAwayError(f"the reader could not read this picture ({fault})")
            self._failures = 0
            reading: PictureReading = said
            return reading

    def _count_failure(self) -> None:
        """A process that fails at one picture after another is broken itself: the next picture gets a new one."""
        self._failures += 1
        if self._failures >= FAILED_IN_A_ROW:
            log.error("the reader failed at %d pictures in a row and is started again", self._failures)
            self._give_up()
            self.restarts += 1
            self._failures = 0

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One question at a time; whoever waits for another's answer waits no longer than that takes."""
        while not self._lock.acquire(timeout=self._beat_s):
            self._beat()
        try:
            with self._busy():
                yield
        finally:
            self._lock.release()

    def _living(self) -> Child:
        if self._closed:
            raise EyeAwayError("the reader was closed")
        if self._child is not None:
            return self._child
        self._child = Child(look, self._opener, self._nice)
        answer = self._receive(self._child, self._opening_s)
        if answer[0] == "error":
            self._give_up()
            raise EyeAwayError(f"the reader cannot be opened ({answer[1]})")
        return self._child

    def _laid_out(self, child: Child, image: Image) -> tuple[int, ...] | Image:
        """The shape of the picture on the shelf, on a larger one where it does not fit; the picture itself, for the
        pipe, where there is no shared memory for it."""
        if self._shelf is None or self._shelf.slot_bytes < image.nbytes:
            if self._shelf is not None:
                self._shelf.close()
            self._shelf = None
            try:
                self._shelf = Shelf(1, image.nbytes)
            except OSError:
                return image
            child.send(("shelf", self._shelf.name, 1, image.nbytes))
        self._shelf.put(0, image)
        return image.shape

    def _receive(self, child: Child, within_s: float) -> tuple[Any, ...]:
        until = self._clock() + within_s
        try:
            while (left := until - self._clock()) > 0:
                if child.pipe.poll(min(left, self._beat_s)):
                    answer: tuple[Any, ...] = child.pipe.recv()
                    return answer
                self._beat()
        except (EOFError, OSError):
            if os.environ.pop(RUNTIME, None):
                log.warning("the reader's process ended; from here on onnxruntime finds the tiles")
            self._fail("the reader's process ended")
        self._fail(f"the reader did not answer within {within_s:g} s", SlowEyeError)
        raise AssertionError("unreachable")

    def _fail(self, why: str, error: type[EyeAwayError] = EyeAwayError) -> None:
        self._give_up()
        self.restarts += 1
        raise error(f"{why}; it is started again for the next picture")

    def _give_up(self) -> None:
        child, shelf = self._child, self._shelf
        self._child = self._shelf = None
        if child is not None:
            child.end(patience_s=0.2)
        if shelf is not None:
            shelf.close()
