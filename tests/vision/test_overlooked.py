"""A tile that was not found is named where its pips show outside every outline that is reported."""

from __future__ import annotations

import numpy as np

from vision.detections import Detections, Finds, records
from vision.overlooked import beyond_edge, overlooked
from vision.reading import CLASSES
from vision.rotated import iou

SIZE_WH = (400, 300)
Floats = np.ndarray


def lying(x: float, y: float) -> Floats:
    """A tile 40 long and 20 wide around (x, y)."""
    return np.array([[x - 20, y + 10], [x - 20, y - 10], [x + 20, y - 10], [x + 20, y + 10]], np.float32)


def reads(value: int, p: float = 0.95, at: float | None = None):
    """A reader that finds this value on one half of every outline, or only of those at `at`."""

    def scores(quads: Floats) -> Finds:
        told = np.zeros((len(quads), 2, CLASSES), np.float32)
        told[:, 0, value] = p if at is None else np.where(np.abs(quads.mean(1)[:, 0] - at) < 1, p, 0.0)
        n = len(quads)
        return records(Detections(quads, np.zeros(n, np.int8), np.full(n, 0.1, np.float32)), told)

    return scores


def test_a_find_that_shows_pips_and_is_not_reported_is_a_tile() -> None:
    seen, tiles = np.stack([lying(100, 100), lying(160, 100)]), lying(100, 100)[None]
    (lost,) = overlooked(seen, tiles, SIZE_WH, reads(3))
    assert iou(lost, seen[1]) > 0.99
    assert overlooked(seen, tiles, SIZE_WH, reads(3, 0.8)) == [], "hardly sure"
    assert overlooked(seen, tiles, SIZE_WH, reads(0)) == [], "the ground is as blank"
    assert overlooked(seen, seen, SIZE_WH, reads(3)) == [], "both are reported"
    assert overlooked(seen[:0], tiles[:0], SIZE_WH, reads(3)) == []


def test_a_tile_that_runs_out_of_the_picture_beside_another_is_asked_for() -> None:
    inside, at_edge = lying(200, 150)[None], lying(37, 150)[None]
    assert not len(beyond_edge(inside, SIZE_WH))
    out = beyond_edge(at_edge, SIZE_WH)
    assert any(iou(one, lying(-3, 150)) > 0.99 for one in out), "in line"
    assert all(one[:, 0].min() < 0 < one[:, 0].max() for one in out)
    (lost,) = overlooked(inside[:0], at_edge, SIZE_WH, reads(5, at=-3))
    assert iou(lost, lying(-3, 150)) > 0.99


def test_outlines_beside_a_tile_have_its_shape_and_turn_as_it_does() -> None:
    square = np.array([[0, 20], [0, 0], [40, 0], [40, 20]], np.float32) + 5
    for one in beyond_edge(square[None], (50, 30)):
        area = sum(np.cross(one[n], one[(n + 1) % 4]) for n in range(4)) / 2
        assert abs(area - 800) < 1, "clockwise as displayed, and as large"
