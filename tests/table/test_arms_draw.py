"""Draws that arms tell: who reached into the boneyard, spread out or in a pile."""

from dataclasses import replace

import pytest

from companion.geometry import Layout, TableSetup
from companion.geometry.diff import Observation
from companion.geometry.layout import Family
from companion.perception.arm_votes import UnclearArm, vote
from companion.perception.attributing import Attribution
from companion.rules.notation import Drawing
from companion.rules.position import Play
from companion.rules.tile import Laid
from tests.table.arms import CALIBRATION, PLACE, SEATS, SIZE_MM, YARD, arm_of, best, film, picture, placed


def test_a_draw_that_nobody_was_seen_to_make_is_not_given_to_who_drew_before():
    attribution = Attribution(tuple(SEATS), SEATS)
    yard = [(1000.0, 700.0), (1000.0, 640.0)]
    tables = [
        Layout(trains={"Ann": ()}, face_down=tuple(placed(n, place) for n, place in enumerate(yard[k:])))
        for k in range(3)
    ]
    setup = TableSetup(Family.MEXICAN, tuple(SEATS))
    attribution.see(picture(tiles=yard), CALIBRATION)
    attribution.settled(picture(tiles=yard), (), tables[0], setup)
    attribution.see(picture(arms=[arm_of("Ben", yard[0])], tiles=yard, n=1), CALIBRATION)
    attribution.see(picture(tiles=yard[1:], n=2), CALIBRATION)
    first = attribution.seen(Observation((Drawing(1),)), tables[0], tables[1], (), setup)
    assert best(first.arms[Drawing(1)]) == "Ben"
    attribution.settled(picture(tiles=yard[1:], n=2), (), tables[1], setup)
    attribution.see(picture(n=3), CALIBRATION)
    assert attribution.seen(Observation((Drawing(1),)), tables[1], tables[2], (), setup).arms == {}


@pytest.mark.parametrize(("arm", "count"), [(arm_of("Ben", (1000.0, 700.0)), 1), (arm_of("Ben"), 0)])
def test_who_reaches_into_a_stacked_boneyard_draws(arm, count):
    attribution = Attribution(tuple(SEATS), SEATS, draws_reached=True)
    yard = (1000.0, 700.0)
    setup = TableSetup(Family.MEXICAN, tuple(SEATS), boneyard_spread=False)
    table = Layout(trains={"Ann": ()}, face_down=(placed(7, yard),))
    attribution.see(picture(tiles=[yard]), CALIBRATION)
    attribution.settled(picture(tiles=[yard]), (), table, setup)
    attribution.see(picture(arms=[arm], tiles=[yard], n=1), CALIBRATION)
    attribution.see(picture(tiles=[yard], n=2), CALIBRATION)
    seen = attribution.seen(Observation(), table, table, (), setup)
    assert seen.delta == (Drawing(1),) * count
    assert [best(seen.arms[change]) for change in seen.delta] == ["Ben"] * count
    counted = replace(table, boneyard=1)
    assert attribution.seen(Observation(), counted, counted, (), setup).empty


@pytest.mark.parametrize(
    ("things", "count"),
    [([YARD], 1), ([], 0), ([YARD, (200.0, 200.0)], 0), ([YARD, (610.0, 380.0)], 1), ([(610.0, 380.0)], 0)],
)
def test_a_pile_in_which_no_back_is_recognised_is_the_one_thing_that_lies_by_itself(things, count):
    attribution = Attribution(tuple(SEATS), SEATS, draws_reached=True)
    setup = TableSetup(Family.MEXICAN, tuple(SEATS), boneyard_spread=False)
    table = Layout(trains={"Ann": (placed(7, (600.0, 400.0), (12, 3)),)})
    attribution.noticed(things)
    attribution.see(picture(), CALIBRATION)
    attribution.settled(picture(), (), table, setup)
    attribution.see(picture(arms=[arm_of("Ben", YARD)], n=1), CALIBRATION)
    attribution.see(picture(n=2), CALIBRATION)
    assert attribution.seen(Observation(), table, table, (), setup).delta == (Drawing(1),) * count
    attribution.noticed([])
    assert attribution.seen(Observation(), table, table, (), setup).delta == (Drawing(1),) * count, "overlooked once"


