"""Whose arm did what: seats, votes, and which arm was over a place last before it changed."""

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.geometry import Layout, PlacedTile, TableSetup
from companion.geometry.diff import Observation
from companion.geometry.table_setup import Family
from companion.geometry.table_view import SeenHalf, SeenTile
from companion.perception.arm_pictures import MOST, ArmPictures
from companion.perception.arm_votes import CLEAR, as_decibans, counted_once, shares, vote
from companion.perception.attributing import Attribution, attribution_for
from companion.perception.reaches import Reach, Reaches, Unclear
from companion.perception.seats import body_mm, contradiction, seats_of, trouble_of
from companion.play.setup_file import setup_from_json
from companion.rules.actions import RIGHT
from companion.rules.notation import Drawing, Laying
from companion.rules.tile import Laid
from vision.arm_view import Arm
from vision.calibration import Calibration
from vision.frame import Frame

SIZE_MM, SCALE = (1200.0, 900.0), 0.5
W, H = 630, 480
CORNERS = [(15, 15), (615, 15), (615, 465), (15, 465)]
CALIBRATION = Calibration.from_corners(CORNERS, SIZE_MM, 0.001, None, (W, H))
SEATS = {"Ann": 90.0, "Ben": 180.0, "Cy": -90.0, "Dee": 0.0}
PLACE = (600.0, 500.0)
YARD = (1000.0, 700.0)


def px(place):
    return tuple(round(v * SCALE + 15) for v in place)


def picture(*, arms=(), tiles=(), n=0, tile_colour=(228, 228, 228)):
    """Arms are (shoulder, tip); tiles middles."""
    image = np.full((H, W, 3), (60, 110, 70), np.uint8)
    for x, y in tiles:
        cv2.rectangle(image, px((x - 24, y - 12)), px((x + 24, y + 12)), tile_colour, -1)
    for shoulder, tip in arms:
        cv2.line(image, px(shoulder), px(tip), (140, 170, 215), 40)
    return Frame(image, float(n), f"f{n}")


def arm_of(name, tip=PLACE, hand=170.0):
    """An arm from this seat."""
    bx, by = body_mm(SEATS[name], SIZE_MM)
    ux, uy = math.cos(math.radians(SEATS[name])), math.sin(math.radians(SEATS[name]))
    return (bx + hand * uy, by - hand * ux), tip


def film(*frames):
    reaches = Reaches()
    still = picture()
    reaches.see(still, CALIBRATION)
    reaches.still(still)
    for n, frame in enumerate(frames, 1):
        reaches.see(picture(**frame, n=n), CALIBRATION)
    return reaches


def best(decibans):
    return min(decibans, key=lambda name: decibans[name])


# ---- seats ---------------------------------------------------------------------------------------------------------


def test_who_was_not_asked_sits_behind_the_own_train():
    stations = {"Ann": 10.0, "Ben": 130.0, "Cy": 250.0}
    assert seats_of({}, stations, ("Ann", "Ben", "Cy")) == stations
    assert seats_of({"Ben": 90.0}, stations, ("Ann", "Ben", "Cy")) == {**stations, "Ben": 90.0}
    assert seats_of({"Ben": 90.0}, {}, ("Ann", "Ben")) == {"Ben": 90.0}


@pytest.mark.parametrize(
    ("seats", "says"),
    [
        ({"Ann": 90.0}, "Ben has none"),
        ({"Ann": 90.0, "Ben": 95.0}, "Ann and Ben sit in one place"),
        ({"Ann": -175.0, "Ben": 178.0}, "sit in one place"),
    ],
)
def test_seats_that_cannot_be_are_said_in_one_line_and_name_nobody(seats, says):
    line = trouble_of(seats, ("Ann", "Ben"))
    assert says in line and "\n" not in line
    attribution = Attribution(("Ann", "Ben"), seats)
    assert attribution.silent
    attribution.see(picture(), CALIBRATION)
    assert (
        attribution.seen(Observation((Drawing(1),)), Layout(), Layout(), (), TableSetup(Family.MEXICAN, ())).arms == {}
    )


