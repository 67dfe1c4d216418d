"""Where does the camera look now, compared with a picture from when it looked right?

Points of the room and the table that both pictures show are matched; hands and tiles that were laid since are the
minority that does not agree. Pure: pictures in, a transformation or nothing out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image, reduced

Matrix = NDArray[np.float64]


LEAST = 24
LEAST_SHARE = 0.3
REACH_PX = 2.5
CERTAINTY = 0.25


@dataclass(frozen=True, slots=True)
class ViewSettings:
    """`points` are looked for in a picture of `width_px`; a transformation counts when `LEAST` of them and
    `LEAST_SHARE` of the matched agree on it within `REACH_PX`. `CERTAINTY` is the least of a mere shift of the whole
    picture, which is asked for where there are too few points."""

    width_px: int = 640
    points: int = 900


class KnownView:
    """One picture of the right view. `change` tells what has become of it."""

    def __init__(self, image: Image, settings: ViewSettings | None = None) -> None:
        """`image` (h, w, 3) or grey (h, w), uint8."""
        self._settings = settings or ViewSettings()
        self._size_wh = (image.shape[1], image.shape[0])
        self._scale = (1.0, 1.0)
        self._finder: Any = cv2.ORB.create(self._settings.points, 1.2, 5, 15, 0, 2, cv2.ORB_HARRIS_SCORE, 31, 8)
        self._grey = self._small(image)
        self._points, self._marks = self._finder.detectAndCompute(self._grey, None)

    def change(self, image: Image) -> Matrix | None:
        """(3, 3): where each pixel of the known picture lies in `image` of the same size; None: it cannot be told."""
        if (image.shape[1], image.shape[0]) != self._size_wh:
            return None
        grey = self._small(image)
        found = self._by_points(grey)
        if found is None:
            found = self._by_shift(grey)
        if found is None:
            return None
        grow = np.diag([*self._scale, 1.0])
        return np.asarray(grow @ found @ np.linalg.inv(grow), np.float64)

    def _small(self, image: Image) -> Image:
        w, h = self._size_wh
        width = min(w, self._settings.width_px)
        small, self._scale = reduced(image, (width, max(1, round(h * width / w))))
        return small if small.ndim == 2 else np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)

    def _by_points(self, grey: Image) -> Matrix | None:
        points, marks = self._finder.detectAndCompute(grey, None)
        if marks is None or self._marks is None:
            return None
        pairs = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(self._marks, marks)
        if len(pairs) < LEAST:
            return None
        here = np.array([self._points[pair.queryIdx].pt for pair in pairs], np.float64)
        there = np.array([points[pair.trainIdx].pt for pair in pairs], np.float64)
        # The same chance for the same picture: what comes of a recording must be repeatable.
        cv2.setRNGSeed(1)
        found: tuple[Any, Any] = cv2.findHomography(here, there, cv2.RANSAC, REACH_PX, maxIters=2000, confidence=0.999)
        if found[0] is None:
            return None
        matrix, agreed = np.asarray(found[0], np.float64), int(found[1].sum())
        if agreed < LEAST or agreed < LEAST_SHARE * len(pairs) or not _sensible(matrix, grey.shape):
            return None
        return matrix

    def _by_shift(self, grey: Image) -> Matrix | None:
        """For views with few points: a shift, where the two pictures clearly agree on one."""
        window = cv2.createHanningWindow((grey.shape[1], grey.shape[0]), cv2.CV_32F)
        (dx, dy), certainty = cv2.phaseCorrelate(edges(self._grey) * window, edges(grey) * window)
        if certainty < CERTAINTY:
            return None
        return np.array([[1, 0, dx], [0, 1, dy], [0, 0, 1]], np.float64)


def moved(matrix: Matrix, points_px: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """(n, 2) points of the known picture -> where they lie now."""
    found = cv2.perspectiveTransform(np.asarray(points_px, np.float64).reshape(-1, 1, 2), matrix)
    return np.asarray(found, np.float64).reshape(-1, 2)


def farthest(matrix: Matrix, size_wh: tuple[int, int]) -> float:
    """How far the corners of the picture's middle half have moved at most, in pixels."""
    w, h = size_wh
    corners = np.array([[w, h], [3 * w, h], [3 * w, 3 * h], [w, 3 * h]], np.float64) / 4
    return float(np.linalg.norm(moved(matrix, corners) - corners, axis=1).max())


def _sensible(matrix: Matrix, shape: tuple[int, ...]) -> bool:
    """A camera that was knocked still sees the same table: neither mirrored nor half or twice as large."""
    h, w = shape[0], shape[1]
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float64)
    now = moved(matrix, corners)
    area = float(cv2.contourArea(now.astype(np.float32), oriented=True))
    return cv2.isContourConvex(now.astype(np.float32)) and 0.5 < area / (w * h) < 2.0


def edges(grey: Image) -> NDArray[np.float32]:
    """(h, w) uint8 -> (h, w). Light taken out, so that a lamp is no movement."""
    smooth = cv2.GaussianBlur(grey, (0, 0), 1.2).astype(np.float32)
    rough = cv2.GaussianBlur(grey, (0, 0), 6.0).astype(np.float32)
    return np.asarray(np.clip(smooth - rough, -20, 20), np.float32)
