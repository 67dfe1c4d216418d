"""Plays as people tap them: what is offered, what is asked first, what is never claimed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeSession
from companion.log.event_fields import Candidate, Question, QuestionKind
from tests.shown import state_of
from tests.web.reading import words
from tests.web.real_table import NAMES, Table


@pytest.fixture
def train_table(tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path, "tactic", "double-12")
    yield table
    table.session.close()


@pytest.fixture
def line_table(tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path, "jielong", "chinese")
    yield table
    table.session.close()


def chosen_train(page: str) -> str:
    (found,) = re.findall(r'name="train" value="([^"]+)" required checked', page)
    return found


def test_a_tile_on_anothers_closed_train_is_first_asked_as_theirs(train_table: Table) -> None:
    for train, outer in (("Ann", "5"), ("Ben", "7"), ("Cy", "9")):
        train_table.post("play", train=train, outer=outer)
    before = len(train_table.plays())
    answer = train_table.post("play", train="Ben", outer="3")
    assert answer.status_code == 200 and "Ben&#39;s train is closed to Ann. Who played 7-3?" in words(answer.text)
    assert len(train_table.plays()) == before
    [question] = re.findall(r'<form[^>]* class="ask-back".*?</form>', answer.text, re.DOTALL)
    assert '<p role="alert">' in question, "a form may not be one"
    assert "Who played 7-3?" in words(question)
    assert re.findall(r'name="by" value="(\w+)"', question) == ["Ben", "Ann"]
    assert train_table.post("play", train="Ben", outer="3", by="Ben").status_code == 303
    assert train_table.plays()[-1] == ("Ben", "Ben", [7, 3])


def test_a_tile_that_lies_there_already_is_asked_about_first(train_table: Table) -> None:
    train_table.post("play", train="Ann", outer="5")
    for outer, where in (("5", "Ann's train"), ("12", "the engine")):
        answer = words(unescape(train_table.post("play", train="Ben", outer=outer).text))
        assert f"12-{outer} is already on the table: {where}." in answer
    assert len(train_table.plays()) == 1
    assert train_table.post("play", train="Ben", outer="5", again="1").status_code == 303
    assert train_table.plays()[-1] == ("Ben", "Ben", [12, 5])


def test_of_a_chinese_tile_as_many_as_the_set_has_are_taken(line_table: Table) -> None:
    """6-5 is in the set twice, 5-2 once."""
    line_table.post("play", train="R", inner="2", outer="5")
    for outer in ("6", "5"):
        assert line_table.post("play", train="R", outer=outer).status_code == 303
    answer = line_table.post("play", train="R", outer="2")
    assert answer.status_code == 200 and "All 5:2 tiles of the set are already on the table." in words(answer.text)
    assert len(line_table.plays()) == 3
    assert line_table.post("play", train="R", outer="2", again="1").status_code == 303


def test_a_tile_that_the_set_does_not_have_is_asked_about_first(train_table: Table) -> None:
    answer = words(unescape(train_table.post("play", train="Ann", outer="13").text))
    assert "12-13? The set of this game has no such tile." in answer
    assert not train_table.plays()
    assert train_table.post("play", train="Ann", outer="13", again="1").status_code == 303
    [played] = [event for event in train_table.session.events if event.KIND == "tile_played"]
    assert [(one.code, one.open) for one in played.violations] == [("TILE_NOT_IN_SET", True)]


def test_what_was_asked_about_first_may_still_be_anothers(train_table: Table) -> None:
    for train, outer in (("Ann", "5"), ("Ben", "7"), ("Cy", "9")):
        train_table.post("play", train=train, outer=outer)
    train_table.post("play", train="Ann", outer="7", inner="5")
    answer = train_table.post("play", train="Ann", outer="5", inner="7", again="1")
    [question] = re.findall(r'<form[^>]* class="ask-back".*?</form>', answer.text, re.DOTALL)
    assert re.findall(r'name="by" value="(\w+)"', question) == ["Ann", "Ben"] and 'name="again" value="1"' in question


def test_a_program_is_not_asked_back(train_table: Table) -> None:
    train_table.client.post("/api/play", json={"train": "Ann", "outer": 5})
    train_table.client.post("/api/play", json={"train": "Ann", "outer": 6})
    train_table.client.post("/api/play", json={"train": "Ann", "tile": [6, 5]})
    assert [tile for _by, _train, tile in train_table.plays()] == [[12, 5], [5, 6], [6, 5]]


def test_a_long_first_train_goes_on_without_being_asked(tmp_path: Path) -> None:
    table = Table(tmp_path, "poltava", "double-12")
    table.post("play", train="Ann", outer="5")
    assert "Ann's first train is done" in table.page
    assert table.post("play", train="Ann", outer="6").status_code == 303
    assert table.plays() == [("Ann", "Ann", [12, 5]), ("Ann", "Ann", [5, 6])]
    assert chosen_train(table.page) == "Ann" and "Ann's first train: tap its next tile." in unescape(table.page)
    table.post("pass", by="Ann")
    assert "first train is done" not in table.page and chosen_train(table.page) == "Ben"
    table.session.close()


def test_a_tile_of_the_second_turn_is_no_first_train_any_more(tmp_path: Path) -> None:
    table = Table(tmp_path, "cz", "double-12")
    for train, outer in (("Ann", "5"), ("Ben", "7"), ("Cy", "9"), ("Cy", "2")):
        table.post("play", train=train, outer=outer)
    assert chosen_train(table.page) == "Cy" and "First train done:" in table.page
    for name in ("Cy", "Ann", "Ben"):
        table.post("pass", by=name)
    for train, outer, after in (("Ann", "1", "Ben"), ("Ben", "3", "Cy")):
        table.post("play", train=train, outer=outer)
        assert chosen_train(table.page) == after and "first train" not in table.page
    table.session.close()


def test_the_end_of_a_turn_is_offered_only_to_who_has_something_to_end(train_table: Table) -> None:
    page = train_table.page
    assert "Ann cannot play: draw, marker, next" in page and 'action="/api/pass"' not in page
    train_table.post("draw")
    page = train_table.page
    assert "Ann cannot play: marker, next" in page and "Draw a tile" not in page


def test_one_button_passes_by_the_rules(train_table: Table) -> None:
    train_table.post("cannot-play", again="1")
    shown = state_of(train_table.session)
    assert shown["turn"] == "Ben" and shown["markers"] == ["Ann"]
    assert [line["event"] for line in shown["plays"][-2:]] == ["drew", "marker_placed"]


def test_the_marker_goes_with_the_tapped_tile(train_table: Table) -> None:
    for _ in NAMES:
        train_table.post("cannot-play", again="1")
    train_table.post("play", train="Ann", outer="5")
    assert state_of(train_table.session)["markers"] == [name for name in NAMES if name != "Ann"]
    assert "Take Ann" not in train_table.page


def test_where_the_marker_may_stay_one_tap_takes_it_off_after_the_play(tmp_path: Path) -> None:
    table = Table(tmp_path, "reeves", "double-12")
    for _ in NAMES:
        table.post("cannot-play", again="1")
    assert "Take Ann's marker off" not in table.page
    table.post("play", train="Ann", outer="5")
    assert "Take Ann's marker off" in table.page
    table.post("unmark", train="Ann", by="Ann")
    shown = state_of(table.session)
    assert "Ann" not in shown["markers"] and shown["turn"] != "Ann"
    assert not any(play["violations"] for play in shown["plays"])
    assert "Take Ann's marker off" not in table.page
    table.session.close()


def test_the_double_that_must_be_covered_is_chosen_already(train_table: Table) -> None:
    assert chosen_train(train_table.page) == "Ann"
    train_table.post("play", train="MX", outer="12", inner="12", by="Ann")
    for train, outer in (("Ann", "1"), ("Ben", "2"), ("Cy", "3"), ("Ann", "1")):
        train_table.post("play", train=train, outer=outer)
    page = train_table.page
    assert "Ann played a double: one more tile." in page and chosen_train(page) == "Ann"


def test_what_people_tapped_is_never_called_proved_by_the_table(train_table: Table) -> None:
    train_table.post("play", train="Ann", outer="5")
    train_table.post("play", train="Ann", outer="6", by="Ben")
    seq, page = state_of(train_table.session)["plays"][2]["seq"], train_table.page
    assert "This train is closed" in page and "Ann's train is closed to Ben" in words(unescape(page))
    assert "prove it" not in page and 'class="alert fault"' not in page
    assert "prove it" not in train_table.client.get(f"/play/{seq}").text


def test_the_first_tile_of_a_line_needs_both_halves(line_table: Table) -> None:
    answer = line_table.post("play", train="R", outer="6")
    assert answer.status_code == 400 and "Tap the left half first" in answer.text
    assert line_table.plays() == []
    assert line_table.page.count('name="inner"') == 6
    line_table.post("play", train="R", inner="3", outer="6")
    assert line_table.plays() == [("Ann", "R", [3, 6])]
    line_table.post("play", train="R", outer="1")
    assert line_table.plays()[-1] == ("Ben", "R", [6, 1])


def test_a_round_starts_with_a_double_unless_a_program_says_otherwise(tmp_path: Path) -> None:
    table = Table(tmp_path, "tactic", "double-12")
    table.session.end_round("abandoned")
    answer = table.post("start-round", engine="11-10", starter="Ann", page="/round-start")
    assert answer.status_code == 400 and "The engine is a double" in answer.text and 'value="11-10"' in answer.text
    assert table.session.phase != "playing"
    table.client.post("/api/start-round", json={"engine": "11-10", "starter": "Ann"})
    assert table.session.phase == "playing"
    table.session.close()


def test_a_chinese_round_ends_without_anybody_going_out(line_table: Table) -> None:
    line_table.post("play", train="R", inner="3", outer="6")
    while line_table.session.phase == "playing":
        line_table.session.cannot_play()
    assert "The round is over: all tiles are played or put away." in line_table.page
    notes = line_table.client.get("/round-end/notes?hand_1=1:1&how=out").json["notes"]
    assert [note.endswith("should have 9 tiles.") for note in notes["hand_1"]] == [True]


def test_a_chinese_match_ends_when_the_players_say_so(line_table: Table) -> None:
    line_table.post("play", train="R", inner="3", outer="6")
    assert "Finish this round first" in line_table.client.get("/match-end").text
    line_table.session.end_round("blocked_declared")
    for name, hand in zip(NAMES, ([(1, 1)], [(2, 2)], [(3, 3)]), strict=True):
        line_table.session.show_hand(name, hand)
    assert 'href="/match-end"' in line_table.page
    asked = line_table.client.get("/match-end").text
    assert "The totals so far decide" in asked and 'action="/api/end-match"' in asked
    assert line_table.session.phase == "scored", "nothing ends before it is confirmed"
    answer = line_table.post("end-match", next="/scores")
    assert answer.headers["Location"] == "/scores"
    assert line_table.session.phase == "over"


def test_a_guess_says_that_it_is_one(keeper: FlaskClient, session: FakeSession) -> None:
    table = tables.midgame()
    table["plays"].append({**tables.play(33, None, (10, 12), "Cyril", maybe=["Ben", "Cyril"]), "guess": "Ben"})
    session.show(table)
    page = keeper.get("/").text
    assert "Probably Ben played" in page and '<span class="tag">a guess</span>' in page
    assert re.findall(r'<button name="by" value="(\w+)">', page) == ["Ben", "Cyril"]


def test_who_it_was_is_settled_by_one_tap_on_a_face(keeper: FlaskClient, session: FakeSession) -> None:
    table = tables.midgame()
    table["plays"].append(tables.play(33, None, (10, 12), "Cyril", maybe=["Ben", "Cyril"]))
    table["plays"].append(tables.play(34, None, (5, 2), "MX", maybe=["Ann"]))
    session.show(table)
    page = keeper.get("/").text
    assert "Ben or Cyril played 10-12 on Cyril&#39;s train." in words(page)
    assert "Probably Ann played" in page
    assert re.findall(r'<button name="by" value="(\w+)">', page) == ["Ann", "Ben", "Cyril"]
    keeper.post("/api/correct", data={"seq": "33", "by": "Ben", "expected_seq": str(table["seq"])})
    assert session.calls == [("correct", (33, {"by": "Ben"}), {"by": "Olena"})]


def test_when_it_may_have_been_anybody_nobody_is_said_to_be_probable(keeper: FlaskClient, session: FakeSession) -> None:
    table = tables.midgame()
    table["plays"].append(tables.play(33, None, (6, 4), "MX", maybe=["Cyril", "Ann", "Ben", "Dorothea"]))
    session.show(table)
    page = words(keeper.get("/").text)
    assert "Somebody played 6-4 on the Mexican train." in page


def test_a_dead_double_is_turned_over_on_the_page(keeper: FlaskClient, session: FakeSession) -> None:
    table = tables.midgame()
    row = next(one for one in table["trains"] if one["name"] == "Cyril")
    row.update(open=True, dead="certain")
    session.show(table)
    assert "/api/flip" not in keeper.get("/").text, "these rules turn no doubles over"
    table["turns_over"] = True
    session.show(table)
    assert "Turn over the dead double: Cyril&#39;s train" in keeper.get("/").text
    keeper.post("/api/flip", data={"train": "Cyril", "by": "Ben"})
    assert session.calls == [("flip", ("Cyril",), {"by": "Ben"})]


def test_a_question_is_answered_with_a_tile_of_ones_own(train_table: Table) -> None:
    train_table.post("play", train="Ann", outer="5")
    (question,) = train_table.session.ask("unreadable_tile: MX")
    page = train_table.page
    assert "We cannot read a tile on the Mexican train. Which one is it?" in page and "It was another tile" in page
    own = page[page.index("own-answer") :]
    assert chosen_train(own[: own.index("</details>")]) == "MX", "where the question is, is chosen already"
    answer = train_table.post("answer", seq=str(question.seq), train="MX", outer="7")
    assert answer.status_code == 303 and train_table.session.questions == ()
    assert train_table.plays()[-1] == ("Ben", "MX", [12, 7])


def test_a_question_shows_the_place_it_is_about(keeper: FlaskClient, session: FakeSession, tmp_path: Path) -> None:
    folder = tmp_path / "games" / "tonight"
    folder.mkdir(parents=True)
    folder.joinpath("journal.jsonl").write_text("{}", encoding="utf-8")
    for name in ("f34.jpg", "f34-a0.jpg"):
        folder.joinpath(name).write_bytes(b"\xff\xd8\xff")
    row = {"values": [4, None], "p": [0.9, None], "quad": [[0, 0], [0, 20], [40, 20], [40, 0]], "size": [80, 60],
           "after": "f34-a0.jpg", "before": None, "new": True}  # fmt: skip
    folder.joinpath("f34.json").write_text(json.dumps({"tiles": [row]}), encoding="utf-8")
    table = tables.question()
    table["questions"][0] |= {"frame": "f34.jpg"}
    session.show(table)
    page = keeper.get("/").text
    assert '<img src="/games/tonight/pictures/f34-a0.jpg"' in page and "Which of these happened?" in page
    assert " %" not in re.sub(r"<[^>]+>", "", page[page.index("Which of these") : page.index("None of these")])


def test_sources_stand_behind_details(anyone: FlaskClient) -> None:
    page = anyone.get("/play/32").text
    details = page[page.index('<details class="source">') :]
    assert "Leaflet of the boxed game" in details[: details.index("</details>")]
    assert "CLOSED_TRAIN" not in page[: page.index('<details class="source">')]


def test_the_page_of_a_question_takes_its_answer(train_table: Table) -> None:
    session = train_table.session
    [asked] = session.ask(Question(QuestionKind.MARKER, player="Ben"), [Candidate("theirs")], frame="f.jpg")
    page = train_table.client.get(f"/play/{asked.seq}").text
    [form] = re.findall(r'<form[^>]* class="answers">.*?</form>', page, re.DOTALL)
    assert "Is this Ben&#39;s marker?" in page and re.findall(r'name="choice" value="(-?\d)"', form) == ["0", "-1"]
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form))
    assert train_table.client.post("/api/answer", data={**hidden, "choice": "0"}).location == "/"
    assert not session.questions and session.events[-1].what == {"answer": 0}
    assert 'class="answers"' not in train_table.client.get(f"/play/{asked.seq}").text, "it is answered"


def dealt(table: Table, value: str, **more: str) -> TestResponse:
    return table.post("report", by="Ben", what="dealt", value=value, **{"form": "dealt", **more})


def test_another_number_of_tiles_than_the_rules_deal_is_asked_about_once(train_table: Table) -> None:
    assert "Tiles dealt; the rules deal 16" in train_table.page
    answer = unescape(dealt(train_table, "14").text)
    assert "These rules deal 16 tiles. Was Ben dealt 14?" in answer and 'value="14"' in answer
    assert not train_table.held()
    [form] = re.findall(
        r'<form[^>]*action="/api/report"[^>]*>(?:(?!</form>).)*name="again".*?</form>', answer, re.DOTALL
    )
    assert 'name="again" value="1"' in form and "Record it all the same" in form
    assert dealt(train_table, "14", again="1").status_code == 303
    page = train_table.page
    assert "Ben was dealt 14 tiles; the rules deal 16." in page and train_table.held() == [("Ben", "HAND_SIZE", True)]


def test_what_the_rules_deal_is_taken_at_once(train_table: Table) -> None:
    assert dealt(train_table, "16").status_code == 303
    assert not train_table.held()


@pytest.mark.parametrize(("rules", "box", "most"), [("tactic", "double-12", 91), ("jielong", "chinese", 32)])
def test_more_tiles_than_there_are_nobody_was_dealt(tmp_path: Path, rules: str, box: str, most: int) -> None:
    table = Table(tmp_path, rules, box)
    for value in (str(most + 1), "-1"):
        answer = dealt(table, value, again="1")
        assert answer.status_code == 400 and f"Please enter a number from 0 to {most}." in answer.text
    assert not table.held()
    table.session.close()


def test_what_is_said_of_a_deal_again_takes_the_place_of_the_first(train_table: Table) -> None:
    for value in ("14", "13", "13"):
        dealt(train_table, value, again="1")
    page = train_table.page
    assert page.count("Wrong number of tiles dealt") == 1 and "Ben was dealt 13 tiles" in page
    assert "No longer held" not in page and train_table.held() == [("Ben", "HAND_SIZE", True)]
    dealt(train_table, "16")
    assert not train_table.held()
    train_table.post("undo")
    assert "Ben was dealt 13 tiles" in train_table.page


def test_a_forgotten_last_tile_is_reported_once_for_each_last_tile(tmp_path: Path) -> None:
    table = Table(tmp_path, "tactic", "double-12", NAMES[:2], {"hand_table": {"12": {"2": 2}}})
    table.lay("Ann", "12-1", by="Ann")
    for _ in range(2):
        table.post("report", by="Ann", what="no_last_tile")
    assert table.held() == [("Ann", "ANNOUNCE_MISSING", True)]
    table.session.close()


def test_a_last_tile_is_announced_with_one_tap(keeper: FlaskClient, session: FakeSession) -> None:
    table = tables.midgame(seq=40, announces="tap", plays=[tables.play(38, "Ann", (12, 8), "Ann")])
    table["plays"].append({**table["plays"][-1], "seq": 40, "event": "marker_removed", "source": "rule"})
    for held, offered in ((2, False), (1, True)):
        session.show({**table, "hands": {**table["hands"], "Ann": held}})
        keys, _more = words(keeper.get("/").text).split('<details class="rare"')
        assert ("Knock (last tile): Ann" in keys) is offered


def test_a_tile_left_out_of_the_set_is_not_said_to_lie_on_the_table(tmp_path: Path) -> None:
    """Kkori for three leaves out 3:3 to 6:6."""
    table = Table(tmp_path, "kkori", "chinese")
    answer = words(unescape(table.post("play", train="R", inner="3", outer="3").text))
    assert "3:3? The set of this game has no such tile." in answer and not table.plays()
    table.session.close()