def test_the_set_up_file_says_who_sits_where_and_can_turn_it_off():
    line = {
        "rules": "reeves", "set": "double-12", "players": ["Ann", "Ben"],
        "stations": {"Ann": 0, "Ben": 180}, "mexican_station": 90,
    }  # fmt: skip
    assert attribution_for(setup_from_json(line)).seats == {"Ann": 0.0, "Ben": 180.0}
    moved = setup_from_json({**line, "seats": {"Ben": 200}})
    assert attribution_for(moved).seats == {"Ann": 0.0, "Ben": 200.0}
    assert setup_from_json(moved.to_json()) == moved
    off = setup_from_json({**line, "watch_arms": False})
    assert attribution_for(off).silent and setup_from_json(off.to_json()) == off


# ---- no border -----------------------------------------------------------------------------------------------------


def cut_below(frame, px_less):
    """The same picture without its lowest rows: the table's border there is out of sight."""
    return Frame(np.ascontiguousarray(frame.image[: H - px_less]), frame.at, frame.name)


@pytest.mark.parametrize(("px_less", "hers"), [(0, "Ann"), (15, "Ann"), (35, None)])
def test_where_the_picture_ends_within_the_table_no_arm_names_anybody(px_less, hers):
    """15 px below the table; Ann sits there, Cy opposite."""
    calibration = Calibration.from_corners(CORNERS, SIZE_MM, 0.001, None, (W, H - px_less))
    said = {}
    for name in ("Ann", "Cy"):
        reaches = Reaches()
        still = cut_below(picture(), px_less)
        reaches.see(still, calibration)
        reaches.still(still)
        reaches.see(cut_below(picture(arms=[arm_of(name)], n=1), px_less), calibration)
        reaches.see(cut_below(picture(tiles=[PLACE], n=2), px_less), calibration)
        said[name] = vote(reaches.over(PLACE), SEATS, SIZE_MM)
    assert (said["Ann"].clear, said["Cy"].clear) == (hers, "Cy")
    assert hers or (said["Ann"].decibans == {} and said["Ann"].unclear is Unclear.NO_ENTRY)


# ---- votes ---------------------------------------------------------------------------------------------------------


def seen_arm(name, tip=PLACE, reach=400.0, clear=True):
    (sx, sy), (tx, ty) = arm_of(name, tip)
    axis = math.degrees(math.atan2(sy - ty, sx - tx))
    share = next(s for s in np.linspace(0, 1, 500) if not inside((tx + (sx - tx) * s, ty + (sy - ty) * s)))
    entry = (tx + (sx - tx) * share, ty + (sy - ty) * share)
    return Arm(entry, 90.0, axis, tip, reach, 30000.0, clear)


def inside(place):
    return 0 < place[0] < SIZE_MM[0] and 0 < place[1] < SIZE_MM[1]


@pytest.mark.parametrize("name", list(SEATS))
def test_an_arm_speaks_for_its_seat_and_excludes_nobody(name):
    found = shares([seen_arm(name)] * 3, SEATS, SIZE_MM)
    assert sum(found.values()) == pytest.approx(1.0)
    assert max(found, key=found.__getitem__) == name and found[name] > 0.9
    assert min(found.values()) > 0.005
    said = vote(Reach(((seen_arm(name),),)), SEATS, SIZE_MM)
    assert said.clear == name and said.decibans[name] == 0
    assert all(CLEAR <= cost <= 25 for other, cost in said.decibans.items() if other != name)


def test_of_a_hand_of_which_little_is_seen_less_is_said():
    whole, stump = (shares([seen_arm("Ann", reach=reach)], SEATS, SIZE_MM)["Ann"] for reach in (400.0, 100.0))
    assert 0.4 < stump < whole


def test_of_two_arms_over_a_place_it_was_one():
    both = Reach(((seen_arm("Ann"),), (seen_arm("Cy"),)), Unclear.SEVERAL)
    said = vote(both, SEATS, SIZE_MM)
    assert said.clear is None and said.unclear is Unclear.SEVERAL
    assert abs(said.decibans["Ann"] - said.decibans["Cy"]) <= 1 and said.decibans["Ben"] >= 8


def test_both_hands_of_one_player_name_this_player():
    (sx, sy), tip = arm_of("Ben", hand=-170.0)
    axis = math.degrees(math.atan2(sy - tip[1], sx - tip[0]))
    left = Arm((0.0, 380.0), 90.0, axis, tip, 500.0, 30000.0)
    assert vote(Reach(((seen_arm("Ben"),), (left,)), Unclear.SEVERAL), SEATS, SIZE_MM).clear == "Ben"


