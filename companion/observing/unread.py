"""Tiles in trains and lines that nobody can read, and what each may be: one question each, and no accusation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from companion.geometry import Layout, PlacedTile, Trouble
from companion.geometry.line_places import read_part
from companion.geometry.table_view import SeenHalf
from companion.perception.half_values import Place, WeighSettings, likely_tiles, place_in_line, value_behind
from companion.rules.tile import Laid, Tile

MOST_CANDIDATES = 6
"""So many tiles can be offered on a telephone without scrolling."""

LEAST_CANDIDATE = 0.01
"""A tile less likely than this is not offered: "None of these" is there for it."""


@dataclass(frozen=True, slots=True)
class Unread:
    """The first tile of `train` that is not read, at `place` (0 next to the engine); `inner` are the ones before it.

    `likely` are (probability, tile as it lies), the likeliest first; empty where the reader has no idea. In a line,
    `train` is the arm, `place` is counted from the tile that came first, and `inner` are the read ones around that,
    from left to right. `covers`: the tile lies on one that nobody saw, which leads from the last of them to it.
    """

    train: str
    place: int
    inner: tuple[Laid, ...]
    likely: tuple[tuple[float, Laid], ...]
    covers: bool = False

    @property
    def key(self) -> tuple[str, int]:
        return self.train, self.place


def unread_tiles(layout: Layout, engine: int | None, box: Mapping[Tile, int]) -> Iterator[Unread]:
    """The first unread tile of every train. `engine`: the value in the middle where it is not seen."""
    lying = Counter(tile.laid.tile for tile in layout.surely() if tile.laid is not None)
    seen = layout.engine.laid if layout.engine is not None else None
    for name, train in layout.trains.items():
        inner: list[Laid] = []
        for place, tile in enumerate(train):
            if tile.laid is not None:
                inner.append(tile.laid)
            elif tile.face_up:
                due = inner[-1].outer if inner else seen.outer if seen is not None else engine
                where = Place(due, value_behind(train, place), tile.crosswise)
                yield Unread(name, place, tuple(inner), _likely(tile, where, box, lying))
                break
            else:
                break


def unread_in_line(layout: Layout, box: Mapping[Tile, int]) -> Iterator[Unread]:
    """The first unread tile towards each end of the line, or the one that came first.

    A tile that may lie on another one is no question yet: the next one tells.
    """
    line = layout.line
    if not line:
        return
    lying = Counter(tile.laid.tile for tile in layout.surely() if tile.laid is not None)
    doubted = {id for problem in layout.problems if problem.trouble is Trouble.COVERED_TILE for id in problem.tiles}
    part = read_part(line)
    inner = tuple(tile.laid for tile in line[part.start : part.stop] if tile.laid is not None)
    for n in {part.stop, part.start - 1 if inner else part.stop}:
        if not 0 <= n < len(line) or line[n].id in doubted:
            continue
        above = line[n + 1] if n + 1 < len(line) else None
        covers = above is not None and above.laid is None and layout.walls.get(above.id) == line[n].id
        n += covers
        arm, place = part.place(n)
        yield Unread(arm, place, inner, _likely(line[n], place_in_line(layout, n), box, lying), covers)


def _likely(
    tile: PlacedTile, where: Place, box: Mapping[Tile, int], lying: Mapping[Tile, int]
) -> tuple[tuple[float, Laid], ...]:
    if tile.halves is None:
        return ()
    first, second = (_as_read(half) for half in tile.halves)
    likely = likely_tiles((first, second), tile.inner_half, where, box, lying, WeighSettings())
    return tuple(one for one in likely[:MOST_CANDIDATES] if one[0] >= LEAST_CANDIDATE)


def _as_read(half: SeenHalf) -> SeenHalf:
    """A half that was read is no question."""
    return half if half.value is None else replace(half, others=())
