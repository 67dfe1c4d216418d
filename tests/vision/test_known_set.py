"""Readings weighed against the set: each tile lies there only as often as the set has it."""

import itertools

import numpy as np
import pytest

from vision.known_set import KnownSet, assign, dearer_by, likely_limits, softened, weigh


def reading(*halves):
    """(n, 2, 19) probabilities from [{value: p}, {value: p}] pairs; what is left over is spread thinly."""
    p = np.zeros((len(halves), 2, 19))
    for i, pair in enumerate(halves):
        for h, values in enumerate(pair):
            p[i, h] = (1 - sum(values.values())) / 19
            for value, share in values.items():
                p[i, h, value] += share
    return p


def best(p):
    return [tuple(sorted(int(v) for v in pair.argmax(1))) for pair in p]


def test_the_cheapest_assignment_is_found():
    rng = np.random.default_rng(0)
    for _ in range(100):
        n = int(rng.integers(1, 6))
        m = n + int(rng.integers(0, 3))
        cost = rng.random((n, m))
        cheapest = min(sum(cost[i, p[i]] for i in range(n)) for p in itertools.permutations(range(m), n))
        assert cost[np.arange(n), assign(cost).columns].sum() == pytest.approx(cheapest)


def test_what_every_other_choice_would_cost_more_is_as_if_it_were_forced():
    rng = np.random.default_rng(1)
    for _ in range(60):
        n = int(rng.integers(1, 6))
        m = n + int(rng.integers(0, 3))
        # Few costs, so that many assignments are equally cheap.
        cost = rng.integers(0, 4, (n, m)).astype(float) if rng.random() < 0.5 else rng.random((n, m))
        totals = [(p, sum(cost[i, p[i]] for i in range(n))) for p in itertools.permutations(range(m), n)]
        forced = [[min(t for p, t in totals if p[i] == j) for j in range(m)] for i in range(n)]
        assert dearer_by(cost, assign(cost)) == pytest.approx(np.array(forced) - min(t for _, t in totals))


def test_more_rows_than_columns_are_refused():
    with pytest.raises(ValueError, match="3 rows"):
        assign(np.zeros((3, 2)))


def test_a_clear_table_stays_as_it_was_read():
    p = reading(({4: 0.99}, {2: 0.99}), ({0: 0.98}, {0: 0.99}))
    weighed = weigh(p, KnownSet.double(6))
    assert best(weighed) == [(2, 4), (0, 0)]
    assert weighed.max(2).min() > 0.97


def test_a_value_the_set_does_not_have_goes():
    weighed = weigh(reading(({9: 0.6, 3: 0.38}, {1: 0.99})), KnownSet.double(6))
    assert best(weighed) == [(1, 3)]


def test_of_two_equal_tiles_the_doubtful_one_is_the_other():
    p = reading(({5: 0.995}, {3: 0.995}), ({5: 0.7, 4: 0.29}, {3: 0.99}))
    weighed = weigh(p, KnownSet.double(6))
    assert best(weighed) == [(3, 5), (3, 4)]
    assert weighed[1, 0, 4] > 0.9


def test_two_equally_sure_equal_tiles_leave_both_in_doubt():
    p = reading(({5: 0.99, 4: 0.008}, {3: 0.99}), ({5: 0.99, 4: 0.008}, {3: 0.99}))
    weighed = weigh(p, KnownSet.double(6))
    assert weighed[:, 0].max(1).max() < 0.6


def test_chinese_pairs_exist_twice():
    known = KnownSet("chinese", {(1, 1): 2, (1, 2): 1, (2, 2): 2})
    p = reading(*[({1: 0.99}, {1: 0.99})] * 2)
    weighed = weigh(p, known)
    assert best(weighed) == [(1, 1)] * 2 and weighed.max(2).min() > 0.95


def test_a_hundred_and_one_tiles_of_a_set_of_ninety_one_do_not_crash():
    rng = np.random.default_rng(3)
    pairs = list(KnownSet.double(3).copies)
    p = reading(*[({a: 0.99}, {b: 0.99}) for a, b in (pairs[int(i)] for i in rng.integers(0, 10, 14))])
    weighed = weigh(p, KnownSet.double(3))
    assert np.isfinite(weighed).all() and (weighed.sum(2) < 1 + 1e-9).all()


def test_what_a_cloth_full_of_dots_adds_is_left_as_it_was_read():
    """Ten tiles in the set, thirty finds: those that look like a tile are weighed as if the others were not there."""
    tiles = reading(({1: 0.99}, {2: 0.99}), ({1: 0.55, 3: 0.4}, {2: 0.99}), ({0: 0.99}, {3: 0.99}))
    dots = reading(*[({0: 0.3, 1: 0.3, 2: 0.3}, {1: 0.3, 2: 0.3, 3: 0.3})] * 27)
    weighed = weigh(np.concatenate([tiles, dots]), KnownSet.double(3))
    alone = weigh(tiles, KnownSet.double(3))
    assert np.array_equal(weighed[:3], alone)
    assert alone[1, 0].argmax() == 3, "there is one 1-2"
    assert np.array_equal(weighed[3:], dots)


def test_no_tiles_at_all():
    assert weigh(np.zeros((0, 2, 19)), KnownSet.double(6)).shape == (0, 2, 19)
    assert softened(np.zeros((0, 2, 19))).shape == (0, 2, 19)


def test_many_small_values_speak_for_a_small_set():
    rng = np.random.default_rng(1)
    small = reading(*[({int(a): 0.98}, {int(b): 0.98}) for a, b in rng.integers(0, 7, (20, 2))])
    assert likely_limits(small)[0] > 0.99
    large = reading(*[({int(a): 0.98}, {int(b): 0.98}) for a, b in rng.integers(0, 13, (20, 2))])
    assert likely_limits(large)[2] > 0.9


def test_an_unknown_set_is_never_forced():
    rng = np.random.default_rng(1)
    halves = [({int(a): 0.98}, {int(b): 0.98}) for a, b in rng.integers(0, 7, (20, 2))]
    soft = softened(reading(*halves, ({9: 0.9999}, {2: 0.98}), ({9: 0.7, 1: 0.28}, {2: 0.98})))
    assert soft[20, 0].argmax() == 9  # a clear nine stays a nine
    assert soft[21, 0].argmax() == 1  # a doubtful one among twenty tiles of a double-six does not


def test_what_shows_a_tile_more_often_than_the_box_has_it_is_told():
    def shown(*pairs, p=0.97):
        return reading(*[({a: p}, {b: p}) for a, b in pairs])

    chinese = KnownSet("chinese", {(1, 1): 2, (1, 3): 2, (2, 4): 1})
    often = chinese.too_often(shown((2, 4), (4, 2), (1, 1), (1, 1), (3, 1)), 0.9)
    assert often.tolist() == [True, True, False, False, False]
    assert chinese.too_often(shown((1, 1), (1, 1), (1, 1), (5, 5)), 0.9).all()
    assert not chinese.too_often(shown((2, 4), (4, 2), p=0.8), 0.9).any()
    assert chinese.too_often(np.zeros((0, 2, 19)), 0.9).shape == (0,)
