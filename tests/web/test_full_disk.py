"""A full disk: the right status, one sentence for people, no place of a file, and nothing half done."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.app.games import make_app_state
from companion.app.state import AppState
from companion.log import journal as journal_module
from companion.web.app import PageSettings, create_app
from tests.desk.reading import read_all

GAME = {"rules": "tactic", "set": "double-9", "players": ["Ann", "Ben"], "options": {}}
PIN = {"X-Companion-Pin": "135790"}
SENTENCE = "The disk is full, so nothing was changed. Delete pictures on the Games page, then try again."


@pytest.fixture
def table(tmp_path: Path) -> Iterator[AppState]:
    app_state = make_app_state(tmp_path)
    app_state.start_game(GAME)
    app_state.session.start_round((9, 9), "Ann")  # type: ignore[attr-defined]
    yield app_state
    app_state.session.journal.close()  # type: ignore[attr-defined]
    app_state.signal.close()


@pytest.fixture
def page(table: AppState) -> FlaskClient:
    return create_app(table, PageSettings(pin="135790", testing=True)).test_client()


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/var/lib/companion/games/game-0001/journal.jsonl")

    monkeypatch.setattr(journal_module.os, "fsync", refuse)


def test_a_play_is_refused_and_not_recorded(page: FlaskClient, table: AppState, full: None) -> None:
    before = len(table.session.events)
    answer = page.post("/api/play", json={"tile": "9-5", "train": "Ann", "expected_seq": before}, headers=PIN)
    assert (answer.status_code, answer.json) == (507, {"error": SENTENCE})
    assert len(table.session.events) == before


def test_a_new_game_is_refused_and_leaves_the_old_one_on_the_table(
    page: FlaskClient, table: AppState, full: None
) -> None:
    answer = page.post("/api/games", json={**GAME, "expected_game": table.game}, headers=PIN)
    assert (answer.status_code, answer.json) == (507, {"error": SENTENCE})
    assert table.game == "game-0001" and table.games() == ["game-0001"]


def test_another_fault_of_the_disk_says_why_without_the_place(
    page: FlaskClient, table: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(journal_module.os, "fsync", refuse)
    play = {"tile": "9-5", "train": "Ann", "expected_seq": len(table.session.events)}
    answer = page.post("/api/play", json=play, headers=PIN)
    assert answer.status_code == 503
    assert answer.json == {
        "error": "The game could not be written to the disk: nothing was recorded: Input/output error"
    }


def test_a_game_that_cannot_be_read_is_listed_without_its_place(
    page: FlaskClient, table: AppState, tmp_path: Path
) -> None:
    folder = tmp_path / "games" / "game-0009"
    folder.mkdir()
    (folder / "journal.jsonl").write_bytes(b"nonsense\n")
    read_all(table.index)
    for path in ("/games", "/games/game-0009/replay"):
        shown = page.get(path).text
        assert "line 1: is not JSON" in shown
        assert str(tmp_path) not in shown
