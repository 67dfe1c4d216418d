"""When a table is still: hands, tiles, lamps, shadows and bumps over a drawn table."""

from functools import cache

import cv2
import numpy as np
import pytest

from tests.lanes import nightly
from vision.frame import Frame
from vision.settle import RESTING_HAND_FRAMES, Settler, TableState

W, H = 960, 720


@cache
def cloth():
    return cv2.GaussianBlur(np.random.default_rng(1).normal(110, 40, (H, W, 3)), (0, 0), 1.2).astype(np.float32)


@cache
def noises():
    return np.random.default_rng(2).normal(0, 2, (5, H, W, 3)).astype(np.float32)


def table(tiles=(), light=1.0, shadow=None, hand=None, shift=(0, 0), noise=None, across=None, aside=None):
    """A BGR picture: ivory tiles (x, y, degrees) on cloth, a soft shadow at x, an arm reaching in to (x, y), another
    one from the left to `across`, and at x = `aside` a black tile face down whose shadow reaches the lower edge."""
    image = cloth().copy()
    if aside is not None:
        image[H - 95 :, aside - 12 : aside + 24] *= 0.55
        image[H - 95 : H - 45, aside - 14 : aside + 14] = 14
    for x, y, turn in tiles:
        outline = cv2.boxPoints(((x, y), (44, 22), turn)).astype(np.int32)
        cv2.fillPoly(image, [outline], (205, 215, 220))
        cv2.circle(image, (x, y), 3, (20, 20, 20), -1)
    if shadow is not None:
        image *= (1 - 0.35 * np.exp(-(((np.arange(W) - shadow) / 130.0) ** 2)))[None, :, None]
    if hand is not None:
        x, y = hand
        cv2.line(image, (x + 90, H + 20), (x, y), (120, 150, 200), 70)
        cv2.circle(image, (x, y), 48, (125, 155, 205), -1)
    if across is not None:
        cv2.line(image, (-20, across[1] + 40), across, (150, 170, 215), 60)
    if shift != (0, 0):
        image = np.roll(image, shift, (1, 0))
    if light != 1.0:
        image *= light
    return cv2.add(image, noises()[(noise or 0) % 5], dtype=cv2.CV_8U)  # ends at 0 and 255


@pytest.fixture
def watched():
    """A settler that has read the empty table, and a function that shows it frames and returns the answers."""
    settler = Settler()
    count = iter(range(10**6))

    def show(times=1, **what):
        answers = []
        for _ in range(times):
            n = next(count)
            answers.append(settler.see(Frame(table(**what, noise=n), float(n), str(n))))
        return answers

    first = show(4)
    assert first[-1].should_read and first[-1].regions == ((0, 0, W, H),)
    settler.done()
    return settler, show


def covers(regions, x, y):
    return any(x0 < x < x1 and y0 < y < y1 for x0, y0, x1, y1 in regions)


def test_an_empty_table_stays_read(watched):
    _, show = watched
    assert {a.state for a in show(20)} == {TableState.READ}


def test_a_hand_lays_a_tile_and_only_its_surroundings_are_read(watched):
    settler, show = watched
    moving = [a for x in range(5) for a in show(hand=(300 + 20 * x, 600 - 60 * x))]
    assert {a.state for a in moving} == {TableState.HAND}
    assert not any(a.should_read for a in moving)
    gone = show(4, tiles=[(400, 330, 20)])
    assert gone[-1].state is TableState.READING and gone[-1].should_read
    assert covers(gone[-1].regions, 400, 330)
    assert sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in gone[-1].regions) < 0.05 * W * H
    settler.done()
    assert {a.state for a in show(5, tiles=[(400, 330, 20)])} == {TableState.READ}


def test_reading_is_asked_for_until_it_is_done(watched):
    settler, show = watched
    answers = show(6, tiles=[(500, 300, 0)])
    assert [a.should_read for a in answers[-3:]] == [True, True, True]
    settler.done()
    assert not show(1, tiles=[(500, 300, 0)])[0].should_read


def test_a_hand_that_leaves_nothing_asks_for_no_reading(watched):
    _, show = watched
    show(3, hand=(300, 500))
    assert not any(a.should_read for a in show(6))


@pytest.mark.parametrize("light", [0.6, 0.8, 1.25])
def test_an_exposure_change_is_no_play(watched, light):
    _, show = watched
    assert not any(a.should_read for a in show(8, light=light))


def test_flicker_is_no_play(watched):
    _, show = watched
    assert not any(a.should_read for n in range(12) for a in show(light=1.0 + 0.06 * (-1) ** n))


def test_a_walking_shadow_is_no_play(watched):
    _, show = watched
    assert not any(a.should_read for x in range(-100, 1100, 60) for a in show(shadow=x))


