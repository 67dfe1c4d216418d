"""Safe mode: chosen by a person, and never for good."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.app.safe_mode import STARTS_FILE, SafeMode, arguments_again
from companion.app.state import AppState
from tests.web.conftest import anyone, app, app_state, clock, keeper, session  # noqa: F401


def test_it_stays_until_a_person_wants_the_normal_start(tmp_path: Path) -> None:
    assert not SafeMode(tmp_path).chosen
    SafeMode(tmp_path).choose(True)
    assert SafeMode(tmp_path).chosen and SafeMode(tmp_path).chosen
    SafeMode(tmp_path).choose(False)
    assert not SafeMode(tmp_path).chosen


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"safe": 1}'])
def test_a_file_that_makes_no_sense_starts_normally_and_is_set_aside(tmp_path: Path, content: str) -> None:
    (tmp_path / STARTS_FILE).write_text(content, encoding="utf-8")
    aside: list[Path] = []
    assert not SafeMode(tmp_path, aside.append).chosen
    assert len(aside) == 1


def test_starting_again_drops_the_word_that_said_safely() -> None:
    words = ["/usr/bin/python3", "/opt/bin/companion", "serve", "--safe", "--camera", "usb:0"]
    assert arguments_again(words) == [sys.executable, "/opt/bin/companion", "serve", "--camera", "usb:0"]


def test_the_page_starts_in_safe_mode_and_out_of_it(
    anyone: FlaskClient,  # noqa: F811
    keeper: FlaskClient,  # noqa: F811
    app_state: AppState,  # noqa: F811
    tmp_path: Path,
) -> None:
    wanted: list[bool] = []
    assert "Start in safe mode" not in keeper.get("/repairs").text, "whoever started the program has to"
    assert keeper.post("/safe-mode", data={}).status_code == 404
    app_state.restart_in = wanted.append
    assert anyone.post("/safe-mode").status_code in (303, 401) and wanted == []
    assert "Start in safe mode" in keeper.get("/repairs").text
    assert keeper.post("/safe-mode", data={}).status_code in (200, 303)
    assert wanted == [True]
    mode = SafeMode(tmp_path)
    app_state.repairs.check(mode.repairs)
    app_state.repairs.actions["SAFE_MODE"] = lambda: wanted.append(False)
    page = keeper.get("/repairs").text
    assert "The box runs in safe mode" in page and "Start in safe mode" not in page
    assert "The box runs in safe mode" in anyone.get("/tv").text
    [case] = mode.repairs()
    assert keeper.post(f"/repairs/{case.id}/do", data={}).status_code in (200, 303)
    assert wanted == [True, False]
