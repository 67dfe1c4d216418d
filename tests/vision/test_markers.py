"""The second judge of markers, on a rendered table whose markers are known."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.render.table import TableCamera, TableMarker, TableScene, TableTile, render_table
from vision.detections import Detections, Kind
from vision.eye import open_eye
from vision.frame import pyramid
from vision.judging import JudgeSettings
from vision.markers import (
    CUT_PX,
    CUT_SPAN,
    MarkerJudge,
    amid_a_pattern,
    apart,
    cut_square,
    level_for,
    outlined,
    same_places,
    tile_length,
)
from vision.weights import WeightsError, shipped_weights

MARKERS = (
    TableMarker((150, 90), "#d02020", 20.0, "train"),
    TableMarker((300, 90), "#2050c8", 0.0, "chip"),
    TableMarker((450, 90), "#e0b020", 70.0, "train"),
    TableMarker((150, 360), "#18a050", 0.0, "pawn"),
)


@pytest.fixture(scope="module")
def table():
    """(image, labels) of four markers and four tiles on a cloth."""
    tiles = tuple(TableTile((120.0 + 110 * n, 220.0), 25.0 * n, (n + 2, 6)) for n in range(4))
    camera = TableCamera(width=1200, height=900, height_mm=620)
    scene = TableScene(size_mm=(600.0, 450.0), tiles=tiles, markers=MARKERS, camera=camera, background="cloth")
    return render_table(scene, 4)


def detections(labels, kind: int, confidence: float = 0.1) -> Detections:
    """The true outlines of one class, as if found with this confidence as markers."""
    quads = np.array([label["quad"] for label in labels if label["cls"] == kind], np.float32)
    return Detections(quads, np.full(len(quads), Kind.MARKER, np.int8), np.full(len(quads), confidence, np.float32))


def test_markers_are_told_from_halves_of_tiles_and_from_their_middles(table) -> None:
    image, labels = table
    judge = open_eye().judge
    assert judge is not None
    markers = judge.logits(image, detections(labels, 2).quads_px)
    tiles = detections(labels, 0).quads_px
    middles = (tiles + tiles.mean(1, keepdims=True)) / 2
    first, last = tiles.copy(), tiles.copy()
    first[:, 2:] = (tiles[:, 2:] + tiles[:, [1, 0]]) / 2
    last[:, :2] = (tiles[:, :2] + tiles[:, [3, 2]]) / 2
    assert len(markers) == len(MARKERS)
    assert markers.min() > judge.logits(image, np.concatenate([first, last, middles])).max()


def test_what_is_no_marker_is_left_out_and_the_rest_is_untouched(table) -> None:
    image, labels = table
    judge = open_eye().judge
    assert judge is not None
    tile = next(np.asarray(label["quad"], np.float32) for label in labels if label["cls"] == 0)
    bare = np.array([[560, 60], [590, 60], [590, 90], [560, 90]], np.float32) + 500
    true = detections(labels, 2)
    found = Detections(
        np.stack([tile, bare, *true.quads_px]),
        np.array([Kind.FACE_UP, *[Kind.MARKER] * (1 + len(true))], np.int8),
        np.array([0.9, *[0.1] * (1 + len(true))], np.float32),
    )
    judged = judge.judge(image, found)
    assert [int(kind) for kind in judged.kind].count(Kind.MARKER) == len(MARKERS)
    assert judged.kind[0] == Kind.FACE_UP and judged.confidence[0] == np.float32(0.9)
    assert np.array_equal(judged.quads_px[0], tile)


def test_one_marker_found_twice_is_one(table) -> None:
    image, labels = table
    judge = open_eye().judge
    assert judge is not None
    once = detections(labels, 2)
    twice = once.together(Detections(once.quads_px + 1.5, once.kind, once.confidence))
    assert len(judge.judge(image, twice)) == len(MARKERS)


def test_a_part_of_a_marker_is_no_second_one_however_it_juts_out() -> None:
    engine = np.array([[0, 0], [60, 0], [60, 30], [0, 30]], np.float32)
    cab = np.array([[25, 5], [75, 5], [75, 25], [25, 25]], np.float32)
    around = (engine - engine.mean(0)) * 2 + engine.mean(0) + np.array([20, 0], np.float32)
    beside = engine + np.array([0, 31], np.float32)
    assert apart(np.stack([engine, cab, beside, around])).tolist() == [0, 2]
    assert apart(np.zeros((0, 4, 2), np.float32)).tolist() == []


def test_a_marker_lies_where_the_detector_is_surest_of_it_though_the_judge_likes_another_outline_better() -> None:
    coin = np.array([[0, 0], [30, 0], [30, 30], [0, 30]], np.float32)
    aside, far = coin + np.array([5, 7], np.float32), coin + np.array([0, 45], np.float32)
    quads = np.stack([aside, coin, far])
    alone = np.array([0.02, 0.9, 0.95], np.float32)
    none = np.zeros((0, 4, 2), np.float32)
    assert outlined(quads, alone, np.array([0]), none).tolist() == [1]
    assert outlined(quads, alone, np.array([2]), none).tolist() == [2]
    assert outlined(quads, alone, np.zeros(0, np.intp), none).tolist() == []


def test_a_marker_on_a_tile_is_not_outlined_as_the_tile_where_it_was_found_by_itself_as_well() -> None:
    tile = np.array([[0, 0], [100, 0], [100, 50], [0, 50]], np.float32)
    coin = np.array([[42, 5], [92, 5], [92, 55], [42, 55]], np.float32)
    quads = np.stack([tile + np.float32(1), coin])
    for kept in (0, 1):
        assert outlined(quads, np.array([0.9, 0.7], np.float32), np.array([kept]), tile[None]).tolist() == [1]
    assert outlined(quads, np.array([0.9, 0.0], np.float32), np.array([0]), tile[None]).tolist() == [0], (
        "nothing better"
    )
    assert outlined(quads, np.array([0.9, 0.7], np.float32), np.array([0]), coin[None]).tolist() == [0]


def test_among_many_faint_finds_the_likeliest_is_none_either_and_a_plain_marker_is_one() -> None:
    dots = amid_a_pattern(np.array([0.9999, 0.91, 0.82, *[0.5] * 8], np.float32))
    assert dots[0] > 0.95 and (dots[1:] < 0.5).all()
    few = np.array([0.99, 0.7, 0.6], np.float32)
    assert np.allclose(amid_a_pattern(few), few, atol=1e-4)
    assert amid_a_pattern(np.zeros(0, np.float32)).size == 0


@pytest.mark.parametrize(("found", "logit", "believed"), [(0.9, -1.9, True), (0.8, -1.9, False), (0.9, -2.1, False)])
def test_what_the_detector_insists_on_is_believed_unless_the_judge_is_nearly_sure(found, logit, believed) -> None:
    class Doubting(MarkerJudge):
        def logits(self, image, quads_px):
            return np.full(len(quads_px), logit, np.float32)

    quad = np.array([[10, 10], [40, 10], [40, 40], [10, 40]], np.float32)
    one = Detections(quad[None], np.array([Kind.MARKER], np.int8), np.array([found], np.float32))
    judge = Doubting(shipped_weights("markers"), JudgeSettings(judged=1.3, found=0.46, offset=-1.1))
    judged = judge.judge(np.zeros((50, 50, 3), np.uint8), one)
    assert [bool(c >= 0.5) for c in judged.confidence] == ([True] if believed else [])


def test_nothing_found_is_nothing_judged(table) -> None:
    judge = open_eye().judge
    assert judge is not None
    assert len(judge.judge(table[0], Detections.none())) == 0


def test_another_network_is_refused_by_name() -> None:
    with pytest.raises(WeightsError, match=r"pips\.onnx: input .* expected \(n, 3, 64, 64\)"):
        MarkerJudge(shipped_weights("pips"))


def test_a_manifest_that_does_not_weigh_is_refused() -> None:
    with pytest.raises(WeightsError, match=r"m\.onnx: the manifest does not weigh its confidence, expected 'judged'"):
        JudgeSettings.weighed(Path("m.onnx"), {"found": 1.0})


def test_a_marker_outlined_loosely_is_known_from_a_little_aside(table) -> None:
    image, labels = table
    judge = open_eye().judge
    assert judge is not None
    true = detections(labels, 2).quads_px
    loose = (true - true.mean(1, keepdims=True)) * 1.9 + true.mean(1, keepdims=True) + np.float32(12)
    length_px = tile_length(detections_of_tiles(labels))
    assert length_px is not None
    logits = judge.logits(image, loose)
    more = judge.aside(image, loose, logits, length_px)
    assert more.shape == (len(MARKERS),)
    assert (more > 0).sum() >= 3 and (logits + more).mean() > logits.mean() + 1


def detections_of_tiles(labels) -> Detections:
    quads = np.array([label["quad"] for label in labels if label["cls"] == 0], np.float32)
    return Detections(quads, np.full(len(quads), Kind.FACE_UP, np.int8), np.full(len(quads), 0.9, np.float32))


def test_finds_about_the_same_middle_share_their_looks() -> None:
    middles = np.array([[100, 100], [108, 100], [116, 100], [300, 100], [104, 106]], np.float32)
    places, place = same_places(middles, np.array([0.1, 0.9, 0.2, -3.0, 0.3], np.float32), 10.0)
    assert places.tolist() == [1, 3] and place.tolist() == [0, 0, 0, 1, 0]
    chained, place = same_places(middles, np.array([0.9, 0.1, 0.2, -3.0, 0.3], np.float32), 10.0)
    assert chained.tolist() == [0, 2, 3] and place.tolist() == [0, 0, 1, 2, 0], "near one that is near is not near"
    none, of_none = same_places(np.zeros((0, 2), np.float32), np.zeros(0, np.float32), 10.0)
    assert not len(none) and not len(of_none)


@pytest.mark.parametrize(("logit", "looks"), [(0.0, 1 + 7), (2.0, 1 + 7), (9.0, 1), (-2.6, 1)])
def test_only_what_is_in_doubt_is_looked_at_again(logit: float, looks: int) -> None:
    seen = []

    class Counting(MarkerJudge):
        def logits(self, image, quads_px):
            seen.append(len(quads_px))
            return np.full(len(quads_px), logit, np.float32)

    quad = np.array([[10, 10], [40, 10], [40, 40], [10, 40]], np.float32)
    one = Detections(quad[None], np.array([Kind.MARKER], np.int8), np.array([0.5], np.float32))
    judge = Counting(shipped_weights("markers"), JudgeSettings(judged=1.0, found=0.3, misfit=0.5))
    judge.judge(np.zeros((60, 60, 3), np.uint8), one, 50.0)
    assert sum(seen) == looks


def test_how_long_tiles_are_is_taken_from_those_found_surely() -> None:
    tile = np.array([[0, 0], [0, 20], [40, 20], [40, 0]], np.float32)
    found = Detections(np.stack([tile, tile * 3]), np.zeros(2, np.int8), np.array([0.9, 0.1], np.float32))
    assert tile_length(found) == 40
    assert tile_length(Detections.none()) is None


def test_a_marker_is_cut_from_a_smaller_picture_as_from_the_whole(table) -> None:
    image, labels = table
    large = cv2.resize(image, None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC)
    levels = pyramid(large)
    assert sorted(levels) == [1, 2, 4, 8, 16]
    judge = open_eye().judge
    assert judge is not None
    quads = 3 * detections(labels, 2).quads_px
    assert {level_for(levels, quad, CUT_SPAN, CUT_PX) for quad in quads} <= {2, 4}
    for quad in quads:
        whole = cut_square(large, quad, CUT_SPAN, CUT_PX).astype(int)
        assert np.abs(judge.cut(levels, quad).astype(int) - whole).mean() < 4
    apart_by = judge.logits(levels, quads) - judge.logits(large, quads)
    assert np.abs(apart_by).max() < 0.5


def test_a_thing_smaller_than_its_cut_is_cut_from_the_whole_picture() -> None:
    levels = pyramid(np.zeros((800, 1000, 3), np.uint8))
    small = np.array([[0, 0], [20, 0], [20, 20], [0, 20]], np.float32)
    assert level_for(levels, small, CUT_SPAN, CUT_PX) == 1
    assert level_for({1: levels[1]}, 30 * small, CUT_SPAN, CUT_PX) == 1
