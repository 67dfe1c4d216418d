"""`companion doctor` tries ncnn in a child, keeps what is to be used, and says what it found."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from companion.app.checkup import KEPT, choose_runtime, follow_choice
from companion.supervise.eye import EyeAwayError, SupervisedEye
from vision.runtimes import tried_with
from vision.weights import RUNTIME, shipped_weights

ALIKE = {"probability": 0.0001, "edge_px": 0.003}


def told(worst: dict[str, float], ncnn_s: float) -> str:
    return f"print({json.dumps({'worst': worst, 'seconds': {'onnxruntime': 0.2, 'ncnn': ncnn_s}})!r})"


def child(program: str) -> tuple[str, ...]:
    return (sys.executable, "-c", program)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / KEPT).write_text('{"runtime": "ncnn", "tried": {}}', encoding="utf-8")
    return tmp_path


def test_what_answers_alike_and_sooner_is_chosen(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = choose_runtime(data, child(told(ALIKE, 0.1)))
    assert finding.ok and finding.found == "ncnn finds the tiles: it answers as onnxruntime does, 2.0 times as fast"
    kept = json.loads((data / KEPT).read_text(encoding="utf-8"))
    assert kept == {"runtime": "ncnn", "tried": tried_with(shipped_weights("tiles"))}
    monkeypatch.setenv(RUNTIME, "")
    follow_choice(data)
    assert os.environ[RUNTIME] == str(data / KEPT)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "it ended by SIGSEGV"),
        ("raise ImportError('libgomp.so.1: cannot open shared object file')", "libgomp.so.1: cannot open"),
        ("print('hello')", "no answer that can be read: 'hello"),
        (told({"probability": 0.2, "edge_px": 0.0}, 0.1), "answers otherwise on this machine (probability by 0.2"),
        (told({"probability": float("nan"), "edge_px": 0.0}, 0.1), "answers otherwise on this machine (probability"),
    ],
)
def test_what_crashes_or_differs_is_said_and_not_used(program: str, words: str, data: Path) -> None:
    finding = choose_runtime(data, child(program))
    assert not finding.ok and not finding.needed
    assert finding.found.startswith("onnxruntime finds the tiles: ncnn ") and words in finding.found
    assert finding.mend.startswith("pip uninstall ncnn") and "\n" not in finding.found
    assert not (data / KEPT).exists()


def test_what_is_no_faster_or_missing_is_not_used(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = choose_runtime(data, child(told(ALIKE, 0.2)))
    assert finding.ok and finding.found == "onnxruntime finds the tiles; ncnn answers alike, 1.0 times as fast"
    assert not (data / KEPT).exists()
    monkeypatch.setitem(sys.modules, "ncnn", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert choose_runtime(data).found == "onnxruntime finds the tiles; ncnn is not installed"


@pytest.mark.slow
def test_the_trial_of_the_shipped_network_ends_well(data: Path) -> None:
    finding = choose_runtime(data)
    assert finding.ok and "as fast" in finding.found, finding


def end_at_once() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_reader_that_died_is_followed_by_one_with_the_reference(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RUNTIME, str(data / KEPT))
    with SupervisedEye(end_at_once) as eye, pytest.raises(EyeAwayError, match="process ended"):
        eye.open()
    assert RUNTIME not in os.environ
