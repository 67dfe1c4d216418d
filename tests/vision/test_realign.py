"""Second looks for tiles whose outline was found askew."""

from __future__ import annotations

import numpy as np

from vision.rotated import quads_of, sides
from vision.tile_size import ALONG, agreed, coarse, places, typical_sizes


def values(*rows):
    """(k, 2, 19) probabilities from (a, pa, b, pb) a place."""
    out = np.full((len(rows), 2, 19), 0.001, np.float32)
    for i, (a, pa, b, pb) in enumerate(rows):
        out[i, 0, a], out[i, 1, b] = pa, pb
    return out


def test_the_size_is_that_of_the_clearly_read_tiles_nearby():
    quads = quads_of(np.array([[50 * i, 0, 40 + 2 * i, 20, 0] for i in range(10)] + [[70, 0, 60, 30, 0]], np.float32))
    sure = np.array([True] * 10 + [False])
    length, width = typical_sizes(quads, sure, 3)[10]
    assert (length, width) == (42, 20)


def test_too_few_clearly_read_tiles_tell_no_size():
    quads = quads_of(np.array([[0, 0, 40, 20, 0], [60, 0, 40, 20, 0], [120, 0, 44, 20, 0]], np.float32))
    assert np.isnan(typical_sizes(quads, np.array([True, True, False]))).all()


def test_the_places_tried_have_the_size_and_the_direction_and_begin_at_the_middle():
    quad = quads_of(np.array([[100, 50, 48, 22, 0.3]], np.float32))[0]
    tried = places(quad, np.array([40, 20], np.float32))
    along, across = sides(tried)
    assert np.allclose(along, 40, atol=1e-3) and np.allclose(across, 20, atol=1e-3)
    assert np.allclose(tried[0].mean(0), quad.mean(0), atol=1e-3)
    direction = tried[:, 2] - tried[:, 1]
    assert np.allclose(np.arctan2(direction[:, 1], direction[:, 0]), 0.3, atol=1e-3)
    corners_apart = np.linalg.norm(tried[0] - quad, axis=1)
    assert corners_apart.max() < 10, "corner 0 of the place is corner 0 of the outline"


def test_a_reading_that_several_places_share_is_taken():
    found = values((2, 0.6, 5, 0.9), (3, 0.99, 5, 0.99), (3, 0.98, 5, 0.97), (3, 0.96, 5, 0.99))
    best, supporters = agreed(found[1:])
    assert best == 0 and sorted(supporters) == [0, 1, 2]


def test_a_reading_seen_at_one_place_only_is_not_taken():
    assert agreed(values((3, 0.99, 5, 0.99), (3, 0.5, 5, 0.5), (3, 0.4, 5, 0.4))) is None


def test_two_believable_readings_leave_the_tile_unread():
    rows = [(3, 0.99, 5, 0.99)] * 3 + [(3, 0.9, 3, 0.95)]
    assert agreed(values(*rows)) is None


def test_every_second_place_along_is_read_first():
    few = coarse()
    tried = places(quads_of(np.array([[100, 50, 40, 20, 0]], np.float32))[0], np.array([40, 20], np.float32))
    aside = (tried[few].mean(1) - tried[0].mean(0)) / (40, 20)
    assert np.allclose(np.sort(aside[:, 0]), ALONG[::2], atol=1e-5) and np.allclose(aside[:, 1], 0, atol=1e-5)
    assert 3 <= len(few) < len(tried) / 2
