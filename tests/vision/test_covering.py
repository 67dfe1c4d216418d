"""Halves under a marker are unreadable, and no others; a clearly read half has none on it."""

from __future__ import annotations

import numpy as np
import pytest

from vision.markers import bare, uncovered
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


@pytest.mark.parametrize(("confidence", "values"), [(0.7, (5, None)), (0.95, (None, None))])
def test_a_part_of_clear_pips_is_hidden_only_by_what_surely_is_a_marker(
    confidence: float, values: tuple[int | None, int | None]
) -> None:
    """On the divider, a third of either half; the blank one may be what the thing itself looks like."""
    (read,) = uncovered([tile()], [coin(140, 120, confidence, half=15.0)])
    assert read.halves is not None
    assert (read.halves[0].value, read.halves[1].value) == values


def test_backs_stay_as_they_are() -> None:
    assert uncovered([tile("down")], [coin(160, 120)])[0].halves is None


@pytest.mark.parametrize(
    ("confidence", "where", "believed"),
    [
        (0.7, (120, 120), False),  # on a five read at 0.99
        (0.995, (120, 120), True),  # surer than the reading
        (0.7, (160, 120), True),  # on a blank read at 0.97 only
        (0.7, (120, 160), True),  # beside the tile
        (0.7, (120, 138), True),  # hardly on it
    ],
)
def test_what_is_read_clearly_has_no_doubtful_marker_on_it(
    confidence: float, where: tuple[float, float], believed: bool
) -> None:
    print_on = TileReading(TILE, "up", (HalfReading(5, 0.99), HalfReading(0, 0.97)), 0.9)
    (marker,) = bare([print_on], [coin(*where, confidence=confidence, half=16.0)])
    assert (marker.confidence >= 0.5) == believed
    assert marker.confidence == (confidence if believed else 0.49)


def test_an_unread_half_and_a_blank_contradict_nothing() -> None:
    """A plain chip is sometimes read as a blank half."""
    (marker,) = bare([TileReading(TILE, "up", (HalfReading(0, 1.0), HalfReading(5, 1.0)), 0.9)], [coin(120, 120, 0.6)])
    assert marker.confidence == 0.6
    blurred = TileReading(TILE, "up", (HalfReading(None, 0.99, ((5, 0.99),)), HalfReading(0, 0.97)), 0.9)
    (marker,) = bare([blurred], [coin(120, 120, confidence=0.6)])
    assert marker.confidence == 0.6
