"""`companion serve`: one clear line for what is wrong, and a game that survives the program."""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.app.games import create_game, make_app_state
from companion.app.state import AppState
from companion.cli.serve import default_data_dir, hold_data_dir, made_data_dir, serve
from companion.game.game import Game
from companion.log.journal import ClosedBook, Journal, JournalError
from companion.publish import Publisher
from companion.rules.ruleset import RuleSet
from companion.web import serving
from tests.shown import state_of

HEADER = {"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"], "options": {}}


@pytest.fixture
def opened() -> Iterator[list[AppState]]:
    """Houses whose journals are closed at the end."""
    houses: list[AppState] = []
    yield houses
    for app_state in houses:
        if app_state.has_game:
            app_state.session.journal.close()  # type: ignore[attr-defined]


def one_line(*arguments: str) -> str:
    """The single line with which the command refuses."""
    result = CliRunner().invoke(serve, list(arguments))
    assert result.exit_code in (1, 2), result.output
    lines = [line for line in result.stderr.splitlines() if line.startswith("Error:")]
    assert len(lines) == 1 and result.stdout == ""
    return lines[0]


def test_a_port_in_use_is_one_clear_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        line = one_line("--host", "127.0.0.1", "--port", str(port), "--data", str(tmp_path / "new"))
    assert f"port {port}" in line and "--port" in line
    assert not (tmp_path / "new").exists()


