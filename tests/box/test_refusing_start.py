"""A start on a disk that takes no new file: the page comes up, says so, shows everything, and goes on by itself."""

from __future__ import annotations

import errno
import io
import zipfile
from pathlib import Path
from typing import Any

import click
import pytest
from flask.testing import FlaskClient

from bench.stand_ins.refusing_disk import refusing
from companion.app.games import make_app_state
from companion.app.state import AppState
from companion.cli.reporting import open_storage
from companion.cli.serve import hold_data_dir, made_data_dir
from companion.web.app import PageSettings, create_app
from tests.lanes import nightly

GAME = {"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"], "options": {}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With one game, played a little."""
    made_data_dir(tmp_path)
    app_state = make_app_state(tmp_path)
    app_state.start_game(GAME)
    session: Any = app_state.session
    session.start_round((12, 12), "Ann")
    session.play((12, 1), "Ann", "Ann")
    session.close()
    return tmp_path


def started(folder: Path) -> tuple[AppState, FlaskClient]:
    """As `companion serve` does it."""
    hold_data_dir(made_data_dir(folder)).close()
    storage = open_storage(folder)
    app_state = make_app_state(folder, repairs=storage.repairs)
    page = create_app(app_state, PageSettings(pin="135790", testing=True)).test_client()
    page.post("/api/pin", json={"pin": "135790"})
    return app_state, page


@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC, *map(nightly, (errno.EDQUOT, errno.EIO))])
def test_it_comes_up_says_so_and_shows_everything(folder: Path, number: int) -> None:
    with refusing(folder, number):
        app_state, page = started(folder)
        health = page.get("/health").json
        assert health is not None and health["status"] == "degraded"
        assert any(reason.startswith("The disk takes no new files") for reason in health["reasons"])
        for path in ("/", "/tv", "/scores", "/games", "/games/game-0001/replay", "/games/game-0001/changes"):
            assert page.get(path).status_code == 200, path
        assert "The disk takes no new files" in page.get("/").text
        assert page.get("/api/state").json["plays"][1]["tile"] == [12, 1]  # type: ignore[index]
        export = page.get("/games/game-0001/export.zip")
        with zipfile.ZipFile(io.BytesIO(export.get_data())) as archive:
            assert "game-0001/journal.shown" in archive.namelist()
            assert archive.read("game-0001/journal.jsonl") == (folder / "games/game-0001/journal.jsonl").read_bytes()
        refused = page.post("/api/play", json={"tile": "12-2", "train": "Ben", "by": "Ben"})
        assert refused.status_code in (503, 507) and "error" in (refused.json or {})
        app_state.try_the_disk()
        assert app_state.disk_refuses
    # There is room: the next tap finds it.
    assert page.post("/api/play", json={"tile": "12-2", "train": "Ben", "by": "Ben"}).status_code == 200
    health = page.get("/health").json
    assert health is not None and not any("takes no new files" in reason for reason in health["reasons"])
    app_state.session.close()  # type: ignore[attr-defined]


def test_without_inodes_the_game_on_the_table_goes_on(folder: Path) -> None:
    with refusing(folder, errno.ENOSPC, only_new=True):
        app_state, page = started(folder)
        assert "The disk takes no new files" in page.get("/").text
        assert page.post("/api/play", json={"tile": "12-2", "train": "Ben", "by": "Ben"}).status_code == 200
        app_state.try_the_disk()
    app_state.try_the_disk()
    assert not app_state.disk_refuses
    assert page.post("/api/play", json={"tile": "1-3", "train": "Ann", "by": "Ann"}).status_code == 200
    app_state.session.close()  # type: ignore[attr-defined]


def test_an_empty_folder_that_takes_nothing_is_refused_as_before(tmp_path: Path) -> None:
    with refusing(tmp_path, errno.EROFS), pytest.raises(click.ClickException, match="Read-only file system"):
        made_data_dir(tmp_path)
