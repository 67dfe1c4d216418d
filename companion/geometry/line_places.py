"""The places of a Chinese line, counted outwards from the tile that came first: so they stay while it grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from companion.geometry.layout import Layout, PlacedTile
from companion.rules.actions import LEFT, RIGHT
from companion.rules.tile import Laid

LinePlace = tuple[str, int]
"""The arm, R or L, and how many tiles from the one that came first, which lies at (R, 0)."""


@dataclass(frozen=True, slots=True)
class ReadPart:
    """Indices in a line: the tile that came `first`, and the read ones around it from `start` up to before `stop`."""

    first: int
    start: int
    stop: int

    def place(self, n: int) -> LinePlace:
        return (RIGHT, n - self.first) if n >= self.first else (LEFT, self.first - n)


def read_part(line: Sequence[PlacedTile]) -> ReadPart:
    """Of a line that has begun. Identities are given in the order of coming."""
    first = min(range(len(line)), key=lambda n: line[n].id)
    if line[first].laid is None:
        return ReadPart(first, first, first)
    return read_around(line, first)


def read_around(line: Sequence[PlacedTile], first: int) -> ReadPart:
    """The read tiles around this one, which is read."""
    start = next((n + 1 for n in range(first, -1, -1) if line[n].laid is None), 0)
    stop = next((n for n in range(first, len(line)) if line[n].laid is None), len(line))
    return ReadPart(first, start, stop)


def as_recorded(layout: Layout, recorded: Sequence[Laid], guessed: Mapping[LinePlace, Laid]) -> Layout:
    """The layout, the unread tiles of its line taken as they are on record, or as what they are held to be."""
    line = layout.line
    if all(tile.laid is not None for tile in line):
        return layout
    part = read_part(line)
    offset = _offset([tile.laid for tile in line[part.start : part.stop]], recorded)
    tiles: list[PlacedTile] = []
    for n, tile in enumerate(line):
        at = -1 if offset is None else offset + n - part.start
        laid = recorded[at] if 0 <= at < len(recorded) else guessed.get(part.place(n))
        tiles.append(tile if tile.laid is not None or laid is None else replace(tile, seen=tile.read_as(laid)))
    return replace(layout, line=tuple(tiles))


def _offset(read: Sequence[Laid | None], recorded: Sequence[Laid]) -> int | None:
    """Where the read tiles begin in the record, None where they are not in it as they lie, or more than once."""
    found = [n for n in range(len(recorded) - len(read) + 1) if list(recorded[n : n + len(read)]) == list(read)]
    return found[0] if read and len(found) == 1 else None
