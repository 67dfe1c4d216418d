"""A film under the same eye as a live camera: what is too dark, black, white or filmed from elsewhere is not read."""

from __future__ import annotations

import time

from companion.supervise.health import AwayError, Health, State
from companion.supervise.pictures import JudgeSettings, PictureJudge, to_remember
from hardware.camera import Camera
from hardware.camera.source import FrameSource
from vision.frame import Frame, Image

NEVER_FROZEN = JudgeSettings(frozen_after_s=float("inf"))
"""A film may stand still; nothing hangs behind it."""


class JudgedFilm(FrameSource):
    """Passes on the frames of a recording that can be trusted. Each new fault is an AwayError once; the frames that
    show it are left out."""

    live = False
    stills = False

    def __init__(self, film: Camera) -> None:
        self._film = film
        self._judge = PictureJudge(NEVER_FROZEN)
        self._fault: State | None = None
        self._last: Frame | None = None

    def read(self) -> Frame | None:
        while (frame := self._film.read()) is not None:
            before, self._fault = self._fault, self._judge.see(frame)
            if self._fault is None:
                self._last = frame
                return frame
            if self._fault is not before:
                raise AwayError(Health(self._fault, time.monotonic(), frame.name))
        return None

    def looks_right(self) -> None:
        """The table was read in the latest frame: that is where the camera should look."""
        if self._last is not None:
            self.remember_view(self._last.image)

    def remember_view(self, image: Image | None) -> None:
        """The camera looks as in `image` now; None: do not watch for a shift from it."""
        if image is None:
            self._judge.forget_view()
        else:
            self._judge.remember_view(to_remember(image))

    def close(self) -> None:
        self._film.close()


def judged(camera: Camera, source: str) -> Camera:
    """A film file judged; every other source as it is: live ones are judged in their process, photographs may be taken
    from anywhere, and the simulated table is never dark."""
    is_film = not camera.live and not camera.stills and not source.startswith("sim:")
    return JudgedFilm(camera) if is_film else camera
