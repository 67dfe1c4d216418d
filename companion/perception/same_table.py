"""The same table photographed from another place: the tiles that are known to lie there say where it is now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.geometry.table_view import SeenTile
from companion.rules.tile import Tile
from vision.calibration import Calibration, CalibrationError
from vision.reading import PictureReading, TileReading

Floats = NDArray[np.float64]
Thing = TypeVar("Thing")

MOVED_MM = 4.0
"""Where the tiles lie so far beside where they are known to lie (median), the camera was held elsewhere."""
FITS_MM = 7.0
"""A tile may seem to lie so far beside its place all the same: outlines are inexact, and people touch tiles."""
LEAST_TILES, LEAST_SHARE = 4, 0.7
"""So many of the tiles that are found again have to lie as they did, and such a part of them."""
SIZE_OFF, SIZED = 0.12, 0.6
"""A tile is as long as the set's within this part; the camera may be where it was if such a part of the tiles are."""


def seen_from_elsewhere(
    reading: PictureReading, lying: Sequence[SeenTile], calibration: Calibration
) -> Calibration | None:
    """Where the table is in a picture that shows tiles known to lie there, on the plane of their faces.

    The same `calibration` where the camera has not moved; None where too few tiles are found again to tell.
    """
    px, mm = _ends(reading.tiles, lying)
    if len(px) < 2 * LEAST_TILES:
        return None
    apart = np.linalg.norm(calibration.to_mm(px) - mm, axis=1)
    if np.median(apart) < MOVED_MM:
        return calibration
    rays = calibration.lens.rays(px)
    found, fits = cv2.findHomography(rays, mm, cv2.RANSAC, FITS_MM, maxIters=4000, confidence=0.999)
    if found is None or fits.sum() < max(2 * LEAST_TILES, LEAST_SHARE * len(px)):
        return None
    w, h = calibration.size_mm
    corners = np.array([[0.0, 0.0, 1.0], [w, 0.0, 1.0], [w, h, 1.0], [0.0, h, 1.0]]) @ np.linalg.inv(found).T
    seen = np.column_stack([mm, np.ones(len(mm))]) @ np.linalg.inv(found).T
    if not (corners[:, 2] * np.median(seen[:, 2]) > 0).all():
        return None  # a corner lies behind the camera
    try:
        return Calibration.from_corners(
            calibration.lens.pixels(corners[:, :2] / corners[:, 2:]), (w, h), 0.0, calibration.lens
        )
    except CalibrationError:
        return None


def may_be_where_it_was(reading: PictureReading, calibration: Calibration, length_mm: float) -> bool:
    """Are the tiles as long as the set's where the camera is taken to be?"""
    lengths = [calibration.lie(tile.quad_px).length_mm for tile in reading.tiles if tile.face == "up"]
    alike = sum(abs(length / length_mm - 1) < SIZE_OFF for length in lengths)
    return alike >= SIZED * len(lengths)


def _ends(tiles: Sequence[TileReading], lying: Sequence[SeenTile]) -> tuple[Floats, Floats]:
    """Both ends of each tile that is read in the picture and known to lie on the table: (n, 2) px and (n, 2) mm. Tiles
    that lie there twice do not tell which is which, and doubles not which end is which."""
    now = _single([(tile.values, tile) for tile in tiles])
    before = _single([(tile.values, tile) for tile in lying])
    px: list[Floats] = []
    mm: list[tuple[float, float]] = []
    for name in now.keys() & before.keys():
        if name.is_double:
            continue
        found, known = now[name], before[name]
        first = 0 if found.values == known.values else 1
        quad = np.asarray(found.quad_px, np.float64)
        px += [quad[:2].mean(0), quad[2:].mean(0)]
        mm += [known.end_mm(first), known.end_mm(1 - first)]
    return np.array(px).reshape(-1, 2), np.array(mm).reshape(-1, 2)


def _single(things: Sequence[tuple[tuple[int, int] | None, Thing]]) -> dict[Tile, Thing]:
    """The things by their values, without those of which there are several."""
    named = [(Tile(*values), thing) for values, thing in things if values is not None]
    count = Counter(name for name, _ in named)
    return {name: thing for name, thing in named if count[name] == 1}
