"""The bench of whole rounds can sum up the file that it wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import table
from bench.table import main


def test_a_file_that_was_written_is_summed_up_as_it_was_when_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.json"
    monkeypatch.setattr("sys.argv", ["table", "--eye", "told", "--seeds", "1003", "--scenes", "6", "--out", str(path)])
    main()
    kept = json.loads(path.read_text(encoding="utf-8"))["told"]["summary"]
    capsys.readouterr()
    monkeypatch.setattr("sys.argv", ["table", "--kept", str(path)])
    main()
    name, _, printed = capsys.readouterr().out.partition(" ")
    assert name == "told" and json.loads(printed) == kept and kept["rounds"] == 1


def test_a_file_of_before_plays_were_counted_apart_is_summed_up_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = Path(table.__file__).parent / "results" / "real.json"
    monkeypatch.setattr("sys.argv", ["table", "--kept", str(kept)])
    main()
    assert '"rounds": 42' in capsys.readouterr().out
