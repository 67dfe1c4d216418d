"""`companion watch` as it is called: what it prints, and one line for what it cannot do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli.journals import sentence
from companion.cli.watch import Printer, _nothing_read, watch
from companion.web.wording import event_text, trouble_text

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
        (["no-such-place", "--setup", "{setup}"], 1, "no-such-place: expected picamera"),
        (["no-such.mp4", "--setup", "{setup}"], 1, "no-such.mp4: there is no such file or folder"),
        (["usb:98", "--setup", "{setup}"], 1, "work without a camera"),
        (["{empty}", "--setup", "{setup}"], 1, "no images in folder"),
        (
            ["rtsp://ann:s3cr3t@127.0.0.1:1/x", "--setup", "{setup}"],
            1,
            "camera rtsp://127.0.0.1:1/x: nobody answers there; is its application running?",
        ),
        (["usb:0", "--setup", "{setup}", "--camera-size", "big"], 2, "expected width x height in pixels"),
        (["usb:0", "--setup", "{setup}", "--mains", "55"], 2, "'55' is not one of '50', '60', 'auto'"),
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
    said = event_text(event)
    ruled = sentence({**event, "violations": [{"code": "CLOSED_TRAIN", "certain": True}]})
    assert said in ruled and "Against the rules: This train is closed (CLOSED_TRAIN)." in ruled
    perhaps = sentence({**event, "violations": [{"code": "CLOSED_TRAIN", "certain": False}]})
    assert said in perhaps and "Against the rules" not in perhaps and "Perhaps:" in perhaps
    assert sentence(event) == said


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ({"violations": [{"code": "MISMATCH", "certain": True}]}, "No. 3: Against the rules: The halves do not match"),
        ({"violations": []}, "No. 3: within the rules"),
        ({"violations": [], "retracts": [{"code": "MISMATCH", "by": "Ben"}], "because": "camera"}, "against Ben"),
        ({"by": "Ann"}, "Ann"),
    ],
)
def test_a_correction_says_what_it_changes(what: dict[str, Any], says: str) -> None:
    assert says in sentence({"event": "corrected", "corrects": 3, "what": what, "seq": 9})


def test_a_question_is_asked_in_the_words_of_the_page() -> None:
    asked = sentence({"event": "unclear", "reason": "VALUE_CHANGED at (1, 2) mm", "seq": 4})
    assert asked == f"Question: {trouble_text('VALUE_CHANGED')}"


def film(path: Path, frames: int) -> str:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 5.0, (160, 120))
    for number in range(frames):
        writer.write(np.full((120, 160, 3), 90 + number, np.uint8))
    writer.release()
    return str(path)


@pytest.mark.slow
def test_a_film_in_which_nothing_settles_says_so(tmp_path: Path) -> None:
    table = {"corners_px": [[10, 10], [150, 10], [150, 110], [10, 110]], "size_mm": [400, 300]}
    setup = set_up(tmp_path, table=table, tile_mm=[48, 24, 9])
    result = CliRunner().invoke(watch, [film(tmp_path / "short.avi", 3), "--setup", setup, "--json"])
    assert result.exit_code == 1 and result.stdout == ""
    assert "short.avi: nothing settled in its 3 frames, so nothing was read; expected a second" in result.stderr


@pytest.mark.slow
def test_a_folder_in_which_nothing_was_played_says_so(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    shutil.copy(Path(__file__).parents[2] / "docs/examples/table.jpg", tmp_path / "pictures/1.jpg")
    setup = set_up(tmp_path, set="double-12", tile_mm=[48, 24, 9])
    result = CliRunner().invoke(watch, [str(tmp_path / "pictures"), "--setup", setup])
    assert result.exit_code == 0 and result.stdout == ""
    assert "pictures: nothing changed on the table in its one picture." in result.stderr


@pytest.mark.parametrize(
    ("tiles", "layout", "nothing"), [((), None, True), (("6-5",), None, False), ((), "bare", False)]
)
def test_a_table_that_waits_for_an_answer_was_read(tiles: tuple[str, ...], layout: str | None, nothing: bool) -> None:
    watcher = SimpleNamespace(layout=layout, memory=SimpleNamespace(tiles=lambda: list(tiles)))
    assert _nothing_read(watcher) is nothing


@pytest.mark.slow
def test_a_film_without_a_table_or_tile_says_what_is_missing(tmp_path: Path) -> None:
    result = CliRunner().invoke(watch, [film(tmp_path / "short.avi", 3), "--setup", set_up(tmp_path)])
    assert result.exit_code == 1 and "no tile lies in the first picture" in result.stderr


def test_what_is_printed_when_nobody_reads_any_more_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    gone = os.fdopen(writing, "w")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "stdout", gone)
        printer = Printer(as_json=True)
        for _ in range(2):
            printer.line({"event": "unclear", "reason": "seats"})
        assert printer.closed and printer.seq == 2 and sys.stdout is not gone
    with suppress(BrokenPipeError):  # what it still holds
        gone.close()


@pytest.mark.slow
@pytest.mark.nightly
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
    labels = [json.loads(line) for line in (source.parent / "labels.jsonl").read_text().splitlines()[:2]]
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
