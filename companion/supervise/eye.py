"""The eye in a process of its own: a model that hangs or crashes costs one reading, not the game.

`keep_watching` goes on whatever happens to camera and eye.
"""

from __future__ import annotations

import logging
import math
import os
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from companion.supervise.child import Answerer, Closing, DiedError, NoAnswerError, RefusedError, TooSlowError, Worker
from companion.supervise.parts import PAUSES_S, UnreadReason, line_of
from companion.supervise.pictures import AwayError
from hardware.camera import CameraError
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

    why = UnreadReason.OTHER


class SlowEyeError(EyeAwayError):
    """The eye did not answer in time."""

    why = UnreadReason.SLOW


FAILED_IN_A_ROW = 3
"""After this many pictures without an answer the process is replaced: one alone may be at fault."""

RESTS_S = (0.0, 1.0, 2.0, 4.0)
"""Before a process is started in place of one at fault; the last one for ever, until a picture is read. Shorter than a
sign of life may take."""

MOST_PIPS = 18

ROUNDING = 1e-3
"""The rounding error of a share that was computed in float32."""


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


def answers_of(opener: Callable[[], Any]) -> Answerer:
    """Called in the child: the eye, asked by the name of what it is to do."""
    eye = opener()

    def answer(method: str, image: Image, *arguments: Any) -> Any:
        return getattr(eye, method)(image, *arguments)

    return answer


class SupervisedEye(Closing):
    """`look` and `look_again` of vision.eye.Eye, answered by a worker. Thread-safe, one picture at a time.

    Raises EyeAwayError when there is no answer. After `FAILED_IN_A_ROW` pictures that it could not read, or whose
    answer cannot be one, the process is replaced; again and again it is only after a while.
    """

    def __init__(self, opener: Callable[[], Any] = open_shipped, **limits: Any) -> None:
        """`limits`: how long it may take and who is told meanwhile, as of `Worker`."""
        self.opener = opener
        self._worker = Worker(partial(answers_of, opener), **limits)
        self._failures = self._given_up = 0
        self._closed = threading.Event()

    @property
    def pid(self) -> int:
        """The process id of the eye; 0 while none runs."""
        return self._worker.pid

    @property
    def took_s(self) -> float:
        """How long the last picture took."""
        return self._worker.took_s

    @property
    def restarts(self) -> int:
        """How often the process had to be given up."""
        return self._worker.restarts

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
        """Start the process now, so that the first picture need not wait. Raises EyeAwayError."""
        try:
            self._worker.open()
        except NoAnswerError as error:
            raise _away(error) from None

    def close(self) -> None:
        """End the process. Twice is no error."""
        self._closed.set()
        self._worker.close()

    def _ask(self, method: str, image: Image, *arguments: Any) -> PictureReading:
        try:
            reading: PictureReading = self._worker.ask(method, image, *arguments)
            fault = nonsense(reading)
        except RefusedError as error:
            fault = str(error)
        except NoAnswerError as error:
            self._rest()
            raise _away(error) from None
        if fault:
            self._count_failure()
            raise EyeAwayError(f"the reader could not read this picture ({fault})")
        self._failures = self._given_up = 0
        return reading

    def _rest(self) -> None:
        self._closed.wait(RESTS_S[min(self._given_up, len(RESTS_S) - 1)])
        self._given_up += 1

    def _count_failure(self) -> None:
        """A process that fails at one picture after another is broken itself: the next picture gets a new one."""
        self._failures += 1
        if self._failures >= FAILED_IN_A_ROW:
            log.error("the reader failed at %d pictures in a row and is started again", self._failures)
            self._worker.replace()
            self._failures = 0
            self._rest()


def _away(error: NoAnswerError) -> EyeAwayError:
    if isinstance(error, DiedError) and os.environ.pop(RUNTIME, ""):
        log.warning("the reader's process ended; from here on onnxruntime finds the tiles")
    return SlowEyeError(str(error)) if isinstance(error, TooSlowError) else EyeAwayError(str(error))


def keep_watching(
    step: Callable[[], bool],
    *,
    lost: Callable[[str, UnreadReason], None],
    back: Callable[[], None],
    beat: Callable[[], None] = lambda: None,
    broken: Callable[[], None] = lambda: None,
    stop: threading.Event | None = None,
    pauses_s: Sequence[float] = PAUSES_S,
) -> None:
    """Call `step` (one frame; False when the source has ended) until the end or `stop`.

    `lost` hears each new reason why nothing is recorded, in one line and as a code; `back` is called before the first
    step that goes well again, so that the watcher forgets what it had half seen. `beat` is a sign of life. No other
    error ends it either (a full disk, a mistake of the program): `broken` lets go of what may be half done, and after a
    pause it begins anew, from the journal.
    """
    stop = threading.Event() if stop is None else stop
    trouble, failures = "", 0
    while not stop.is_set():
        beat()
        try:
            going_on = step()
        except BaseException as error:
            away = isinstance(error, (AwayError, EyeAwayError, CameraError))
            if isinstance(error, AwayError):
                message = error.health.message
            else:
                message = str(error) if away else f"nothing is recorded just now ({line_of(error)})"
            if not away:
                log.exception("watching failed and begins anew")
                broken()
            if message != trouble:
                trouble = message
                lost(message, getattr(error, "why", UnreadReason.OTHER))
            if not away:
                stop.wait(pauses_s[min(failures, len(pauses_s) - 1)])
                failures += 1
            continue
        failures = 0
        if trouble:
            trouble = ""
            back()
        if not going_on:
            return
