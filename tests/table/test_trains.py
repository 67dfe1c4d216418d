"""Trains from geometry: what a person sees at a glance, tile by tile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bench.stand_ins.seen_tables import HUB, LENGTH, SETUP, back, direction, eastward, ids, moved, tile, train, view
from companion.geometry import Layout, PlacedTile, Trouble, reconstruct
from companion.geometry.diff import difference
from companion.geometry.hub import find_middle
from companion.geometry.identity import Known
from companion.geometry.layout import MEXICAN, SeenHalf, SeenMarker, SeenTile, TableView
from companion.geometry.trains import owners_of


def test_a_straight_train_is_read_from_the_hub_outwards() -> None:
    layout = reconstruct(view(eastward([(12, 5), (5, 7), (7, 1)])), SETUP)
    assert train(layout, "Ann") == "12-5 5-7 7-1"
    assert layout.engine is not None and layout.engine.laid == (12, 12)
    assert train(layout, "Ben") == train(layout, "MX") == ""
    assert layout.problems == ()


def test_the_reader_may_name_either_half_first() -> None:
    tiles = eastward([(12, 5), (5, 7)])
    turned = replace(tiles[1], heading_deg=180.0, halves=(tiles[1].halves[1], tiles[1].halves[0]))  # type: ignore[index]
    assert train(reconstruct(view([tiles[0], turned]), SETUP), "Ann") == "12-5 5-7"


def test_a_mismatch_stays_visible() -> None:
    layout = reconstruct(view(eastward([(12, 5), (9, 7), (7, 1)])), SETUP)
    assert train(layout, "Ann") == "12-5 9-7 7-1"


def test_a_first_tile_with_its_wrong_end_inwards_stays_visible() -> None:
    assert train(reconstruct(view(eastward([(5, 12)])), SETUP), "Ann") == "5-12"


def test_a_crosswise_double_and_what_follows_it() -> None:
    first = eastward([(12, 5)])
    double = tile(709.0 + 1 + 12, 450.0, 90.0, 5, 5)
    after = tile(709.0 + 1 + 24 + 1 + 24, 450.0, 0.0, 5, 3)
    layout = reconstruct(view([*first, double, after]), SETUP)
    assert train(layout, "Ann") == "12-5 5-5 5-3"
    assert [placed.crosswise for placed in layout.trains["Ann"]] == [False, True, False]


def test_a_train_may_turn_at_the_end_of_a_crosswise_double() -> None:
    double = tile(722.0, 450.0, 90.0, 5, 5)
    turning = tile(722.0, 450.0 + 24 + 1 + 24, 90.0, 5, 3)
    assert train(reconstruct(view([*eastward([(12, 5)]), double, turning]), SETUP), "Ann") == "12-5 5-5 5-3"


def test_a_double_laid_straight_is_as_good() -> None:
    assert train(reconstruct(view(eastward([(12, 5), (5, 5), (5, 3)])), SETUP), "Ann") == "12-5 5-5 5-3"


@pytest.mark.parametrize("down", [1.0, -1.0])
def test_a_bend_with_the_end_against_the_side(down: float) -> None:
    corner = tile(685.0 + 12, 450.0 + down * (12 + 1 + 24), 90.0 * down, 5, 7)
    onward = tile(685.0 + 12, 450.0 + down * (12 + 1 + 48 + 1 + 24), 90.0 * down, 7, 2)
    assert train(reconstruct(view([*eastward([(12, 5)]), corner, onward]), SETUP), "Ann") == "12-5 5-7 7-2"


@pytest.mark.parametrize("down", [1.0, -1.0])
def test_a_bend_with_the_side_against_the_end(down: float) -> None:
    corner = tile(709.0 + 1 + 12, 450.0 + down * 12, 90.0 * down, 5, 7)
    onward = tile(722.0, 450.0 + down * (12 + 24 + 1 + 24), 90.0 * down, 7, 2)
    assert train(reconstruct(view([*eastward([(12, 5)]), corner, onward]), SETUP), "Ann") == "12-5 5-7 7-2"


def test_two_trains_side_by_side_stay_two_trains() -> None:
    setup = replace(SETUP, stations={"Ann": 12.0, "Ben": -12.0}, mexican_station=180.0)
    ann = [moved(t, 0.0, 12.6) for t in eastward([(12, 5), (5, 7), (7, 1), (1, 8)])]
    ben = [moved(t, 8.0, -12.6) for t in eastward([(12, 9), (9, 3), (3, 3), (3, 0)])]
    layout = reconstruct(view([*ann, *ben]), setup)
    assert train(layout, "Ann") == "12-5 5-7 7-1 1-8"
    assert train(layout, "Ben") == "12-9 9-3 3-3 3-0"


def test_a_train_that_comes_back_beside_itself() -> None:
    first = eastward([(12, 5), (5, 7)])
    bend = tile(758.0 + 1 + 12, 450.0 + 12, 90.0, 7, 1)
    back_again = tile(771.0 - 12 - 1 - 24, 450.0 + 24, 180.0, 1, 4)
    layout = reconstruct(view([*first, bend, back_again]), SETUP)
    assert train(layout, "Ann") == "12-5 5-7 7-1 1-4"


def test_a_winding_train_of_tiles_laid_askew() -> None:
    tiles: list[SeenTile] = []
    x, y, angle = 661.0, 450.0, 0.0
    for n, values in enumerate([(12, 5), (5, 7), (7, 1), (1, 8), (8, 2)]):
        angle += 18.0 if n else 0.0
        cx, cy = direction(angle, 26.5, (x, y))
        tiles.append(tile(cx, cy, angle, *values))
        x, y = direction(angle, 52.0, (x, y))
    assert train(reconstruct(view(tiles), SETUP), "Ann") == "12-5 5-7 7-1 1-8 8-2"


def test_gaps_of_some_millimetres_hold_a_train_together() -> None:
    layout = reconstruct(view(eastward([(12, 5), (5, 7), (7, 1)], gap=8.0)), SETUP)
    assert train(layout, "Ann") == "12-5 5-7 7-1"
    assert layout.problems == ()


def test_a_tile_that_lies_too_far_off_is_joined_and_reported() -> None:
    tiles = eastward([(12, 5), (5, 7)])
    layout = reconstruct(view([*tiles, moved(tile(758.0 + 24, 450.0, 0.0, 7, 1), 20.0, 3.0)]), SETUP)
    assert train(layout, "Ann") == "12-5 5-7 7-1"
    assert layout.has(Trouble.LOOSE_JOINT)


def test_a_tile_that_belongs_nowhere_is_loose() -> None:
    setup = replace(SETUP, mexican_station=90.0)
    layout = reconstruct(view([*eastward([(12, 5)]), tile(900.0, 300.0, 40.0, 5, 7)]), setup)
    assert train(layout, "Ann") == "12-5"
    assert [t.laid for t in layout.loose] == [(5, 7)]
    assert layout.has(Trouble.LOOSE_TILE)


def test_two_tiles_at_one_open_end_are_a_fork() -> None:
    straight = tile(709.0 + 1 + 24, 450.0, 0.0, 5, 7)
    beside = tile(697.0, 450.0 + 12 + 1 + 24, 90.0, 5, 3)
    layout = reconstruct(view([*eastward([(12, 5)]), straight, beside]), SETUP)
    assert train(layout, "Ann") == "12-5 5-7"
    assert layout.has(Trouble.FORKED_TRAIN)
    assert [t.laid for t in layout.loose] == [(5, 3)]


def test_equal_geometry_is_decided_by_the_values() -> None:
    """A tile exactly between the ends of two trains belongs to the one it matches."""
    setup = replace(SETUP, stations={"Ann": 0.0, "Ben": 180.0}, mexican_station=None)
    hub = replace(HUB, center_mm=(300.0, 450.0))
    engine = tile(300.0, 450.0, 0.0, 12, 12)
    ann = tile(300 + 60 + 25, 450.0, 0.0, 12, 5)
    mexican = tile(300 + 60 + 25 + 24 + 1 + 48 + 1 + 24, 450.0, 180.0, 9, 4)
    between = tile(300 + 60 + 25 + 24 + 1 + 24, 450.0, 0.0, 8, 4)
    known = reconstruct(replace(view([], hub=hub), tiles=(engine, ann, mexican)), setup)
    assert train(known, "MX") == "9-4"
    layout = reconstruct(replace(view([], hub=hub), tiles=(engine, ann, mexican, between)), setup, known)
    assert train(layout, "MX") == "9-4 4-8"
    assert train(layout, "Ann") == "12-5"


def test_without_a_hub_the_engine_is_the_middle() -> None:
    stations = {"Ann": 0.0, "Ben": 180.0}
    tiles = [tile(600 + 24 + 10 + 24, 450.0, 0.0, 12, 5), tile(600 - 24 - 30 - 24, 450.0, 180.0, 12, 4)]
    layout = reconstruct(view(tiles, hub=None), replace(SETUP, stations=stations))
    assert train(layout, "Ann") == "12-5"
    assert train(layout, "Ben") == "12-4"


def around_the_middle(*angles: float) -> list[SeenTile]:
    """Trains of two tiles around a place where no hub is seen."""
    return [tile(*direction(angle, 80.0 + 49.0 * n), angle, 5 + n, 6 + n) for angle in angles for n in range(2)]


def test_the_tile_at_which_three_trains_point_is_the_engine_whatever_is_read_of_it() -> None:
    """Pale pips on a pale tile: the double twelve looks blank, and is not believed to be that."""
    blank = tile(600.0, 450.0, 10.0, 0, 0)
    layout = reconstruct(replace(view([]), tiles=(blank, *around_the_middle(0.0, 180.0, 90.0)), hub=None), SETUP)
    assert layout.engine is not None and layout.engine.laid is None
    assert [len(layout.trains[name]) for name in ("Ann", "Ben", "MX")] == [2, 2, 2]
    two = reconstruct(replace(view([]), tiles=(blank, *around_the_middle(0.0, 180.0)), hub=None), SETUP)
    assert two.has(Trouble.NO_HUB)


def test_without_hub_and_engine_nothing_is_guessed() -> None:
    layout = reconstruct(replace(view([]), tiles=tuple(eastward([(12, 5)])), hub=None), replace(SETUP, engine=None))
    assert layout.has(Trouble.NO_HUB)
    assert not any(layout.trains.values())


def test_the_mexican_train_may_lie_anywhere() -> None:
    setup = replace(SETUP, mexican_station=None)
    apart = [tile(400.0, 700.0, 30.0, 12, 4), tile(*direction(30.0, 49.0, (400.0, 700.0)), 30.0, 4, 9)]
    layout = reconstruct(view([*eastward([(12, 5)]), *apart]), setup)
    assert train(layout, "MX") == "12-4 4-9"
    turned = [tile(400.0, 700.0, 210.0, 4, 12), tile(*direction(30.0, 49.0, (400.0, 700.0)), 30.0, 4, 9)]
    assert train(reconstruct(view([*eastward([(12, 5)]), *turned[:1]]), setup), "MX") == "12-4"


def test_a_second_train_without_an_owner_is_named() -> None:
    setup = replace(SETUP, mexican_station=None)
    layout = reconstruct(view([tile(400.0, 700.0, 30.0, 12, 4), tile(800.0, 690.0, -20.0, 12, 9)]), setup)
    assert {train(layout, "MX"), train(layout, "MX2")} == {"12-4", "12-9"}


def test_a_second_train_without_an_owner_may_begin_at_the_hub_and_keeps_its_name() -> None:
    tiles = [
        *eastward([(12, 5)]),
        tile(*direction(45.0, 85.0), 45.0, 12, 9),
        tile(*direction(135.0, 85.0), 135.0, 12, 4),
    ]
    lying = view(tiles)
    before = reconstruct(lying, SETUP)
    assert set(before.trains) >= {"MX", "MX2"}
    again = reconstruct(lying, SETUP, before)
    assert {name: train(again, name) for name in again.trains} == {name: train(before, name) for name in before.trains}


@pytest.mark.parametrize(
    ("mexican", "ben", "clear"),
    [((90.0, -90.0), False, True), ((90.0, 115.0), False, False), ((90.0, 115.0), True, True)],
)
def test_two_trains_are_nobodys_where_no_player_may_still_begin(
    mexican: tuple[float, float], ben: bool, clear: bool
) -> None:
    """Ben begins opposite Ann, at 180 degrees."""
    setup = replace(SETUP, mexican_station=None)
    tiles = [*eastward([(12, 5)]), *([tile(*direction(180.0, 85.0), 180.0, 12, 3)] if ben else [])]
    before = reconstruct(view(tiles), setup)
    tiles += [tile(*direction(angle, 85.0), angle, 12, value) for angle, value in zip(mexican, (4, 9), strict=True)]
    after = reconstruct(view(tiles), setup, before)
    assert {"MX", "MX2"} <= {name for name, train in after.trains.items() if train}
    assert difference(before, after).two_mexican == clear
    assert not before.two_mexican


def test_a_slot_of_the_hub_taken_for_a_tile_is_no_train() -> None:
    slot = tile(*direction(0.0, 0.6 * HUB.radius_mm), 90.0, 0, 0)
    layout = reconstruct(view([*eastward([(12, 5), (5, 7)]), slot]), SETUP)
    assert train(layout, "Ann") == "12-5 5-7"
    assert not layout.problems


def test_a_marker_belongs_to_the_train_it_lies_at() -> None:
    tiles = [*eastward([(12, 5), (5, 7)]), tile(515.0, 450.0, 180.0, 12, 3)]
    assert reconstruct(view(tiles, markers=[(740.0, 475.0)]), SETUP).markers == {"Ann"}
    assert reconstruct(view(tiles, markers=[(480.0, 450.0)]), SETUP).markers == {"Ben"}


def test_a_marker_on_the_empty_place_of_a_train_not_begun() -> None:
    layout = reconstruct(view(eastward([(12, 5)]), markers=[direction(180.0, 85.0)]), SETUP)
    assert layout.markers == {"Ben"}


def test_the_mexican_trains_own_marker_is_no_players() -> None:
    layout = reconstruct(view([tile(600.0, 535.0, 90.0, 12, 4)], markers=[(622.0, 530.0)]), SETUP)
    assert layout.markers == frozenset()
    assert layout.problems == ()


def test_markers_in_the_supply_are_left_alone() -> None:
    layout = reconstruct(view(eastward([(12, 5)]), markers=[(1100.0, 60.0)]), SETUP)
    assert layout.markers == frozenset()
    assert layout.has(Trouble.LONE_MARKER)


def test_a_marker_between_two_trains_is_asked_about() -> None:
    setup = replace(SETUP, stations={"Ann": 20.0, "Ben": -20.0})
    tiles = [
        tile(*direction(20.0, 86.0), 20.0, 12, 5),
        tile(*direction(-20.0, 86.0), -20.0, 12, 3),
    ]
    layout = reconstruct(view(tiles, markers=[direction(0.0, 100.0)]), setup)
    assert layout.has(Trouble.EITHER_MARKER)
    assert layout.markers == frozenset()


def test_a_marker_between_two_trains_is_at_the_one_that_ends_there() -> None:
    """Ben's train has turned and runs beside Ann's: the marker lies as near to his middle as to her last tile."""
    for last, owner in (((5, 7), {"Ann"}), (None, frozenset())):
        anns = eastward([(12, 5), last] if last else [(12, 5), (5, 7), (7, 9)], y=450.0)
        beside = [tile(660.0 + 25 + 49 * n, 506.0, 0.0, a, b) for n, (a, b) in enumerate([(12, 3), (3, 4), (4, 6)])]
        layout = Layout(trains={"Ann": placed(anns), "Ben": placed(beside)})
        marker = SeenMarker((735.0, 478.0), 0.9)
        assert owners_of(marker, layout, SETUP, None) == owner


def placed(tiles: Sequence[SeenTile]) -> tuple[PlacedTile, ...]:
    return tuple(PlacedTile(n, one) for n, one in enumerate(tiles))


def test_a_marker_beside_a_tile_is_not_drawn_to_the_empty_place_of_a_train_that_has_begun() -> None:
    """Ben's first tile leans away from his station, and Ann's marker touches her tile beside that place."""
    setup = replace(SETUP, stations={"Ann": 24.0, "Ben": -2.0})
    tiles = [
        tile(*direction(24.0, 86.0), 24.0, 12, 5),
        tile(*direction(-12.0, 86.0), -12.0, 12, 3),
    ]
    layout = reconstruct(view(tiles, markers=[direction(10.5, 84.0)]), setup)
    assert layout.markers == {"Ann"}
    assert not layout.has(Trouble.EITHER_MARKER)
    not_begun = reconstruct(view(tiles[:1], markers=[direction(10.5, 84.0)]), setup)
    assert not_begun.has(Trouble.EITHER_MARKER), "the marker of a train without tiles lies at its place"


def test_a_face_down_double_closes_its_train_and_is_no_boneyard() -> None:
    train_tiles = [*eastward([(12, 5)]), tile(722.0, 450.0, 90.0, 5, 5)]
    before = reconstruct(view([*train_tiles, back(100, 100), back(160, 100)]), SETUP)
    flipped = [train_tiles[0], back(722.5, 450.0, 91.0), back(100, 100), back(160, 100)]
    after = reconstruct(view(flipped), SETUP, before)
    assert after.flipped == {"Ann"}
    assert train(after, "Ann") == "12-5 5-5"
    assert after.boneyard == 2


def test_a_flipped_double_is_recognised_without_its_history() -> None:
    layout = reconstruct(view([*eastward([(12, 5)]), back(722.0, 450.0, 90.0), back(100, 100)]), SETUP)
    assert layout.flipped == {"Ann"}
    assert train(layout, "Ann") == "12-5 ?"
    assert layout.boneyard == 1


def test_what_looks_like_a_back_between_two_blanks_is_an_unread_tile_of_the_train() -> None:
    """Only the last tile of a train is ever turned over."""
    chain = [*eastward([(12, 0)]), back(722.0, 450.0, 90.0), tile(759.0, 450.0, 0.0, 0, 7)]
    layout = reconstruct(view([*chain, back(100, 100)]), SETUP)
    assert train(layout, "Ann") == "12-0 ? 0-7"
    assert layout.trains["Ann"][1].crosswise
    assert (layout.flipped, layout.boneyard) == (frozenset(), 1)
    assert layout.has(Trouble.UNREADABLE_TILE)


def test_so_is_one_between_a_blank_and_a_tile_that_does_not_match() -> None:
    """The double blank laid by the rules, and a tile after it that breaks them."""
    chain = [*eastward([(12, 0)]), back(722.0, 450.0, 90.0), tile(759.0, 450.0, 0.0, 1, 3)]
    layout = reconstruct(view([*chain, back(100, 100)]), SETUP)
    laid = [tile.laid for tile in layout.trains["Ann"]]
    assert laid[1] is None and len(laid) == 3 and layout.boneyard == 1


def test_a_back_beside_other_values_stays_one() -> None:
    chain = [*eastward([(12, 5)]), back(722.0, 450.0, 90.0), tile(759.0, 450.0, 0.0, 5, 7)]
    assert reconstruct(view([*chain, back(100, 100)]), SETUP).boneyard == 2


def test_a_boneyard_in_a_pile_is_not_counted() -> None:
    layout = reconstruct(view([back(100, 100), back(160, 100)]), replace(SETUP, boneyard_spread=False))
    assert layout.boneyard is None


def test_hands_laid_open_belong_to_their_seats() -> None:
    ann = [tile(1150.0, 400.0 + 30 * n, 0.0, n, n + 1) for n in range(3)]
    ben = [tile(40.0, 500.0, 90.0, 0, 0)]
    layout = reconstruct(view([*eastward([(12, 5)]), *ann, *ben]), SETUP)
    assert [placed.laid for placed in layout.hands["Ann"]] == [(0, 1), (1, 2), (2, 3)]
    assert [placed.laid for placed in layout.hands["Ben"]] == [(0, 0)]
    assert train(layout, "Ann") == "12-5"


@pytest.mark.parametrize("count", [1, 2, 3])
def test_several_tiles_at_a_seat_are_a_hand_though_one_touches_a_train(count: int) -> None:
    """One alone may be a play that forks the train, but where another player has laid a hand open."""
    laid = eastward([(12, 5), (5, 7), (7, 1), (1, 9), (9, 4), (4, 8), (8, 2), (2, 6), (6, 10)])
    laid.append(tile(1113.0, 450.0, 90.0, 10, 10))
    before = reconstruct(view(laid), SETUP)
    hand = [tile(1096.0 + 27.0 * n, 422.0, 90.0, 3 - n, 11 - n) for n in range(count)]
    layout = reconstruct(view([*laid, *hand]), SETUP, before)
    assert len(layout.trains["Ann"]) == 10
    assert len(layout.hands.get("Ann", ())) == (count if count > 1 else 0)
    assert any(one.trouble is Trouble.FORKED_TRAIN for one in layout.problems)
    others = [tile(40.0, 500.0 + 30 * n, 0.0, 0, n) for n in range(2)]
    layout = reconstruct(view([*laid, *hand, *others]), SETUP, before)
    assert {name: len(tiles) for name, tiles in layout.hands.items()} == {"Ann": count, "Ben": 2}


@pytest.mark.parametrize("apart", [8.0, 20.0])
@pytest.mark.parametrize("first", [(3, 11), (4, 4)])
def test_a_hand_laid_edge_to_edge_against_a_trains_end_is_no_part_of_the_train(
    apart: float, first: tuple[int, int]
) -> None:
    laid = eastward([(12, 5), (5, 7), (7, 1), (1, 9), (9, 4), (4, 8), (8, 2), (2, 6), (6, 10)])
    before = reconstruct(view(laid), SETUP)
    hand = [tile(1125.0 + apart, 450.0 + 24.5 * n, 0.0, *values) for n, values in enumerate((first, (2, 9), (7, 10)))]
    layout = reconstruct(view([*laid, *hand]), SETUP, before)
    assert train(layout, "Ann").endswith("2-6 6-10")
    assert len(layout.hands["Ann"]) == 3 and not any(one.trouble is Trouble.LOOSE_JOINT for one in layout.problems)
    assert reconstruct(view([*laid, *hand]), SETUP, layout).hands["Ann"] == layout.hands["Ann"]


def over_with(*came: SeenTile) -> Layout:
    """A train of Ann's that has grown to her seat, the round passing for over, and what came to lie there."""
    laid = eastward([(12, 5), (5, 7), (7, 1), (1, 9), (9, 4), (4, 8), (8, 2), (2, 6), (6, 10)])
    before = reconstruct(view(laid), replace(SETUP, over=False))
    return reconstruct(view([*laid, *came]), replace(SETUP, over=True), before)


