"""A spot on a tile that has just come may be print. A spot that comes later, onto a lying tile, is a marker."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.stand_ins.seen_tables import tile
from companion.geometry.layout import SeenHalf, SeenMarker, SeenTile
from companion.perception.tracks import Looked, TableMemory

LYING = tile(500.0, 400.0, 0.0, 12, 7)
UNREAD = SeenHalf(None, 0.88, ((6, 0.88), (4, 0.06)))
NEW = replace(tile(550.0, 400.0, 0.0, 7, 6), halves=(SeenHalf(7, 0.99), UNREAD))
ON_IT = SeenMarker((562.0, 401.0), 0.98)
EVERYWHERE = Looked()


@pytest.fixture
def memory() -> TableMemory:
    """One tile lies there and was read."""
    memory = TableMemory()
    seen(memory, [LYING])
    return memory


def seen(memory: TableMemory, tiles: list[SeenTile], markers: list[SeenMarker] | None = None) -> None:
    """A still table, looked at twice."""
    memory.begin()
    for _ in range(2):
        memory.see(tiles, markers or [], EVERYWHERE, LYING.width_mm)


def test_what_comes_with_its_tile_on_an_unread_half_is_in_doubt(memory: TableMemory) -> None:
    seen(memory, [LYING, NEW], [ON_IT])
    assert memory.seen_markers() == [] and memory.doubted_markers() == [ON_IT]
    seen(memory, [LYING, NEW], [ON_IT])
    assert memory.seen_markers() == [] and memory.doubted_markers() == [ON_IT]


def test_once_the_half_is_read_nothing_stands_on_it(memory: TableMemory) -> None:
    seen(memory, [LYING, NEW], [ON_IT])
    for _ in range(6):
        seen(memory, [LYING, tile(550.0, 400.0, 0.0, 7, 6)])
    assert memory.seen_markers() == [] and memory.doubted_markers() == []


def test_what_comes_onto_a_tile_that_lies_there_is_a_marker_read_or_not(memory: TableMemory) -> None:
    seen(memory, [LYING, NEW])
    seen(memory, [LYING, NEW], [ON_IT])
    assert memory.seen_markers() == [ON_IT] and memory.doubted_markers() == []


def test_beside_a_tile_that_comes_a_marker_is_one_and_on_it_it_is_in_doubt(memory: TableMemory) -> None:
    """A 10 that was surely read had passed for a marker, and clear arms had accused its player of putting it there."""
    beside, on_the_read_half = SeenMarker((590.0, 401.0), 0.9), SeenMarker((538.0, 400.0), 0.9)
    for _ in range(3):
        seen(memory, [LYING, NEW], [beside, on_the_read_half])
        assert memory.seen_markers() == [beside] and memory.doubted_markers() == [on_the_read_half]
    seen(memory, [LYING, NEW], [beside])
    assert [one.missing > 0 for one in memory.markers if one.with_its_tile] == [True]


def test_on_the_table_seen_first_every_marker_is_one() -> None:
    """Watching began in the middle of a game."""
    memory = TableMemory()
    seen(memory, [LYING, NEW], [ON_IT])
    assert memory.seen_markers() == [ON_IT]


def test_half_a_tile_that_is_seen_before_the_whole_is_no_marker(memory: TableMemory) -> None:
    """A blank half in a glare has the size of a marker, and the first look found nothing else of the tile."""
    half = replace(ON_IT, confidence=0.6, recognised=False)
    memory.begin()
    memory.see([LYING], [half], EVERYWHERE, LYING.width_mm)
    assert memory.seen_markers() == [half]
    memory.see([LYING, NEW], [half], EVERYWHERE, LYING.width_mm)
    assert memory.seen_markers() == []
