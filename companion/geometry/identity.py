"""Which tile is which: identities carried from one still table to the next.

A tile that lies where one lay is that tile: a nudge is no change, and what glare hides now was read before. Physics is
the only hard constraint here: a laid tile keeps its value, so a different value in its place is reported as such.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from companion.geometry.angles import turn, wrapped
from companion.geometry.joints import distance
from companion.geometry.layout import PlacedTile
from companion.geometry.table_view import Point, SeenHalf, SeenTile

SAME_PLACE = 0.5
"""Tile widths a tile may have moved and still be itself without its values to prove it."""

SAME_VALUES_REACH = 1.5
"""Tile widths within which an equal tile is the same one, pushed aside."""

SHIFT_REACH = 4.0
"""Tile widths by which the whole table may have jumped (camera or cloth pulled) between two still tables."""

LARGEST_TURN_DEG = 30.0


@dataclass(frozen=True, slots=True)
class Known:
    """A tile of the view: who it is, as seen now with what was known before; `changed`: another value in its place."""

    seen: SeenTile
    old: PlacedTile | None = None
    changed: bool = False


def identify(tiles: Sequence[SeenTile], before: Sequence[PlacedTile], width: float) -> list[Known]:
    """One Known for each tile, in order. Each earlier tile is given away once: to whoever is watched as that tile, then
    to the nearest of those that nobody has watched so long."""
    matched = _watched(tiles, before)
    given = set(matched.values())
    rest = [n for n in range(len(tiles)) if n not in matched]
    left = [m for m in range(len(before)) if m not in given]
    if rest and left:
        found = _nearest([tiles[n] for n in rest], [before[m] for m in left], width)
        matched |= {rest[n]: left[m] for n, m in found.items()}
    return [_known(tile, before[matched[n]]) if n in matched else Known(tile, None) for n, tile in enumerate(tiles)]


def _watched(tiles: Sequence[SeenTile], before: Sequence[PlacedTile]) -> dict[int, int]:
    """Index of a tile -> index of the earlier one that is the same track. Of several that lie on each other in a wall,
    which were one track after the other, it is the one that shows the same values."""
    earlier: dict[int, list[int]] = {}
    for m, old in enumerate(before):
        if old.seen.track is not None:
            earlier.setdefault(old.seen.track, []).append(m)
    found: dict[int, int] = {}
    for n, tile in enumerate(tiles):
        if tile.track is not None and tile.track in earlier:
            found[n] = min(earlier[tile.track], key=lambda m: not _same_values(tile, before[m].seen))
    return found


def _nearest(tiles: Sequence[SeenTile], before: Sequence[PlacedTile], width: float) -> dict[int, int]:
    """Index of a tile -> index of the earlier one that lay there, by where it lies and what it shows."""
    shift = _common_shift(tiles, before, width)
    offers: list[tuple[float, int, int]] = []
    farthest = max(SAME_VALUES_REACH, SAME_PLACE) * width
    for n, tile in enumerate(tiles):
        for m, old in enumerate(before):
            was = old.seen.center_mm
            aside, along = tile.center_mm[0] - was[0] - shift[0], tile.center_mm[1] - was[1] - shift[1]
            if abs(aside) > farthest or abs(along) > farthest:
                continue
            apart = math.hypot(aside, along)
            same = _same_values(tile, old.seen)
            reach = SAME_VALUES_REACH if same else SAME_PLACE
            if apart <= reach * width and (same or _turn(tile, old.seen) <= LARGEST_TURN_DEG):
                offers.append((apart if same else apart + 0.25 * width, n, m))
    offers.sort()
    matched: dict[int, int] = {}
    given: set[int] = set()
    for _, n, m in offers:
        if n not in matched and m not in given:
            matched[n] = m
            given.add(m)
    return matched


def _known(tile: SeenTile, old: PlacedTile) -> Known:
    """The tile turned so that its halves lie as the old one's, with what was read earlier where nothing is read now."""
    tile = turned_like(tile, old.seen)
    was = old.seen.halves
    if was is None:
        return Known(tile, old)
    if not tile.face_up or tile.halves is None:
        return Known(replace(tile, halves=was), old)
    merged = (_merged(tile.halves[0], was[0]), _merged(tile.halves[1], was[1]))
    changed = any(
        now.value is not None and then.value is not None and now.value != then.value
        for now, then in zip(tile.halves, was, strict=True)
    )
    return Known(replace(tile, halves=merged), old, changed)


def _merged(now: SeenHalf, then: SeenHalf) -> SeenHalf:
    return then if now.value is None and then.value is not None else now


def turned_like(tile: SeenTile, old: SeenTile) -> SeenTile:
    """Turned so that half 0 is the same end as in `old`, where the reader took the other end first."""
    if abs(turn(tile.heading_deg, old.heading_deg)) <= 90.0:
        return tile
    halves = None if tile.halves is None else (tile.halves[1], tile.halves[0])
    box = tile.box_px
    turned = None if box is None else (box[2], box[3], box[0], box[1])
    return replace(tile, heading_deg=wrapped(tile.heading_deg + 180.0), halves=halves, box_px=turned)


def _same_values(a: SeenTile, b: SeenTile) -> bool:
    """Equal and fully read, in whichever direction."""
    first, second = a.values, b.values
    return a.face_up and b.face_up and first is not None and second is not None and sorted(first) == sorted(second)


def _turn(a: SeenTile, b: SeenTile) -> float:
    """The angle between two tiles' long axes, 0 to 90 degrees."""
    turned = abs(turn(a.heading_deg, b.heading_deg))
    return min(turned, 180.0 - turned)


def _common_shift(tiles: Sequence[SeenTile], before: Sequence[PlacedTile], width: float) -> Point:
    """By how much everything moved together: the median over tiles that are read the same; (0, 0) with few of them."""
    moves: list[Point] = []
    for tile in tiles:
        near = [
            old.seen.center_mm
            for old in before
            if distance(tile.center_mm, old.seen.center_mm) <= SHIFT_REACH * width and _same_values(tile, old.seen)
        ]
        if len(near) == 1:
            moves.append((tile.center_mm[0] - near[0][0], tile.center_mm[1] - near[0][1]))
    if len(moves) < 3:
        return 0.0, 0.0
    shift = median(x for x, _ in moves), median(y for _, y in moves)
    agree = sum(math.hypot(x - shift[0], y - shift[1]) <= 0.3 * width for x, y in moves)
    return shift if agree * 2 > len(moves) else (0.0, 0.0)
