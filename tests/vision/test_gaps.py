"""A gap framed by tiles that lie face down looks like one of them in outline, and like the table in colour."""

from __future__ import annotations

import numpy as np

from vision.plausibility import gaps as gaps_among
from vision.plausibility import in_rows

BLACK, WHITE, CLOTH = (30.0, 128.0, 128.0), (235.0, 128.0, 132.0), (150.0, 127.0, 134.0)


def packed(count: int) -> np.ndarray:
    """Tiles of 25 by 50 side by side, 30 apart, in rows of five."""
    corners = np.array([[0, 50], [0, 0], [25, 0], [25, 50]], np.float32)
    places = np.array([(30 * (n % 5), 55 * (n // 5)) for n in range(count)], np.float32)
    return np.asarray(corners[None] + places[:, None], np.float32)


def colours(*rows: tuple[float, float, float]) -> np.ndarray:
    return np.array(rows, np.float32)


def gaps(quads: np.ndarray, bodies: np.ndarray, believed: float = 0.7) -> np.ndarray:
    return gaps_among(quads, bodies, np.full(len(quads), believed, np.float32))


def test_what_looks_like_the_table_among_many_backs_is_none() -> None:
    assert gaps(packed(10), colours(*[BLACK] * 9, CLOTH)).tolist() == [False] * 9 + [True]


def test_two_boxes_mixed_are_tiles_all_the_same() -> None:
    assert not gaps(packed(10), colours(*[BLACK] * 5, *[WHITE] * 5)).any()


def test_shade_and_light_make_no_gap() -> None:
    assert not gaps(packed(10), colours(*[(30.0 + 6 * n, 128.0, 128.0) for n in range(10)])).any()


def test_a_few_backs_are_no_measure() -> None:
    assert not gaps(packed(5), colours(*[BLACK] * 4, CLOTH)).any()
    assert gaps(packed(1)[:0], np.zeros((0, 3), np.float32)).tolist() == []


def test_a_back_that_shines_in_the_light_is_a_tile_where_it_lies_alone() -> None:
    quads = packed(10)
    quads[9] += 400
    assert not gaps(quads, colours(*[BLACK] * 9, CLOTH)).any()


def test_what_is_hardly_believed_and_looks_like_no_other_back_is_none_wherever_it_lies() -> None:
    quads = packed(10)
    quads[9] += 400
    alone = gaps(quads, colours(*[BLACK] * 9, CLOTH), believed=0.4)
    assert alone.tolist() == [False] * 9 + [True]
    assert not gaps(quads, colours(*[BLACK] * 10), believed=0.4).any()


def rows(quads: np.ndarray, *bodies: tuple[float, float, float]) -> bool:
    """Whether the last of these is one of the rows of the others, which lie face down."""
    last = len(quads) - 1
    (found,) = in_rows(quads, colours(*bodies), np.arange(last), np.array([last]))
    return bool(found)


def test_a_scratched_back_in_the_rows_of_the_boneyard_is_one_of_them() -> None:
    assert rows(packed(10), *[BLACK] * 10)


def test_a_tile_of_another_body_or_beside_the_rows_is_not() -> None:
    assert not rows(packed(10), *[BLACK] * 9, WHITE)
    askew = packed(10)
    askew[-1] += 18.0
    assert not rows(askew, *[BLACK] * 10)
    crosswise = packed(10)
    middle = crosswise[-1].mean(0)
    crosswise[-1] = middle + (crosswise[-1] - middle)[:, ::-1] * [1, -1]
    assert not rows(crosswise, *[BLACK] * 10)
    assert not rows(packed(4), *[BLACK] * 4), "a few backs are no boneyard"
