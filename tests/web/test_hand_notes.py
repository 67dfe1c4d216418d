"""Hands at the end of a round: notes before they count, accusations never."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeSession
from bench.stand_ins.views import view_of
from companion.web.hands import empty_notes, hand_notes, mark_of
from tests.shown import state_of
from tests.web.reading import words
from tests.web.real_table import Table

HANDS = {"how": "out", "hand_1": "", "hand_2": "10-5 11-1", "hand_3": "3-3", "hand_4": "1-2"}


@pytest.fixture
def train_table(tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path, "tactic", "double-12")
    yield table
    table.session.close()


def test_a_tile_that_lies_on_the_table_or_in_two_hands_is_noted() -> None:
    board = view_of(tables.midgame(hands={}))
    found = hand_notes(board, {"Ann": [], "Ben": [(5, 10), (1, 2)], "Cyril": [(2, 1)]}, "out")
    assert found == {
        "Ben": ["5-10 is already on the table: Ann's train."],
        "Cyril": ["2-1 is already in the hand of Ben."],
    }


def test_a_chinese_tile_that_cannot_be_there_is_asked_about_by_hand_and_tile(tmp_path: Path) -> None:
    """The set has eleven tiles twice and ten once; it has no blanks."""
    table = Table(tmp_path, "jielong", "chinese")
    for tile in ("1:1", "1:2", "2:6"):
        table.post("play", train="R", tile=tile)
    board = table.session.snapshot()
    hands = {"Ann": [(1, 1)], "Ben": [(3, 4), (2, 1), (0, 3)], "Cy": [(1, 1), (4, 3), (6, 6), (6, 6)]}
    found = {
        name: [one for one in notes if "should have" not in one]
        for name, notes in hand_notes(board, hands, "out").items()
    }
    assert found == {
        "Ann": [],
        "Ben": [
            "Ben: this set has only one 2:1, and it is shown already: on the table.",
            "Ben: this set has no 0:3.",
        ],
        "Cy": [
            "Cy: this set has only two 1:1, and both are shown already: on the table, Ann.",
            "Cy: this set has only one 4:3, and it is shown already: Ben.",
        ],
    }
    table.session.close()


def test_kkori_for_three_has_no_double_three(tmp_path: Path) -> None:
    table = Table(tmp_path, "kkori", "chinese")
    hands = {"how": "out", "hand_1": "3:3 1:2", "hand_2": "2:4", "hand_3": "1:1"}
    page = table.client.post("/round-end", data=hands)
    assert page.status_code == 200 and table.session.phase == "playing"
    assert "Ann: this set has no 3:3." in words(page.text) and "Count it all the same" in page.text
    (seen,) = re.findall(r'name="seen" value="(\w+)"', page.text)
    table.client.post("/round-end", data=hands | {"seen": seen})
    assert table.session.phase == "scored", "people count as they like"
    again = table.client.get("/round-end/notes?round=1&hand_1=3:3&hand_2=2:4+2:4&hand_3=1:1").json["notes"]
    assert again["hand_2"] == ["Ben: this set has only one 2:4, and it is shown already: Ben."]
    table.session.close()


def test_tiles_of_an_earlier_chinese_round_are_known_too(tmp_path: Path) -> None:
    table = Table(tmp_path, "jielong", "chinese")
    table.post("play", train="R", tile="2:4")
    table.session.end_round("out")
    for name in ("Ann", "Ben", "Cy"):
        table.session.show_hand(name, ())
    table.session.start_round(starter="Ann")
    notes = table.client.get("/round-end/notes?round=1&hand_1=2:4").json["notes"]
    assert "Ann: this set has only one 2:4, and it is shown already: on the table." in notes["hand_1"]
    table.session.close()


def test_another_number_of_tiles_than_expected_is_noted_and_who_went_out_is_not() -> None:
    board = view_of(tables.midgame(hands={"Ann": 3, "Ben": 2, "Cyril": 1}))
    found = hand_notes(board, {"Ann": [], "Ben": [(1, 2)], "Cyril": [(4, 4)], "Dorothea": [(5, 5)]}, "out")
    assert found == {"Ben": ["Ben should have 2 tiles."]}


def test_whoever_holds_many_tiles_has_not_gone_out_unasked() -> None:
    """It is asked once everybody has been entered."""
    table = tables.midgame(hands={"Ann": 16, "Ben": 1})
    hands = {"Ann": [], "Ben": [(1, 2)]}
    sixteen = {"Ann": ["Ann should have 16 tiles."]}
    assert empty_notes(view_of(table), hands, "out") == sixteen and hand_notes(view_of(table), hands, "out") == {}
    few = view_of(tables.midgame(hands={"Ann": 3, "Ben": 1}))
    assert empty_notes(few, hands, "out") == {}, "a few tiles may lie there without being on record"
    for row in table["trains"]:
        row["tiles"] = []
    assert empty_notes(view_of(table), hands, "out") == {}, "a house that enters only the hands"
    watched = empty_notes(view_of(table), hands, "out", watched=True)
    assert watched == sixteen, "where a camera counts, no tile laid is a fact"


def test_where_nobody_wrote_the_plays_down_nothing_is_expected() -> None:
    table = tables.midgame()
    for row in table["trains"]:
        row["tiles"] = []
    assert hand_notes(view_of(table), {"Ann": [(1, 2)], "Ben": [], "Cyril": [(3, 4)]}, "out") == {}


def test_hands_with_notes_come_back_once_and_count_when_sent_again(keeper: FlaskClient, session: FakeSession) -> None:
    session.show(tables.round_over())
    page = keeper.post("/round-end", data=HANDS)
    assert page.status_code == 200 and session.calls == []
    assert "10-5 is already on the table: Ann&#39;s train." in words(page.text)
    assert 'value="10-5 11-1"' in page.text and "Count it all the same" in page.text
    (seen,) = re.findall(r'name="seen" value="(\w+)"', page.text)
    assert keeper.post("/round-end", data={**HANDS, "seen": seen}).headers["Location"] == "/scores"
    assert [call[0] for call in session.calls] == ["show_hands"]


def test_two_phones_are_each_asked_in_their_own_language(keeper: FlaskClient, session: FakeSession) -> None:
    session.show(tables.round_over())
    same = {**HANDS, "expected_seq": str(session.snapshot().seq)}
    for language, asked in (("en", "Please look once more."), ("de", "Bitte sieh noch einmal hin."), ("en", "Please")):
        keeper.set_cookie("lang", language)
        assert asked in words(keeper.post("/round-end", data=same).text)


def test_hands_that_nobody_entered_come_back_once_before_they_count(train_table: Table) -> None:
    """A second empty hand may be one that was forgotten."""
    hands = {"how": "out", "hand_1": "", "hand_2": "", "hand_3": "3-3"}
    page = train_table.client.post("/round-end", data=hands)
    assert page.status_code == 200 and train_table.session.phase == "playing"
    assert page.text.count("These hands are empty: Ann, Ben. Leave only the hand of the player who went out") == 2
    (seen,) = re.findall(r'name="seen" value="(\w+)"', page.text)
    train_table.client.post("/round-end", data={**hands, "seen": seen})
    assert train_table.session.phase == "scored"


def test_an_empty_hand_comes_back_once_where_nobody_went_out(train_table: Table) -> None:
    """It may be one that Undo took off the record: it would count nothing."""
    hands = {"how": "blocked_declared", "hand_1": "4-4", "hand_2": "", "hand_3": "3-3"}
    page = train_table.client.post("/round-end", data=hands)
    assert train_table.session.phase == "playing"
    assert "Nobody went out, so Ben has tiles left." in page.text
    (seen,) = re.findall(r'name="seen" value="(\w+)"', page.text)
    train_table.client.post("/round-end", data={**hands, "seen": seen})
    assert train_table.session.phase == "scored"


def test_a_hand_changed_after_its_note_is_looked_over_again(keeper: FlaskClient, session: FakeSession) -> None:
    session.show(tables.round_over())
    seen = mark_of(hand_notes(view_of(tables.round_over()), {"Ben": [(10, 5)]}, "out"))
    page = keeper.post("/round-end", data={**HANDS, "seen": seen})
    assert page.status_code == 200 and session.calls == []


def test_notes_come_while_the_hands_are_written(anyone: FlaskClient, session: FakeSession) -> None:
    session.show(tables.round_over())
    answer = anyone.get("/round-end/notes?hand_2=10-5+1&hand_3=10-5&how=out").json
    assert list(answer["notes"]) == ["hand_3"], "a hand that is not finished yet is left in peace"
    assert answer["seen"]


def test_a_house_that_enters_only_the_hands_is_scored_and_accused_of_nothing(train_table: Table) -> None:
    form = {"how": "out", "hand_1": "", "hand_2": "12-5 5-7", "hand_3": "3-3", "page": "/round-end"}
    answer = train_table.client.post("/round-end", data=form)
    assert answer.headers["Location"] == "/scores"
    shown = state_of(train_table.session)
    assert shown["totals"] == {"Ann": 0, "Ben": 29, "Cy": 6}
    assert shown["rounds_played"][0]["out"] == "Ann"
    assert not any(line.get("violations") for line in shown["plays"]) and shown["audit"] == []


def test_a_form_that_came_back_for_an_empty_hand_counts_although_it_is_looked_over_again(train_table: Table) -> None:
    """Looked over as it is shown, it forgot what its sender had read, and came back without end."""
    hands = {"how": "blocked_declared", "hand_1": "", "hand_2": "4-4", "hand_3": "3-3"}
    for round_ in ({}, {"round": "1"}):
        page = train_table.client.post("/round-end", data=hands | round_)
        assert "Nobody went out, so Ann has tiles left." in page.text
        fields = dict(re.findall(r'<input type="hidden" name="(seen|asked|round)" value="(\w+)"', page.text))
        looked = train_table.client.get("/round-end/notes", query_string=hands | fields).json
        assert looked["seen"] == fields["seen"] and list(looked["notes"]) == ["hand_1"]
        back = train_table.client.post("/round-end", data=hands | fields | {"seen": looked["seen"]})
        assert back.location == "/scores" and train_table.session.phase == "scored"
        hands = {"hand_1": "", "hand_2": "4-4", "hand_3": "5-3"}
        assert "Nobody" not in str(train_table.client.get("/round-end/notes", query_string=hands).json)


def counted_by_another(table: Table, **hands: str) -> str:
    """What comes back to a form that was opened before another phone counted Ben 17; "" for the scores."""
    at = f"1-{table.session.snapshot().phase}"
    first = {"how": "out", "hand_1": "", "hand_2": "3-4 5-5", "hand_3": "1-1", "at": at, "page": "/round-end"}
    table.client.post("/whose", data={"name": "Ann"})
    assert table.client.post("/round-end", data=first).location == "/scores"
    answer = table.client.post("/round-end", data={**first, **hands, "expected_seq": "1"})
    return "" if answer.location == "/scores" else words(answer.text)


@pytest.mark.parametrize("over", [False, True])
def test_two_phones_that_count_differently_are_asked_which_is_right(train_table: Table, *, over: bool) -> None:
    if over:
        train_table.session.end_round("out", out="Ann")
    back = counted_by_another(train_table, hand_2="3-4 2-2")
    assert state_of(train_table.session)["totals"]["Ben"] == 17, "nothing is overwritten"
    said = "This round has been counted already (Ann): Ann\xa00, Ben\xa017, Cy\xa02."
    assert said in back.replace("&nbsp;", "\xa0")
    assert back.count("Counted already:") == 1 and "Counted already: 3-4 5-5." in back
    assert 'value="3-4 2-2"' in back and 'data-fills="hand_2" value="3-4 5-5"' in back
    (at,) = re.findall(r'name="at" value="([^"]+)"', back)
    typed = {"how": "out", "hand_1": "", "hand_2": "3-4 2-2", "hand_3": "1-1", "at": at}
    assert train_table.client.post("/round-end", data=typed).location == "/scores"
    assert state_of(train_table.session)["totals"]["Ben"] == 11


def test_two_phones_that_count_the_same_are_not_asked(train_table: Table) -> None:
    assert counted_by_another(train_table, hand_2="5-5 4-3") == ""
    assert state_of(train_table.session)["totals"] == {"Ann": 0, "Ben": 17, "Cy": 2}


def test_points_that_another_phone_wrote_down_otherwise_are_told(train_table: Table) -> None:
    train_table.client.post("/whose", data={"name": "Ann"})
    typed = {"points_1": "0", "points_2": "17", "points_3": "2", "out": "Ann", "at": "1-playing"}
    assert train_table.client.post("/round-points/1", data=typed).location == "/scores"
    later = train_table.client.post("/round-points/1", data={**typed, "points_2": "12", "page": "/round-points/1"})
    assert later.status_code == 409 and "counted already (Ann): Ann\xa00, Ben\xa017, Cy\xa02." in words(later.text)
    assert 'name="points_2" value="12"' in later.text
    assert state_of(train_table.session)["totals"]["Ben"] == 17
    hands = {"how": "out", "hand_1": "", "hand_2": "1-1", "hand_3": "2-2", "at": "1-playing", "page": "/round-end"}
    assert "counted already (Ann)" in train_table.client.post("/round-end", data=hands).text, "hands no less"