def test_a_tile_that_continues_a_train_is_no_hand_though_the_round_passes_for_over() -> None:
    *_, last = eastward([(12, 5), (5, 7), (7, 1), (1, 9), (9, 4), (4, 8), (8, 2), (2, 6), (6, 10), (10, 3)])
    layout = over_with(last)
    assert train(layout, "Ann").endswith("10-3")
    assert not layout.hands


@pytest.mark.parametrize("other", ["no match", "several"])
def test_tiles_that_do_not_continue_it_or_come_together_are_a_hand(other: str) -> None:
    *_, last = eastward([(12, 5), (5, 7), (7, 1), (1, 9), (9, 4), (4, 8), (8, 2), (2, 6), (6, 10), (10, 3)])
    x, y = last.center_mm
    came = [tile(x, y, 0.0, 3, 11)] if other == "no match" else [last, tile(x, y + 40.0, 0.0, 3, 11)]
    layout = over_with(*came)
    assert train(layout, "Ann").endswith("6-10")
    assert len(layout.hands["Ann"]) == len(came)


def test_a_nudged_table_keeps_every_identity() -> None:
    tiles = [*eastward([(12, 5), (5, 7)]), tile(515.0, 450.0, 180.0, 12, 3)]
    before = reconstruct(view(tiles), SETUP)
    after = reconstruct(view([moved(t, 5.0, -4.0, 3.0) for t in reversed(tiles)]), SETUP, before)
    assert ids(after, "Ann") == ids(before, "Ann")
    assert ids(after, "Ben") == ids(before, "Ben")


