"""Tiles that lie on the table and are not on record are in the view, whatever has become of their questions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins.seen_tables import tile
from companion.app.state import AppState
from companion.game.game import Game
from companion.game.view import Lying
from companion.geometry.layout import SeenHalf
from companion.log.event_fields import Confidence
from companion.log.events import TableChange
from companion.rules.position import Play
from companion.rules.tile import Laid
from tests.shown import state_of
from tests.table.test_unread import Table
from tests.table.test_unread_in_line import ROW, Line, laid_in_a_row, placed


def row(session: Game, name: str) -> Any:
    return next(train for train in state_of(session)["trains"] if train["name"] == name)


def lying(*tiles: tuple[int, int] | None) -> Lying:
    """A row of Ann's, None for a tile that nobody can read."""
    return Lying({"Ann": tuple(None if one is None else Laid(*one) for one in tiles)})


def test_an_unread_tile_is_on_record_and_none_lies_beside_it(tmp_path: Path) -> None:
    table = Table(tmp_path)
    assert all("off_record" not in train for train in state_of(table.session)["trains"])
    table.session.answer(table.session.questions[0].seq, None)
    table.show(table.lying)
    assert "off_record" not in row(table.session, "Ann") and len(row(table.session, "Ann")["tiles"]) == 2


def test_an_end_at_which_a_tile_lies_off_the_record_is_not_known(tmp_path: Path) -> None:
    table = Table(tmp_path, beside=())
    table.session.look(lying((12, 5), (5, 9), None))
    ann = row(table.session, "Ann")
    assert (len(ann["tiles"]), ann["off_record"], ann["end"]) == (2, 1, None)
    assert "off_record" not in row(table.session, "Ben") and row(table.session, "Ben")["end"] == 7
    assert not any(play["train"] == "Ann" for play in state_of(table.session)["may_play"])


def test_a_double_on_which_another_tile_lies_is_neither_open_nor_to_be_covered(tmp_path: Path) -> None:
    session = Table(tmp_path, beside=()).session
    session.play(Laid(12, 2), "Ben", by="Ben")
    session.play(Laid(9, 9), "Ann", by="Ann")
    bound = state_of(session)
    assert bound["must_cover"] is not None or bound["after_double"] == "Ann"
    session.look(lying((12, 5), (5, 9), (9, 9), None))
    shown = state_of(session)
    ann = row(session, "Ann")
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


def test_another_round_begins_without_what_lay_there_before(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.session.look(lying((12, 5), (5, 9), None))
    table.session.end_round("abandoned")
    assert "off_record" not in row(table.session, "Ann")
    table.session.start_round()
    assert all("off_record" not in train for train in state_of(table.session)["trains"])


@pytest.mark.parametrize("arm", ["left", "right"])
def test_a_tile_at_an_end_of_a_line_that_is_not_on_record_is_in_the_view(tmp_path: Path, arm: str) -> None:
    line = Line(tmp_path)
    laid_in_a_row(line, ROW[:3])
    seen = [*(Laid(*one) for one in ROW[:3])]
    line.session.look(Lying({}, (None, *seen) if arm == "left" else (*seen, None)))
    shown = state_of(line.session)
    assert shown["off_record"] == {"left": 0, "right": 0, "apart": 0, arm: 1}
    # This game plays on at the right end alone.
    assert shown["ends"] == [None, 4 if arm == "left" else None]
    assert {play["train"] for play in shown["may_play"]} == ({"R"} if arm == "left" else set())
    assert shown["blocked"] is not None and not shown["blocked"]["nearly"]


def test_an_unread_tile_of_a_line_has_its_own_reading(tmp_path: Path) -> None:
    """It may be taken for one that lies there already, which was read: that says nothing of this one."""
    line = Line(tmp_path)
    nothing = SeenHalf(None, 0.1, tuple((value, 0.1) for value in range(1, 7)))
    line.show(*laid_in_a_row(line, ROW[:3]), replace(placed(-1, 2, 6), halves=(nothing, nothing)))
    shown = state_of(line.session)
    first, last = shown["line"][0], shown["line"][-1]
    assert first["sure"] == 0.1667 and first["unread"] == [True, False] and "unread" not in last


def test_beyond_an_unread_half_of_a_line_nothing_is_due_and_nothing_proves_it_blocked(tmp_path: Path) -> None:
    line = Line(tmp_path)
    line.show(*laid_in_a_row(line, ROW[:2]))
    laid, guess = Play(Laid(*ROW[2]), "R"), Confidence((0.99, 0.2), ((), ((6, 0.2),)))
    line.session.observe(TableChange((laid,), readings={laid: guess}))
    shown = state_of(line.session)
    assert shown["line"][-1]["unread"] == [False, True]
    assert shown["ends"][1] is None and shown["may_play"] == [] and shown["blocked"] is None


def test_the_phones_hear_of_what_lies_there_though_no_journal_has_it(tmp_path: Path) -> None:
    table = Table(tmp_path, beside=())
    state = AppState(table.session, data_dir=tmp_path)
    count = state.signal.count
    table.session.look(lying((12, 5), (5, 9), None, None))
    assert state.signal.count == count + 1
    table.session.look(lying((12, 5), (5, 9), None, None))
    assert state.signal.count == count + 1, "nothing new"
    assert row(table.session, "Ann")["off_record"] == 2
