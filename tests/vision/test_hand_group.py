"""The group of tiles nearest to the middle is the hand."""

from __future__ import annotations

import numpy as np

from vision.hand_group import in_hand
from vision.reading import TileReading

LENGTH, WIDTH = 100, 50


def outlines(*middles: tuple[float, float]) -> np.ndarray:
    box = np.array([[-WIDTH, -LENGTH], [WIDTH, -LENGTH], [WIDTH, LENGTH], [-WIDTH, LENGTH]], np.float32) / 2
    return np.array([box + np.array(middle, np.float32) for middle in middles], np.float32)


def lying(quads: np.ndarray, face: str = "up") -> list[TileReading]:
    return [TileReading(quad, face, None, 0.9) for quad in quads]


def tiles(*middles: tuple[float, float]) -> list[TileReading]:
    return lying(outlines(*middles))


def test_backs_in_the_middle_are_no_hand() -> None:
    backs = lying(outlines(*[(450.0 + 80 * n, 500.0) for n in range(3)]), "down")
    hand = tiles(*[(450.0 + 80 * n, 60.0) for n in range(3)])
    assert in_hand([*backs, *hand], (1000, 1000)).tolist() == [False] * 3 + [True] * 3
    assert in_hand(backs, (1000, 1000)).all()


def test_what_lies_away_from_the_middle_is_not_of_the_hand() -> None:
    hand = [(450.0 + 80 * n, 500.0) for n in range(3)]
    others = [(450.0 + 80 * n, 60.0) for n in range(3)]
    assert in_hand(tiles(*hand, *others), (1000, 1000)).tolist() == [True] * 3 + [False] * 3


def test_two_rows_of_one_hand_are_one_group() -> None:
    rows = [(300.0 + 80 * n, y) for n in range(4) for y in (450.0, 450.0 + LENGTH * 2)]
    assert in_hand(tiles(*rows), (1000, 1000)).all()


def test_single_tiles_far_apart_are_all_of_the_hand() -> None:
    assert in_hand(tiles((500.0, 500.0), (60.0, 60.0)), (1000, 1000)).all()


def test_no_tiles_no_hand() -> None:
    assert in_hand(tiles(), (1000, 1000)).shape == (0,)


def test_a_hand_one_tile_below_a_train_is_a_hand() -> None:
    train = outlines(*[(200.0 + LENGTH * n, 420.0) for n in range(6)])
    middle = train.mean(1, keepdims=True)
    train = np.float32(middle + (train - middle)[..., ::-1] * [1, -1])  # end to end
    hand = outlines(*[(300.0 + 90 * n, 420.0 + WIDTH / 2 + 1.4 * LENGTH) for n in range(4)])
    both = np.concatenate([train, hand])
    assert in_hand(lying(both), (1000, 840)).tolist() == [False] * 6 + [True] * 4
    assert in_hand(lying(train), (1000, 840)).all(), "where nothing else lies, it is what was photographed"
    nearer = np.concatenate([train, hand - np.float32([0, 60])])
    assert in_hand(lying(nearer), (1000, 840)).all()


def test_a_hand_side_by_side_is_no_train() -> None:
    hand = outlines(*[(300.0 + WIDTH * n, 420.0) for n in range(6)])
    others = outlines(*[(300.0 + 90 * n, 640.0) for n in range(3)])
    assert in_hand(lying(np.concatenate([hand, others])), (1000, 840)).all()


def test_a_tile_a_little_off_a_train_is_of_the_train_and_not_of_the_hand_below() -> None:
    train = outlines(*[(200.0 + LENGTH * n + (40 if n == 5 else 0), 420.0) for n in range(6)])
    middle = train.mean(1, keepdims=True)
    train = np.float32(middle + (train - middle)[..., ::-1] * [1, -1])  # end to end, the last 0.4 lengths away
    hand = outlines(*[(300.0 + 90 * n, 420.0 + WIDTH / 2 + 1.4 * LENGTH) for n in range(2)])
    both = lying(np.concatenate([train, hand]))
    assert in_hand(both, (1000, 840)).tolist() == [False] * 6 + [True] * 2


def test_a_row_that_stands_right_against_a_train_is_the_hand() -> None:
    train = outlines(*[(200.0 + LENGTH * n, 420.0) for n in range(6)])
    middle = train.mean(1, keepdims=True)
    train = np.float32(middle + (train - middle)[..., ::-1] * [1, -1])  # end to end
    row = outlines(*[(300.0 + 52 * n, 420.0 + WIDTH / 2 + LENGTH / 2 + 5) for n in range(4)])
    assert in_hand(lying(np.concatenate([train, row])), (1000, 840)).tolist() == [False] * 6 + [True] * 4
    two = lying(np.concatenate([train, row[:2]]))
    assert in_hand(two, (1000, 840)).all(), "two side by side may be of the table"
    across = lying(np.concatenate([train, row, outlines((200.0 - LENGTH / 2 - WIDTH / 2, 420.0))]))
    assert in_hand(across, (1000, 840)).all(), "what is of neither may be of the hand"
