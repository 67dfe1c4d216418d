"""Pips of all sizes were dotted by hand, and what is read of them needs more to be believed."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision import by_hand
from vision.by_hand import DOUBTED, LEAST_HALVES, SURELY, areas_of_dots, doubted, ink_of

SIDE = 60
PLACES = {3: [(15, 15), (30, 30), (45, 45)], 4: [(15, 15), (15, 45), (45, 15), (45, 45)]}


def row_of_tiles(sizes: NDArray[np.float64], value: int = 4) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Tiles that stand upright in a row, each half with dots of these radii (n, 2, value), and their outlines."""
    n = len(sizes)
    image = np.full((2 * SIDE + 40, n * (SIDE + 20) + 20, 3), (60, 90, 40), np.uint8)
    quads = []
    for k in range(n):
        x, y = 20 + k * (SIDE + 20), 20
        image[y : y + 2 * SIDE, x : x + SIDE] = 225
        image[y + SIDE - 2 : y + SIDE + 2, x + 6 : x + SIDE - 6] = 30
        for half in (0, 1):
            for (u, v), radius in zip(PLACES[value], sizes[k, half], strict=True):
                centre = (x + u, y + half * SIDE + v)
                cv2.circle(
                    image, (16 * centre[0], 16 * centre[1]), round(16 * radius), (40, 30, 30), -1, cv2.LINE_AA, 4
                )
        quads.append([(x, y), (x + SIDE, y), (x + SIDE, y + 2 * SIDE), (x, y + 2 * SIDE)])
    return image, np.array(quads, np.float32)


def read(tiles: int, value: int, p: float) -> NDArray[np.float64]:
    out = np.full((tiles, 2, 19), (1 - p) / 18)
    out[:, :, value] = p
    return out


EVEN = np.full((3, 2, 4), 5.0)
UNEVEN = np.array([[[3.0, 6.0, 5.0, 7.0], [6.5, 3.5, 5.0, 4.0]]] * 3)


def test_the_dots_of_a_half_are_counted_without_the_dividing_line() -> None:
    image, quads = row_of_tiles(EVEN)
    for half in (0, 1):
        areas = areas_of_dots(image, quads[0], half)
        assert areas is not None and len(areas) == 4
        assert 0.02 < areas.mean() < 0.045
        assert areas.std() / areas.mean() < 0.1
    assert areas_of_dots(image, quads[0] * 0.4, 0) is None, "too small to tell"


def test_printed_pips_are_believed_as_before() -> None:
    image, quads = row_of_tiles(EVEN)
    p = read(3, 4, 0.93)
    assert np.array_equal(doubted(image, quads, p, []), p)


def test_uneven_pips_count_where_the_reader_is_certain_or_as_many_dots_are_seen() -> None:
    image, quads = row_of_tiles(UNEVEN)
    spreads: list[float] = []
    right = doubted(image, quads, read(3, 4, 0.98), spreads)
    assert len(spreads) == 6
    assert (right.argmax(2) == 4).all() and (right.max(2) == pytest.approx(0.98))
    unsure = doubted(image, quads, read(3, 4, 0.93), spreads)
    assert unsure.max() <= DOUBTED
    otherwise = read(3, 4, 0.98)
    otherwise[2, 1] = read(1, 5, 0.98)[0, 0]
    found = doubted(image, quads, otherwise, spreads)
    assert found[2, 1].max() <= DOUBTED and found[:2].max(2).min() == pytest.approx(0.98)
    otherwise[2, 1] = read(1, 5, SURELY + 0.001)[0, 0]
    assert doubted(image, quads, otherwise, spreads)[2, 1].argmax() == 5, "a certain reader is not outvoted"


def test_what_a_box_has_shown_before_tells_of_the_one_tile_that_is_looked_at_now() -> None:
    image, quads = row_of_tiles(UNEVEN)
    one = read(1, 4, 0.93)
    spreads: list[float] = []
    assert LEAST_HALVES > 2 and np.array_equal(doubted(image, quads[:1], one, spreads), one)
    doubted(image, quads, read(3, 4, 0.93), spreads)
    assert doubted(image, quads[:1], one, spreads).max() <= DOUBTED


def test_a_few_halves_do_not_speak_for_a_table_whose_pips_are_not_to_be_counted() -> None:
    image, quads = row_of_tiles(np.concatenate([UNEVEN, UNEVEN, UNEVEN, UNEVEN]))
    p = read(12, 6, 0.93)
    p[:2] = read(2, 4, 0.93)
    assert np.array_equal(doubted(image, quads, p, []), p), "four halves of 24 are counted as they are read"
    p[2:4] = read(2, 4, 0.93)
    assert doubted(image, quads, p, []).max() <= DOUBTED, "eight of 24 tell enough"


def test_of_a_full_table_the_surest_halves_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    image, quads = row_of_tiles(np.full((40, 2, 4), 5.0))
    asked: list[int] = []

    def look(image, quad, half, smallest_px):
        asked.append(half)
        return ink_of(image, quad, half, smallest_px)

    monkeypatch.setattr(by_hand, "ink_of", look)
    p = read(40, 4, 0.93)
    assert np.array_equal(doubted(image, quads, p, []), p)
    assert len(asked) == by_hand.MOST_LOOKED_AT


def test_dots_that_a_tiles_end_cuts_off_do_not_tell_how_even_they_are() -> None:
    """Some makers print them out to the end, and a part of each is left out there."""
    image, quads = row_of_tiles(EVEN)
    for (x, y), _, _, _ in quads.astype(int):
        image[y : y + 2 * SIDE, x : x + SIDE] = 225
        for u, v in ((15, 4), (45, 4), (30, 25), (30, 45)):
            for down in (v, 2 * SIDE - v):
                cv2.circle(image, (x + u, y + down), 5, (40, 30, 30), -1, cv2.LINE_AA)
    p = read(3, 4, 0.93)
    assert np.array_equal(doubted(image, quads, p, []), p)
