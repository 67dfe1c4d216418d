"""How surely the tiles now laid were read, as the journal keeps it with each play."""

from __future__ import annotations

from collections.abc import Mapping

from companion.geometry import Layout, PlacedTile
from companion.geometry.diff import Observation
from companion.geometry.table_view import SeenHalf
from companion.log.event_fields import Certainty
from companion.perception.half_values import candidates
from companion.rules.notation import Laying
from companion.rules.tile import Laid
from companion.tracking.costs import SURE


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


def surely_laid(tile: PlacedTile | None) -> Laid | None:
    """What a tile was read as, if both halves were read surely enough to accuse somebody; else None."""
    if tile is None or tile.halves is None or min(half.p for half in tile.halves) < SURE:
        return None
    return tile.laid
