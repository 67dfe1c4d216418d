"""Where the engine's pips are lost in their ground, what reads as a blank may be as many pips elsewhere too."""

from __future__ import annotations

from dataclasses import replace

from bench.stand_ins.seen_tables import SETUP, back, eastward, tile, train, view
from companion.geometry import Layout, reconstruct
from companion.geometry.layout import SeenHalf, SeenTile, TableView
from companion.perception.understanding import back_between_blanks, blanks_in_doubt, with_given_values
from companion.rules.tile import Tile, double_set

BOX: dict[Tile, int] = dict.fromkeys(double_set(12), 1)


def on_the_hub(engine: SeenTile, *tiles: SeenTile) -> tuple[TableView, Layout]:
    seen = view(tiles)
    seen = replace(seen, tiles=(engine, *seen.tiles[1:]))
    return seen, reconstruct(seen, SETUP)


def weighed(seen: TableView, layout: Layout) -> Layout:
    doubted = blanks_in_doubt(layout, seen.tiles, SETUP.engine)
    assert doubted is not None
    seen = replace(seen, tiles=doubted)
    return with_given_values(reconstruct(seen, SETUP), SETUP.engine, BOX, {})


def test_a_blank_where_the_engine_looks_blank_is_what_its_neighbours_ask_for() -> None:
    """The twelves of this box read as blanks: 0-3 at the hub is the 12-3, and no play is held against anybody."""
    blank = tile(600.0, 450.0, 0.0, 0, 0)
    layout = weighed(*on_the_hub(blank, *eastward([(0, 3), (3, 7)])))
    assert train(layout, "Ann") == "12-3 3-7"
    assert layout.engine is not None and layout.engine.laid == (12, 12)


def test_an_end_of_a_train_that_nothing_tells_is_no_reading() -> None:
    layout = weighed(*on_the_hub(tile(600.0, 450.0, 0.0, 0, None), *eastward([(12, 5), (5, 7), (7, 0)])))
    assert train(layout, "Ann") == "12-5 5-7 7-12", "the likeliest, and no reading"
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


def joined(*tiles: SeenTile) -> tuple[TableView, tuple[SeenTile, ...] | None]:
    seen = view(tiles)
    return seen, back_between_blanks(reconstruct(seen, SETUP), seen.tiles)


def test_a_back_between_two_blanks_of_a_train_is_the_double_blank() -> None:
    """The eye took the double blank for a back, and behind it the train turns a corner."""
    before = eastward([(12, 5), (5, 0)])
    end = before[-1].end_mm(1)[0]
    for side in (-1, 1):
        beyond = tile(end + 37, 450 + side * 37, side * 90.0, 0, 11)
        seen, mended = joined(*before, back(end + 25, 450.0), beyond, back(100.0, 100.0))
        assert mended is not None
        layout = with_given_values(reconstruct(replace(seen, tiles=mended), SETUP), 12, BOX, {})
        assert train(layout, "Ann") == "12-5 5-0 0-0 0-11"
        assert layout.boneyard == 1


def test_a_back_elsewhere_stays_a_back() -> None:
    before = eastward([(12, 5), (5, 0)])
    end = before[-1].end_mm(1)[0]
    middle, beyond = back(end + 25, 450.0), tile(end + 37, 487.0, 90.0, 0, 11)
    assert joined(*before, middle, beyond)[1] is not None
    assert joined(*before, middle)[1] is None, "nothing lies beyond it"
    assert joined(*before, middle, tile(end + 37, 487.0, 90.0, 3, 11))[1] is None, "a three lies beyond it"
    assert joined(*before, middle, replace(beyond, center_mm=(end + 37, 510.0)))[1] is None, "it touches nothing"
    assert joined(*before, middle, beyond, tile(300.0, 200.0, 0.0, 0, 0))[1] is None, "the double blank lies elsewhere"
    assert joined(*eastward([(12, 5), (5, 4)]), middle, beyond)[1] is None, "the train ends in a four"
