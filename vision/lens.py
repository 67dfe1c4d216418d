"""The lens: where a ray through a pixel goes. Nominal lenses ship; a ChArUco board makes an exact one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.fiducials import BOARD_DICTIONARY, BOARD_MARKER_MM, BOARD_SQUARE_MM, BOARD_SQUARES
from vision.frame import Image

Floats = NDArray[np.float64]

NOMINAL_FOV_DEG = {
    "module3": 66.0,
    "module3_wide": 102.0,
    "hq_6mm": 55.0,
    "ai_camera": 66.0,
    "webcam": 62.0,
}
"""Horizontal fields of view of the cameras the build names; see hardware/ for where they come from."""


@dataclass(frozen=True, slots=True)
class Lens:
    """A pinhole with Brown distortion."""

    size_wh: tuple[int, int]
    """Pixels of the pictures that it is for."""
    fx: float
    fy: float
    cx: float
    cy: float
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)
    """k1, k2, p1, p2, k3."""

    @staticmethod
    def nominal(size_wh: tuple[int, int], fov_deg: float = NOMINAL_FOV_DEG["module3"]) -> Lens:
        """No distortion, the optical axis through the middle; `fov_deg` across the longer side."""
        w, h = size_wh
        f = max(w, h) / 2 / math.tan(math.radians(fov_deg) / 2)
        return Lens(size_wh, f, f, w / 2, h / 2)

    def scaled(self, size_wh: tuple[int, int]) -> Lens:
        """The same lens for a picture of another size and the same shape."""
        sx, sy = size_wh[0] / self.size_wh[0], size_wh[1] / self.size_wh[1]
        return Lens(size_wh, self.fx * sx, self.fy * sy, self.cx * sx, self.cy * sy, self.distortion)

    @property
    def matrix(self) -> Floats:
        return np.array([[self.fx, 0, self.cx], [0, self.fy, self.cy], [0, 0, 1]], np.float64)

    def rays(self, points_px: ArrayLike) -> Floats:
        """(n, 2) px -> (n, 2) x/z, y/z of the rays, undistorted."""
        points = np.asarray(points_px, np.float64).reshape(-1, 1, 2)
        if not any(self.distortion):
            return np.asarray((points[:, 0] - [self.cx, self.cy]) / [self.fx, self.fy], np.float64)
        # The default of five rounds leaves tenths of a pixel at the corners of a wide lens.
        until = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 50, 1e-10)
        rays = cv2.undistortPoints(points, self.matrix, np.array(self.distortion), criteria=until)
        return np.asarray(rays, np.float64).reshape(-1, 2)

    def pixels(self, rays: ArrayLike) -> Floats:
        """(n, 2) rays -> (n, 2) px, distorted as the lens does."""
        points = np.asarray(rays, np.float64).reshape(-1, 2)
        solid = np.concatenate([points, np.ones((len(points), 1))], 1)
        if not len(points):
            return points
        seen, _ = cv2.projectPoints(solid[:, None], np.zeros(3), np.zeros(3), self.matrix, np.array(self.distortion))
        return np.asarray(seen, np.float64).reshape(-1, 2)


@dataclass(frozen=True, slots=True)
class LensFit:
    """A lens fitted to pictures of a printed board."""

    lens: Lens
    error_px: float
    """Root mean square over all corners of the board."""
    pictures: int
    """How many pictures showed enough of the board."""


def calibrate_lens(images: Sequence[Image]) -> LensFit:
    """The lens from pictures of the printed ChArUco board, held at different angles. ValueError with one line."""
    kind = cv2.aruco.getPredefinedDictionary(BOARD_DICTIONARY)
    board = cv2.aruco.CharucoBoard(BOARD_SQUARES, BOARD_SQUARE_MM, BOARD_MARKER_MM, kind)
    detector = cv2.aruco.CharucoDetector(board)
    solid, flat = [], []
    size_wh: tuple[int, int] | None = None
    for image in images:
        size = (int(image.shape[1]), int(image.shape[0]))
        if size_wh is not None and size != size_wh:
            raise ValueError(f"pictures of the board differ in size: {size_wh} and {size}, expected one camera mode")
        size_wh = size
        corners, ids, _, _ = detector.detectBoard(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
        seen = np.zeros(0) if ids is None else np.asarray(ids)
        if seen.size < 8:
            continue
        points_mm, points_px = board.matchImagePoints(np.asarray(corners), np.asarray(ids))  # type: ignore[call-overload]
        solid.append(np.asarray(points_mm, np.float32))
        flat.append(np.asarray(points_px, np.float32))
    if len(solid) < 4 or size_wh is None:
        raise ValueError(
            f"the board was seen whole enough in {len(solid)} of {len(images)} pictures, expected 4 or more"
        )
    start = Lens.nominal(size_wh).matrix
    error, matrix, distortion, _, _ = cv2.calibrateCamera(
        solid, flat, size_wh, start, np.zeros(5), flags=cv2.CALIB_USE_INTRINSIC_GUESS
    )
    m = np.asarray(matrix, np.float64)
    k1, k2, p1, p2, k3 = (float(v) for v in np.asarray(distortion).ravel()[:5])
    lens = Lens(size_wh, float(m[0, 0]), float(m[1, 1]), float(m[0, 2]), float(m[1, 2]), (k1, k2, p1, p2, k3))
    return LensFit(lens, float(error), len(solid))
