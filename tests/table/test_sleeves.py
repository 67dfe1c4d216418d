"""Sleeves of one round: they tell between seats that an arm leaves open, and are forgotten."""

import math
from dataclasses import replace

import pytest

from companion.perception.arm_votes import CLEAR, LEAST_SEEN, MOST_SEEN, Reach, Sleeves, colour_of, vote
from companion.perception.attributing import Attribution
from tests.table.arms import CALIBRATION, SEATS, SIZE_MM, picture, seen_arm
from vision.arm_view import Arm

RED, BLUE = (-120.0, -110.0, 20.0), (30.0, -90.0, -110.0)
CLOSE = {"Ann": 90.0, "Ben": 62.0, "Cy": -90.0}
"""Two who sit elbow to elbow."""


def between() -> Arm:
    """An arm that comes in between Ann and Ben."""
    (ex, ey), angle = (760.0, 900.0), math.radians(76.0)
    tip = (ex - 400 * math.cos(angle), ey - 400 * math.sin(angle))
    return Arm((ex, ey), 90.0, 76.0, tip, 400.0, 30000.0)


def wearing(arm: Arm, colour: tuple[float, float, float] | None) -> Arm:
    return replace(arm, sleeve=colour)


def known(looks: int = LEAST_SEEN, **worn: tuple[float, float, float]) -> Sleeves:
    sleeves = Sleeves()
    for player, colour in worn.items():
        for n in range(looks):
            sleeves.learn(player, (replace(wearing(seen_arm("Ann"), colour), span_mm=80.0 + n),))
    return sleeves


def said(colour: tuple[float, float, float] | None, sleeves: Sleeves | None) -> dict[str, int]:
    return dict(vote(Reach(((wearing(between(), colour),),)), CLOSE, SIZE_MM, sleeves).decibans)


@pytest.mark.parametrize(("colour", "player", "other"), [(RED, "Ann", "Ben"), (BLUE, "Ben", "Ann")])
def test_a_sleeve_tells_between_two_seats_that_the_arm_leaves_open(colour, player, other):
    assert max(said(colour, None)[name] for name in ("Ann", "Ben")) < CLEAR, "else nothing is open here"
    found = said(colour, known(Ann=RED, Ben=BLUE))
    assert found[player] == 0 and found[other] >= said(colour, None)[other] + 3 - said(colour, None)[player]


def test_an_arm_that_lays_several_tiles_is_one_look_at_a_sleeve():
    sleeves = Sleeves()
    for player, colour in (("Ann", RED), ("Ben", BLUE)):
        for _ in range(2 * LEAST_SEEN):
            sleeves.learn(player, (wearing(seen_arm("Ann"), colour),))
    assert said(RED, sleeves) == said(RED, None)


def test_a_sleeve_makes_no_arm_clear_and_says_at_most_seven_decibans():
    bare = said(RED, None)
    one = vote(Reach(((wearing(between(), RED),),)), CLOSE, SIZE_MM, known(looks=MOST_SEEN, Ann=RED, Ben=BLUE))
    assert one.clear is None and one.unclear is not None
    assert (one.decibans["Ben"] - one.decibans["Ann"]) - (bare["Ben"] - bare["Ann"]) <= 7


def test_a_sleeve_never_speaks_against_a_clear_seat():
    arm = wearing(seen_arm("Ann"), BLUE)
    clear = Reach(((arm,),))
    assert vote(clear, SEATS, SIZE_MM, known(Ann=RED, Ben=BLUE)) == vote(clear, SEATS, SIZE_MM)


@pytest.mark.parametrize(
    ("colour", "sleeves"),
    [
        (None, known(Ann=RED, Ben=BLUE)),
        (RED, known(Ann=RED)),
        (RED, known(looks=LEAST_SEEN - 1, Ann=RED, Ben=BLUE)),
        (RED, known(Ann=RED, Ben=RED)),
        ((0.0, 200.0, 0.0), known(Ann=RED, Ben=BLUE)),
    ],
    ids=["no sleeve is seen", "one of them is not known", "seen too seldom", "both wear the same", "a stranger's"],
)
def test_where_colours_cannot_tell_the_arm_says_what_it_said(colour, sleeves):
    assert said(colour, sleeves) == said(colour, None)


def test_others_than_the_two_stay_as_unlikely_as_they_were():
    bare, worn = said(RED, None), said(RED, known(Ann=RED, Ben=BLUE, Cy=RED))
    assert bare["Cy"] >= CLEAR and worn["Cy"] >= CLEAR


def test_only_clear_arms_teach_what_somebody_wears():
    sleeves = Sleeves()
    for _ in range(LEAST_SEEN):
        vote(Reach(((wearing(between(), RED),),)), CLOSE, SIZE_MM, sleeves)
    assert sleeves == Sleeves()
    vote(Reach(((wearing(seen_arm("Cy"), BLUE),),)), SEATS, SIZE_MM, sleeves)
    assert sleeves != Sleeves()


def test_the_colour_of_an_arm_is_the_middle_of_its_frames():
    track = [wearing(between(), colour) for colour in (RED, None, RED, (200.0, 200.0, 200.0))]
    assert colour_of(track) == RED and colour_of(track[1:2]) is None


@pytest.mark.parametrize("forget", [Attribution.forget, lambda one: one.switch(False)], ids=["round", "switch"])
def test_what_they_wear_is_forgotten_with_the_round_and_by_the_switch(forget):
    one = Attribution(tuple(SEATS), SEATS)
    one.see(picture(), CALIBRATION)
    one._sleeves.learn("Ann", (wearing(seen_arm("Ann"), RED),))
    forget(one)
    assert one._sleeves == Sleeves()