def test_a_table_that_jumped_as_a_whole_keeps_every_identity() -> None:
    tiles = [*eastward([(12, 5), (5, 7), (7, 1), (1, 9)]), tile(515.0, 450.0, 180.0, 12, 3)]
    before = reconstruct(view(tiles), SETUP)
    hub = replace(HUB, center_mm=(640.0, 480.0))
    shifted = [moved(t, 40.0, 30.0) for t in view(tiles).tiles]
    after = reconstruct(replace(view([]), tiles=tuple(shifted), hub=hub), SETUP, before)
    assert ids(after, "Ann") == ids(before, "Ann")
    assert after.engine is not None and before.engine is not None and after.engine.id == before.engine.id


def test_what_glare_hides_now_was_read_before() -> None:
    before = reconstruct(view(eastward([(12, 5), (5, 7)])), SETUP)
    hidden = eastward([(12, 5)])[0], moved(tile(733.0, 450.0, 180.0, None, 5), 1.0, 0.0)
    after = reconstruct(view(hidden), SETUP, before)
    assert train(after, "Ann") == "12-5 5-7"
    assert after.problems == ()


def test_an_unread_new_tile_is_reported_and_keeps_its_place() -> None:
    layout = reconstruct(view([*eastward([(12, 5)]), tile(734.0, 450.0, 0.0, None, 7)]), SETUP)
    assert train(layout, "Ann") == "12-5 ?"
    assert layout.has(Trouble.UNREADABLE_TILE)


