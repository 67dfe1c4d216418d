"""The middle level of many pixels, by counting: of bytes that is many times faster than sorting them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def middle_levels(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(n, k, c) uint8 -> (n, c): the median of the k levels of each; of an even number the mean of the middle two, as
    `np.median` has it. ValueError where k is 0."""
    n, k, c = pixels.shape
    if not k:
        raise ValueError("no pixels to take the median of")
    rows = np.arange(n * c).reshape(n, 1, c) << 8
    counts = np.bincount((pixels + rows).ravel(), minlength=n * c << 8).reshape(n * c, 256)
    upto = counts.cumsum(1)
    low, high = ((upto <= at).sum(1) for at in ((k - 1) // 2, k // 2))
    return np.asarray((low + high) / 2, np.float32).reshape(n, c)
