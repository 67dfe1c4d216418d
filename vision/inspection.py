"""Is this table fit to be read, and the camera still a camera?

Told from pictures alone: frozen, black, blurred and glared ones, and everything that can be said of a table before the
first tile is laid.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arm_view import CUT_MM, WANTED_BORDER_MM, seen_around_mm
from vision.calibration import Calibration
from vision.frame import Frame, Image
from vision.rectify import cut_wh
from vision.settle import small_of

WIDTH_PX = 320
"""Pictures are judged at this width."""
DARK_BELOW = 12.0
"""Mean brightness of a picture that shows nothing."""
GLARE_FROM = 250
"""Brightness of a pixel in a glare; `GLARE_AREA` of the picture so bright is too much."""
GLARE_AREA = 0.06
SHARP_FROM = 1.2
"""Fine detail over coarse in a picture in focus."""
FROZEN_FRAMES = 10
"""Brightness runs from 0 to 255; `FROZEN_FRAMES` identical frames in a row are no camera: a sensor has noise."""


@dataclass(frozen=True, slots=True)
class PictureQuality:
    """How good a picture is."""

    glare: float
    """The part of the picture that is burnt out."""
    problems: tuple[str, ...]
    """Sentences for people."""
    causes: tuple[str, ...] = ()
    """The problems in one word each: FROZEN, DARK, GLARE, BLURRED."""


class HealthCheck:
    """Sees every frame of a live camera; keeps one small picture."""

    def __init__(self) -> None:
        self._last: Image | None = None
        self._same = 0

    def see(self, frame: Frame) -> PictureQuality:
        small = small_of(frame, WIDTH_PX)
        same = self._last is not None and self._last.shape == small.shape and np.array_equal(self._last, small)
        self._same = self._same + 1 if same else 0
        self._last = small
        grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
        brightness = float(grey.mean())
        glare = float((grey >= GLARE_FROM).mean())
        frozen = self._same >= FROZEN_FRAMES
        problems = {}
        if frozen:
            problems["FROZEN"] = f"the camera has sent the same picture {self._same + 1} times"
        if brightness < DARK_BELOW:
            problems["DARK"] = f"too dark (brightness {brightness:.0f} of 255)"
        elif glare > GLARE_AREA:
            problems["GLARE"] = f"glare: {glare * 100:.0f} % of the picture is burnt out"
        if sharpness_of(grey) < SHARP_FROM and not frozen:
            problems["BLURRED"] = "blurred: no sharp edge in the picture"
        return PictureQuality(glare, tuple(problems.values()), tuple(problems))


def sharpness_of(grey: NDArray[np.uint8]) -> float:
    """The steepest hundredth of the edges against the same picture blurred once more: 1 is no detail at all."""
    fine = cv2.Laplacian(grey.astype(np.float32), cv2.CV_32F)
    coarse = cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 2.0).astype(np.float32), cv2.CV_32F)
    top = float(np.percentile(np.abs(fine), 99))
    rest = float(np.percentile(np.abs(coarse), 99))
    return top / max(rest, 0.5) / 4


LEAST_PX_PER_MM = 0.8
"""The least for an ideal reader; a pip is then two and a half pixels wide."""
GOOD_PX_PER_MM = 1.4
LEAST_CONTRAST = 20.0
"""Grey levels by which tiles stand out from what they lie on, even out of focus."""
LEAST_EDGE = 0.35
LEAST_BORDER_MM = 5.0
"""With less to see around the table, its edge is as good as the picture's."""

