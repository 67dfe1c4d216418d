"""Small tables for tests, written down tile by tile."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from companion.geometry import Layout, TableSetup
from companion.geometry.layout import Family, Point, SeenHalf, SeenHub, SeenMarker, SeenTile, TableView

LENGTH, WIDTH = 48.0, 24.0
HUB = SeenHub((600.0, 450.0), 60.0, 0.9)
SETUP = TableSetup(
    family=Family.MEXICAN,
    players=("Ann", "Ben"),
    stations={"Ann": 0.0, "Ben": 180.0},
    mexican_station=90.0,
    engine=12,
)


def half(value: int | None) -> SeenHalf:
    return SeenHalf(value, 0.99) if value is not None else SeenHalf(None, 0.4, ((3, 0.4), (5, 0.3)))


def tile(x: float, y: float, heading_deg: float, first: int | None, second: int | None) -> SeenTile:
    """A face-up tile; the heading points from `first` to `second`."""
    return SeenTile((x, y), heading_deg, LENGTH, WIDTH, True, (half(first), half(second)), 0.99)


def back(x: float, y: float, heading_deg: float = 0.0) -> SeenTile:
    return SeenTile((x, y), heading_deg, LENGTH, WIDTH, False, None, 0.99)


def view(
    tiles: Iterable[SeenTile],
    markers: Iterable[Point] = (),
    hub: SeenHub | None = HUB,
    engine: tuple[int, int] = (12, 12),
) -> TableView:
    """A table with the engine in its middle."""
    middle = [tile(600.0, 450.0, 0.0, *engine)]
    return TableView((*middle, *tiles), tuple(SeenMarker(place, 0.9) for place in markers), hub)


def eastward(values: Sequence[tuple[int, int]], gap: float = 1.0, y: float = 450.0) -> list[SeenTile]:
    """A straight train from the hub to the right: Ann's."""
    start = 660.0
    tiles = []
    for n, (inner, outer) in enumerate(values):
        tiles.append(tile(start + LENGTH / 2 + gap + n * (LENGTH + gap), y, 0.0, inner, outer))
    return tiles


def train(layout: Layout, name: str) -> str:
    """A train in notation; `?` for a tile that is not read."""
    laid = [placed.laid for placed in layout.trains.get(name, ())]
    return " ".join("?" if values is None else f"{values.inner}-{values.outer}" for values in laid)


def ids(layout: Layout, name: str) -> list[int]:
    return [placed.id for placed in layout.trains[name]]


def moved(seen: SeenTile, dx: float, dy: float, turn_deg: float = 0.0) -> SeenTile:
    x, y = seen.center_mm
    return SeenTile(
        (x + dx, y + dy), seen.heading_deg + turn_deg, seen.length_mm, seen.width_mm, seen.face_up, seen.halves, 0.99
    )


def direction(angle_deg: float, radius: float, center: Point = HUB.center_mm) -> Point:
    angle = math.radians(angle_deg)
    return center[0] + radius * math.cos(angle), center[1] + radius * math.sin(angle)
