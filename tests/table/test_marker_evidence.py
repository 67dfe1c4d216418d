"""Markers in time: what one look scores .02 and the next .79 lies there all the while, and moves with its train."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from bench.stand_ins.seen_tables import tile
from companion.geometry.layout import Point, SeenHalf, SeenHub, SeenMarker, SeenTile
from companion.perception.background import BackgroundModel, Blobs, SmallPicture
from companion.perception.marker_evidence import StillLook, at_a_train, in_time, let_go
from companion.perception.projection import square_of
from companion.perception.tracks import Looked, TableMemory
from tests.table.test_things import CALIBRATION, table

LAST = tile(400.0, 300.0, 0.0, 12, 7)
NEXT = tile(449.0, 300.0, 0.0, 7, 6)
BUTTON: Point = (440.0, 322.0)
RED, BLACK = (40, 40, 160), (25, 25, 25)


def drawn(
    *tiles: SeenTile, things: tuple[tuple[Point, int, tuple[int, int, int]], ...] = (), shade: bool = False
) -> NDArray[np.uint8]:
    picture = table()
    for one in tiles:
        x, y = (int(v) for v in one.center_mm)
        if shade:
            picture[y - 12 : y + 23, x - 24 : x + 24] = picture[y - 12 : y + 23, x - 24 : x + 24] * 0.65
        cv2.rectangle(picture, (x - 24, y - 12), (x + 24, y + 12), (225, 228, 230), -1)
    for (x, y), radius, colour in things:
        cv2.circle(picture, (int(x), int(y)), radius, colour, -1)
    return picture


@dataclass
class Watched:
    """A table looked at several times at every still picture, by an eye that says of markers what it is told to."""

    looks: int = 2
    memory: TableMemory = field(default_factory=TableMemory)
    things: Blobs = field(default_factory=Blobs)
    bare: BackgroundModel = field(default_factory=BackgroundModel)

    def see(self, picture: NDArray[np.uint8], tiles: list[SeenTile], *said: tuple[Point, float]) -> None:
        self.memory.begin()
        place = StillLook(SmallPicture.of(picture, CALIBRATION), 24.0, self.things, self.bare)
        for _ in range(self.looks):
            lying = [*self.memory.tiles(), *tiles]
            markers = [SeenMarker(where, score) for where, score in said if score >= 0.18]
            markers = in_time(markers, lying, self.memory, Looked(), place)
            self.memory.see(tiles, markers, Looked(), 24.0)
            let_go(self.memory, place)
        known = [*self.memory.tiles(), *(square_of(one.seen, 24.0) for one in self.memory.markers)]
        self.bare.learn(SmallPicture.of(picture, CALIBRATION), known)
        self.things.keep(SmallPicture.of(picture, CALIBRATION), known)

    @property
    def places(self) -> list[tuple[int, int]]:
        return [(round(one.center_mm[0]), round(one.center_mm[1])) for one in self.memory.seen_markers()]


@pytest.fixture
def watched() -> Watched:
    """One tile of a train lies there, and nothing else."""
    one = Watched()
    one.see(drawn(LAST), [LAST])
    return one


@pytest.mark.parametrize("colour", [RED, BLACK])
def test_a_button_is_there_from_when_it_comes_to_when_it_goes_whatever_the_eye_says(
    watched: Watched, colour: tuple[int, int, int]
) -> None:
    with_it = drawn(LAST, things=((BUTTON, 9, colour),))
    for score in (0.016, 0.06, 0.60, 0.31, 0.74, 0.25, 0.79):
        watched.see(with_it, [LAST], (BUTTON, score))
        assert watched.places == [BUTTON], score
        assert not any(one.hidden for one in watched.memory.markers)
    watched.see(drawn(LAST), [LAST])
    assert watched.places == []


def test_one_look_sees_that_a_thing_was_taken_away(watched: Watched) -> None:
    """A quick table lies still for one look; where the eye finds nothing and nothing stands out, none lies there."""
    watched.see(drawn(LAST, things=((BUTTON, 9, RED),)), [LAST], (BUTTON, 0.9))
    watched.looks = 1
    watched.see(drawn(LAST, things=((BUTTON, 9, (60, 60, 160)),)), [LAST])
    assert watched.places == [BUTTON]
    watched.see(drawn(LAST), [LAST])
    assert watched.places == []


@pytest.mark.parametrize("looks", [3, 4, 5])
def test_a_thing_that_came_is_there_in_every_look_at_the_same_picture(watched: Watched, looks: int) -> None:
    """The game asks for more looks where a marker is due: the thing had gone in the third and come in the fourth."""
    watched.looks = looks
    for _ in range(2):
        watched.see(drawn(LAST, things=((BUTTON, 9, RED),)), [LAST])
        assert watched.places == [BUTTON]
    watched.see(drawn(LAST), [LAST])
    assert watched.places == []


def test_what_is_found_surely_becomes_a_marker_that_looks_like_one(watched: Watched) -> None:
    with_it = drawn(LAST, things=((BUTTON, 9, RED),))
    watched.see(with_it, [LAST])
    assert [one.recognised for one in watched.memory.seen_markers()] == [False]
    watched.see(with_it, [LAST], (BUTTON, 0.9))
    assert [one.recognised for one in watched.memory.seen_markers()] == [True]


def test_far_from_trains_two_at_once_and_what_is_no_marker_s_size_are_none(watched: Watched) -> None:
    for things in (
        (((600.0, 600.0), 9, RED),),
        ((BUTTON, 9, RED), ((360.0, 330.0), 9, RED)),
        ((BUTTON, 3, RED),),
        (((470.0, 340.0), 26, RED),),
    ):
        watched.see(drawn(LAST, things=things), [LAST])
        assert watched.places == [], things
        watched.see(drawn(LAST), [LAST])


@pytest.mark.parametrize(("away", "there"), [(30.0, False), (45.0, True), (62.0, True), (91.0, True), (130.0, False)])
def test_at_a_hub_a_marker_lies_in_its_slot_or_where_the_first_tile_will(away: float, there: bool) -> None:
    hub = SeenHub((600.0, 450.0), 62.0, 0.9)
    assert at_a_train((600.0 + away, 450.0), [], hub, 24.0) is there


def test_the_shadow_of_a_new_tile_is_none(watched: Watched) -> None:
    watched.see(drawn(LAST, NEXT, shade=True), [LAST, NEXT])
    assert watched.places == []


def test_a_marker_moves_on_to_the_new_tile_and_is_not_taken_off(watched: Watched) -> None:
    on_last, on_next = (412.0, 300.0), (437.0, 300.0)
    watched.see(drawn(LAST, things=((on_last, 9, RED),)), [LAST], (on_last, 0.96))
    assert watched.places == [on_last]
    unread = replace(NEXT, halves=(SeenHalf(None, 0.2), SeenHalf(6, 0.99)))
    watched.see(drawn(LAST, NEXT, things=((on_next, 9, RED),)), [LAST, unread], (on_next, 0.45))
    assert watched.places == [on_next]
    assert len(watched.memory.markers) == 1 and watched.memory.markers[0].seen.recognised


def test_it_moves_to_the_sure_find_and_not_to_a_faint_one_nearer_by(watched: Watched) -> None:
    """A pip came to light beside its old place; held for the marker, it stayed when the marker was taken off."""
    on_last, beside, pip = (412.0, 300.0), (449.0, 322.0), (422.0, 309.0)
    watched.see(drawn(LAST, things=((on_last, 9, RED),)), [LAST], (on_last, 0.96))
    moved = drawn(LAST, NEXT, things=((beside, 9, RED), (pip, 4, BLACK)))
    watched.see(moved, [LAST, NEXT], (beside, 0.99), (pip, 0.32))
    assert watched.places == [beside]


def test_it_moves_to_the_half_that_is_not_read_where_the_eye_sees_no_marker_at_all(watched: Watched) -> None:
    on_last, on_next = (412.0, 300.0), (437.0, 300.0)
    watched.see(drawn(LAST, things=((on_last, 9, RED),)), [LAST], (on_last, 0.96))
    unread = replace(NEXT, halves=(SeenHalf(None, 0.2), SeenHalf(6, 0.99)))
    watched.see(drawn(LAST, NEXT, things=((on_next, 9, RED),)), [LAST, unread])
    assert watched.places == [on_next]
    assert not watched.memory.seen_markers()[0].recognised


def test_it_is_taken_off_where_the_new_tile_is_read(watched: Watched) -> None:
    on_last = (412.0, 300.0)
    watched.see(drawn(LAST, things=((on_last, 9, RED),)), [LAST], (on_last, 0.96))
    watched.see(drawn(LAST, NEXT), [LAST, NEXT])
    assert watched.places == []


def test_a_pattern_that_was_there_from_the_first_stays_none(watched: Watched) -> None:
    dotted = Watched()
    dots = tuple(((300.0 + 40 * n, 340.0), 9, RED) for n in range(8))
    dotted.see(drawn(LAST, things=dots), [LAST])
    for _ in range(3):
        dotted.see(drawn(LAST, things=dots), [LAST], ((420.0, 340.0), 0.8))
    assert dotted.places == []
    dotted.see(drawn(LAST, NEXT, things=dots), [LAST, NEXT])
    assert dotted.places == []


def test_what_is_hidden_once_lies_there_no_longer_for_certain(watched: Watched) -> None:
    """Its going was missed in one picture; that nothing has changed since then tells nothing."""
    with_it = drawn(LAST, things=((BUTTON, 9, RED),))
    watched.see(with_it, [LAST], (BUTTON, 0.9))
    watched.see(with_it, [LAST])
    assert not watched.memory.markers[0].hidden
    watched.memory.markers[0].hidden = True
    watched.see(with_it, [LAST])
    assert watched.memory.markers[0].hidden
    watched.see(with_it, [LAST], (BUTTON, 0.5))
    assert not watched.memory.markers[0].hidden


def test_a_faint_find_takes_nothing_from_a_thing_that_came(watched: Watched) -> None:
    watched.see(drawn(LAST, things=((BUTTON, 9, RED),)), [LAST], (BUTTON, 0.31))
    assert watched.places == [BUTTON]


def test_what_was_read_of_a_toy_is_no_reading_of_the_half_it_left() -> None:
    memory = TableMemory()
    seven, blank = SeenHalf(7, 0.99), SeenHalf(0, 0.99)
    under = replace(LAST, halves=(seven, SeenHalf(None, 0.5, ((1, 0.5), (4, 0.4)))))
    for _ in range(4):
        memory.see([under], [], Looked(), 24.0)
    for changed, value in ((False, None), (True, 0)):
        memory.begin()
        memory.read_anew(lambda place, changed=changed: changed and place[0] > 400.0)
        memory.see([replace(LAST, halves=(seven, blank))], [], Looked(), 24.0)
        (shown,) = memory.tiles()
        assert shown.halves is not None
        assert [half.value for half in shown.halves] == [7, value]


def test_two_terms_make_a_marker_where_each_alone_makes_none(watched: Watched) -> None:
    """Without a hub nobody knows where a train will begin: a thing came there, and the eye half takes it for one."""
    far = (600.0, 500.0)
    there = drawn(LAST, things=((far, 9, RED),))
    watched.see(there, [LAST])
    assert watched.places == []
    watched.see(drawn(LAST), [LAST])
    watched.see(there, [LAST], (far, 0.4))
    assert watched.places == [far]


def test_what_was_too_little_when_it_came_is_enough_with_what_later_pictures_say(watched: Watched) -> None:
    far = (600.0, 500.0)
    there = drawn(LAST, things=((far, 9, RED),))
    watched.see(there, [LAST])
    assert watched.places == []
    watched.see(there, [LAST], (far, 0.5))
    assert watched.places == [far]
    watched.see(drawn(LAST), [LAST])
    watched.see(drawn(LAST), [LAST], (far, 0.5))
    assert watched.places == [], "it went, and what spoke for it went with it"


def test_a_small_toy_is_no_print_of_the_pips_beside_it(watched: Watched) -> None:
    """Most of what shows around it on the tile showed before."""
    spot = (412.0, 300.0)
    bare, with_it = drawn(LAST), drawn(LAST)
    for picture in (bare, with_it):
        for x, y in itertools.product((404, 412, 420), (292, 308)):
            cv2.circle(picture, (x, y), 3, BLACK, -1)
    cv2.circle(with_it, (412, 300), 5, (180, 180, 180), -1)
    watched.see(bare, [LAST])
    watched.see(with_it, [LAST], (spot, 0.7))
    assert watched.places == [spot]


def test_a_toy_that_uncovers_a_pip_as_plain_as_itself_has_gone(watched: Watched) -> None:
    """The place looks dark and round as before, but the half on which the toy stood can be read again."""
    spot = (412.0, 300.0)
    bare, with_it = drawn(LAST, things=((spot, 6, BLACK),)), drawn(LAST, things=((spot, 9, (120, 120, 120)),))
    unread = replace(LAST, halves=(SeenHalf(12, 0.99), SeenHalf(None, 0.2)))
    for outer, there in ((unread, [spot]), (LAST, [])):
        again = Watched()
        again.see(bare, [LAST])
        again.see(with_it, [unread], (spot, 0.96))
        again.see(bare, [outer])
        assert again.places == there


def test_a_faint_find_keeps_no_marker_that_was_taken_away(watched: Watched) -> None:
    """A toy stood on a black tile's blank half, and the bare half still looks a little like one."""
    on_last = (412.0, 300.0)
    watched.see(drawn(LAST, things=((on_last, 9, RED),)), [LAST], (on_last, 0.96))
    watched.see(drawn(LAST), [LAST], (on_last, 0.38))
    assert watched.places == []


