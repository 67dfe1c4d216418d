"""A watched tile keeps its identity: the layout takes identities over from the memory of the table."""

from __future__ import annotations

from dataclasses import replace

from companion.geometry.identity import identify
from companion.geometry.layout import PlacedTile, SeenHalf, SeenTile
from companion.perception.tracks import Looked, TableMemory

WIDTH = 20.0


def tile(x: float, values: tuple[int, int], track: int | None = None) -> SeenTile:
    first, second = (SeenHalf(value, 0.99) for value in values)
    return SeenTile((x, 0.0), 0.0, 2 * WIDTH, WIDTH, True, (first, second), 0.9, track=track)


def ids(tiles: list[SeenTile], before: list[PlacedTile]) -> list[int | None]:
    return [None if one.old is None else one.old.id for one in identify(tiles, before, WIDTH)]


def test_a_watched_tile_is_itself_wherever_it_lies() -> None:
    before = [PlacedTile(7, tile(0.0, (1, 2), track=1)), PlacedTile(8, tile(300.0, (1, 2), track=2))]
    assert ids([tile(300.0, (1, 2), track=1), tile(0.0, (1, 2), track=2)], before) == [7, 8]
    assert ids([tile(300.0, (1, 2)), tile(0.0, (1, 2))], before) == [8, 7], "nobody watched: where it lies counts"


def test_a_tile_watched_anew_is_known_by_its_place() -> None:
    before = [PlacedTile(7, tile(0.0, (1, 2), track=1)), PlacedTile(8, tile(300.0, (3, 4), track=2))]
    assert ids([tile(0.0, (1, 2), track=1), tile(301.0, (3, 4), track=9)], before) == [7, 8]
    assert ids([tile(0.0, (1, 2), track=1), tile(301.0, (5, 6), track=9)], before) == [7, 8]
    assert ids([tile(0.0, (1, 2), track=1), tile(500.0, (3, 4), track=9)], before) == [7, None]


def test_of_tiles_lying_on_each_other_the_one_with_the_same_values_goes_on() -> None:
    before = [PlacedTile(7, tile(0.0, (1, 2), track=1)), PlacedTile(9, tile(0.0, (3, 4), track=1))]
    assert ids([tile(0.0, (3, 4), track=1)], before) == [9]
    assert ids([tile(0.0, (1, 2), track=1)], before) == [7]


def test_the_memory_numbers_a_tile_once_whatever_is_read_in_its_place() -> None:
    memory = TableMemory()
    lying = [tile(0.0, (1, 2)), tile(100.0, (3, 4))]
    for _ in range(2):
        memory.see(lying, [], Looked(), WIDTH)
    first = [one.track for one in memory.tiles()]
    memory.begin()
    for _ in range(3):
        memory.see([lying[0], tile(100.0, (5, 6)), tile(200.0, (0, 0))], [], Looked(), WIDTH)
    now = [(one.track, one.values) for one in memory.tiles()]
    assert now[:2] == [(first[0], (1, 2)), (first[1], (5, 6))], "another value in its place, and the same place"
    assert now[2][0] not in first
    memory.drop(memory.tracks[:1])
    for _ in range(2):
        memory.see([replace(lying[0]), tile(100.0, (5, 6)), tile(200.0, (0, 0))], [], Looked(), WIDTH)
    assert len({one.track for one in memory.tiles()}) == 3
    assert first[0] not in [one.track for one in memory.tiles()], "a number is given once"


def test_a_back_turned_over_differs_where_its_only_pips_are() -> None:
    memory = TableMemory()
    back = replace(tile(100.0, (1, 1)), face_up=False, halves=None)
    for _ in range(2):
        memory.see([tile(0.0, (1, 2)), back], [], Looked(), WIDTH)
    now = [tile(0.0, (1, 2)), tile(100.0, (1, 1))]
    half = (100.0 + WIDTH / 2, 0.0)
    assert memory.differing(now, [], lambda place: place == half, WIDTH) == [(100.0, 0.0)]
    assert memory.differing(now, [], lambda place: False, WIDTH) == [], "no pixel has changed: a misreading"
    outermost = now[1].end_mm(1)[0] - WIDTH / 2
    assert memory.differing(now, [], lambda place: place[0] > outermost, WIDTH), "the single pip of a Chinese tile"
