"""One tile as it lies on the made-up table, and its place in a wall of them."""

from __future__ import annotations

from dataclasses import dataclass

from companion.geometry.layout import Point
from companion.rules.tile import Laid
from datasets.simulator.placing import Rect

WALL = 8
"""Tiles in the first row of a Chinese line; the ninth goes on the eighth (docs/rules.md section 4.2)."""


@dataclass(frozen=True, slots=True)
class Lying:
    """One tile on the table. `heading_deg` points from the inner to the outer half; `layer` counts tiles below it."""

    laid: Laid
    center_mm: Point
    heading_deg: float
    face_up: bool = True
    layer: int = 0
    crosswise: bool = False
    came_deg: float = 0.0
    """The direction in which the train came to this tile."""

    def rect(self, length: float, width: float) -> Rect:
        return Rect(self.center_mm, self.heading_deg, length / 2, width / 2)


def wall_place(n: int) -> tuple[int, int, bool]:
    """(slot, layer, does it run leftwards) of tile n of a wall: eight to the right, eight back on top of them ..."""
    layer, k = divmod(n, WALL)
    leftward = layer % 2 == 1
    return (WALL - 1 - k if leftward else k), layer, leftward
