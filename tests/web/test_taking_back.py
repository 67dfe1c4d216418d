"""Whatever was counted can be taken back on the page: hands, points, the end of a match."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from bench.stand_ins.fakes import FakeCamera
from bench.stand_ins.making import ticking
from bench.stand_ins.settling import settle
from companion.app.state import AppState
from companion.game.game import Game
from companion.log.event_fields import Candidate, Header
from companion.web.app import PageSettings, create_app
from tests.shown import state_of
from tests.web.reading import words


@pytest.fixture
def session(tmp_path: Path) -> Game:
    session = Game.create(tmp_path / "g.jsonl", Header("tactic", "double-12", ("Ann", "Ben", "Cy")), ticking())
    session.start_round((12, 12), "Ann")
    return session


@pytest.fixture
def client(session: Game) -> FlaskClient:
    client = create_app(AppState(session), PageSettings(pin="0000", testing=True)).test_client()
    assert client.post("/api/pin", json={"pin": "0000"}).status_code == 200
    return client


def send(client: FlaskClient, page: str, action: str, **fields: str) -> str:
    """Fill in a form of a page as a person does; the page that follows."""
    return send_form(client, client.get(page).text, action, **fields)


def send_form(client: FlaskClient, shown: str, action: str, **fields: str) -> str:
    """The same of a page as it was shown some time ago."""
    form = re.search(rf'<form[^>]*action="({re.escape(action)}[^"]*)".*?</form>', shown, re.DOTALL)
    assert form is not None, (action, shown)
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form[0]))
    return client.post(form[1], data={**hidden, **fields}, follow_redirects=True).text


def count(client: FlaskClient) -> str:
    return send(client, "/round-end", "/round-end", how="out", hand_1="", hand_2="1-2 3-3", hand_3="4-4")


def test_hands_typed_while_somebody_else_typed_the_points_come_back(client: FlaskClient, session: Game) -> None:
    form = client.get("/round-end").text
    send(client, "/round-points/1", "/round-points/1", points_1="0", points_2="9", points_3="8", out="Ann")
    assert session.phase == "scored" and client.get("/round-end").location == "/round-points/1"
    back = send_form(client, form, "/round-end", how="out", hand_1="", hand_2="1-2 3-3", hand_3="4-5")
    assert "This round has been counted already" in back and "Ben\xa09" in back.replace("&nbsp;", "\xa0")
    assert 'value="1-2 3-3"' in back and 'value="4-5"' in back and "/round-points/1" in back
    assert dict(state_of(session)["totals"]) == {"Ann": 0, "Ben": 9, "Cy": 8}


def test_a_correction_that_changes_nothing_is_not_offered(client: FlaskClient, session: Game) -> None:
    play = session.play((12, 5), "Ann", "Ann")[0].seq
    for same in ({"tile": "12-5"}, {"low": "12", "high": "5"}, {"train": "Ann"}, {"by": "Ann"}):
        back = client.post(f"/play/{play}/preview", data={**same, "page": f"/play/{play}"})
        assert "That correction changes nothing." in back.text and "Keep" not in back.text, same
    assert ">Keep" in client.post(f"/play/{play}/preview", data={"tile": "5-12"}).text


def test_a_counted_round_is_put_right_hand_by_hand(client: FlaskClient, session: Game) -> None:
    assert "Correct the points" in count(client)
    assert dict(state_of(session)["totals"]) == {"Ann": 0, "Ben": 9, "Cy": 8}
    page = client.get("/round-end").text
    assert 'value="1-2 3-3"' in page and 'value="4-4"' in page, "what was counted stands there"
    send(client, "/round-end", "/round-end", hand_1="", hand_2="1-2 3-4", hand_3="4-4")
    assert dict(state_of(session)["totals"]) == {"Ann": 0, "Ben": 10, "Cy": 8}
    assert session.phase == "scored"


def test_a_count_is_taken_back_as_one_and_its_hands_stay_filled_in(client: FlaskClient, session: Game) -> None:
    count(client)
    for page in ("/", "/scores"):
        assert 'action="/api/undo"' in client.get(page).text
    send(client, "/", "/api/undo")
    assert session.phase == "playing", "the end came with the hands"
    page = client.get("/round-end").text
    assert state_of(session)["shown"] == {} and 'value="1-2 3-3"' in page and 'value="4-4"' in page


def test_a_count_takes_back_nothing_that_nobody_has_seen(client: FlaskClient, session: Game) -> None:
    """An end that nothing blocked is certain, until hands that do not add up leave it open: all in one count."""
    told: list[str] = []
    session.subscribe(lambda event: told.append(str(dict(event.to_json()))))
    typed = {"how": "blocked_declared", "hand_1": "1-1", "hand_2": "12-12", "hand_3": "4-4"}
    send_form(client, send(client, "/round-end", "/round-end", **typed), "/round-end", **typed)
    assert session.phase == "scored" and told and "retracts" not in "".join(told)
    assert not session.snapshot().retractions


NEXT = {"hand_1": "", "hand_2": "1-2 3-4", "hand_3": "4-4"}
"""Another hand of Ben's than was counted."""


