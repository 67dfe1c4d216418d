"""Pixels to millimetres, against a camera whose pose is known exactly."""

from functools import cache

import cv2
import numpy as np
import pytest

from vision.calibration import Calibration, CalibrationError
from vision.fiducials import CORNER_EDGE_MM, DICTIONARY, corners_again, find_markers
from vision.lens import Lens

SIZE_MM = (1200.0, 900.0)
LENS = Lens.nominal((4056, 3040), 66.0)


def seen(points_mm, height_mm=0.0, lens=LENS, tilt=(0.12, -0.08, 0.2), above_mm=1300.0):
    """Where a camera above the table sees points that lie `height_mm` over it."""
    solid = np.column_stack([points_mm, np.full(len(points_mm), -height_mm)]) - [600, 450, 0]
    pixels, _ = cv2.projectPoints(
        solid, np.array(tilt, float), np.array([10.0, -20.0, above_mm]), lens.matrix, np.array(lens.distortion)
    )
    return pixels.reshape(-1, 2)


CORNERS_MM = np.array([[0, 0], [1200, 0], [1200, 900], [0, 900]], float)
PLACES = np.random.default_rng(4).uniform([0, 0], SIZE_MM, (200, 2))


def test_tile_tops_are_measured_on_their_own_plane():
    calibration = Calibration.from_corners(seen(CORNERS_MM), SIZE_MM, 9.0, LENS)
    wrong = np.linalg.norm(calibration.to_mm(seen(PLACES, 9.0)) - PLACES, axis=1)
    assert wrong.max() < 0.02
    # the same without the tiles' height is millimetres off, which is why it is asked for
    flat = np.linalg.norm(calibration.table_to_mm(seen(PLACES, 9.0)) - PLACES, axis=1)
    assert flat.max() > 3.0


def test_a_tenth_of_a_pixel_at_the_corners_costs_little():
    noise = np.random.default_rng(1).normal(0, 0.1, (4, 2))
    calibration = Calibration.from_corners(seen(CORNERS_MM) + noise, SIZE_MM, 9.0, LENS)
    assert np.linalg.norm(calibration.to_mm(seen(PLACES, 9.0)) - PLACES, axis=1).max() < 0.3


def test_a_nominal_lens_ten_percent_off_stays_within_a_millimetre():
    guess = Lens.nominal(LENS.size_wh, 60.0)
    calibration = Calibration.from_corners(seen(CORNERS_MM), SIZE_MM, 9.0, guess)
    assert np.linalg.norm(calibration.to_mm(seen(PLACES, 9.0)) - PLACES, axis=1).max() < 1.5


def test_distortion_is_undone():
    bent = Lens((4056, 3040), LENS.fx, LENS.fy, 2050.0, 1500.0, (-0.12, 0.03, 0.001, -0.0005, 0.0))
    calibration = Calibration.from_corners(seen(CORNERS_MM, lens=bent), SIZE_MM, 9.0, bent)
    assert np.linalg.norm(calibration.to_mm(seen(PLACES, 9.0, bent)) - PLACES, axis=1).max() < 0.05


def test_there_and_back_again():
    calibration = Calibration.from_corners(seen(CORNERS_MM), SIZE_MM, 9.0, LENS)
    assert np.allclose(calibration.to_mm(calibration.to_px(PLACES)), PLACES, atol=1e-6)
    assert np.allclose(calibration.table_to_mm(calibration.table_to_px(PLACES)), PLACES, atol=1e-6)
    assert np.allclose(calibration.table_to_px(CORNERS_MM), seen(CORNERS_MM), atol=0.05)


def test_a_tile_lies_where_it_was_laid():
    calibration = Calibration.from_corners(seen(CORNERS_MM), SIZE_MM, 9.0, LENS)
    heading = np.radians(30)
    along, across = np.array([np.cos(heading), np.sin(heading)]), np.array([-np.sin(heading), np.cos(heading)])
    quad_mm = np.array([700, 300]) + [a * 24 * along + b * 12 * across for a, b in ((-1, 1), (-1, -1), (1, -1), (1, 1))]
    lie = calibration.lie(seen(quad_mm, 9.0))
    assert lie.center_mm == pytest.approx((700, 300), abs=0.1)
    assert lie.heading_deg == pytest.approx(30, abs=0.2)
    assert (lie.length_mm, lie.width_mm) == pytest.approx((48, 24), abs=0.1)


def test_pixels_per_millimetre_in_the_middle_and_in_the_worst_corner():
    calibration = Calibration.from_corners(seen(CORNERS_MM), SIZE_MM, 9.0, LENS)
    assert calibration.px_per_mm == pytest.approx(LENS.fx / 1300, rel=0.05)
    assert calibration.worst_px_per_mm < calibration.px_per_mm


