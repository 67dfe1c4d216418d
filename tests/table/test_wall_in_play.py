"""A wall is seen for the first time in the middle of the game: how it lies is told by the next tile."""

from __future__ import annotations

import pytest

from companion.geometry import Layout, reconstruct
from companion.geometry.diff import difference
from companion.geometry.identity import before_the_next, may_be_a_wall
from companion.geometry.layout import SeenTile
from tests.table.test_line import SETUP, changes, in_row, line, table

ROW = [(4, 6), (6, 5), (5, 1), (1, 6), (6, 4), (4, 3), (3, 6), (6, 5)]


def wall(laid: list[tuple[int, int]]) -> list[SeenTile]:
    """A line that folds back on itself, seen from above."""
    tops: dict[int, SeenTile] = {}
    for n, (inner, outer) in enumerate(laid):
        layer, k = divmod(n, 8)
        column = k if layer % 2 == 0 else 7 - k
        tops[column] = in_row(column, inner, outer) if layer % 2 == 0 else in_row(column, outer, inner)
    return [tops[column] for column in sorted(tops)]


def seen(laid: list[tuple[int, int]]) -> Layout:
    return reconstruct(table(*wall(laid)), SETUP)


def adopted(laid: list[tuple[int, int]], more: list[tuple[int, int]]) -> tuple[Layout, Layout]:
    """The wall taken over when `more` are laid on it, and as it is then."""
    known = before_the_next(seen(laid), seen([*laid, *more]), 24.0)
    assert known is not None
    return known, reconstruct(table(*wall([*laid, *more])), SETUP, known)


LONG = [*ROW, (5, 1), (1, 3), (3, 5), (5, 5), (5, 2), (2, 6), (6, 6), (6, 1), (1, 3), (3, 3), (3, 4)]


def test_eight_tiles_in_a_row_may_be_a_wall() -> None:
    assert may_be_a_wall(seen(ROW), SETUP)
    assert not may_be_a_wall(seen(ROW[:7]), SETUP)
    ninth = reconstruct(table(*wall([*ROW, (5, 1)])), SETUP, seen(ROW))
    assert not may_be_a_wall(ninth, SETUP)


@pytest.mark.parametrize("lying", range(8, len(LONG)))
def test_the_next_tile_tells_how_far_the_wall_has_come(lying: int) -> None:
    before, after = adopted(LONG[:lying], [LONG[lying]])
    assert before.line[-1].laid == LONG[lying - 1]
    assert changes(before, after) == [f"+{LONG[lying][0]}-{LONG[lying][1]}@R"]
    assert not after.problems


@pytest.mark.parametrize("lying", [8, 10, 15, 16, 17])
def test_and_the_wall_goes_on_from_there(lying: int) -> None:
    _, layout = adopted(LONG[:lying], [LONG[lying]])
    for n in range(lying + 1, len(LONG)):
        after = reconstruct(table(*wall(LONG[: n + 1])), SETUP, layout)
        assert changes(layout, after) == [f"+{LONG[n][0]}-{LONG[n][1]}@R"], n
        layout = after


def test_two_tiles_laid_at_once_tell_it_too() -> None:
    before, after = adopted(LONG[:10], LONG[10:12])
    assert before.line[-1].laid == (1, 3)
    assert changes(before, after) == ["+3-5@R", "+5-5@R"]


def test_what_lies_under_it_is_never_guessed() -> None:
    before, _ = adopted(LONG[:10], [LONG[10]])
    assert line(before) == "4:6 6:5 5:1 1:6 6:4 4:3 5:1 1:3"
    assert before.buried == (6, 7)
    delta = difference(Layout(), before).delta
    assert len(delta) == 8


def test_a_row_on_which_nothing_is_laid_stays_in_doubt() -> None:
    assert before_the_next(seen(LONG[:10]), seen(LONG[:10]), 24.0) is None
    elsewhere = reconstruct(table(*(in_row(n + 1, *values) for n, values in enumerate(ROW))), SETUP)
    assert before_the_next(seen(ROW), elsewhere, 24.0) is None


def test_a_tile_that_goes_on_nowhere_leaves_it_in_doubt() -> None:
    row = seen(LONG[:10])
    wrong = reconstruct(table(*wall(LONG[:10])[:5], in_row(5, 2, 2), *wall(LONG[:10])[6:]), SETUP)
    assert before_the_next(row, wrong, 24.0) is None
