"""Pixels to millimetres and back, on the plane where the tops of the tiles are.

Table coordinates: corner 0 is the origin, +x towards corner 1, +y towards corner 3. The corners lie on the table
itself; a tile's printed face lies `tile_height_mm` above it, which at the edge of a table seen from 1 m is 7 mm aside.
Where that plane is follows from the camera's pose, and the pose from the four corners and the lens.

Over a table without markers the tiles alone tell how the camera leans: all of them are equally large rectangles. For a
plane seen by a lens two numbers are unknown, its lean to the right and downwards; the field of view is one of a few.
Those are looked for under which the outlines come out as rectangles of one size; the size of a tile then gives the
scale.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.fiducials import CORNER_EDGE_MM, CORNER_IDS, missing_corners, table_corners
from vision.lens import Lens
from vision.rotated import axes

Floats = NDArray[np.float64]

_RIGHT = np.array([1.0, 0.0])
_DOWN = np.array([0.0, 1.0])


class CalibrationError(ValueError):
    """Corners that cannot be a table's, or markers that are missing; one line."""


@dataclass(frozen=True, slots=True)
class Lie:
    """How a tile lies on the table."""

    center_mm: tuple[float, float]
    heading_deg: float
    """atan2(dy, dx) from the middle of half 0 to the middle of half 1."""
    length_mm: float
    width_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Where the table lies in the picture."""

    corners_px: Floats
    size_mm: tuple[float, float]
    tile_height_mm: float
    lens: Lens
    to_rays: Floats
    """(3, 3): takes millimetres of the tiles' plane to rays of the lens."""
    table_to_rays: Floats
    """(3, 3): the same from the plane of the table itself."""

    @staticmethod
    def from_corners(
        corners_px: ArrayLike,
        size_mm: tuple[float, float],
        tile_height_mm: float = 9.0,
        camera: Lens | None = None,
        size_wh: tuple[int, int] | None = None,
    ) -> Calibration:
        """From the table's four corners in the picture, clockwise.

        Without a lens one of 66 degrees is assumed for a picture of `size_wh`; without both, the picture is taken to
        be as large as twice the corners' middle and the height of the tiles is left out of account.
        Raises CalibrationError.
        """
        corners = np.asarray(corners_px, np.float64)
        _check(corners, size_mm)
        height = tile_height_mm
        lens = camera
        if lens is None and size_wh is not None:
            lens = Lens.nominal(size_wh)
        if lens is None:
            middle_x, middle_y = corners.mean(0)
            lens = Lens.nominal((round(2 * middle_x), round(2 * middle_y)))
            height = 0.0
        w, h = size_mm
        rays = lens.rays(corners)
        solid = np.array([[0, 0, 0], [w, 0, 0], [w, h, 0], [0, h, 0]], np.float64)
        pose = _pose(solid, rays)
        if pose is None:
            raise CalibrationError(f"no camera sees a {w:.0f} x {h:.0f} mm table with corners {_points(corners)}")
        turn, shift = pose
        # Exact on the four corners whatever the lens; the pose only says how the plane moves with the height.
        table = np.asarray(
            cv2.getPerspectiveTransform(solid[:, :2].astype(np.float32), rays.astype(np.float32)), np.float64
        )
        rotation = np.asarray(cv2.Rodrigues(turn)[0], np.float64)
        # +z points away from the camera (x right, y down), so the tops are at -height.
        top = np.column_stack([rotation[:, 0], rotation[:, 1], rotation[:, 2] * -height + np.asarray(shift).ravel()])
        flat = np.column_stack([rotation[:, 0], rotation[:, 1], np.asarray(shift).ravel()])
        lift = np.linalg.solve(flat, top)
        return Calibration(corners, (float(w), float(h)), height, lens, table @ lift, table)

    @staticmethod
    def from_markers(
        markers: Mapping[int, NDArray[np.float32]],
        size_mm: tuple[float, float] | None,
        tile_height_mm: float = 9.0,
        camera: Lens | None = None,
        *,
        size_wh: tuple[int, int],
    ) -> Calibration:
        """From the printed corner markers; a table of unknown size is measured by the markers' own 40 mm edges."""
        found = dict(markers)
        corners = table_corners(found)
        if corners is None:
            missing = ", ".join(str(k) for k in missing_corners(found))
            raise CalibrationError(f"corner marker {missing} not found, expected 0 1 2 3 in the picture")
        lens = Lens.nominal(size_wh) if camera is None else camera
        size = size_mm if size_mm is not None else _measured_size(found, corners, lens)
        return Calibration.from_corners(corners, size, tile_height_mm, lens)

    def to_mm(self, points_px: ArrayLike) -> Floats:
        """(n, 2) px on the tops of tiles -> (n, 2) mm."""
        return _through(np.linalg.inv(self.to_rays), self.lens.rays(points_px))

    def to_px(self, points_mm: ArrayLike) -> Floats:
        """(n, 2) mm on the tops of tiles -> (n, 2) px."""
        return self.lens.pixels(_through(self.to_rays, np.asarray(points_mm, np.float64).reshape(-1, 2)))

    def table_to_mm(self, points_px: ArrayLike) -> Floats:
        """(n, 2) px on the table itself (markers, hub, printed sheets) -> (n, 2) mm."""
        return _through(np.linalg.inv(self.table_to_rays), self.lens.rays(points_px))

    def table_to_px(self, points_mm: ArrayLike) -> Floats:
        return self.lens.pixels(_through(self.table_to_rays, np.asarray(points_mm, np.float64).reshape(-1, 2)))

    def lie(self, quad_px: ArrayLike) -> Lie:
        """How a tile with this outline (half 0 at the edge 0-1) lies on the table."""
        q = self.to_mm(quad_px)
        first, second = q[:2].mean(0), q[2:].mean(0)
        along = second - first
        across = (q[1] + q[2] - q[0] - q[3]) / 2
        middle = q.mean(0)
        return Lie(
            (float(middle[0]), float(middle[1])),
            math.degrees(math.atan2(along[1], along[0])),
            float(np.hypot(*along)),
            float(np.hypot(*across)),
        )

    def px_per_mm_at(self, points_mm: ArrayLike) -> Floats:
        """(n,) picture pixels per millimetre, the smaller of the two directions, at places on the table."""
        points = np.asarray(points_mm, np.float64).reshape(-1, 2)
        here = self.to_px(points)
        right = np.linalg.norm(self.to_px(points + _RIGHT) - here, axis=1)
        down = np.linalg.norm(self.to_px(points + _DOWN) - here, axis=1)
        return np.asarray(np.minimum(right, down), np.float64)

    @property
    def px_per_mm(self) -> float:
        """In the middle of the table."""
        w, h = self.size_mm
        return float(self.px_per_mm_at([[w / 2, h / 2]])[0])

    @property
    def worst_px_per_mm(self) -> float:
        """In the corner that is farthest from the camera."""
        w, h = self.size_mm
        return float(self.px_per_mm_at(np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float64)).min())

    def error_mm(self, markers: Mapping[int, NDArray[np.float32]]) -> float:
        """The worst difference between a corner marker's edges as measured through this calibration and 40 mm."""
        worst = 0.0
        for k in CORNER_IDS:
            if k in markers:
                corners = self.table_to_mm(markers[k])
                edges = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
                worst = max(worst, float(np.abs(edges - CORNER_EDGE_MM).max()))
        return worst


