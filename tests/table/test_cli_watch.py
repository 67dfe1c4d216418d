"""`companion watch` as it is called: what it prints, and one line for what it cannot do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.cli.watch import sentence, watch

PHOTOS = Path(os.environ.get("COMPANION_PHOTOS", Path(__file__).parents[3] / "shared" / "photos"))
FREE = {"layout": "free", "set": "double-6"}
FIELD = {"corners_px": [[791, 1225], [2401, 1225], [2410, 2849], [798, 2866]]}
"""The printed board's inner field in the pictures of the photographed game."""


def set_up(folder: Path, **fields: object) -> str:
    path = folder / "setup.json"
    path.write_text(json.dumps({**FREE, **fields}))
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["no-such-place", "--setup", "{setup}"], 1, "is not there"),
        (["usb:98", "--setup", "{setup}"], 1, "work without a camera"),
        (["{empty}", "--setup", "{setup}"], 1, "no images in folder"),
        (["{pictures}"], 2, "--setup FILE is needed"),
        (["{pictures}", "--setup", "no.json"], 1, "No such file"),
        (["{pictures}", "--setup", "{broken}"], 1, "not JSON"),
    ],
)
def test_bad_input_is_one_line_and_a_status(tmp_path: Path, arguments: list[str], status: int, says: str) -> None:
    for name in ("empty", "pictures"):
        (tmp_path / name).mkdir()
    (tmp_path / "pictures" / "1.png").write_bytes(b"")
    (tmp_path / "broken.json").write_text("{")
    places = {
        "setup": set_up(tmp_path),
        "empty": str(tmp_path / "empty"),
        "pictures": str(tmp_path / "pictures"),
        "broken": str(tmp_path / "broken.json"),
    }
    result = CliRunner().invoke(watch, [argument.format(**places) for argument in arguments])
    assert result.exit_code == status
    assert says in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.output


def test_an_event_is_told_in_one_sentence() -> None:
    event = {"event": "tile_played", "by": "Ben", "tile": [5, 7], "train": "Ann", "frame": "f7", "seq": 3}
    assert (
        sentence({**event, "violations": [{"code": "CLOSED_TRAIN"}]})
        == "Ben: tile played 5-7 @Ann [CLOSED_TRAIN]  (f7)"
    )


@pytest.mark.slow
def test_it_ends_quietly_when_nobody_reads_any_more() -> None:
    watching = subprocess.Popen(
        [sys.executable, "-m", "companion", "watch", "sim:4", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert watching.stdout is not None and watching.stderr is not None
    assert b"round_started" in watching.stdout.readline()
    watching.stdout.close()
    assert watching.wait(timeout=120) == 1
    assert watching.stderr.read() == b""
    watching.stderr.close()


@pytest.mark.slow
@pytest.mark.photographs
def test_a_photographed_game_tells_each_new_tile_and_nothing_else(tmp_path: Path) -> None:
    source = PHOTOS / "sequences" / "ddd_1"
    if not source.is_dir():
        pytest.skip("the photographed game is not here (COMPANION_PHOTOS)")
    labels = [json.loads(line) for line in (source.parent / "labels.jsonl").read_text().splitlines()[:4]]
    folder = tmp_path / "game"
    folder.mkdir()
    for label in labels:
        shutil.copy(source.parent / label["image"], folder)
    result = CliRunner().invoke(watch, [str(folder), "--setup", set_up(tmp_path, table=FIELD), "--json"])
    assert result.exit_code == 0, result.output
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(one["event"], one["frame"], sorted(one["tile"])) for one in told] == [
        ("tile_played", Path(label["image"]).name, sorted(label["new"][0]["values"])) for label in labels
    ]