def test_between_two_seats_nobody_leads_by_much():
    near = {"Ann": 60.0, "Ben": 100.0, "Cy": -90.0}
    arm = Arm((600 + 450 * math.tan(math.radians(10)), 900.0), 90.0, 78.0, PLACE, 400.0, 30000.0)
    said = vote(Reach(((arm,),)), near, SIZE_MM)
    assert said.clear is None and said.unclear is Unclear.TORN
    assert said.decibans["Cy"] > max(said.decibans["Ann"], said.decibans["Ben"])


def test_one_look_at_an_arm_counts_once():
    arm, other = seen_arm("Ann"), seen_arm("Ben")
    row = [Laying(Laid(12, n), "Ann") for n in range(4)]
    votes = {change: vote(Reach(((arm,),)), SEATS, SIZE_MM) for change in row}
    votes[Drawing(1)] = vote(Reach(((other,),)), SEATS, SIZE_MM)
    found = counted_once(votes)
    whole = votes[row[0]].decibans["Cy"]
    assert whole <= sum(found[change]["Cy"] for change in row) <= whole + 4
    assert found[Drawing(1)] == votes[Drawing(1)].decibans


def test_decibans_are_relative_to_the_likeliest():
    assert as_decibans({"Ann": 0.9, "Ben": 0.09, "Cy": 0.01}) == {"Ann": 0, "Ben": 10, "Cy": 20}


# ---- which arm -----------------------------------------------------------------------------------------------------


def test_the_arm_that_laid_a_tile_is_found():
    reaches = film({"arms": [arm_of("Ann")]}, {"arms": [arm_of("Ann")], "tiles": [PLACE]}, {"tiles": [PLACE]})
    reach = reaches.over(PLACE)
    assert reach.unclear is None and len(reach.tracks) == 1 and len(reach.tracks[0]) == 2
    assert vote(reach, SEATS, SIZE_MM).clear == "Ann"


def test_who_reached_over_before_or_after_is_not_who_laid():
    reaches = film(
        {"arms": [arm_of("Cy")]},
        {},
        {"arms": [arm_of("Ann")]},
        {"tiles": [PLACE]},
        {"arms": [arm_of("Ben")], "tiles": [PLACE]},
        {"tiles": [PLACE]},
    )
    assert vote(reaches.over(PLACE), SEATS, SIZE_MM).clear == "Ann"


def test_a_tile_as_bright_as_the_table_was_not_there_before_the_arm():
    grey = (150, 110, 150)
    reaches = film(
        {},
        {},
        {},
        {"arms": [arm_of("Ann")]},
        {"arms": [arm_of("Ann")]},
        {"tiles": [PLACE], "tile_colour": grey},
        {"tiles": [PLACE], "tile_colour": grey},
    )
    assert vote(reaches.over(PLACE), SEATS, SIZE_MM).clear == "Ann"


def test_a_tile_nobody_was_seen_over_names_nobody():
    said = vote(film({}, {"tiles": [PLACE]}).over(PLACE), SEATS, SIZE_MM)
    assert said.decibans == {} and said.unclear is Unclear.NOBODY


def test_after_the_table_was_read_earlier_arms_are_forgotten():
    reaches = film({"arms": [arm_of("Ann")]})
    reaches.still(picture(n=9))
    assert reaches.over(PLACE).unclear is Unclear.NOBODY


def test_a_hand_that_comes_in_where_no_border_is_seen_names_nobody():
    hand = ((640.0, 560.0), PLACE)
    said = vote(film({}, {"arms": [hand]}, {"tiles": [PLACE]}).over(PLACE), SEATS, SIZE_MM)
    assert said.decibans == {} and said.unclear is Unclear.NO_ENTRY


def test_a_sleeve_that_crosses_what_another_hand_lays_did_not_lay_it():
    sleeve = ((760.0, 1200.0), (430.0, 130.0))
    laying = {"arms": [arm_of("Dee", (630.0, 500.0)), sleeve]}
    reaches = film({"arms": [arm_of("Dee", (630.0, 500.0))]}, laying, {"arms": [sleeve], "tiles": [PLACE]})
    assert vote(reaches.over(PLACE), SEATS, SIZE_MM).clear != "Ann"