def test_another_value_in_the_same_place_is_reported() -> None:
    before = reconstruct(view(eastward([(12, 5), (5, 7)])), SETUP)
    after = reconstruct(view(eastward([(12, 5), (5, 8)])), SETUP, before)
    assert after.has(Trouble.VALUE_CHANGED)


def test_an_engine_half_of_which_is_not_read_is_still_the_middle() -> None:
    tiles = [tile(600.0, 450.0, 0.0, 12, None), *(moved(one, -25.0, 0.0) for one in eastward([(12, 4), (4, 7)]))]
    unread = SeenHalf(None, 0.6, ((12, 0.6), (11, 0.3)))
    assert tiles[0].halves is not None
    engine = replace(tiles[0], halves=(tiles[0].halves[0], unread))
    layout = reconstruct(TableView((engine, *tiles[1:])), SETUP)
    assert train(layout, "Ann") == "12-4 4-7"


def three_trains(begin_mm: float) -> list[SeenTile]:
    """Their first tiles, this far from the middle."""
    away = begin_mm + LENGTH / 2
    sides = ((1, 0, 0.0, 5), (-1, 0, 180.0, 6), (0, 1, 90.0, 7))
    return [tile(600.0 + away * x, 450.0 + away * y, turned, 12, outer) for x, y, turned, outer in sides]