def begin_the_next_round(session: Game) -> None:
    session.start_round()
    session.play((11, 5), "Ben", "Ben")


def test_a_round_is_put_right_whatever_has_begun_meanwhile(client: FlaskClient, session: Game) -> None:
    count(client)
    form = client.get("/round-end?round=1").text
    begin_the_next_round(session)
    send_form(client, form, "/round-end", **NEXT)
    assert dict(state_of(session)["totals"]) == {"Ann": 0, "Ben": 10, "Cy": 8}
    assert session.phase == "playing" and state_of(session)["round"] == 2 and not state_of(session)["shown"]
    scores = client.get("/scores").text
    assert 'href="/round-end?round=1"' in scores
    form = client.get("/round-end?round=1").text
    assert 'value="1-2 3-4"' in form and "Round 1" in form
    refused = send_form(client, form, "/round-end", **{**NEXT, "hand_1": "0-1"})
    assert "one hand must be empty" in refused, "Ann went out"
    session.close()
    reopened = Game.open(session.journal.path)
    assert dict(state_of(reopened)["totals"]) == {"Ann": 0, "Ben": 10, "Cy": 8}
    reopened.undo()
    assert dict(state_of(reopened)["totals"]) == {"Ann": 0, "Ben": 9, "Cy": 8} and reopened.phase == "playing"


def test_how_a_counted_round_ended_is_put_right(client: FlaskClient, session: Game) -> None:
    count(client)
    begin_the_next_round(session)
    hands = {"hand_1": "0-1", "hand_2": "1-2 3-3", "hand_3": "4-4"}
    assert re.findall(r'name="how" value="(\w+)"', client.get("/round-end?round=1").text) == ["out", "blocked_declared"]
    send(client, "/round-end?round=1", "/round-end", how="blocked_declared", **hands)
    [first] = state_of(session)["rounds_played"]
    assert (first["how"], first["out"], first["scores"]) == ("blocked_declared", None, {"Ann": 1, "Ben": 9, "Cy": 8})
    assert 'value="blocked_declared" required checked' in client.get("/round-end?round=1").text
    send(client, "/round-end?round=1", "/round-end", how="out", **hands | {"hand_3": ""})
    [first] = state_of(session)["rounds_played"]
    assert (first["how"], first["out"], first["scores"]) == ("out", "Cy", {"Ann": 1, "Ben": 9, "Cy": 0})
    send(client, "/round-end?round=1", "/round-end", how="out", hand_1="", hand_2="1-2", hand_3="4-4")
    [first] = state_of(session)["rounds_played"]
    assert (first["out"], first["scores"]) == ("Ann", {"Ann": 0, "Ben": 3, "Cy": 8}), "it was somebody else"
    assert session.phase == "playing" and state_of(session)["round"] == 2


