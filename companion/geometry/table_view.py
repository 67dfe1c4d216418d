"""What lies on the table, in millimetres: the only thing the game ever learns from the camera.

Table coordinates: corner 0 of the calibrated table is the origin, +x runs towards corner 1, +y towards corner 3;
angles are atan2(dy, dx) in degrees in that frame (clockwise in a picture whose corners were given clockwise).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class SeenHalf:
    """One half as read: `value` None is *unreadable*; `others` are runner-up values with their probability."""

    value: int | None
    p: float
    others: tuple[tuple[int, float], ...] = ()

    def leans_from(self, value: int, times: float) -> bool:
        """Unread, yet another value is so many times likelier than this one."""
        if self.value is not None or not self.others:
            return False
        likelihood = dict(self.others)
        best = max(likelihood, key=lambda other: likelihood[other])
        return best != value and likelihood[best] >= times * likelihood.get(value, 0.0)


@dataclass(frozen=True, slots=True)
class SeenTile:
    """One tile as it lies. `heading_deg` points from the middle of half 0 to the middle of half 1.

    `face_up` False is a tile lying face down (no halves). `box_px` is where the picture shows it (4 corners, clockwise,
    half 0 at the edge 0-1), for evidence only. `track` is who it is for somebody who has watched it lie there: equal
    numbers in two views of one table are one tile. None: nobody has watched it, as in a single picture.
    """

    center_mm: Point
    heading_deg: float
    length_mm: float
    width_mm: float
    face_up: bool
    halves: tuple[SeenHalf, SeenHalf] | None
    confidence: float
    box_px: tuple[Point, Point, Point, Point] | None = None
    track: int | None = None

    @property
    def values(self) -> tuple[int, int] | None:
        """Both values, or None while either half is unreadable or the tile lies face down."""
        if self.halves is None:
            return None
        a, b = self.halves[0].value, self.halves[1].value
        return None if a is None or b is None else (a, b)

    def end_mm(self, half: int) -> Point:
        """The middle of the short edge of half 0 or 1."""
        sign = -1.0 if half == 0 else 1.0
        a = math.radians(self.heading_deg)
        reach = sign * self.length_mm / 2
        return self.center_mm[0] + reach * math.cos(a), self.center_mm[1] + reach * math.sin(a)


def leans_from(unread: SeenTile, read: SeenTile, times: float) -> bool:
    """Whether a half that one look did not read is so many times likelier another value than the one that was read in
    the other look; the tile lies the same way round in both."""
    halves = zip(unread.halves or (), read.halves or (), strict=False)
    return any(known.value is not None and half.leans_from(known.value, times) for half, known in halves)


@dataclass(frozen=True, slots=True)
class SeenMarker:
    """`recognised`: it looks like a marker, and is not only something that lies where one would. `known`: like one that
    the family has shown or said is theirs; `owner`: the player whose it is then, where that was said."""

    center_mm: Point
    confidence: float
    recognised: bool = True
    known: bool = False
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class SeenHub:
    center_mm: Point
    radius_mm: float
    confidence: float


@dataclass(frozen=True, slots=True)
class TableView:
    """One still table. `frame` names the picture it was read from, `size_mm` is the calibrated table (w, h)."""

    tiles: tuple[SeenTile, ...]
    markers: tuple[SeenMarker, ...] = ()
    hub: SeenHub | None = None
    size_mm: tuple[float, float] = (1200.0, 900.0)
    frame: str | None = None
