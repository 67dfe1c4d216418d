"""All the ways in which the tiles of a view can be joined, each with its price."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from companion.geometry.ports import LIMITS, PRICES, JointLimits, Port, PortKind, meeting, ports_of
from companion.geometry.table_view import Point, SeenTile

KEPT = 1000.0
"""What a joint that held on the last still table is worth: laid tiles keep their neighbours."""

TIE_MM = 2.0
"""Joints whose prices fall into the same step of this size count as geometrically equal."""


@dataclass(frozen=True, slots=True)
class Joint:
    """Tile `b` at port `b_port` joined to tile `a` at `a_port` (indices into the view). `matches`: the values agree."""

    price: float
    a: int
    b: int
    a_port: int
    b_port: int
    matches: bool

    @property
    def order(self) -> tuple[float, bool, float]:
        """Geometry first, in steps; equal geometry is decided by matching values, then by the exact price."""
        return math.floor(self.price / TIE_MM), not self.matches, self.price


@dataclass(frozen=True, slots=True)
class TileShapes:
    """The tiles of a view with their ports; all the same nominal size."""

    tiles: Sequence[SeenTile]
    ports: Sequence[tuple[Port, ...]]
    length: float
    width: float

    @staticmethod
    def of(tiles: Sequence[SeenTile], length: float, width: float) -> TileShapes:
        return TileShapes(tiles, [ports_of(tile, length, width) for tile in tiles], length, width)


def find_joints(
    shapes: TileShapes,
    members: Collection[int],
    kept: Collection[tuple[int, int]] = (),
    limits: JointLimits = LIMITS,
    one_of: Collection[int] | None = None,
) -> list[Joint]:
    """Every joint between two of `members` (one of them in `one_of`), cheapest first.

    `kept` are pairs (a, b) that were joined before.
    """
    found: list[Joint] = []
    reach = shapes.length * (1.0 + limits.gap)
    pairs = [
        (a, b)
        for a, b in _neighbours(shapes.tiles, sorted(members), reach)
        if one_of is None or a in one_of or b in one_of
    ]
    for a, b, i, j in _perhaps_meeting(shapes, pairs, limits):
        first, second = shapes.ports[a][i], shapes.ports[b][j]
        price = meeting(first, second, shapes.width, limits)
        if price is None:
            continue
        price += _kind_price(shapes.tiles[a], first, second) + _kind_price(shapes.tiles[b], second, first)
        bonus = KEPT if (a, b) in kept or (b, a) in kept else 0.0
        matches = _values_match(shapes.tiles[a], first, shapes.tiles[b], second)
        found.append(Joint(price - bonus, a, b, i, j, matches))
    found.sort(key=lambda joint: joint.order)
    return found


def _neighbours(tiles: Sequence[SeenTile], members: Sequence[int], reach: float) -> Iterator[tuple[int, int]]:
    for n, a in enumerate(members):
        ax, ay = tiles[a].center_mm
        for b in members[n + 1 :]:
            bx, by = tiles[b].center_mm
            if abs(ax - bx) < reach and abs(ay - by) < reach:
                yield a, b


def _perhaps_meeting(
    shapes: TileShapes, pairs: Sequence[tuple[int, int]], limits: JointLimits
) -> Iterator[tuple[int, int, int, int]]:
    """(a, b, port of a, port of b) of all that `meeting` may join: of thousands of pairs of ports some dozens face each
    other and are near enough."""
    far, least = limits.farthest * shapes.width, limits.least_facing
    plain = [[(*port.place, *port.normal) for port in ports] for ports in shapes.ports]
    for a, b in pairs:
        for i, (ax, ay, au, av) in enumerate(plain[a]):
            for j, (bx, by, bu, bv) in enumerate(plain[b]):
                if abs(ax - bx) <= far and abs(ay - by) <= far and -(au * bu + av * bv) >= least:
                    yield a, b, i, j


def _kind_price(tile: SeenTile, own: Port, other: Port) -> float:
    """How unusual it is to join this tile at this port."""
    values = tile.values
    double = values is not None and values[0] == values[1]
    if own.kind is PortKind.MIDDLE:
        if double:
            return 0.0
        return PRICES.crosswise_unread if values is None else PRICES.crosswise_single
    if own.kind is PortKind.SIDE:
        return PRICES.bent_double if double else PRICES.bend
    if double and other.kind is PortKind.END:
        return PRICES.straight_double
    return 0.0


def value_at(tile: SeenTile, port: Port) -> tuple[int | None, ...]:
    """The value a port shows: one half's, or both for the middle of a long side."""
    if tile.halves is None:
        return (None,)
    if port.half is None:
        return tile.halves[0].value, tile.halves[1].value
    return (tile.halves[port.half].value,)


def _values_match(a: SeenTile, a_port: Port, b: SeenTile, b_port: Port) -> bool:
    first = {value for value in value_at(a, a_port) if value is not None}
    second = {value for value in value_at(b, b_port) if value is not None}
    return bool(first & second)


def distance(a: Point, b: Point) -> float:
    return math.hypot(a[0] - b[0], a[1] - b[1])
