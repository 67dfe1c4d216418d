"""Where the engine looks blank, no blank is sure.

The engine's value is known, so what the eye makes of it says how the eye errs on this box: where the double twelve
reads as a double blank, its pips are lost in their ground, and every other blank of the table may be a twelve as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.geometry import Layout
from companion.geometry.table_view import SeenHalf, SeenTile


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
