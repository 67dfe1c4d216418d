"""A Chinese line has no dividers: two halves of neighbours are no tile."""

from __future__ import annotations

import pytest

from bench.stand_ins.seen_tables import LENGTH, tile
from companion.geometry.layout import SeenHalf, SeenTile
from companion.perception.tracks import Looked, TableMemory, seam

SIX_TWO = tile(500.0, 400.0, 0.0, 6, 2)
TWO_FOUR = tile(500.0 + LENGTH + 1, 400.0, 0.0, 2, 4)
ACROSS = tile(500.0 + LENGTH / 2, 401.0, 180.0, 2, 2)


def remembered(*tiles: SeenTile) -> TableMemory:
    memory = TableMemory()
    memory.begin()
    for _ in range(2):
        memory.see(tiles, [], Looked(), 24.0)
    memory.begin()
    return memory


def values(memory: TableMemory) -> list[tuple[int | None, ...]]:
    return [tuple(half.value for half in seen.halves or ()) for seen in memory.tiles()]


def test_what_lies_half_on_a_known_tile_shows_the_near_half_of_the_next() -> None:
    found = seam(ACROSS, [SIX_TWO])
    assert found is not None and found.beyond is not None
    assert found.beyond.center_mm == pytest.approx((500.0 + LENGTH, 401.0))
    shown = {half.value for half in found.beyond.halves or ()}
    assert shown == {2, None}


def test_a_find_between_two_known_tiles_is_none_and_both_are_met() -> None:
    memory = remembered(SIX_TWO, TWO_FOUR)
    for _ in range(4):
        memory.see([ACROSS], [], Looked(), 24.0)
    assert values(memory) == [(6, 2), (2, 4)]
    assert not memory.unsettled() and not memory.missing()


def test_the_next_tile_is_unread_and_not_missed_where_only_its_near_half_was_found() -> None:
    memory = remembered(SIX_TWO)
    for _ in range(2):
        memory.see([ACROSS], [], Looked(), 24.0)
    (known, new) = memory.tiles()
    assert known.values == (6, 2) and not memory.missing()
    assert new.values is None
    assert sorted(half.value is None for half in new.halves or ()) == [False, True]


def test_a_clear_look_reads_the_tile_beyond_the_seam() -> None:
    memory = remembered(SIX_TWO)
    memory.see([ACROSS], [], Looked(), 24.0)
    memory.see([SIX_TWO, TWO_FOUR], [], Looked(), 24.0)
    assert sorted(values(memory)[1]) == [2, 4]


def test_another_value_over_a_known_half_is_no_seam() -> None:
    other = tile(500.0 + LENGTH / 2, 400.0, 0.0, 5, 3)
    assert seam(other, [SIX_TWO]) is None


def test_a_tile_beside_another_is_no_seam() -> None:
    assert seam(TWO_FOUR, [SIX_TWO]) is None
    beside = SeenTile((500.0, 425.0), 0.0, LENGTH, 24.0, True, (SeenHalf(6, 0.9), SeenHalf(2, 0.9)), 0.9)
    assert seam(beside, [SIX_TWO]) is None
