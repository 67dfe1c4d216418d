"""Arms over a drawn table: where they come in, where they point, what they cover, and what is not clear about them."""

import math
from functools import cache

import cv2
import numpy as np
import pytest

from vision.arm_view import CHANGED, UNCLEAR, ArmPlane, border_of, seen_around_mm
from vision.arms import ArmFinder
from vision.calibration import Calibration
from vision.frame import Frame

SIZE_MM, SCALE, MARGIN = (1200.0, 900.0), 0.5, 15
W, H = round(SIZE_MM[0] * SCALE) + 2 * MARGIN, round(SIZE_MM[1] * SCALE) + 2 * MARGIN
CORNERS = [(MARGIN, MARGIN), (W - MARGIN, MARGIN), (W - MARGIN, H - MARGIN), (MARGIN, H - MARGIN)]
PALE, WOOD, BLACK = (205, 200, 198), (70, 105, 150), (24, 22, 20)
SKIN, NAVY, COAL = (140, 170, 215), (90, 40, 25), (28, 26, 27)


@cache
def grain():
    return cv2.GaussianBlur(np.random.default_rng(3).normal(0, 14, (H, W)), (0, 0), 2.0)[..., None].astype(np.float32)


@cache
def noises():
    return np.random.default_rng(4).normal(0, 1.5, (4, H, W, 3)).astype(np.float32)


def px(place):
    return tuple(round(v * SCALE + MARGIN) for v in place)


def drawn(arms=(), *, top=WOOD, light=1.0, tiles=(), shadow=None, n=0):
    """A picture of the table; an arm is (shoulder, tip, sleeve): a sleeve of 90 mm, then a hand of 160 mm by 70."""
    image = np.full((H, W, 3), top, np.float32) + grain()
    for x, y in tiles:
        a, b = px((x - 24, y - 12)), px((x + 24, y + 12))
        cv2.rectangle(image, a, b, (225, 228, 230), -1)
    if shadow is not None:
        (x, y), width = shadow
        line = np.zeros((H, W), np.float32)
        cv2.line(line, px(x), px(y), 1.0, round(width * SCALE))
        image *= 1.0 - 0.4 * cv2.GaussianBlur(line, (0, 0), 9.0)[..., None]
    for shoulder, tip, sleeve in arms:
        away = np.subtract(shoulder, tip)
        wrist = np.add(tip, away / np.hypot(*away) * 160.0)
        cv2.line(image, px(wrist), px(shoulder), sleeve, round(90 * SCALE))
        cv2.line(image, px(tip), px(wrist), SKIN, round(70 * SCALE))
    return Frame(np.clip(image * light + noises()[n % 4], 0, 255).astype(np.uint8), float(n), str(n))


@pytest.fixture
def finder():
    return ArmFinder()


CALIBRATION = Calibration.from_corners(CORNERS, SIZE_MM, 0.001, None, (W, H))


def seen(finder, *frames, still=None):
    """The view of the last frame, after the still table and the frames before it."""
    still = still or drawn()
    plane = finder.plane(None, CALIBRATION, still)
    finder.still(still)
    for frame in (still, *frames):
        view = finder.see(frame, plane)
    return view


def towards(arm, shoulder, tip):
    """By how many degrees an arm's axis misses the shoulder."""
    true = math.degrees(math.atan2(shoulder[1] - tip[1], shoulder[0] - tip[0]))
    return abs((arm.axis_deg - true + 180) % 360 - 180)


def test_an_empty_table_shows_no_arm(finder):
    assert seen(finder, drawn(n=1), drawn(n=2)).arms == ()


@pytest.mark.parametrize("sleeve", [NAVY, COAL, SKIN, (60, 60, 200)])
@pytest.mark.parametrize(
    ("shoulder", "tip"),
    [((600, 1200), (640, 500)), ((-300, 300), (500, 420)), ((1000, -260), (700, 640)), ((1500, 900), (1000, 700))],
)
def test_an_arm_is_found_where_it_comes_in_and_where_it_ends(finder, shoulder, tip, sleeve):
    view = seen(finder, drawn([(shoulder, tip, sleeve)], n=1))
    (arm,) = view.arms
    assert arm.clear and towards(arm, shoulder, tip) < 8
    assert math.dist(arm.tip_mm, tip) < 50
    crossing = crosses_border(shoulder, tip)
    assert math.dist(arm.entry_mm, crossing) < 30
    assert 60 < arm.span_mm < 190
    assert view.covers(tip, 20.0).get(0, 0.0) > 0.5


def crosses_border(shoulder, tip):
    inside = [np.add(tip, np.subtract(shoulder, tip) * share) for share in np.linspace(0, 1, 2000)]
    return max(
        (p for p in inside if 0 <= p[0] <= SIZE_MM[0] and 0 <= p[1] <= SIZE_MM[1]), key=lambda p: math.dist(p, tip)
    )


@pytest.mark.parametrize("top", [PALE, WOOD, BLACK])
def test_a_dark_sleeve_on_any_table_is_part_of_its_arm(finder, top):
    shoulder, tip = (500, 1200), (620, 420)
    view = seen(finder, drawn([(shoulder, tip, COAL)], top=top, n=1), still=drawn(top=top))
    arm = max(view.arms, key=lambda one: one.area_mm2)
    assert math.dist(arm.tip_mm, tip) < 60
    if arm.clear:
        assert towards(arm, shoulder, tip) < 10


