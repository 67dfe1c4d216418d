"""A fault at a half that was not read for certain is on record, and certain nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from companion.geometry import reconstruct
from companion.geometry.diff import difference
from companion.geometry.table_view import SeenHalf, SeenTile
from companion.observing.readings import hardly_read
from tests.table.tables import SETUP, eastward, view


def read(tile: SeenTile, first: float, second: float) -> SeenTile:
    assert tile.halves is not None
    halves = [SeenHalf(half.value, p) for half, p in zip(tile.halves, (first, second), strict=True)]
    return replace(tile, halves=(halves[0], halves[1]))


def doubted(before: Sequence[SeenTile], after: Sequence[SeenTile]) -> bool:
    then, now = (reconstruct(view(tiles), SETUP) for tiles in (before, after))
    return hardly_read(difference(then, now), now, 12)


@pytest.mark.parametrize(
    ("values", "p", "expected"),
    [
        ([(12, 3), (5, 0)], 0.969, True),  # a streak makes the 3 a 5
        ([(12, 3), (5, 0)], 0.995, False),
        ([(12, 3), (3, 0)], 0.969, False),  # nothing to accuse anybody of
    ],
)
def test_a_fault_at_a_half_that_may_be_misread_is_doubted(
    values: list[tuple[int, int]], p: float, expected: bool
) -> None:
    first, second = eastward(values)
    assert doubted([first], [first, read(second, p, 0.999)]) is expected
    assert doubted([read(first, 0.999, p)], [read(first, 0.999, p), second]) is expected, "the tile before it"


def test_the_engine_is_known() -> None:
    (first,) = eastward([(10, 3)])
    assert doubted([], [read(first, 0.95, 0.999)])
    assert not doubted([], [read(first, 0.99, 0.9)])


def test_the_half_that_touches_nothing_is_no_reason() -> None:
    first, second = eastward([(12, 3), (5, 0)])
    assert not doubted([first], [first, read(second, 0.995, 0.91)])


@pytest.mark.parametrize(("other", "expected"), [(0.55, True), (0.89, True), (0.9, False)])
def test_what_lies_across_one_half_may_lie_across_both(other: float, expected: bool) -> None:
    first, second = eastward([(12, 3), (5, 0)])
    assert doubted([first], [first, read(second, 0.9863, other)]) is expected
    assert doubted([read(first, other, 0.9863)], [read(first, other, 0.9863), second]) is expected, "the tile before"
    assert not doubted([first], [first, read(eastward([(12, 3), (3, 0)])[1], 0.9863, other)]), "they meet"