def test_an_arm_that_touches_what_lies_there_already_did_not_lay_it():
    row = [(600.0, 500.0), (648.0, 500.0), (696.0, 500.0)]
    touching = (arm_of("Dee", (700.0, 500.0))[0], (735.0, 500.0))
    reaches = film(
        {"arms": [arm_of("Ann")]},
        {"arms": [touching], "tiles": row},
        {"arms": [touching], "tiles": row},
        {"tiles": row},
    )
    assert vote(reaches.over(PLACE), SEATS, SIZE_MM).clear == "Ann"


def test_what_lies_there_at_once_was_laid_by_the_arm_in_view():
    row = [(600.0, 500.0 + 30 * n) for n in range(9)]
    reaches = film({"arms": [arm_of("Cy")]}, {"arms": [arm_of("Cy")], "tiles": row}, {"tiles": row})
    assert vote(reaches.over(row[-1]), SEATS, SIZE_MM).clear == "Cy"


def test_a_hand_over_the_far_edge_comes_from_the_other_end():
    far = (60.0, 420.0)
    across = ((1500.0, 480.0), (-30.0, 420.0))
    reaches = film({"arms": [across], "tiles": []}, {"arms": [across], "tiles": [far]}, {"tiles": [far]})
    assert vote(reaches.over(far), SEATS, SIZE_MM).clear == "Dee"


def test_a_hand_over_the_edge_whose_sleeve_is_not_seen_names_nobody():
    yard = (40.0, 420.0)
    hand = ((-20.0, 420.0), (190.0, 430.0))
    said = vote(film({"arms": [hand], "tiles": [yard]}, {"tiles": [yard]}, {}).over(yard), SEATS, SIZE_MM)
    assert said.clear is None


# ---- the changes of a still table ----------------------------------------------------------------------------------


def placed(number, place, values=None):
    halves = None if values is None else (SeenHalf(values[0], 0.99), SeenHalf(values[1], 0.99))
    return PlacedTile(number, SeenTile(place, 0.0, 48.0, 24.0, values is not None, halves, 0.9))


def test_tiles_laid_and_drawn_get_their_arms():
    attribution = Attribution(tuple(SEATS), SEATS)
    yard = (1000.0, 700.0)
    still = picture(tiles=[yard])
    attribution.see(still, CALIBRATION)
    setup = TableSetup(Family.MEXICAN, tuple(SEATS))
    before = Layout(trains={"Ann": ()}, face_down=(placed(7, yard),))
    attribution.settled(still, (), before, setup)
    shots = [
        {"arms": [arm_of("Ben", yard)], "tiles": [yard]},
        {"arms": [arm_of("Ann")]},
        {"tiles": [PLACE]},
    ]
    for n, shot in enumerate(shots, 1):
        attribution.see(picture(**shot, n=n), CALIBRATION)
    after = Layout(trains={"Ann": (placed(8, PLACE, (12, 3)),)})
    laying = Laying(Laid(12, 3), "Ann")
    observation = Observation((laying, Drawing(1)), news=(8,))
    found = attribution.seen(observation, before, after, (), setup).arms
    assert best(found[laying]) == "Ann" and best(found[Drawing(1)]) == "Ben"
    assert attribution.votes[laying].clear == "Ann"
    attribution.settled(picture(tiles=[PLACE], n=5), (), after, setup)
    assert attribution.seen(observation, before, after, (), setup).arms == found, (
        "a change that was not taken keeps its arm"
    )
    attribution.see(picture(tiles=[PLACE], arms=[arm_of("Cy")], n=6), CALIBRATION)
    attribution.see(picture(tiles=[PLACE], n=7), CALIBRATION)
    assert attribution.seen(Observation(), before, before, (), setup).empty
    again = attribution.seen(observation, before, after, (), setup).arms
    assert again == found, "nor does it get the arm of whoever reached over it since"
    assert attribution.seen(Observation((Drawing(2),)), before, after, (), setup).arms == {}


def test_what_nobody_was_seen_to_lay_is_not_given_to_who_reaches_over_it_later():
    attribution = Attribution(tuple(SEATS), SEATS)
    setup, before = TableSetup(Family.MEXICAN, tuple(SEATS)), Layout(trains={"Ann": ()})
    attribution.see(picture(), CALIBRATION)
    attribution.settled(picture(), (), before, setup)
    attribution.see(picture(tiles=[PLACE], n=1), CALIBRATION)
    after = Layout(trains={"Ann": (placed(8, PLACE, (12, 3)),)})
    observation = Observation((Laying(Laid(12, 3), "Ann"),), news=(8,))
    assert attribution.seen(observation, before, after, (), setup).arms == {}
    attribution.settled(picture(tiles=[PLACE], n=1), (), after, setup)
    attribution.see(picture(tiles=[PLACE], arms=[arm_of("Cy")], n=2), CALIBRATION)
    assert attribution.seen(observation, before, after, (), setup).arms == {}