PLAYABLE = frozenset({"SMALL", "NO_BORDER"})
"""With these one plays all the same."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """How well a picture shows the table."""

    px_per_mm: float
    worst_px_per_mm: float
    error_mm: float | None
    """None where there was no printed marker to measure it by."""
    glare: float
    problems: tuple[str, ...]
    """Sentences for people."""
    causes: tuple[str, ...] = ()
    """The problems in one word each: those of `PictureQuality`, and TOO_SMALL, SMALL, UNEVEN, OUTSIDE, NO_BORDER."""

    @property
    def fit(self) -> bool:
        """Whether one can play."""
        return not set(self.causes) - PLAYABLE


def inspect(image: Image, calibration: Calibration, error_mm: float | None = None) -> Inspection:
    """Glare, darkness, blur and too few pixels, looked for on the table itself, not on the floor beside it."""
    table = straightened(image, calibration)
    health = HealthCheck().see(Frame(table, 0.0, "table"))
    problems = dict(zip(health.causes, health.problems, strict=True))
    # A table with three tiles on it has too few edges for the measure of whole pictures.
    problems.pop("BLURRED", None)
    worst = calibration.worst_px_per_mm
    if blurred(straightened(image, calibration, min(1.0, worst))):
        problems["BLURRED"] = "blurred: no edge on the table is sharp"
    if worst < LEAST_PX_PER_MM:
        problems["TOO_SMALL"] = (
            f"tiles are too small to read: {worst:.2f} px/mm in the farthest corner, {LEAST_PX_PER_MM} needed"
        )
    elif worst < GOOD_PX_PER_MM:
        problems["SMALL"] = f"small pips: {worst:.2f} px/mm in the farthest corner, {GOOD_PX_PER_MM} reads surely"
    if error_mm is not None and error_mm > 1.0:
        problems["UNEVEN"] = (
            f"the markers do not fit a flat table by {error_mm:.1f} mm: press the sheets flat and try again"
        )
    h, w = image.shape[:2]
    outside = [k for k, (x, y) in enumerate(calibration.corners_px) if not (-2 <= x <= w + 2 and -2 <= y <= h + 2)]
    if outside:
        problems["OUTSIDE"] = f"table corner {', '.join(map(str, outside))} lies outside the picture"
    around = min(seen_around_mm(calibration, (w, h)))
    if around < LEAST_BORDER_MM:
        problems["NO_BORDER"] = _no_border(around)
    return Inspection(calibration.px_per_mm, worst, error_mm, health.glare, tuple(problems.values()), tuple(problems))


def _no_border(around_mm: float) -> str:
    wanted = f"{WANTED_BORDER_MM:.0f} mm around it are wanted"
    if around_mm < -CUT_MM:
        return (
            f"no border: the picture ends {-around_mm:.0f} mm within the table at one edge, so nobody is named by the "
            f"arm that comes in there; {wanted}"
        )
    return (
        f"no border: {max(0.0, around_mm):.0f} mm of the surroundings are seen at one edge of the table; once the "
        f"camera moves, nobody is named by the arm that comes in there; {wanted}"
    )


def blurred(table: Image) -> bool:
    """Is there something to see on this table, and none of it sharp?

    The steepest edges against the strongest contrasts: 0.6 and more on sharp pictures of tables at 1 px/mm, 0.3 and
    less where a point is smeared over 1.5 mm. A bare cloth is never called blurred.
    """
    grey = cv2.cvtColor(table, cv2.COLOR_BGR2GRAY).astype(np.float32)
    contrast = float(np.percentile(np.abs(grey - cv2.GaussianBlur(grey, (0, 0), 8.0)), 99.95))
    # The picture's own border folds every slope that it cuts into an edge.
    steep = np.abs(cv2.Laplacian(grey, cv2.CV_32F))[2:-2, 2:-2]
    edge = float(np.percentile(steep, 99.95))
    return contrast >= LEAST_CONTRAST and edge < LEAST_EDGE * contrast


def straightened(image: Image, calibration: Calibration, px_per_mm: float = 1.0) -> Image:
    """The table seen straight from above, `px_per_mm` pixels a millimetre (for people, and to look for glare)."""
    w, h = calibration.size_mm
    size = (max(16, round(w * px_per_mm)), max(16, round(h * px_per_mm)))
    corners = calibration.table_to_px(np.array([[0, 0], [w, 0], [w, h], [0, h]]))
    return cut_wh(image, corners, size)
