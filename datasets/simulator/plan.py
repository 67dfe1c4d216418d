"""The table a made-up game is played on: its size, its stations, where the boneyard lies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from companion.geometry.layout import wrapped

Point = tuple[float, float]
MEXICAN = "MX"


class Bend(NamedTuple):
    """How one tile is laid. `early`: it turns although it could go straight on; `right`: rather right than left."""

    early: bool = False
    right: bool = False


STRAIGHT_ON = Bend()


class Begin(NamedTuple):
    """Where the inner end of a train's first tile lies (mm), and its direction (degrees)."""

    place: Point
    heading_deg: float


HUB_RADIUS_MM = 62.0
"""Of a hub as it comes in the box."""


@dataclass(frozen=True, slots=True)
class TablePlan:
    """Millimetres and degrees in the frame of companion.geometry.layout.

    `stations` are where trains leave the hub; `hub_radius_mm` 0 means that only the engine lies in the middle.
    `boneyard_spread` False piles the face-down tiles up at one place.
    """

    players: tuple[str, ...]
    size_mm: tuple[float, float] = (1200.0, 900.0)
    tile_mm: tuple[float, float, float] = (48.0, 24.0, 9.0)
    hub_radius_mm: float = HUB_RADIUS_MM
    stations: Mapping[str, float] = field(default_factory=dict)
    boneyard_spread: bool = True
    chinese: bool = False
    arms: int = 1
    bends: Mapping[tuple[str, int], Bend] = field(default_factory=dict)
    """By train and number of the tile: where players turn otherwise than straight on while they can, and then left."""
    sitting_deg: Mapping[str, float] = field(default_factory=dict)
    edge_mm: float = 70.0
    """Strip along the edge where no train is laid: the players' own tiles lie there at the end."""
    engine_deg: float = 0.0
    engine_off_mm: Point = (0.0, 0.0)
    """How far beside the middle of its hub the engine lies."""
    middle_mm: Point | None = None
    """Where the trains begin; None: in the middle of the table."""
    begins: Mapping[str, Begin] = field(default_factory=dict)
    """Trains that touch the engine; the others begin on a ring around the middle."""

    @property
    def center_mm(self) -> Point:
        return self.middle_mm or (self.size_mm[0] / 2, self.size_mm[1] / 2)

    @property
    def engine_mm(self) -> Point:
        return self.center_mm[0] + self.engine_off_mm[0], self.center_mm[1] + self.engine_off_mm[1]

    @property
    def seats(self) -> Mapping[str, float]:
        """The players' stations."""
        return {name: angle for name, angle in self.stations.items() if name in self.players}

    @property
    def seat_deg(self) -> Mapping[str, float]:
        """In which direction from the middle everybody sits: as told in `sitting_deg`, else behind their own train."""
        return self.sitting_deg or self.seats

    def begin(self, train: str) -> Begin:
        """Where a train begins."""
        if train in self.begins:
            return self.begins[train]
        angle = self.stations[train]
        return Begin(polar(self.center_mm, self.begin_mm, angle), angle)

    @property
    def begin_mm(self) -> float:
        """Distance from the middle of the ring on which trains begin that do not touch the engine."""
        return self.hub_radius_mm if self.hub_radius_mm > 0 else self.tile_mm[0] / 2 + 16.0 + 3.0 * len(self.stations)


def even_stations(players: tuple[str, ...], first_deg: float = -90.0) -> dict[str, float]:
    """Players and the Mexican train spread evenly around the hub, clockwise in the picture."""
    step = 360.0 / (len(players) + 1)
    return {name: wrapped(first_deg + n * step) for n, name in enumerate((*players, MEXICAN))}


def polar(center: Point, radius: float, angle_deg: float) -> Point:
    angle = math.radians(angle_deg)
    return center[0] + radius * math.cos(angle), center[1] + radius * math.sin(angle)
