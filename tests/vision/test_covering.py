"""Halves under a marker are unreadable, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from vision.covering import uncovered
from vision.reading import Found, HalfReading, TileReading

TILE = np.array([[100, 140], [100, 100], [180, 100], [180, 140]], np.float32)
"""Half 0 lies at the left."""


def tile(face: str = "up") -> TileReading:
    halves = (HalfReading(5, 0.99), HalfReading(0, 0.98, ((2, 0.01),))) if face == "up" else None
    return TileReading(TILE, face, halves, 0.9)


def coin(x: float, y: float, confidence: float = 0.9, half: float = 12.0) -> Found:
    square = np.array([[-1, 1], [-1, -1], [1, -1], [1, 1]], np.float32) * half
    return Found(square + np.array([x, y], np.float32), confidence)


@pytest.mark.parametrize(
    ("where", "values"),
    [
        ((160, 120), (5, None)),
        ((120, 120), (None, 0)),
        ((140, 120), (None, None)),  # on the divider, a third of either half
        ((140, 160), (5, 0)),  # beside it
        ((192, 120), (5, 0)),  # touching its end
    ],
)
def test_what_lies_on_a_half_hides_it(where: tuple[float, float], values: tuple[int | None, int | None]) -> None:
    (read,) = uncovered([tile()], [coin(*where, half=15.0)])
    assert read.halves is not None
    assert (read.halves[0].value, read.halves[1].value) == values


def test_a_hidden_half_names_no_runner_up() -> None:
    (read,) = uncovered([tile()], [coin(160, 120)])
    assert read.halves is not None and read.halves[1] == HalfReading(None, 0.0)


def test_what_is_hardly_a_marker_hides_nothing() -> None:
    (read,) = uncovered([tile()], [coin(160, 120, confidence=0.3)])
    assert read.values == (5, 0)


def test_backs_stay_as_they_are() -> None:
    assert uncovered([tile("down")], [coin(160, 120)])[0].halves is None
