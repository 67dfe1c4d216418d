"""Where the table lies in the camera's picture, as a person said it or by the printed markers; is it fit to play?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.geometry.table_view import Point
from companion.log.header import Header
from companion.perception.table_location import first_calibration
from companion.play.setup_file import GameSetup, SetupError, TableInPicture
from companion.storage.state_file import read_state, write_state
from vision.calibration import Calibration, CalibrationError
from vision.eye import Eye
from vision.fiducials import find_markers, missing_corners
from vision.frame import Frame
from vision.health import HealthCheck
from vision.inspection import inspect

PLACE_FILE = "table.json"
"""In the data folder: one table for all games."""

NOBODY = Header("tactic", "double-12", ("?", "??"))
"""A set-up file names its players; looking over an empty table needs none."""


@dataclass(frozen=True, slots=True)
class TablePlace:
    """The table's corners, clockwise, as shares of the picture's width and height; so they outlive a change of its
    size. `size_mm` None: measured by the tiles that lie there."""

    corners: tuple[Point, Point, Point, Point]
    size_mm: tuple[float, float] | None = None

    def in_picture(self, size_wh: tuple[int, int]) -> TableInPicture:
        a, b, c, d = ((x * size_wh[0], y * size_wh[1]) for x, y in self.corners)
        return TableInPicture((a, b, c, d), self.size_mm)

    def to_json(self) -> dict[str, Any]:
        return {
            "corners": [[round(x, 5), round(y, 5)] for x, y in self.corners],
            "size_mm": None if self.size_mm is None else list(self.size_mm),
        }


def same_first_corner(before: TablePlace | None, after: TablePlace | None) -> bool:
    """Directions on the table count from its first corner. None: the printed markers say which that is."""
    if before is None or after is None:
        return before is after
    first = before.corners[0]
    return min(range(4), key=lambda n: math.dist(after.corners[n], first)) == 0


def place_from(corners: Any, size_mm: Any) -> TablePlace:
    """Raises ValueError in one line for anything but four points within or close to the picture."""
    try:
        points = [(float(x), float(y)) for x, y in corners]
        size = None if size_mm is None else (float(size_mm[0]), float(size_mm[1]))
    except (TypeError, ValueError, IndexError):
        raise ValueError("expected four corners [x, y] and a size [width, height]") from None
    if len(points) != 4 or not all(-0.05 <= share <= 1.05 for point in points for share in point):
        raise ValueError("expected four corners within the picture")
    if size is not None and not all(100 <= length <= 10_000 for length in size):
        raise ValueError("expected a table of 100 to 10000 mm")
    return TablePlace((points[0], points[1], points[2], points[3]), size)


def read_place(path: Path, damaged: Callable[[Path], None] = lambda aside: None) -> TablePlace | None:
    """What was kept; None where nothing was: then the markers say where the table is. A file that makes no sense is set
    aside."""

    def place_of(kept: Any) -> TablePlace | None:
        return place_from(kept["corners"], kept.get("size_mm"))

    return read_state(path, place_of, None, damaged)


def write_place(path: Path, place: TablePlace | None) -> None:
    """Whole or not at all; None: forget it. Raises OSError."""
    if place is None:
        path.unlink(missing_ok=True)
        return
    write_state(path, place.to_json())


def look_over(frame: Frame, place: TablePlace | None, eye: Eye, known: Calibration | None = None) -> dict[str, Any]:
    """What the set-up page shows: where the table is, how finely it is seen, and what is wrong with the picture.

    `by` is person, markers, setup (`known`, what the game being watched goes by) or None: not found. Then `why` is
    MARKERS (`missing` in the picture), OUTLINE (no four-sided table) or NO_TILES (to measure it by), and `problem` says
    it in one line. `corners` are shares of the picture, `causes` vision.inspection's; `fit`: one can play. The eye is
    asked only for a `place` of unknown size that is not `known`.
    """
    markers = find_markers(frame.image, thorough=place is None and known is None)
    result: dict[str, Any] = {"by": None, "corners": None, "missing": list(missing_corners(markers)), "problem": None}
    try:
        if place is not None and known is not None:
            calibration, by = known, "person"
        elif place is not None:
            setup = GameSetup(NOBODY, place.in_picture(frame.size_wh))
            calibration, by = first_calibration(frame, setup, eye), "person"
        elif result["missing"] and known is not None:
            calibration, by = known, "setup"
        else:
            calibration, by = Calibration.from_markers(markers, None, size_wh=frame.size_wh), "markers"
    except (CalibrationError, SetupError) as fault:
        health = HealthCheck().see(frame)
        shown = None if place is None else place.to_json()["corners"]
        why = "MARKERS" if place is None else "OUTLINE" if place.size_mm is not None else _why_unmeasured(fault)
        problem = {"problem": str(fault), "why": why}
        return {**result, **problem, "corners": shown, "causes": list(health.causes), "fit": False}
    error = calibration.error_mm(markers) if markers else None
    found = inspect(frame.image, calibration, error)
    w, h = frame.size_wh
    return {
        **result,
        "by": by,
        "corners": [[round(float(x) / w, 5), round(float(y) / h, 5)] for x, y in calibration.corners_px],
        "size_mm": [round(length) for length in calibration.size_mm],
        "px_per_mm": round(found.px_per_mm, 2),
        "worst_px_per_mm": round(found.worst_px_per_mm, 2),
        "error_mm": None if error is None else round(error, 2),
        "glare": round(found.glare, 3),
        "causes": list(found.causes),
        "fit": found.fit,
    }


def _why_unmeasured(fault: Exception) -> str:
    return "NO_TILES" if str(fault).startswith("table.size_mm") else "OUTLINE"
