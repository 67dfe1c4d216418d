"""How the trains of a made-up table run, for figures by kind of train."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from companion.geometry.layout import turn
from datasets.simulator.lying import Lying
from datasets.simulator.placing import Rect, overlap
from datasets.simulator.tabletop import TableTop

CORNER_DEG, BACK_DEG = 45.0, 135.0
"""A tile that leaves the one before it at more than the first has turned a corner; a train that comes to run at more
than the second from where it began has doubled back."""


def train_kinds(table: TableTop) -> Mapping[str, frozenset[str]]:
    """Train -> what it is of `straight`, `turns`, `doubles back`, `beside another` (a tile after its first lies within
    a tile's width of another train) and `ends beside another`; none for a train that has not begun."""
    length, width, _ = table.plan.tile_mm
    rects = {name: [tile.rect(length, width) for tile in tiles] for name, tiles in table.trains.items()}
    found: dict[str, frozenset[str]] = {}
    for name, tiles in table.trains.items():
        if not tiles:
            continue
        others = [rect for other, more in rects.items() if other != name for rect in more]
        near = [any(overlap(_reach(rect, width), other) for other in others) for rect in rects[name]]
        kinds = {_runs(tiles)}
        if any(near[1:]):
            kinds.add("beside another")
        if len(near) > 1 and near[-1]:
            kinds.add("ends beside another")
        found[name] = frozenset(kinds)
    return found


def _runs(tiles: Sequence[Lying]) -> str:
    ways = [tile.came_deg for tile in tiles]
    if any(abs(turn(way, ways[0])) > BACK_DEG for way in ways):
        return "doubles back"
    return "turns" if any(abs(turn(a, b)) > CORNER_DEG for a, b in pairwise(ways)) else "straight"


def _reach(rect: Rect, width: float) -> Rect:
    return rect.grown(width, width)