def test_a_tile_that_waits_for_one_not_read_keeps_the_arm_that_laid_it():
    attribution = Attribution(tuple(SEATS), SEATS)
    setup, before = TableSetup(Family.MEXICAN, tuple(SEATS)), Layout(trains={"Ann": ()})
    attribution.see(picture(), CALIBRATION)
    attribution.settled(picture(), (), before, setup)
    attribution.see(picture(arms=[arm_of("Ben")], n=1), CALIBRATION)
    attribution.see(picture(tiles=[PLACE], n=2), CALIBRATION)
    waiting = Layout(trains={"Ann": ()}, loose=(placed(8, PLACE, (12, 3)),))
    assert attribution.seen(Observation(), before, waiting, (), setup).arms == {}
    attribution.settled(picture(tiles=[PLACE], n=2), (), before, setup)
    attribution.see(picture(tiles=[PLACE], arms=[arm_of("Cy")], n=3), CALIBRATION)
    attribution.see(picture(tiles=[PLACE], n=4), CALIBRATION)
    after = Layout(trains={"Ann": (placed(8, PLACE, (12, 3)),)})
    observation = Observation((Laying(Laid(12, 3), "Ann"),), news=(8,))
    assert best(attribution.seen(observation, before, after, (), setup).arms[Laying(Laid(12, 3), "Ann")]) == "Ben"
    elsewhere = Layout(trains={"Ann": (placed(8, (300.0, 300.0), (12, 3)),)})
    assert attribution.seen(observation, before, elsewhere, (), setup).arms == {}, "another place has another arm"


def test_a_tile_laid_on_one_that_waits_has_an_arm_of_its_own():
    """In a wall the first is held back until the next one tells how the row goes on; both lie at one place then."""
    attribution = Attribution(tuple(SEATS), SEATS)
    setup, before = TableSetup(Family.CHINESE, tuple(SEATS)), Layout(line=(placed(1, (300.0, 400.0), (6, 1)),))
    attribution.see(picture(), CALIBRATION)
    attribution.settled(picture(), (), before, setup)
    attribution.see(picture(arms=[arm_of("Ann")], n=1), CALIBRATION)
    attribution.see(picture(tiles=[PLACE], n=2), CALIBRATION)
    waits = Layout(line=(*before.line, placed(2, PLACE, (1, 4))))
    first, second = Laying(Laid(1, 4), RIGHT), Laying(Laid(4, 6), RIGHT)
    assert attribution.seen(Observation((first,), news=(2,)), before, waits, (), setup).whose == {first: "Ann"}
    attribution.settled(picture(tiles=[PLACE], n=3), (), before, setup)
    attribution.see(picture(tiles=[PLACE], arms=[arm_of("Ben")], n=4), CALIBRATION)
    attribution.see(picture(tiles=[PLACE], tile_colour=(90, 90, 90), n=5), CALIBRATION)
    after = Layout(line=(*waits.line, placed(3, PLACE, (4, 6))), walls={3: 2})
    found = attribution.seen(Observation((first, second), news=(2, 3)), before, after, (), setup)
    assert found.whose == {first: "Ann", second: "Ben"}
    assert best(found.arms[first]) == "Ann" and best(found.arms[second]) == "Ben"


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


class Recorder:
    """A desk on which these plays are named."""

    def __init__(self, named):
        self.plays, self.asked = named, []

    def named(self):
        return self.plays

    def ask_about_seats(self, player, seat, frame):
        self.asked.append((player, seat, frame))


def test_seats_that_the_first_plays_contradict_are_asked_about_once():
    attribution = Attribution(tuple(SEATS), SEATS)
    fitting = Recorder([("Ann", "Ann")] * 5 + [("Ben", "Ben")] * 5 + [("Cy", "Dee")])
    attribution.compare(fitting, "f1")
    assert fitting.asked == [] and not attribution.silent
    swapped = Recorder([("Ann", "Ben")] * 4 + [("Ben", "Ann")] * 3)
    attribution.compare(swapped, "f2")
    attribution.compare(swapped, "f3")
    assert swapped.asked == [("Ann", "Ben", "f2")]
    assert attribution.silent and "Ann's arm comes from where Ben should sit" in attribution.trouble


