"""A gap framed by tiles that lie face down looks like one of them in outline, and like the table in colour."""

from __future__ import annotations

import numpy as np

from vision.plausibility import PlausibilitySettings, gaps

BLACK, WHITE, CLOTH = (30.0, 128.0, 128.0), (235.0, 128.0, 132.0), (150.0, 127.0, 134.0)


def packed(count: int) -> np.ndarray:
    """Tiles of 25 by 50 side by side, 30 apart, in rows of five."""
    corners = np.array([[0, 50], [0, 0], [25, 0], [25, 50]], np.float32)
    places = np.array([(30 * (n % 5), 55 * (n // 5)) for n in range(count)], np.float32)
    return np.asarray(corners[None] + places[:, None], np.float32)


def colours(*rows: tuple[float, float, float]) -> np.ndarray:
    return np.array(rows, np.float32)


def test_what_looks_like_the_table_among_many_backs_is_none() -> None:
    assert gaps(packed(10), colours(*[BLACK] * 9, CLOTH), PlausibilitySettings()).tolist() == [False] * 9 + [True]


def test_two_boxes_mixed_are_tiles_all_the_same() -> None:
    assert not gaps(packed(10), colours(*[BLACK] * 5, *[WHITE] * 5), PlausibilitySettings()).any()


def test_shade_and_light_make_no_gap() -> None:
    assert not gaps(
        packed(10), colours(*[(30.0 + 6 * n, 128.0, 128.0) for n in range(10)]), PlausibilitySettings()
    ).any()


def test_a_few_backs_are_no_measure() -> None:
    assert not gaps(packed(5), colours(*[BLACK] * 4, CLOTH), PlausibilitySettings()).any()
    assert gaps(packed(1)[:0], np.zeros((0, 3), np.float32), PlausibilitySettings()).tolist() == []


def test_a_back_that_shines_in_the_light_is_a_tile_where_it_lies_alone() -> None:
    quads = packed(10)
    quads[9] += 400
    assert not gaps(quads, colours(*[BLACK] * 9, CLOTH), PlausibilitySettings()).any()