@cache
def picture_with_markers(ids=(0, 1, 2, 3)):
    """The table with its printed corner markers, seen by the camera above."""
    kind = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    edge = 200
    image = np.full((3040, 4056, 3), 120, np.uint8)
    for k in ids:
        inward = np.array([[0, 0], [-CORNER_EDGE_MM, 0], [-CORNER_EDGE_MM] * 2, [0, -CORNER_EDGE_MM]])[k]
        corner = CORNERS_MM[k] + inward
        pad = 8.0
        sheet = np.full((edge + 80, edge + 80, 3), 255, np.uint8)
        sheet[40:-40, 40:-40] = cv2.aruco.generateImageMarker(kind, k, edge)[:, :, None]
        outline_mm = corner + np.array([[-pad, -pad], [48, -pad], [48, 48], [-pad, 48]])
        pixels = seen(outline_mm).astype(np.float32)
        source = np.array([[0, 0], [edge + 80, 0], [edge + 80, edge + 80], [0, edge + 80]], np.float32)
        to_picture = cv2.getPerspectiveTransform(source - 0.5, pixels - 0.5)
        warped = cv2.warpPerspective(sheet, to_picture, (4056, 3040), flags=cv2.INTER_AREA)
        mask = cv2.warpPerspective(np.full(sheet.shape[:2], 255, np.uint8), to_picture, (4056, 3040))
        image[mask > 127] = warped[mask > 127]
    return cv2.GaussianBlur(image, (0, 0), 0.8)


def test_printed_corners_are_found_and_the_error_is_told_in_mm():
    markers = find_markers(picture_with_markers())
    assert sorted(markers) == [0, 1, 2, 3]
    calibration = Calibration.from_markers(markers, SIZE_MM, 9.0, LENS, size_wh=LENS.size_wh)
    assert np.linalg.norm(calibration.corners_px - seen(CORNERS_MM), axis=1).max() < 0.35
    assert calibration.error_mm(markers) < 0.5


def test_a_table_of_unknown_size_is_measured_by_its_markers():
    calibration = Calibration.from_markers(find_markers(picture_with_markers()), None, 9.0, LENS, size_wh=LENS.size_wh)
    assert calibration.size_mm == pytest.approx(SIZE_MM, rel=0.01)


@pytest.mark.slow
def test_blurred_and_dark_markers_are_found_and_measured_to_a_millimetre():
    noise = np.random.default_rng(1)
    hazy = cv2.GaussianBlur(picture_with_markers(), (0, 0), 4).astype(np.float32) * 0.4
    markers = find_markers(np.clip(hazy + noise.normal(0, 3, hazy.shape), 0, 255).astype(np.uint8))
    assert sorted(markers) == [0, 1, 2, 3]
    calibration = Calibration.from_markers(markers, SIZE_MM, 9.0, LENS, size_wh=LENS.size_wh)
    assert np.linalg.norm(calibration.corners_px - seen(CORNERS_MM), axis=1).max() < calibration.px_per_mm


@pytest.mark.slow
def test_the_squares_of_a_cloth_are_no_markers_and_hide_none():
    yy, xx = np.mgrid[:3040, :4056] // 90
    cloth = (60 + 60 * (xx % 2) + 60 * (yy % 2)).astype(np.uint8)
    bare = cloth[:760, :1014]
    assert find_markers(bare) == {} and corners_again(bare) is None
    table = picture_with_markers()
    lying = np.where(table == 120, np.repeat(cloth[:, :, None], 3, 2), table)
    assert sorted(find_markers(lying)) == [0, 1, 2, 3]


def test_where_the_table_is_now_is_told_by_all_four_markers_or_by_none():
    found = corners_again(picture_with_markers())
    assert found is not None and np.linalg.norm(found - seen(CORNERS_MM), axis=1).max() < 1.0
    assert corners_again(picture_with_markers((0, 1, 3))) is None


def test_a_missing_marker_is_named():
    with pytest.raises(CalibrationError, match="marker 2 not found"):
        Calibration.from_markers(find_markers(picture_with_markers((0, 1, 3))), SIZE_MM, size_wh=LENS.size_wh)


@pytest.mark.parametrize(
    ("corners", "size", "said"),
    [
        ([[0, 0], [0, 90], [90, 90], [90, 0]], (600, 600), "counter-clockwise"),
        ([[0, 0], [90, 0], [0, 90], [90, 90]], (600, 600), "four-sided"),
        ([[0, 0], [90, 0], [90, 90]], (600, 600), "four points"),
        ([[0, 0], [90, 0], [90, 90], [0, float("nan")]], (600, 600), "four points"),
        ([[0, 0], [90, 0], [90, 90], [0, 90]], (600, -1), "positive"),
        ([[5, 5], [5, 5], [5, 5], [5, 5]], (600, 600), "four-sided"),
    ],
)
def test_corners_that_are_no_table_are_refused(corners, size, said):
    with pytest.raises(CalibrationError, match=said):
        Calibration.from_corners(corners, size)


@pytest.mark.parametrize("height", [0.001, 9.0])
def test_a_table_seen_exactly_from_above_is_measured(height):
    corners = [[17.1, 12.9], [702.9, 12.9], [702.9, 527.1], [17.1, 527.1]]
    found = Calibration.from_corners(corners, (1320.0, 990.0000000000001), height, size_wh=(720, 540))
    assert np.allclose(found.to_mm([[360.0, 270.0]]), [[660.0, 495.0]], atol=0.01)
    assert found.px_per_mm == pytest.approx(0.52, abs=0.005)
