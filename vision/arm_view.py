"""An arm, and the table on the small picture in which arms are looked for: where its border runs, where each pixel
lies on it, and which part of it an arm covers.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.calibration import Calibration

BAND_PX = 3
"""Within this many small pixels a place counts as the border."""

WANTED_BORDER_MM = 100.0
"""This margin around the table keeps its border in the picture whatever happens to camera and table."""

CUT_MM = 15.0
"""Where the picture ends so far within the table, nobody sees where arms come in."""


@dataclass(frozen=True, slots=True, eq=False)
class ArmPlane:
    """The table as the picture shows it, and its border: the table's edge or, where the picture ends first, the
    picture's."""

    calibration: Calibration
    full_wh: tuple[int, int]
    size_wh: tuple[int, int]
    inside: NDArray[np.bool_]
    """(h, w): the pixels that show the table."""
    mm: NDArray[np.float32]
    """(h, w, 2): where each pixel lies on the table."""
    band: NDArray[np.intp]
    """Flat indices of the border's pixels, in order along it."""
    along_mm: NDArray[np.float32]
    """How far along the border each pixel of `band` lies."""
    length_mm: float
    """Once around the border."""
    px_mm: float
    deep_mm: NDArray[np.float32]
    """(h, w): how far each pixel is from the border."""

    @classmethod
    def of(cls, calibration: Calibration, full_wh: tuple[int, int], size_wh: tuple[int, int]) -> ArmPlane:
        """For pictures of `full_wh` pixels in which `calibration` holds, made small to `size_wh`."""
        w, h = size_wh
        scale = np.array(full_wh, np.float64) / np.array(size_wh, np.float64)
        across, down = np.meshgrid(np.arange(w), np.arange(h))
        points = (np.stack([across, down], -1).reshape(-1, 2) + 0.5) * scale
        mm = calibration.table_to_mm(points).reshape(h, w, 2).astype(np.float32)
        outline = border_of(calibration, full_wh)
        inside = np.zeros((h, w), np.uint8)
        cv2.fillPoly(inside, [np.round(outline / scale - 0.5).astype(np.int32)], 1)
        inner = cv2.erode(inside, np.ones((2 * BAND_PX + 1, 2 * BAND_PX + 1), np.uint8), borderValue=0)
        band = np.flatnonzero(inside & ~inner.astype(np.bool_) & 1)
        corners = calibration.table_to_mm(outline)
        along, length = _along(corners, mm.reshape(-1, 2)[band])
        order = np.argsort(along, kind="stable")
        band, along = band[order], along[order]
        (x0, y0), (x1, y1) = mm[h // 2, w // 2 - 1], mm[h // 2, w // 2]
        px_mm = float(np.hypot(x1 - x0, y1 - y0))
        padded = cv2.copyMakeBorder(inside, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
        deep = cv2.distanceTransform(padded, cv2.DIST_L2, 3)[1:-1, 1:-1] * px_mm
        deep_mm = np.asarray(deep, np.float32)
        return cls(calibration, full_wh, size_wh, inside > 0, mm, band, along, length, px_mm, deep_mm)

    @property
    def pixel_mm2(self) -> float:
        return self.px_mm**2

    @property
    def center_mm(self) -> tuple[float, float]:
        return self.calibration.size_mm[0] / 2, self.calibration.size_mm[1] / 2

    def cuts(self, pixels: NDArray[np.intp]) -> bool:
        """Whether the picture ends within the table at most of these pixels of the border (flat indices)."""
        w, h = self.calibration.size_mm
        x, y = self.mm.reshape(-1, 2)[pixels].T
        deep = np.minimum(np.minimum(x, w - x), np.minimum(y, h - y))
        return bool(np.mean(deep > BAND_PX * self.px_mm + CUT_MM) > 0.5)

    def to_small(self, places_mm: ArrayLike) -> NDArray[np.float64]:
        """(n, 2) mm on the tops of tiles -> (n, 2) pixels of the small picture."""
        scale = np.array(self.size_wh, np.float64) / np.array(self.full_wh, np.float64)
        return np.asarray(self.calibration.to_px(places_mm) * scale - 0.5, np.float64)


def border_of(calibration: Calibration, full_wh: tuple[int, int]) -> NDArray[np.float64]:
    """(n, 2) px, clockwise: the table's outline, cut where the picture ends."""
    w, h = full_wh
    picture = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    area, outline = cv2.intersectConvexConvex(calibration.corners_px.astype(np.float32), picture)
    if area <= 0 or outline is None:
        return np.asarray(picture, np.float64)
    return np.asarray(outline, np.float64).reshape(-1, 2)


def seen_around_mm(calibration: Calibration, full_wh: tuple[int, int]) -> tuple[float, float, float, float]:
    """How much the picture shows beyond each edge of the table (0-1, 1-2, 2-3, 3-0), at the edge's middle, in mm.

    Negative where the picture ends before the table does.
    """
    corners = calibration.corners_px
    found = []
    for n in range(4):
        middle = (corners[n] + corners[(n + 1) % 4]) / 2
        out = middle - corners.mean(0)
        out /= max(1e-6, float(np.hypot(*out)))
        # How far one may go outwards until the picture ends.
        ways = zip(full_wh, middle, out, strict=True)
        room = min((side * (step > 0) - at) / step if abs(step) > 1e-6 else np.inf for side, at, step in ways)
        ends = calibration.table_to_mm(np.array([middle, middle + out * room]))
        found.append(float(np.copysign(np.hypot(*(ends[1] - ends[0])), room)))
    return found[0], found[1], found[2], found[3]


def _along(corners: NDArray[np.float64], points: NDArray[np.float32]) -> tuple[NDArray[np.float32], float]:
    """For each point how far along the closed outline the nearest place of it lies, and the outline's length."""
    best = np.full(len(points), np.inf)
    along = np.zeros(len(points), np.float64)
    start = 0.0
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        edge = b - a
        length = float(np.hypot(*edge))
        if length < 1e-6:
            continue
        share = np.clip((points - a) @ edge / length**2, 0.0, 1.0)
        away = np.hypot(*(points - (a + share[:, None] * edge)).T)
        nearer = away < best
        best[nearer] = away[nearer]
        along[nearer] = start + share[nearer] * length
        start += length
    return along.astype(np.float32), start


Labels = NDArray[np.uint8]
Tones = NDArray[np.uint8]
Point = tuple[float, float]
Colour = tuple[float, float, float]

CHANGED, UNCLEAR = 255, 254
"""In `ArmView.labels`: something is not as it was and no arm lies there; an arm, and nobody knows which."""

ALIKE = 8
"""Two patches look alike if their brightness differs by less than a tenth."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm in one frame, in millimetres and degrees of the table."""

    entry_mm: Point | None
    """The middle of where it crosses the border; None where it crosses none that is seen."""
    span_mm: float
    """How much of the border it takes."""
    axis_deg: float
    """Points outwards along the arm, from the tip to the shoulder."""
    tip_mm: Point
    reach_mm: float
    """From the entry to the tip."""
    area_mm2: float
    clear: bool = True
    """False: these may be two arms, or its end is unknown."""
    other: Arm | None = None
    """The same arm the other way round, where both ends lie over the border and either may be the hand."""
    sleeve: Colour | None = None
    """The arm's colour away from the hand: the logarithms of blue, green and red, in `LEVELS`, less those of the still
    table. None where too little of it is seen."""


@dataclass(frozen=True, slots=True, eq=False)
class ArmView:
    """The arms of one frame."""

    plane: ArmPlane
    arms: tuple[Arm, ...]
    labels: Labels
    """(h, w): n + 1 under arm n, CHANGED, UNCLEAR or 0."""
    tone: Tones
    """(h, w): how bright it is, in steps of the logarithm."""
    flooded: bool = False
    """Most of the table differs, so nothing can be told."""

    def covers(self, place_mm: Point, radius_mm: float) -> dict[int, float]:
        """Which arms lie over the disc around a place on the table, and which part of it: index (or UNCLEAR) ->
        share."""
        there = self.labels[self._disc(place_mm, radius_mm)]
        if not there.size:
            return {}
        found: dict[int, float] = {}
        for label in np.unique(there):
            if 0 < label < CHANGED:
                index = int(label) if label == UNCLEAR else int(label) - 1
                found[index] = float((there == label).mean())
        return found

    def changed(self, place_mm: Point, radius_mm: float) -> float:
        """The part of the disc that differs from the last still picture though no arm lies there."""
        there = self.labels[self._disc(place_mm, radius_mm)]
        return float((there == CHANGED).mean()) if there.size else 0.0

    def alike(self, other: ArmView, place_mm: Point, radius_mm: float) -> float:
        """The part of the disc that looks as in another view of the same size, whatever is thought to lie there."""
        if self.tone.shape != other.tone.shape:
            return 0.0
        disc = self._disc(place_mm, radius_mm)
        here, there = self.tone[disc].astype(np.int16), other.tone[disc]
        return float((np.abs(here - there) < ALIKE).mean()) if here.size else 0.0

    def _disc(self, place_mm: Point, radius_mm: float) -> tuple[slice, slice]:
        x, y = self.plane.to_small([place_mm])[0]
        r = max(1, round(radius_mm / self.plane.px_mm))
        h, w = self.labels.shape
        down, across = max(0, min(h, round(y) + r + 1)), max(0, min(w, round(x) + r + 1))
        return slice(max(0, round(y) - r), down), slice(max(0, round(x) - r), across)