def test_a_tile_that_lay_on_the_table_of_that_round_is_asked_about(client: FlaskClient, session: Game) -> None:
    session.play((12, 7), "Ann", "Ann")
    session.end_round("out", "Ann")
    for name, hand in (("Ann", []), ("Ben", [(1, 2), (3, 3)]), ("Cy", [(4, 4)])):
        session.show_hand(name, hand)
    begin_the_next_round(session)
    hands = {"hand_1": "", "hand_2": "12-7 5-11", "hand_3": "12-12"}
    back = send(client, "/round-end?round=1", "/round-end", **hands)
    said = words(unescape(back))
    assert "12-7 is already on the table: Ann's train." in said and "12-12 is already on the table: the engine." in said
    assert "5-11 is already" not in said, "it lies there now, not then"
    assert state_of(session)["totals"]["Ben"] == 9, "nothing has been counted yet"
    send_form(client, back, "/round-end", **hands)
    assert state_of(session)["totals"]["Ben"] == 35, "people have the last word"


def test_a_form_that_comes_back_is_still_of_its_own_round(client: FlaskClient, session: Game) -> None:
    form = client.get("/round-end").text
    count(client)
    begin_the_next_round(session)
    seq = session.seq
    back = send_form(client, form, "/round-end", how="out", **NEXT)
    assert "has been counted already" in back and "Round 1" in back and session.seq == seq
    assert 'value="1-2 3-4"' in back, "nothing typed is lost"
    send_form(client, back, "/round-end", **NEXT)
    assert dict(state_of(session)["totals"]) == {"Ann": 0, "Ben": 10, "Cy": 8} and state_of(session)["round"] == 2


def test_two_who_put_the_same_round_right_hear_of_each_other(client: FlaskClient, session: Game) -> None:
    count(client)
    form = client.get("/round-end?round=1").text
    begin_the_next_round(session)
    send_form(client, form, "/round-end", **NEXT)
    back = send_form(client, form, "/round-end", **{**NEXT, "hand_3": "5-5"})
    assert "has been counted already" in back and 'value="5-5"' in back
    assert state_of(session)["totals"]["Cy"] == 8


def test_points_that_come_back_are_still_of_their_own_round(client: FlaskClient, session: Game) -> None:
    form = client.get("/round-points/1").text
    count(client)
    begin_the_next_round(session)
    typed = {"points_1": "0", "points_2": "12", "points_3": "5", "out": "Ann"}
    back = send_form(client, form, "/round-points/1", **typed)
    assert "has been counted already" in back and "counted from the hands" in back and "/round-end?round=1" in back
    assert dict(state_of(session)["totals"]) == {"Ann": 0, "Ben": 9, "Cy": 8}


def test_typed_points_are_put_right(client: FlaskClient, session: Game) -> None:
    assert 'href="/round-points/1"' in client.get("/round-end").text
    send(client, "/round-points/1", "/round-points/1", points_1="0", points_2="20", points_3="5", out="Ann")
    assert dict(state_of(session)["totals"]) == {"Ann": 0, "Ben": 20, "Cy": 5}
    assert "Correct the points" in client.get("/").text
    assert client.get("/round-end?round=1").location == "/round-points/1"
    assert 'value="20"' in client.get("/round-points/1").text
    send(client, "/round-points/1", "/round-points/1", points_1="0", points_2="12", points_3="5", out="Ann")
    assert dict(state_of(session)["totals"]) == {"Ann": 0, "Ben": 12, "Cy": 5}


def test_points_of_an_earlier_round_change_what_was_added_up_since(session: Game) -> None:
    for number, points in ((1, 20), (2, 7)):
        if number > 1:
            session.start_round()
        session.enter_scores({"Ann": 0, "Ben": points, "Cy": 1}, number, out="Ann")
    session.enter_scores({"Ann": 0, "Ben": 12, "Cy": 1}, 1)
    assert dict(state_of(session)["totals"]) == {"Ann": 0, "Ben": 19, "Cy": 2}
    assert [one["totals"]["Ben"] for one in state_of(session)["rounds_played"]] == [12, 19]


