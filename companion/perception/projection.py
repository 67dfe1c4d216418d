"""Readings in pixels become things on the table in millimetres, and what cannot be one is left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.geometry import Problem
from companion.geometry.joints import distance
from companion.geometry.layout import Point, SeenHalf, SeenHub, SeenMarker, SeenTile
from vision.calibration import Calibration
from vision.reading import Found, HalfReading, PictureReading, TileReading
from vision.rotated import shared

SIZE_TOLERANCE, OF_A_BACK = 0.3, 0.4
"""A tile of the set is within this part of its nominal length and width; cups, cards and printed tiles are not. A back
has no print to tell its face from its side, so it may be outlined with the thick side that the camera sees."""

Region = tuple[int, int, int, int]
BoxMm = tuple[float, float, float, float]

MARGIN_MM = 12.0
"""How far outside the table's corners the middle of a tile may lie: corners are measured on the table itself."""

MOST_OVERLAP = 0.3
"""The part of one tile that may seem to lie on another: outlines are a few millimetres off, tiles are solid."""

LEAST_THING_CONFIDENCE = 0.6
"""Markers and hubs below this are not believed: a phantom marker would be an accusation."""

SURE_ON_HUB, RIM = 0.97, 1.2
"""The slots printed on a hub look like markers: within so many of its radii only a find this sure is one. A dark hub on
a dark table is outlined too small."""

ENGINES = 0.5
"""The engine and the print around it lie within this many radii of a sure hub; a marker waits at its train."""

SLOTS = 3
"""This many patches at a hub's rim, each before a tile, are its print and not as many players' markers."""

LEAST_KEPT_CONFIDENCE = 0.18
"""A marker that is known to lie at a place is still seen there at this: so would be one that vanishes."""


@dataclass(frozen=True, slots=True)
class SeenTable:
    """Everything read in one picture, on the table."""

    tiles: tuple[SeenTile, ...]
    markers: tuple[SeenMarker, ...]
    hub: SeenHub | None


def square_of(marker: SeenMarker, side_mm: float) -> SeenTile:
    """Where a marker lies, as wide as a tile: pegs and coins are about that large."""
    return SeenTile(marker.center_mm, 0.0, side_mm, side_mm, True, None, marker.confidence)


def on_table(
    reading: PictureReading,
    calibration: Calibration,
    tile_mm: tuple[float, float, float],
    known_hub: SeenHub | None = None,
) -> SeenTable:
    """The finds of a reading that lie on the table and have the size of the set's tiles. `known_hub`: as it was seen
    before."""
    tiles = _without_doubles([_tile(tile, calibration) for tile in reading.tiles])
    length, width, _ = tile_mm
    hub = hub_on_table(reading.hub, calibration)
    markers = [_doubted(_marker(marker, calibration), hub or known_hub) for marker in reading.markers]
    if hub is not None and known_hub is None:
        markers = _without_slots(markers, hub, tiles, length)
    sure_hub = hub if hub is not None and hub.confidence >= LEAST_THING_CONFIDENCE else None
    # Of a hub at the edge of a changed region only a part is seen, and its middle lies elsewhere.
    markers = [_doubted(marker, known_hub or sure_hub, math.inf, ENGINES) for marker in markers]
    return SeenTable(
        tuple(tile for tile in tiles if inside(tile.center_mm, calibration) and _of_the_set(tile, length, width)),
        tuple(
            marker
            for marker in markers
            if inside(marker.center_mm, calibration) and marker.confidence >= LEAST_KEPT_CONFIDENCE
        ),
        sure_hub,
    )


def _without_slots(
    markers: Sequence[SeenMarker], hub: SeenHub, tiles: Sequence[SeenTile], length: float
) -> list[SeenMarker]:
    """The same; where `SLOTS` of them lie at the rim of a hub, each before a tile, these are the slots printed on it at
    which trains begin. Only where nothing is known from before: later somebody may put a marker in one."""

    def away(thing: SeenMarker | SeenTile) -> float:
        return distance(thing.center_mm, hub.center_mm)

    slots = [
        one
        for one in markers
        if RIM / 2 * hub.radius_mm < away(one) < RIM * hub.radius_mm
        and any(distance(t.center_mm, one.center_mm) < length and away(t) > away(one) for t in tiles if t.face_up)
    ]
    if len(slots) < SLOTS:
        return list(markers)
    return [_doubted(one, hub, surely=math.inf) if one in slots else one for one in markers]


