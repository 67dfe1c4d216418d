"""Second looks for tiles whose outline was found askew."""

from __future__ import annotations

import numpy as np

from vision.realign import RealignSettings, agreed, cut_short, places, typical_sizes
from vision.rotated import quads_of, sides

SETTINGS = RealignSettings()


def values(*rows):
    """(k, 2, 19) probabilities from (a, pa, b, pb) a place."""
    out = np.full((len(rows), 2, 19), 0.001, np.float32)
    for i, (a, pa, b, pb) in enumerate(rows):
        out[i, 0, a], out[i, 1, b] = pa, pb
    return out


def test_the_size_is_that_of_the_clearly_read_tiles_nearby():
    quads = quads_of(np.array([[50 * i, 0, 40 + 2 * i, 20, 0] for i in range(10)] + [[70, 0, 60, 30, 0]], np.float32))
    sure = np.array([True] * 10 + [False])
    length, width = typical_sizes(quads, sure, RealignSettings(neighbours=3))[10]
    assert (length, width) == (42, 20)


def test_too_few_clearly_read_tiles_tell_no_size():
    quads = quads_of(np.array([[0, 0, 40, 20, 0], [60, 0, 40, 20, 0], [120, 0, 44, 20, 0]], np.float32))
    assert np.isnan(typical_sizes(quads, np.array([True, True, False]), SETTINGS)).all()


def test_the_places_tried_have_the_size_and_the_direction_and_begin_at_the_middle():
    quad = quads_of(np.array([[100, 50, 48, 22, 0.3]], np.float32))[0]
    tried = places(quad, np.array([40, 20], np.float32), SETTINGS)
    along, across = sides(tried)
    assert np.allclose(along, 40, atol=1e-3) and np.allclose(across, 20, atol=1e-3)
    assert np.allclose(tried[0].mean(0), quad.mean(0), atol=1e-3)
    direction = tried[:, 2] - tried[:, 1]
    assert np.allclose(np.arctan2(direction[:, 1], direction[:, 0]), 0.3, atol=1e-3)
    corners_apart = np.linalg.norm(tried[0] - quad, axis=1)
    assert corners_apart.max() < 10, "corner 0 of the place is corner 0 of the outline"


def test_a_reading_that_several_places_share_is_taken():
    found = values((2, 0.6, 5, 0.9), (3, 0.99, 5, 0.99), (3, 0.98, 5, 0.97), (3, 0.96, 5, 0.99))
    best, supporters = agreed(found[1:], SETTINGS)
    assert best == 0 and sorted(supporters) == [0, 1, 2]


def test_a_reading_seen_at_one_place_only_is_not_taken():
    assert agreed(values((3, 0.99, 5, 0.99), (3, 0.5, 5, 0.5), (3, 0.4, 5, 0.4)), SETTINGS) is None


def test_two_believable_readings_leave_the_tile_unread():
    rows = [(3, 0.99, 5, 0.99)] * 3 + [(3, 0.9, 3, 0.95)]
    assert agreed(values(*rows), SETTINGS) is None


def test_an_outline_that_reaches_over_its_neighbour_is_cut_short_from_either_end():
    boxes = [[100, 50, 58, 20, 0.3], [200, 50, 44, 20, 0], [300, 50, 58, 29, 0]]
    quads = quads_of(np.array(boxes, np.float32))
    long, ends = cut_short(quads, np.array([40, 40, 40], np.float32), SETTINGS)
    assert long.tolist() == [0], "the second is hardly too long, the third is a larger tile"
    along, across = sides(ends[0])
    assert np.allclose(along, 40, atol=1e-3) and np.allclose(across, 20, atol=1e-3)
    assert np.allclose(ends[0, 0, :2], quads[0, :2], atol=1e-3), "one begins where the outline begins"
    assert np.allclose(ends[0, 1, 2:], quads[0, 2:], atol=1e-3), "the other ends where it ends"


def test_where_nobody_knows_how_long_a_tile_is_nothing_is_cut_short():
    quads = quads_of(np.array([[100, 50, 90, 20, 0]], np.float32))
    assert not len(cut_short(quads, np.array([np.nan], np.float32), SETTINGS)[0])
