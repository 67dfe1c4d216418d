"""Which other tiles a laid one may be, by its reading: values of halves are part of a hypothesis like anything else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from companion.log.event_fields import Certainty
from companion.rules.actions import LEFT, RIGHT
from companion.rules.tile import Laid
from companion.tracking.costs import COST, SURE, Cause, decibans

MOST_OTHERS = 6
"""So many other tiles of one reading are weighed at most."""


class OtherTile(NamedTuple):
    """`cost`: what it costs, in decibans, that this tile lies there and not the one that was read."""

    cost: int
    tile: Laid


def other_tiles(read: Laid, train: str, reading: Certainty | None) -> tuple[OtherTile, ...]:
    """The other tiles that this one may be, the likeliest first; none where it is not known how it was read.

    One half is another one, or both where neither was read surely. Readings of one picture err together, so two halves
    cost no more than the dearer of them. A tile across its train is mostly a double, one along it mostly none.
    """
    if reading is None:
        return ()
    found: dict[Laid, int] = {}
    for tile, cost in _others(read, reading):
        cost = max(0, cost + _habit(tile, train, reading.across) - _habit(read, train, reading.across))
        if tile != read and cost <= COST[Cause.ANOTHER_TILE]:
            found[tile] = min(cost, found.get(tile, cost))
    return tuple(sorted(OtherTile(cost, tile) for tile, cost in found.items())[:MOST_OTHERS])


def _others(read: Laid, reading: Certainty) -> Iterator[tuple[Laid, int]]:
    inner, outer = (_odds(p, others) for p, others in zip(reading.p, reading.others, strict=True))
    yield from ((Laid(value, read.outer), cost) for value, cost in inner)
    yield from ((Laid(read.inner, value), cost) for value, cost in outer)
    if max(reading.p) < SURE:
        yield from ((Laid(a, b), max(cost, more)) for a, cost in inner for b, more in outer)


def _odds(p: float, others: tuple[tuple[int, float], ...]) -> list[tuple[int, int]]:
    """(value, decibans of its odds against what was read)."""
    return [(value, decibans(q / max(p, q))) for value, q in others if q > 0.0]


def _habit(tile: Laid, train: str, across: bool | None) -> int:
    """What it costs that this tile lies as it does."""
    if across is None or train in (LEFT, RIGHT) or across == tile.is_double:
        return 0
    return COST[Cause.NO_DOUBLE_ACROSS] if across else COST[Cause.DOUBLE_ALONG]
