"""Another language shows the same page: what it was asked, and what it previews."""

from __future__ import annotations

import re
from html import unescape

from flask.testing import FlaskClient

from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeSession


def again(page: str, language: str) -> tuple[str, dict[str, str]]:
    """The address that shows a page in this language, and the fields that have to be sent to it again."""
    foot = page.partition("<footer")[2]
    address = re.search(rf'(?:href|formaction)="([^"]*[?&]lang={language})"', unescape(foot))
    assert address, foot
    return address[1], dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', unescape(foot)))


def test_what_a_page_was_asked_is_asked_again(keeper: FlaskClient) -> None:
    assert again(keeper.get("/setup?rules=cz&theme=dark").text, "cs")[0] == "/setup?rules=cz&lang=cs"
    assert again(keeper.get("/?lang=uk").text, "bn") == ("/?lang=bn", {})


def test_a_preview_is_shown_again_in_the_other_language(keeper: FlaskClient, session: FakeSession) -> None:
    session.answers["what_if"] = tables.midgame()
    address, fields = again(keeper.post("/play/32/preview", data={"low": "8", "high": "11"}).text, "cs")
    preview = keeper.get(address)
    assert fields == {}
    assert preview.status_code == 200 and 'lang="cs"' in preview.text and 'name="tile" value="8-11"' in preview.text
    assert [call[0] for call in session.calls] == ["what_if", "what_if"], "nothing was changed"


def test_a_change_of_players_is_previewed_again(keeper: FlaskClient, session: FakeSession) -> None:
    session.show(tables.waiting(["Ann", "Ben", "Cyril"]))
    form = {f"player_{n}": name for n, name in enumerate(("Ben", "Ann", "Cyril"), start=1)}
    address, fields = again(keeper.post("/players", data=form).text, "uk")
    assert fields == {}
    assert 'action="/players/change"' in keeper.get(address).text
    assert 'action="/players/change"' not in keeper.get("/players").text


def test_an_answer_to_a_form_has_an_address_of_its_own(keeper: FlaskClient, session: FakeSession) -> None:
    """Back from the next page asks for it there, and sends nothing again."""
    session.answers["what_if"] = tables.midgame()
    asked = {"/play/32": "", "/play/32/correction?tile=8-11": ""}
    sent = {
        ("/play/32/preview", "tile", "8-11"): "/play/32/correction?tile=8-11",
        ("/play/32/preview", "tile", "8"): "/play/32",  # refused
        ("/api/play", "train", "nowhere"): "/",
    }
    found = {path: address_of(keeper.get(path).text) for path in asked}
    answers = {
        form: keeper.post(
            form[0], data={"page": form[0].replace("/preview", "").replace("/api/play", "/"), form[1]: form[2]}
        )
        for form in sent
    }
    assert found == asked
    assert {form: address_of(answer.text).replace("page=%2Fplay%2F32&", "") for form, answer in answers.items()} == sent


def address_of(page: str) -> str:
    found = re.search(r'<body[^>]* data-address="([^"]*)"', page)
    return unescape(found[1]) if found else ""


def test_hands_that_came_back_with_notes_stay_typed(keeper: FlaskClient, session: FakeSession) -> None:
    session.show(tables.round_over())
    form = {"hand_1": "10-5", "hand_2": "11-1", "how": "out", "hand_3": "", "hand_4": "8-6"}
    address, fields = again(keeper.post("/round-end", data=form).text, "ru")
    assert fields == {} and 'name="hand_1" value="10-5"' in keeper.get(address).text


def test_a_form_that_waits_for_the_pin_goes_on_waiting(anyone: FlaskClient, session: FakeSession) -> None:
    session.show(tables.round_over())
    address, fields = again(anyone.post("/round-end", data={"hand_1": "10-5", "how": "out"}).text, "bn")
    asked = anyone.post(address, data=fields)
    assert asked.status_code == 200 and 'name="waiting_hand_1" value="10-5"' in asked.text and 'lang="bn"' in asked.text


def test_no_language_leads_to_a_page_that_takes_only_forms(keeper: FlaskClient, session: FakeSession) -> None:
    session.refuses = "The moon is full"
    refused = keeper.post("/api/mark", data={"train": "Ann"}, headers={"Accept": "text/html"})
    assert keeper.get(again(refused.text, "cs")[0]).status_code == 200
