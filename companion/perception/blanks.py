"""Where the engine looks blank, no blank is sure; and what lies between two blanks of a train is no back.

The engine's value is known, so what the eye makes of it says how the eye errs on this box: where the double twelve
reads as a double blank, its pips are lost in their ground, and every other blank of the table may be a twelve as well.
A tile without pips and a tile's back look alike; of the two only the double blank joins a blank to a blank.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from companion.geometry import Layout, PlacedTile
from companion.geometry.table_view import Point, SeenHalf, SeenTile

TOUCHING = 0.3
"""An end so many tile widths from a flank touches it."""
LIKELY_BLANK = SeenHalf(None, 0.5, ((0, 0.5),))


def blanks_in_doubt(layout: Layout, tiles: Sequence[SeenTile], engine: int | None) -> tuple[SeenTile, ...] | None:
    """`tiles` with all blanks unread, each as likely the engine's value; None where the engine does not look blank."""
    middle = None if layout.engine is None else layout.engine.halves
    if not engine or middle is None:
        return None
    seen = {half.value for half in middle}
    if 0 not in seen or not seen <= {0, None, engine}:
        return None
    return tuple(_doubted(tile, engine) for tile in tiles)


def _doubted(tile: SeenTile, engine: int) -> SeenTile:
    if not tile.face_up or tile.halves is None:
        return tile
    first, second = (_either(half, engine) for half in tile.halves)
    return replace(tile, halves=(first, second))


def _either(half: SeenHalf, engine: int) -> SeenHalf:
    """The half with what speaks for a blank shared between it and the engine's value."""
    p = dict(half.others)
    if half.value is not None:
        p[half.value] = max(half.p, p.get(half.value, 0.0))
    if 0 not in p or half.value == engine:
        return half
    both = p.pop(0) + p.pop(engine, 0.0)
    shared = {**p, 0: both / 2, engine: both / 2}
    ranked = tuple(sorted(shared.items(), key=lambda one: -one[1]))
    if half.value not in (0, None):
        return SeenHalf(half.value, half.p, tuple(one for one in ranked if one[0] != half.value))
    return SeenHalf(None, ranked[0][1], ranked)


def back_between_blanks(layout: Layout, tiles: Sequence[SeenTile]) -> tuple[SeenTile, ...] | None:
    """`tiles` with the one back that joins a train's open blank to a blank beyond it face up, likely the double blank.

    None where none lies so, where several do, and where the double blank lies elsewhere. A back in line with its train
    is in the train already; this is for one behind which the train turns a corner.
    """
    if any(tile.values == (0, 0) for tile in tiles):
        return None
    open_ends = [train[-1] for train in layout.trains.values() if train]
    joining = [
        down.seen
        for down in layout.face_down
        if down.halves is None
        and any(_joins(down.seen, a, b) for a in _blank_ends(open_ends) for b in _blank_ends(layout.loose, outer=False))
    ]
    if len(joining) != 1:
        return None
    blank = replace(joining[0], face_up=True, halves=(LIKELY_BLANK, LIKELY_BLANK))
    return tuple(blank if tile is joining[0] else tile for tile in tiles)


def _blank_ends(placed: Sequence[PlacedTile], outer: bool = True) -> Iterator[Point]:
    """Where blanks lie at the short ends of tiles, in mm; only at the `outer` ends of those in trains."""
    for one in placed:
        for half in (0, 1):
            if one.halves is not None and one.halves[half].value == 0 and not (outer and half == one.inner_half):
                yield one.seen.end_mm(half)


def _joins(back: SeenTile, before: Point, beyond: Point) -> bool:
    """Whether a tile lies between two ends, in mm: one at each of its halves, or at both flanks of its middle."""
    (x, y), turn, reach = back.center_mm, math.radians(back.heading_deg), back.length_mm / 4
    first, second = ((x + sign * reach * math.cos(turn), y + sign * reach * math.sin(turn)) for sign in (-1, 1))
    if math.dist(before, beyond) < back.width_mm / 2:
        return False
    return any(
        _touches(back, before, one) and _touches(back, beyond, other)
        for one, other in ((first, second), (second, first), (back.center_mm, back.center_mm))
    )


def _touches(back: SeenTile, end: Point, middle: Point) -> bool:
    """Whether an end lies half a tile width from the middle of a half or of the tile."""
    return abs(math.dist(end, middle) - back.width_mm / 2) < TOUCHING * back.width_mm
