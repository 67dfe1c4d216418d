"""Pips as makers print them: the number of pips is the value, whatever the maker."""

import cv2
import numpy as np
import pytest

from datasets.render.arrange import Deck
from datasets.render.faces import FaceMaker
from datasets.render.pips import chinese, make_chinese_print, make_maker, western
from datasets.render.styles import make_style

CHINESE_KINDS = [(a, b) for a in range(1, 7) for b in range(a, 7)]


@pytest.mark.parametrize("value", range(19))
def test_a_half_has_as_many_pips_as_its_value(value: int) -> None:
    for seed in range(60):
        points = western(value, make_maker(np.random.default_rng(seed)))
        assert len(points) == len({(round(a, 3), round(b, 3)) for a, b in points}) == value
        assert all(abs(a) <= 1 and abs(b) <= 1 for a, b in points)


def as_sold(value: int) -> list[tuple[float, float]]:
    """(x across, y from the outer end to the divider) in half extents of the pattern, as sets are sold."""
    maker = next(one for one in map(make_maker, map(np.random.default_rng, range(20))) if one.as_sold)
    return [(b, a) for a, b in western(value, maker)]


@pytest.mark.parametrize(("value", "last"), [(13, [0.5]), (14, [0.3, 0.7]), (15, [0.3, 0.5, 0.7])])
def test_thirteen_to_fifteen_are_three_rows_of_four_and_a_short_one_at_the_divider(
    value: int, last: list[float]
) -> None:
    wanted = [(x, y) for y in (0.2, 0.4, 0.6) for x in (0.2, 0.4, 0.6, 0.8)] + [(x, 0.8) for x in last]
    shares = [(0.5 + 0.3 * x, 0.5 + 0.3 * y) for x, y in as_sold(value)]
    assert sorted(shares) == [pytest.approx(one) for one in sorted(wanted)]


@pytest.mark.parametrize(("value", "between"), [(16, None), (17, [0.5]), (18, [0.3, 0.7])])
def test_sixteen_is_four_by_four_and_more_stand_between_two_blocks(value: int, between: list[float] | None) -> None:
    points = as_sold(value)
    rows = {round(y, 3) for x, y in points if abs(x) > 0.01}
    assert rows == {-1.0, -0.333, 0.333, 1.0}
    inner = {round(abs(x), 3) for x, _ in points} - {0.0, 1.0}
    assert inner == ({0.333} if between is None else {0.444})
    assert sorted(0.5 + 0.3 * y for x, y in points if x == 0) == [pytest.approx(y) for y in between or []]


def test_most_sets_print_their_high_values_as_sold() -> None:
    makers = [make_maker(np.random.default_rng(seed)) for seed in range(200)]
    assert 0.78 < sum(maker.as_sold for maker in makers) / 200 < 0.92


@pytest.mark.parametrize(("first", "second"), CHINESE_KINDS)
def test_a_chinese_tile_has_the_pips_of_both_halves(first: int, second: int) -> None:
    for seed in range(30):
        points = chinese(first, second, make_chinese_print(np.random.default_rng(seed)))
        assert len(points) == first + second
        if first != second:
            assert sum(a < 0 for a, _, _, _ in points) == first


def test_chinese_ones_and_fours_are_red_and_the_twelve_is_half_red() -> None:
    maker = make_chinese_print(np.random.default_rng(0))
    assert [red for _, _, red, _ in chinese(1, 5, maker)].count(True) == 1
    assert all(red for _, _, red, _ in chinese(4, 1, maker))
    assert [red for _, _, red, _ in chinese(6, 6, maker)].count(True) == 6
    assert not any(red for _, _, red, _ in chinese(5, 6, maker))


def test_a_chinese_tile_looks_the_same_after_half_a_turn() -> None:
    for seed in range(20):
        maker = make_chinese_print(np.random.default_rng(seed))
        for first, second in CHINESE_KINDS:
            here = sorted((round(a, 4), round(b, 4), red) for a, b, red, _ in chinese(first, second, maker))
            turned = sorted((round(-a, 4), round(-b, 4), red) for a, b, red, _ in chinese(second, first, maker))
            assert [(a + 0.0, b + 0.0, r) for a, b, r in here] == [(a + 0.0, b + 0.0, r) for a, b, r in turned]


def test_the_chinese_deck_has_thirty_two_tiles_with_eleven_pairs() -> None:
    deck = Deck("chinese", 6, np.random.default_rng(1))
    drawn = [tuple(sorted(deck.draw())) for _ in range(len(deck))]
    assert len(drawn) == 32
    assert len(set(drawn)) == 21
    assert sum(drawn.count(tile) == 2 for tile in set(drawn)) == 11


@pytest.mark.parametrize("set_max", [6, 9, 12])
def test_the_painted_face_shows_the_pips_of_its_values(set_max: int) -> None:
    """Counts blobs of paint on the texture itself, so a pattern cut off at an edge or run together would show."""
    rng = np.random.default_rng(7)
    for _ in range(6):
        style = make_style(rng, "western", set_max)
        if style.pips.numerals:
            continue
        faces = FaceMaker(style, 12.0, rng)
        for value in range(set_max + 1):
            paint = faces._half_layer(value).paint
            count, _ = cv2.connectedComponents((paint > 0.5).astype(np.uint8))
            assert count - 1 == value


def test_a_moulded_set_has_nine_dimples_in_every_half_and_paints_only_its_value() -> None:
    rng = np.random.default_rng(3)
    style = make_style(rng, "western", 6)
    while not style.pips.moulded:
        style = make_style(rng, "western", 6)
    faces = FaceMaker(style, 12.0, rng)
    for value in range(7):
        layer = faces._half_layer(value)
        painted, _ = cv2.connectedComponents((layer.paint > 0.5).astype(np.uint8))
        hollow, _ = cv2.connectedComponents(((layer.relief[..., 2] < 0.8) | (layer.paint > 0.5)).astype(np.uint8))
        assert painted - 1 == value
        assert hollow - 1 == 9
