"""A picture that leans is straightened and looked at again, and what both looks tell is put together."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from datasets.render.table import TableCamera, TableScene, TableTile, render_table
from tests.vision.test_tile_shape import read, scattered
from vision.detections import Detections
from vision.eye import open_eye
from vision.frame import pyramid
from vision.reading import HalfReading, TileReading
from vision.rotated import iou, sides
from vision.second_look import SHARPEST_PX, STRETCHED, merged, straightened

SIZE_WH = (1000, 1000)


@pytest.mark.parametrize("lean", [30, 45, 60])
def test_straightened_tiles_are_rectangles_of_one_size(lean: float) -> None:
    tiles = read(scattered(12, lean))
    straight = straightened(tiles, SIZE_WH)
    assert straight is not None and straight.tile_px is not None
    quads = np.array([tile.quad_px for tile in tiles], np.float64)
    flat = cv2.perspectiveTransform(quads.reshape(1, -1, 2), straight.way).reshape(quads.shape)
    along, across = sides(flat.astype(np.float32))
    before = np.ptp(np.log(sides(quads.astype(np.float32))[0]))
    assert np.ptp(np.log(along)) < before / 3, "nearly one length"
    assert np.median(along) == pytest.approx(straight.tile_px, rel=0.1)
    assert np.median(across / along) == pytest.approx(0.5, abs=0.04)
    assert flat.min() > 0 and (flat.max((0, 1)) < straight.size_wh).all(), "all of it is in the picture"


def test_what_was_found_there_lies_in_the_picture_where_it_was() -> None:
    tiles = read(scattered(12, 45))
    straight = straightened(tiles, SIZE_WH)
    assert straight is not None
    things = Detections(tiles[3].quad_px[None], np.array([2], np.int8), np.array([0.9], np.float32))
    there = straight.there(things)
    assert there.confidence.tolist() == things.confidence.tolist()
    back = straight.back(TileReading(there.quads_px[0], "up", tiles[3].halves, 0.9))
    assert np.abs(back.quad_px - tiles[3].quad_px).max() < 0.05
    assert len(straight.there(Detections.none())) == 0


def test_the_straightened_picture_shows_what_lies_there() -> None:
    tiles = read(scattered(12, 45))
    image = np.full((1000, 1000, 3), 40, np.uint8)
    cv2.fillConvexPoly(image, tiles[5].quad_px.round().astype(np.int32), (200, 200, 200))
    straight = straightened(tiles, SIZE_WH)
    assert straight is not None
    flat = straight.of(pyramid(image))
    assert flat.shape[1::-1] == straight.size_wh
    quad = cv2.perspectiveTransform(tiles[5].quad_px[None].astype(np.float64), straight.way)[0]
    x, y = quad.mean(0).round().astype(int)
    assert flat[y, x].tolist() == [200, 200, 200]
    assert (
        abs(int((flat[..., 0] > 120).sum()) - cv2.contourArea(quad.astype(np.float32))) < 0.1 * (flat > 120).sum() / 3
    )


@pytest.mark.parametrize("lean", [0, 10, 80])
def test_nothing_is_straightened_from_above_or_from_too_far_aside(lean: float) -> None:
    assert straightened(read(scattered(12, lean)), SIZE_WH) is None


def test_of_too_few_tiles_the_picture_is_stretched_where_one_is_unread() -> None:
    tiles = read(scattered(3, 0))
    assert straightened(tiles, SIZE_WH) is None
    assert straightened([], SIZE_WH) is None
    unread = [*tiles, TileReading(tiles[0].quad_px + 300, "up", (HalfReading(4, 0.99), HalfReading(None, 0.5)), 0.9)]
    straight = straightened(unread, SIZE_WH)
    assert straight is not None and straight.tile_px is None
    assert straight.way[1, 1] / straight.way[0, 0] == pytest.approx(STRETCHED)
    large = [TileReading(tile.quad_px * 4, "up", tile.halves, 0.9) for tile in unread]
    straight = straightened(large, (4000, 4000))
    assert straight is not None and straight.size_wh[0] < 4000
    stretched = np.array([tile.quad_px for tile in large], np.float32) @ straight.way[:2, :2].T.astype(np.float32)
    assert np.median(sides(stretched)[0]) <= 1.3 * SHARPEST_PX


def tile(x: float, a: int | None, b: int | None, p: float = 0.99, y: float = 0, *, turned: bool = False) -> TileReading:
    """48 long and 24 wide, its first half at the left, or at the right where it is turned."""
    quad = np.array([[x, y + 24], [x, y], [x + 48, y], [x + 48, y + 24]], np.float32)
    halves = tuple(HalfReading(value, 0.0 if value is None else p) for value in (a, b))
    return TileReading(quad[[2, 3, 0, 1]] if turned else quad, "up", (halves[0], halves[1]), 0.9)


def surely(*values: tuple[int, int], p: float = 0.99):
    """A second reading, in the original picture, that gives these values to the tiles asked about."""

    def answer(quads):
        assert len(quads) == len(values)
        out = np.full((len(values), 2, 19), 0.0, np.float32)
        for n, pair in enumerate(values):
            out[n, 0, pair[0]] = out[n, 1, pair[1]] = p
        return out

    return answer


def told(tiles) -> list[tuple[int | None, ...]]:
    return [tuple(half.value for half in one.halves) for one in sorted(tiles, key=lambda one: one.quad_px[:, 0].min())]


def test_what_both_looks_read_alike_or_only_the_first_reads_stands() -> None:
    first = [tile(0, 1, 2), tile(100, 3, 4), tile(200, 5, 6)]
    second = [tile(1, 1, 2), tile(101, 4, 3, turned=True), tile(202, 5, None)]
    both = merged(first, second, surely())
    assert told(both[:1]) == [(1, 2)] and sorted(told(both)) == [(1, 2), (4, 3), (5, 6)]
    assert told(merged(first, [], surely())) == [(1, 2), (3, 4), (5, 6)]
    assert merged([], [], surely()) == []


def test_what_two_looks_read_otherwise_is_unread_and_may_be_either() -> None:
    (either,) = merged([tile(0, 1, 2)], [tile(1, 1, 3)], surely())
    assert told([either]) == [(1, None)] and either.halves is not None
    assert either.halves[1] == HalfReading(None, 0.0, ((2, 0.99), (3, 0.99)))


@pytest.mark.parametrize(("p", "again", "value"), [(0.99, 0.99, 2), (0.95, 0.99, None), (0.99, 0.95, None)])
def test_what_only_the_second_look_reads_has_to_be_read_so_in_the_picture_too(p, again, value) -> None:
    assert told(merged([tile(0, 1, None)], [tile(1, 1, 2, p)], surely((1, 2), p=again))) == [(1, value)]


def test_a_tile_that_only_the_second_look_finds_is_there_where_it_is_read() -> None:
    first = [tile(0, 1, 2)]
    assert told(merged(first, [tile(100, 5, 6)], surely((5, 6)))) == [(1, 2), (5, 6)]
    assert told(merged(first, [tile(100, None, None)], lambda quads: np.zeros((1, 2, 19)))) == [(1, 2)]
    half = tile(100, 5, None)
    assert told(merged(first, [half], surely((5, 0)))) == [(1, 2), (5, None)], "so no total is said"
    assert told(merged(first, [half], surely((5, 0), p=0.9))) == [(1, 2)]
    assert told(merged(first, [replace(half, confidence=0.4)], surely((5, 0)))) == [(1, 2)]


def test_an_outline_across_two_tiles_of_the_other_look_goes() -> None:
    two = [tile(0, 1, 2), tile(48, 2, 5)]
    assert told(merged([tile(24, 2, 2)], two, surely((1, 2), (2, 5)))) == [(1, 2), (2, 5)]
    assert told(merged(two, [tile(24, 2, 2)], surely((2, 2)))) == [(1, 2), (2, 5)]


def test_of_two_that_share_a_place_the_better_read_one_stays() -> None:
    assert told(merged([tile(0, 1, None)], [tile(28, 2, 3)], surely((2, 3)))) == [(2, 3)]
    assert told(merged([tile(0, 1, 4)], [tile(28, None, 3)], surely((0, 3)))) == [(1, 4)]


def test_a_back_that_the_other_look_reads_is_a_tile() -> None:
    back = TileReading(tile(0, 0, 0).quad_px, "down", None, 0.8)
    assert told(merged([tile(0, 1, 2)], [back], surely())) == [(1, 2)]
    assert told(merged([back], [tile(0, 1, 2)], surely((1, 2)))) == [(1, 2)]
    assert [one.face for one in merged([back], [back], surely())] == ["down"]


def test_a_table_that_leans_far_is_read() -> None:
    """The first look reads 18 of its 20 tiles."""
    rng = np.random.default_rng(3)
    pairs = [(a, b) for a in range(7) for b in range(a + 1)]
    lying = tuple(
        TableTile((80 + 110 * (n % 5), 70 + 100 * (n // 5)), float(rng.uniform(-180, 180)), pairs[int(k)])
        for n, k in enumerate(rng.permutation(len(pairs))[:20])
    )
    camera = TableCamera(width=1600, height=1200, height_mm=620, lean_deg=55)
    image, labels = render_table(TableScene((600.0, 450.0), lying, camera=camera, set_max=6, background="cloth"), 11)
    tiles = [label for label in labels if label["cls"] == 0]
    found = open_eye().look(image).tiles
    pairs_read = [(one, label) for label in tiles for one in found if iou(label["quad"], one.quad_px) > 0.5]
    right = [one for one, label in pairs_read if one.values and sorted(one.values) == sorted(label["values"])]
    wrong = [one for one, label in pairs_read if one.values and sorted(one.values) != sorted(label["values"])]
    assert len(right) == len(tiles) and not wrong