def test_the_end_of_a_match_is_taken_back(client: FlaskClient, session: Game) -> None:
    count(client)
    session.end_match()
    send(client, "/", "/api/undo")
    assert session.phase == "scored"


def test_who_has_won_follows_from_points_put_right_after_the_end(client: FlaskClient, session: Game) -> None:
    send(client, "/round-end", "/round-end", how="blocked_declared", hand_1="0-1", hand_2="1-2 3-3", hand_3="4-4")
    session.end_match()
    assert state_of(session)["winner"] == ["Ann"]
    hands = {"hand_1": "6-6", "hand_2": "1-2 3-3", "hand_3": "4-4"}
    assert "Cy wins" in send(client, "/round-end?round=1", "/round-end", **hands)
    session.close()
    assert state_of(Game.open(session.journal.path))["winner"] == ["Cy"]


@pytest.mark.parametrize("name", ["রহিম\u200dউদ্দিন", "می\u200cخواهم", "👨\u200d👩\u200d👧", "Žofie", "Ґалина"])
def test_a_name_may_be_what_a_keyboard_types(client: FlaskClient, name: str) -> None:
    answer = client.post("/setup", data={"rules": "tactic", "set": "double-12", "player_1": name, "player_2": "Ben"})
    assert "no keyboard types" not in answer.text
    Header.from_json({"journal": 1, "rules": "tactic", "set": "double-12", "players": [name, "Ben"], "options": {}})


@pytest.mark.parametrize("name", ["An\u202en", "An\u2066n", "An\x07n", "\u200d", "An\u200en"])
def test_signs_that_nobody_types_are_refused_in_the_viewers_words(client: FlaskClient, name: str) -> None:
    fields = {"rules": "tactic", "set": "double-12", "player_1": name, "player_2": "Ben", "page": "/setup?rules=tactic"}
    answer = client.post("/setup?lang=cs", data=fields)
    assert answer.status_code == 400
    assert "žádná klávesnice" in answer.text and "\\u" not in answer.text


def test_whom_a_play_was_given_to_is_undone_where_it_was_said(client: FlaskClient, session: Game) -> None:
    play = session.play((12, 5), "Ann", "Ann")[0].seq
    page = f"/play/{play}"
    assert 'action="/api/undo"' not in client.get(page).text, "nothing was changed here"
    shown = send(client, page, "/api/correct", by="Ben")
    assert state_of(session)["plays"][1]["by"] == "Ben" and 'action="/api/undo"' in shown
    shown = send(client, page, "/api/undo")
    assert state_of(session)["plays"][1]["by"] == "Ann" and 'action="/api/undo"' not in shown
    send(client, page, "/api/correct", by="Ben")
    waiting = client.get(page).text
    session.draw("Ben")
    assert 'action="/api/undo"' in client.get(page).text, "others play on meanwhile"
    shown = send_form(client, waiting, "/api/undo")
    held = state_of(session)["plays"]
    assert [one["by"] for one in held if one["event"] in ("tile_played", "drew")] == ["Ann", "Ben"]
    assert 'action="/api/undo"' not in shown and "The table has changed" not in shown
    assert "That has been taken back already." in send_form(client, waiting, "/api/undo", once="another")


def test_what_was_removed_says_so_and_comes_back(client: FlaskClient, session: Game) -> None:
    play = session.play((12, 5), "Ann", "Ann")[0].seq
    assert "Within the rules." in client.get(f"/play/{play}").text
    session.correct(play, {"withdrawn": True})
    session.draw("Ben")
    shown = client.get(f"/play/{play}").text
    assert "This no longer counts." in shown and "Within the rules." not in shown and "Correct it" not in shown
    shown = send(client, f"/play/{play}", "/api/undo")
    assert "Within the rules." in shown and "no longer counts" not in shown
    assert [one["event"] for one in state_of(session)["plays"]][-2:] == ["tile_played", "drew"]


