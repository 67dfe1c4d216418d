"""A picture from a camera, with the time it was taken."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Levels = dict[int, Image]
"""A picture (1) and its halves, by what they are divided by."""
Picture = Image | Levels
"""A picture alone, or with its halves, where much is cut from it."""

KEPT_BYTES = 4_000_000
"""Halves of a picture larger than this are stages on the way to smaller ones, and not kept."""
LEAST_LEVEL_PX = 100
"""A pyramid ends before a side is shorter."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture of a camera."""

    image: Image
    """(h, w, 3) uint8 BGR, at full resolution."""
    at: float
    """Seconds on the camera's monotonic clock."""
    name: str
    """The picture's name in the evidence: a file name or a running number."""
    small: Image | None = None
    """(h', w', 3) uint8 BGR: the camera's own reduced stream of the same moment; None where it has none."""
    _halves: dict[int, Image] = field(default_factory=dict, init=False, repr=False)

    @property
    def size_wh(self) -> tuple[int, int]:
        return int(self.image.shape[1]), int(self.image.shape[0])

    def halved(self, least_wh: tuple[int, int]) -> Image:
        """The full picture halved as often as it stays at least so large (w, h): each halving is made once for all who
        ask, and nobody may paint on them."""
        return halved(self.image, least_wh, self._halves)[0]

    def reduced(self, size_wh: tuple[int, int]) -> Image:
        """The full picture at this size."""
        return reduced(self.image, size_wh, self._halves)[0]


def reduced(image: Image, size_wh: tuple[int, int], known: Levels | None = None) -> tuple[Image, tuple[float, float]]:
    """The picture at about another size, averaged where it shrinks, and (x, y) picture pixels per pixel of the result.

    Halving is many times faster than averaging by any other number, so most of the way goes that way; a last column or
    row that has no partner is left out, which the scale accounts for. `known`: see `halved`.
    """
    image, (w, h) = halved(image, size_wh, known)
    scale = (w / size_wh[0], h / size_wh[1])
    if image.shape[1::-1] == size_wh:
        return image, scale
    how = cv2.INTER_AREA if size_wh[0] < image.shape[1] else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, size_wh, interpolation=how), np.uint8), scale


def pyramid(image: Image) -> Levels:
    """The picture and all its halves down to some `LEAST_LEVEL_PX`, by what they are divided by: for work that wants
    many parts of it at many sizes. All are kept, which takes a third of the picture's own memory."""
    levels: Levels = {1: image}
    halved(image, (LEAST_LEVEL_PX, LEAST_LEVEL_PX), levels, kept_bytes=image.nbytes)
    return levels


def level(picture: Picture, reduction: float) -> tuple[Image, int]:
    """The smallest half of a picture that is divided by no more than `reduction`, and by what it is divided."""
    if not isinstance(picture, dict):
        return picture, 1
    factor = max(one for one in picture if one <= max(reduction, 1))
    return picture[factor], factor


def halved(
    image: Image, least_wh: tuple[int, int], known: Levels | None = None, kept_bytes: int = KEPT_BYTES
) -> tuple[Image, tuple[int, int]]:
    """The picture halved as often as it stays at least so large, and how much of the original it shows (w, h).

    `known`: halves of this very picture that were made before, by what they are divided by; new ones that are small
    enough to keep are added.
    """
    known = {} if known is None else known
    target, (h, w) = 1, image.shape[:2]
    while w // (2 * target) >= least_wh[0] and h // (2 * target) >= least_wh[1]:
        target *= 2
    factor = max((one for one in known if one <= target), default=1)
    image = known.get(factor, image)
    while factor < target:
        factor *= 2
        high, wide = image.shape[0] // 2, image.shape[1] // 2
        part = image[: 2 * high, : 2 * wide]
        image = np.asarray(cv2.resize(part, (wide, high), interpolation=cv2.INTER_AREA), np.uint8)
        if image.nbytes <= kept_bytes:
            known[factor] = image
    return image, (w // target * target, h // target * target)
