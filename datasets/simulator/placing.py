"""Where a hand would lay the next tile: oriented rectangles that must not overlap, and the ways a train can go on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from datasets.simulator.plan import STRAIGHT_ON, Bend, Point

SIDE_CLEARANCE = 5.0
"""Millimetres kept to tiles of other trains, so that the made-up players do not build ambiguous tables."""
END_CLEARANCE = 13.0
"""Millimetres kept free beyond a train's end: more than the reconstruction bridges."""


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle with its long axis along `heading_deg`; half sizes in mm."""

    center: Point
    heading_deg: float
    half_length: float
    half_width: float

    def axes(self) -> tuple[Point, Point]:
        a = math.radians(self.heading_deg)
        u = (math.cos(a), math.sin(a))
        return u, (-u[1], u[0])

    def corners(self) -> tuple[Point, Point, Point, Point]:
        (ux, uy), (vx, vy) = self.axes()
        x, y = self.center

        def corner(along: float, across: float) -> Point:
            a, b = along * self.half_length, across * self.half_width
            return x + a * ux + b * vx, y + a * uy + b * vy

        return corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)

    def grown(self, along: float, across: float) -> Rect:
        return Rect(self.center, self.heading_deg, self.half_length + along, self.half_width + across)


def overlap(a: Rect, b: Rect) -> bool:
    """Do two rectangles overlap? Separating axes."""
    dx, dy = b.center[0] - a.center[0], b.center[1] - a.center[1]
    reach = math.hypot(a.half_length, a.half_width) + math.hypot(b.half_length, b.half_width)
    if dx * dx + dy * dy >= reach * reach:
        return False
    axes_a, axes_b = a.axes(), b.axes()
    for axis in (*axes_a, *axes_b):
        away = abs(dx * axis[0] + dy * axis[1])
        if away >= _span(a, axes_a, axis) + _span(b, axes_b, axis):
            return False
    return True


def _span(rect: Rect, axes: tuple[Point, Point], axis: Point) -> float:
    (ux, uy), (vx, vy) = axes
    along = abs(ux * axis[0] + uy * axis[1]) * rect.half_length
    return along + abs(vx * axis[0] + vy * axis[1]) * rect.half_width


def inside(rect: Rect, size_mm: tuple[float, float], edge_mm: float) -> bool:
    w, h = size_mm
    return all(edge_mm <= x <= w - edge_mm and edge_mm <= y <= h - edge_mm for x, y in rect.corners())


@dataclass(frozen=True, slots=True)
class Spot:
    """A place for one tile; `heading_deg` runs from its inner to its outer half, `turns` counts bends (0 or 1)."""

    rect: Rect
    heading_deg: float
    crosswise: bool
    turns: int


@dataclass(frozen=True, slots=True)
class TrainEnd:
    """The growing end of a train: where it is, where it points, and its last tile if it has one."""

    place: Point
    direction_deg: float
    last: Spot | None = None


def step(place: Point, direction_deg: float, distance: float) -> Point:
    a = math.radians(direction_deg)
    return place[0] + distance * math.cos(a), place[1] + distance * math.sin(a)


def continuations(
    end: TrainEnd, length: float, width: float, crosswise: bool, gap: float, bend: Bend = STRAIGHT_ON
) -> Iterator[Spot]:
    """Every way to lay the next tile, the one that `bend` asks for first: straight on, or a turn to either side."""
    turns = () if end.last is None or crosswise else _turns(end, end.last, length, width, gap, bend.right)
    if bend.early:
        yield from turns
    reach = width / 2 if crosswise else length / 2
    center = step(end.place, end.direction_deg, gap + reach)
    heading = end.direction_deg + (90.0 if crosswise else 0.0)
    yield Spot(Rect(center, heading, length / 2, width / 2), heading, crosswise, 0)
    if not bend.early:
        yield from turns


def _turns(end: TrainEnd, last: Spot, length: float, width: float, gap: float, right: bool) -> Iterator[Spot]:
    for turn in (-90.0, 90.0) if right else (90.0, -90.0):
        onward = end.direction_deg + turn
        if last.crosswise:
            # From the short end of a tile that lies across.
            start = step(last.rect.center, onward, length / 2)
            yield _straight(start, onward, length, width, gap)
            continue
        outer = step(last.rect.center, end.direction_deg, length / 4)
        # End against the side of the outer half.
        yield _straight(step(outer, onward, width / 2), onward, length, width, gap)
        # Side of the inner half against the end.
        corner = step(step(end.place, end.direction_deg, gap + width / 2), onward, length / 4)
        yield Spot(Rect(corner, onward, length / 2, width / 2), onward, False, 1)


def _straight(start: Point, direction: float, length: float, width: float, gap: float) -> Spot:
    return Spot(Rect(step(start, direction, gap + length / 2), direction, length / 2, width / 2), direction, False, 1)


def end_after(spot: Spot, came_deg: float, length: float, width: float) -> TrainEnd:
    """The train's end once a tile lies at `spot`; `came_deg` is the direction in which the train came."""
    if spot.crosswise:
        return TrainEnd(step(spot.rect.center, came_deg, width / 2), came_deg, spot)
    return TrainEnd(step(spot.rect.center, spot.heading_deg, length / 2), spot.heading_deg, spot)


def clear(rect: Rect, others: Sequence[Rect], touching: Rect | None) -> bool:
    """Does a tile fit here, away from everything but the tile it is joined to?"""
    onward = step(rect.center, rect.heading_deg, END_CLEARANCE / 2)
    wide = Rect(onward, rect.heading_deg, rect.half_length + END_CLEARANCE / 2, rect.half_width + SIDE_CLEARANCE)
    reach, (x, y) = wide.half_length + wide.half_width, onward
    for other in others:
        # Nearly all lie far away, and there may be a hundred of them.
        dx, dy = other.center[0] - x, other.center[1] - y
        near = reach + other.half_length + other.half_width
        if dx * dx + dy * dy >= near * near:
            continue
        if other == touching:
            if overlap(rect.grown(-0.5, -0.5), other):
                return False
        elif overlap(wide, other):
            return False
    return True