def test_a_data_folder_that_is_a_file_is_one_clear_line(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x", encoding="utf-8")
    assert "choose another with --data" in one_line("--data", str(file))


def test_a_pin_too_short_to_guard_anything_is_refused(tmp_path: Path) -> None:
    for pin in ("12", "abc", "secret", "١٢٣٤"):
        assert "expected 4 to 32 digits" in one_line("--pin", pin, "--data", str(tmp_path))


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1"])
def test_a_host_that_is_not_this_machine_is_not_put_down_to_its_port(tmp_path: Path, host: str) -> None:
    line = one_line("--host", host, "--data", str(tmp_path))
    assert f"--host {host}: " in line and "--port" not in line


def test_a_data_folder_that_was_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made_data_dir(tmp_path / "mistyped")
    assert capsys.readouterr().err == f"A new data folder: {tmp_path / 'mistyped'}\n"
    made_data_dir(tmp_path / "mistyped")
    assert capsys.readouterr().err == ""


def test_a_file_of_pins_that_makes_no_sense_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "pins.toml"
    file.write_text("[buttons]\npass = 40\n", encoding="utf-8")
    monkeypatch.setenv("COMPANION_PINS", str(file))
    assert "pins.toml: buttons.pass: expected a BCM pin from 2 to 27, not 40" in one_line("--data", str(tmp_path))
    file.write_text("[buttons]\npass = 23\n", encoding="utf-8")
    (tmp_path / "games").touch()
    assert "data folder" in one_line("--data", str(tmp_path))


@pytest.mark.parametrize("port", ["-1", "65536", "x"])
def test_a_port_that_cannot_be_is_a_wrong_use(port: str) -> None:
    assert CliRunner().invoke(serve, ["--port", port]).exit_code == 2


@pytest.mark.parametrize("source", ["no-such-film.mp4", "http://", "rtsp://host:99999/", "usb:x", "sim:x", "webcam"])
def test_a_camera_that_cannot_be_is_one_clear_line(source: str, tmp_path: Path) -> None:
    line = one_line("--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path), "--camera", source)
    assert line.startswith(f"Error: --camera {source.partition('host')[0]}") and (
        "expected" in line or "no such" in line
    )


def test_games_are_kept_where_the_user_keeps_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "mine"))
    assert default_data_dir() == tmp_path / "mine"
    monkeypatch.delenv("COMPANION_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_data_dir() == tmp_path / "companion"


def test_a_user_without_a_home_is_asked_for_a_folder_in_one_line(tmp_path: Path) -> None:
    """A service under a number that belongs to nobody has neither HOME nor an entry in the list of users."""
    code = """
import os, pwd, sys
os.environ.pop("HOME", None)
def nobody(uid):
    raise KeyError(uid)
pwd.getpwuid = nobody
from companion.__main__ import main
import companion.web.app
sys.argv[1:] = ["serve", "--safe", "--port", "0"]
main()
"""
    environment = {name: value for name, value in os.environ.items() if name not in ("COMPANION_DATA", "XDG_DATA_HOME")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    line = "Error: this user has no home folder: name a folder for the games with --data or COMPANION_DATA"
    assert done.stderr.splitlines() == [line]


@contextmanager
def running(data: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The real program on a free port: process, address on this machine, PIN."""
    command = [sys.executable, "-m", "companion", "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(data)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command += more
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as run:
        try:
            assert run.stdout is not None
            port = re.search(r":(\d+)$", run.stdout.readline().strip())
            pin = re.search(r"(\d{6})$", run.stdout.readline().strip())
            assert port and pin
            yield run, f"http://127.0.0.1:{port.group(1)}", pin.group(1)
        finally:
            if run.poll() is None:
                run.kill()


@pytest.mark.slow
def test_the_program_says_where_it_is_and_ends_at_once_when_told(tmp_path: Path) -> None:
    with running(tmp_path) as (run, address, pin):
        with urllib.request.urlopen(f"{address}/health", timeout=60) as answer:
            assert b'"ok"' in answer.read()
        stream = urllib.request.urlopen(f"{address}/api/stream", timeout=60)
        assert pin.isdigit()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM):  # an impatient person
            run.send_signal(number)
        assert run.wait(timeout=60) == 0
        stream.close()
        assert run.stderr is not None and "Traceback" not in run.stderr.read()


def test_what_a_large_answer_took_goes_back_to_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Library:
        def mallopt(self, option: int, value: int) -> int:
            asked.append((option, value))
            return 1

    monkeypatch.setattr(ctypes, "CDLL", lambda _name: Library())
    serving.keep_little_memory()
    assert asked == [(serving.ARENAS, 2), (serving.TRIM_FROM, serving.LARGE), (serving.ALONE_FROM, serving.LARGE)]
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: object())
    serving.keep_little_memory()
    assert len(asked) == 3, "another C library than glibc has nothing of the kind"


def test_a_restart_puts_the_unfinished_game_back_on_the_table(tmp_path: Path, opened: list[AppState]) -> None:
    (tmp_path / "games").mkdir()
    before = make_app_state(tmp_path)
    opened.append(before)
    name = before.start_game(HEADER)
    session = before.session
    session.start_round((12, 12), "Ann")  # type: ignore[attr-defined]
    session.play((12, 5), "Ann")  # type: ignore[attr-defined]
    session.journal.close()  # type: ignore[attr-defined]
    after = make_app_state(tmp_path)
    opened.append(after)
    assert after.game == name
    assert state_of(after.session)["turn"] == "Ben"


def test_a_wrong_clock_does_not_bring_another_game_back(tmp_path: Path, opened: list[AppState]) -> None:
    """Games are counted and the current one is written down; earlier releases went by names made of the date."""
    for name in ("2031-01-01-000000", "1970-01-01-000000"):
        (tmp_path / "games" / name).mkdir(parents=True)
        create_game(tmp_path / "games" / name / "journal.jsonl", HEADER).journal.close()
    before = make_app_state(tmp_path)
    opened.append(before)
    assert before.game == "2031-01-01-000000"
    assert before.start_game(HEADER) == "game-0001"
    assert before.start_game(HEADER) == "game-0002"
    assert before.games() == ["game-0002", "game-0001", "2031-01-01-000000", "1970-01-01-000000"]
    before.reopen("1970-01-01-000000")
    before.session.journal.close()  # type: ignore[attr-defined]
    after = make_app_state(tmp_path)
    opened.append(after)
    assert after.game == "1970-01-01-000000"


def test_a_number_is_never_given_to_another_game(tmp_path: Path, opened: list[AppState]) -> None:
    app_state = make_app_state(tmp_path)
    opened.append(app_state)
    first = app_state.start_game(HEADER)
    app_state.start_game(HEADER)
    shutil.rmtree(tmp_path / "games" / "game-0002")
    again = make_app_state(tmp_path)
    assert again.games() == [first]
    assert again.start_game(HEADER) == "game-0003", "its copy, its pictures and its numbers on the broker are its own"
    opened.append(again)


def test_a_current_game_that_makes_no_sense_is_set_aside_and_said(tmp_path: Path, opened: list[AppState]) -> None:
    app_state = make_app_state(tmp_path)
    name = app_state.start_game(HEADER)
    app_state.session.journal.close()  # type: ignore[attr-defined]
    (tmp_path / "current-game.json").write_bytes(b'{"game": "game-0001", "count": 1e999}')
    again = make_app_state(tmp_path)
    opened.append(again)
    assert again.game == name
    [report] = again.repairs.open()
    assert (report.code, report.about["file"]) == ("STATE_FILE", "current-game.json")


def test_a_second_companion_on_one_data_folder_is_refused_in_one_line(tmp_path: Path) -> None:
    with hold_data_dir(tmp_path):
        line = one_line("--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path))
    assert "another companion uses it" in line
    hold_data_dir(tmp_path).close()


def test_a_broken_last_game_does_not_keep_the_box_from_starting(tmp_path: Path) -> None:
    folder = tmp_path / "games" / "2026-01-01-000000"
    folder.mkdir(parents=True)
    folder.joinpath("journal.jsonl").write_text("nonsense\n", encoding="utf-8")
    app_state = make_app_state(tmp_path)
    assert not app_state.has_game and app_state.games() == [folder.name]


def test_a_page_without_a_camera_has_no_room_taken_by_what_looks_at_pictures() -> None:
    """41 MB of its 118 after photographs and score pictures."""
    opened = "companion.app.games, companion.app.learning, companion.cli.reporting, companion.web.app, hardware.camera"
    code = f"import sys, {opened}; print([one for one in ('numpy', 'cv2') if one in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_a_start_plays_the_last_game_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = make_app_state(tmp_path)
    before.start_game(HEADER)
    before.session.close()  # type: ignore[attr-defined]
    played = list[str]()
    whole = Game.__init__

    def counted(game: Game, journal: Journal, rules: RuleSet | None = None, **named: bool) -> None:
        played.append(journal.path.parent.name)
        whole(game, journal, rules, **named)

    monkeypatch.setattr(Game, "__init__", counted)
    after = make_app_state(tmp_path)
    assert after.game == "game-0001" and played == ["game-0001"]
    after.session.close()  # type: ignore[attr-defined]


def test_a_game_that_is_looked_at_cannot_be_changed(tmp_path: Path) -> None:
    session = create_game(tmp_path / "journal.jsonl", HEADER)
    session.start_round((12, 12), "Ann")
    book = ClosedBook(tmp_path / "journal.jsonl")
    assert len(book.events) == 1
    with pytest.raises(JournalError, match="only being looked at"):
        book.append_all([])
    session.journal.close()


def test_a_game_for_nobody_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    app_state = make_app_state(tmp_path)
    with pytest.raises(ValueError, match="players"):
        app_state.start_game({**HEADER, "players": []})
    assert list((tmp_path / "games").iterdir()) == []


def test_a_game_that_goes_on_is_known_before_the_broker_hears_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = make_app_state(tmp_path)
    before.start_game(HEADER)
    before.session.journal.close()  # type: ignore[attr-defined]
    done: list[str] = []
    monkeypatch.setattr(Publisher, "start", lambda _: done.append("connects"))
    monkeypatch.setattr(Publisher, "follow", lambda _, name, game: done.append(name))
    monkeypatch.setattr(serving, "serve_on", lambda *_: None)
    arguments = ["--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path), "--broker", "192.0.2.1"]
    assert CliRunner().invoke(serve, arguments).exit_code == 0
    assert done == ["game-0001", "connects"]


@pytest.mark.slow
def test_safe_mode_watches_no_camera_and_says_so_in_one_sentence(tmp_path: Path) -> None:
    """The camera named is a film that is not there: a normal start refuses it, a safe one does not even look."""
    with running(tmp_path, "--safe", "--camera", "no-such-film.mp4", "--broker", "192.0.2.1") as (_, address, _):
        with urllib.request.urlopen(f"{address}/health", timeout=60) as answer:
            reasons = json.load(answer)["reasons"]
        assert [one for one in reasons if "safe mode" in one] and not [one for one in reasons if "broker can" in one]
        with urllib.request.urlopen(f"{address}/repairs", timeout=60) as answer:
            assert "The box runs in safe mode" in answer.read().decode()
