"""Markers to trains: a marker belongs to the train it lies on or beside, at its start or at its end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from companion.geometry.joints import distance
from companion.geometry.layout import Layout, Middle, PlacedTile, Problem, Trouble
from companion.geometry.ports import heading
from companion.geometry.table_setup import MEXICAN, SECOND_MEXICAN, TableSetup
from companion.geometry.table_view import Point, SeenMarker, SeenTile

REACH = 2.2
"""Tile widths from a train within which a marker belongs to it; farther out it lies in somebody's supply."""

CLEAR_LEAD = 0.35
"""Tile widths by which the nearest train must be nearer than the next one."""

SLOT_DEPTH = 1.0
"""Tile widths outside the rim where the empty place of a train is."""


def place_markers(
    markers: Sequence[SeenMarker],
    trains: Mapping[str, tuple[PlacedTile, ...]],
    middle: Middle | None,
    setup: TableSetup,
    before: Layout | None,
) -> tuple[frozenset[str], list[Problem]]:
    """The players whose trains carry a marker. Doubtful markers are reported and keep the place they had before."""
    found: set[str] = set()
    problems: list[Problem] = []
    had = before.markers if before is not None else frozenset()
    width = setup.tile_mm[1]
    for marker in markers:
        near = sorted(_distances(marker.center_mm, trains, middle, setup).items(), key=lambda item: item[1])
        if not near or near[0][1] > REACH * width:
            problems.append(Problem(Trouble.LONE_MARKER, marker.center_mm))
            continue
        close = [name for name, away in near if away <= near[0][1] + CLEAR_LEAD * width]
        if len(close) > 1:
            kept = [name for name in close if name in (had if marker.owner is None else {marker.owner})]
            likely = kept or [name for name in close if _at_an_end(marker.center_mm, trains[name], setup)]
            if len(likely) != 1:
                problems.append(Problem(Trouble.EITHER_MARKER, marker.center_mm))
                found.update(kept)
                continue
            close = likely
        # The Mexican train's own marker is a hint, never a player's.
        if close[0] not in (MEXICAN, SECOND_MEXICAN):
            found.add(close[0])
    return frozenset(found), problems


def owners_of(marker: SeenMarker, layout: Layout, setup: TableSetup, before: Layout | None) -> frozenset[str]:
    """The players whose trains would carry this marker, if it was one more of those on this table."""
    return place_markers([marker], layout.trains, layout.middle, setup, before)[0]


def _at_an_end(place: Point, train: Sequence[PlacedTile], setup: TableSetup) -> bool:
    """Whether of all tiles of a train the first or the last is the nearest to a place: there people put markers."""
    length, width = setup.tile_mm[:2]
    spots = [outside(tile.seen, place, length, width) for tile in train]
    return not spots or min(spots) in (spots[0], spots[-1])


def _distances(
    place: Point, trains: Mapping[str, tuple[PlacedTile, ...]], middle: Middle | None, setup: TableSetup
) -> dict[str, float]:
    length, width = setup.tile_mm[:2]
    away: dict[str, float] = {}
    for name, train in trains.items():
        spots = [outside(tile.seen, place, length, width) for tile in train]
        angle = setup.mexican_station if name == MEXICAN else setup.stations.get(name)
        if not train and middle is not None and angle is not None:
            reach = middle.rim_mm + SLOT_DEPTH * width
            slot = (
                middle.center_mm[0] + reach * math.cos(math.radians(angle)),
                middle.center_mm[1] + reach * math.sin(math.radians(angle)),
            )
            spots.append(max(0.0, distance(place, slot) - width))
        if spots:
            away[name] = min(spots)
    return away


def outside(tile: SeenTile, place: Point, length: float, width: float) -> float:
    """How far a place lies outside a tile's outline, 0 on it."""
    ux, uy = heading(tile)
    dx, dy = place[0] - tile.center_mm[0], place[1] - tile.center_mm[1]
    along = max(0.0, abs(dx * ux + dy * uy) - length / 2)
    across = max(0.0, abs(dy * ux - dx * uy) - width / 2)
    return math.hypot(along, across)
