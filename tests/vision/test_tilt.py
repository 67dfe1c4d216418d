"""A table without markers: the tiles tell how the camera leans."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.perception.setup_file import SetupError, setup_from_json
from companion.perception.table_reader import first_calibration
from tests.lanes import nightly
from vision.calibration import LEAST_TILES, CalibrationError, calibration_from_tiles
from vision.frame import Frame
from vision.lens import Lens
from vision.reading import HalfReading, PictureReading, TileReading

SIZE_WH = (1600, 1200)
TILE_MM = (48.0, 24.0)


def photograph(lean_deg: float, towards_deg: float, noise_px: float = 0.4, tiles: int = 14):
    """Outlines (4, 2) px of tiles on a plane 800 mm away that leans, and their middles and headings in mm."""
    rng = np.random.default_rng(round(10 * lean_deg + towards_deg))
    lens = Lens.nominal(SIZE_WH)
    axis = np.array([math.cos(math.radians(towards_deg)), math.sin(math.radians(towards_deg)), 0.0])
    a, k = math.radians(lean_deg), np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn = np.eye(3) + math.sin(a) * k + (1 - math.cos(a)) * k @ k
    quads: list[NDArray[np.float32]] = []
    middles = rng.uniform(-200, 200, (tiles, 2))
    headings = rng.uniform(0, 360, tiles)
    for (x, y), heading in zip(middles, headings, strict=True):
        c, s = math.cos(math.radians(heading)), math.sin(math.radians(heading))
        x1, y1 = TILE_MM[0] / 2, TILE_MM[1] / 2
        local = np.array([[-x1, -y1], [-x1, y1], [x1, y1], [x1, -y1]]) @ np.array([[c, s], [-s, c]]) + [x, y]
        solid = np.column_stack([local, np.zeros(4)]) @ turn.T + [0, 0, 800]
        quads.append((lens.pixels(solid[:, :2] / solid[:, 2:]) + rng.normal(0, noise_px, (4, 2))).astype(np.float32))
    return quads, middles


@pytest.mark.parametrize(("lean", "towards"), [(0, 0), nightly(15, 30), nightly(25, 100), nightly(35, 0), (35, 250)])
def test_lengths_and_distances_come_out_as_they_are(lean: float, towards: float) -> None:
    quads, middles = photograph(lean, towards)
    calibration = calibration_from_tiles(quads, TILE_MM, SIZE_WH)
    lies = [calibration.lie(quad) for quad in quads]
    assert np.median([lie.length_mm for lie in lies]) == pytest.approx(48.0, rel=0.02)
    assert max(abs(lie.length_mm / 48.0 - 1) for lie in lies) < 0.08
    found = np.array([lie.center_mm for lie in lies])
    apart = np.linalg.norm(found[:, None] - found[None], axis=2)
    true = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    assert np.abs(apart - true).max() < 0.04 * true.max()


def test_what_is_no_tile_does_not_bend_the_table() -> None:
    quads, _ = photograph(30, 45)
    straight = calibration_from_tiles(quads, TILE_MM, SIZE_WH)
    odd = np.array([[100, 100], [180, 90], [500, 260], [90, 300]], np.float32)
    bent = calibration_from_tiles([*quads, odd], TILE_MM, SIZE_WH)
    for quad in quads:
        assert bent.lie(quad).length_mm == pytest.approx(straight.lie(quad).length_mm, rel=0.03)


def test_everything_in_the_picture_is_on_the_table() -> None:
    quads, _ = photograph(35, 90)
    calibration = calibration_from_tiles(quads, TILE_MM, SIZE_WH)
    w, h = calibration.size_mm
    seen = calibration.to_mm([[0, 0], [1600, 0], [1600, 1200], [0, 1200]])
    assert (seen >= -1.0).all() and (seen <= np.array([w, h]) + 1.0).all()


class FewEyes:
    def __init__(self, quads: list[NDArray[np.float32]]) -> None:
        self.quads = quads

    def look(self, image, length_px=None, known=None) -> PictureReading:
        half = HalfReading(1, 0.99, ())
        return PictureReading(SIZE_WH, tuple(TileReading(quad, "up", (half, half), 0.9) for quad in self.quads))


def test_a_photograph_without_markers_is_straightened_and_a_film_is_not() -> None:
    setup = setup_from_json({"rules": "reeves", "set": "double-12", "players": ["Ann", "Ben"], "tile_mm": [48, 24, 9]})
    frame = Frame(np.zeros((SIZE_WH[1], SIZE_WH[0], 3), np.uint8), 0.0, "1.jpg")
    quads, _ = photograph(30, 45)
    eye = FewEyes(quads)
    found = first_calibration(frame, setup, eye, photograph=True)  # type: ignore[arg-type]
    assert found.lie(quads[0]).length_mm == pytest.approx(48.0, rel=0.08)
    with pytest.raises(SetupError, match=r"corner markers 0, 1, 2, 3 are not in the picture 1\.jpg$"):
        first_calibration(frame, setup, eye)  # type: ignore[arg-type]
    with pytest.raises(SetupError, match=r"not in the picture 1\.jpg; 3 tiles found, expected at least 6"):
        first_calibration(frame, setup, FewEyes(quads[:3]), photograph=True)  # type: ignore[arg-type]


def test_too_few_tiles_and_shapes_that_are_none_are_refused_in_a_line() -> None:
    quads, _ = photograph(20, 0)
    with pytest.raises(CalibrationError, match=f"5 tiles found, expected at least {LEAST_TILES}"):
        calibration_from_tiles(quads[:5], TILE_MM, SIZE_WH)
    rng = np.random.default_rng(3)
    shapes = [(rng.uniform(0, 1000, (4, 2))).astype(np.float32) for _ in range(12)]
    with pytest.raises(CalibrationError, match="this may be several pictures in one, or no single table"):
        calibration_from_tiles(shapes, TILE_MM, SIZE_WH)
