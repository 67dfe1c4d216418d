"""How surely the tiles now laid were read: as the journal keeps it, and where a fault would hang on it.

One play in two hundred breaks a rule. So where a tile seems to break one at a half that is misread three times in a
hundred, a misreading is six times as likely, whatever the eye takes for its second best: a scratch looks like anything.
So it is where the tile's other half could not be read: what lies across one half may lie across both. Such a fault goes
on record, and is certain nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from companion.geometry import Layout, PlacedTile
from companion.geometry.diff import Observation
from companion.geometry.table_view import SeenHalf
from companion.log.event_fields import Certainty
from companion.perception.half_values import candidates
from companion.rules.notation import Laying
from companion.rules.tile import Laid

SURE_TO_ACCUSE = 0.98
"""So likely must a half be what it was read as before anything that rests on it is certain."""

READABLE = 0.9


def readings_of(observation: Observation, layout: Layout, instead: Mapping[Laid, Laid]) -> dict[Laying, Certainty]:
    """How surely each of the tiles now laid was read; `instead`: what was read where another tile is believed."""
    found = {}
    for change in observation.laid:
        rows = layout.trains.get(change.train) or layout.line
        read = instead.get(change.tile, change.tile)
        placed = next((one for one in reversed(rows) if one.laid == read), None)
        if placed is not None and placed.halves is not None:
            inner, outer = placed.halves[placed.inner_half], placed.halves[1 - placed.inner_half]
            (p, others), (q, more) = _surely(inner, change.tile.inner), _surely(outer, change.tile.outer)
            found[change] = Certainty((p, q), (others, more))
    return found


def _surely(half: SeenHalf, value: int) -> tuple[float, tuple[tuple[int, float], ...]]:
    """How likely the half shows `value`, and what else it may show."""
    if half.value in (None, value):
        return half.p, half.others
    return candidates(half, 0.0).get(value, 0.0), tuple((v, p) for v, p in candidates(half, 0.0).items() if v != value)


def hardly_read(observation: Observation, layout: Layout, engine: int | None) -> bool:
    """Whether a new tile does not meet a neighbour, and one of the two was not read surely enough to accuse anybody:
    a half at their joint, or the other half of either."""
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
    """What a tile was read as, if both halves were read surely enough to accuse somebody; else None."""
    if tile is None or tile.halves is None or min(half.p for half in tile.halves) < SURE_TO_ACCUSE:
        return None
    return tile.laid


def _joints(row: Sequence[PlacedTile], place: int, engine: int | None) -> Iterator[tuple[SeenHalf, SeenHalf, float]]:
    """(half, half that it touches, p of the least sure half of both tiles) before and behind the tile at `place`; the
    first tile of a train touches the engine."""
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
