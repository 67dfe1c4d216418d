from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

PROGRAMS = (
    "bench.ablation FOLDER", "bench.beside hands --renderer FOLDER", "bench.coarse --renderer FOLDER",
    "bench.corpus foreign --out OUT --renderer FOLDER", "bench.standing FOLDER",
    "bench.covered FOLDER", "bench.drawn FOLDER", "bench.markers --renderer FOLDER", "bench.reissue FOLDER",
    "bench.replay FOLDER", "bench.stills --renderer FOLDER", "bench.table --renderer FOLDER", "bench.things FOLDER",
    "models.close_ups --out OUT --grounds FOLDER", "models.evaluate --photographs FOLDER",
    "models.evaluate --rendered FOLDER",
)  # fmt: skip
"""All that read a folder and need no torch."""


@pytest.mark.parametrize("words", PROGRAMS)
@pytest.mark.parametrize("there", (False, True), ids=("missing", "empty"))
def test_a_folder_without_what_is_read_is_named_in_one_line(
    words: str, there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path if there else tmp_path / "nowhere"
    module, *rest = words.replace("FOLDER", str(folder)).replace("OUT", str(tmp_path / "out")).split()
    monkeypatch.setattr(sys, "argv", [module, *rest])
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(module).main()
    assert ended.value.code == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert last.endswith(f"{folder}: no such folder") or f"{folder}: expected " in last