def test_an_answer_is_told_and_taken_back_while_others_play(client: FlaskClient, session: Game) -> None:
    """A slip of the thumb: "No", "None of these", or a tile; the question is open again."""
    tile = {"source": "person", "event": "tile_played", "by": "Ann", "tile": [12, 5], "train": "Ann"}
    play = session.play((12, 1), "Ann", "Ann")[0].seq
    named = {"source": "person", "event": "tile_played", "by": "Ben", "seq": play}
    asked = {
        "No": ("marker: Ben", [Candidate("theirs", ())], None),
        "None of these": ("unreadable_tile: Ann", [Candidate("12-5", (tile,))], None),
        "Ben": ("several_stories", [Candidate("Ben", (named,))], 0),
    }
    for answer, (reason, candidates, choice) in asked.items():
        question = session.ask(reason, candidates)[0].seq
        session.answer(question, choice)
        before = [one for one in state_of(session)["plays"] if one["event"] == "tile_played"]
        session.draw("Cy")
        page = client.get(f"/play/{question}").text
        assert "Answered: " in page and answer in page.partition("Answered: ")[2][:200] and 'name="choice"' not in page
        page = send(client, f"/play/{question}", "/api/undo")
        assert "Answered" not in page and 'name="choice"' in page and session.is_open(question), answer
        after = [one for one in state_of(session)["plays"] if one["event"] == "tile_played"]
        assert [one["by"] for one in after] == ["Ann"] and len(before) == len(after)


def key_of(page: str, action: str) -> str | None:
    """The text of the first key that sends this, or None."""
    found = re.search(
        rf'<form[^>]*action="{action}".*?<button[^>]*>(?:<span>)?(.*?)(?:</span>)?</button>', page, re.DOTALL
    )
    return None if found is None else unescape(words(found[1])).strip()


def test_the_key_says_what_it_takes_back_and_offers_to_put_it_back(client: FlaskClient, session: Game) -> None:
    client.post("/whose", data={"name": "Ann"})
    session.play((12, 5), "Ann", "Ann")
    session.cannot_play("Ben")
    shown = client.get("/").text
    assert key_of(shown, "/api/undo") == "Undo: Ben's draw, marker" and key_of(shown, "/api/put-back") is None
    held = state_of(session)["plays"]
    shown = send_form(client, shown, "/api/undo")
    assert key_of(shown, "/api/undo") == "Undo: Ann's 12-5" and key_of(shown, "/api/put-back") == "Put it back"
    shown = send_form(client, shown, "/api/put-back")
    assert key_of(shown, "/api/undo") == "Undo: Ben's draw, marker" and key_of(shown, "/api/put-back") is None
    assert state_of(session)["plays"] == held
    assert "It was put back." in client.get("/games/game/changes").text


def test_the_key_of_a_whole_round_or_match_is_short(client: FlaskClient, session: Game) -> None:
    client.post("/whose", data={"name": "Ann"})
    assert key_of(client.get("/").text, "/api/undo") == "Undo: Round 1"
    session.play((12, 5), "Ann", "Ann")
    session.end_round("out", "Ann")
    session.show_hand("Ben", ((1, 2), (3, 4), (5, 6)))
    assert key_of(client.get("/").text, "/api/undo") == "Undo: Ben had left: 1-2 3-4 5-6"
    session.show_hand("Cy", ((7, 8), (9, 10)))
    assert key_of(client.get("/").text, "/api/undo") == "Undo: Points of round 1"
    session.end_match()
    assert key_of(client.get("/").text, "/api/undo") == "Undo: The match is over"


