"""ncnn's detector answers as the reference does, and where it cannot be had the reference answers."""

from __future__ import annotations

import json
import logging
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from vision.inference import Network
from vision.runtimes import (
    SEEN,
    SIZES,
    NcnnDetector,
    alike,
    differences,
    files_of,
    open_detector,
    picture,
    put_together,
    tried_with,
)
from vision.weights import MANIFEST, RUNTIME, WEIGHTS, file_sha256, shipped_weights

ONNX = shipped_weights("tiles")


def test_the_files_for_ncnn_were_made_from_the_shipped_detector() -> None:
    entry = json.loads((WEIGHTS / MANIFEST).read_text(encoding="utf-8"))["weights"]["tiles"]["ncnn"]
    assert entry == {file.name: file_sha256(file) for file in (ONNX, *files_of(ONNX))}


@pytest.mark.parametrize("size", SIZES)
def test_a_picture_of_any_size_is_answered_as_by_the_reference(size: tuple[int, int]) -> None:
    values = picture(*size)
    wanted = Network(ONNX)(values)
    assert np.count_nonzero(wanted[0, 4:-1].max(0) >= SEEN) > 20, "a trial of nothing proves nothing"
    got = NcnnDetector(ONNX)(values)
    assert got.shape == wanted.shape and got.dtype == np.float32
    assert alike(differences(wanted, got)), differences(wanted, got)


def test_what_differs_is_not_alike() -> None:
    wanted = np.full((1, 9, 4), 0.5, np.float32)
    assert alike(differences(wanted, wanted.copy()))
    for row, by in ((0, 0.5), (5, 0.01), (8, 2.0), (4, np.nan)):
        got = wanted.copy()
        got[0, row, 2] += by
        assert not alike(differences(wanted, got)), row


def test_a_turned_box_is_put_together_where_it_lies() -> None:
    maps = [np.zeros((channels, high, high), np.float32) for channels in (4, 4, 1) for high in (4, 2, 1)]
    maps[0][:, 1, 2] = (1, 2, 5, 2)  # left, top, right, bottom, of a box that is turned by a right angle
    maps[6][0, 1, 2] = np.pi / 2
    maps[3][1, 1, 2], maps[3][2, 1, 2] = -500, 500  # as sure as a network may be
    answer = put_together(maps)
    assert answer.shape == (1, 9, 16 + 4 + 1)
    assert answer[0, :4, 6] == pytest.approx((8 * 2.5, 8 * (1.5 + 2), 8 * 6, 8 * 4))
    assert answer[0, 4:-1, 6] == pytest.approx((0.5, 0, 1, 0.5)) and answer[0, 4:-1, 0] == pytest.approx(0.5)


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the detector for which ncnn was chosen."""
    for file in (ONNX, *files_of(ONNX)):
        shutil.copy(file, tmp_path)
    onnx = tmp_path / ONNX.name
    (tmp_path / "runtime.json").write_text(json.dumps({"runtime": "ncnn", "tried": tried_with(onnx)}), encoding="utf-8")
    monkeypatch.setenv(RUNTIME, str(tmp_path / "runtime.json"))
    return onnx


def test_the_runtime_that_was_chosen_answers(chosen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(open_detector(chosen), NcnnDetector)
    monkeypatch.delenv(RUNTIME)
    assert isinstance(open_detector(chosen), Network)


def other_layers(onnx: Path) -> None:
    files_of(onnx)[0].write_text("7767517\n1 1\n", encoding="utf-8")


def no_weights(onnx: Path) -> None:
    files_of(onnx)[1].unlink()


def no_choice(onnx: Path) -> None:
    (onnx.parent / "runtime.json").write_text("[]", encoding="utf-8")


def broken_and_tried(onnx: Path) -> None:
    other_layers(onnx)
    (onnx.parent / "runtime.json").write_text(
        json.dumps({"runtime": "ncnn", "tried": tried_with(onnx)}), encoding="utf-8"
    )


@pytest.mark.parametrize("spoil", [other_layers, no_weights, no_choice, broken_and_tried])
def test_what_was_not_tried_or_is_broken_is_said_and_the_reference_answers(
    spoil: Callable[[Path], None], chosen: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spoil(chosen)
    with caplog.at_level(logging.WARNING):
        assert isinstance(open_detector(chosen), Network)
    [line] = caplog.messages
    assert "onnxruntime finds the tiles and not ncnn" in line and "\n" not in line


def test_without_ncnn_the_reference_answers(
    chosen: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ncnn", None)
    with caplog.at_level(logging.WARNING):
        assert isinstance(open_detector(chosen), Network)
    assert "not ncnn" in caplog.text
