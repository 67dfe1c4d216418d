"""Tiles that lie on the table and are not on record are in the view, whatever has become of their questions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.app.state import AppState
from companion.game.session import Session
from companion.game.view import Lying
from companion.geometry.layout import SeenHalf, SeenTile
from companion.observing.unread import MOST_UNANSWERED
from companion.rules.tile import Laid
from tests.shown import state_of
from tests.table.tables import eastward, tile
from tests.table.test_unread import FAINT, SOUTH, WEST, Table
from tests.table.test_unread_in_line import ROW, Line, half_read, laid_in_a_row, placed


def row(session: Session, name: str) -> Any:
    return next(train for train in state_of(session)["trains"] if train["name"] == name)


def faint(seen: SeenTile) -> SeenTile:
    """Nothing is read of it, and nobody can guess what it is."""
    nothing = SeenHalf(None, 0.1, tuple((value, 0.1) for value in range(10)))
    return replace(seen, halves=(nothing, nothing))


def test_a_tile_that_waits_for_its_name_is_in_the_view_until_somebody_says_it(tmp_path: Path) -> None:
    table = Table(tmp_path)
    ann, mexican = row(table.session, "Ann"), row(table.session, "MX")
    assert (len(ann["tiles"]), ann["off_record"], ann["end"]) == (1, 1, None)
    assert (mexican["off_record"], mexican["end"]) == (1, None), "what was laid after it waits as well"
    assert "off_record" not in row(table.session, "Ben") and row(table.session, "Ben")["end"] == 7
    assert not any(play["train"] in ("Ann", "MX") for play in state_of(table.session)["may_play"])
    table.session.answer(table.session.questions[0].seq, 0)
    assert "off_record" not in row(table.session, "Ann") and row(table.session, "Ann")["end"] == 9


def test_a_tile_without_which_the_game_goes_on_stays_in_the_view(tmp_path: Path) -> None:
    table = Table(tmp_path, patience=0, halves=FAINT)
    table.show([*table.lying, faint(eastward([(12, 5), (5, 9), (9, 3)])[2])])
    assert row(table.session, "Ann")["off_record"] == 2, "it, and the one beyond it"
    table.session.answer(table.session.questions[0].seq, None)
    table.show(table.lying)
    assert row(table.session, "Ann")["off_record"] == 1, "none of these: and yet it lies there"
    table.show([*table.lying[:2], SOUTH])
    assert "off_record" not in row(table.session, "Ann")


def test_a_tile_that_nobody_is_asked_about_is_in_the_view(tmp_path: Path) -> None:
    table = Table(tmp_path, patience=0, halves=FAINT)
    table.sink.unread._unanswered = MOST_UNANSWERED
    table.show([*table.lying, faint(tile(465.0, 450.0, 180.0, 7, 2))])
    assert len(table.session.questions) == 1
    assert row(table.session, "Ben")["off_record"] == 1


def test_a_double_on_which_an_unread_tile_lies_is_neither_open_nor_to_be_covered(tmp_path: Path) -> None:
    table = Table(tmp_path, beside=())
    first, double, beyond = eastward([(12, 5), (5, 5), (5, 9)])
    table.show([first, WEST, double])
    bound = state_of(table.session)
    assert bound["must_cover"] is not None or bound["after_double"] == "Ann"
    table.show([first, WEST, double, replace(beyond, halves=FAINT)])
    shown = state_of(table.session)
    ann = row(table.session, "Ann")
    assert (ann["off_record"], ann["end"], ann["open"], ann["dead"]) == (1, None, False, "no")
    assert shown["open_doubles"] == [] and shown["must_cover"] is None and shown["after_double"] is None
    assert {play["train"] for play in shown["may_play"]} <= {"MX", "Ben"}
    assert shown["blocked"] is not None and not shown["blocked"]["provable"] and not shown["blocked"]["nearly"]


def test_a_tile_that_belongs_to_no_train_is_counted_apart(tmp_path: Path) -> None:
    table = Table(tmp_path, beside=())
    astray = tile(250.0, 250.0, 30.0, 8, 2)
    for _ in range(3):
        table.show([*table.lying, astray])
    assert state_of(table.session)["off_record"] == {"left": 0, "right": 0, "apart": 1}
    for question in table.session.questions:
        table.session.answer(question.seq, None)
    table.show([*table.lying, astray])
    assert state_of(table.session)["off_record"]["apart"] == 1, "settled, and yet it lies there"
    table.show(table.lying)
    assert "off_record" not in state_of(table.session)


def test_a_tile_that_somebody_has_taken_off_the_record_lies_there_all_the_same(tmp_path: Path) -> None:
    table = Table(tmp_path, beside=())
    seq = row(table.session, "Ben")["tiles"][0]["seq"]
    table.session.correct(seq, {"withdrawn": True})
    assert row(table.session, "Ben")["off_record"] == 1
    table.session.correct(seq, {"withdrawn": False})
    assert "off_record" not in row(table.session, "Ben")


def test_after_a_restart_the_next_look_brings_it_back(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.session.close()
    again = Session.open(tmp_path / "game.jsonl")
    assert "off_record" not in row(again, "Ann")
    table.watched_anew(again)
    table.show(table.lying)
    assert row(again, "Ann")["off_record"] == 1
    assert [question.reason for question in again.questions] == ["unreadable_tile: Ann"], "asked about once"
    first, second = eastward([(12, 5), (5, 9)])
    table.watched_anew(again)
    table.show([first, WEST, second, SOUTH])
    assert again.questions == () and "off_record" not in row(again, "Ann")
    again.close()


def test_another_round_begins_without_what_lay_there_before(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.session.end_round("abandoned")
    assert "off_record" not in row(table.session, "Ann")
    table.session.start_round()
    assert all("off_record" not in train for train in state_of(table.session)["trains"])


@pytest.mark.parametrize("arm", ["left", "right"])
def test_an_unread_tile_at_an_end_of_a_line_is_in_the_view(tmp_path: Path, arm: str) -> None:
    line = Line(tmp_path)
    tiles = laid_in_a_row(line, ROW[:3])
    line.show(*tiles, faint(placed(-1, 2, 6)) if arm == "left" else half_read(3, 4))
    shown = state_of(line.session)
    assert len(shown["line"]) == 3
    assert shown["off_record"] == {"left": 0, "right": 0, "apart": 0, arm: 1}
    # This game plays on at the right end alone.
    assert shown["ends"] == [None, 4 if arm == "left" else None]
    assert {play["train"] for play in shown["may_play"]} == ({"R"} if arm == "left" else set())
    assert shown["blocked"] is not None and not shown["blocked"]["nearly"]


def test_the_phones_hear_of_what_lies_there_though_no_journal_has_it(tmp_path: Path) -> None:
    table = Table(tmp_path, beside=())
    state = AppState(table.session, data_dir=tmp_path)
    count = state.signal.count
    table.session.look(Lying({"Ann": (Laid(12, 5), None, None)}))
    assert state.signal.count == count + 1
    table.session.look(Lying({"Ann": (Laid(12, 5), None, None)}))
    assert state.signal.count == count + 1, "nothing new"
    assert row(table.session, "Ann")["off_record"] == 2
