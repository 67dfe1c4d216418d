"""A picture from a camera, with the time it was taken."""

from __future__ import annotations

from dataclasses import dataclass

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