def _of_the_set(tile: SeenTile, length: float, width: float) -> bool:
    tolerance = SIZE_TOLERANCE if tile.face_up else OF_A_BACK
    return abs(tile.length_mm - length) <= tolerance * length and abs(tile.width_mm - width) <= tolerance * width


def _without_doubles(tiles: Sequence[SeenTile]) -> list[SeenTile]:
    """Two tiles cannot lie in one place: of overlapping finds the surer one stays.

    The other one is the same tile found in two regions, or a box over the halves of two neighbours.
    """
    kept: list[SeenTile] = []
    for tile in sorted(tiles, key=lambda tile: -_worth(tile)):
        if not any(overlap(tile, other) > MOST_OVERLAP for other in kept):
            kept.append(tile)
    return kept


def _worth(tile: SeenTile) -> float:
    """A find that can be read is surer than one that cannot."""
    if tile.halves is None:
        return tile.confidence
    return tile.confidence * (0.5 + 0.5 * min(half.p for half in tile.halves))


def overlap(a: SeenTile, b: SeenTile) -> float:
    """The part of `a` (0 to 1) that lies on `b`; the rim of `a`, a twentieth all round, is not counted."""
    core = 0.9 * a.length_mm, 0.9 * a.width_mm
    if distance(a.center_mm, b.center_mm) > (math.hypot(*core) + math.hypot(b.length_mm, b.width_mm)) / 2:
        return 0.0
    return shared(_corners(a, *core), _corners(b, b.length_mm, b.width_mm)) / (core[0] * core[1])


def _corners(tile: SeenTile, length_mm: float, width_mm: float) -> list[Point]:
    """The corners (mm) of a rectangle that lies as the tile does, clockwise where y points down."""
    u, (x, y) = math.radians(tile.heading_deg), tile.center_mm
    # Plain numbers: for four points numpy takes ten times as long.
    ax, ay = math.cos(u) * length_mm / 2, math.sin(u) * length_mm / 2
    bx, by = -math.sin(u) * width_mm / 2, math.cos(u) * width_mm / 2
    return [
        (x - ax - bx, y - ay - by),
        (x + ax - bx, y + ay - by),
        (x + ax + bx, y + ay + by),
        (x - ax + bx, y - ay + by),
    ]


def free_part(a: SeenTile, tiles: Sequence[SeenTile]) -> tuple[float, Point]:
    """The part of `a` (0 to 1) that lies on none of these tiles, and the middle of that part (mm)."""
    points = _sampled(a)
    free = np.ones(len(points), bool)
    for tile in tiles:
        free &= ~_within(points, tile)
    if not free.any():
        return 0.0, a.center_mm
    x, y = points[free].mean(0)
    return float(free.mean()), (float(x), float(y))


def _sampled(a: SeenTile) -> NDArray[np.float64]:
    """(45, 2) points (mm) all over a tile."""
    u = np.radians(a.heading_deg)
    along, across = np.meshgrid(np.linspace(-0.45, 0.45, 9) * a.length_mm, np.linspace(-0.45, 0.45, 5) * a.width_mm)
    x = a.center_mm[0] + along * np.cos(u) - across * np.sin(u)
    y = a.center_mm[1] + along * np.sin(u) + across * np.cos(u)
    return np.stack([x.ravel(), y.ravel()], axis=1)


def _within(points: NDArray[np.float64], b: SeenTile) -> NDArray[np.bool_]:
    u = np.radians(b.heading_deg)
    x, y = (points - np.asarray(b.center_mm)).T
    return np.asarray(
        (np.abs(x * np.cos(u) + y * np.sin(u)) <= b.length_mm / 2)
        & (np.abs(y * np.cos(u) - x * np.sin(u)) <= b.width_mm / 2)
    )


def inside(place: Point, calibration: Calibration) -> bool:
    w, h = calibration.size_mm
    return -MARGIN_MM <= place[0] <= w + MARGIN_MM and -MARGIN_MM <= place[1] <= h + MARGIN_MM


def _tile(tile: TileReading, calibration: Calibration) -> SeenTile:
    lie = calibration.lie(tile.quad_px)
    a, b, c, d = ((float(x), float(y)) for x, y in tile.quad_px)
    return SeenTile(
        lie.center_mm,
        lie.heading_deg,
        lie.length_mm,
        lie.width_mm,
        tile.face == "up",
        None if tile.halves is None else (_half(tile.halves[0]), _half(tile.halves[1])),
        tile.confidence,
        (a, b, c, d),
    )