def test_a_bump_reads_the_whole_table_and_says_so(watched):
    _, show = watched
    last = show(5, shift=(14, -9))[-1]
    assert last.camera_moved and last.should_read and last.regions == ((0, 0, W, H),)
    assert last.moved_px == pytest.approx((14, -9), abs=1.0)


def test_a_nudge_of_two_pixels_is_followed_without_a_reading(watched):
    _, show = watched
    last = show(5, shift=(2, 1))[-1]
    assert last.state is TableState.READ and not last.camera_moved


@pytest.mark.parametrize("second", ((446, 360, 0), (456, 360, 90), (504, 360, 90), (480, 404, 90)))
def test_the_first_tile_beside_the_engine_is_no_shift_of_the_camera(monkeypatch, second):
    """On a plain cloth nothing but the engine says where the table is, and it seems to lie between the two tiles."""
    plain = cv2.GaussianBlur(np.random.default_rng(1).normal(110, 2, (H, W, 3)), (0, 0), 1.2)
    monkeypatch.setattr("tests.vision.test_settle.cloth", lambda: plain.astype(np.float32))
    settler, engine = Settler(), (480, 360, 0)
    frames = [{"tiles": [engine]}] * 7 + [{"tiles": [engine], "hand": (480, 420)}] * 3
    frames += [{"tiles": [engine, second]}] * 2
    for n, what in enumerate(frames):
        answer = settler.see(Frame(table(**what, noise=n), float(n), str(n)))
        if n == 3:
            settler.done()
    assert answer.should_read and np.hypot(*answer.moved_px) < 0.5 and not answer.camera_moved
    assert covers(answer.regions, *second[:2]) and len(answer.regions) == 1


def test_a_row_of_tiles_along_the_edge_is_no_arm(watched):
    _, show = watched
    show(3, hand=(200, 600))
    row = [(60 + 26 * n, 40, 90) for n in range(8)]
    laid = show(6, tiles=row)
    asked = [answer for answer in laid if answer.should_read]
    assert asked
    assert asked[0].hidden == ()
    assert covers(asked[0].regions, 60, 40) and covers(asked[0].regions, 242, 40)


def test_one_still_frame_is_enough_only_after_a_hand_has_gone(watched):
    """A picture that is still for a moment may show a hand halfway in."""
    _, show = watched
    tile = [(480, 300, 60)]
    assert [answer.should_read for answer in show(3, tiles=tile)] == [False, False, True]
    show(3, hand=(480, 500), tiles=tile)
    assert [answer.should_read for answer in show(2, tiles=tile)] == [False, True]


def test_a_reading_that_a_hand_breaks_off_counts_as_not_done(watched):
    settler, show = watched
    assert show(3, tiles=[(480, 300, 60)])[-1].should_read
    settler.begin()
    settler.done()
    show(2, hand=(480, 500))
    settler.not_done()
    assert show(4)[-1].state is TableState.READ, "the table lies as it was read before"


def test_a_resting_arm_is_read_around_after_a_while(watched):
    _settler, show = watched
    short = show(10, hand=(480, 500))
    assert {a.state for a in short} == {TableState.HAND}
    long = show(RESTING_HAND_FRAMES + 2, hand=(480, 500), tiles=[(150, 150, 40)])
    assert long[-1].should_read and covers(long[-1].hidden, 480, 500) and covers(long[-1].regions, 150, 150)


@pytest.mark.parametrize(("per_s", "frames"), [(2, 25), nightly(5, 25), (12, 60), nightly(25, 125)])
def test_an_arm_rests_no_sooner_under_a_faster_camera(per_s: int, frames: int) -> None:
    settler, read = Settler(), []
    for n in range(frames + 12):
        here = {"hand": (480, 500)} if n >= 4 else {}
        answer = settler.see(Frame(table(**here, noise=n), n / per_s, str(n)))
        if answer.should_read:
            settler.done()
            read.append(n - 4)
    assert [n >= frames - 2 for n in read if n > 0][:1] == [True]


def test_frames_whose_clock_stands_still_count_all_the_same() -> None:
    settler = Settler(timeout_frames=12)
    answers = [settler.see(Frame(table(hand=(200 + 30 * (n % 7), 400), noise=n), 0.0, str(n))) for n in range(20)]
    assert any(answer.forced for answer in answers)


