"""An accusation that no longer stands is taken back aloud, once, and with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins.making import ticking
from bench.stand_ins.settling import asked, settle
from companion.game.game import Game
from companion.game.game_view import is_fault
from companion.game.replay import replay
from companion.game.told import SHOWN_SUFFIX
from companion.log.event_fields import Header
from companion.log.events import Corrected, Event
from companion.rules.notation import parse_delta
from datasets.bots.watching import table_change
from tests.shown import outcome, state_of, take_back

MARKER = {"event": "marker_placed", "by": "Ann", "train": "Ann", "source": "person"}


def accused(tmp_path: Path) -> Game:
    """Ben lays on Ann's train, which carries no marker that anybody knows of; it was really so, somebody says."""
    session = Game.create(tmp_path / "g.jsonl", Header("tactic", "double-12", ("Ann", "Ben", "Cy")), ticking())
    session.start_round((12, 12), "Ann", draws_seen=False)
    session.play((12, 5), "Ann")
    session.play((5, 9), "Ann", by="Ben")
    assert not any(is_fault(play) for play in state_of(session)["plays"])
    settle(session)
    assert [play["seq"] for play in state_of(session)["plays"] if is_fault(play)] == [3]
    return session


def said(session: Game) -> list[dict[str, Any]]:
    return [dict(event.what) for event in session.fallen]


def test_a_marker_that_lay_there_takes_the_accusation_back(tmp_path: Path) -> None:
    session, heard = accused(tmp_path), list[Event]()
    session.subscribe(heard.append)
    session.correct(2, {"insert": [MARKER], "after": True})
    assert not any(is_fault(play) for play in state_of(session)["plays"] if play["seq"] == 3)
    (line,) = said(session)
    assert line["retracts"] == [{"code": "CLOSED_TRAIN", "by": "Ben"}] and line["because"] == "person"
    (shown,) = state_of(session)["retractions"]
    assert shown["play"] == 3 and shown["retracts"] == line["retracts"] and shown["because"] == "person"
    session.play((12, 7), "Cy")
    assert len(said(session)) == 1, "it is said once"
    assert [one for one in heard if isinstance(one, Corrected) and "retracts" in one.what] == list(session.fallen)
    assert not any("retracts" in one.what for one in session.journal.events if isinstance(one, Corrected))


def test_who_is_cleared_is_told_though_somebody_else_did_it(tmp_path: Path) -> None:
    session = accused(tmp_path)
    session.correct(3, {"by": "Cy"})
    assert [one["retracts"] for one in said(session)] == [[{"code": "CLOSED_TRAIN", "by": "Ben"}]]


@pytest.mark.parametrize("how", ["overruled", "withdrawn", "taken back", "another train"])
def test_what_people_settle_themselves_needs_no_words(how: str, tmp_path: Path) -> None:
    session = accused(tmp_path)
    if how == "taken back":
        take_back(session, 3)
    elif how == "another train":
        session.correct(3, {"train": "MX"})
    else:
        session.correct(3, {how: True})
    assert said(session) == [] and state_of(session)["retractions"] == []


def test_an_answer_that_is_taken_back_leaves_the_question_open(tmp_path: Path) -> None:
    session = accused(tmp_path)
    session.undo()
    (play,) = (play for play in state_of(session)["plays"] if play["seq"] == 3)
    assert play["violations"] == [{"code": "CLOSED_TRAIN", "certain": False, "open": True}]
    assert len(asked(session)) == 1
    assert state_of(session)["retractions"] == [], "whoever said that it was so has taken that back"
    settle(session)
    assert [play["seq"] for play in state_of(session)["plays"] if is_fault(play)] == [3]


def test_undo_brings_the_accusation_back_and_the_words_stay_in_the_log(tmp_path: Path) -> None:
    session = accused(tmp_path)
    session.correct(2, {"insert": [MARKER], "after": True})
    session.undo()
    assert [play["seq"] for play in state_of(session)["plays"] if is_fault(play)] == [3]
    assert len(said(session)) == 1
    assert state_of(session)["retractions"] == []
    session.close()
    again = Game.open(tmp_path / "g.jsonl")
    assert [play["seq"] for play in state_of(again)["plays"] if is_fault(play)] == [3]
    assert again.fallen == session.fallen


