"""Overlaps of outlines, against a grid of points and against the score's own clipping."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from models import scoring
from vision.rotated import area, clipped, iou, shared

RNG = np.random.default_rng(11)


def rectangle(x: float, y: float, long: float, wide: float, turn: float) -> np.ndarray:
    along, across = (
        np.array([np.cos(turn), np.sin(turn)]) * long / 2,
        np.array([-np.sin(turn), np.cos(turn)]) * wide / 2,
    )
    return np.array([x, y]) + np.array([-along + across, -along - across, along - across, along + across])


def counted(a: np.ndarray, b: np.ndarray) -> float:
    """The shared area on a grid of tenths."""
    both = [cv2.fillConvexPoly(np.zeros((900, 900), np.uint8), np.round(q * 10).astype(np.int32), 1) for q in (a, b)]
    return float((both[0] & both[1]).sum()) / 100


@pytest.mark.parametrize("case", range(20))
def test_the_shared_area_is_what_a_grid_counts(case: int) -> None:
    a, b = (rectangle(*RNG.uniform(35, 55, 2), 30.0, 15.0, RNG.uniform(0, 7)) for _ in range(2))
    assert shared(a, b) == pytest.approx(counted(a, b), abs=10.0)
    assert shared(a, b) == pytest.approx(scoring.overlap(scoring.hull(a.tolist()), scoring.hull(b.tolist())), abs=1e-6)
    assert iou(a, b) == pytest.approx(iou(b, a))


def test_outlines_that_differ_by_rounding_share_everything() -> None:
    a = rectangle(50, 50, 40, 20, 0.3)
    assert iou(a, a + 1e-6) > 0.9999


def test_what_lies_apart_shares_nothing() -> None:
    a = rectangle(20, 20, 10, 5, 0.0)
    assert clipped(a, a + 30) == []
    assert shared(a, a + 30) == 0.0


def test_the_part_of_an_outline_that_is_in_the_picture() -> None:
    frame = np.array([[0, 0], [100, 0], [100, 100], [0, 100]], float)
    part = clipped(rectangle(100, 50, 40, 20, 0.0), frame)
    assert area(part) == pytest.approx(400)
    assert max(x for x, _ in part) == 100
