"""Digits are named and not read, unless they were taught; then the comparison alone reads them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from datasets.render.printing import _typeset
from vision.adaptation import Adaptation, learn
from vision.digits import SENTENCE, refused_by_digits
from vision.familiar import Appearance
from vision.reading import HalfReading, TileReading

SIDE = 48
DICE = {
    1: [(24, 24)],
    2: [(12, 12), (36, 36)],
    3: [(12, 12), (24, 24), (36, 36)],
    4: [(12, 12), (12, 36), (36, 12), (36, 36)],
    5: [(12, 12), (12, 36), (36, 12), (36, 36), (24, 24)],
    6: [(12, 12), (12, 36), (36, 12), (36, 36), (24, 12), (24, 36)],
}


def half(value: int, digits: bool, shift: tuple[int, int] = (0, 0)) -> np.ndarray:
    """(SIDE, SIDE) grey, the outer end at the left: digits stand upright when that end is on top."""
    out = np.full((SIDE, SIDE), 225, np.uint8)
    if digits and value:
        drawn = cv2.rotate(_typeset(str(value), 28, 4), cv2.ROTATE_90_COUNTERCLOCKWISE)
        h, w = drawn.shape
        y, x = (SIDE - h) // 2 + shift[0], (SIDE - w) // 2 + shift[1]
        out[y : y + h, x : x + w] = 225 - (drawn.astype(int) * 190 // 255).astype(np.uint8)
    elif value:
        for x, y in DICE[value]:
            cv2.circle(out, (x + shift[1], y + shift[0]), 5, 35, -1, cv2.LINE_AA)
    return out


def crop(a: int, b: int, digits: bool, shift: tuple[int, int] = (0, 0)) -> np.ndarray:
    both = np.concatenate([half(a, digits, shift), half(b, digits, shift)[::-1, ::-1]], 1)
    return np.repeat(both[:, :, None], 3, 2)


def picture(pairs: list[tuple[int, int]], digits: bool) -> tuple[np.ndarray, list[TileReading]]:
    image = np.full((SIDE + 20, len(pairs) * (2 * SIDE + 12) + 12, 3), 60, np.uint8)
    tiles = []
    for n, pair in enumerate(pairs):
        x = 12 + n * (2 * SIDE + 12)
        image[10 : 10 + SIDE, x : x + 2 * SIDE] = crop(*pair, digits)
        quad = np.array([[x, 10 + SIDE], [x, 10], [x + 2 * SIDE, 10], [x + 2 * SIDE, 10 + SIDE]], np.float32)
        a, b = (HalfReading(value, 0.99) for value in pair)
        tiles.append(TileReading(quad, "up", (a, b), 0.9))
    return image, tiles


@pytest.mark.parametrize("pairs", [[(1, 3), (5, 2), (6, 0), (4, 4)], [(5, 3), (2, 6)]])
def test_tiles_with_digits_are_named_and_none_is_read(pairs: list[tuple[int, int]]) -> None:
    image, tiles = picture(pairs, digits=True)
    told, why = refused_by_digits(image, tiles)
    assert why == SENTENCE and [tile.values for tile in told] == [None] * len(pairs)
    image, tiles = picture(pairs, digits=False)
    assert refused_by_digits(image, tiles) == (tiles, None)


@pytest.mark.parametrize("digits", [True, False])
def test_short_dividing_lines_are_no_print(digits: bool) -> None:
    """Bars over half of a tile's width lie within its halves where the outline is a little off."""
    image, tiles = picture([(1, 4), (4, 1), (4, 4)], digits)
    for tile in tiles:
        x, y = (int(end) for end in tile.quad_px[1])
        for from_middle in (-8, 7):
            cv2.rectangle(
                image, (x + SIDE + from_middle, y + 12), (x + SIDE + from_middle + 1, y + 36), (20, 20, 20), -1
            )
    assert (refused_by_digits(image, tiles)[1] == SENTENCE) is digits


def test_few_tiles_carry_what_the_last_picture_of_the_box_showed() -> None:
    box = Appearance()
    for digits in (True, False):
        image, tiles = picture([(1, 3), (5, 2)], digits)
        assert (refused_by_digits(image, tiles, box)[1] == SENTENCE) is digits
        image, tiles = picture([(0, 0)], digits)
        assert (refused_by_digits(image, tiles, box)[1] == SENTENCE) is digits


def test_one_look_at_few_tiles_does_not_say_that_a_box_of_pips_carries_digits() -> None:
    """Pips that run together are as tall as a digit: most of what three tiles show may be such halves."""
    box = Appearance()
    image, tiles = picture([(1, 3), (5, 2), (6, 4), (4, 4)], digits=False)
    assert refused_by_digits(image, tiles, box) == (tiles, None)
    image, tiles = picture([(1, 3), (5, 0)], digits=True)
    assert refused_by_digits(image, tiles)[1] == SENTENCE, "alone they look like digits"
    assert refused_by_digits(image, tiles, box) == (tiles, None)
    image, tiles = picture([(1, 3), (5, 2), (6, 4), (4, 4), (2, 6), (3, 5)], digits=True)
    assert refused_by_digits(image, tiles, box)[1] == SENTENCE, "another set"


def test_what_carries_nothing_or_is_too_small_carries_no_digits() -> None:
    image, tiles = picture([(0, 0)] * 4, digits=True)
    assert refused_by_digits(image, tiles) == (tiles, None)
    image, tiles = picture([(1, 3), (5, 2), (6, 4)], digits=True)
    small = cv2.resize(image, None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA)
    tiles = [TileReading(tile.quad_px * np.float32(0.4), "up", tile.halves, 0.9) for tile in tiles]
    assert refused_by_digits(small, tiles) == (tiles, None)


def taught() -> Adaptation:
    """The network is sure, and always of a 3."""
    crops = np.array([[crop(value, value, True)] for value in range(7)])
    network = np.full((7, 2, 19), 0.01 / 18, np.float32)
    network[:, :, 3] = 0.99
    adaptation, before, after = learn("numbers", crops, [(v, v) for v in range(7)], network, digits=True)
    assert before < 0.2 and after == 1.0
    return adaptation


def test_what_was_taught_of_digits_reads_alone_however_sure_the_network_is() -> None:
    pairs = [(a, b) for a in range(7) for b in range(a)]
    p = np.zeros((len(pairs), 2, 21), np.float32)
    p[:, :, 3], p[:, :, 20] = 0.6, 0.4
    crops = np.array([crop(a, b, True, (3, -2)) for a, b in pairs])
    told = taught().weighed(p, crops, 19)
    assert [tuple(row) for row in told[:, :, :19].argmax(2).tolist()] == pairs
    assert told[:, :, :19].max(2).min() > 0.9, "a tile with a digit on it does not lie face down"


def test_what_is_like_no_digit_is_not_read() -> None:
    p = np.zeros((1, 2, 21), np.float32)
    p[:, :, 3] = 1.0
    spots = crop(5, 6, False)
    assert taught().weighed(p, spots[None], 19)[:, :, :19].max() <= 0.5


def test_a_blank_tile_of_a_taught_set_may_lie_face_down() -> None:
    p = np.zeros((1, 2, 21), np.float32)
    p[:, :, 0], p[:, :, 20] = 0.2, 0.8
    told = taught().weighed(p, crop(0, 0, True)[None], 19)
    assert told[0, :, 20].tolist() == pytest.approx([0.8, 0.8])