def test_of_a_hub_with_rings_an_inner_one_may_be_found() -> None:
    """Where trains on three sides begin well beyond the rim, they begin at the hub's; the middle is a little off."""
    small = replace(HUB, radius_mm=36.0, center_mm=(597.0, 444.0))
    layout = reconstruct(view(three_trains(62.0), hub=small), SETUP)
    assert [train(layout, name) for name in ("Ann", "Ben", MEXICAN)] == ["12-5", "12-6", "12-7"]


def test_first_tiles_that_were_not_found_are_not_replaced_by_the_second_on_several_sides_either() -> None:
    layout = reconstruct(view(three_trains(62.0 + LENGTH)), SETUP)
    assert not any(layout.trains[name] for name in ("Ann", "Ben"))


def test_trains_that_begin_in_slots_within_the_rim_are_not_begun_by_their_second_tiles() -> None:
    """Their second tiles face the middle from as near beyond the rim as first ones do elsewhere."""
    second = [moved(t, *direction(t.heading_deg, LENGTH, (0.0, 0.0))) for t in three_trains(56.0)]
    second = [replace(t, halves=(t.halves[1], SeenHalf(9 + n, 0.99))) for n, t in enumerate(second) if t.halves]
    table = view([*three_trains(56.0), *second], hub=replace(HUB, radius_mm=66.0))
    middle = find_middle(table, [Known(seen) for seen in table.tiles], SETUP, None, None)
    assert middle is not None and middle.rim_mm == 66.0
    trains = [train(reconstruct(table, SETUP), name) for name in ("Ann", "Ben", MEXICAN)]
    assert trains == ["12-5 5-9", "12-6 6-10", "12-7 7-11"]