def test_a_tile_beside_it_makes_no_print_of_what_came(watched: Watched) -> None:
    """A white tile is the same before and after, and is nearly all the contrast around a grey bead on dark wood."""
    bead, dark = (400.0, 321.0), np.full_like(table(), 60)
    bare, with_it = dark.copy(), dark.copy()
    for picture in (bare, with_it):
        cv2.rectangle(picture, (376, 288), (424, 312), (225, 228, 230), -1)
    cv2.circle(with_it, (400, 322), 8, (90, 90, 90), -1)
    things = Blobs()
    things.keep(SmallPicture.of(bare, CALIBRATION), [LAST])
    assert not things.is_print(SmallPicture.of(with_it, CALIBRATION), bead, [])
    for picture in (bare, with_it):
        cv2.circle(picture, (400, 322), 8, (160, 160, 160), -1)
    things.keep(SmallPicture.of(bare, CALIBRATION), [LAST])
    assert things.is_print(SmallPicture.of((with_it * 0.7).astype(np.uint8), CALIBRATION), bead, [])


def test_a_place_where_a_figure_was_seen_before_anybody_began_is_free_for_a_marker(watched: Watched) -> None:
    watched.memory.parked = (BUTTON,)
    watched.see(drawn(LAST), [LAST], (BUTTON, 0.9))
    assert watched.places == []
    watched.see(drawn(LAST, things=((BUTTON, 9, RED),)), [LAST], (BUTTON, 0.9))
    assert watched.places == [BUTTON]


