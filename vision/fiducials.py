"""The printed markers: which they are, how large, and where they are in a picture.

The sheets in hardware/ print exactly these. Corner marker k lies inside the table with its own corner k on the table's
corner k (order: top left, top right, bottom right, bottom left for a person at the bottom edge).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

Floats = NDArray[np.float32]

DICTIONARY = cv2.aruco.DICT_APRILTAG_36h11
CORNER_IDS = (0, 1, 2, 3)
HUB_ID = 4
CORNER_EDGE_MM = 40.0
HUB_EDGE_MM = 24.0
BOARD_DICTIONARY = cv2.aruco.DICT_5X5_100
BOARD_SQUARES = (7, 5)
BOARD_SQUARE_MM = 35.0
BOARD_MARKER_MM = 26.0


def find_markers(image: Image, *, thorough: bool = True) -> dict[int, Floats]:
    """Marker id -> its (4, 2) corners in px, in the marker's own order, sub-pixel exact.

    An id that is seen twice is left out: which of the two is the table's cannot be known. What is seen at a glance is
    measured exactly where it is, which takes a fiftieth of the time that the exact search of a noisy picture takes;
    `thorough` searches like that where a glance does not find all four corners of the table.
    """
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image, np.uint8)
    glanced = _detected(grey, cv2.aruco.CORNER_REFINE_NONE)
    if thorough and missing_corners(_once(glanced)):
        return _once(_detected(grey, cv2.aruco.CORNER_REFINE_APRILTAG))
    return {marker: _measured(grey, marker, four) for marker, four in _once(glanced).items()}


def _detected(grey: Image, refinement: int) -> list[tuple[int, Floats]]:
    """(id, corners) of everything that looks like a marker."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = refinement
    # A 40 mm marker on a 1.5 m table has a perimeter of a tenth of the picture's long side.
    parameters.minMarkerPerimeterRate = 0.02
    parameters.adaptiveThreshWinSizeMax = 43
    parameters.adaptiveThreshWinSizeStep = 20
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY), parameters)
    corners, ids, _ = detector.detectMarkers(grey)
    numbers = (
        [] if ids is None else [int(one) for one in np.asarray(ids).ravel()]
    )  # None: OpenCV's word for "no marker"
    return [(n, np.asarray(four, np.float32).reshape(4, 2)) for n, four in zip(numbers, corners, strict=True)]


def _once(found: list[tuple[int, Floats]]) -> dict[int, Floats]:
    ids = [marker for marker, _ in found]
    return {marker: four for marker, four in found if ids.count(marker) == 1}


def _measured(grey: Image, marker: int, four: Floats) -> Floats:
    """The marker's corners measured exactly in the part of the picture around it."""
    reach = 0.5 * float(np.ptp(four, axis=0).max()) + 8.0
    h, w = grey.shape[:2]
    x0, y0 = np.maximum(np.floor(four.min(0) - reach), 0).astype(int)
    x1, y1 = np.minimum(np.ceil(four.max(0) + reach), (w, h)).astype(int)
    exact = dict(_detected(np.ascontiguousarray(grey[y0:y1, x0:x1]), cv2.aruco.CORNER_REFINE_APRILTAG)).get(marker)
    return four if exact is None else np.asarray(exact + np.array([x0, y0], np.float32), np.float32)


def table_corners(markers: dict[int, Floats]) -> Floats | None:
    """(4, 2) px: the table's corners where all four corner markers were found, else None."""
    if not all(k in markers for k in CORNER_IDS):
        return None
    return np.stack([markers[k][k] for k in CORNER_IDS])


def missing_corners(markers: dict[int, Floats]) -> tuple[int, ...]:
    return tuple(k for k in CORNER_IDS if k not in markers)
