"""What a wall hides: a tile laid on its equal shows nothing, nor does one that the next tile covers in the same moment.

A Chinese line folds back on itself (docs/rules.md section 4.2, stacking), so the place of the next tile is known. Which
tile a later one proves to lie there is told here; whether that is believed is for others to decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from companion.geometry.identity import turned_like
from companion.geometry.layout import Layout, PlacedTile
from companion.geometry.table_setup import TableSetup
from companion.geometry.table_view import SeenHalf, SeenTile, leans_from
from companion.rules.tile import Laid, Tile, chinese_set

WALL = 8
"""Tiles in a wall's first row: the ninth lies on the eighth."""

INFERRED = 0.5
"""How sure the halves of a tile are that nobody saw: never as sure as a reading."""

LEAST_ALIKE = 5
"""So many of a wall's eight tiles have to lie on top as they are on record."""


LEANING = 4.0
"""A reading of the place of a wall's next tile names no value, but another one is so much likelier (6 dB) than what lay
there: something else lies there now. Another tile is what is expected there."""


def hides(now: SeenTile, then: SeenTile) -> bool:
    """Does another tile lie on this one, where the wall's next is due, though one of the two could not be read?

    An unread tile that somebody reached for once more, and that is read as something else, lies under that.
    """
    now = turned_like(now, then)
    return leans_from(now, then, LEANING) or leans_from(then, now, 1.0)


def place_of_next(line: Sequence[PlacedTile], buried: Sequence[int] = ()) -> PlacedTile | None:
    """The tile on which the next one of a wall lies; None while the first row is not full."""
    layer, k = divmod(len(line) + len(buried), WALL)
    place = WALL * layer - 1 - k
    return None if layer == 0 else line[place - sum(below < place for below in buried)]


def under_the_next(layout: Layout | None) -> SeenTile | None:
    """What is seen now where the next tile of a wall will lie."""
    below = None if layout is None else place_of_next(layout.line, layout.buried)
    return None if below is None else below.seen


def equal_cover(
    line: Sequence[PlacedTile], setup: TableSetup, new_id: int, buried: Sequence[int] = ()
) -> PlacedTile | None:
    """The equal tile that may have been laid, unseen, where the wall has come to; None where none could match."""
    below = place_of_next(line, buried)
    if below is None or below.laid is None or line[-1].laid is None:
        return None
    laid = Laid(below.laid.outer, below.laid.inner)
    if laid.inner != line[-1].laid.outer or copies_left(laid.tile, line, setup) < 1:
        return None
    return replace(below, id=new_id, inner_half=1 - below.inner_half)


def covered_at_the_turn(
    line: Sequence[PlacedTile], setup: TableSetup, new: PlacedTile, new_id: int, buried: Sequence[int] = ()
) -> PlacedTile | None:
    """The last tile of a row, covered by `new` before it was ever seen; None where `new` may be that last tile itself.

    `new` is placed as if it were the last of its row. It matches nothing so, but as the first tile of the next row it
    lies on a tile that leads from the line's end to it, and only one tile does. Where the half of `new` that tells is
    not read, that tile's outer half is not known either.
    """
    length = len(line) + len(buried)
    if setup.arms != 1 or not line or length % WALL != WALL - 1 or new.halves is None or line[-1].laid is None:
        return None
    end = line[-1].laid.outer
    inner, outer = new.halves[new.inner_half], new.halves[1 - new.inner_half]
    if inner.value == end:
        return None
    if outer.value is not None and copies_left(Tile(end, outer.value), [*line, new], setup) < 1:
        return None
    halves = [SeenHalf(outer.value, INFERRED if outer.value is not None else 0.0)] * 2
    halves[new.inner_half] = SeenHalf(end, INFERRED)
    return PlacedTile(new_id, replace(new.seen, halves=(halves[0], halves[1])), new.inner_half)


def inferred_from_cover(line: Sequence[PlacedTile], walls: Mapping[int, int]) -> list[PlacedTile]:
    """The line with the outer half of every tile that was not read before the wall turned on it, as the tile that
    covers it tells: the two halves lie on each other. As sure as what nobody saw."""
    filled = list(line)
    for n, (below, above) in enumerate(pairwise(line)):
        if below.halves is None or walls.get(above.id) != below.id or above.laid is None:
            continue
        inner, outer = below.halves[below.inner_half], below.halves[1 - below.inner_half]
        if inner.value is not None and outer.value is None:
            halves = (inner, SeenHalf(above.laid.inner, INFERRED))
            filled[n] = replace(
                below, seen=replace(below.seen, halves=halves if below.inner_half == 0 else halves[::-1])
            )
    return filled


def covered(layout: Layout, setup: TableSetup) -> Layout | None:
    """The layout with an equal tile laid on the wall's next place, which looks the same; None where none could be."""
    below = place_of_next(layout.line, layout.buried)
    cover = equal_cover(layout.line, setup, layout.next_id, layout.buried)
    if cover is None or below is None or below.id in layout.walls.values():
        return None
    walls = {**layout.walls, cover.id: below.id}
    return replace(layout, line=(*layout.line, cover), walls=walls, next_id=layout.next_id + 1)


def copies_left(tile: Tile, line: Iterable[PlacedTile], setup: TableSetup) -> int:
    """How many of this tile are not in the line."""
    box: Mapping[Tile, int] = chinese_set()
    each = setup.copies if setup.copies is not None else box.get(tile, 0)
    return each - Counter(placed.laid.tile for placed in line if placed.laid is not None)[tile]


def with_history(layout: Layout, recorded: Sequence[Laid]) -> Layout:
    """A wall seen for the first time, with what is on record under its tiles.

    Unchanged where the line is no wall yet, or where what lies on top is not what should. A few tiles may lie there
    that are not on record yet: the next comparison finds them.
    """
    row = layout.line
    if len(recorded) <= WALL or len(row) != WALL:
        return layout
    line: list[PlacedTile] = []
    tops: dict[int, int] = {}
    walls: dict[int, int] = {}
    new_id = layout.next_id
    for n, laid in enumerate(recorded):
        layer, k = divmod(n, WALL)
        slot = k if layer % 2 == 0 else WALL - 1 - k
        seen = row[slot]
        inner = seen.inner_half if layer % 2 == 0 else 1 - seen.inner_half
        halves = [SeenHalf(laid.outer, 1.0)] * 2
        halves[inner] = SeenHalf(laid.inner, 1.0)
        line.append(PlacedTile(new_id, replace(seen.seen, halves=(halves[0], halves[1])), inner))
        if slot in tops:
            walls[new_id] = tops[slot]
        tops[slot] = new_id
        new_id += 1
    by_id = {tile.id: tile for tile in line}
    alike = sum(by_id[top].seen.values == row[slot].seen.values for slot, top in tops.items())
    if alike < LEAST_ALIKE:
        return layout
    return replace(layout, line=tuple(line), walls=walls, next_id=new_id)
