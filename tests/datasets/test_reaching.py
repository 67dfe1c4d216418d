"""Every arm at the simulated table comes from a seat, goes where its player's act is, and its truth is known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bench.stand_ins.sketch import SKIN, sketched
from companion.rules.position import Draw, Play
from datasets.simulator.arm_sprite import ArmSprite
from datasets.simulator.camera import SimCamera, SimSettings
from datasets.simulator.plan import TablePlan
from datasets.simulator.reaching import CONFUSING, ArmTruth, Reach, Reaching, shoulder_mm
from datasets.simulator.room import BlankFilm
from datasets.simulator.script import Troubles
from datasets.simulator.tabletop import TableTop

QUIET = SimSettings(troubles=Troubles.none(), show_hands=False)


def played(rules: str, players: int, seed: int = 3, **changes: object) -> SimCamera:
    settings = replace(QUIET, rules=rules, players=players, **changes)  # type: ignore[arg-type]
    camera = SimCamera(seed, settings, BlankFilm)
    assert all(True for _ in camera)
    return camera


def off_deg(camera: SimCamera, arm: ArmTruth) -> float:
    """By how much the shoulder's direction from the middle differs from the seat's."""
    (cx, cy), (x, y) = camera.plan.center_mm, arm.arm.shoulder_mm
    return abs((math.degrees(math.atan2(y - cy, x - cx)) - arm.seat_deg + 180.0) % 360.0 - 180.0)


@pytest.mark.parametrize(
    ("rules", "players"), [("tactic", 2), ("reeves", 5), ("cz", 8), ("poltava", 4), ("jielong", 3), ("kkori", 4)]
)
def test_arms_come_from_their_players_seats(rules: str, players: int) -> None:
    camera = played(rules, players)
    arms = [arm for filmed in camera.truth for arm in filmed.arms]
    assert len(arms) > 100 and not any(arm.confusing for arm in arms)
    assert all(arm.owner == arm.acts_for and off_deg(camera, arm) < 40.0 for arm in arms)
    assert {arm.owner for arm in arms} == set(camera.plan.players)
    assert all(arm.seat_deg == camera.plan.seats[str(arm.owner)] for arm in arms)


def test_the_hand_is_where_the_tile_is_laid_when_it_is_first_seen() -> None:
    camera = played("reeves", 4)
    table = camera.table
    places = {tile.laid: tile.center_mm for train in table.trains.values() for tile in train}
    seen = 0
    for filmed in camera.truth:
        plays = [act for _, act in filmed.scene.plays if isinstance(act, Play)]
        tips = {arm.arm.tip_mm for arm in filmed.arms}
        if len(plays) == 1 and len(filmed.scene.acts) == 1:
            assert places[plays[0].tile] in tips
            seen += 1
    assert seen > 10


@pytest.mark.parametrize("spread", [True, False])
def test_a_draw_is_an_arm_into_the_boneyard(spread: bool) -> None:
    camera = played("reeves", 3, boneyard_spread=spread)
    start = camera.table.copy()
    start.set_up(camera.round.engine, len(camera.round.start.hands) * 30)
    draws = [
        filmed
        for filmed in camera.truth
        if any(isinstance(act, Draw) for _, act in filmed.scene.acts) and len(dict(filmed.scene.acts)) == 1
    ]
    assert len(draws) > 3
    (w, h), edge = camera.plan.size_mm, 330.0
    for filmed in draws:
        x, y = filmed.arms[0].arm.tip_mm
        assert (x < edge and y < edge) or (x > w - edge and y > h - edge)


def test_one_motion_of_two_players_shows_the_arms_of_both() -> None:
    camera = played("tactic", 3, troubles=replace(Troubles.none(), two_turns=0.6))
    both = [
        filmed
        for filmed in camera.truth
        if len({player for player, act in filmed.scene.acts if isinstance(act, Play)}) == 2
    ]
    assert both
    for filmed in both:
        assert {arm.acts_for for arm in filmed.arms} == {player for player, _ in filmed.scene.acts}


def test_a_share_of_confusing_arms_is_planted_and_told() -> None:
    camera = played("reeves", 4, reaching=Reaching(confusing=0.5))
    kinds = {arm.reach for filmed in camera.truth for arm in filmed.arms}
    assert set(CONFUSING) <= kinds
    arms = [arm for filmed in camera.truth for arm in filmed.arms]
    for arm in arms:
        if arm.reach is Reach.NEIGHBOUR:
            assert arm.owner not in (None, arm.acts_for)
        elif arm.reach is Reach.FOR_A_CHILD:
            assert arm.owner is None and arm.acts_for is not None
        elif arm.reach is Reach.ASIDE:
            assert off_deg(camera, arm) > 15.0
        elif arm.reach is Reach.NO_ENTRY:
            assert arm.arm.length_mm is not None and arm.arm.length_mm < 300.0
    share = sum(filmed.arms[0].confusing for filmed in camera.truth if filmed.arms) / len(camera.truth)
    assert 0.35 < share < 0.65


def test_whatever_arms_are_asked_for_the_game_is_the_same() -> None:
    cameras = [
        played("poltava", 4, **changes)
        for changes in ({}, {"reaching": Reaching(confusing=1.0)}, {"arms": False}, {"hand_frames": 0})
    ]
    plays = [[filmed.scene.plays for filmed in camera.truth] for camera in cameras]
    assert all(other == plays[0] for other in plays)
    tiles = [[tile.center_mm for tile in camera.table.all_tiles()] for camera in cameras]
    assert all(other == tiles[0] for other in tiles)
    assert not any(filmed.arms for filmed in cameras[2].truth)


@pytest.mark.parametrize(("angle", "right"), [(90.0, (1, 0)), (0.0, (0, -1)), (-90.0, (-1, 0)), (180.0, (0, 1))])
def test_the_right_shoulder_is_on_the_right(angle: float, right: tuple[int, int]) -> None:
    """Somebody at the bottom edge of the picture (90 degrees, y grows downwards) has the right arm to the right."""
    plan = TablePlan(("Ann",))
    a, b = shoulder_mm(plan, angle), shoulder_mm(plan, angle, left=True)
    assert ((a[0] - b[0]) * right[0] + (a[1] - b[1]) * right[1]) == pytest.approx(340.0)
    near = shoulder_mm(plan, angle, forward_mm=200.0)
    assert math.dist(near, plan.center_mm) < math.dist(a, plan.center_mm)


def test_people_may_sit_elsewhere_than_behind_their_trains() -> None:
    plan = TablePlan(("Ann", "Ben"), stations={"Ann": 0.0, "Ben": 90.0, "MX": 180.0})
    assert plan.seat_deg == {"Ann": 0.0, "Ben": 90.0}
    assert replace(plan, sitting_deg={"Ann": 30.0, "Ben": 100.0}).seat_deg == {"Ann": 30.0, "Ben": 100.0}


def sprite() -> ArmSprite:
    alpha = np.zeros((80, 200), np.float32)
    alpha[30:50, :150] = 1.0
    image = np.full((80, 200, 3), 200, np.uint8)
    return ArmSprite(image, alpha, (150.0, 40.0))


@pytest.mark.parametrize("angle_deg", [0, 90, 180, -90])
def test_an_arm_is_turned_about_its_tips(angle_deg: int) -> None:
    empty = np.zeros((300, 300, 3), np.uint8)
    shown = sprite().over(empty, (150.0, 150.0), math.radians(angle_deg))
    ys, xs = np.nonzero(shown.any(axis=2))
    back = (-round(math.cos(math.radians(angle_deg))), -round(math.sin(math.radians(angle_deg))))
    middle = (float(xs.mean() - 150.0), float(ys.mean() - 150.0))
    assert middle[0] * back[0] + middle[1] * back[1] == pytest.approx(75.0, abs=3.0)
    assert not empty.any(), "the picture itself is not drawn on"


@pytest.mark.parametrize("angle_deg", [0, 37, 180])
@pytest.mark.parametrize("length_px", [None, 60.0])
def test_a_trimmed_arm_is_drawn_as_before(angle_deg: int, length_px: float | None) -> None:
    ground = np.random.default_rng(3).integers(0, 255, (300, 300, 3), np.uint8)
    whole, trimmed = sprite(), sprite().trimmed()
    assert trimmed.alpha.size < whole.alpha.size / 2
    shown = [arm.over(ground, (150.0, 150.0), math.radians(angle_deg), length_px=length_px) for arm in (whole, trimmed)]
    assert (shown[0] != ground).any() and int(np.abs(shown[0].astype(int) - shown[1]).max()) <= 1


def test_a_lengthened_arm_reaches_across_the_whole_picture() -> None:
    empty = np.zeros((300, 300, 3), np.uint8)
    short, long = (arm.over(empty, (280.0, 150.0), 0.0) for arm in (sprite(), sprite().lengthened(200)))
    assert np.nonzero(short.any(axis=2))[1].min() > 100
    assert np.nonzero(long.any(axis=2))[1].min() == 0
    assert (long[:, 140:] == short[:, 140:]).all()


class Developed(BlankFilm):
    """Notes how many tiles lie on each table that is developed."""

    def develop(self, table: TableTop) -> None:
        self.tiles = [*getattr(self, "tiles", []), sum(len(row) for row in table.trains.values())]
        super().develop(table)


def test_between_two_players_acts_what_the_first_laid_lies_there() -> None:
    troubles = replace(Troubles.none(), two_turns=1.0)
    camera = SimCamera(3, replace(QUIET, rules="tactic", players=2, troubles=troubles), Developed)
    assert all(True for _ in camera)
    laid = [[player for player, act in one.scene.plays if isinstance(act, Play)] for one in camera.truth]
    assert any(len(set(players)) == 2 for players in laid)
    lying, expected = camera.film.tiles[0], [camera.film.tiles[0]]  # type: ignore[attr-defined]
    for one, players in zip(camera.truth, laid, strict=True):
        acting = list(dict.fromkeys(player for player, _ in one.scene.acts))
        for player in acting if len(acting) == 2 else [None]:
            lying += sum(player in (None, name) for name in players)
            expected.append(lying)
    assert camera.film.tiles == expected  # type: ignore[attr-defined]


def test_an_arm_seen_in_part_ends_before_the_border() -> None:
    empty = np.zeros((300, 300, 3), np.uint8)
    shown = sprite().over(empty, (150.0, 150.0), 0.0, length_px=60.0)
    xs = np.nonzero(shown.any(axis=2))[1]
    assert 80 < xs.min() < 110 and xs.max() > 140


def test_an_arm_that_is_nowhere_in_the_picture_changes_nothing() -> None:
    empty = np.zeros((100, 100, 3), np.uint8)
    assert not sprite().over(empty, (-300.0, -300.0), 0.0).any()


def test_sketched_arms_enter_the_picture_on_their_side_of_the_table() -> None:
    camera = sketched(5, replace(QUIET, rules="tactic", players=2, most_scenes=6))
    sides = 0
    while (frame := camera.read()) is not None:
        arms = [arm for arm in camera._arms if arm.frame == frame.name]
        if len(arms) == 1 and not arms[0].arm.look.as_table:
            skin = np.abs(frame.image.astype(int) - SKIN).max(axis=2) < 60
            ys, xs = np.nonzero(skin)
            h, w = skin.shape
            (cx, cy), (x, y) = camera.plan.center_mm, arms[0].arm.shoulder_mm
            assert (xs.mean() - w / 2) * (x - cx) + (ys.mean() - h / 2) * (y - cy) > 0
            sides += 1
    assert sides > 5
