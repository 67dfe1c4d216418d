"""The camera seam: what every source of frames promises."""

from __future__ import annotations

import errno
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    from vision.frame import Frame

HUNG_MEND = "try again, and restart this machine if it hangs again"
WORKS_WITHOUT = "read, score, judge, replay and demo work without a camera"


class CameraFault(StrEnum):
    """Kinds of trouble with a camera, each with its own remedy."""

    UNPLUGGED = "unplugged"
    SOFTWARE = "software"
    BUSY = "busy"
    FORBIDDEN = "forbidden"
    MEMORY = "memory"
    CRASHED = "crashed"
    FORMAT = "format"
    NETWORK = "network"


class CameraError(Exception):
    """A camera that cannot be opened or has stopped. The message is one line a user can act on; `problem` is the same
    without what still works, and `fault` its kind."""

    def __init__(self, message: str, fault: CameraFault = CameraFault.UNPLUGGED, problem: str = "") -> None:
        super().__init__(message)
        self.fault = fault
        self.problem = problem or message


def without_camera(problem: str, fault: CameraFault = CameraFault.UNPLUGGED) -> CameraError:
    """`problem` in one line, followed by what still works: a missing device is never a dead end."""
    return CameraError(f"{problem}; {WORKS_WITHOUT}", fault, problem)


def _nobody_waits() -> None:
    """A person opens the camera here and waits for it."""


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """The wishes for a live camera. Recorded sources ignore them.

    `size_wh` None is the sensor's full resolution; of a USB camera the largest that comes 5 times a second. `mains_hz`
    sets the anti-flicker period: light pulses at twice the mains frequency, so 50 Hz is a period of 10 000 us and 60 Hz
    of 8333 us; None: measured, else by the time zone's country, else 50.
    `settle_frames` are looked at before exposure, focus and white balance are locked. Equal frames for
    `frozen_after_s` count as a hung driver: a real sensor's noise never repeats. So many `failed_reads` in a row are
    an unplugged camera; fewer are a disturbance on the cable. `goes_on` is called between two steps of opening, of
    which there are dozens: a busy or slow machine takes minutes for all of them, and a driver that hangs takes none.
    """

    size_wh: tuple[int, int] | None = None
    small_wh: tuple[int, int] = (640, 480)
    mains_hz: int | None = None
    settle_frames: int = 20
    frozen_after_s: float = 4.0
    failed_reads: int = 8
    answer_within_s: float = 10.0
    goes_on: Callable[[], None] = _nobody_waits


@dataclass(frozen=True, slots=True)
class LiveMode:
    """The real mode of an open live camera. `mains_hz` 0: it is not ours to say. `silent_s`: so long it may give no
    picture. `notes`: the wishes that were not met, one sentence each."""

    size_wh: tuple[int, int]
    mains_hz: int
    per_s: float = 0.0
    silent_s: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        rate = f", {self.per_s:g} pictures a second" if self.per_s else ""
        lamps = f", for lamps on {self.mains_hz} Hz" if self.mains_hz else ""
        return f"{self.size_wh[0]}x{self.size_wh[1]}{rate}{lamps}"


def flicker_period_us(mains_hz: int) -> int:
    return round(1_000_000 / (2 * mains_hz))


def kind_of(error: BaseException) -> CameraFault:
    """The kind of trouble of a driver's error, by its number or its words."""
    number = getattr(error, "errno", None)
    words = str(error).lower()
    if isinstance(error, PermissionError) or "permission denied" in words:
        return CameraFault.FORBIDDEN
    if number == errno.EBUSY or "busy" in words or "acquire" in words or "did not complete" in words:
        return CameraFault.BUSY
    if isinstance(error, MemoryError) or number == errno.ENOMEM or "memory" in words:
        return CameraFault.MEMORY
    if number in (errno.ENODEV, errno.ENXIO, errno.ENOENT) or "no such device" in words:
        return CameraFault.UNPLUGGED
    return CameraFault.CRASHED


@runtime_checkable
class Camera(Protocol):
    """A source of frames.

    `live`: frames keep coming until the device stops; otherwise the source is a recording that ends.
    `stills`: every frame is a separate photograph of a still table (a folder), so nothing has to settle.
    """

    live: bool
    stills: bool
    live_mode: LiveMode | None

    def read(self) -> Frame | None:
        """The next frame; None when the source has ended. Raises CameraError when the device fails."""

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def __iter__(self) -> Iterator[Frame]: ...


class FrameSource(ABC):
    """The common half of all cameras: leaving the `with` block closes, iterating ends where the source ends."""

    live = False
    stills = False
    live_mode: LiveMode | None = None
    """The real mode of a live camera; None for recordings."""

    @abstractmethod
    def read(self) -> Frame | None: ...

    def close(self) -> None:
        """Give the device back. Closing twice is no error."""
        return

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[Frame]:
        while (frame := self.read()) is not None:
            yield frame
