"""How surely the halves were read at which a tile does not meet its neighbour.

One play in two hundred breaks a rule. So where a tile seems to break one at a half that is misread three times in a
hundred, a misreading is six times as likely, whatever the eye takes for its second best: a scratch looks like anything.
So it is where the tile's other half could not be read: what lies across one half may lie across both. Such a fault goes
on record, and is certain nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.geometry import Layout, PlacedTile
from companion.geometry.diff import Observation
from companion.geometry.table_view import SeenHalf
from companion.rules.tile import Laid

SURE_TO_ACCUSE = 0.98
"""So likely must a half be what it was read as before anything that rests on it is certain."""

READABLE = 0.9


def hardly_read(observation: Observation, layout: Layout, engine: int | None) -> bool:
    """Does a tile now laid meet a neighbour not, where a half at that joint is not read surely enough, or the other
    half of one of the two is not readable?"""
    for change in observation.laid:
        train = layout.trains.get(change.train)
        row = train or layout.line
        place = next((n for n in reversed(range(len(row))) if row[n].laid == change.tile), None)
        if place is not None and any(
            one.value != other.value and (min(one.p, other.p) < SURE_TO_ACCUSE or worst < READABLE)
            for one, other, worst in _joints(row, place, engine if train else None)
        ):
            return True
    return False


def surely_laid(tile: PlacedTile | None) -> Laid | None:
    """What a tile was read as, where both halves were read so surely that somebody may be held to it."""
    if tile is None or tile.halves is None or min(half.p for half in tile.halves) < SURE_TO_ACCUSE:
        return None
    return tile.laid


def _joints(row: Sequence[PlacedTile], place: int, engine: int | None) -> Iterator[tuple[SeenHalf, SeenHalf, float]]:
    """The halves that touch before and behind a tile of a row, before the first of a train the engine's, and how surely
    the least sure half of both tiles was read."""
    halves = [_inner_and_outer(tile) for tile in row]
    if place == 0 and engine is not None and (first := halves[0]) is not None:
        yield SeenHalf(engine, 1.0), first[0], min(half.p for half in first)
    for before, after in ((place - 1, place), (place, place + 1)):
        if before >= 0 and after < len(row):
            one, other = halves[before], halves[after]
            if one is not None and other is not None:
                yield one[1], other[0], min(half.p for half in (*one, *other))


def _inner_and_outer(tile: PlacedTile) -> tuple[SeenHalf, SeenHalf] | None:
    return None if tile.halves is None else (tile.halves[tile.inner_half], tile.halves[1 - tile.inner_half])
