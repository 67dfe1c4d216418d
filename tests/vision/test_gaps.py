"""A gap framed by tiles that lie face down looks like one of them in outline, and like the table in colour."""

from __future__ import annotations

import numpy as np

from vision.plausibility import PlausibilitySettings, gaps

BLACK, WHITE, CLOTH = (30.0, 128.0, 128.0), (235.0, 128.0, 132.0), (150.0, 127.0, 134.0)


def colours(*rows: tuple[float, float, float]) -> np.ndarray:
    return np.array(rows, np.float32)


def test_what_looks_like_the_table_among_many_backs_is_none() -> None:
    assert gaps(colours(*[BLACK] * 9, CLOTH), PlausibilitySettings()).tolist() == [False] * 9 + [True]


def test_two_boxes_mixed_are_tiles_all_the_same() -> None:
    assert not gaps(colours(*[BLACK] * 5, *[WHITE] * 5), PlausibilitySettings()).any()


def test_shade_and_light_make_no_gap() -> None:
    assert not gaps(colours(*[(30.0 + 6 * n, 128.0, 128.0) for n in range(10)]), PlausibilitySettings()).any()


def test_a_few_backs_are_no_measure() -> None:
    assert not gaps(colours(*[BLACK] * 4, CLOTH), PlausibilitySettings()).any()
    assert gaps(np.zeros((0, 3), np.float32), PlausibilitySettings()).tolist() == []
