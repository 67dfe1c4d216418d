"""Downloads come from the disk, two at a time, and what people corrected or played only with the PIN."""

from __future__ import annotations

import calendar
import io
import os
import time
import zipfile
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from bench.stand_ins.fakes import FakeDesk
from companion.app.state import AppState
from companion.web import archive
from companion.web.archive import DownloadSlots, Packed, send_once
from companion.web.texts import DiskFull


@pytest.fixture(autouse=True)
def small_source(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program's own files take a second to pack."""
    clone = tmp_path_factory.mktemp("clone")
    (clone / "companion").mkdir()
    (clone / "companion/app.py").write_text("x = 1\n" * 50_000, encoding="utf-8")
    monkeypatch.setattr(archive, "CLONE", clone)


SETUP = {"rules": "tactic", "set": "double-12", "player_1": "Ann", "player_2": "Ben"}


@pytest.mark.parametrize("path", ["/games/tonight/export.zip", "/corrections.zip"])
def test_what_was_played_is_taken_away_only_with_the_pin(anyone: FlaskClient, app_state: AppState, path: str) -> None:
    desk = FakeDesk()
    desk.told["corrections"] = 3
    app_state.learning = desk
    refused = anyone.get(path)
    assert refused.status_code == 401 and "PIN" in refused.text
    browser = anyone.get(path, headers={"Accept": "text/html,*/*"})
    assert browser.status_code == 303 and browser.headers["Location"] == f"/pin?next={path}"


@pytest.mark.parametrize("page", ["/games", "/scores", "/learn"])
def test_who_has_no_pin_is_shown_no_download(
    anyone: FlaskClient, keeper: FlaskClient, app_state: AppState, page: str
) -> None:
    desk = FakeDesk()
    desk.told["corrections"] = 3
    app_state.learning = desk
    assert ".zip" not in anyone.get(page).text
    assert ".zip" in keeper.get(page).text


def test_a_third_download_waits_until_one_has_ended(app: Flask, anyone: FlaskClient) -> None:
    running = [anyone.get("/source", buffered=False) for _ in range(2)]
    refused = anyone.get("/source")
    assert refused.status_code == 503 and refused.headers["Retry-After"] == "30"
    assert "Somebody else is downloading" in refused.text
    running[0].close()
    assert anyone.get("/source").status_code == 200
    running[1].close()


def test_a_download_nobody_reads_gives_its_place_back(anyone: FlaskClient) -> None:
    for _ in range(4):
        assert anyone.head("/source").status_code == 200


def test_the_source_is_packed_once(anyone: FlaskClient, app: Flask) -> None:
    first, second = anyone.get("/source").data, anyone.get("/source").data
    assert first == second and zipfile.ZipFile(io.BytesIO(first)).testzip() is None
    assert app.extensions["companion_source"].packed(None) is app.extensions["companion_source"].packed(None)


def test_readers_of_one_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    packed = Packed(lambda into: into.write(b"0123456789") and None, tmp_path)
    first, second = packed.reader(), packed.reader()
    assert first.read(4) == b"0123" and second.read(2) == b"01"
    second.seek(0, io.SEEK_END)
    assert second.tell() == 10 and second.read() == b""
    packed.close()
    assert first.read() == b"456789", "it is read to its end though it was packed for one"
    assert list(tmp_path.iterdir()) == [], "nothing lies about while it is sent"
    first.close()
    second.close()


def test_a_full_disk_is_said_and_keeps_no_place(app: Flask) -> None:
    places = DownloadSlots(1)

    def full(_into: object) -> None:
        raise OSError(28, "No space left on device")

    with app.test_request_context():
        for _ in range(2):
            with pytest.raises(DiskFull, match="disk is full"):
                send_once(full, "x.zip", None, places)


def test_a_small_download_needs_no_room_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file can be made there, but takes nothing."""
    monkeypatch.setattr(archive, "_unnamed", lambda _folder: io.FileIO("/dev/full", "w+"))
    with Packed(lambda into: into.write(b"0123456789") and None, tmp_path).reader() as small:
        assert small.read() == b"0123456789"
    with pytest.raises(OSError, match="No space left"):
        Packed(lambda into: into.write(bytes(archive.IN_MEMORY + 1)) and None, tmp_path)


def test_an_export_keeps_no_place_once_it_is_read(keeper: FlaskClient, app_state: AppState) -> None:
    keeper.post("/setup", data=SETUP)
    for _ in range(5):
        answer = keeper.get(f"/games/{app_state.game}/export.zip")
        assert answer.status_code == 200 and zipfile.ZipFile(io.BytesIO(answer.data)).testzip() is None


@pytest.mark.parametrize("year", [1970, 2200])
def test_a_clock_that_is_wrong_stops_no_export(
    keeper: FlaskClient, app_state: AppState, monkeypatch: pytest.MonkeyPatch, year: int
) -> None:
    keeper.post("/setup", data=SETUP)
    folder = app_state.folder(app_state.game)
    assert folder is not None
    then = calendar.timegm((year, 1, 2, 0, 0, 0))
    os.utime(folder / "journal.jsonl", (then, then))
    monkeypatch.setattr(time, "localtime", lambda _at=None: time.gmtime(then))
    answer = keeper.get(f"/games/{app_state.game}/export.zip")
    assert answer.status_code == 200
    packed = zipfile.ZipFile(io.BytesIO(answer.data))
    assert packed.testzip() is None
    assert {one.date_time[0] for one in packed.infolist()} == {min(max(year, 1980), 2107)}
    assert f"{app_state.game}/scores.csv" in packed.namelist()