def test_a_hub_outlined_beside_its_engine_still_has_its_trains() -> None:
    """Print on the hub was left out of its outline: it is too small, and its middle a tile's width off."""
    hub = replace(HUB, center_mm=(600.0, 427.0), radius_mm=48.0)
    first = tile(*direction(90.0, 60 + 1 + LENGTH / 2), 90.0, 12, 6)
    layout = reconstruct(view([first], hub=hub), SETUP)
    assert train(layout, "MX") == "12-6" and not layout.problems


def test_an_engine_beside_its_hubs_middle_is_not_where_trains_lead() -> None:
    """The hub is outlined as it lies; the engine lies 21 mm beside its middle."""
    hub = replace(HUB, center_mm=(600.0, 429.0))
    tiles = [
        tile(*direction(angle, 60 + 1 + LENGTH / 2, hub.center_mm), angle, 12, n) for n, angle in ((6, 0.0), (7, 180))
    ]
    layout = reconstruct(view(tiles, hub=hub), SETUP)
    known = [Known(one, None) for one in view(tiles, hub=hub).tiles]
    middle = find_middle(view(tiles, hub=hub), known, SETUP, None, None)
    assert middle is not None and middle.center_mm == hub.center_mm
    assert train(layout, "Ann") == "12-6" and train(layout, "Ben") == "12-7"


def test_a_scratched_back_of_the_boneyard_is_no_hand() -> None:
    """It is taken for a face of which a blank is read at most; a hand that is laid open beside it has its own tiles."""
    setup = replace(SETUP, boneyard_spread=True)
    places = [(1150.0, 300.0 + 30.0 * n) for n in range(4)]
    backs = [back(x, y, 0.0) for x, y in places]
    first = reconstruct(view([*eastward([(12, 5)]), *backs]), setup)
    assert first.boneyard == 4 and not first.hands
    halves = SeenHalf(0, 0.97), SeenHalf(None, 0.4, ((1, 0.4),))
    scratched = replace(tile(*places[1], 0.0, 1, 1), halves=halves)
    lying = [*eastward([(12, 5)]), backs[0], scratched, *backs[2:]]
    second = reconstruct(view(lying), setup, first)
    assert second.boneyard == 4 and not second.hands
    opened = [tile(1150.0, 430.0 + 30.0 * n, 0.0, n, n + 1) for n in range(3)]
    third = reconstruct(view([*lying, *opened]), setup, second)
    assert third.boneyard == 4
    assert [len(tiles) for tiles in third.hands.values()] == [3]
