"""What an unread tile probably is: its candidates, weighed by what else lies on the table.

Physics first: a tile that is seen elsewhere cannot be this one. Then the rules as a prior, never as a filter: one play
in two hundred breaks a rule, so a tile that could be the matching one almost certainly is. A reading that is sure of
itself is never touched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from companion.layout import Layout, PlacedTile
from companion.tableview import SeenHalf, SeenTile
from companion.tile import Laid, Tile


@dataclass(frozen=True, slots=True)
class WeighSettings:
    """`mismatch` is how likely a laid tile does not match its neighbour (field-notes: 1 illegal play in 200);
    `sure` the probability from which the likeliest tile is taken as read; `least` that of a candidate half."""

    mismatch: float = 0.005
    sure: float = 0.97
    least: float = 0.02


def candidates(half: SeenHalf, least: float) -> dict[int, float]:
    """Value -> probability of one half, the unlikely ones left out."""
    found = {value: p for value, p in half.others if p >= least}
    if half.value is not None:
        found[half.value] = max(half.p, found.get(half.value, 0.0))
    return found


def likely_tiles(
    halves: tuple[SeenHalf, SeenHalf],
    inner_half: int,
    due: int | None,
    box: Mapping[Tile, int],
    lying: Mapping[Tile, int],
    settings: WeighSettings,
) -> list[tuple[float, Laid]]:
    """(probability, the tile inner half first), likeliest first. `due`: the value it lies against, None at no train.

    `box` says how often each tile exists, `lying` how often it is seen elsewhere.
    """
    inner, outer = candidates(halves[inner_half], settings.least), candidates(halves[1 - inner_half], settings.least)
    weights: dict[Laid, float] = {}
    for a, p in inner.items():
        for b, q in outer.items():
            tile = Tile(a, b)
            if lying.get(tile, 0) >= box.get(tile, 0):
                continue
            prior = 1.0 if due is None or a == due else settings.mismatch
            weights[Laid(a, b)] = p * q * prior
    total = sum(weights.values())
    if total <= 0.0:
        return []
    return sorted(((weight / total, laid) for laid, weight in weights.items()), reverse=True)


def weigh_unread(
    layout: Layout,
    tiles: Sequence[SeenTile],
    engine: int | None,
    box: Mapping[Tile, int],
    recorded: Mapping[str, Sequence[Laid]],
    settings: WeighSettings,
) -> list[SeenTile]:
    """`tiles` with those unread ones filled in that can hardly be anything else: tiles in trains, and the engine.

    `recorded` are the trains as the game has them: what a person has said about an unread tile is known. The engine is
    the round's own double unless it was read as another tile.
    """
    known = Counter(tile.laid.tile for tile in layout if tile.laid is not None)
    filled: dict[tuple[float, float], SeenTile] = {}
    middle = layout.engine
    if engine is not None and middle is not None and middle.laid is None and _may_be(middle, engine):
        filled[middle.seen.center_mm] = _with(middle, Laid(engine, engine))
    for name, train in layout.trains.items():
        due = engine if layout.engine is None or layout.engine.laid is None else layout.engine.laid.outer
        said = recorded.get(name, ())
        for n, tile in enumerate(train):
            laid = tile.laid
            if laid is None and tile.face_up and tile.halves is not None:
                if n < len(said):
                    laid = said[n]
                elif due is not None:
                    laid = _settled(tile, due, box, known, settings)
                if laid is not None:
                    filled[tile.seen.center_mm] = _with(tile, laid)
            due = laid.outer if laid is not None else None
    return [filled.get(tile.center_mm, tile) for tile in tiles]


def _may_be(tile: PlacedTile, value: int) -> bool:
    """Does neither half say clearly that it shows something else?"""
    return tile.face_up and tile.halves is not None and all(half.value in (None, value) for half in tile.halves)


def _settled(
    tile: PlacedTile, due: int, box: Mapping[Tile, int], known: Mapping[Tile, int], settings: WeighSettings
) -> Laid | None:
    assert tile.halves is not None
    likely = likely_tiles(tile.halves, tile.inner_half, due, box, known, settings)
    return likely[0][1] if likely and likely[0][0] >= settings.sure else None


def _with(tile: PlacedTile, laid: Laid) -> SeenTile:
    halves = tile.halves
    assert halves is not None
    values = (laid.inner, laid.outer) if tile.inner_half == 0 else (laid.outer, laid.inner)
    first, second = (replace(half, value=value) for half, value in zip(halves, values, strict=True))
    return replace(tile.seen, halves=(first, second))
