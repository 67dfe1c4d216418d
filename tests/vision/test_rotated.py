"""Overlaps of outlines, against a grid of points and against the score's own clipping."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from datasets.render.labels import clipped
from models import scoring
from tests.lanes import nightly
from vision.rotated import area, areas, covered, iou, quads_of, shared, shared_each, suppress

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


def test_the_shared_area_is_what_a_grid_counts() -> None:
    for _ in range(20):
        a, b = (rectangle(*RNG.uniform(35, 55, 2), 30.0, 15.0, RNG.uniform(0, 7)) for _ in range(2))
        assert shared(a, b) == pytest.approx(counted(a, b), abs=10.0)
        assert shared(a, b) == pytest.approx(
            scoring.overlap(scoring.hull(a.tolist()), scoring.hull(b.tolist())), abs=1e-6
        )
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
    assert scoring.area(part) == pytest.approx(400)
    assert max(x for x, _ in part) == 100


def crowd(seed: int, things: int = 12, each: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Outlines (n, 4, 2) as a network finds them, many about each thing, and how surely (n,)."""
    rng = np.random.default_rng(seed)
    thing = rng.integers(0, things, things * each)
    x, y, turn, long = (rng.uniform(low, high, things)[thing] for low, high in ((0, 400), (0, 300), (0, 3.2), (40, 90)))
    count = len(thing)
    x, y, turn = x + rng.normal(0, 4, count), y + rng.normal(0, 4, count), turn + rng.normal(0, 0.1, count)
    long, wide = long * rng.uniform(0.6, 1.2, count), long / 2 * rng.uniform(0.6, 1.2, count)
    return quads_of(np.stack([x, y, long, wide, turn], 1)), rng.random(count).astype(np.float32)


def one_by_one(quads: np.ndarray, confidence: np.ndarray, iou_above: float, cover_above: float) -> list[int]:
    """The plain form of `suppress`: compare each outline with all those kept before it."""
    kept: list[int] = []
    for n in np.argsort(-confidence, kind="stable"):
        for k in kept:
            common, smaller = shared(quads[k], quads[n]), min(area(quads[k]), area(quads[n]))
            if iou(quads[k], quads[n]) > iou_above or (cover_above < 1 and common > cover_above * smaller):
                break
        else:
            kept.append(int(n))
    return kept


@pytest.mark.parametrize("seed", [0, *map(nightly, (1, 2, 3))])
def test_what_many_outlines_share_is_what_each_two_share(seed: int) -> None:
    quads, _ = crowd(seed)
    pairs = np.random.default_rng(seed).integers(0, len(quads), (2, 400))
    each = [shared(quads[i], quads[j]) for i, j in pairs.T]
    assert sum(one > 0 for one in each) > 20
    assert shared_each(quads[pairs[0]], quads[pairs[1]]) == pytest.approx(each, abs=1e-6)
    assert areas(quads) == pytest.approx([area(quad) for quad in quads], rel=1e-6)
    most = [max(shared(quad, other) / area(quad) for other in quads[20:]) for quad in quads[:20]]
    assert covered(quads[:20], quads[20:]) == pytest.approx(most, abs=1e-6)


def test_no_outlines_share_nothing() -> None:
    nothing = np.zeros((0, 4, 2), np.float32)
    assert len(shared_each(nothing, nothing)) == len(areas(nothing)) == len(suppress(nothing, np.zeros(0), 0.5)) == 0


@pytest.mark.parametrize(("iou_above", "cover_above"), [(0.5, 0.85), (0.3, 0.7), (0.85, 1.0)])
@pytest.mark.parametrize("seed", [0, *map(nightly, (1, 2))])
def test_what_is_kept_is_what_comparing_one_by_one_keeps(seed: int, iou_above: float, cover_above: float) -> None:
    quads, confidence = crowd(seed)
    # Boxes nearly on top of one another are dropped without being clipped: these are none.
    middles = quads.mean(1)
    far = [n for n in range(len(quads)) if (np.linalg.norm(middles[:n] - middles[n], axis=1) > 7).all()]
    quads, confidence = quads[far], confidence[far]
    kept = suppress(quads, confidence, iou_above, cover_above).tolist()
    assert kept == one_by_one(quads, confidence, iou_above, cover_above)
    assert len(kept) < len(quads) or iou_above == 0.85


def test_a_marker_is_not_dropped_because_it_lies_in_another_by_rounding() -> None:
    """It shares all of itself with the larger one: whether that is more than all was told by the last bit."""
    nested = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        x, y, turn = rng.uniform(100, 3000), rng.uniform(100, 3000), rng.uniform(0, 3)
        inner = [x + 8, y - 9, rng.uniform(30, 44), rng.uniform(18, 26), turn + rng.uniform(0, 3)]
        quads = quads_of(np.array([[x, y, 90, 60, turn], inner]))
        nested += shared(quads[0], quads[1]) > area(quads[1])
        assert len(suppress(quads, np.array([0.9, 0.8]), 0.85)) == 2
    assert nested, "in none of them did the last bit say that it is more"
