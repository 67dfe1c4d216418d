"""Where a face-down tile was drawn from a packed boneyard the table shows: in the shade, with its planks."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.geometry.layout import Layout, SeenHalf, SeenTile
from companion.perception.background import BackgroundModel, Blobs, SmallPicture
from companion.perception.marker_evidence import StillLook, let_go, without_prints
from companion.perception.tracks import Looked, TableMemory
from companion.perception.understanding import at_most
from vision.calibration import Calibration
from vision.pictures import open_picture

CORNERS = np.array([[0, 0], [900, 0], [900, 600], [0, 600]], np.float32)
CALIBRATION = Calibration.from_corners(CORNERS, (900.0, 600.0), 0.0, size_wh=(900, 600))
PLACES = [(100.0 + 30 * n, 100.0 + 55 * row) for row in range(3) for n in range(5)]
TAKEN = PLACES[7]
PICTURES = Path(__file__).parent / "pictures"


def back(place: tuple[float, float]) -> SeenTile:
    return SeenTile(place, 90.0, 50.0, 25.0, False, None, 0.9)


def planks(colour: tuple[int, int, int], grain: float) -> NDArray[np.float32]:
    """Boards of 90 mm, each of its own brightness, with a grain along them."""
    rng = np.random.default_rng(3)
    boards = np.repeat(rng.normal(1.0, 0.12, 10), 90)[:600]
    lines = cv2.GaussianBlur(rng.normal(0, grain, (600, 900)).astype(np.float32), (41, 3), 0)
    return np.asarray(np.array(colour, np.float32) * boards[:, None, None] + lines[:, :, None] * 4, np.float32)


@cache
def noise() -> NDArray[np.float64]:
    return np.random.default_rng(8).normal(0, 2, (600, 900, 3))


def boneyard(
    table: NDArray[np.float32],
    tiles: tuple[int, int, int],
    *,
    without: bool = False,
    cup: tuple[int, int, int] | None = None,
) -> NDArray[np.uint8]:
    """Fifteen tiles in three rows, each casting a soft shadow; without the eighth, or with a cup over it."""
    picture = table.copy()
    lying = [place for place in PLACES if not (without and place == TAKEN)]
    shade = np.ones((600, 900), np.float32)
    for x, y in lying:
        cv2.rectangle(shade, (int(x) - 14, int(y) - 26), (int(x) + 18, int(y) + 30), 0.7, -1)
    picture *= cv2.GaussianBlur(shade, (0, 0), 5)[:, :, None]
    for x, y in lying:
        cv2.rectangle(picture, (int(x) - 12, int(y) - 25), (int(x) + 12, int(y) + 25), tiles, -1)
    if cup is not None:
        cv2.circle(picture, (int(TAKEN[0]), int(TAKEN[1])), 42, cup, -1)
    return np.asarray(np.clip(picture + noise(), 0, 255), np.uint8)


def bare(picture: NDArray[np.uint8]) -> bool:
    others = [back(place) for place in PLACES if place != TAKEN]
    return BackgroundModel().is_bare(SmallPicture.of(picture, CALIBRATION), back(TAKEN), others)


def test_a_gap_in_the_shade_of_its_neighbours_is_bare() -> None:
    cloth = planks((30, 40, 30), 0.5)
    assert bare(boneyard(cloth, (160, 220, 155), without=True))
    assert not bare(boneyard(cloth, (160, 220, 155)))


def test_a_gap_on_planks_is_bare_and_a_tile_like_them_is_not() -> None:
    wood = planks((66, 112, 172), 6.0)
    assert bare(boneyard(wood, (86, 146, 146), without=True))
    assert not bare(boneyard(wood, (86, 146, 146)))


def test_tiles_far_off_in_another_light_say_nothing_about_a_place() -> None:
    cloth = np.full((600, 900, 3), (169, 197, 179), np.float32)
    far = [(x + 500, y) for x, y in PLACES[:2]]
    x0, y0 = (int(v) for v in TAKEN)
    for gone in (True, False):
        picture = boneyard(cloth, (190, 196, 198), without=gone)
        if gone:
            gap = picture[y0 - 24 : y0 + 24, x0 - 11 : x0 + 11]
            gap[:] = gap * 0.88
        for x, y in far:
            cv2.rectangle(picture, (int(x) - 12, int(y) - 25), (int(x) + 12, int(y) + 25), (146, 170, 155), -1)
        others = [back(place) for place in (*PLACES, *far) if place != TAKEN]
        assert BackgroundModel().is_bare(SmallPicture.of(picture, CALIBRATION), back(TAKEN), others) is gone


def test_under_a_cup_nothing_is_bare() -> None:
    wood = planks((66, 112, 172), 6.0)
    for cup in ((200, 200, 205), (40, 40, 160), (20, 20, 20)):
        assert not bare(boneyard(wood, (86, 146, 146), cup=cup))


PX_PER_MM = 0.6567
WALL_PX = (
    *((46, 45), (64, 46), (82, 47), (101, 47), (118, 47), (136, 46)),
    *((46, 81), (65, 81), (83, 81), (102, 81), (119, 81), (138, 81)),
    *((46, 115), (65, 115), (83, 115), (101, 114), (120, 115), (137, 116)),
    *((47, 149), (65, 148), (83, 149), (101, 148), (119, 148), (138, 149)),
    *((46, 183), (65, 182), (83, 182), (102, 183), (118, 183), (137, 182)),
)
DRAWN = 5
"""The open wall of `carpet_drawn_*.jpg`, path-traced, on a patterned carpet; the last of its first row is drawn."""


def on_carpet() -> tuple[NDArray[np.uint8], NDArray[np.uint8], Calibration]:
    """Before and after the draw, and where the table is in them."""
    before, after = (open_picture(PICTURES / f"carpet_drawn_{when}.jpg") for when in ("before", "after"))
    h, w = before.shape[:2]
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    return before, after, Calibration.from_corners(corners, (w / PX_PER_MM, h / PX_PER_MM), 0.0, size_wh=(w, h))


def let_go_of(n: int, picture: NDArray[np.uint8]) -> bool:
    """Does the memory take tile n of the wall for drawn, once three looks have not found it?"""
    before, _, calibration = on_carpet()
    tiles = [SeenTile((x / PX_PER_MM, y / PX_PER_MM), 90.0, 48.0, 24.0, False, None, 0.9) for x, y in WALL_PX]
    things, table, memory = Blobs(), BackgroundModel(), TableMemory()
    things.keep(SmallPicture.of(before, calibration), tiles)
    memory.see(tiles, [], Looked(), 24.0)
    for _ in range(3):
        memory.see([tile for tile in tiles if tile is not tiles[n]], [], Looked(), 24.0)
    let_go(memory, StillLook(SmallPicture.of(picture, calibration), 24.0, things, table))
    return len(memory.tracks) < len(tiles)


def test_a_tile_drawn_from_a_carpet_is_gone_whatever_its_pattern_looks_like() -> None:
    before, after, _ = on_carpet()
    assert let_go_of(DRAWN, after)
    for n in (0, DRAWN, DRAWN + 6, 20):
        assert not let_go_of(n, before), "the eye has overlooked a tile that lies there as it lay"


@pytest.mark.parametrize("colour", [(200, 200, 205), (40, 40, 160), (20, 20, 20), (90, 110, 120)])
def test_a_cup_or_a_crumb_on_a_tile_takes_none_away(colour: tuple[int, int, int]) -> None:
    before, _, _ = on_carpet()
    for radius in (5, 9, 24, 34):
        with_it = before.copy()
        cv2.circle(with_it, WALL_PX[DRAWN], radius, colour, -1)
        assert not let_go_of(DRAWN, with_it), radius


BOARD_PX_PER_MM = 0.769
BOARD_PX = [(37.1 + 21.5 * n, y) for y in (41.6, 82.4) for n in range(5)]
"""The boneyard of `board_drawn_*.jpg`, rendered: black tiles on a cloth that is nearly black under them. The first is
drawn."""


def on_board(when: str) -> tuple[NDArray[np.uint8], Calibration]:
    picture = open_picture(PICTURES / f"board_drawn_{when}.jpg")
    h, w = picture.shape[:2]
    corners, size_mm = (
        np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32),
        (w / BOARD_PX_PER_MM, h / BOARD_PX_PER_MM),
    )
    return picture, Calibration.from_corners(corners, size_mm, 0.0, size_wh=(w, h))


@pytest.mark.parametrize("coin", [None, (40, 40, 160), (200, 200, 205), (0, 0, 0)])
def test_half_a_place_tells_of_a_draw_where_the_rest_looks_like_the_cloth(coin: tuple[int, int, int] | None) -> None:
    before, calibration = on_board("before")
    after, _ = on_board("after")
    if coin is not None:
        after = before.copy()
        cv2.circle(after, (round(BOARD_PX[0][0]), round(BOARD_PX[0][1])), 10, coin, -1)
    tiles = [replace(back((x / BOARD_PX_PER_MM, y / BOARD_PX_PER_MM)), confidence=0.99) for x, y in BOARD_PX]
    things, memory = Blobs(), TableMemory()
    things.keep(SmallPicture.of(before, calibration), tiles)
    memory.see(tiles, [], Looked(), 25.0)
    where = StillLook(SmallPicture.of(after, calibration), 25.0, things, BackgroundModel())
    print_there = replace(tiles[0], face_up=True, halves=(UNREAD, UNREAD), confidence=0.65)
    assert (print_there in without_prints([*tiles[1:], print_there], memory, where)) is (coin is not None)
    for _ in range(2):
        memory.see(tiles[1:], [], Looked(), 25.0)
    let_go(memory, where)
    assert (len(memory.tracks) < len(tiles)) is (coin is None)


def looked_at(before: NDArray[np.uint8], confidence: float = 0.9) -> tuple[TableMemory, Blobs, BackgroundModel]:
    """Tiles that were found with this confidence on a still table."""
    tiles = [replace(back(place), confidence=confidence) for place in PLACES]
    things, memory = Blobs(), TableMemory()
    things.keep(SmallPicture.of(before, CALIBRATION), tiles)
    memory.see(tiles, [], Looked(), 25.0)
    return memory, things, BackgroundModel()


def missed(memory: TableMemory) -> None:
    """Two looks find the eighth no more."""
    for _ in range(2):
        memory.see([track.seen for n, track in enumerate(memory.tracks) if n != 7], [], Looked(), 25.0)


def test_a_tile_that_has_just_come_is_not_taken_away_because_its_place_has_changed() -> None:
    """It was put away, found once and missed twice: nothing showed that it had come."""
    cloth = planks((66, 112, 172), 6.0)
    before, after = boneyard(cloth, (86, 146, 146), without=True), boneyard(cloth, (86, 146, 146))
    others = [back(place) for place in PLACES if place != TAKEN]
    things, memory = Blobs(), TableMemory()
    things.keep(SmallPicture.of(before, CALIBRATION), others)
    memory.see(others, [], Looked(), 25.0)
    memory.begin()
    memory.see([*others, back(TAKEN)], [], Looked(), 25.0)
    for _ in range(2):
        memory.see(others, [], Looked(), 25.0)
    let_go(memory, StillLook(SmallPicture.of(after, CALIBRATION), 25.0, things, BackgroundModel()))
    assert len(memory.tracks) == len(PLACES)


UNREAD, READ = SeenHalf(None, 0.6), SeenHalf(5, 0.99)
PRINT = replace(back(TAKEN), face_up=True, halves=(UNREAD, UNREAD), confidence=0.85)


@pytest.mark.parametrize(
    ("find", "drawn", "left"),
    [
        (PRINT, True, False),
        (replace(PRINT, halves=(READ, UNREAD)), True, True),
        (PRINT, False, True),
        (replace(back(TAKEN), confidence=0.45), True, False),
        (replace(back(TAKEN), confidence=0.45), False, True),
    ],
    ids=["print", "a half is read", "the tile lies there", "faint print", "the tile is faint"],
)
def test_a_print_that_comes_to_light_where_a_tile_was_drawn_is_no_tile(find: SeenTile, drawn: bool, left: bool) -> None:
    cloth = planks((30, 40, 30), 0.5)
    memory, things, table = looked_at(boneyard(cloth, (160, 220, 155)))
    where = StillLook(
        SmallPicture.of(boneyard(cloth, (160, 220, 155), without=drawn), CALIBRATION), 25.0, things, table
    )
    others = [back(place) for place in PLACES if place != TAKEN]
    for _ in range(3):
        found = without_prints([*others, find], memory, where)
        assert (find in found) is left
        memory.see(found, [], Looked(), 25.0)
        let_go(memory, where)
    assert len(memory.tracks) == len(PLACES) - (not left)


def test_what_was_faintly_taken_for_a_tile_is_none_where_nothing_has_changed() -> None:
    cloth = planks((30, 40, 30), 0.5)
    empty = boneyard(cloth, (160, 220, 155), without=True)
    for confidence, none in ((0.45, 1), (0.95, 0)):
        memory, things, table = looked_at(empty, confidence)
        missed(memory)
        assert let_go(memory, StillLook(SmallPicture.of(empty, CALIBRATION), 25.0, things, table)) == none
        assert len(memory.tracks) == len(PLACES) - 1
    assert at_most(Layout(boneyard=15), 14).boneyard == 14
    assert at_most(Layout(boneyard=13), 14).boneyard == 13
