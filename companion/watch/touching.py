"""How surely the halves were read at which a tile does not meet its neighbour.

One play in two hundred breaks a rule. So where a tile seems to break one at a half that is misread three times in a
hundred, a misreading is six times as likely, whatever the eye takes for its second best: a scratch looks like anything.
Such a fault goes on record, and is certain nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.layout import Layout, PlacedTile
from companion.observed import Observation
from companion.tableview import SeenHalf
from companion.tile import Laid

SURE_TO_ACCUSE = 0.98


def hardly_read(observation: Observation, layout: Layout, engine: int | None) -> bool:
    """Does a tile now laid meet a neighbour not, at a half of either that is not read surely enough?"""
    for change in observation.laid:
        train = layout.trains.get(change.train)
        row = train or layout.line
        place = next((n for n in reversed(range(len(row))) if row[n].laid == change.tile), None)
        if place is not None and any(
            one.value != other.value and min(one.p, other.p) < SURE_TO_ACCUSE
            for one, other in _joints(row, place, engine if train else None)
        ):
            return True
    return False


def surely_laid(tile: PlacedTile | None) -> Laid | None:
    """What a tile was read as, where both halves were read so surely that somebody may be held to it."""
    if tile is None or tile.halves is None or min(half.p for half in tile.halves) < SURE_TO_ACCUSE:
        return None
    return tile.laid


def _joints(row: Sequence[PlacedTile], place: int, engine: int | None) -> Iterator[tuple[SeenHalf, SeenHalf]]:
    """The halves that touch before and behind a tile of a row; before the first of a train the engine's."""
    halves = [_inner_and_outer(tile) for tile in row]
    if place == 0 and engine is not None and halves[0] is not None:
        yield SeenHalf(engine, 1.0), halves[0][0]
    for before, after in ((place - 1, place), (place, place + 1)):
        if before >= 0 and after < len(row):
            one, other = halves[before], halves[after]
            if one is not None and other is not None:
                yield one[1], other[0]


def _inner_and_outer(tile: PlacedTile) -> tuple[SeenHalf, SeenHalf] | None:
    return None if tile.halves is None else (tile.halves[tile.inner_half], tile.halves[1 - tile.inner_half])
