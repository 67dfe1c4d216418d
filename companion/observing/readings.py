"""How surely the tiles now laid were read, as the journal keeps it with each play.

The eye is as sure as its training made it, and may be sure of a six where this box prints a twelve in two rows of six
and the picture is coarse. Halves whose value the table tells (the engine, what joins it) say how it reads that value
here: what it nearly took them for is doubtful wherever it reads that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from companion.geometry import Layout, PlacedTile
from companion.geometry.diff import Observation
from companion.geometry.table_view import SeenHalf
from companion.log.event_fields import Certainty
from companion.rules.notation import Laying
from companion.rules.tile import Laid
from companion.tracking.costs import SURE

COARSE_PX, COARSELY = 26.0, 0.998
"""A half narrower than this in the picture is never read more surely than the second. Of the other renderer's halves
22 to 25 px wide 3 of 4,673 were wrong though read with .999 and more (bench/coarse.py): too many to accuse by."""

TAKEN_FOR, PRINT = 0.2, 0.8
"""A half that nobody could read, while the table tells its value, is taken for another one from the first probability
on, if a print is seen there at all: what a marker covers may be anything. All values together are then as likely as the
second."""

Confused = Mapping[int, Mapping[int, float]]
"""What was read -> {what lay there: how likely the eye held what was read to be}."""


def readings_of(observation: Observation, layout: Layout) -> dict[Laying, Certainty]:
    """How surely each of the tiles now laid was read, and whether it lies across its train."""
    found = {}
    confused = confused_here(layout)
    for change in observation.laid:
        train = layout.trains.get(change.train)
        placed = next((one for one in reversed(train or layout.line) if one.laid == change.tile), None)
        if placed is not None and placed.halves is not None:
            inner, outer = placed.halves[placed.inner_half], placed.halves[1 - placed.inner_half]
            p, others = _doubted(inner, *_surely(inner, change.tile.inner), confused)
            q, more = _doubted(outer, *_surely(outer, change.tile.outer), confused)
            most = COARSELY if _is_coarse(placed) else 1.0
            found[change] = Certainty((min(p, most), min(q, most)), (others, more), placed.crosswise if train else None)
    return found


def _is_coarse(tile: PlacedTile) -> bool:
    """Whether the picture shows its halves too small to prove anything by them."""
    box = tile.seen.box_px
    return box is not None and min(math.dist(box[0], box[1]), math.dist(box[1], box[2])) < COARSE_PX


def confused_here(layout: Layout) -> Confused:
    """Which values the eye does not tell apart on this table: halves that it could not read, though what they join
    tells their value."""
    found: dict[int, dict[int, float]] = {}
    for half in _halves(layout):
        likelihood = dict(half.others)
        # Only of a half that was not read its own value is among the others.
        if half.value is None or half.value not in likelihood or sum(likelihood.values()) < PRINT:
            continue
        for value, p in half.others:
            if value != half.value and p >= TAKEN_FOR:
                lay = found.setdefault(value, {})
                lay[half.value] = max(p, lay.get(half.value, 0.0))
    return found


def _halves(layout: Layout) -> Iterator[SeenHalf]:
    engine = () if layout.engine is None else (layout.engine,)
    for tile in (*engine, *(one for train in layout.trains.values() for one in train), *layout.line):
        yield from tile.halves or ()


def _doubted(
    half: SeenHalf, p: float, others: tuple[tuple[int, float], ...], confused: Confused
) -> tuple[float, tuple[tuple[int, float], ...]]:
    """`p` of what was read and the runners-up, with the values that the eye has taken for this one here."""
    if half.value is None or half.value in dict(half.others):
        return p, others
    weights = dict(others)
    for value, share in confused.get(half.value, {}).items():
        weights[value] = max(weights.get(value, 0.0), p * share)
    if weights == dict(others):
        return p, others
    total = p + sum(weights.values())
    ranked = sorted(weights.items(), key=lambda one: (-one[1], one[0]))
    return p / total, tuple((value, share / total) for value, share in ranked)


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
