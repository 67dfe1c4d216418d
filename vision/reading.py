"""What was read in a picture. A value is a claim: what cannot be read is None, never a guess."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Quad = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class HalfReading:
    """`value` None is *unreadable*; `p` is the calibrated probability of the likeliest value, `others` the runners-up
    as (value, p), likeliest first. For an unreadable half `others` starts with that likeliest value."""

    value: int | None
    p: float
    others: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TileReading:
    """`quad_px` (4, 2) float32, clockwise as displayed, half 0 at the edge 0-1; `face` is "up" or "down".

    A face-down tile has no halves. `confidence` says how sure it is that a tile lies there at all.
    """

    quad_px: Quad
    face: str
    halves: tuple[HalfReading, HalfReading] | None
    confidence: float

    @property
    def values(self) -> tuple[int, int] | None:
        """Both values, or None while the tile lies face down or either half is unreadable."""
        if self.halves is None:
            return None
        a, b = self.halves[0].value, self.halves[1].value
        return None if a is None or b is None else (a, b)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A marker or the hub: `quad_px` (4, 2) float32, clockwise as displayed."""

    quad_px: Quad
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class PictureReading:
    """Everything read in one picture of `size_wh` pixels; `ms` is how long it took, without opening the file."""

    size_wh: tuple[int, int]
    tiles: tuple[TileReading, ...]
    markers: tuple[Found, ...] = ()
    hub: Found | None = None
    warnings: tuple[str, ...] = field(default=())
    ms: float = 0.0
