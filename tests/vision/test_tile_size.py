"""The size of the set's tiles is known: an outline of another size is fitted again, and no third digit decides.

`chinese_line.jpg` is a part of a path-traced table: nine tiles of a Chinese line, 95.7 px long each.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.app.own_set import known_set
from tests.lanes import nightly
from vision.calibration import Calibration
from vision.detections import Detections, Kind
from vision.eye import Eye, open_eye
from vision.familiar import Appearance
from vision.frame import Image
from vision.pictures import open_picture
from vision.rotated import quads_of, sides
from vision.tile_size import STEP, TileSize, beside, in_steps

PICTURE = Path(__file__).parents[1] / "table" / "pictures" / "chinese_line.jpg"
CORNERS_PX = np.array([[-487.0, -394.6], [1500.8, -490.7], [1540.6, 692.7], [-456.3, 714.0]])
TABLE_MM, TILE_MM, HEIGHT_MM, WHOLE_WH = (1260.0, 724.0), (60.0, 25.0), 11.0, (2304, 1296)
LINE = [(6, 3), (3, 1), (1, 6), (6, 6), (6, 5), (5, 4), (4, 6), (6, 1), (3, 4)]
SET = known_set("chinese")


def calibration(corners: NDArray[np.float64] = CORNERS_PX) -> Calibration:
    return Calibration.from_corners(corners, TABLE_MM, HEIGHT_MM, size_wh=WHOLE_WH)


def read(eye: Eye, image: Image, scale: float, size: TileSize) -> list[tuple[int, int] | None]:
    length = scale * calibration().px_per_mm * TILE_MM[0]
    tiles = [tile for tile in eye.look(image, length, SET, size).tiles if tile.face == "up"]
    return [tile.values for tile in sorted(tiles, key=lambda tile: float(tile.quad_px[:, 0].mean()))]


@pytest.fixture(scope="module")
def eye() -> Eye:
    return open_eye()


@pytest.fixture(scope="module")
def image() -> Image:
    return open_picture(PICTURE)


@pytest.mark.parametrize(
    ("scale", "corners", "tile"), [(0.99, 1.0, 1.0), (1.01, 1.0, 1.0), (1.0, 0.99, 1.0), (1.0, 1.01, 1.01)]
)
def test_one_percent_of_scale_corners_or_tile_size_changes_no_reading(
    eye: Eye, image: Image, scale: float, corners: float, tile: float
) -> None:
    middle = CORNERS_PX.mean(0)
    size = TileSize(calibration(middle + corners * (CORNERS_PX - middle)), (tile * TILE_MM[0], tile * TILE_MM[1]))
    assert read(eye, image, scale, size) == LINE


@pytest.mark.parametrize(("n", "end", "share"), [(8, 1, 0.15), nightly(5, 1, 0.15), nightly(6, 0, 0.15), (6, 0, 0.22)])
def test_an_outline_that_cuts_a_four_in_two_is_fitted_again(
    eye: Eye, image: Image, n: int, end: int, share: float
) -> None:
    """As it is outlined it shows a two, surely: what the known length contradicts."""
    found = [tile for tile in eye.look(image, 95.7, SET).tiles if tile.face == "up"]
    outlines = np.array([tile.quad_px for tile in sorted(found, key=lambda tile: float(tile.quad_px[:, 0].mean()))])
    assert len(outlines) == len(LINE)
    a, b = outlines[n, :2].copy(), outlines[n, 2:].copy()
    if end == 1:
        outlines[n, 2:] += (a[::-1] - b) * share
    else:
        outlines[n, :2] += (b[::-1] - a) * share
    finds = Detections(outlines, np.full(len(LINE), Kind.FACE_UP, np.int8), np.full(len(LINE), 0.9, np.float32))
    said = [
        eye.reader.read(eye.reader.at(image, finds, SET, Appearance(), 95.7, size), finds)
        for size in (None, TileSize(calibration(), TILE_MM))
    ]
    unknown, known = (sorted(tiles, key=lambda tile: float(tile.quad_px[:, 0].mean()))[n].values for tiles in said)
    assert unknown is not None and 2 in unknown, "this outline no longer misleads the reader; choose another"
    assert known == LINE[n]


def test_a_size_that_was_given_wrongly_is_wrong_of_all_tiles_alike() -> None:
    """Somebody typed 45 mm for tiles of 48: none of them contradicts the others."""
    flat = Calibration.from_corners([[0, 0], [1000, 0], [1000, 750], [0, 750]], (1000.0, 750.0), 0.0)
    quads = quads_of(np.array([[100 + 60 * n, 300, 48, 24, 0] for n in range(5)] + [[600, 300, 36, 24, 0]], np.float32))
    sure = np.array([True] * 5 + [False])
    expected = TileSize(flat, (45.0, 24.0)).expected(quads, sure)
    assert np.allclose(expected[:, 0], 48, atol=0.5)
    few = TileSize(flat, (45.0, 24.0)).expected(quads[:3], sure[:3])
    assert np.allclose(few[:, 0], 45, atol=0.5), "three tiles tell less than whoever measured one"


def test_what_has_no_tiles_size_and_is_hardly_found_is_not_judged() -> None:
    """Veins of marble; a marker is no larger than a tile. A sure find may be a tile partly under a toy."""
    flat = Calibration.from_corners([[0, 0], [1000, 0], [1000, 750], [0, 750]], (1000.0, 750.0), 0.0)
    sides_wh = [(48, 24), (70, 24), (70, 24), (48, 40), (24, 24), (60, 30), (8, 8)]
    quads = quads_of(np.array([[100 + 90 * n, 300, w, h, 0] for n, (w, h) in enumerate(sides_wh)], np.float32))
    kinds = np.array([Kind.FACE_UP, Kind.FACE_UP, Kind.FACE_UP, Kind.FACE_DOWN, *[Kind.MARKER] * 3], np.int8)
    found = Detections(quads, kinds, np.array([0.2, 0.2, 0.6, 0.2, 0.01, 0.01, 0.5], np.float32))
    kept = TileSize(flat, (48.0, 24.0)).weeded(found)
    assert [round(float(quad[:, 0].mean())) for quad in kept.quads_px] == [100, 280, 460]


def test_no_place_lies_over_a_tile_that_lies_there() -> None:
    tried = quads_of(np.array([[100 + by, 50, 48, 24, 0] for by in (-12, 0, 12)], np.float32))
    solid = quads_of(np.array([[149, 50, 48, 24, 0]], np.float32))
    assert beside(tried, solid).tolist() == [True, True, False]
    assert beside(tried, np.zeros((0, 4, 2), np.float32)).all()


def test_shares_are_measured_on_the_table() -> None:
    quads = calibration().to_px([[400, 300], [400, 275], [460, 275], [460, 300]]).astype(np.float32)[None]
    assert np.allclose(TileSize(calibration(), TILE_MM).shares(quads), 1.0, atol=0.01)
    assert sides(quads)[0][0] == pytest.approx(95.7, abs=2)


def test_a_tile_that_came_under_a_toy_is_found_by_its_size_and_the_half_in_view() -> None:
    """`toy_on_tile.jpg`: a green engine stands on the inner half of the last tile, behind a double."""
    corners = np.array([[-952.1, -196.8], [955.6, -302.8], [1016.3, 835.2], [-927.4, 887.6]])
    where = Calibration.from_corners(corners, (1360.0, 782.0), 9.0, size_wh=WHOLE_WH)
    picture, known = open_picture(PICTURE.with_name("toy_on_tile.jpg")), known_set("double-9")
    length, size = 48 * where.px_per_mm, TileSize(where, (48.0, 24.0))
    unknown, found = (
        [where.lie(tile.quad_px).center_mm for tile in open_eye().look(picture, length, known, which).tiles]
        for which in (None, size)
    )
    last = (826.0, 244.0)
    assert any(np.hypot(x - last[0], y - last[1]) < 8 for x, y in found)
    assert not any(np.hypot(x - last[0], y - last[1]) < 8 for x, y in unknown)
    assert len(found) == len(unknown) + 1, "nothing else is found because of it"


def test_the_finder_looks_in_steps_whatever_the_third_digit_says() -> None:
    """Of lengths that differ by 1 % three in four share their step; none is moved by more than half a step."""
    lengths = np.geomspace(40.0, 120.0, 400)
    steps = np.array([in_steps(float(one)) for one in lengths])
    assert (np.abs(np.log(steps / lengths)) <= np.log(STEP) / 2 + 1e-9).all()
    assert np.mean([in_steps(float(one) * 1.01) == in_steps(float(one)) for one in lengths]) > 0.7
