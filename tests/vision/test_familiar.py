"""Sure readings of one box help with doubtful halves, and expose readings that only seem sure."""

from __future__ import annotations

import numpy as np

from vision.familiar import Appearance

SIDE = 48
PLACES = {1: [(24, 24)], 5: [(12, 12), (12, 36), (24, 24), (36, 12), (36, 36)], 3: [(12, 12), (24, 24), (36, 36)]}
TEN = [(x, y) for x in (14, 34) for y in (8, 16, 24, 32, 40)]
TWELVE = [(x, y) for x in (14, 34) for y in (7, 14, 21, 28, 35, 42)]
GRID = [(x, y) for x in (12, 24, 36) for y in (9, 19, 29, 39)]


def half(pips: list[tuple[int, int]], colour: tuple[int, int, int], seed: int) -> np.ndarray:
    """One half with its pips, a little noise and a shift of at most a pixel."""
    rng = np.random.default_rng(seed)
    picture = np.full((SIDE, SIDE, 3), 220, np.int16)
    dx, dy = rng.integers(-1, 2, 2)
    for x, y in pips:
        picture[y + dy - 3 : y + dy + 3, x + dx - 3 : x + dx + 3] = colour
    return np.clip(picture + rng.normal(0, 4, picture.shape), 0, 255).astype(np.uint8)


def tile(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The right half turned, so that both have their outer end outside."""
    return np.concatenate([left, right[::-1, ::-1]], 1)


def sure(a: int, b: int) -> np.ndarray:
    p = np.full((2, 19), 0.0005)
    p[0, a] = p[1, b] = 0.99
    return p


def taught(twelve: list[tuple[int, int]], colour: tuple[int, int, int]) -> Appearance:
    """Six tiles of a box, whose twelves look like `twelve` in `colour`."""
    familiar = Appearance()
    shows = [(1, 5), (1, 3), (3, 5), (12, 1), (12, 5), (12, 3)]
    crops = [
        tile(
            half(twelve if a == 12 else PLACES[a], colour if a == 12 else (30, 30, 30), n),
            half(PLACES[b], (30, 30, 30), n + 50),
        )
        for n, (a, b) in enumerate(shows)
    ]
    familiar.learn(np.stack([sure(a, b) for a, b in shows]), np.stack(crops))
    return familiar


def doubtful(
    pips: list[tuple[int, int]], colour: tuple[int, int, int], odds: dict[int, float]
) -> tuple[np.ndarray, np.ndarray]:
    p = sure(1, 1)
    p[0] = 0.0005
    for value, share in odds.items():
        p[0, value] = share
    return p[None], tile(half(pips, colour, 99), half(PLACES[1], (30, 30, 30), 98))[None]


def test_a_half_unlike_all_twelves_of_the_box_is_no_twelve() -> None:
    """Two rows of five may be two rows of six; in a box whose twelves are a grid of four by three they are a ten."""
    p, crop = doubtful(TEN, (40, 40, 200), {10: 0.56, 12: 0.43})
    weighed = taught(GRID, (90, 90, 90)).weighed(p, crop)
    assert weighed[0, 0].argmax() == 10 and weighed[0, 0, 10] > 0.9
    assert np.array_equal(weighed[0, 1], p[0, 1]), "what was read stays as it was"


def test_a_half_like_the_twelves_of_the_box_becomes_one() -> None:
    p, crop = doubtful(TWELVE, (40, 40, 200), {5: 0.5, 12: 0.48})
    weighed = taught(TWELVE, (40, 40, 200)).weighed(p, crop)
    assert weighed[0, 0].argmax() == 12 and weighed[0, 0, 12] > 0.9


def test_what_looks_like_nothing_in_the_box_stays_doubtful() -> None:
    p, crop = doubtful(TEN, (200, 60, 30), {12: 0.55, 5: 0.43})
    assert np.array_equal(taught(GRID, (90, 90, 90)).weighed(p, crop), p)


def test_a_hesitant_blank_stays_doubtful() -> None:
    p, crop = doubtful([], (0, 0, 0), {0: 0.6, 1: 0.38})
    assert np.array_equal(taught(GRID, (90, 90, 90)).weighed(p, crop), p)


def test_a_likely_blank_unlike_all_else_it_may_be_is_one() -> None:
    p, crop = doubtful([], (0, 0, 0), {0: 0.75, 1: 0.2})
    weighed = taught(GRID, (90, 90, 90)).weighed(p, crop)
    assert weighed[0, 0].argmax() == 0 and weighed[0, 0, 0] > 0.9


def test_a_blank_that_may_be_a_value_never_shown_stays_doubtful() -> None:
    p, crop = doubtful([], (0, 0, 0), {0: 0.75, 9: 0.2})
    assert np.array_equal(taught(GRID, (90, 90, 90)).weighed(p, crop), p)


def test_too_few_equal_halves_say_nothing() -> None:
    familiar = Appearance()
    crop = tile(half(GRID, (90, 90, 90), 1), half(PLACES[1], (30, 30, 30), 2))
    familiar.learn(sure(12, 1)[None], crop[None])
    p, other = doubtful(TEN, (40, 40, 200), {10: 0.56, 12: 0.43})
    assert np.array_equal(familiar.weighed(p, other), p)


def test_only_sure_tiles_are_remembered() -> None:
    familiar = Appearance()
    p = sure(12, 1)
    p[1, 1] = 0.8
    familiar.learn(p[None], tile(half(GRID, (90, 90, 90), 1), half(PLACES[1], (30, 30, 30), 2))[None])
    q, crop = doubtful(GRID, (90, 90, 90), {10: 0.5, 12: 0.48})
    assert np.array_equal(familiar.weighed(q, crop), q)


def test_a_scratch_read_as_a_value_of_the_box_is_unread() -> None:
    """It looks nothing like its twelves; quite certain readings and values hardly shown are left alone."""
    familiar = taught(GRID, (30, 30, 30))
    scratch = [(x, 24) for x in range(8, 42, 3)]
    p, crop = doubtful(scratch, (120, 120, 120), {12: 0.96, 0: 0.03})
    weighed = familiar.believed(p, crop)
    assert weighed[0, 0].argmax() == 12 and weighed[0, 0, 12] < 0.9
    assert np.array_equal(weighed[0, 1], p[0, 1])
    for odds in ({12: 0.998}, {11: 0.96, 0: 0.03}):
        p, crop = doubtful(scratch, (120, 120, 120), odds)
        assert np.array_equal(familiar.believed(p, crop), p)


def test_a_value_that_looks_like_the_others_stays_read() -> None:
    p, crop = doubtful(GRID, (90, 90, 90), {12: 0.93, 10: 0.05})
    assert np.array_equal(taught(GRID, (90, 90, 90)).believed(p, crop), p)


def test_a_blank_in_a_glare_must_be_quite_sure() -> None:
    """White pips on a white tile fade away; a burnt half that is not surely blank is not read."""
    burnt = np.full((SIDE, SIDE, 3), 255, np.uint8)
    seen = tile(burnt, half(PLACES[1], (30, 30, 30), 98))[None]
    for odds, believed in ((0.95, False), (0.99, True)):
        p = doubtful([], (0, 0, 0), {0: odds})[0]
        assert bool(Appearance().believed(p, seen)[0, 0, 0] == odds) is believed
    plain = tile(half([], (0, 0, 0), 97), half(PLACES[1], (30, 30, 30), 98))[None]
    p = doubtful([], (0, 0, 0), {0: 0.95})[0]
    assert np.array_equal(Appearance().believed(p, plain), p)
