"""How long the tiles of a picture are: what the coarse looks agree on."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detections import Kind
from vision.detector import ASPECT, SIZE_SPREAD, SLANTED_ASPECT, SLANTED_SPREAD, Look, agreed_length, tile_shaped


def look(scale: float, length: float, *scores: float, kind: Kind = Kind.FACE_UP) -> Look:
    boxes = np.array([[100.0, 100.0, length, length / 2, 0.0]] * len(scores), np.float32)
    return Look(scale, boxes, np.array(scores, np.float32), np.full(len(scores), kind, np.int8))


def test_tiles_found_at_two_scales_agree_on_their_length() -> None:
    assert agreed_length([look(0.5, 100, 0.9, 0.8), look(1.0, 104, 0.7)]) == pytest.approx(101, abs=2)


def test_two_sure_tiles_outvote_the_squares_of_a_cloth() -> None:
    close_up = [look(0.125, 460, 0.87, 0.7), look(0.25, 474, 0.91, 0.79)]
    chequered = look(1.0, 63, 0.6, 0.6, 0.58, 0.55, 0.5, 0.5, 0.47, 0.46, 0.46, 0.42, 0.41)
    assert agreed_length([*close_up, chequered]) == pytest.approx(468, abs=8)


def test_many_tiles_outvote_one_large_thing() -> None:
    table = look(1.0, 63, *[0.75] * 8)
    assert agreed_length([look(0.125, 460, 0.9), table]) == pytest.approx(63, abs=1)


def test_neither_faint_finds_nor_markers_nor_untrusted_lengths_tell_anything() -> None:
    nothing = [look(1.0, 60, 0.3), look(1.0, 60, 0.9, kind=Kind.MARKER), look(0.125, 60, 0.9)]
    assert agreed_length(nothing) is None


LONG, WIDE = (
    np.array([100.0, 72, 100, 180, 40, 250, 100], np.float32),
    np.array([50.0, 50, 32, 90, 20, 125, 25], np.float32),
)


def test_tiles_of_a_camera_that_hangs_straight_have_one_shape_and_nearly_one_length() -> None:
    fits = tile_shaped(LONG, WIDE, 100.0, ASPECT, SIZE_SPREAD)
    assert fits.tolist() == [True, False, False, False, False, False, False]


def test_a_camera_that_leans_sees_them_foreshortened_and_larger_where_it_is_near() -> None:
    fits = tile_shaped(LONG, WIDE, 100.0, SLANTED_ASPECT, SLANTED_SPREAD)
    assert fits.tolist() == [True, True, True, True, True, True, False]
    assert tile_shaped(LONG[5:], WIDE[5:], None, ASPECT, SIZE_SPREAD).tolist() == [True, False]
