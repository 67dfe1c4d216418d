"""Ports: the places of a tile where another one can be joined to it, and how well two of them meet.

A half can be joined at its short end (the straight train), or at its long side (a bend at a right angle). A tile lying
crosswise is joined at the middles of its long sides. Long sides never meet long sides: that is two trains lying side by
side, and the one exception is a crosswise tile laid against another crosswise one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

from companion.geometry.table_view import Point, SeenTile


class PortKind(Enum):
    END = "end"
    SIDE = "side"
    MIDDLE = "middle"


@dataclass(frozen=True, slots=True)
class Port:
    """`half` is 0 or 1, None for the middle of a long side; `normal` is the unit vector pointing out of the tile."""

    kind: PortKind
    half: int | None
    place: Point
    normal: Point


@dataclass(frozen=True, slots=True)
class JointLimits:
    """How far two tiles may be apart and still belong together. Lengths in tile widths, angles in degrees.

    Chosen so that hand-laid trains hold: gaps of up to 10 mm between 24 mm wide tiles, and shifts up to the half-way
    point between a half's middle and the tile's middle, where a bend and a crosswise tile become each other.
    """

    gap: float = 0.5
    overlap: float = 0.5
    lateral: float = 0.42
    angle_deg: float = 40.0
    least_facing: float = field(init=False)
    """The cosine of the angle: asked of thousands of pairs."""
    farthest: float = field(init=False)
    """No ports farther apart, in tile widths, meet within these limits."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "least_facing", math.cos(math.radians(self.angle_deg)))
        along = max(self.gap + math.sin(math.radians(self.angle_deg) / 2), self.overlap)
        object.__setattr__(self, "farthest", math.hypot(along, self.lateral) + 1e-6)


@dataclass(frozen=True, slots=True)
class JointPrices:
    """What makes a joint less likely, in millimetres of gap on a 24 mm tile."""

    lateral: float = 0.7
    per_degree: float = 0.12
    bend: float = 2.0
    crosswise_single: float = 6.0
    crosswise_unread: float = 2.0
    straight_double: float = 1.0
    bent_double: float = 3.0
    other_than_the_engine: float = 4.0


LIMITS = JointLimits()
FAR_LIMITS = JointLimits(gap=1.1, overlap=0.5, lateral=0.7, angle_deg=50.0)
"""For a tile that touches nothing but clearly points at one train: joined, and reported as LOOSE_JOINT."""

PRICES = JointPrices()


def heading(tile: SeenTile) -> Point:
    return _direction(tile.heading_deg)


def _direction(heading_deg: float) -> Point:
    angle = math.radians(heading_deg)
    return math.cos(angle), math.sin(angle)


def ports_of(tile: SeenTile, length: float, width: float) -> tuple[Port, ...]:
    """The eight ports of a tile of nominal size; measured sizes are noisier than the set's own."""
    return _ports_at(tile.center_mm, tile.heading_deg, length, width)


@lru_cache(maxsize=2048)
def _ports_at(center: Point, heading_deg: float, length: float, width: float) -> tuple[Port, ...]:
    """One look asks for the same tiles' ports half a dozen times, and most tiles lie where they lay."""
    cx, cy = center
    ux, uy = _direction(heading_deg)
    vx, vy = -uy, ux

    def at(along: float, across: float) -> Point:
        return cx + ux * along + vx * across, cy + uy * along + vy * across

    ports = [
        Port(PortKind.END, 0, at(-length / 2, 0.0), (-ux, -uy)),
        Port(PortKind.END, 1, at(length / 2, 0.0), (ux, uy)),
    ]
    for sign in (1.0, -1.0):
        normal = (sign * vx, sign * vy)
        ports.append(Port(PortKind.SIDE, 0, at(-length / 4, sign * width / 2), normal))
        ports.append(Port(PortKind.SIDE, 1, at(length / 4, sign * width / 2), normal))
        ports.append(Port(PortKind.MIDDLE, None, at(0.0, sign * width / 2), normal))
    return tuple(ports)


_ALLOWED = {
    frozenset({PortKind.END}),
    frozenset({PortKind.END, PortKind.SIDE}),
    frozenset({PortKind.END, PortKind.MIDDLE}),
    frozenset({PortKind.MIDDLE}),
}


def meeting(a: Port, b: Port, width: float, limits: JointLimits) -> float | None:
    """The price in mm (of a 24 mm tile) of joining two ports, or None where they do not meet within the limits."""
    facing = -(a.normal[0] * b.normal[0] + a.normal[1] * b.normal[1])
    if facing < limits.least_facing:
        return None
    angle = math.acos(min(1.0, facing))
    nx, ny = a.normal[0] - b.normal[0], a.normal[1] - b.normal[1]
    norm = math.hypot(nx, ny)
    nx, ny = nx / norm, ny / norm
    dx, dy = b.place[0] - a.place[0], b.place[1] - a.place[1]
    apart = dx * nx + dy * ny
    # Two edges that meet at an angle touch at their corners while their middles are still apart.
    gap = apart - width * math.sin(angle / 2) if apart > 0 else apart
    gap = max(gap, 0.0) if apart > 0 else gap
    lateral = abs(dx * ny - dy * nx)
    if gap > limits.gap * width or gap < -limits.overlap * width or lateral > limits.lateral * width:
        return None
    if frozenset({a.kind, b.kind}) not in _ALLOWED:
        return None
    scale = 24.0 / width
    return (abs(gap) + PRICES.lateral * lateral) * scale + PRICES.per_degree * math.degrees(angle)
