"""The page lists each fault of the box: its name, since when, its effect, and the remedy."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from bench.stand_ins.fakes import FakeCamera
from companion.app.games import make_app_state
from companion.app.state import AppState
from companion.log.copies import journal_of, keep_copy, repair_game
from companion.log.event_fields import Header
from companion.log.events import Drew
from companion.log.journal import Journal
from companion.storage.repairs import REPAIRS_FILE, Repair, Repairs
from companion.supervise.parts import Parts
from companion.web.app import PageSettings, create_app
from companion.web.texts import cases, repair_text

DAMAGED = Repair(
    "JOURNAL_DAMAGED", {"game": "evening", "events": 30, "aside": "journal.jsonl.damaged-1", "why": "line 5"}
)
SENTENCE = "Game evening was damaged on the card and has been repaired; it has 30 entries."


def test_a_report_is_on_the_table_on_the_big_screen_and_in_health(anyone: FlaskClient, app_state: AppState) -> None:
    app_state.repairs.report(DAMAGED)
    assert SENTENCE in anyone.get("/").text
    assert SENTENCE in anyone.get("/tv").text
    health = anyone.get("/health").json
    assert health["status"] == "degraded" and SENTENCE in health["reasons"]


def test_the_page_says_what_it_means_and_since_when(anyone: FlaskClient, app_state: AppState) -> None:
    assert "Nothing needs repair." in anyone.get("/repairs").text
    app_state.repairs = Repairs(clock=lambda: datetime(2026, 11, 20, 18, 0, tzinfo=UTC))
    app_state.repairs.report(DAMAGED)
    page = anyone.get("/repairs").text
    assert SENTENCE in page
    assert "The damaged file is kept as journal.jsonl.damaged-1." in page
    assert "Nov 20, 2026" in page
    assert "Since" in page


def test_only_who_has_the_pin_takes_a_report_from_the_list(
    app: Flask, anyone: FlaskClient, keeper: FlaskClient, app_state: AppState
) -> None:
    app_state.repairs.report(DAMAGED)
    guest = app.test_client()
    guest.get(f"/join/{app.extensions['companion_evening'].code}")
    for client in (anyone, guest):
        assert "I have seen it" not in client.get("/repairs").text
        assert client.post(f"/repairs/{DAMAGED.id}/seen").status_code == 401
    assert app_state.repairs.open()
    assert "I have seen it" in keeper.get("/repairs").text
    assert keeper.post(f"/repairs/{DAMAGED.id}/seen", data={}).status_code in (200, 303)
    assert app_state.repairs.open() == []
    assert keeper.post(f"/repairs/{DAMAGED.id}/seen", data={}).status_code == 404


def test_what_lasts_cannot_be_taken_from_the_list(keeper: FlaskClient, app_state: AppState) -> None:
    lasting = Repair("COPY_REFUSED", {"game": "evening"})
    app_state.repairs.check(lambda: (lasting,))
    assert keeper.post(f"/repairs/{lasting.id}/seen", data={}).status_code == 404
    assert app_state.repairs.open()[0].code == "COPY_REFUSED"


def test_a_button_mends_what_lasts(anyone: FlaskClient, keeper: FlaskClient, app_state: AppState) -> None:
    right: list[bool] = []
    leapt = Repair("CLOCK_LEAPT", {"last": "2026-11-20"})
    app_state.repairs.check(lambda: () if right else (leapt,))
    app_state.repairs.actions["CLOCK_LEAPT"] = lambda: right.append(True)
    assert "The date above is right" not in anyone.get("/repairs").text
    assert anyone.post(f"/repairs/{leapt.id}/do").status_code in (303, 401) and not right
    assert "The date above is right" in keeper.get("/repairs").text
    assert keeper.post(f"/repairs/{leapt.id}/do", data={}).status_code in (200, 303)
    assert right and "Nothing needs repair." in keeper.get("/repairs").text
    assert keeper.post(f"/repairs/{leapt.id}/do", data={}).status_code == 404


def test_what_other_parts_say_is_on_the_list_with_what_helps(keeper: FlaskClient, app_state: AppState) -> None:
    app_state.camera = FakeCamera("lost", "the camera is not there; plug it in again, it comes back by itself")
    app_state.checks.append(lambda: ["only 120 MB are free for games and pictures", "the clock was never set", "odd"])
    page = keeper.get("/repairs").text
    for words in (
        "The camera is not there",
        "Check camera and table.",
        "Only 120 MB are free",
        "Delete pictures on the Games page.",
        "sudo timedatectl set-time",
        "Odd",
        "The game goes on.",
    ):
        assert words in page
    assert keeper.get("/").text.count("Only 120 MB are free") == 1, "not twice on the table"
    assert keeper.get("/health").json["reasons"].count("the clock was never set") == 1


def test_reports_outlive_a_restart_until_they_are_seen(tmp_path: Path) -> None:
    repairs = Repairs(tmp_path / REPAIRS_FILE)
    repairs.report(DAMAGED)
    repairs.report(DAMAGED)
    [kept] = Repairs(tmp_path / REPAIRS_FILE).open()
    assert (kept.code, kept.about, kept.reported) == (DAMAGED.code, DAMAGED.about, True)
    assert Repairs(tmp_path / REPAIRS_FILE).seen(kept.id)
    assert Repairs(tmp_path / REPAIRS_FILE).open() == []


@pytest.mark.parametrize(
    "content", [b"\x00" * 40, b"[1]", b'{"a": 1}', b"[" * 100_000, b'[{"code": "x", "about": 7, "since": ""}]', b'"']
)
def test_a_list_of_reports_that_makes_no_sense_is_set_aside_and_said(tmp_path: Path, content: bytes) -> None:
    (tmp_path / REPAIRS_FILE).write_bytes(content)
    [report] = Repairs(tmp_path / REPAIRS_FILE).open()
    assert report.code == "STATE_FILE"
    assert (tmp_path / str(report.about["aside"])).read_bytes() == content


def test_a_report_of_a_newer_release_is_no_fault_of_the_page(
    tmp_path: Path, anyone: FlaskClient, app_state: AppState
) -> None:
    app_state.repairs.report(Repair("SOMETHING_NEW", {"what": "7"}))
    assert anyone.get("/repairs").status_code == 200
    assert "SOMETHING_NEW" in anyone.get("/repairs").text
    assert anyone.get("/health").status_code == 200


def test_every_case_has_its_words() -> None:
    about = dict.fromkeys(
        (
            "game",
            "part",
            "events",
            "aside",
            "why",
            "beyond",
            "file",
            "count",
            "last",
            "tenths",
            "totals",
        ),
        "1",
    )
    for code in cases():
        words = repair_text(Repair(code, about))
        assert words.title and words.meaning
        assert "%(" not in words.title + words.meaning + words.remedy + words.page


def a_game(games: Path, name: str) -> Path:
    path = journal_of(games, name)
    path.parent.mkdir(parents=True)
    with Journal.create(path, Header("tactic", "double-9", ("Ann", "Ben"))) as journal:
        journal.append_all([Drew(by="Ann")] * 5)
        keep_copy(games, name, journal.content)
    return path


def test_a_journal_that_lost_its_end_is_whole_on_the_page_again_and_says_so(tmp_path: Path) -> None:
    path = a_game(tmp_path / "games", "evening")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    repairs = Repairs(tmp_path / REPAIRS_FILE)
    for report in repair_game(tmp_path / "games", "evening"):
        repairs.report(report)
    app_state = make_app_state(tmp_path, repairs=repairs)
    page = create_app(app_state, PageSettings(pin="1357", testing=True)).test_client()
    assert SENTENCE.replace("30", "5") in page.get("/").text
    assert len(app_state.session.events) >= 5
    app_state.signal.close()


def test_a_journal_of_an_earlier_version_is_not_to_be_restored_but_converted(tmp_path: Path) -> None:
    path = a_game(tmp_path / "games", "evening")
    path.write_bytes(path.read_bytes().replace(b'{"journal": 3', b'{"journal": 1', 1))
    app_state = make_app_state(tmp_path)
    help = create_app(app_state, PageSettings(pin="1357", testing=True)).test_client().get("/repairs").text
    assert "companion convert /var/lib/companion/games/evening/journal.jsonl" in help and "--restore" not in help
    app_state.signal.close()


def test_the_last_game_that_cannot_be_opened_is_said_at_once(tmp_path: Path) -> None:
    path = a_game(tmp_path / "games", "evening")
    path.write_bytes(path.read_bytes()[40:])
    app_state = make_app_state(tmp_path)
    page = create_app(app_state, PageSettings(pin="1357", testing=True)).test_client()
    front = page.get("/")
    assert "The last game, evening, cannot be opened" in front.text
    assert "What to do" in front.text
    assert str(tmp_path) not in front.text
    assert page.get("/health").json["status"] == "degraded"
    app_state.start_game({"rules": "tactic", "set": "double-9", "players": ["Ann", "Ben"], "options": {}})
    assert page.get("/health").json["status"] == "ok"
    app_state.signal.close()


def test_a_game_damaged_meanwhile_is_repaired_when_it_is_opened_again(tmp_path: Path) -> None:
    path = a_game(tmp_path / "games", "evening")
    app_state = make_app_state(tmp_path)
    app_state.start_game({"rules": "tactic", "set": "double-9", "players": ["Ann", "Ben"], "options": {}})
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    app_state.reopen("evening")
    assert len(app_state.session.events) >= 5
    assert [one.code for one in app_state.repairs.open()] == ["JOURNAL_DAMAGED"]
    app_state.signal.close()


def test_the_last_sign_of_life_of_every_part_is_in_health_and_on_the_page(
    anyone: FlaskClient, app_state: AppState
) -> None:
    now = [0.0]
    app_state.parts = Parts(lambda: now[0])
    app_state.repairs.check(app_state.parts.repairs)
    lamp, copies = app_state.parts.add("lamp"), app_state.parts.add("copies")
    lamp.beat()
    copies.beat()
    assert anyone.get("/health").json["status"] == "ok"
    now[0] = 12.0
    copies.beat()
    copies.fail("No space left on device")
    health = anyone.get("/health").json
    assert health["parts"] == {
        "lamp": {"seconds": 12.0, "hangs": True, "trouble": ""},
        "copies": {"seconds": 0.0, "hangs": False, "trouble": "No space left on device"},
    }
    assert "No sign of life from: lamp." in health["reasons"]
    assert "This does not work just now: copies (No space left on device)." in health["reasons"]
    page = anyone.get("/repairs").text
    assert "the lamp: <b>no sign of life for 12 s" in page
    assert "copying the game: <b>is tried again (No space left on device)" in page
    assert "No sign of life from: the lamp." in anyone.get("/").text
