"""Tiles in a rack are counted, where its edge hides their lower ends."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision import racks
from vision.known_set import KnownSet
from vision.racks import standing, stood_up
from vision.reading import HalfReading, TileReading

READ, UNREAD = HalfReading(4, 0.99), HalfReading(None, 0.0)


def tile(x: float, y: float, first: HalfReading, second: HalfReading, *, turned: bool = False) -> TileReading:
    quad = np.array([[x, y], [x + 24, y], [x + 24, y + 44], [x, y + 44]], np.float32)
    return TileReading(quad[[2, 3, 0, 1]] if turned else quad, "up", (first, second), 0.9)


def test_how_many_stand_in_a_rack_is_said_and_how_many_ends_it_hides() -> None:
    rack = [tile(25 * n, n % 2, READ, UNREAD) for n in range(5)]
    rack[3] = tile(75, 0, UNREAD, READ, turned=True)
    rack[1] = tile(25, 0, READ, READ)
    told = standing(rack)
    assert told == "5 tiles stand in a row and 4 of them have an end hidden; lift them out to read those"
    dim = [*rack[:4], tile(100, 0, UNREAD, UNREAD), tile(125, 0, UNREAD, UNREAD)]
    assert "6 tiles stand in a row and 5 of them" in (standing(dim) or "")
    without_one = [*rack[:2], *rack[3:]]
    assert standing(without_one) is None, "two rows of two are no rack"
    assert "7 tiles stand in a row" in (standing([*rack, tile(125, 0, READ, READ), tile(150, 0, READ, UNREAD)]) or "")


def test_tiles_that_are_read_or_lie_anyhow_are_no_rack() -> None:
    assert standing([tile(25 * n, 0, READ, READ) for n in range(6)]) is None
    assert standing([tile(25 * n, 0, *((READ, UNREAD) if n % 2 else (UNREAD, READ))) for n in range(4)]) is None
    assert standing([tile(60 * n, 0, READ, UNREAD) for n in range(6)]) is None, "apart"
    assert standing([tile(0, 50 * n, READ, UNREAD) for n in range(6)]) is None, "end to end"
    assert standing([tile(25 * n, 0, UNREAD if n > 1 else READ, UNREAD) for n in range(6)]) is None, "glare"
    assert standing([]) is None


WIDE, LEFT, TOP, LIP = 60, 60, 50, 40


def rack(values: list[tuple[int, int]], hidden: float, cloth: int = 60) -> np.ndarray:
    """Pale tiles side by side on a dark cloth, a brown lip over that share of their lower ends."""
    image = np.full((260, LEFT * 2 + WIDE * len(values), 3), cloth, np.uint8)
    bottom = TOP + 2 * WIDE
    for n, (upper, lower) in enumerate(values):
        x = LEFT + WIDE * n
        cv2.rectangle(image, (x + 1, TOP), (x + WIDE - 2, bottom), (215, 225, 230), -1)
        cv2.line(image, (x + 6, TOP + WIDE), (x + WIDE - 7, TOP + WIDE), (20, 20, 20), 3)
        for value, y in ((upper, TOP), (lower, TOP + WIDE)):
            for k in range(value):
                cv2.circle(image, (x + 15 + 30 * (k % 2), y + 15 + 15 * (k // 2)), 5, (20, 20, 20), -1, cv2.LINE_AA)
    edge = round(bottom - hidden * 2 * WIDE)
    cv2.rectangle(image, (0, edge), (image.shape[1], edge + LIP), (40, 60, 95), -1)
    return image


def lying(x: float, y: float, w: float, h: float, a: int, b: int) -> TileReading:
    """What was found across, its first value at the left."""
    quad = np.array([[x, y + h], [x, y], [x + w, y], [x + w, y + h]], np.float32)
    return TileReading(quad, "up", (HalfReading(a, 0.99), HalfReading(b, 0.99)), 0.8)


def across_the_upper_halves(values: list[tuple[int, int]]) -> list[TileReading]:
    pairs = [(n, values[n][0], values[n + 1][0]) for n in range(0, len(values), 2)]
    return [lying(LEFT + WIDE * n, TOP, 2 * WIDE, WIDE + 2, a, b) for n, a, b in pairs]


@pytest.mark.parametrize(("beside", "apart"), [((0.6, 0.5, 0.4), 6), ((0.9, 0.3, 0.2), 3)])
def test_a_thing_beside_one_tile_of_a_train_makes_no_rack(beside, apart, monkeypatch) -> None:
    """The bodies go on beyond the flank of most tiles, not of one that a dark toy stands beside."""
    train = [lying(LEFT + 2 * WIDE * n, TOP, 2 * WIDE, WIDE, 3, 5) for n in range(3)]
    seen = {
        id(tile): np.array([[0.05, 20.0, 0.0], [like, 80.0, 0.0]]) for tile, like in zip(train, beside, strict=True)
    }
    monkeypatch.setattr(racks, "_beyond", lambda picture, tiles, n: seen[id(tiles[n])])
    assert len(stood_up(np.zeros((260, 480, 3), np.uint8), train, None)) == apart


@pytest.mark.parametrize(
    ("likes", "above", "apart"),
    [((0.3, 0.05, 0.2), 0.0, 6), ((0.3, 0.0, 0.2, 0.0), 0.0, 4), ((0.3, 0.2), 0.0, 2), ((0.3, 0.2, 0.2), 0.05, 3)],
)
def test_bodies_in_the_shadow_of_a_lip_go_on_too(likes, above, apart, monkeypatch) -> None:
    found = [lying(LEFT + 2 * WIDE * n, TOP, 2 * WIDE, WIDE, 3, 5) for n in range(len(likes))]
    seen = {
        id(tile): np.array([[above, 20.0, 0.0], [like, 150.0, 0.0]]) for tile, like in zip(found, likes, strict=True)
    }
    monkeypatch.setattr(racks, "_beyond", lambda picture, tiles, n: seen[id(tiles[n])])
    assert len(stood_up(np.zeros((260, 600, 3), np.uint8), found, None)) == apart


@pytest.mark.parametrize("turned", [False, True])
def test_two_upper_halves_are_two_tiles_that_stand(turned: bool) -> None:
    values = [(3, 4), (5, 6), (2, 5), (6, 4)]
    image, found = rack(values, 0.2), across_the_upper_halves(values)
    if turned:  # the second was found the other way round
        quad, (a, b) = found[1].quad_px[[2, 3, 0, 1]], found[1].halves
        found[1] = TileReading(quad, "up", (b, a), 0.8)
    told = sorted(stood_up(image, found, None), key=lambda tile: float(tile.quad_px[:, 0].mean()))
    assert [[half.value for half in tile.halves] for tile in told] == [[upper, None] for upper, _ in values]
    for n, tile in enumerate(told):
        assert np.abs(tile.quad_px[0] - [LEFT + WIDE * n, TOP]).max() <= 3
        assert np.abs(tile.quad_px[2] - [LEFT + WIDE * (n + 1), TOP + 2 * WIDE]).max() <= 5
    assert "4 tiles stand in a row" in (standing(told) or "")


def test_what_lies_end_to_end_on_cloth_or_alone_stays_as_it_was_found() -> None:
    values = [(3, 4), (5, 6), (2, 5), (6, 4)]
    found = across_the_upper_halves(values)
    cut_off = rack(values, 0.5)
    cut_off[TOP + WIDE :] = 60
    assert stood_up(cut_off, found, None) == found, "nothing goes on beyond the flanks"
    pale = np.where(cut_off == 60, np.uint8(222), cut_off)
    assert stood_up(np.asarray(pale), found, None) == found, "on a cloth of the tiles' colour"
    assert stood_up(rack(values, 0.2), found[:1], None) == found[:1]
    assert stood_up(rack(values, 0.2), [], None) == []


@pytest.mark.parametrize(("hidden", "told"), [(0.0, 4), (0.2, None)])
def test_what_a_lip_may_hide_of_lower_halves_is_unread(hidden: float, told: int | None) -> None:
    values = [(3, 4)] * 4
    seen = 2 * WIDE * (1 - hidden)
    found = [
        TileReading(quad, "up", (HalfReading(3, 0.99), HalfReading(4, 0.99)), 0.8)
        for quad in (
            np.array([[x, TOP], [x + WIDE, TOP], [x + WIDE, TOP + seen], [x, TOP + seen]], np.float32)
            for x in range(LEFT, LEFT + 4 * WIDE, WIDE)
        )
    ]
    read = stood_up(rack(values, hidden), found, KnownSet.double(6))
    assert [[half.value for half in tile.halves] for tile in read] == [[3, told]] * 4


@pytest.mark.parametrize(("value", "highest", "told"), [(9, 12, None), (9, 9, 9), (6, 6, 6), (4, 6, None), (0, 12, 0)])
def test_a_value_that_a_higher_one_without_its_outer_row_shows_too_is_unread(value, highest, told) -> None:
    found = [
        TileReading(quad, "up", (HalfReading(3, 0.99), HalfReading(value, 0.9993)), 0.8)
        for quad in (
            np.array([[x, TOP], [x + WIDE, TOP], [x + WIDE, TOP + 106], [x, TOP + 106]], np.float32)
            for x in range(LEFT, LEFT + 4 * WIDE, WIDE)
        )
    ]
    read = stood_up(rack([(3, 4)] * 4, 14 / 120), found, KnownSet.double(highest))
    assert [tile.halves[1].value for tile in read] == [told] * 4
