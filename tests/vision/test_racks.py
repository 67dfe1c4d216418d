"""Tiles in a rack are counted, where its edge hides their lower ends."""

from __future__ import annotations

import numpy as np

from vision.hand_group import standing
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
