"""Where the engine's pips are lost in their ground, what reads as a blank may be as many pips elsewhere too."""

from __future__ import annotations

from dataclasses import replace

from companion.geometry import Layout, reconstruct
from companion.geometry.table_view import SeenHalf, SeenTile, TableView
from companion.perception.blanks import blanks_in_doubt
from companion.perception.half_values import WeighSettings, weigh_unread
from companion.rules.tile import Tile, double_set
from tests.table.tables import SETUP, eastward, tile, train, view

BOX: dict[Tile, int] = dict.fromkeys(double_set(12), 1)


def on_the_hub(engine: SeenTile, *tiles: SeenTile) -> tuple[TableView, Layout]:
    seen = view(tiles)
    seen = replace(seen, tiles=(engine, *seen.tiles[1:]))
    return seen, reconstruct(seen, SETUP)


def weighed(seen: TableView, layout: Layout) -> Layout:
    doubted = blanks_in_doubt(layout, seen.tiles, SETUP.engine)
    assert doubted is not None
    seen = replace(seen, tiles=doubted)
    tiles = weigh_unread(reconstruct(seen, SETUP), doubted, SETUP.engine, BOX, {}, WeighSettings())
    return reconstruct(replace(seen, tiles=tuple(tiles)), SETUP)


def test_a_blank_where_the_engine_looks_blank_is_what_its_neighbours_ask_for() -> None:
    """The twelves of this box read as blanks: 0-3 at the hub is the 12-3, and no play is held against anybody."""
    blank = tile(600.0, 450.0, 0.0, 0, 0)
    layout = weighed(*on_the_hub(blank, *eastward([(0, 3), (3, 7)])))
    assert train(layout, "Ann") == "12-3 3-7"
    assert layout.engine is not None and layout.engine.laid == (12, 12)


def test_an_end_of_a_train_that_nothing_tells_is_asked_for() -> None:
    layout = weighed(*on_the_hub(tile(600.0, 450.0, 0.0, 0, None), *eastward([(12, 5), (5, 7), (7, 0)])))
    assert train(layout, "Ann") == "12-5 5-7 ?"
    last = layout.trains["Ann"][-1]
    assert last.halves is not None
    outer = last.halves[1 - last.inner_half]
    assert dict(outer.others).keys() >= {0, 12}


def test_the_set_has_each_tile_once() -> None:
    """5-0 behind the 12-5 cannot be the 5-12."""
    layout = weighed(*on_the_hub(tile(600.0, 450.0, 0.0, 0, None), *eastward([(12, 5), (5, 0)])))
    assert train(layout, "Ann") == "12-5 5-0"


def test_what_the_network_gave_to_a_blank_is_shared() -> None:
    doubtful = SeenHalf(None, 0.6, ((0, 0.6), (4, 0.3)))
    odd = replace(tile(685.0, 450.0, 0.0, 5, 5), halves=(SeenHalf(12, 0.99, ((0, 0.01),)), doubtful))
    seen, layout = on_the_hub(tile(600.0, 450.0, 0.0, 0, 0), odd)
    doubted = blanks_in_doubt(layout, seen.tiles, 12)
    assert doubted is not None
    kept, shared = doubted[1].halves or ()
    assert kept == SeenHalf(12, 0.99, ((0, 0.01),)), "a twelve that shows is one"
    assert shared.value is None and dict(shared.others) == {0: 0.3, 12: 0.3, 4: 0.3}


def test_an_engine_that_is_read_or_is_another_tile_says_nothing_of_blanks() -> None:
    for engine in (tile(600, 450, 0, 12, 12), tile(600, 450, 0, 0, 5), tile(600, 450, 0, None, None)):
        seen, layout = on_the_hub(engine, *eastward([(12, 0)]))
        assert blanks_in_doubt(layout, seen.tiles, SETUP.engine) is None
    seen, layout = on_the_hub(tile(600, 450, 0, 0, 0), *eastward([(0, 3)]))
    assert blanks_in_doubt(layout, seen.tiles, 0) is None, "the round of the double blank"
    assert blanks_in_doubt(layout, seen.tiles, None) is None