def test_a_draw_waits_with_the_change_that_it_was_seen_with():
    attribution = Attribution(tuple(SEATS), SEATS, draws_reached=True)
    setup = TableSetup(Family.MEXICAN, tuple(SEATS), boneyard_spread=False)
    table = Layout(trains={"Ann": ()}, face_down=(placed(7, YARD),))

    def look(*arms):
        for n, shot in enumerate(({"arms": arms}, {})):
            attribution.see(picture(**shot, tiles=[YARD], n=attribution_frames + n), CALIBRATION)
        return attribution.seen(Observation(), table, table, (), setup).delta

    attribution_frames = 1
    attribution.see(picture(tiles=[YARD]), CALIBRATION)
    attribution.settled(picture(tiles=[YARD]), (), table, setup)
    assert look(arm_of("Ben", YARD)) == (Drawing(1),)
    assert attribution.seen(Observation(), table, table, (), setup).delta == (Drawing(1),), "the same arm"
    attribution.settled(picture(tiles=[YARD]), (), table, setup)
    attribution_frames = 10
    assert look(arm_of("Dee", YARD)) == (Drawing(2),), "nobody took the first"
    attribution.taken()
    attribution.settled(picture(tiles=[YARD]), (), table, setup)
    attribution_frames = 20
    assert look() == ()


def test_a_hand_in_the_boneyard_that_crosses_no_border_draws_and_is_nobodys():
    yard = (1000.0, 700.0)
    hand = {"arms": [((1000.0, 640.0), (980.0, 720.0))], "tiles": [yard]}
    reaches = film({"tiles": [yard]}, hand, hand, {"tiles": [yard]})
    (reach,) = reaches.reached([yard])
    assert reach.unclear is UnclearArm.NO_ENTRY and vote(reach, SEATS, SIZE_MM).decibans == {}
    assert list(reaches.reached([(300.0, 300.0)])) == []


def test_a_hand_in_the_tables_colour_is_in_the_boneyard_where_its_sleeve_points():
    short = arm_of("Ben", (870.0, 655.0))
    reaches = film({}, {"arms": [short]}, {})
    (reach,) = reaches.reached([YARD])
    assert best(vote(reach, SEATS, SIZE_MM).decibans) == "Ben"
    assert list(reaches.reached([YARD], [(1050.0, 700.0)])) == [], "it was on the way to a tile behind it"
    assert list(reaches.reached([YARD], [(860.0, 640.0)])) == [], "it was at work where it ends"


def test_a_sleeve_in_the_tables_colour_that_crosses_the_boneyard_takes_nothing_from_it():
    """It is seen over the boneyard alone, and its hand far beyond."""
    pile = (160.0, 600.0)
    sleeve, hand = arm_of("Ben", pile), ((560.0, 480.0), (640.0, 440.0))
    for arms, draws in (([sleeve], 1), ([sleeve, hand], 0)):
        reaches = film({}, {"arms": arms}, {"arms": [sleeve]}, {})
        assert len(list(reaches.reached([pile]))) == draws


def test_an_arm_in_the_boneyard_that_is_not_clear_draws_and_is_nobodys():
    # Along the border, of which it takes more than a quarter.
    arm = ((-100.0, 20.0), (1120.0, 40.0))
    reaches = film({}, {"arms": [arm]}, {})
    (reach,) = reaches.reached([(1150.0, 60.0)])
    assert reach.unclear is not None and vote(reach, SEATS, SIZE_MM).decibans == {}


def test_who_lays_a_tile_beside_the_boneyard_or_reaches_with_both_hands_draws_no_more_for_it():
    beside = (948.0, 690.0)
    reaches = film({}, {"arms": [arm_of("Ben", beside)]}, {"tiles": [beside]})
    assert len(list(reaches.reached([YARD]))) == 1
    assert list(reaches.reached([YARD], [beside])) == []
    left, right = arm_of("Dee", (1010.0, 690.0)), ((1460.0, 720.0), (990.0, 705.0))
    reaches = film({}, {"arms": [left]}, {"arms": [left, right]}, {})
    assert len(list(reaches.reached([YARD]))) == 1


def test_begun_anew_an_arm_is_seen_as_soon_as_the_table_was_read_once():
    attribution = Attribution(tuple(SEATS), SEATS)
    setup, before = TableSetup(Family.MEXICAN, tuple(SEATS)), Layout(trains={"Ann": ()})
    attribution.see(picture(arms=[arm_of("Ben")]), CALIBRATION)
    attribution.see(picture(n=1), CALIBRATION)
    attribution.settled(picture(n=1), (), before, setup)
    for n, shot in enumerate([{"arms": [arm_of("Ann")]}, {"tiles": [PLACE]}], 2):
        attribution.see(picture(**shot, n=n), CALIBRATION)
    after = Layout(trains={"Ann": (placed(8, PLACE, (12, 3)),)})
    laying = Play(Laid(12, 3), "Ann")
    seen = attribution.seen(Observation((laying,), news=(8,)), before, after, (), setup)
    assert seen.whose == {laying: "Ann"}