def test_a_resting_arm_is_read_around_though_another_arm_moves(watched):
    _, show = watched
    answers = []
    for n in range(RESTING_HAND_FRAMES // 3 + 2):
        lying = [(250, 200, 10)] if n else []
        answers += show(2, hand=(700, 420), across=(180 + 60 * (n % 2), 460), tiles=lying)
        answers += show(3, hand=(700, 420), tiles=lying)
    read = [n for n, a in enumerate(answers) if a.should_read]
    assert read and read[0] >= RESTING_HAND_FRAMES - 1
    assert covers(answers[read[0]].hidden, 700, 420) and covers(answers[read[0]].regions, 250, 200)


def test_a_tile_put_away_whose_shadow_reaches_the_edge_is_no_arm(watched):
    settler, show = watched
    hands = [a for y in range(5) for a in show(hand=(480, 700 - 10 * y))]
    assert {a.state for a in hands} == {TableState.HAND}
    gone = show(3, aside=470)
    assert [a.should_read for a in gone] == [False, True, True], "the hand has gone, and one still frame is enough"
    assert gone[-1].hidden == () and covers(gone[-1].regions, 470, H - 70)
    settler.done()
    assert {a.state for a in show(5, aside=470)} == {TableState.READ}


def test_an_endless_movement_is_read_after_the_timeout():
    settler = Settler(timeout_frames=12)
    answers = []
    for n in range(16):
        answers.append(settler.see(Frame(table(hand=(200 + 30 * (n % 7), 400), noise=n), float(n), str(n))))
    forced = [a for a in answers if a.should_read]
    assert forced and forced[0].forced


def test_read_now_works_out_of_every_state(watched):
    settler, show = watched
    for what in ({}, {"hand": (400, 400)}, {"tiles": [(200, 200, 0)]}):
        show(1, **what)
        settler.read_now()
        answer = show(1, **what)[0]
        assert answer.should_read and answer.regions
        settler.done()


def test_a_recording_replays_the_same():
    def run():
        settler = Settler()
        frames = [table(noise=1)] * 3 + [table(hand=(300, 400), noise=2)] * 2 + [table([(300, 300, 0)], noise=3)] * 5
        return [settler.see(Frame(f, float(i), str(i))) for i, f in enumerate(frames)]

    assert run() == run()


def test_where_an_arm_has_just_left_is_told_before_the_table_is_still(watched):
    _, show = watched
    assert all(answer.regions == () for answer in show(3, hand=(400, 420)))
    gone, still = show(2, tiles=[(400, 330, 20)])
    assert gone.state is TableState.HAND and not gone.should_read
    assert covers(gone.regions, 400, 330)
    assert still.should_read and still.still_for == 1


def test_it_is_counted_for_how_long_the_table_lies_as_it_does(watched):
    settler, show = watched
    settler.forget()
    assert show(1, hand=(400, 420))[0].still_for == 0
    assert [answer.still_for for answer in show(3)] == [0, 1, 2]


def photograph(settler, **what):
    return settler.see(Frame(table(**what), 0.0, "photograph"), still=True)


def test_a_photograph_is_read_whole_although_nothing_seems_to_have_changed():
    settler = Settler()
    for _ in range(3):
        answer = photograph(settler, tiles=[(300, 300, 0)])
        assert answer.should_read and answer.regions == ((0, 0, W, H),) and answer.hidden == ()
        settler.done()


def test_a_photograph_with_an_arm_is_passed_over_and_the_next_is_read_at_once():
    settler = Settler()
    photograph(settler)
    settler.done()
    answer = photograph(settler, hand=(400, 400))
    assert answer.state is TableState.HAND and not answer.should_read and answer.hidden
    assert photograph(settler, tiles=[(300, 300, 0)], noise=1).should_read


def test_an_arm_that_rests_is_read_around_and_taken_for_the_table_in_the_end():
    settler = Settler()
    photograph(settler, hand=(400, 400))
    settler.done()
    answers = []
    for n in range(4):
        answers.append(photograph(settler, tiles=[(700, 100 + 40 * n, 0)], noise=n))
        if answers[-1].should_read:
            settler.done()
    assert [answer.should_read for answer in answers] == [False, True, True, True]
    assert [bool(answer.hidden) for answer in answers] == [True, True, False, False]


def test_a_hand_that_was_read_as_part_of_the_table_leaves_none_behind(watched):
    """On its way in it lay still; so the picture read last shows it, and without it something is missing there."""
    settler, show = watched
    show(3, hand=(400, 500))
    settler.read_now()
    assert show(1, hand=(400, 500))[0].should_read
    settler.begin()
    settler.done()
    show(2, hand=(420, 460))
    gone = show(4, tiles=[(420, 400, 20)])
    assert gone[-1].state is TableState.READING and gone[-1].hidden == ()
    assert covers(gone[-1].regions, 420, 400)
    settler.begin()
    settler.done()
    assert {a.state for a in show(5, tiles=[(420, 400, 20)])} == {TableState.READ}