def test_a_sleeve_like_the_table_is_never_somebody_elses(finder):
    shoulder, tip = (300, -300), (560, 480)
    view = seen(finder, drawn(n=1), drawn([(shoulder, tip, WOOD)], n=2))
    for arm in view.arms:
        assert not arm.clear or towards(arm, shoulder, tip) < 15


def test_the_light_does_not_reach_in(finder):
    assert seen(finder, drawn(light=0.8, n=1)).arms == ()
    (arm,) = seen(finder, drawn([((600, 1200), (640, 500), NAVY)], light=0.8, n=1)).arms
    assert towards(arm, (600, 1200), (640, 500)) < 8


def test_a_shadow_is_no_arm(finder):
    view = seen(finder, drawn(shadow=(((300, -100), (500, 600)), 120.0), n=1))
    assert not [arm for arm in view.arms if arm.clear]


def test_the_shadow_beside_an_arm_does_not_turn_it(finder):
    shoulder, tip = (600, 1250), (620, 400)
    view = seen(finder, drawn([(shoulder, tip, NAVY)], shadow=(((700, 1200), (700, 420)), 90.0), n=1))
    (arm,) = [arm for arm in view.arms if arm.clear]
    assert towards(arm, shoulder, tip) < 8


def test_two_arms_apart_are_two(finder):
    view = seen(finder, drawn([((300, 1200), (400, 500), NAVY), ((1000, -300), (800, 300), COAL)], n=1))
    assert len(view.arms) == 2 and all(arm.clear for arm in view.arms)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (((300, 1200), (590, 470)), ((1500, 300), (640, 440))),
        (((600, 1200), (560, 420)), ((600, -300), (610, 440))),
        (((200, 1200), (760, 420)), ((1100, 1250), (440, 400))),
    ],
)
def test_two_arms_that_touch_are_told_apart_or_unclear(finder, one, other):
    view = seen(finder, drawn([(*one, NAVY), (*other, COAL)], n=1))
    clear = [arm for arm in view.arms if arm.clear]
    for arm in clear:
        assert min(towards(arm, *one), towards(arm, *other)) < 14
    if len(clear) == 2:
        assert abs((clear[0].axis_deg - clear[1].axis_deg + 180) % 360 - 180) > 30
    else:
        assert clear == []
    under = view.covers(tuple((np.array(one[1]) + other[1]) / 2), 25.0)
    assert UNCLEAR in under or len(under) == 2 or len(clear) == 2


def test_an_arm_that_crosses_no_border_is_not_clear(finder):
    image = drawn(n=1)
    cv2.line(image.image, px((500, 500)), px((620, 420)), SKIN, 40)
    view = seen(finder, image)
    assert [arm.clear for arm in view.arms] == [False]
    assert view.arms[0].entry_mm is None
    assert UNCLEAR in view.covers((560, 460), 20.0)


def test_an_arm_over_a_quarter_of_the_border_is_not_clear(finder):
    image = drawn(n=1)
    cv2.rectangle(image.image, px((0, -20)), px((1200, 160)), NAVY, -1)
    cv2.rectangle(image.image, px((500, 100)), px((700, 500)), NAVY, -1)
    view = seen(finder, image)
    assert view.arms and not any(arm.clear for arm in view.arms)


def test_tiles_are_no_arms_and_count_as_changed(finder):
    tiles = [(600, 450), (650, 450), (700, 450), (750, 450)]
    view = seen(finder, drawn(tiles=tiles, n=1), drawn(tiles=tiles, n=2))
    assert view.arms == () and CHANGED in view.labels
    assert view.changed((650, 450), 12.0) > 0.8 and view.changed((300, 300), 12.0) == 0.0


def test_a_row_laid_along_the_edge_is_no_arm(finder):
    tiles = [(400 + 26 * n, 885) for n in range(8)]
    view = seen(finder, drawn(tiles=tiles, n=1), drawn(tiles=tiles, n=2))
    assert not [arm for arm in view.arms if arm.clear]


def test_where_everything_differs_nothing_is_said(finder):
    other = Frame(np.random.default_rng(9).integers(0, 255, (H, W, 3)).astype(np.uint8), 1.0, "x")
    view = seen(finder, other)
    assert view.flooded and view.arms == ()


def test_without_a_still_picture_there_is_nothing_to_compare(finder):
    plane = finder.plane(None, CALIBRATION, drawn())
    assert finder.see(drawn([((600, 1200), (640, 500), NAVY)]), plane).arms == ()


def test_the_plane_is_kept_while_the_calibration_is(finder):
    plane = finder.plane(None, CALIBRATION, drawn())
    assert finder.plane(plane, CALIBRATION, drawn(n=1)) is plane
    moved = Calibration.from_corners(CORNERS, SIZE_MM, 0.001, None, (W, H))
    assert finder.plane(plane, moved, drawn()) is not plane


def test_the_border_is_cut_where_the_picture_ends():
    wide = Calibration.from_corners([(-60, -40), (W + 80, -40), (W + 80, H + 50), (-60, H + 50)], SIZE_MM, 0.001)
    assert border_of(wide, (W, H)).min() >= 0 and border_of(wide, (W, H)).max() <= W
    assert max(seen_around_mm(wide, (W, H))) < 0
    around = seen_around_mm(CALIBRATION, (W, H))
    assert around == pytest.approx((30.0, 30.0, 30.0, 30.0), abs=2.0)
    plane = ArmPlane.of(CALIBRATION, (W, H), (240, 183))
    assert plane.length_mm == pytest.approx(4200.0, rel=0.02)
