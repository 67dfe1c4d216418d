"""Rectified halves, rotated boxes, pieces of a large picture."""

import itertools

import cv2
import numpy as np
import pytest

from vision.detector import pieces
from vision.frame import pyramid
from vision.rectify import cut_tile, cut_wh, grown, half_corners, middle, shifted
from vision.rotated import area, iou, quads_of, shared, sides, suppress

FLAT = np.array([[0, 20], [0, 0], [40, 0], [40, 20]], float)


def test_the_divider_of_a_flat_tile_is_in_its_middle():
    on_12, on_03 = middle(FLAT)
    assert on_12 == pytest.approx((20, 0)) and on_03 == pytest.approx((20, 20))


def test_the_divider_lies_where_perspective_puts_it():
    to_picture = np.array([[30, 2, 100], [-1, 28, 80], [0.02, 0.01, 1]])
    unit = np.array([[[0, 1]], [[0, 0]], [[2, 0]], [[2, 1]], [[1, 0]], [[1, 1]]], float)
    points = cv2.perspectiveTransform(unit, to_picture)[:, 0]
    on_12, on_03 = middle(points[:4])
    assert on_12 == pytest.approx(points[4], abs=1e-3) and on_03 == pytest.approx(points[5], abs=1e-3)


def drawn_tile(angle, scale=1.0):
    """A tile whose half 0 has a mark at its outer end and half 1 is plain; returns picture and quad."""
    local = np.array([[-40, 20], [-40, -20], [40, -20], [40, 20]], np.float32) * scale
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], np.float32)
    middle_px = np.float32([150, 150]) * scale
    quad = local @ turn.T + middle_px
    image = np.full((round(300 * scale), round(300 * scale), 3), 60, np.uint8)
    cv2.fillPoly(image, [np.round(quad).astype(np.int32)], (200, 200, 200))
    mark = np.float32([-33, 0]) * scale @ turn.T + middle_px
    cv2.circle(image, tuple(np.round(mark).astype(int).tolist()), round(5 * scale), (0, 0, 0), -1)
    return image, quad


@pytest.mark.parametrize("angle", np.linspace(0, 2 * np.pi, 9)[:-1])
@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_a_half_is_cut_with_its_outer_end_at_the_left_however_the_tile_lies(angle, scale):
    image, quad = drawn_tile(angle, scale)
    marked, plain = (cut_wh(image, grown(half_corners(quad, half), 0.06), (48, 48)) for half in (0, 1))
    columns = np.flatnonzero(marked.mean(2)[20:28].min(0) < 60)
    assert columns.max() < 20
    assert plain[8:40, 8:40].min() > 150
    whole = cut_tile(image, quad)
    assert whole.shape == (48, 96, 3) and whole[20:28, :25].min() < 60 and whole[8:40, 48:88].min() > 150


def test_both_halves_look_the_same_way_round():
    for half, outer_px in ((0, 0.0), (1, 40.0)):
        corners = half_corners(FLAT, half)
        assert corners[[0, 3], 0] == pytest.approx(outer_px) and corners[[1, 2], 0] == pytest.approx(20)
        assert area(corners) == pytest.approx(400)


def test_boxes_become_clockwise_quads_with_a_short_edge_first():
    boxes = np.array([[50, 50, 40, 20, 0.3], [50, 50, 20, 40, 0.3], [9, 9, 6, 3, -2.0]], np.float32)
    for quad, box in zip(quads_of(boxes), boxes, strict=True):
        along, across = sides(quad[None])
        assert (along[0], across[0]) == pytest.approx((max(box[2:4]), min(box[2:4])), rel=1e-5)
        (ax, ay), (bx, by) = quad[1] - quad[0], quad[2] - quad[1]
        assert ax * by - ay * bx > 0
        expected = cv2.boxPoints(((float(box[0]), float(box[1])), (float(box[2]), float(box[3])), np.degrees(box[4])))
        assert iou(quad, expected) > 0.999


def test_the_overlap_of_turned_boxes():
    a, b = quads_of(np.array([[0, 0, 4, 2, 0], [0, 0, 4, 2, np.pi / 2]], np.float32))
    assert iou(a, b) == pytest.approx(4 / 12, rel=1e-4)
    assert iou(a, a + 100) == 0


def test_of_two_boxes_on_one_tile_the_surer_one_stays():
    boxes = np.array([[50, 50, 40, 20, 0], [52, 50, 40, 20, 0.1], [50, 72, 40, 20, 0], [45, 50, 20, 20, 0]], np.float32)
    kept = suppress(quads_of(boxes), np.array([0.7, 0.9, 0.8, 0.6]), 0.3, 0.7)
    assert sorted(kept) == [1, 2]  # the neighbour that only touches stays, the half inside goes


def test_many_touching_tiles_all_stay():
    boxes = np.array([[40.0 * i, 20.0 * j, 40, 20, 0] for i in range(8) for j in range(8)], np.float32)
    assert len(suppress(quads_of(boxes), np.linspace(0.5, 0.9, 64), 0.3, 0.7)) == 64


def test_equal_outlines_share_all_of_themselves_however_they_are_rounded():
    rng = np.random.default_rng(0)
    for quad in quads_of(rng.uniform([0, 0, 30, 15, -4], [99, 99, 60, 25, 4], (50, 5)).astype(np.float32)):
        assert shared(quad, quad + rng.normal(0, 1e-6, (4, 2))) == pytest.approx(area(quad), rel=1e-4)


@pytest.mark.parametrize("length", [10, 1024, 1025, 1900, 4096, 9999])
def test_pieces_cover_everything_and_overlap(length):
    got = pieces(length, 1024, 90)
    assert got[0][0] == 0 and got[-1][1] == length
    assert all(end - start <= 1024 for start, end in got)
    assert all(a[1] - b[0] >= min(90, length) for a, b in itertools.pairwise(got))


def test_a_quad_moves_in_its_own_axes():
    along = shifted(FLAT[None], (0.1, 0, 0, 0))[0]
    assert along == pytest.approx(FLAT + np.array([4, 0]))
    across = shifted(FLAT[None], (0, 0.1, 0, 0))[0]
    assert across == pytest.approx(FLAT + np.array([0, -2]))
    larger = shifted(FLAT[None], (0, 0, 0.1, 0.2))[0]
    assert larger == pytest.approx(np.array([[-2, 22], [-2, -2], [42, -2], [42, 22]]))


def test_a_large_tile_is_cut_from_the_halves_of_its_picture_as_from_itself() -> None:
    small = np.random.default_rng(2).integers(0, 255, (24, 32, 3), np.uint8)
    image = np.asarray(cv2.resize(small, (1601, 1203), interpolation=cv2.INTER_CUBIC), np.uint8)
    for quad in ([[300, 900], [300, 300], [1500, 330], [1480, 930]], [[600, 640], [600, 500], [880, 500], [880, 640]]):
        apart = np.abs(cut_tile(image, quad).astype(int) - cut_tile(pyramid(image), quad))
        assert apart.mean() < 1.5 and apart.max() <= 12
    small_tile = [[9, 60], [9, 10], [109, 10], [109, 60]]
    assert np.array_equal(cut_tile(image, small_tile), cut_tile(pyramid(image), small_tile))
