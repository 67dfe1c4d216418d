"""A refused form comes back as it was filled in, with the sentence at its field."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from flask.testing import FlaskClient

from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeSession

HANDS = {"how": "blocked_declared", "hand_1": "12-5 3-3", "hand_2": "4-", "hand_3": "0-0", "hand_4": "1-1"}
GAME = {"rules": "cz", "set": "double-9", "player_1": "Ann", "player_2": "ann", "option_rounds": "12"}


def field(page: str, name: str) -> str:
    """The tag of an input."""
    found = re.search(rf'<(?:input|select)[^>]*name="{name}"[^>]*>', page)
    assert found, name
    return unescape(found[0])


def test_a_typo_in_one_hand_keeps_all_of_them(keeper: FlaskClient, session: FakeSession) -> None:
    session.show(tables.round_over())
    answer = keeper.post("/round-end", data=HANDS)
    assert answer.status_code == 400 and session.calls == []
    for name in ("hand_1", "hand_2", "hand_3", "hand_4"):
        assert f'value="{HANDS[name]}"' in field(answer.text, name)
    assert 'value="blocked_declared" required checked' in answer.text
    assert 'aria-invalid="true"' in field(answer.text, "hand_2")
    assert 'aria-invalid="true"' not in field(answer.text, "hand_1")
    assert 'id="wrong-hand_2" role="alert">Half of a tile is missing.' in answer.text


def test_two_players_of_one_name_cost_no_other_choice(keeper: FlaskClient) -> None:
    answer = keeper.post("/setup?rules=cz", data=GAME)
    assert answer.status_code == 400
    assert 'value="Ann"' in field(answer.text, "player_1") and 'value="ann"' in field(answer.text, "player_2")
    assert 'value="double-9" data-most="3" required checked' in answer.text
    assert 'name="option_rounds"' in answer.text and 'value="12"' in answer.text.split('name="option_rounds"')[1][:90]
    assert 'id="wrong-player_2" role="alert">Two players have the same name.' in answer.text


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/round-end", HANDS),
        ("/setup?rules=cz", GAME),
        ("/api/start-round", {"engine": "9", "starter": "Ann", "page": "/round-start"}),
        ("/api/answer", {"seq": "x", "choice": "0"}),
        ("/pin", {"pin": "1"}),
    ],
)
def test_no_status_number_is_shown_to_people(keeper: FlaskClient, path: str, form: dict[str, str]) -> None:
    answer = keeper.post(path, data=form)
    assert answer.status_code in (400, 403, 409)
    assert re.search(r"\b(400|403|409)\b", re.sub(r"<[^>]+>", " ", answer.text)) is None


def test_another_phone_was_faster_and_nothing_typed_is_lost(keeper: FlaskClient, session: FakeSession) -> None:
    session.show(tables.waiting())
    form = {"engine": "9-9", "starter": "Cyril", "expected_seq": "31", "page": "/round-start"}
    answer = keeper.post("/api/start-round", data=form)
    assert answer.status_code == 409 and session.calls == []
    assert 'value="9-9"' in field(answer.text, "engine")
    assert 'value="Cyril" required checked' in answer.text
    assert "The table has changed meanwhile" in answer.text
    assert 'name="expected_seq" value="0"' in answer.text, "the next tap is about the table as it is now"


def test_a_sentence_without_a_field_stands_on_top_of_the_page(keeper: FlaskClient, session: FakeSession) -> None:
    session.refuses = "there is nothing to undo"
    answer = keeper.post("/api/undo", data={"x": "1"}, headers={"Referer": "http://localhost/play/32"})
    assert answer.status_code == 409
    assert answer.text.count("There is nothing to undo") == 1
    assert "Correct it" in answer.text, "on the page the form stood on"


def test_a_wrong_pin_comes_back_empty(anyone: FlaskClient) -> None:
    answer = anyone.post("/pin", data={"pin": "999888", "next": "/setup?rules=cz"})
    assert answer.status_code == 403
    assert "999888" not in answer.text
    assert 'value="/setup?rules=cz"' in field(answer.text, "next")


def test_the_pin_leads_back_to_the_rules_that_were_chosen(anyone: FlaskClient) -> None:
    page = anyone.get("/setup?rules=cz").text
    (link,) = re.findall(r'href="(/pin\?next=[^"]*)"', page)
    shown = anyone.get(unescape(link)).text
    next_page = unescape(field(shown, "next").split('value="')[1].split('"')[0])
    answer = anyone.post("/pin", data={"pin": "135790", "next": next_page})
    assert answer.headers["Location"] == "/whose?next=/setup%3Frules%3Dcz"


def test_a_program_gets_the_field_in_its_answer(keeper: FlaskClient) -> None:
    answer = keeper.post("/api/play", json={"train": "Ann", "outer": 19})
    assert answer.status_code == 400 and answer.json["field"] == "outer" and "between 0 and 18" in answer.json["error"]


def test_what_was_typed_cannot_smuggle_markup_into_the_page(keeper: FlaskClient, session: FakeSession) -> None:
    session.show(tables.round_over())
    evil = '"><img src=x onerror=alert(1)>'
    answer = keeper.post("/round-end", data={**HANDS, "hand_2": evil})
    assert answer.status_code == 400 and "<img src=x" not in answer.text


def test_hands_sent_without_the_pin_wait_for_it_and_count(anyone: FlaskClient, session: FakeSession) -> None:
    session.show({**tables.round_over(), "hands": {}})
    hands = {**HANDS, "hand_2": "4-6"}
    asked = anyone.post("/round-end", data=hands)
    assert asked.status_code == 200 and "Your entries are kept" in asked.text and session.calls == []
    fields = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', asked.text))
    assert fields["waiting_hand_1"] == "12-5 3-3" and fields["then"] == "/round-end"
    wrong = anyone.post("/pin", data={**fields, "pin": "000000"})
    assert wrong.status_code == 403 and 'name="waiting_hand_1" value="12-5 3-3"' in wrong.text
    answer = anyone.post("/pin", data={**fields, "pin": "135790"})
    assert answer.headers["Location"] == "/scores"
    assert [call[0] for call in session.calls] == ["show_hands"]
    assert 'href="/pin">Sign out' in anyone.get("/").text


def test_a_typo_after_the_pin_is_told_at_its_field(anyone: FlaskClient, session: FakeSession) -> None:
    session.show({**tables.round_over(), "hands": {}})
    fields = dict(
        re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', anyone.post("/round-end", data=HANDS).text)
    )
    answer = anyone.post("/pin", data={**fields, "pin": "135790"})
    assert answer.status_code == 400 and 'id="wrong-hand_2"' in answer.text
    assert 'value="12-5 3-3"' in field(answer.text, "hand_1")


def test_nothing_else_is_sent_after_the_pin(anyone: FlaskClient, session: FakeSession) -> None:
    for then in ("/api/undo", "//evil.example/round-end", "/pin"):
        anyone.post("/pin", data={"pin": "135790", "then": then, "waiting_x": "1"})
    assert session.calls == []


class Folded(HTMLParser):
    """The classes of all elements in the folded parts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.parts: list[bool] = []
        self.classes: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        had = dict(attrs)
        if tag == "details":
            self.parts.append("open" in had)
        if not all(self.parts):
            self.classes += (had.get("class") or "").split()

    def handle_endtag(self, tag: str) -> None:
        if tag == "details":
            self.parts.pop()


