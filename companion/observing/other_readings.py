"""Misread and illegal are two hypotheses: what else the new tiles may be, and how likely each of that is.

Before an observation may accuse, the runner-up values of its new tiles are tried. Where one of them makes the table
legal and is not far less likely than somebody breaking a rule, the table is asked and nobody is accused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from companion.geometry import Layout, PlacedTile
from companion.geometry.diff import Observation
from companion.perception.half_values import candidates, value_behind
from companion.rules.notation import Change, Laying
from companion.rules.tile import Laid, Tile

ILLEGAL = 0.005
"""How often a play breaks a rule (field notes: one in 200)."""

ASK = 0.3
"""A misreading that is at least so many times as likely as a broken rule is asked about. When nobody answers it is
believed where it is the likelier of the two."""

BELIEVE = 0.5
"""Where it is at least so many times as likely the tile is what was read, but nothing is certain about it: an
accusation needs better than two to one."""

LEAST = 0.0005
"""The smallest probability of a half that is tried."""

MOST_OTHERS = 4
"""So many other readings of one change are offered at most."""

PATIENCE = 2
"""So many still tables in a row a questioned reading stays the same before it is believed."""

CLOUD_PATIENCE = 2
"""So many changes that would accuse somebody are held back by the same thing that nobody understands. What lies there
longer while the game goes on is no part of it."""

HAND_PATIENCE = 4
"""In so many still tables a stray tile along the table's edge may be a hand that is laid open."""

ROUND_PATIENCE = 2
"""So many further changes of the table wait for an answer about an unscored round before the next one begins."""


@dataclass(frozen=True, slots=True)
class OtherReading:
    """The observation as it would be with other values; `odds` against the values as read (1 is as likely), `instead`:
    (tile as read, tile that it may be) of each."""

    observation: Observation
    odds: float
    instead: tuple[tuple[Laid, Laid], ...]


def other_readings(observation: Observation, layout: Layout, box: Mapping[Tile, int]) -> Iterator[OtherReading]:
    """The observation with new tiles read otherwise, likeliest first; tiles seen elsewhere are left out.

    One tile at a time, and all at once that do not meet their neighbours: in poor light it is not one half that is
    misread, and each of them would be a fault of its own.
    """
    here = {tile.id: tile for tile in layout}
    lying = Counter(tile.laid.tile for tile in layout.surely() if tile.laid is not None)
    found: list[OtherReading] = []
    for tile_id in observation.news:
        tile = here.get(tile_id)
        if tile is None or tile.laid is None:
            continue
        for laid, odds in _others(tile):
            if lying.get(laid.tile, 0) - (laid.tile == tile.laid.tile) >= box.get(laid.tile, 0):
                continue
            found.append(OtherReading(_instead(observation, {tile.laid: laid}), odds, ((tile.laid, laid),)))
    together = _all_that_meet(observation, layout, box)
    if together is not None:
        found.append(together)
    yield from sorted(found, key=lambda one: -one.odds)


def _all_that_meet(observation: Observation, layout: Layout, box: Mapping[Tile, int]) -> OtherReading | None:
    """The observation with each new tile that does not meet its neighbours read as the likeliest that does; the odds
    are those of the least likely of them. None where there are not two of these."""
    lying = Counter(tile.laid.tile for tile in layout.surely() if tile.laid is not None)
    instead: dict[Laid, Laid] = {}
    worst = 1.0
    for train in layout.trains.values():
        due = None
        for n, tile in enumerate(train):
            laid = tile.laid
            if laid is None:
                break
            behind = value_behind(train, n)
            if tile.id in observation.news and (due not in (None, laid.inner) or behind not in (None, laid.outer)):
                before = _met(laid, due, behind)
                for other, odds in sorted(_others(tile), key=lambda one: -one[1]):
                    free = lying.get(other.tile, 0) < box.get(other.tile, 0)
                    if free and _met(other, due, behind) > before:
                        lying[laid.tile] -= 1
                        lying[other.tile] += 1
                        instead[laid], laid, worst = other, other, min(worst, odds)
                        break
            due = laid.outer
    if len(instead) < 2:
        return None
    return OtherReading(_instead(observation, instead), worst, tuple(instead.items()))


def _met(laid: Laid, due: int | None, behind: int | None) -> int:
    """How many of its neighbours a tile meets."""
    return (due in (None, laid.inner)) + (behind in (None, laid.outer))


def _instead(observation: Observation, others: Mapping[Laid, Laid]) -> Observation:
    """The same with other tiles where these were read; whose arm was there stays known."""

    def other(change: Change) -> Change:
        return Laying(others.get(change.tile, change.tile), change.train) if isinstance(change, Laying) else change

    arms = {other(change): row for change, row in observation.arms.items()}
    whose = {other(change): player for change, player in observation.whose.items()}
    return replace(observation, delta=tuple(map(other, observation.delta)), arms=arms, whose=whose)


def _others(tile: PlacedTile) -> Iterator[tuple[Laid, float]]:
    """The tile with one half read otherwise, and the odds of that against what was read."""
    assert tile.halves is not None and tile.laid is not None
    inner, outer = tile.halves[tile.inner_half], tile.halves[1 - tile.inner_half]
    for value, p in candidates(inner, LEAST).items():
        if value != tile.laid.inner:
            yield Laid(value, tile.laid.outer), p / max(inner.p, 1e-6)
    for value, p in candidates(outer, LEAST).items():
        if value != tile.laid.outer:
            yield Laid(tile.laid.inner, value), p / max(outer.p, 1e-6)
