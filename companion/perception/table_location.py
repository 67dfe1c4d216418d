"""Where the table is in the first picture: what the set-up says, else the printed markers, else the whole picture."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import numpy as np

from companion.perception.projection import inside
from companion.play.setup_file import GameSetup, SetupError
from companion.rules.tile import Tile, chinese_set
from vision.calibration import Calibration, CalibrationError
from vision.eye import Eye
from vision.fiducials import find_markers, missing_corners, table_corners
from vision.frame import Frame
from vision.known_set import KnownSet
from vision.tilt import calibration_from_tiles

LEAST_BACKS = 4
LEAST_MM, MOST_MM = 30.0, 80.0
"""No domino is shorter or longer."""
ALIKE = 0.06
"""Tiles of one set are outlined as long as each other within this part."""

COPIES_ON_A_FREE_BOARD = 4
"""Assumed where a free board's set-up does not say how often each tile exists: board games have several sets."""


def first_calibration(frame: Frame, setup: GameSetup, eye: Eye, photograph: bool = False) -> Calibration:
    """Where nobody says where the table is, a `photograph` is straightened by the tiles that lie on it: how large the
    table is does not matter then. Raises SetupError in one line where the table cannot be found.
    """
    w, h = frame.size_wh
    corners = setup.table.corners_px
    size = setup.table.size_mm
    if corners is not None:
        _refuse_outside(corners, (w, h))
    else:
        markers = find_markers(frame.image)
        if table_corners(markers) is not None:
            try:
                return Calibration.from_markers(markers, size, setup.tile_size_mm[2], size_wh=(w, h))
            except CalibrationError as error:
                raise SetupError(str(error)) from None
        if not setup.free:
            missing = ", ".join(str(k) for k in missing_corners(markers))
            trouble = f"table.corners_px: not given, and corner markers {missing} are not in the picture {frame.name}"
            if not photograph:
                raise SetupError(trouble)
            try:
                return _by_tiles(frame, setup, eye)
            except CalibrationError as error:
                raise SetupError(f"{trouble}; {error}") from None
        corners = ((0.0, 0.0), (float(w), 0.0), (float(w), float(h)), (0.0, float(h)))
    try:
        if size is None:
            size = _measured(frame, corners, setup, eye)
        return Calibration.from_corners(corners, size, setup.tile_size_mm[2], size_wh=(w, h))
    except CalibrationError as error:
        raise SetupError(str(error)) from None


def _by_tiles(frame: Frame, setup: GameSetup, eye: Eye) -> Calibration:
    quads = [tile.quad_px for tile in eye.look(frame.image).tiles if tile.face == "up"]
    return calibration_from_tiles(quads, setup.tile_size_mm[:2], frame.size_wh)


def with_measured_tiles(setup: GameSetup, frame: Frame, calibration: Calibration, eye: Eye) -> GameSetup:
    """The set-up with the tiles as large as they are seen to be, where nobody said it and some lie there.

    Sets are sold from 40 to 60 mm. Tiles that lie face up are measured, else at least `LEAST_BACKS` that do not: their
    thick sides may look like more of them. What is not plainly a size of its own stays the common one.
    """
    if setup.tile_mm is not None or setup.free:
        return setup
    seen = [
        tile for tile in eye.look(frame.image).tiles if inside(calibration.lie(tile.quad_px).center_mm, calibration)
    ]
    up = [calibration.lie(tile.quad_px) for tile in seen if tile.face == "up"]
    lies = up or [calibration.lie(tile.quad_px) for tile in seen]
    if not up and len(lies) < LEAST_BACKS:
        return setup
    length, width = median(lie.length_mm for lie in lies), median(lie.width_mm for lie in lies)
    alike = sum(abs(lie.length_mm / length - 1) < ALIKE and abs(lie.width_mm / width - 1) < 2 * ALIKE for lie in lies)
    common, _, thick = setup.tile_size_mm
    if alike < 0.7 * len(lies) or not LEAST_MM <= length <= MOST_MM or not 1.6 <= length / width <= 2.8:
        return setup
    return (
        setup
        if abs(length / common - 1) < ALIKE
        else replace(setup, tile_mm=(round(length, 1), round(width, 1), thick))
    )


def known_set(setup: GameSetup) -> KnownSet:
    """What is in the box."""
    name, copies = setup.header.set, setup.copies
    if setup.free and copies is None:
        copies = COPIES_ON_A_FREE_BOARD
    highest = setup.header.set_max
    known = chinese_box() if highest is None else KnownSet.double(highest)
    return known if copies is None else replace(known, name=name, copies=dict.fromkeys(known.copies, copies))


def box_of(known: KnownSet) -> dict[Tile, int]:
    """How often each tile is in the box."""
    return {Tile(a, b): count for (a, b), count in known.copies.items()}


def chinese_box() -> KnownSet:
    return KnownSet("chinese", {(tile.low, tile.high): count for tile, count in chinese_set().items()})


def _refuse_outside(corners: tuple[tuple[float, float], ...], size_wh: tuple[int, int]) -> None:
    """A table half out of view is named, not guessed at; a little is allowed, for tables that just fill the picture."""
    w, h = size_wh
    for n, (x, y) in enumerate(corners):
        if not (-0.05 * w <= x <= 1.05 * w and -0.05 * h <= y <= 1.05 * h):
            raise SetupError(f"table.corners_px: corner {n} ({x:.0f}, {y:.0f}) lies outside the picture of {w}x{h}")


def _measured(
    frame: Frame, corners: tuple[tuple[float, float], ...], setup: GameSetup, eye: Eye
) -> tuple[float, float]:
    """The table's size in mm, measured by the tiles that lie on it."""
    tiles = eye.look(frame.image).tiles
    if not tiles:
        raise SetupError("table.size_mm: not given, and no tile lies in the first picture to measure the table by")
    lengths = []
    for tile in tiles:
        quad = np.asarray(tile.quad_px, np.float64)
        lengths.append(float(np.linalg.norm(quad[:2].mean(0) - quad[2:].mean(0))))
    px_per_mm = median(lengths) / setup.tile_size_mm[0]
    a, b, c, d = (np.array(point) for point in corners)
    wide = (np.linalg.norm(b - a) + np.linalg.norm(c - d)) / 2
    high = (np.linalg.norm(d - a) + np.linalg.norm(c - b)) / 2
    return float(wide / px_per_mm), float(high / px_per_mm)