@pytest.mark.parametrize(
    ("path", "form", "sentence"),
    [
        ("/api/start-round", {"drawn_1": "12-3", "drawn_2": "x", "page": "/round-start"}, "is not a tile"),
        (
            "/setup?rules=poltava",
            {**GAME, "rules": "poltava", "player_2": "Ben", "option_long_first": "false", "option_rounds": ""},
            "These two house rules do not go together",
        ),
        ("/setup/rules?rules=cz", {**GAME, "title": "  ", "page": "/setup?rules=cz"}, "Please fill this in."),
    ],
)
def test_a_refused_field_is_never_folded_up(
    keeper: FlaskClient, session: FakeSession, path: str, form: dict[str, str], sentence: str
) -> None:
    session.show(tables.waiting(rules="cz", set="double-12"))
    answer = keeper.post(path, data={"starter": "Ann", "engine": "12-12", **form})
    assert answer.status_code == 400 and sentence in answer.text
    assert 'class="complaint"' in answer.text and "complaint" not in Folded(answer.text).classes


@pytest.mark.parametrize(("page", "button"), [("/round-start", "Start"), ("/setup?rules=cz", "Keep for the next time")])
def test_every_form_with_fields_says_on_which_page_it_stands(
    keeper: FlaskClient, session: FakeSession, page: str, button: str
) -> None:
    """A form that came back once stands at the address of its action, which may be no page: it comes back again."""
    session.show(tables.waiting(rules="cz", set="double-12"))
    shown = keeper.get(page).text
    [form] = [form for form in re.findall(r"<form.*?</form>", shown, re.DOTALL) if button in form]
    named = re.findall(r'name="page" value="([^"]*)"', form)
    assert named == [page]
