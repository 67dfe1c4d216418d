"""Where a thing lies on a rendered table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from datasets.render.styles import TileStyle


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """Where a thing stands, and how the picture looks there; `style` is the set in play (for tiles on edge)."""

    x: float
    y: float
    heading: float
    px_per_mm: float
    style: TileStyle

    @property
    def base(self) -> NDArray[np.float64]:
        return np.array([self.x, self.y, 0.0])
