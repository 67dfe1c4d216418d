"""A picture from a camera, with the time it was taken."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """`image` is (h, w, 3) uint8 BGR at full resolution; `small` the camera's own reduced stream of the same moment,
    (h', w', 3) uint8 BGR, or None where the camera has none; `at` seconds on the camera's monotonic clock; `name`
    what the picture is called in the evidence (a file name or a running number)."""

    image: Image
    at: float
    name: str
    small: Image | None = None

    @property
    def size_wh(self) -> tuple[int, int]:
        return int(self.image.shape[1]), int(self.image.shape[0])


def reduced(image: Image, size_wh: tuple[int, int]) -> tuple[Image, tuple[float, float]]:
    """The picture at about another size, averaged where it shrinks, and (x, y) picture pixels per pixel of the result.

    Averaging by a whole number is several times faster than by a broken one, so most of the way goes that way; the few
    last columns and rows that do not fill a whole block are left out, which the scale accounts for.
    """
    h, w = image.shape[:2]
    whole = min(w // size_wh[0], h // size_wh[1])
    if whole >= 2:
        w, h = w // whole * whole, h // whole * whole
        blocks = cv2.resize(image[:h, :w], (w // whole, h // whole), interpolation=cv2.INTER_AREA)
        image = np.asarray(blocks, np.uint8)
    scale = (w / size_wh[0], h / size_wh[1])
    if image.shape[1::-1] == size_wh:
        return image, scale
    how = cv2.INTER_AREA if size_wh[0] < image.shape[1] else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, size_wh, interpolation=how), np.uint8), scale