def test_the_key_names_the_points_that_were_put_right_and_no_camera(client: FlaskClient, session: Game) -> None:
    session.play((12, 5), "Ann", "Ann")
    session.end_round("blocked_declared")
    assert "The table was not blocked" in words(client.get("/").text)
    for points, undoes in ((9, "Points of round 1"), (40, "Correction of round 1")):
        session.enter_scores({"Ann": 0, "Ben": 7, "Cy": points}, 1)
        shown = words(client.get("/").text)
        assert f"Undo: {undoes}" in shown and "No longer certain: The table was not blocked." in shown
        assert "Somebody has corrected what was recorded." in shown and "the camera has seen" not in shown


def test_the_key_names_the_round_that_was_put_right(client: FlaskClient, session: Game) -> None:
    count(client)
    for number in (2, 3):
        session.start_round()
        session.enter_scores({"Ann": 0, "Ben": 7, "Cy": 9}, number, out="Ann")
    assert key_of(client.get("/").text, "/api/undo") == "Undo: Points of round 3"
    session.show_hand("Cy", ((5, 5),), number=1)
    assert key_of(client.get("/scores").text, "/api/undo") == "Undo: Correction of round 1"
    session.enter_scores({"Ann": 0, "Ben": 7, "Cy": 90}, 2)
    assert key_of(client.get("/").text, "/api/undo") == "Undo: Correction of round 2"
    session.end_otherwise(2, "blocked_declared")
    assert key_of(client.get("/").text, "/api/undo") == "Undo: Correction of round 2"
    for after in ("Correction of round 2", "Correction of round 1", "Points of round 3"):
        session.undo()
        assert key_of(client.get("/").text, "/api/undo") == f"Undo: {after}"


def test_a_correction_that_is_kept_leads_back_to_its_play(client: FlaskClient, session: Game) -> None:
    play = session.play((12, 5), "Ann", "Ann")[0].seq
    preview = client.post(f"/play/{play}/preview", data={"low": "12", "high": "7"}).text
    [fields] = re.findall(r'<form[^>]*action="/api/correct".*?</form>', preview, re.DOTALL)
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', fields))
    assert client.post("/api/correct", data=hidden, headers={"Accept": "text/html"}).location == f"/play/{play}"


def test_which_tile_it_was_is_said_with_one_tap_where_nothing_else_changes(client: FlaskClient, session: Game) -> None:
    play = session.play((12, 5), "Ann", "Ann")[0].seq
    session.play((12, 3), "MX", "Ben")
    shown = client.get(f"/play/{play}").text
    form = re.findall(r'<form[^>]*action="/play/\d+/tile".*?</form>', shown, re.DOTALL)[0]
    assert re.findall(r'<button[^>]*value="(\d+)"', form)[:3] == ["5", "0", "1"], "Enter changes nothing"
    assert re.findall(r'<button[^>]*value="(\d+)" aria-current="true"', form) == ["5"]
    sent = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form))
    for high, tile in (("5", [12, 5]), ("7", [12, 7])):
        answer = client.post(f"/play/{play}/tile", data={**sent, "low": "12", "high": high, "key": high})
        assert (answer.status_code, answer.location) == (303, "/")
        assert state_of(session)["trains"][0]["tiles"][0]["tile"] == tile
    assert key_of(client.get("/").text, "/api/undo") == "Undo: Correction: it was 12-7"


def test_which_tile_it_was_is_previewed_where_more_changes(client: FlaskClient, session: Game) -> None:
    play = session.play((12, 5), "Ann", "Ann")[0].seq
    session.play((12, 3), "MX", "Ben")
    session.play((3, 4), "MX", "Cy")
    session.play((5, 8), "Ann", "Ann")
    seq = session.seq
    shown = send(client, f"/play/{play}", f"/play/{play}/tile", low="12", high="7")
    assert "What would change" in shown and ">Keep" in shown and session.seq == seq


