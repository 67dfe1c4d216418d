"""Unread finds are compared with the read tiles of the same box, by size and body colour."""

import numpy as np

from vision.plausibility import body_colours, strangers
from vision.rotated import quads_of


def tiles(sizes):
    return quads_of(np.array([[100.0 * i, 50, s, s / 2, 0.1 * i] for i, s in enumerate(sizes)], np.float32))


def crops(colours):
    return np.array([np.full((48, 96, 3), c, np.uint8) for c in colours])


IVORY, TEAL, SHADED = (200, 220, 230), (150, 130, 20), (150, 168, 176)


def test_a_find_of_another_colour_is_a_stranger_and_a_shaded_tile_is_not():
    colours = body_colours(crops([IVORY, IVORY, IVORY, IVORY, TEAL, SHADED]))
    sure = np.array([True] * 4 + [False] * 2)
    assert strangers(tiles([60] * 6), colours, sure).tolist() == [False] * 4 + [True, False]


def test_a_find_of_another_size_is_a_stranger():
    colours = body_colours(crops([IVORY] * 6))
    sure = np.array([True] * 4 + [False] * 2)
    assert strangers(tiles([60, 62, 58, 61, 90, 66]), colours, sure).tolist() == [False] * 4 + [True, False]


def test_of_two_sets_on_one_table_neither_is_strange():
    colours = body_colours(crops([IVORY] * 4 + [(20, 20, 20)] * 4 + [(22, 20, 21), IVORY]))
    sure = np.array([True] * 8 + [False] * 2)
    assert not strangers(tiles([60] * 10), colours, sure).any()


def test_two_sure_tiles_are_no_measure():
    colours = body_colours(crops([IVORY, IVORY, TEAL]))
    assert not strangers(tiles([60] * 3), colours, np.array([True, True, False])).any()
    assert body_colours(crops([])[:0].reshape(0, 48, 96, 3)).shape == (0, 3)


def test_pips_do_not_change_a_body():
    plain, spotted = np.full((1, 48, 96, 3), 220, np.uint8), np.full((1, 48, 96, 3), 220, np.uint8)
    spotted[:, ::6, ::3] = 10
    assert np.abs(body_colours(plain) - body_colours(spotted)).max() < 2
