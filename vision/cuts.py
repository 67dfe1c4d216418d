"""The reader's crops of each outline of one picture, each cut once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.frame import Image, Picture
from vision.inference import Workers
from vision.rectify import READ_MARGIN, cut_tile

LEAST_TO_SHARE = 8
"""Fewer crops are cut sooner than the work is shared out."""


class Cuts:
    """Crops of `image`, which may not change while this lives, `size_wh` large."""

    def __init__(self, image: Picture, size_wh: tuple[int, int], workers: Workers) -> None:
        self.image = image
        self._size_wh = size_wh
        self._workers = workers
        self._made: dict[bytes, Image] = {}

    def __call__(self, quads: NDArray[np.float32]) -> Image:
        """(n, 4, 2) -> (n, side, 2 side, 3) of whole tiles with their surroundings, in new memory."""
        wide, high = self._size_wh
        names = [np.ascontiguousarray(quad, np.float32).tobytes() for quad in quads]
        wanted = {name: n for n, name in enumerate(names) if name not in self._made}
        for made in self._workers.each(
            lambda part: [(names[n], cut_tile(self.image, quads[n], self._size_wh, READ_MARGIN)) for n in part],
            self._workers.batches(np.array([*wanted.values()], np.intp), LEAST_TO_SHARE, max(1, len(wanted))),
        ):
            self._made.update(made)
        out = np.empty((len(names), high, wide, 3), np.uint8)
        for n, name in enumerate(names):
            out[n] = self._made[name]
        return out
