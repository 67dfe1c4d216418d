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

    Halving is many times faster than averaging by any other number, so most of the way goes that way; a last column or
    row that has no partner is left out, which the scale accounts for.
    """
    image, (w, h) = halved(image, size_wh)
    scale = (w / size_wh[0], h / size_wh[1])
    if image.shape[1::-1] == size_wh:
        return image, scale
    how = cv2.INTER_AREA if size_wh[0] < image.shape[1] else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, size_wh, interpolation=how), np.uint8), scale


def halved(image: Image, least_wh: tuple[int, int]) -> tuple[Image, tuple[int, int]]:
    """The picture halved as often as it stays at least so large, and how much of the original it shows (w, h)."""
    factor, (h, w) = 1, image.shape[:2]
    while w // 2 >= least_wh[0] and h // 2 >= least_wh[1]:
        w, h, factor = w // 2, h // 2, factor * 2
        part = image[: 2 * h, : 2 * w]
        image = np.asarray(cv2.resize(part, (w, h), interpolation=cv2.INTER_AREA), np.uint8)
    return image, (w * factor, h * factor)