def _through(matrix: NDArray[np.floating], points: Floats) -> Floats:
    solid = np.concatenate([points, np.ones((len(points), 1))], 1) @ matrix.T
    return np.asarray(solid[:, :2] / solid[:, 2:], np.float64)


def _check(corners: Floats, size_mm: tuple[float, float]) -> None:
    if corners.shape != (4, 2) or not np.isfinite(corners).all():
        raise CalibrationError(f"table corners {corners.tolist()}: expected four points [x, y]")
    w, h = size_mm
    if not (math.isfinite(w) and math.isfinite(h) and w > 0 and h > 0):
        raise CalibrationError(f"table size {w} x {h} mm: expected two positive lengths")
    sides = np.roll(corners, -1, axis=0) - corners
    turns = sides[:, 0] * np.roll(sides[:, 1], -1) - sides[:, 1] * np.roll(sides[:, 0], -1)
    if (turns < 0).all():
        raise CalibrationError(f"table corners {_points(corners)} run counter-clockwise, expected clockwise")
    if not (turns > 1.0).all():
        raise CalibrationError(
            f"table corners {_points(corners)} are no four-sided outline, expected clockwise corners"
        )


def _measured_size(
    markers: Mapping[int, NDArray[np.float32]], corners: NDArray[np.float32], lens: Lens
) -> tuple[float, float]:
    """Width and height in mm for which the markers' edges come out at 40 mm."""
    rays = lens.rays(corners)
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    inverse = np.linalg.inv(cv2.getPerspectiveTransform(unit, rays.astype(np.float32)).astype(np.float64))
    wide, high = [], []
    for k in CORNER_IDS:
        m = _through(inverse, lens.rays(markers[k]))
        wide += [abs(m[1, 0] - m[0, 0]), abs(m[2, 0] - m[3, 0])]
        high += [abs(m[3, 1] - m[0, 1]), abs(m[2, 1] - m[1, 1])]
    return CORNER_EDGE_MM / float(np.mean(wide)), CORNER_EDGE_MM / float(np.mean(high))


def _pose(solid: Floats, rays: Floats) -> tuple[Floats, Floats] | None:
    """The camera's turn (Rodrigues) and shift (mm) from four points of the table, (4, 3) mm, and their rays, (4, 2).

    IPPE answers with NaN for some tables seen exactly from above; the iterative method finds those.
    """
    for method in (cv2.SOLVEPNP_IPPE, cv2.SOLVEPNP_ITERATIVE):
        done, turn, shift = cv2.solvePnP(solid, rays[:, None], np.eye(3), np.zeros(5), flags=method)
        if done and np.isfinite(turn).all() and np.isfinite(shift).all():
            return np.asarray(turn, np.float64), np.asarray(shift, np.float64)
    return None


def _points(corners: Floats) -> str:
    return " ".join(f"{x:.0f},{y:.0f}" for x, y in corners)


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
