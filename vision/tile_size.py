"""How large a tile of this set is wherever it lies in a picture, so that an outline of another size is known for wrong.

A box that ends in the middle of a four shows a two, and the reader is as sure of that two as of any other. Only the
size of the tile tells: every tile of a set has the same, and a calibrated table says how many pixels that is anywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.calibration import Calibration
from vision.detections import Detections, Kind
from vision.rotated import sides

Floats = NDArray[np.float32]

FAINT, LONG, WIDE = 0.4, (0.8, 1.25), (0.7, 1.4)
"""A find less sure than the first and not between these shares of the set's length and width is no tile: veins of
marble and squares of a cloth are found so."""
MARKERS = (0.25, 1.1)
"""A marker is so many tile lengths long: a bottle cap seen from above, a toy engine. A find more than so long is the
whole of a tile, or of a shadow."""

LEAST_SURE = 4
"""At least this many surely read tiles tell by how much the size that people gave is off."""


STEP = 1.04
"""Nobody knows a tile's length in a picture to 1 %, and the finder needs it to 10 %: it looks in steps of so much."""


def in_steps(length_px: float) -> float:
    """The nearest step to a tile's length: what is measured a little otherwise is looked at in the same size."""
    return math.exp(round(math.log(length_px) / math.log(STEP)) * math.log(STEP))


@dataclass(frozen=True, slots=True, eq=False)
class TileSize:
    """How large a tile is at a place of a calibrated table."""

    calibration: Calibration
    """Where the tiles lie."""
    tile_mm: tuple[float, float]
    """Length and width of the set's tiles."""

    def shares(self, quads_px: Floats) -> Floats:
        """(n, 4, 2) outlines -> (n, 2): how many times the set's length and width each one measures on the table."""
        corners = self.calibration.to_mm(np.asarray(quads_px, np.float64).reshape(-1, 2)).reshape(-1, 4, 2)
        return np.asarray(np.stack(sides(np.asarray(corners, np.float32)), 1) / np.array(self.tile_mm), np.float32)

    def weeded(self, found: Detections) -> Detections:
        """The finds without those whose size says that they are no tile, or no marker, before anybody judges them. No
        half of 367 on four drawn tables hangs on it."""
        shares, is_tile = self.shares(found.quads_px), found.kind <= Kind.FACE_DOWN
        longer = np.maximum(shares[:, 0], shares[:, 1] * self.tile_mm[1] / self.tile_mm[0])
        fits = (shares > (LONG[0], WIDE[0])).all(1) & (shares < (LONG[1], WIDE[1])).all(1)
        marker = (longer > MARKERS[0]) & (longer < MARKERS[1])
        keep = np.where(is_tile, fits | (found.confidence >= FAINT), marker | (found.kind != Kind.MARKER))
        return found.select(np.flatnonzero(keep))

    def expected(self, quads_px: Floats, sure: NDArray[np.bool_]) -> Floats:
        """(n, 2) px: how long and wide a tile is that lies as each outline does. An error in the measures of the table
        affects all tiles alike: those surely read, (n,) `sure`, tell how large it is."""
        shares = self.shares(quads_px)
        off = np.median(shares[sure], axis=0) if sure.sum() >= LEAST_SURE else np.ones(2, np.float32)
        own = np.stack(sides(quads_px), 1)
        return np.asarray(own / np.maximum(shares, 1e-6) * off, np.float32)
