"""The sheets the camera reads: corner markers with the hub's fiducial, and the board for measuring a lens."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.sheets.paper import MARGIN_MM, Sheet
from vision.fiducials import (
    BOARD_DICTIONARY,
    BOARD_MARKER_MM,
    BOARD_SQUARE_MM,
    BOARD_SQUARES,
    CORNER_EDGE_MM,
    CORNER_IDS,
    DICTIONARY,
    HUB_EDGE_MM,
    HUB_ID,
)

QUIET_MM = 10.0
"""White around a marker: an AprilTag wants one cell (5 mm at 40 mm), and scissors are not exact."""

PLACES = ("top left", "top right", "bottom right", "bottom left")


def marker_cells(dictionary: int, marker: int) -> NDArray[np.bool_]:
    """(n, n) cells of a marker with its black border; True is black."""
    known = cv2.aruco.getPredefinedDictionary(dictionary)
    n = known.markerSize + 2
    return np.asarray(cv2.aruco.generateImageMarker(known, marker, n, borderBits=1)) < 128


def corner_markers(sheet: Sheet) -> None:
    """Four cards to cut out, each with an arrow to the outer corner, and the hub's small fiducial."""
    sheet.heading("Corner markers and hub fiducial")
    foot = sheet.paragraph(
        MARGIN_MM,
        MARGIN_MM + 10,
        sheet.width_mm - 2 * MARGIN_MM,
        "Cut along the dashed lines. Seen from the side where the picture's bottom will be, lay each card in its "
        "corner of the playing area, upright as printed, with the marked outer corner of the black square exactly "
        "on the corner. Fix them with matt tape; they may stay for ever.",
    )
    card = CORNER_EDGE_MM + 2 * QUIET_MM
    columns = (MARGIN_MM + 10, sheet.width_mm - MARGIN_MM - 10 - card)
    rows = (foot + 6, foot + 6 + card + 14)
    at = ((columns[0], rows[0]), (columns[1], rows[0]), (columns[1], rows[1]), (columns[0], rows[1]))
    for marker, (x, y), place in zip(CORNER_IDS, at, PLACES, strict=True):
        sheet.frame(x, y, card, card, dashed=True)
        sheet.cells(x + QUIET_MM, y + QUIET_MM, CORNER_EDGE_MM, marker_cells(DICTIONARY, marker))
        _point_out(sheet, x, y, card, marker)
        sheet.text(x, y + card + 4, f"{marker}: {place}", size=9, bold=True)
    hub = HUB_EDGE_MM + QUIET_MM
    x, y = sheet.width_mm / 2 - hub / 2, rows[1] + card + 14
    sheet.frame(x, y, hub, hub, dashed=True)
    sheet.cells(x + QUIET_MM / 2, y + QUIET_MM / 2, HUB_EDGE_MM, marker_cells(DICTIONARY, HUB_ID))
    sheet.text(x + hub + 4, y + hub / 2, f"{HUB_ID}: the hub's middle, any way round", size=9, bold=True)
    sheet.scale_check()


def _point_out(sheet: Sheet, x: float, y: float, card: float, marker: int) -> None:
    """Two hairlines from the card's edge towards the marker's outer corner, clear of the quiet zone."""
    right, below = marker in (1, 2), marker in (2, 3)
    corner_x = x + (card - QUIET_MM if right else QUIET_MM)
    corner_y = y + (card - QUIET_MM if below else QUIET_MM)
    out_x, out_y = (1.0 if right else -1.0), (1.0 if below else -1.0)
    sheet.line(corner_x + out_x * 6, corner_y, corner_x + out_x * QUIET_MM, corner_y, width=0.3)
    sheet.line(corner_x, corner_y + out_y * 6, corner_x, corner_y + out_y * QUIET_MM, width=0.3)


def lens_board(sheet: Sheet) -> None:
    """The ChArUco board of vision/fiducials.py in the middle of a landscape page."""
    across, down = BOARD_SQUARES
    board = cv2.aruco.CharucoBoard(
        BOARD_SQUARES, BOARD_SQUARE_MM, BOARD_MARKER_MM, cv2.aruco.getPredefinedDictionary(BOARD_DICTIONARY)
    )
    left = (sheet.width_mm - across * BOARD_SQUARE_MM) / 2
    top = MARGIN_MM - 2.0
    white: set[tuple[int, int]] = set()
    for marker, corners in zip(np.asarray(board.getIds()).ravel(), board.getObjPoints(), strict=True):
        x, y = (float(value) for value in np.asarray(corners)[:, :2].min(axis=0))
        white.add((int(x // BOARD_SQUARE_MM), int(y // BOARD_SQUARE_MM)))
        sheet.cells(left + x, top + y, BOARD_MARKER_MM, marker_cells(BOARD_DICTIONARY, int(marker)))
    for row in range(down):
        for column in range(across):
            if (column, row) not in white:
                edge = BOARD_SQUARE_MM
                sheet.box(left + column * edge, top + row * edge, edge, edge)
    sheet.frame(left, top, across * BOARD_SQUARE_MM, down * BOARD_SQUARE_MM)
    sheet.text(left + 195, sheet.height_mm - MARGIN_MM - 8, "Glue it flat on a board.", size=7)
    sheet.scale_check()
