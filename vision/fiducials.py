"""The printed markers: which they are, how large, and where they are in a picture.

The sheets in hardware/ print exactly these. Corner marker k lies inside the table with its own corner k on the table's
corner k (order: top left, top right, bottom right, bottom left for a person at the bottom edge).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image, reduced

Floats = NDArray[np.float32]

DICTIONARY = cv2.aruco.DICT_APRILTAG_36h11
CORNER_IDS = (0, 1, 2, 3)
HUB_ID = 4
CORNER_EDGE_MM = 40.0
HUB_EDGE_MM = 24.0
SEARCHED_PX = 1600
"""Markers are looked for in a picture whose longer side is no more; a corner marker is some 50 of its pixels wide."""
BOARD_DICTIONARY = cv2.aruco.DICT_5X5_100
BOARD_SQUARES = (7, 5)
BOARD_SQUARE_MM = 35.0
BOARD_MARKER_MM = 26.0


def find_markers(image: Image, *, thorough: bool = True) -> dict[int, Floats]:
    """Marker id -> its (4, 2) corners in px, in the marker's own order, sub-pixel exact.

    An id that is seen twice is left out: which of the two is the table's cannot be known. They are looked for in a
    picture of at most `SEARCHED_PX` and measured in the full one where they are: the exact search of a noisy picture of
    12 MP takes fifty times as long, of a chequered cloth ten seconds and more. `thorough` searches once more, for
    blurred and dark ones, where a glance does not find all four corners of the table.
    """
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image, np.uint8)
    small, scale = grey, np.ones(2, np.float32)
    if max(grey.shape) > SEARCHED_PX:
        share = SEARCHED_PX / max(grey.shape)
        small, by = reduced(grey, (round(grey.shape[1] * share), round(grey.shape[0] * share)))
        scale = np.array(by, np.float32)
    found = _once(_detected(small, cv2.aruco.CORNER_REFINE_NONE))
    if thorough and missing_corners(found):
        found |= _once(_detected(small, cv2.aruco.CORNER_REFINE_APRILTAG))
    return {marker: _measured(grey, marker, four * scale) for marker, four in found.items()}


def _detected(grey: Image, refinement: int) -> list[tuple[int, Floats]]:
    """(id, corners) of everything that looks like a marker."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = refinement
    # A 40 mm marker on a 1.5 m table has a perimeter of a tenth of the picture's long side; a square less than half as
    # large cannot be told from the many squares of a cloth.
    parameters.minMarkerPerimeterRate = 0.04
    parameters.adaptiveThreshWinSizeMax = 43
    parameters.adaptiveThreshWinSizeStep = 20
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY), parameters)
    corners, ids, _ = detector.detectMarkers(grey)
    # None: OpenCV's word for "no marker"
    numbers = [] if ids is None else [int(one) for one in np.asarray(ids).ravel()]
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
    part, start = np.ascontiguousarray(grey[y0:y1, x0:x1]), np.array([x0, y0], np.float32)
    exact = dict(_detected(part, cv2.aruco.CORNER_REFINE_APRILTAG)).get(marker)
    if exact is None:  # blurred or dark: the corners where the glance found them, put right by the edges around
        near = max(2, round(0.06 * float(np.ptp(four, axis=0).max())))
        ends = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 30, 0.02)
        begun = np.array((four - start).reshape(-1, 1, 2), np.float32)
        exact = np.asarray(cv2.cornerSubPix(part, begun, (near, near), (-1, -1), ends), np.float32).reshape(4, 2)
    return np.asarray(exact + start, np.float32)


def table_corners(markers: dict[int, Floats]) -> Floats | None:
    """(4, 2) px: the table's corners where all four corner markers were found, else None."""
    if not all(k in markers for k in CORNER_IDS):
        return None
    return np.stack([markers[k][k] for k in CORNER_IDS])


def corners_again(image: Image) -> Floats | None:
    """(4, 2) px: where the table's corners are on a table whose place was known before; None where not all four markers
    are found. Where not even one is seen at a glance none lie there, and no more time is spent on it."""
    glanced = find_markers(image, thorough=False)
    if len(missing_corners(glanced)) in (0, len(CORNER_IDS)):
        return table_corners(glanced)
    return table_corners(find_markers(image))


def missing_corners(markers: dict[int, Floats]) -> tuple[int, ...]:
    return tuple(k for k in CORNER_IDS if k not in markers)
