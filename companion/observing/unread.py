"""Tiles in trains that nobody can read, and what each of them may be: one question each, and no accusation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from companion.geometry import Layout, PlacedTile
from companion.geometry.table_view import SeenHalf
from companion.perception.half_values import Place, WeighSettings, likely_tiles, value_behind
from companion.rules.tile import Laid, Tile

MOST_CANDIDATES = 6
"""So many tiles can be offered on a telephone without scrolling."""

LEAST_CANDIDATE = 0.01
"""A tile less likely than this is not offered: "None of these" is there for it."""


@dataclass(frozen=True, slots=True)
class Unread:
    """The first tile of `train` that is not read, at `place` (0 next to the engine); `inner` are the ones before it.

    `likely` are (probability, tile as it lies), the likeliest first; empty where the reader has no idea.
    """

    train: str
    place: int
    inner: tuple[Laid, ...]
    likely: tuple[tuple[float, Laid], ...]

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