def _half(half: HalfReading) -> SeenHalf:
    # Of a half that was refused anything may be true, whatever was read of it.
    return SeenHalf(half.value, half.p, half.others if half.p else ())


def _marker(found: Found, calibration: Calibration) -> SeenMarker:
    x, y = calibration.to_mm(np.asarray(found.quad_px, np.float64)).mean(0)
    return SeenMarker((float(x), float(y)), found.confidence)


def _doubted(marker: SeenMarker, hub: SeenHub | None, surely: float = SURE_ON_HUB, reach: float = RIM) -> SeenMarker:
    """On a hub, even a faint one, what is not surely a marker is not believed; one known there is still seen."""
    if hub is None or marker.confidence >= surely:
        return marker
    if distance(marker.center_mm, hub.center_mm) > reach * hub.radius_mm:
        return marker
    return replace(marker, confidence=min(marker.confidence, LEAST_KEPT_CONFIDENCE))


def hub_on_table(found: Found | None, calibration: Calibration) -> SeenHub | None:
    """(middle in mm, radius in mm) of a hub; None where none was found, or off the table."""
    if found is None:
        return None
    quad = calibration.table_to_mm(np.asarray(found.quad_px, np.float64))
    x, y = quad.mean(0)
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    if not inside((float(x), float(y)), calibration):  # a hub at the edge is outlined as far as the picture shows it
        return None
    return SeenHub((float(x), float(y)), float(sides.mean()) / 2, found.confidence)


def outline(tile: SeenTile, grow: float = 0.0) -> list[Point]:
    """A tile's four corners in mm, `grow` mm larger on every side."""
    return _corners(tile, tile.length_mm + 2 * grow, tile.width_mm + 2 * grow)


def grown(region: Region, px: float, size_wh: tuple[int, int]) -> Region:
    """A pixel box `px` larger on every side, within the picture."""
    x0, y0, x1, y1 = region
    reach = round(px)
    return max(x0 - reach, 0), max(y0 - reach, 0), min(x1 + reach, size_wh[0]), min(y1 + reach, size_wh[1])


def box_mm(region: Region, calibration: Calibration, grow: float = 0.0) -> BoxMm:
    """The upright box on the table, `grow` mm larger on every side, that holds a region of the picture."""
    x0, y0, x1, y1 = region
    corners = calibration.to_mm(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float64))
    low, high = corners.min(0), corners.max(0)
    return float(low[0] - grow), float(low[1] - grow), float(high[0] + grow), float(high[1] + grow)


def around(
    doubts: Sequence[Problem], reach_mm: float, calibration: Calibration, size_wh: tuple[int, int]
) -> tuple[Region, ...]:
    """The parts of the picture, (w, h) large, where something is in doubt."""
    places = [doubt.where_mm for doubt in doubts if doubt.where_mm is not None]
    return regions_at(places, reach_mm, calibration, size_wh)


def regions_at(
    places: Sequence[Point], reach_mm: float, calibration: Calibration, size_wh: tuple[int, int]
) -> tuple[Region, ...]:
    """The parts of the picture, (w, h) large, within `reach_mm` of these places along either axis."""
    boxes: list[Region] = []
    for x, y in places:
        px = calibration.to_px([[x - reach_mm, y - reach_mm], [x + reach_mm, y + reach_mm]])
        low, high = px.min(0), px.max(0)
        boxes.append(grown((int(low[0]), int(low[1]), int(high[0]), int(high[1])), 0.0, size_wh))
    return tuple(boxes)


def at_edge(regions: Sequence[Region], size_wh: tuple[int, int]) -> bool:
    """Does any of them reach the picture's edge, as an arm does?"""
    w, h = size_wh
    return any(x0 <= 0 or y0 <= 0 or x1 >= w or y1 >= h for x0, y0, x1, y1 in regions)


def united(regions: Sequence[Region]) -> tuple[Region, ...]:
    """Regions that overlap become their common box, until none overlap."""
    boxes = list(regions)
    merged = True
    while merged:
        merged = False
        for n, a in enumerate(boxes):
            for m in range(n + 1, len(boxes)):
                b = boxes[m]
                if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]:
                    boxes[n] = (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))
                    del boxes[m]
                    merged = True
                    break
            if merged:
                break
    return tuple(boxes)


def middle_mm(region: Region, calibration: Calibration) -> Point:
    """The middle of a part of the picture, on the table."""
    x0, y0, x1, y1 = box_mm(region, calibration)
    return (x0 + x1) / 2, (y0 + y1) / 2
