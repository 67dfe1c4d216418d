"""A round without points: one question for it, a form for the points, and one card for many questions of a kind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeSession
from companion.app.state import AppState
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.web.app import PageSettings, create_app
from tests.shown import state_of

ASKED = {"event": "unclear", "source": "camera", "candidates": []}


def cards(page: str) -> int:
    return page.count('class="alert question"')


def test_the_question_offers_the_points_to_skip_them_and_to_go_on(keeper: FlaskClient, session: FakeSession) -> None:
    session.show(tables.unscored())
    page = keeper.get("/").text
    assert "Has a new round begun? Round 3 has no points yet." in page
    assert 'href="/round-points/3"' in page
    assert "Yes, skip its points" in page and "No, it is still being played" in page
    assert "None of these" not in page


def test_a_round_that_was_left_without_points_can_still_get_them(keeper: FlaskClient, session: FakeSession) -> None:
    session.show({**tables.midgame(), "questions": [{**ASKED, "seq": 40, "reason": "no_points: 2"}]})
    page = keeper.get("/").text
    assert "Round 2 has no points yet." in page and 'href="/round-points/2"' in page and "Skip its points" in page


def test_questions_of_one_kind_are_one_card_with_a_counter_and_one_tap(
    keeper: FlaskClient, session: FakeSession
) -> None:
    places = [(599, 450), (616, 536), (525, 489)]
    asked = [{**ASKED, "seq": 40 + n, "reason": f"VALUE_CHANGED at {place} mm"} for n, place in enumerate(places)]
    other = {**ASKED, "seq": 50, "reason": "LOOSE_TILE at (1, 2) mm"}
    session.show({**tables.midgame(), "questions": [*asked, other]})
    page = keeper.get("/").text
    assert cards(page) == 2
    assert "×3" in page
    assert keeper.post("/api/answer", data={"seq": "42", "also": "40 41", "choice": "-1"}).status_code == 303
    answered = [(arguments, named) for verb, arguments, named in session.calls if verb == "answer"]
    assert sorted(arguments[0] for arguments, _ in answered) == [40, 41, 42]
    assert all(arguments[1] is None for arguments, _ in answered)


def test_the_log_says_what_was_asked(keeper: FlaskClient, session: FakeSession) -> None:
    table = tables.midgame()
    table["plays"].append({**ASKED, "seq": 60, "reason": "no_points: 2"})
    session.show(table)
    assert "Round 2 has no points yet." in keeper.get("/regions").json["regions"]["plays"]


def test_questions_with_answers_of_their_own_stand_apart(keeper: FlaskClient, session: FakeSession) -> None:
    stories = [{"story": "12-4", "events": []}]
    asked = [{**ASKED, "seq": 40 + n, "reason": "unreadable_tile: Ann", "candidates": stories} for n in (0, 1)]
    session.show({**tables.midgame(), "questions": asked})
    assert cards(keeper.get("/").text) == 2


@pytest.mark.parametrize("also", ["x", "40 -1", "1e9"])
def test_further_numbers_that_are_none_are_refused(also: str, keeper: FlaskClient, session: FakeSession) -> None:
    assert keeper.post("/api/answer", json={"seq": 42, "also": also, "choice": -1}).status_code == 400
    assert not [call for call in session.calls if call[0] == "answer"]


@pytest.fixture
def played(tmp_path: Path) -> tuple[FlaskClient, Game]:
    """A real game in its first round, and somebody who has given the PIN."""
    session = Game.create(tmp_path / "game.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    session.start_round((12, 12), "Ann", draws_seen=False)
    session.play((12, 5), "Ann")
    client = create_app(AppState(session), PageSettings(pin="135790")).test_client()
    assert client.post("/pin", data={"pin": "135790"}).status_code == 303
    return client, session


def test_points_end_the_round_that_is_played(played: tuple[FlaskClient, Game]) -> None:
    client, session = played
    assert "Points of round 1" in client.get("/round-points/1").text
    answer = client.post("/round-points/1", data={"points_1": "0", "points_2": "31", "out": "Ann"})
    assert answer.status_code == 303
    assert session.phase == "scored" and state_of(session)["totals"] == {"Ann": 0, "Ben": 31}


def test_a_mistyped_number_of_points_keeps_the_others_and_writes_nothing(played: tuple[FlaskClient, Game]) -> None:
    client, session = played
    before = session.seq
    answer = client.post("/round-points/1", data={"points_1": "17", "points_2": "3o", "out": "Ann"})
    assert answer.status_code == 400
    assert 'value="17"' in answer.text and 'value="3o"' in answer.text and "Please enter a number" in answer.text
    assert session.seq == before


def test_points_of_whoever_went_out_are_looked_at_once_more(played: tuple[FlaskClient, Game]) -> None:
    client, session = played
    before, points = session.seq, {"points_1": "০", "points_2": "৭", "out": "Ben"}
    answer = client.post("/round-points/1", data=points)
    assert answer.status_code == 400 and "Ben went out, yet has points: 7." in answer.text and session.seq == before
    sure = re.search(r'name="sure" value="([^"]*)"', answer.text)
    assert sure is not None
    other = client.post("/round-points/1", data=points | {"points_2": "9", "sure": sure[1]})
    assert other.status_code == 400 and session.seq == before, "that is another number"
    assert client.post("/round-points/1", data=points | {"sure": sure[1]}).status_code == 303
    assert state_of(session)["totals"] == {"Ann": 0, "Ben": 7}


def test_a_round_has_its_points_once(played: tuple[FlaskClient, Game]) -> None:
    client, session = played
    points = {"points_1": "0", "points_2": "31", "out": "Ann"}
    assert client.post("/round-points/1", data=points).status_code == 303
    answer = client.post("/round-points/1", data=points)
    assert answer.status_code == 409 and "already" in answer.text
    assert client.post("/round-points/7", data=points).status_code == 409
    assert state_of(session)["totals"] == {"Ann": 0, "Ben": 31}


def chosen_end(page: str) -> list[str]:
    return re.findall(r'name="out" value="(\w*)" required checked', page)


def test_how_the_round_ended_is_asked_and_not_guessed(played: tuple[FlaskClient, Game]) -> None:
    client, session = played
    before = session.seq
    assert chosen_end(client.get("/round-points/1").text) == []
    answer = client.post("/round-points/1", data={"points_1": "0", "points_2": "31"})
    assert answer.status_code == 400 and "Say how the round ended." in answer.text and 'value="31"' in answer.text
    assert session.seq == before


@pytest.mark.parametrize("told", ["with the points", "before"])
def test_points_alone_accuse_nobody_of_a_false_block(tmp_path: Path, told: str) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    session.start_round((12, 12), "Ann")
    session.play((12, 5), "Ann")
    client = create_app(AppState(session), PageSettings(pin="135790")).test_client()
    client.post("/pin", data={"pin": "135790"})
    if told == "before":
        session.end_round("out", "Ann")
    client.post("/round-points/1", data={"points_1": "4", "points_2": "31", "out": ""})
    assert state_of(session)["rounds_played"][0]["how"] == "blocked_declared"
    assert state_of(session)["boneyard"], "by the record there was something to draw"
    assert "not blocked" not in client.get("/").text
    assert not any(play.get("violations") for play in state_of(session)["plays"])
    assert not any(getattr(event, "violations", ()) for event in session.events)
    session.close()


def test_who_went_out_is_put_right_with_the_points(played: tuple[FlaskClient, Game]) -> None:
    client, session = played
    client.post("/round-points/1", data={"points_1": "4", "points_2": "31", "out": ""})
    assert chosen_end(client.get("/round-points/1").text) == [""]
    for points, out in ((("0", "31"), "Ann"), (("31", "0"), "Ben"), (("7", "0"), "Ben")):
        sent = {"points_1": points[0], "points_2": points[1], "out": out}
        assert client.post("/round-points/1", data=sent).status_code == 303
        played_round = state_of(session)["rounds_played"][0]
        assert (played_round["how"], played_round["out"]) == ("out", out)
        assert list(played_round["scores"].values()) == [int(one) for one in points]
        assert chosen_end(client.get("/round-points/1").text) == [out]
    assert not any(play.get("violations") for play in state_of(session)["plays"])


def test_an_end_that_was_told_before_is_put_right_too(played: tuple[FlaskClient, Game]) -> None:
    client, session = played
    session.end_round("out", "Ann")
    assert chosen_end(client.get("/round-points/1").text) == ["Ann"]
    client.post("/round-points/1", data={"points_1": "9", "points_2": "0", "out": "Ben"})
    [counted] = state_of(session)["rounds_played"]
    assert (counted["how"], counted["out"]) == ("out", "Ben")


def test_nobody_has_points_below_zero(played: tuple[FlaskClient, Game]) -> None:
    client, session = played
    before = session.seq
    answer = client.post("/round-points/1", data={"points_1": "0", "points_2": "-50", "out": "Ann"})
    assert answer.status_code == 400 and "Please enter a number from 0 to 9999." in answer.text
    assert 'value="-50"' in answer.text and session.seq == before


def test_payments_add_up_to_nothing(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("jielong", "chinese", ("Ann", "Ben")))
    session.start_round(starter="Ann")
    client = create_app(AppState(session), PageSettings(pin="135790")).test_client()
    client.post("/pin", data={"pin": "135790"})
    assert 'name="out"' not in client.get("/round-points/1").text
    answer = client.post("/round-points/1", data={"points_1": "12", "points_2": "-5", "how": "out"})
    assert answer.status_code == 400 and "These add up to +7." in answer.text and 'value="12"' in answer.text
    assert client.post("/round-points/1", data={"points_1": "5", "points_2": "-5", "how": "out"}).status_code == 303
    [counted] = state_of(session)["rounds_played"]
    assert counted["how"] == "out" and counted["scores"] == {"Ann": 5, "Ben": -5}
    session.close()


def test_typed_points_of_a_chinese_round_claim_no_end_that_nobody_told(tmp_path: Path) -> None:
    """By the record everybody holds all tiles: "All tiles are played" would be a guess."""
    session = Game.create(tmp_path / "g.jsonl", Header("jielong", "chinese", ("Ann", "Ben")))
    session.start_round(starter="Ann")
    client = create_app(AppState(session), PageSettings(pin="135790")).test_client()
    client.post("/pin", data={"pin": "135790"})
    assert ">Hand<" in client.get("/tv").text
    points = {"points_1": "5", "points_2": "-5"}
    answer = client.post("/round-points/1", data=points)
    assert answer.status_code == 400 and "Say how the round ended." in answer.text and session.phase == "playing"
    for how, words in (("blocked_declared", "blocked"), ("out", "all tiles are played or put away")):
        assert client.post("/round-points/1", data=points | {"how": how}).status_code == 303
        assert state_of(session)["rounds_played"][0]["how"] == how and words in client.get("/scores").text
        assert f'name="how" value="{how}" required checked' in client.get("/round-points/1").text
        points = {"points_1": "6", "points_2": "-6"}
    assert "Enter the tiles" in client.get("/round-points/1").text and "hands" not in client.get("/round-end").text
    assert ">Hand<" not in client.get("/tv").text, "of a round that is over no count is shown"
    session.close()


@pytest.mark.parametrize("later", [False, True])
def test_hands_and_typed_points_of_a_round_take_each_others_place(
    played: tuple[FlaskClient, Game], later: bool
) -> None:
    client, session = played
    points = {"points_1": "0", "points_2": "31", "out": "Ann"}
    client.post("/round-points/1", data=points)
    if later:
        session.start_round()
        session.play((11, 5), "Ben", "Ben")
    on_table = session.snapshot().trains
    assert client.get("/round-end?round=1").location == "/round-points/1"
    [address] = re.findall(r'href="([^"]*)">Enter the hands', client.get("/round-points/1").text)
    page = client.get(address.replace("&amp;", "&")).text
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page.split('data-notes="')[1]))
    typed = hidden | {"how": "out", "hand_1": "", "hand_2": "9-9 1-2", "asked": ""}
    answer = client.post("/round-end?round=1", data=typed)
    if answer.status_code == 200:
        (seen,) = re.findall(r'name="seen" value="(\w+)"', answer.text)
        answer = client.post("/round-end?round=1", data=typed | {"seen": seen})
    assert answer.location == "/scores" and state_of(session)["totals"] == {"Ann": 0, "Ben": 21}
    told = re.sub(r"<[^>]*>", "", client.get("/games/game/changes").text).replace("\xa0", " ")
    assert "After: Ann 0, Ben 21" in told and "Ben 0" not in told
    session.undo()
    assert state_of(session)["totals"] == {"Ann": 0, "Ben": 31}, "one step takes all of it back"
    session.put_back()
    assert 'value="9-9 1-2"' in client.get("/round-end?round=1").text
    page = client.get("/round-points/1").text
    assert "counted from the hands" in page and 'value="21"' in page
    assert client.post("/round-points/1", data=points | {"points_2": "21"}).status_code == 409, "as the hands say"
    assert client.post("/round-points/1", data=points | {"points_2": "40"}).location == "/scores"
    assert "counted from the hands" not in client.get("/round-points/1").text and not session.hands_of(1)
    session.close()
    again = Game.open(session.journal.path)
    assert state_of(again)["totals"] == {"Ann": 0, "Ben": 40} and again.snapshot().trains == on_table
    again.undo()
    assert state_of(again)["totals"] == {"Ann": 0, "Ben": 21}
    again.close()


def test_what_was_changed_has_the_numbers_of_typed_points(played: tuple[FlaskClient, Game]) -> None:
    client, _session = played
    for points in ("31", "13"):
        client.post("/round-points/1", data={"points_1": "0", "points_2": points, "out": "Ann"})
    told = re.sub(r"<[^>]*>", "", client.get("/games/game/changes").text).replace("\xa0", " ")
    assert "Points of round 1: Ann 0, Ben 31" in told and "Correction of round 1" in told
    assert "Before: Ann 0, Ben 31 → After: Ann 0, Ben 13" in told
