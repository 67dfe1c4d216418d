"""The judge of backs, on rendered tables where it is known what lies face down."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from datasets.render.table import TableCamera, TableScene, TableTile, render_table
from tests.lanes import nightly
from vision.backs import BELIEVED, CUT_WH, UNKNOWN_MISFIT, BackJudge, cut_around, misfits
from vision.detections import Detections, Kind
from vision.eye import open_eye
from vision.judging import JudgeSettings
from vision.weights import WeightsError, shipped, shipped_weights

FOUND = np.float32(0.3)
"""As unsure as the detector may be of any of them."""


@pytest.fixture(scope="module")
def judge() -> BackJudge:
    path = shipped_weights("backs")
    return BackJudge(path, JudgeSettings.weighed(path, shipped("backs").confidence))


@pytest.fixture(scope="module", params=["cloth", nightly("parquet")])
def table(request):
    """(image, labels) of six backs, two of them touching, and four tiles that lie face up."""
    down = [(100.0, 100.0), (150.0, 100.0), (300.0, 90.0), (324.0, 90.0), (470.0, 330.0), (120.0, 330.0)]
    backs = [TableTile(place, 90.0 if place[1] == 90.0 else 10.0 * n, (0, 0), False) for n, place in enumerate(down)]
    faces = [TableTile((180.0 + 80 * n, 220.0), 25.0 * n, (n + 2, 6)) for n in range(4)]
    camera = TableCamera(width=1200, height=900, height_mm=620)
    scene = TableScene((600.0, 450.0), tuple(backs + faces), camera=camera, background=request.param)
    return render_table(scene, 4)


def outlines(labels, kind: int) -> np.ndarray:
    return np.array([label["quad"] for label in labels if label["cls"] == kind], np.float32)


def asked(judge: BackJudge, image, quads: np.ndarray, known: np.ndarray) -> np.ndarray:
    """How surely each of `quads` is a back, all found as unsurely, among tiles that are known to lie face up."""
    together = np.concatenate([known, quads])
    up = np.arange(len(together)) < len(known)
    tiles = Detections(
        together.astype(np.float32),
        np.where(up, Kind.FACE_UP, Kind.FACE_DOWN).astype(np.int8),
        np.where(up, 0.9, FOUND).astype(np.float32),
    )
    return judge.confidences(image, tiles, np.where(up, 0.99, 0.0), np.flatnonzero(~up))


@pytest.mark.slow
def test_backs_are_told_from_faces_from_cloth_and_from_the_place_across_two(judge: BackJudge, table) -> None:
    image, labels = table
    backs, faces = outlines(labels, 1), outlines(labels, 0)
    across = backs[2:4].mean(0, keepdims=True)
    bare = backs[:1] + np.array([[[40, 90]]], np.float32)
    others = np.concatenate([faces, across, bare])
    assert len(backs) == 6
    believed, doubted = (asked(judge, image, quads, faces) for quads in (backs, others))
    assert believed.min() > BELIEVED > doubted.max()


@pytest.mark.slow
def test_the_eye_counts_the_backs_and_only_them(table) -> None:
    image, _ = table
    reading = open_eye().look(image)
    assert sorted(tile.face for tile in reading.tiles) == ["down"] * 6 + ["up"] * 4


def test_a_patch_painted_like_a_tile_is_no_back(judge: BackJudge, table) -> None:
    image, labels = table
    quad = outlines(labels, 1)[0] + np.array([0, 120], np.float32)
    painted = image.copy()
    for n in range(-3, 4):  # a chequered cloth, of which one square is asked about
        cv2.fillConvexPoly(painted, np.round(quad + n * 2 * (quad[1] - quad[0])).astype(np.int32), (60, 60, 160))
    assert asked(judge, painted, quad[None], outlines(labels, 0))[0] < BELIEVED


def test_all_tiles_of_a_set_are_of_one_size() -> None:
    quad = np.array([[0, 40], [0, 0], [80, 0], [80, 40]], np.float32)
    quads = np.stack([quad, quad + 100, quad * 1.02 + 200, quad * 1.5 + 300])
    kinds = np.array([Kind.FACE_UP] * 2 + [Kind.FACE_DOWN] * 2, np.int8)
    tiles = Detections(quads, kinds, np.array([0.9, 0.9, 0.4, 0.4], np.float32))
    read, backs = np.array([1.0, 1.0, 0.0, 0.0]), np.array([2, 3])
    assert misfits(tiles, read, backs) == pytest.approx([np.log(1.02), np.log(1.5)], abs=1e-3)
    nothing_read = misfits(tiles, np.zeros(4), backs)
    assert nothing_read == pytest.approx([UNKNOWN_MISFIT] * 2), "one other back alone says too little"
    by_the_table = misfits(tiles, np.zeros(4), backs, length_px=84.0)
    assert by_the_table == pytest.approx([np.log(84 / 81.6), np.log(120 / 84)], abs=1e-3), "a calibrated table knows"


def test_a_cut_lies_lengthwise_whatever_corner_comes_first() -> None:
    image = np.full((200, 300, 3), 20, np.uint8)
    image[80:120, 110:190] = 220
    quad = np.array([[110, 120], [110, 80], [190, 80], [190, 120]], np.float32)
    for turned in (quad, np.roll(quad, 1, axis=0), np.roll(quad, 2, axis=0), quad[::-1]):
        cut = cut_around(image, turned)
        wide, high = CUT_WH
        assert cut.shape == (high, wide, 3)
        assert cut[high // 2 - 9 : high // 2 + 9, wide // 2 - 20 : wide // 2 + 20].min() > 200
        assert cut[: high // 4].max() < 60 and cut[:, : wide // 5].max() < 60
    assert cut_around(image, quad, 1.5).shape == (round(high * 1.5), round(wide * 1.5), 3)


def test_a_back_at_the_edge_of_the_picture_is_cut_all_the_same() -> None:
    image = np.full((100, 100, 3), 90, np.uint8)
    quad = np.array([[-30, 60], [-30, 40], [10, 40], [10, 60]], np.float32)
    assert (cut_around(image, quad) == 90).all()


def test_nothing_found_is_nothing_judged(judge: BackJudge, table) -> None:
    none = Detections.none()
    assert len(judge.confidences(table[0], none, np.zeros(0), np.zeros(0, np.intp))) == 0


def test_another_network_is_refused_by_name() -> None:
    with pytest.raises(WeightsError, match=r"markers\.onnx: input .* expected \(n, 3, 64, 96\)"):
        BackJudge(shipped_weights("markers"))
