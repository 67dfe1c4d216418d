"""How surely the tiles now laid were read, as the journal keeps it with each play."""

from __future__ import annotations

from companion.geometry import Layout, PlacedTile
from companion.geometry.diff import Observation
from companion.geometry.table_view import SeenHalf
from companion.log.event_fields import Certainty
from companion.rules.notation import Laying
from companion.rules.tile import Laid
from companion.tracking.costs import SURE


def readings_of(observation: Observation, layout: Layout) -> dict[Laying, Certainty]:
    """How surely each of the tiles now laid was read, and whether it lies across its train."""
    found = {}
    for change in observation.laid:
        train = layout.trains.get(change.train)
        placed = next((one for one in reversed(train or layout.line) if one.laid == change.tile), None)
        if placed is not None and placed.halves is not None:
            inner, outer = placed.halves[placed.inner_half], placed.halves[1 - placed.inner_half]
            (p, others), (q, more) = _surely(inner, change.tile.inner), _surely(outer, change.tile.outer)
            found[change] = Certainty((p, q), (others, more), placed.crosswise if train else None)
    return found


def _surely(half: SeenHalf, value: int) -> tuple[float, tuple[tuple[int, float], ...]]:
    """How likely the half shows `value`, and what else it may show. Of a half that was not read the runners-up have
    `value` among them; where they do not, nothing of it was seen."""
    likelihood = dict(half.others)
    others = tuple(one for one in half.others if one[0] != value)
    if value in likelihood:
        return likelihood[value], others
    unread = bool(others) and max(likelihood.values()) >= half.p
    return (max(0.0, 1.0 - sum(likelihood.values())) if unread else half.p), others


def surely_laid(tile: PlacedTile | None) -> Laid | None:
    """What a tile was read as, if both halves were read surely enough to accuse somebody; else None."""
    if tile is None or tile.halves is None or min(half.p for half in tile.halves) < SURE:
        return None
    return tile.laid
