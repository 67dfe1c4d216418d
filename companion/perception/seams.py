"""Finds across the seam of two neighbours: the half of one tile and the half of the next, taken for a tile.

Chinese tiles have no divider, so that 6:2 2:4 may be read as 2:2, and surely. A tile cannot lie half over one that is
known to lie there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.geometry.angles import turn
from companion.geometry.joints import distance
from companion.geometry.table_view import Point, SeenHalf, SeenTile

PARALLEL_DEG = 15.0
NEAR = 0.35
"""Tile widths within which the middles of two halves are one place."""


@dataclass(frozen=True, slots=True)
class Seam:
    """`over` are the tiles (indices) that the find lies on; `beyond` is the tile whose near half it shows, if any."""

    over: tuple[int, ...]
    beyond: SeenTile | None


def seam(find: SeenTile, lying: Sequence[SeenTile]) -> Seam | None:
    """What a find is if one of its halves is a half of a tile that lies there already, and shows the same; else None.

    Of the tile beyond the half that was found is believed; the other one, half a tile farther on, is unread.
    """
    if not find.face_up or find.halves is None:
        return None
    on: dict[int, int] = {}
    for half in (0, 1):
        for n, tile in enumerate(lying):
            if n not in on.values() and _is_a_half_of(find, half, tile):
                on[half] = n
                break
    if not on:
        return None
    if len(on) == 2:
        return Seam(tuple(on.values()), None)
    (near,) = on
    x, y = find.center_mm
    here, there = _middles(find)[near], _middles(find)[1 - near]
    beyond = (x + there[0] - here[0], y + there[1] - here[1])
    shown, unread = find.halves[1 - near], SeenHalf(None, 0.0)
    halves = (shown, unread) if near == 0 else (unread, shown)
    return Seam(tuple(on.values()), replace(find, center_mm=beyond, halves=halves, box_px=None))


def _is_a_half_of(find: SeenTile, half: int, tile: SeenTile) -> bool:
    """Does this half of the find lie on one half alone of the tile, and show what that shows?"""
    if not tile.face_up or tile.halves is None or find.halves is None:
        return False
    turned = abs(turn(find.heading_deg, tile.heading_deg))
    if min(turned, 180.0 - turned) > PARALLEL_DEG:
        return False
    near = NEAR * tile.width_mm
    if distance(find.center_mm, tile.center_mm) < near:
        return False
    shown = find.halves[half].value
    return any(
        distance(_middles(find)[half], middle) <= near and shown is not None and shown == lies.value
        for middle, lies in zip(_middles(tile), tile.halves, strict=True)
    )


def _middles(tile: SeenTile) -> tuple[Point, Point]:
    """The middles of the two halves; half 0 lies against the heading."""
    u = math.radians(tile.heading_deg)
    dx, dy = math.cos(u) * tile.length_mm / 4, math.sin(u) * tile.length_mm / 4
    x, y = tile.center_mm
    return (x - dx, y - dy), (x + dx, y + dy)
