"""The product refuses weights that are not the ones it was measured with."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.__main__ import companion
from vision.eye import open_eye
from vision.weights import OWN, WEIGHTS, WeightsError, folder_of, shipped, shipped_weights

NAMES = sorted(json.loads((WEIGHTS / "manifest.json").read_text(encoding="utf-8"))["weights"])


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    folder = tmp_path / "weights"
    shutil.copytree(WEIGHTS, folder)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_file_is_the_one_the_manifest_names(name: str) -> None:
    path = shipped_weights(name)
    assert path.parent == WEIGHTS
    assert path.stat().st_size < 8_000_000, "weights are a few MB in git"


def test_nothing_ships_that_the_manifest_does_not_name() -> None:
    named = {shipped(name).path.name for name in NAMES} | {"manifest.json"}
    named |= set(json.loads((WEIGHTS / "manifest.json").read_text(encoding="utf-8"))["weights"]["tiles"]["ncnn"])
    assert {path.name for path in WEIGHTS.iterdir() if path.name != ".gitkeep"} == named


@pytest.mark.parametrize("name", NAMES)
def test_the_manifest_tells_everything_a_caller_needs(name: str) -> None:
    entry = json.loads((WEIGHTS / "manifest.json").read_text(encoding="utf-8"))["weights"][name]
    assert {"file", "bytes", "sha256", "classes", "input", "output", "temperature", "trained_on", "card"} <= set(entry)
    assert len(set(entry["classes"])) == len(entry["classes"]) > 1
    assert 0.2 < entry["temperature"] < 5


def test_a_truncated_file_is_refused_by_name(copied: Path) -> None:
    path = shipped("pips", copied).path
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(WeightsError, match=r"pips\.onnx: truncated, 1000 bytes, expected \d+"):
        shipped_weights("pips", folder=copied)


def test_one_flipped_bit_is_refused_by_name(copied: Path) -> None:
    path = shipped("pips", copied).path
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(WeightsError, match=r"pips\.onnx: wrong SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}"):
        shipped_weights("pips", folder=copied)


def test_a_missing_file_is_named_with_what_was_expected(copied: Path) -> None:
    shipped("tiles", copied).path.unlink()
    with pytest.raises(WeightsError, match=r"tiles\.onnx: missing, expected \d+ bytes"):
        shipped_weights("tiles", folder=copied)


def test_weights_for_other_classes_are_refused_with_both_lists() -> None:
    with pytest.raises(WeightsError, match=r"tiles\.onnx: wrong classes, made for tile_face_up.*expected cat, dog"):
        shipped_weights("tiles", classes=("cat", "dog"))


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(
        WeightsError, match="no weights named 'hands', expected one of backs, covers, markers, pips, tiles"
    ):
        shipped_weights("hands")


@pytest.mark.parametrize("content", ["", "[]", '{"weights": {"pips": {}}}', '{"weights": {"pips": 3}}', "\x00"])
def test_a_spoilt_manifest_is_one_line_and_no_traceback(copied: Path, content: str) -> None:
    (copied / "manifest.json").write_text(content, encoding="utf-8")
    with pytest.raises(WeightsError) as refusal:
        shipped_weights("pips", folder=copied)
    assert "\n" not in str(refusal.value)
    assert "manifest.json" in str(refusal.value)


def test_looking_up_weights_imports_no_heavy_library() -> None:
    seen = subprocess.run(
        [sys.executable, "-c", "import sys, vision.weights; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert not {"numpy", "cv2", "torch", "onnxruntime", "ultralytics"} & set(seen)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a detector of one's own and nothing else."""
    folder = tmp_path / "my-eye"
    folder.mkdir()
    entry = json.loads((WEIGHTS / "manifest.json").read_text(encoding="utf-8"))["weights"]["tiles"]
    shutil.copy(WEIGHTS / entry["file"], folder / "mine.onnx")
    (folder / "manifest.json").write_text(json.dumps({"weights": {"tiles": entry | {"file": "mine.onnx"}}}))
    monkeypatch.setenv(OWN, str(folder))
    return folder


def test_a_network_of_ones_own_is_read_with_and_the_others_are_the_products(own: Path) -> None:
    assert (folder_of("tiles"), folder_of("pips")) == (own, WEIGHTS)
    assert open_eye().detector._network.path == own / "mine.onnx"
    done = CliRunner().invoke(companion, ["--eye", str(own), "doctor", "--json"])
    assert "your own: mine.onnx" in done.stdout


def test_a_network_of_ones_own_is_checked_like_any_other(own: Path) -> None:
    listed = json.loads((own / "manifest.json").read_text())
    listed["weights"]["tiles"]["classes"] = ["tile", "marker"]
    (own / "manifest.json").write_text(json.dumps(listed))
    with pytest.raises(WeightsError, match="wrong classes, made for tile, marker"):
        open_eye()
    (own / "mine.onnx").write_bytes(b"cut off")
    listed["weights"]["tiles"]["classes"] = list(shipped("tiles").classes)
    (own / "manifest.json").write_text(json.dumps(listed))
    with pytest.raises(WeightsError, match="truncated"):
        open_eye()


@pytest.mark.parametrize("content", [None, "[]", "{}"])
def test_a_folder_without_a_list_of_networks_is_refused_in_one_line(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "manifest.json").write_text(content)
    done = CliRunner().invoke(companion, ["--eye", str(tmp_path), "read", "none.jpg"])
    assert done.exit_code == 1 and done.output.count("\n") == 1
    assert "manifest.json" in done.output and "list of weights" in done.output