def test_a_toy_on_a_tile_is_no_print_of_the_tile(watched: Watched) -> None:
    """The tile's own edge is most of what shows around a place on it, before and after."""
    on_last = (412.0, 291.0)
    watched.see(drawn(LAST, things=((on_last, 6, (180, 180, 180)),)), [LAST], (on_last, 0.96))
    assert watched.places == [on_last]


def test_it_stays_in_a_new_tile_s_shadow_and_goes_when_it_goes(watched: Watched) -> None:
    spot, beside = (449.0, 328.0), tile(449.0, 306.0, 0.0, 7, 6)
    watched.see(drawn(LAST, things=((spot, 9, RED),)), [LAST], (spot, 0.96))
    watched.see(drawn(LAST, beside, things=((spot, 9, RED),), shade=True), [LAST, beside])
    assert watched.places == [spot]
    moved = tile(449.0, 308.0, 0.0, 7, 6)
    watched.see(drawn(LAST, moved, shade=True), [LAST, moved])
    assert watched.places == []


def test_it_is_taken_off_in_the_shadow_of_the_tile_laid_with_it(watched: Watched) -> None:
    """Whoever plays on their own train lays the tile and takes the marker off in one move."""
    spot, beside = (449.0, 328.0), tile(449.0, 306.0, 0.0, 7, 6)
    watched.see(drawn(LAST, things=((spot, 9, RED),)), [LAST], (spot, 0.96))
    watched.see(drawn(LAST, beside, shade=True), [LAST, beside])
    assert watched.places == []
