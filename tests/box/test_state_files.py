"""Small files of the data folder that make no sense: set aside and reported, and the box starts all the same."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companion.app.games import make_app_state
from companion.app.learning import LESSON, LearningDesk
from companion.app.own_set import LEARNED
from companion.app.table_place import (
    NOBODY_SEATED,
    PLACE_FILE,
    SEATS_FILE,
    SeatPlan,
    read_place,
    read_seats,
    write_seats,
)
from companion.publish.publisher import Outbox
from companion.storage.state_file import read_state, set_aside, write_state
from companion.storage.trail import TRAIL_FILE, Trail
from companion.web.access import PHONES_FILE, SignedIn
from companion.web.app import PageSettings, create_app

Damaged = Callable[[Path], None]


def read_lesson(path: Path, damaged: Damaged) -> Any:
    (path.parent / LEARNED).write_bytes(b"learned")
    desk = LearningDesk(path.parent, damaged=damaged)
    lesson = desk.status()["lesson"]
    desk.close()
    return lesson or None


def read_outbox(path: Path, damaged: Damaged) -> Any:
    return Outbox(path, damaged).games or None


def read_nobody(path: Path, damaged: Damaged) -> Any:
    seats = read_seats(path, damaged)
    return None if seats == NOBODY_SEATED else seats


READERS: dict[str, Callable[[Path, Damaged], Any]] = {
    SEATS_FILE: read_nobody,
    PLACE_FILE: read_place,
    LESSON: read_lesson,
    "published.json": read_outbox,
}

NONSENSE = {
    "nothing": b"",
    "zeros": b"\x00" * 300,
    "half": b'{"stations": {"Ann": 1',
    "a list": b"[1, 2]",
    "a number": b"7",
    "null": b"null",
    "not UTF-8": b'{"\xff": 1}',
    "deep": b"[" * 100_000,
    "too large": b'{"stations": {"Ann": 1' + b"0" * 400 + b'}, "mexican": null, "learn": {"set": 1}}',
    "no numbers": b'{"stations": {"Ann": "x"}, "mexican": [], "corners": "abcd", "learn": 5, "test": []}',
    "NaN": b'{"stations": {"Ann": NaN}, "mexican": null, "corners": [[NaN, 0]], "test": {"right": NaN}}',
    "other fields": b'{"stations": 5, "corners": {}, "learn": {"set": "x", "before": 1, "after": 1}}',
}


@pytest.mark.parametrize("content", NONSENSE.values(), ids=NONSENSE)
@pytest.mark.parametrize("name", READERS)
def test_a_file_that_makes_no_sense_is_set_aside_and_said(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    aside: list[Path] = []
    assert READERS[name](path, aside.append) is None
    assert [one.read_bytes() for one in aside] == [content] and not path.exists()
    assert READERS[name](path, aside.append) is None
    assert len(aside) <= 1, "said once"


def test_a_file_larger_than_any_of_ours_is_set_aside_unread(tmp_path: Path) -> None:
    path = tmp_path / SEATS_FILE
    path.touch()
    os.truncate(path, 800 * 2**20)
    aside: list[Path] = []
    assert read_nobody(path, aside.append) is None
    assert len(aside) == 1 and not path.exists()


def test_a_pipe_among_them_is_not_waited_for(tmp_path: Path) -> None:
    for name in (*READERS, PHONES_FILE, TRAIL_FILE):
        os.mkfifo(tmp_path / name)
    for name, read in READERS.items():
        assert read(tmp_path / name, lambda aside: None) is None
    said: list[str] = []
    trail = Trail(tmp_path / TRAIL_FILE, said.append)
    trail.note("Ann", "", "games.delete_pictures", {})
    assert [line["author"] for line in trail.lines()] == ["Ann"] and said == ["what lies there is no file"]
    assert SignedIn(tmp_path / PHONES_FILE).key


def test_whole_files_are_read_again(tmp_path: Path) -> None:
    write_seats(tmp_path / SEATS_FILE, SeatPlan({"Ann": 12.5}, 90.0))
    assert read_seats(tmp_path / SEATS_FILE) == SeatPlan({"Ann": 12.5}, 90.0)
    assert (tmp_path / SEATS_FILE).stat().st_mode & 0o777 == 0o600


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state.json"
    write_state(path, [1])

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_state(path, [2])
    nothing: list[int] = []
    assert read_state(path, list, nothing) == [1]
    assert [file.name for file in tmp_path.iterdir()] == ["state.json"]


def test_files_set_aside_keep_their_names_apart(tmp_path: Path) -> None:
    for content in ("one", "two"):
        (tmp_path / "a.json").write_text(content, encoding="utf-8")
        assert set_aside(tmp_path / "a.json") is not None
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.json.damaged-1", "a.json.damaged-2"]


def test_the_learning_page_is_shown_whatever_the_lesson_says(tmp_path: Path) -> None:
    (tmp_path / LEARNED).write_bytes(b"learned")
    (tmp_path / LESSON).write_bytes(b'{"learn": {"set": "double-12"}, "test": {"right": "many"}}')
    app_state = make_app_state(tmp_path)
    app_state.learning = LearningDesk(tmp_path, damaged=app_state.repairs.report_damaged)
    page = create_app(app_state, PageSettings(pin="1357", testing=True)).test_client()
    assert page.get("/learn").status_code == 200
    assert "The file learned-set.json made no sense" in page.get("/repairs").text
    app_state.learning.close()
    app_state.signal.close()
