"""`bench.held` shows whole hands and counts a total that is not said as open, never as right."""

from __future__ import annotations

import numpy as np

from bench.held import counted, hand_photographed
from companion.rules.tile import Tile
from vision.reading import HalfReading, PictureReading, TileReading


class Said:
    """An eye that says these tiles; None is one it cannot read."""

    def __init__(self, *tiles: tuple[int, int] | None) -> None:
        self.tiles = tiles

    def look(self, image: np.ndarray) -> PictureReading:
        readings = []
        for n, values in enumerate(self.tiles):
            quad = np.array([[0, 30 * n], [40, 30 * n], [40, 30 * n + 20], [0, 30 * n + 20]], np.float32)
            low, high = (None, None) if values is None else values
            readings.append(TileReading(quad, "up", (HalfReading(low, 0.99, ()), HalfReading(high, 0.99, ())), 0.9))
        return PictureReading((8, 8), tuple(readings))


HAND, IMAGE = [Tile(0, 0), Tile(3, 5)], np.zeros((8, 8, 3), np.uint8)


def test_totals_are_right_wrong_or_open() -> None:
    assert counted(Said((0, 0), (3, 5)), HAND, IMAGE)["total right"] == 1  # type: ignore[arg-type]
    missed = counted(Said((3, 5)), HAND, IMAGE)  # type: ignore[arg-type]
    assert missed["total wrong"] == 1 and missed["right"] == 1 and missed["tiles"] == 2
    unread = counted(Said((0, 0), None), HAND, IMAGE)  # type: ignore[arg-type]
    assert unread["total open"] == 1 and unread["unread"] == 1 and "total right" not in unread
    assert counted(Said((0, 0), (3, 6)), HAND, IMAGE)["wrong"] == 1  # type: ignore[arg-type]


def test_a_hand_is_the_same_for_the_same_seed_and_leans_as_asked() -> None:
    hand, leans, image = hand_photographed(139899, (20.0, 30.0), (320, 240))
    again, _, _ = hand_photographed(139899, (20.0, 30.0), (320, 240))
    assert hand == again and 4 <= len(hand) <= 14 and len(set(hand)) == len(hand)
    assert 20.0 <= leans <= 30.0 and image.shape == (240, 320, 3)
