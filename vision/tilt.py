"""How the camera leans over a table without markers, from the tiles alone: all of them are equally large rectangles.

For a plane seen by a lens two numbers are unknown, its lean to the right and downwards; the field of view is one of a
few. Those are looked for under which the outlines come out as rectangles of one size; the size of a tile then gives
the scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.calibration import Calibration, CalibrationError
from vision.lens import Lens
from vision.rotated import axes

Floats = NDArray[np.float64]

LEAST_TILES = 6
"""Fewer do not tell a lean from outlines that are a little off."""
MOST_LEAN_DEG = 45.0
"""No camera over a table leans more."""
FOVS_DEG = (45.0, 55.0, 66.0, 78.0)
"""Fields of view across the longer side that are tried: a photograph cut to its middle, a phone, a wide lens."""
STEPS_DEG = (5.0, 1.0, 0.2)
"""The search goes by the first steps over everything, then by finer ones around the best."""
MOST_OFF = 0.15
"""A tile whose sides are off by more counts no more for it: a logarithm, and a cosine."""
BELIEVED = 0.06
"""The average remainder where the tiles are rectangles of one size."""


def calibration_from_tiles(
    quads_px: Sequence[NDArray[np.float32]], tile_mm: tuple[float, float], size_wh: tuple[int, int]
) -> Calibration:
    """The plane on which tiles with these outlines (4, 2) lie, half 0 at the edge 0-1; what the picture shows of it is
    the table. `tile_mm` is length and width. Raises CalibrationError where the outlines do not tell.
    """
    if len(quads_px) < LEAST_TILES:
        raise CalibrationError(
            f"{len(quads_px)} tiles found, expected at least {LEAST_TILES} to see how the camera leans"
        )
    outlines = np.concatenate([np.asarray(quad, np.float64) for quad in quads_px])
    lenses = [Lens.nominal(size_wh, fov_deg) for fov_deg in FOVS_DEG]
    ways = [(*_leaning(lens.rays(outlines), tile_mm), lens) for lens in lenses]
    remains, best, lens = min(ways, key=lambda way: way[0])
    if remains > BELIEVED:
        raise CalibrationError(
            "the tiles found do not lie in one plane: this may be several pictures in one, or no single table"
        )
    flat = _on_plane(lens.rays(outlines), *best).reshape(-1, 4, 2)
    long, wide = (np.linalg.norm(axis, axis=1) for axis in axes(flat))
    scale = math.sqrt(tile_mm[0] / np.median(long) * tile_mm[1] / np.median(wide))
    return _table(lens, size_wh, best, scale)


def _leaning(rays: Floats, tile_mm: tuple[float, float]) -> tuple[float, tuple[float, float]]:
    """The least remainder, and the lean to the right and downwards, in degrees, that gives it."""
    best, found, remains = (0.0, 0.0), (0.0, 0.0), math.inf
    reach = MOST_LEAN_DEG
    for step in STEPS_DEG:
        offsets = np.arange(-reach, reach + step / 2, step)
        for right in best[0] + offsets:
            for down in best[1] + offsets:
                off = _misfit(_on_plane(rays, right, down), tile_mm)
                if off < remains:
                    remains, found = off, (float(right), float(down))
        best, reach = found, step
    return remains, best


def _on_plane(rays: Floats, right_deg: float, down_deg: float) -> Floats:
    """(n, 2) rays -> (n, 2) where they meet a plane at distance 1 that leans, along its own two directions.

    Not a number where a ray does not meet it.
    """
    across, down = _directions(right_deg, down_deg)
    normal = np.cross(across, down)
    whole = np.column_stack([rays, np.ones(len(rays))])
    facing = whole @ normal
    with np.errstate(divide="ignore", invalid="ignore"):
        points = np.where(facing[:, None] > 0.05, whole * (normal[2] / facing)[:, None], np.nan)
    points = points - [0.0, 0.0, 1.0]
    return np.column_stack([points @ across, points @ down])


def _directions(right_deg: float, down_deg: float) -> tuple[Floats, Floats]:
    """Two unit vectors in the plane at right angles, the first one to the right in the picture; z points away."""
    slope_x, slope_y = math.tan(math.radians(right_deg)), math.tan(math.radians(down_deg))
    across = np.array([1.0, 0.0, slope_x])
    across /= np.linalg.norm(across)
    down = np.array([0.0, 1.0, slope_y])
    down -= (down @ across) * across
    return across, down / np.linalg.norm(down)


def _misfit(points: Floats, tile_mm: tuple[float, float]) -> float:
    """How far outlines on a plane are from rectangles of one size: a mean of logarithms and cosines, each capped."""
    flat = points.reshape(-1, 4, 2)
    if not np.isfinite(flat).all():
        return math.inf
    along, across = axes(flat)
    long, wide = np.linalg.norm(along, axis=1), np.linalg.norm(across, axis=1)
    skew = (along * across).sum(1) / (long * wide)
    sizes = np.log(np.concatenate([long / tile_mm[0], wide / tile_mm[1]]))
    off = np.concatenate([np.abs(sizes - np.median(sizes)), np.abs(skew)])
    return float(np.minimum(off, MOST_OFF).mean())


def _table(lens: Lens, size_wh: tuple[int, int], lean: tuple[float, float], scale: float) -> Calibration:
    """The smallest upright rectangle of the plane that holds all that the picture shows, but for what lies far away."""
    w, h = size_wh
    edge = np.array([[x, y] for x in np.linspace(0, w, 9) for y in np.linspace(0, h, 9)])
    seen = _on_plane(lens.rays(edge), *lean)
    seen = seen[np.isfinite(seen).all(1)]
    low, high = seen.min(0), seen.max(0)
    corners = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    across, down = _directions(*lean)
    solid = corners[:, :1] * across + corners[:, 1:] * down + [0.0, 0.0, 1.0]
    if not (solid[:, 2] > 0.05).all():
        raise CalibrationError("the camera leans so far that the table has no end")
    corners_px = lens.pixels(solid[:, :2] / solid[:, 2:])
    width, height = (high - low) * scale
    return Calibration.from_corners(corners_px, (float(width), float(height)), 0.0, lens, size_wh)
