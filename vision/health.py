"""Is the camera still a camera? Frozen, black, blurred and glared pictures, told from the pictures alone."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Frame, Image
from vision.motion import small_of

WIDTH_PX = 320
"""Pictures are judged at this width."""
DARK_BELOW = 12.0
"""Mean brightness of a picture that shows nothing."""
GLARE_FROM = 250
"""Brightness of a pixel in a glare; `GLARE_AREA` of the picture so bright is too much."""
GLARE_AREA = 0.06
SHARP_FROM = 1.2
"""Fine detail over coarse in a picture in focus."""
FROZEN_FRAMES = 10
"""Brightness runs from 0 to 255; `FROZEN_FRAMES` identical frames in a row are no camera: a sensor has noise."""


@dataclass(frozen=True, slots=True)
class Health:
    """How good a picture is."""

    brightness: float
    glare: float
    """The part of the picture that is burnt out."""
    sharpness: float
    """See `sharpness_of`."""
    frozen: bool
    problems: tuple[str, ...]
    """Sentences for people."""
    causes: tuple[str, ...] = ()
    """The problems in one word each: FROZEN, DARK, GLARE, BLURRED."""


class HealthCheck:
    """Sees every frame of a live camera; keeps one small picture."""

    def __init__(self) -> None:
        self._last: Image | None = None
        self._same = 0

    def see(self, frame: Frame) -> Health:
        small = small_of(frame, WIDTH_PX)
        same = self._last is not None and self._last.shape == small.shape and np.array_equal(self._last, small)
        self._same = self._same + 1 if same else 0
        self._last = small
        grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
        brightness = float(grey.mean())
        glare = float((grey >= GLARE_FROM).mean())
        sharpness = sharpness_of(grey)
        frozen = self._same >= FROZEN_FRAMES
        problems = {}
        if frozen:
            problems["FROZEN"] = f"the camera has sent the same picture {self._same + 1} times"
        if brightness < DARK_BELOW:
            problems["DARK"] = f"too dark (brightness {brightness:.0f} of 255)"
        elif glare > GLARE_AREA:
            problems["GLARE"] = f"glare: {glare * 100:.0f} % of the picture is burnt out"
        if sharpness < SHARP_FROM and not frozen:
            problems["BLURRED"] = "blurred: no sharp edge in the picture"
        return Health(brightness, glare, sharpness, frozen, tuple(problems.values()), tuple(problems))


def sharpness_of(grey: NDArray[np.uint8]) -> float:
    """The steepest hundredth of the edges against the same picture blurred once more: 1 is no detail at all."""
    fine = cv2.Laplacian(grey.astype(np.float32), cv2.CV_32F)
    coarse = cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 2.0).astype(np.float32), cv2.CV_32F)
    top = float(np.percentile(np.abs(fine), 99))
    rest = float(np.percentile(np.abs(coarse), 99))
    return top / max(rest, 0.5) / 4
