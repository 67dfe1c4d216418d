"""Pixels to millimetres and back, on the plane where the tops of the tiles are.

Table coordinates: corner 0 is the origin, +x towards corner 1, +y towards corner 3. The corners lie on the table
itself; a tile's printed face lies `tile_height_mm` above it, which at the edge of a table seen from 1 m is 7 mm aside.
Where that plane is follows from the camera's pose, and the pose from the four corners and the lens.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.fiducials import CORNER_EDGE_MM, CORNER_IDS, missing_corners, table_corners
from vision.lens import Lens

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
        size_wh: tuple[int, int] | None = None,
    ) -> Calibration:
        """From the printed corner markers; a table of unknown size is measured by the markers' own 40 mm edges."""
        found = dict(markers)
        corners = table_corners(found)
        if corners is None:
            missing = ", ".join(str(k) for k in missing_corners(found))
            raise CalibrationError(f"corner marker {missing} not found, expected 0 1 2 3 in the picture")
        lens = camera if camera is not None or size_wh is None else Lens.nominal(size_wh)
        size = size_mm if size_mm is not None else _measured_size(found, corners, lens)
        return Calibration.from_corners(corners, size, tile_height_mm, lens, size_wh)

    def to_mm(self, points_px: ArrayLike) -> Floats:
        """(n, 2) px on the tops of tiles -> (n, 2) mm."""
        return _through(_inverse(self.to_rays), self.lens.rays(points_px))

    def to_px(self, points_mm: ArrayLike) -> Floats:
        """(n, 2) mm on the tops of tiles -> (n, 2) px."""
        return self.lens.pixels(_through(self.to_rays, np.asarray(points_mm, np.float64).reshape(-1, 2)))

    def table_to_mm(self, points_px: ArrayLike) -> Floats:
        """(n, 2) px on the table itself (markers, hub, printed sheets) -> (n, 2) mm."""
        return _through(_inverse(self.table_to_rays), self.lens.rays(points_px))

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


def _inverse(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrix), np.float64)


def _through(matrix: Floats, points: Floats) -> Floats:
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
    markers: Mapping[int, NDArray[np.float32]], corners: NDArray[np.float32], lens: Lens | None
) -> tuple[float, float]:
    """Width and height in mm for which the markers' edges come out at 40 mm."""
    rays = np.asarray(corners, np.float64) if lens is None else lens.rays(corners)
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    inverse = np.linalg.inv(cv2.getPerspectiveTransform(unit, rays.astype(np.float32)).astype(np.float64))
    wide, high = [], []
    for k in CORNER_IDS:
        points = np.asarray(markers[k], np.float64) if lens is None else lens.rays(markers[k])
        m = _through(inverse, points)
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