def test_a_game_with_a_retraction_replays_as_it_was(tmp_path: Path) -> None:
    session = accused(tmp_path)
    session.correct(2, {"insert": [MARKER], "after": True})
    shown, events, fallen = state_of(session), session.events, session.fallen
    assert shown["retractions"] and fallen
    session.close()
    again = Game.open(tmp_path / "g.jsonl")
    assert state_of(again) == shown
    assert (again.events, again.fallen) == (events, fallen)
    assert outcome(replay(tmp_path / "g.jsonl").board) == outcome(again.scoreboard)


def test_without_the_file_of_what_was_told_the_game_is_the_same_and_nothing_has_fallen(tmp_path: Path) -> None:
    session = accused(tmp_path)
    session.correct(2, {"insert": [MARKER], "after": True})
    shown = state_of(session)
    session.close()
    (tmp_path / "g.jsonl").with_suffix(SHOWN_SUFFIX).unlink()
    again = Game.open(tmp_path / "g.jsonl")
    assert again.fallen == ()
    for one in again.read_otherwise():
        line = again.events[one.corrects - 1].to_json()
        line = {**line, **line["what"]["insert"][0]} if line["event"] == "corrected" else line
        assert all((line.get(name) or None) == (value or None) for name, value in one.what.items()), (
            "it changes nothing"
        )
    assert again.read_otherwise(), "whoever heard something else before is told"
    assert state_of(again) == {**shown, "retractions": []}


def test_a_name_that_goes_with_the_accusation_is_told_with_it(tmp_path: Path) -> None:
    """Ann stood accused, since Ben went on; it was not Ben who went on, somebody says, so it is open who it was."""
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-12", ("Ann", "Ben", "Cy")), ticking())
    session.start_round((12, 12), "Ann", draws_seen=True)
    for change in ("+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+3-5@Cy", "+2-6@Ben"):
        session.observe(table_change(parse_delta([change])))
    before = next(play for play in state_of(session)["plays"] if play.get("tile") == [3, 5])
    assert before["by"] == "Ann"
    heard = list[Event]()
    session.subscribe(heard.append)
    session.correct(session.seq, {"by": "Ann"})
    (told,) = session.fallen
    assert told.what["retracts"] == [{"code": "CLOSED_TRAIN", "by": "Ann"}] and told in heard
    now = next(play for play in state_of(session)["plays"] if play["seq"] == told.corrects)
    assert (told.what["by"], list(told.what["maybe"])) == (now["by"], now["maybe"])


def test_who_comes_back_hears_of_an_accusation_that_came_and_fell_meanwhile(tmp_path: Path) -> None:
    session = accused(tmp_path)
    session.undo()
    (again,) = (one for one in session.read_otherwise() if one.corrects == 3)
    assert [(one["code"], one["certain"]) for one in again.what["violations"]] == [("CLOSED_TRAIN", False)]


@pytest.mark.parametrize(
    "text",
    ["nonsense\n", "[" * 100_000, '{"seq": 1', '{"retracts": 5}\n', "\x00\xff"],
    ids=["nonsense", "nested", "torn", "no event", "bytes"],
)
def test_whatever_stands_in_the_file_of_what_was_told_the_game_goes_on(tmp_path: Path, text: str) -> None:
    session = accused(tmp_path)
    shown, file = state_of(session), tmp_path / "g.shown"
    session.close()
    told = file.read_text(encoding="utf-8")
    file.write_text(told + text, encoding="utf-8", errors="surrogateescape")
    again = Game.open(tmp_path / "g.jsonl")
    assert state_of(again)["plays"] == shown["plays"]
    again.close()
    size = file.stat().st_size
    Game.open(tmp_path / "g.jsonl").close()
    assert file.stat().st_size == size, "it was written anew once, and does not grow"


def test_a_chinese_tile_that_was_taken_back_clears_nobody_of_the_other_like_it(tmp_path: Path) -> None:
    """Each tile is in the box twice; the first of the two was never accused."""
    session = Game.create(tmp_path / "g.jsonl", Header("kkori", "chinese", ("Ann", "Ben", "Cy", "Dee")), ticking())
    session.start_round(None, "Ann")
    for change in ("+6-6@R", "+6-5@R", "+5-5@R", "+6-6@R"):
        session.observe(table_change(parse_delta([change])))
    assert [play["tile"] for play in state_of(session)["plays"] if is_fault(play)] == [[6, 6]]
    session.observe(table_change(parse_delta(["-6-6@R"])))
    assert not any(is_fault(play) for play in state_of(session)["plays"] if not play.get("taken_back"))
    assert session.fallen == () and not state_of(session).get("retractions")
