"""A small picture of each frame, made once: bare table, unknown things and lifted markers are all asked about it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Frame, Image, halved

Floats = NDArray[np.float32]
Halves = Callable[[tuple[int, int]], Image]


@dataclass(slots=True)
class Thumbnails:
    """Keeps the small picture of the frame it was asked about last; the frame itself must not be painted on."""

    _of: weakref.ref[Image] | None = field(default=None, init=False)
    _width: int = field(default=0, init=False)
    _made: tuple[Floats, float] | None = field(default=None, init=False)

    def prepare(self, frame: Frame, width_px: int) -> None:
        """Make the frame's small picture now, while there is time for it."""
        self.picture(frame.image, width_px, frame.halved)

    def picture(self, image: Image, width_px: int, halves: Halves | None = None) -> tuple[Floats, float]:
        """(h, w, 3) uint8 BGR -> at most `width_px` wide, (h', w', 3) float32, and its scale; `halves` as below."""
        if self._made is None or self._of is None or self._of() is not image or self._width != width_px:
            self._made = small_picture(image, width_px, halves)
            self._of, self._width = weakref.ref(image), width_px
        return self._made


def small_picture(image: Image, width_px: int, halves: Halves | None = None) -> tuple[Floats, float]:
    """The picture at most `width_px` wide, (h', w', 3) float32, and its scale; `halves` of it that a frame keeps."""
    h, w = image.shape[:2]
    scale = min(1.0, width_px / w)
    size = (max(1, round(w * scale)), max(1, round(h * scale)))
    small = halved(image, size)[0] if halves is None else halves(size)
    return np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_AREA), np.float32), scale
