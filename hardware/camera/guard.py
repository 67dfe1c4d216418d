"""A live camera in a process of its own, because drivers hang.

picamera2 can block for ever in stop and capture, and V4L2 in read; no timeout inside the process helps then. The parent
asks for one frame at a time and kills the child when no answer comes in time.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection

from hardware.camera.address import is_address, shown
from hardware.camera.devices import open_device
from hardware.camera.source import (
    HUNG_MEND,
    Camera,
    CameraError,
    CameraFault,
    CameraSettings,
    FrameSource,
    LiveMode,
    without_camera,
)
from vision.frame import Frame

Opener = Callable[[str, CameraSettings], Camera]
OPENING_S = 60.0
"""From one step of opening to the next; the longest is importing picamera2."""

GOES_ON = "goes on"


class GuardedCamera(FrameSource):
    """A device that answers within `settings.answer_within_s` or is given up with CameraError."""

    live = True
    stills = False

    def __init__(
        self,
        source: str,
        settings: CameraSettings,
        *,
        opener: Opener = open_device,
        opening_s: float = OPENING_S,
    ) -> None:
        self._source, self._label = source, shown(source)
        self._settings = settings
        context = multiprocessing.get_context("spawn")
        self._ask, child = context.Pipe()
        self._child = context.Process(target=_serve, args=(child, source, settings, opener), daemon=True)
        self._child.start()
        child.close()
        self._closed = False
        opened = self._answer(opening_s)
        self.live_mode = opened if isinstance(opened, LiveMode) else None

    def read(self) -> Frame | None:
        if self._closed:
            raise without_camera(f"camera {self._label} was closed")
        try:
            self._ask.send("frame")
        except OSError:
            self.close()
            raise without_camera(f"camera {self._label}: its driver process ended", CameraFault.CRASHED) from None
        answer = self._answer(self._settings.answer_within_s)
        return answer if isinstance(answer, Frame) else None

    def close(self) -> None:
        """Ask the child to end, and end it where it does not."""
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(OSError):
            self._ask.send("close")
        self._child.join(2.0)
        if self._child.is_alive():
            self._child.kill()
            self._child.join()
        self._ask.close()

    def _answer(self, within_s: float) -> Frame | LiveMode | None:
        try:
            while self._ask.poll(within_s):
                answer: Frame | LiveMode | Failure | str | None = self._ask.recv()
                if isinstance(answer, str):  # GOES_ON
                    continue
                if isinstance(answer, Failure):
                    self.close()
                    raise CameraError(answer.message, answer.fault, answer.problem)
                return answer
        except (EOFError, OSError):
            self._child.join(2.0)
            how = ended_how(self._child.exitcode)
            self.close()
            raise without_camera(f"camera {self._label}: {how}", CameraFault.CRASHED) from None
        self.close()
        if is_address(self._source):
            raise without_camera(f"camera {self._label} did not answer within {within_s:g} s", CameraFault.NETWORK)
        why = f"did not answer within {within_s:g} s: its driver hangs"
        raise without_camera(f"camera {self._label} {why}; {HUNG_MEND}", CameraFault.CRASHED)


def ended_how(exit_code: int | None) -> str:
    """How a driver's process ended, for whoever has to find out why."""
    if exit_code is None or exit_code >= 0:
        return "its driver process ended"
    try:
        return f"its driver process ended by {signal.Signals(-exit_code).name}"
    except ValueError:
        return f"its driver process ended by signal {-exit_code}"


@dataclass(frozen=True, slots=True)
class Failure:
    """A CameraError on its way through the pipe."""

    message: str
    fault: CameraFault
    problem: str


def _serve(pipe: Connection, source: str, settings: CameraSettings, opener: Opener) -> None:
    """The child: GOES_ON while it opens, what the camera does, then one answer for each question; None says ended."""

    def goes_on() -> None:
        with contextlib.suppress(OSError):
            pipe.send(GOES_ON)

    goes_on()
    try:
        with opener(source, replace(settings, goes_on=goes_on)) as camera:
            pipe.send(camera.live_mode)
            while pipe.recv() == "frame":
                pipe.send(camera.read())
    except CameraError as error:
        pipe.send(Failure(str(error), error.fault, error.problem))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return
    except Exception as error:  # whatever a driver raises, somebody has to be told
        told = without_camera(f"camera {shown(source)}: {type(error).__name__}: {' '.join(str(error).split())[:200]}")
        pipe.send(Failure(str(told), CameraFault.CRASHED, told.problem))
