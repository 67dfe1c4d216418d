"""How long the tiles of a picture are: what the coarse looks agree on."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detections import Kind
from vision.detector import (
    ASPECT,
    SIZE_SPREAD,
    SLANTED_ASPECT,
    SLANTED_SPREAD,
    Detector,
    ScaleLook,
    agreed_length,
    has_larger,
    is_settled,
    tile_shaped,
)
from vision.weights import shipped_weights


def look(scale: float, length: float, *scores: float, kind: Kind = Kind.FACE_UP) -> ScaleLook:
    boxes = np.array([[100.0, 100.0, length, length / 2, 0.0]] * len(scores), np.float32)
    return ScaleLook(scale, boxes, np.array(scores, np.float32), np.full(len(scores), kind, np.int8))


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


def test_looks_that_tell_one_length_and_show_nothing_else_settle_it() -> None:
    both = [look(0.25, 200, 0.9, 0.8), look(0.5, 210, 0.9)]
    assert is_settled(both, 205.0)
    assert not is_settled(both[:1], 200.0), "one look alone"
    assert not is_settled([*both, look(0.5, 80, 0.7)], 205.0), "another look tells another length"
    assert not is_settled([*both, look(0.5, 130, 0.35)], 205.0), "something like a smaller tile is hinted at"
    assert is_settled([*both, look(0.5, 130, 0.35, kind=Kind.MARKER)], 205.0)
    assert not is_settled([], 205.0)


def test_tiles_much_larger_than_most_are_searched_for_less_closely_too() -> None:
    assert not has_larger([look(0.25, 200, 0.9), look(0.5, 210, 0.9, 0.8)], 205.0)
    assert has_larger([look(0.25, 200, 0.9), look(0.5, 300, 0.5)], 205.0), "a tile nearer to a camera that leans"
    assert not has_larger([look(0.25, 300, 0.3), look(0.5, 300, 0.9, kind=Kind.MARKER)], 205.0)


class Shown(Detector):
    """Finds tiles so long in every look that shows them between 22 and 130 px long, and remembers the looks."""

    def __init__(self, *lengths: float) -> None:
        super().__init__(shipped_weights("tiles"))
        self.lengths, self.looked = lengths, list[float]()

    def _looks(self, levels, scales) -> list[ScaleLook]:
        self.looked += scales
        return [look(scale, *self._seen(scale)) for scale in scales]

    def _seen(self, scale: float) -> tuple[float, ...]:
        """The length of what this look shows, and how surely: nothing is found so faintly that it counts for none."""
        shown = [one for one in self.lengths if 22 < one * scale < 130]
        return (shown[0], 0.9, 0.9) if shown else (50 / scale, 0.01)


def searched(detector: Shown, length: float | None = None) -> list[int]:
    """How many pixels wide a picture of 4000 x 3000 is looked at in each look."""
    detector.find(np.zeros((3000, 4000, 3), np.uint8), length)
    return [round(scale * 4000) for scale in detector.looked]


def test_a_photograph_whose_scale_the_small_looks_settle_is_searched_once_more_only() -> None:
    assert searched(Shown(560.0)) == [128, 256, 512, 650], "the look of 512 lends its boxes, the closer one is enough"
    assert searched(Shown(400.0)) == [128, 256, 512, 910]


def test_the_large_look_is_taken_where_the_small_ones_do_not_settle_it() -> None:
    assert searched(Shown(180.0)) == [128, 256, 512, 1056, 2022], "one of them alone tells a length"
    assert searched(Shown(90.0))[:4] == [128, 256, 512, 1056], "none of them does"


def test_a_table_whose_scale_is_known_is_searched_at_it_and_closer() -> None:
    assert searched(Shown(170.0), 170.0) == [1647, 2141]