def test_what_somebody_goes_on_after_is_not_put_back(client: FlaskClient, session: Game) -> None:
    client.post("/whose", data={"name": "Ann"})
    session.play((12, 5), "Ann", "Ann")
    waiting = send(client, "/", "/api/undo")
    session.draw("Ann")
    assert "The table has changed meanwhile." in send_form(client, waiting, "/api/put-back")
    assert key_of(client.get("/").text, "/api/put-back") is None
    assert client.post("/api/put-back", json={}).status_code == 409


def test_while_the_page_asks_whose_tile_it_was_the_key_closes_the_question(client: FlaskClient, session: Game) -> None:
    client.post("/whose", data={"name": "*everybody"})
    session.play((12, 5), "Ann", "Ann")
    shown = client.post("/api/play", data={"train": "Ann", "outer": "7", "page": "/", "form": "play"}).text
    assert "Who played 5-7?" in words(shown) and key_of(shown, "/api/undo") is None
    assert 'href="/">Close the question</a>' in shown
    session.ask("several_stories", [Candidate("Ann laid 5-7", ())])
    assert key_of(client.get("/").text, "/api/undo") == "Close the question"
    assert "Who played" not in send(client, "/", "/api/undo") and not session.questions


def test_a_correction_that_withdrew_a_fault_is_taken_back_where_that_is_said(
    client: FlaskClient, session: Game
) -> None:
    client.post("/whose", data={"name": "Ann"})
    session.play((12, 5), "Ann", "Ann")
    wrong = session.play((5, 9), "Ann", "Ben")[0].seq
    settle(session)
    accused = client.get(f"/play/{wrong}").text
    marker = {"event": "marker_placed", "by": "Ann", "train": "Ann", "source": "person"}
    session.correct(wrong - 1, {"insert": [marker], "after": True})
    fallen = "No longer held against Ben"
    for page in (f"/play/{wrong}", "/"):
        told = client.get(page).text.partition(fallen)[2]
        assert key_of(told, "/api/undo") == "Undo: the marker put on Ann's train", page
    shown = send_form(client, told, "/api/undo")
    assert fallen not in shown and client.get(f"/play/{wrong}").text.count("alert fault") == 1 == accused.count(
        "alert fault"
    )
    assert key_of(shown, "/api/put-back") == "Put it back"
    shown = send_form(client, shown, "/api/put-back")
    assert shown.count(fallen) == 1 and key_of(client.get(f"/play/{wrong}").text, "/api/undo") is not None


def test_a_folded_fault_and_the_marker_key_say_whose_they_are(client: FlaskClient, session: Game) -> None:
    client.post("/whose", data={"name": "*everybody"})
    session.play((12, 5), "Ann", "Ann")
    session.play((5, 9), "Ann", "Ben")
    settle(session)
    page = client.get("/").text
    assert "<summary><h3>Ben: This train is closed</h3></summary>" in page
    assert 'aria-label="Put the marker on: Cy"' in page
    send_form(client, page, "/api/mark", train="Cy")
    assert state_of(session)["turn"] == "Ann" and session.position is not None and "Cy" in session.position.markers


@pytest.mark.parametrize("watched", [False, True])
def test_the_large_key_names_the_player_and_a_camera_game_has_none(session: Game, watched: bool) -> None:
    """The phone in the middle is nobody's; where a camera records the turn, a key that ends it is not the largest."""
    camera = {"camera": FakeCamera()} if watched else {}
    client = create_app(AppState(session, **camera), PageSettings(pin="0000", testing=True)).test_client()
    client.post("/api/pin", json={"pin": "0000"})
    client.post("/whose", data={"name": "*everybody"})
    session.play((12, 5), "Ann", "Ann")
    page = client.get("/").text
    assert key_of(page, "/api/cannot-play") == "Ben cannot play: draw, marker, next"
    keys = page.partition('<div class="quick">')[2].partition('<details class="rare"')[0]
    assert keys.count('<button class="button">') == (0 if watched else 1)
    assert keys.count('class="wide"') == (0 if watched else 1)
    assert "≠<small>other</small>" in page