@pytest.mark.parametrize(
    ("plays", "found"),
    [
        ([("Ann", "Ben")] * 3, None),
        ([("Ann", "Ben")] * 3 + [("Ann", "Ann")], ("Ann", "Ben")),
        ([("Ann", "Ben")] * 3 + [("Ann", "Ann")] * 2, None),
        ([("Ann", "Ben"), ("Ann", "Cy")] * 3, None),
    ],
)
def test_a_few_plays_from_elsewhere_contradict_nothing(plays, found):
    assert contradiction(plays) == found


def test_a_hand_in_the_boneyard_that_crosses_no_border_draws_and_is_nobodys():
    yard = (1000.0, 700.0)
    hand = {"arms": [((1000.0, 640.0), (980.0, 720.0))], "tiles": [yard]}
    reaches = film({"tiles": [yard]}, hand, hand, {"tiles": [yard]})
    (reach,) = reaches.reached([yard])
    assert reach.unclear is Unclear.NO_ENTRY and vote(reach, SEATS, SIZE_MM).decibans == {}
    assert list(reaches.reached([(300.0, 300.0)])) == []


def test_a_hand_in_the_tables_colour_is_in_the_boneyard_where_its_sleeve_points():
    short = arm_of("Ben", (870.0, 655.0))
    reaches = film({}, {"arms": [short]}, {})
    (reach,) = reaches.reached([YARD])
    assert best(vote(reach, SEATS, SIZE_MM).decibans) == "Ben"
    assert list(reaches.reached([YARD], [(1050.0, 700.0)])) == [], "it was on the way to a tile behind it"
    assert list(reaches.reached([YARD], [(860.0, 640.0)])) == [], "it was at work where it ends"


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
    laying = Laying(Laid(12, 3), "Ann")
    seen = attribution.seen(Observation((laying,), news=(8,)), before, after, (), setup)
    assert seen.whose == {laying: "Ann"}


def laid_by_ann():
    """Attribution after Ann has laid a tile, and what it was told."""
    attribution = Attribution(tuple(SEATS), SEATS)
    setup = TableSetup(Family.MEXICAN, tuple(SEATS))
    before = Layout(trains={"Ann": ()})
    attribution.see(picture(), CALIBRATION)
    attribution.settled(picture(), (), before, setup)
    for n, shot in enumerate([{"arms": [arm_of("Ann")]}, {"tiles": [PLACE]}], 1):
        attribution.see(picture(**shot, n=n), CALIBRATION)
    after = Layout(trains={"Ann": (placed(8, PLACE, (12, 3)),)})
    attribution.seen(Observation((Laying(Laid(12, 3), "Ann"),), news=(8,)), before, after, (), setup)
    return attribution, after, setup


def test_the_moment_of_the_arm_is_there_to_be_kept_until_the_table_is_read():
    attribution, after, setup = laid_by_ann()
    ((player, shown),) = attribution.pictures().items()
    assert player == "Ann" and shown.shape[1] == 400
    x, y = (round(v * 400 / W) for v in px(PLACE))
    assert shown[y, x, 2] > 180, "the hand lies over the place"
    attribution.settled(picture(tiles=[PLACE], n=3), (), after, setup)
    assert attribution.pictures() == {}


def test_no_picture_of_an_arm_is_there_where_arms_are_not_looked_at_or_pictures_deleted():
    attribution, _, _ = laid_by_ann()
    attribution.forget_pictures()
    assert attribution.pictures() == {} and attribution.votes
    attribution, _, _ = laid_by_ann()
    attribution.switch(False)
    assert attribution.pictures() == {}


def test_however_long_hands_are_over_the_table_few_pictures_of_them_are_held():
    kept = ArmPictures()
    for n in range(200):
        kept.see(picture(n=n))
    assert len(kept._kept) <= MOST
    assert kept.nearest("f0") is kept._kept[0][1] and kept.nearest("f199") is kept._kept[-1][1]
    assert kept.nearest("f500") is None


def test_switched_off_nothing_is_looked_at():
    attribution = Attribution(tuple(SEATS), SEATS, off=True)
    attribution.see(picture(arms=[arm_of("Ann")]), CALIBRATION)
    assert attribution.silent and attribution.trouble is None
