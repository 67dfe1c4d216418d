"""Which of many overlapping finds are the tiles."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from vision.detections import Detections, records
from vision.known_set import KnownSet
from vision.packing import pack, pack_finds, shared_areas
from vision.reading import CLASSES, NONE
from vision.rotated import quads_of


def row(starts, length=40.0):
    """Tiles in one row, given by where they begin, in tile lengths."""
    return quads_of(np.array([[length * (s + 0.5), 10, length, length / 2, 0] for s in starts], np.float32))


def test_two_tiles_side_by_side_beat_the_surer_box_across_both():
    boxes = np.array([[20, 10, 40, 20, 0], [20, 31, 40, 20, 0], [20, 20, 40, 20, np.pi / 2]], np.float32)
    assert sorted(pack(quads_of(boxes), np.array([0.7, 0.6, 0.9]), 0.35, 0.4)) == [0, 1]


def test_a_chain_half_a_tile_out_of_step_gives_way_to_the_chain_that_explains_more():
    right, shifted = [0, 1, 2, 3], [0.5, 1.5, 2.5]
    kept = pack(row(right + shifted), np.array([0.5] * 4 + [0.6] * 3), 0.35, 0.4)
    assert sorted(kept) == [0, 1, 2, 3]


def test_one_clear_tile_beats_two_faint_finds_on_its_halves():
    assert sorted(pack(row([0.5, 0, 1]), np.array([0.8, 0.2, 0.3]), 0.35, 0.4)) == [0]


def test_what_two_kept_tiles_cover_together_is_no_third():
    boxes = np.array([[20, 10, 40, 20, 0], [74, 10, 40, 20, 0], [47, 10, 40, 20, 0]], np.float32)
    assert sorted(pack(quads_of(boxes), np.array([0.9, 0.8, 0.7]), 0.35, 0.4)) == [0, 1]


def test_touching_tiles_all_stay_best_first():
    worth = np.linspace(0.5, 0.9, 12)
    assert list(pack(row(range(12)), worth, 0.35, 0.4)) == list(range(11, -1, -1))


def test_nothing_found_packs_to_nothing():
    assert len(pack(np.zeros((0, 4, 2), np.float32), np.zeros(0), 0.35, 0.4)) == 0


@pytest.mark.parametrize("seed", range(12))
def test_no_other_set_without_conflicts_is_worth_more(seed):
    rng = np.random.default_rng(seed)
    boxes = np.stack([rng.uniform(0, 90, 11), rng.uniform(0, 60, 11), *np.full((2, 11), 30), np.zeros(11)], 1)
    boxes[:, 3] = 15
    quads, worth = quads_of(boxes.astype(np.float32)), rng.uniform(0.1, 1, 11)
    common = shared_areas(quads)
    limit = 0.35 * np.minimum.outer(common.diagonal(), common.diagonal())

    def allowed(some):
        return all(common[i, j] <= limit[i, j] for i, j in itertools.combinations(some, 2))

    best = max(
        worth[list(some)].sum() for n in range(1, 12) for some in itertools.combinations(range(11), n) if allowed(some)
    )
    kept = pack(quads, worth, 0.35, 9.0)
    assert allowed(kept) and worth[kept].sum() == pytest.approx(best)


def finds_of(quads, pairs, confidence, seen=True, p=0.99):
    """Finds that read as these pairs; what is left of the probability is *none*."""
    table = np.zeros((len(quads), 2, CLASSES), np.float32)
    for i, pair in enumerate(pairs):
        for half, value in enumerate(pair):
            table[i, half, value], table[i, half, NONE] = p, 1 - p
    kind = np.zeros(len(quads), np.int8)
    finds = records(Detections(quads, kind, np.array(confidence, np.float32)), table)
    finds.seen = seen
    return finds


def kept(starts, pairs, confidence, seen=True, length=40.0, known=None):
    return sorted(pack_finds(finds_of(row(starts), pairs, confidence, seen), length, known).tolist())


SEAM = ([0.5, 0, 1, -0.3], [(1, 1), (7, 1), (1, 12), (0, 7)], [0.87, 0.09, 0.43, 0.03])
"""A double read across the seam of 7-1 and 1-12, both tiles, and the 7 once more with a patch of the ground."""


def test_two_clear_tiles_found_faintly_beat_the_double_read_across_their_seam():
    assert kept(*SEAM) == [1, 2]


def test_where_tiles_may_be_of_any_size_what_was_found_more_surely_stays():
    assert 0 in kept(*SEAM, length=0.0)


def test_parts_of_a_tile_are_worth_what_they_were_found_with_however_clearly_they_read():
    assert 0 in kept(*SEAM, length=60.0)


def test_what_shows_a_tile_twice_gives_way_where_others_can_lie_in_its_place():
    starts, pairs, confidence = [0, 0.5, 1.5, 2], [(7, 7), (7, 5), (7, 5), (5, 5)], [0.6, 0.82, 0.7, 0.6]
    assert kept(starts, pairs, confidence) == [1, 2]
    assert kept(starts, pairs, confidence, known=KnownSet.double(12)) == [0, 3]
    assert kept(starts[1:3], pairs[1:3], confidence[1:3], known=KnownSet.double(12)) == [0, 1]


def test_a_clear_tile_on_ground_of_its_own_colour_beats_two_thoughts_of_a_blank_beside_either_half():
    starts, pairs, confidence = [0.5, 0, 1], [(12, 12), (0, 12), (12, 0)], [0.91, 0.82, 0.82]
    assert kept(starts, pairs, confidence, seen=[True, False, False]) == [0]
    assert kept(starts, pairs, confidence) == [1, 2]


def test_a_find_half_a_tile_off_of_which_one_half_is_doubtful_does_not_outvote_the_clear_tile_beside_it(monkeypatch):
    finds = finds_of(row([0, 0.5]), [(4, 7), (7, 2)], [0.5, 0.9], p=0.999)
    finds.values[1, 1, 2] = 0.8
    assert pack_finds(finds, 0.0).tolist() == [0]
    monkeypatch.setattr("vision.packing.CLEARLY", 1.0)
    assert pack_finds(finds, 0.0).tolist() == [1]
