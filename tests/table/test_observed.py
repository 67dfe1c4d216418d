"""The change between two still tables, in the referee's words."""

from __future__ import annotations

from dataclasses import replace

from bench.stand_ins.seen_tables import SETUP, back, eastward, moved, tile, view
from companion.geometry import Layout, PlacedTile, Trouble, reconstruct
from companion.geometry.diff import Observation, difference
from companion.geometry.layout import SeenTile
from companion.rules.notation import print_change

ANN = [(12, 5), (5, 7)]
BACKS = [back(100.0 + 30 * n, 800.0, 90.0) for n in range(5)]


def look(tiles: list[SeenTile], markers: tuple[tuple[float, float], ...] = (), before: Layout | None = None) -> Layout:
    return reconstruct(view(tiles, markers), SETUP, before)


def told(observation: Observation) -> list[str]:
    return [print_change(change) for change in observation.delta]


def test_nothing_happened() -> None:
    before = look([*eastward(ANN), *BACKS])
    after = look([moved(t, 2.0, -1.0, 1.0) for t in (*eastward(ANN), *BACKS)], before=before)
    assert difference(before, after) == Observation()


def test_a_tile_laid() -> None:
    before = look(eastward(ANN))
    after = look(eastward([*ANN, (7, 1)]), before=before)
    assert told(difference(before, after)) == ["+7-1@Ann"]
    assert len(difference(before, after).news) == 1


def test_several_tiles_come_from_the_inside_out() -> None:
    before = look(eastward(ANN))
    ben = [tile(515.0, 450.0, 180.0, 12, 3), tile(466.0, 450.0, 180.0, 3, 9)]
    after = look([*eastward([*ANN, (7, 1), (1, 1)]), *reversed(ben)], before=before)
    assert told(difference(before, after)) == ["+7-1@Ann", "+1-1@Ann", "+12-3@Ben", "+3-9@Ben"]


def test_a_tile_taken_back() -> None:
    before = look(eastward(ANN))
    after = look(eastward(ANN[:1]), before=before)
    assert told(difference(before, after)) == ["-5-7@Ann"]


def test_a_tile_moved_to_another_train() -> None:
    before = look([*eastward(ANN), tile(515.0, 450.0, 180.0, 12, 3)])
    after = look([*eastward(ANN[:1]), tile(515.0, 450.0, 180.0, 12, 3), tile(466.0, 450.0, 180.0, 5, 7)], before=before)
    assert sorted(told(difference(before, after))) == ["+5-7@Ben", "-5-7@Ann"]


def test_a_train_pushed_aside_as_a_whole_is_no_change() -> None:
    before = look(eastward([(12, 5), (5, 7), (7, 1), (1, 9)]))
    after = look([moved(t, 0.0, 22.0) for t in eastward([(12, 5), (5, 7), (7, 1), (1, 9)])], before=before)
    assert told(difference(before, after)) == []


def test_markers_come_and_go() -> None:
    bare = look(eastward(ANN))
    marked = look(eastward(ANN), ((740.0, 475.0),), bare)
    assert told(difference(bare, marked)) == ["mark Ann"]
    assert told(difference(marked, bare)) == ["-mark Ann"]


def test_draws_are_counted_and_a_boneyard_that_grows_is_nothing() -> None:
    before = look([*eastward(ANN), *BACKS])
    after = look([*eastward(ANN), *BACKS[:3]], before=before)
    assert told(difference(before, after)) == ["boneyard-2"]
    assert told(difference(after, before)) == []


def test_a_double_turned_over_is_a_flip_and_no_lost_tile() -> None:
    double = tile(722.0, 450.0, 90.0, 5, 5)
    before = look([*eastward(ANN[:1]), double])
    after = look([*eastward(ANN[:1]), back(722.0, 450.0, 90.0)], before=before)
    observation = difference(before, after)
    assert observation.flips == ("Ann",)
    assert told(observation) == []


def test_an_unread_tile_waits_with_what_lies_beyond_it() -> None:
    before = look(eastward(ANN[:1]))
    unread = eastward(ANN)[1]
    hidden = replace(unread, halves=(tile(0, 0, 0, None, 7).halves or ())[0:1] + (unread.halves or ())[1:2])
    beyond = eastward([*ANN, (7, 1)])[2]
    unsure = look([*eastward(ANN[:1]), hidden, beyond], before=before)
    observation = difference(before, unsure)
    assert told(observation) == []
    assert [doubt.trouble for doubt in observation.doubts] == [Trouble.UNREADABLE_TILE]
    read = look(eastward([*ANN, (7, 1)]), before=unsure)
    assert told(difference(unsure, read)) == ["+5-7@Ann", "+7-1@Ann"]


def test_a_changed_reading_is_a_doubt_and_never_a_moved_tile() -> None:
    before = look(eastward(ANN))
    after = look(eastward([(12, 5), (5, 8)]), before=before)
    observation = difference(before, after)
    assert told(observation) == []
    assert [doubt.trouble for doubt in observation.doubts] == [Trouble.VALUE_CHANGED]


def test_hands_laid_open_are_told_by_seat() -> None:
    before = look(eastward(ANN))
    hand = [tile(1150.0, 400.0 + 30 * n, 0.0, n, n + 1) for n in range(3)]
    observation = difference(before, look([*eastward(ANN), *hand], before=before))
    assert list(observation.hands) == ["Ann"]
    assert [str(t) for t in observation.hands["Ann"]] == ["0-1", "1-2", "2-3"]
    assert told(observation) == []


def test_a_loose_phantom_is_not_asked_about_but_a_loose_tile_is() -> None:
    before = look(eastward(ANN))
    phantom = replace(tile(900.0, 250.0, 30.0, None, None), confidence=0.5)
    assert difference(before, look([*eastward(ANN), phantom], before=before)).doubts == ()
    real = tile(900.0, 250.0, 30.0, 3, 4)
    doubts = difference(before, look([*eastward(ANN), real], before=before)).doubts
    assert [doubt.trouble for doubt in doubts] == [Trouble.LOOSE_TILE]


def test_a_tile_that_lay_unread_is_not_laid_when_it_is_read() -> None:
    """On a board without trains: only what was not there one picture earlier was laid."""
    lying = PlacedTile(1, tile(100.0, 100.0, 0.0, 2, 5))
    before = Layout(loose=(lying, PlacedTile(2, tile(200.0, 100.0, 0.0, 1, None))))
    read, new = PlacedTile(2, tile(200.0, 100.0, 0.0, 1, 3)), PlacedTile(3, tile(300.0, 100.0, 0.0, 1, 4))
    assert told(difference(before, Layout(loose=(lying, read)))) == []
    assert difference(before, Layout(loose=(lying, read, new))).news == (3,)
    assert len(difference(before, Layout(loose=(read, new))).gone) == 1
