"""Arms at the table: their seats, their votes, and the last arm over a place before it changed."""

import math

import numpy as np
import pytest

from companion.geometry import Layout, TableSetup
from companion.geometry.diff import Observation
from companion.geometry.layout import Family
from companion.perception.arm_votes import (
    CLEAR,
    Reach,
    Reaches,
    UnclearArm,
    as_decibans,
    contradiction,
    counted_once,
    seats_of,
    shares,
    trouble_of,
    vote,
)
from companion.perception.attributing import MOST, ArmPictures, Attribution, attribution_for
from companion.perception.setup_file import setup_from_json
from companion.rules.notation import Drawing
from companion.rules.position import RIGHT, Play
from companion.rules.tile import Laid
from tests.table.arms import (
    CALIBRATION,
    CORNERS,
    PLACE,
    SEATS,
    SIZE_MM,
    H,
    W,
    arm_of,
    best,
    film,
    picture,
    placed,
    px,
    seen_arm,
)
from vision.arm_view import Arm
from vision.calibration import Calibration
from vision.frame import Frame

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
    assert hers or (said["Ann"].decibans == {} and said["Ann"].unclear is UnclearArm.NO_ENTRY)


# ---- votes ---------------------------------------------------------------------------------------------------------


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
    both = Reach(((seen_arm("Ann"),), (seen_arm("Cy"),)), UnclearArm.SEVERAL)
    said = vote(both, SEATS, SIZE_MM)
    assert said.clear is None and said.unclear is UnclearArm.SEVERAL
    assert abs(said.decibans["Ann"] - said.decibans["Cy"]) <= 1 and said.decibans["Ben"] >= 8


def test_both_hands_of_one_player_name_this_player():
    (sx, sy), tip = arm_of("Ben", hand=-170.0)
    axis = math.degrees(math.atan2(sy - tip[1], sx - tip[0]))
    left = Arm((0.0, 380.0), 90.0, axis, tip, 500.0, 30000.0)
    assert vote(Reach(((seen_arm("Ben"),), (left,)), UnclearArm.SEVERAL), SEATS, SIZE_MM).clear == "Ben"


def test_between_two_seats_nobody_leads_by_much():
    near = {"Ann": 60.0, "Ben": 100.0, "Cy": -90.0}
    arm = Arm((600 + 450 * math.tan(math.radians(10)), 900.0), 90.0, 78.0, PLACE, 400.0, 30000.0)
    said = vote(Reach(((arm,),)), near, SIZE_MM)
    assert said.clear is None and said.unclear is UnclearArm.TORN
    assert said.decibans["Cy"] > max(said.decibans["Ann"], said.decibans["Ben"])


def test_one_look_at_an_arm_counts_once():
    arm, other = seen_arm("Ann"), seen_arm("Ben")
    row = [Play(Laid(12, n), "Ann") for n in range(4)]
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
    assert said.decibans == {} and said.unclear is UnclearArm.NOBODY


def test_after_the_table_was_read_earlier_arms_are_forgotten():
    reaches = film({"arms": [arm_of("Ann")]})
    reaches.still(picture(n=9))
    assert reaches.over(PLACE).unclear is UnclearArm.NOBODY


def test_a_hand_that_comes_in_where_no_border_is_seen_names_nobody():
    hand = ((640.0, 560.0), PLACE)
    said = vote(film({}, {"arms": [hand]}, {"tiles": [PLACE]}).over(PLACE), SEATS, SIZE_MM)
    assert said.decibans == {} and said.unclear is UnclearArm.NO_ENTRY


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
    laying = Play(Laid(12, 3), "Ann")
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
    observation = Observation((Play(Laid(12, 3), "Ann"),), news=(8,))
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
    observation = Observation((Play(Laid(12, 3), "Ann"),), news=(8,))
    assert best(attribution.seen(observation, before, after, (), setup).arms[Play(Laid(12, 3), "Ann")]) == "Ben"
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
    first, second = Play(Laid(1, 4), RIGHT), Play(Laid(4, 6), RIGHT)
    assert attribution.seen(Observation((first,), news=(2,)), before, waits, (), setup).whose == {first: "Ann"}
    attribution.settled(picture(tiles=[PLACE], n=3), (), before, setup)
    attribution.see(picture(tiles=[PLACE], arms=[arm_of("Ben")], n=4), CALIBRATION)
    attribution.see(picture(tiles=[PLACE], tile_colour=(90, 90, 90), n=5), CALIBRATION)
    after = Layout(line=(*waits.line, placed(3, PLACE, (4, 6))), walls={3: 2})
    found = attribution.seen(Observation((first, second), news=(2, 3)), before, after, (), setup)
    assert found.whose == {first: "Ann", second: "Ben"}
    assert best(found.arms[first]) == "Ann" and best(found.arms[second]) == "Ben"


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
    attribution.seen(Observation((Play(Laid(12, 3), "Ann"),), news=(8,)), before, after, (), setup)
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
