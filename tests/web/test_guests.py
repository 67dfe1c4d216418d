"""Everybody enters their own hand by the link of a round, without the PIN; nothing counts before it is confirmed."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest
from flask import Flask
from flask.testing import FlaskClient
from playwright.sync_api import Browser, expect
from werkzeug.test import TestResponse

from bench.stand_ins import tables
from bench.stand_ins.browser import served
from bench.stand_ins.fakes import PIN, FakeSession
from companion.app.state import AppState
from companion.web.access import head_opens
from tests.web.reading import words
from tests.web.test_hand_picture import HAND, JPEG


def send(guest: FlaskClient, player: str, hand: str) -> TestResponse:
    """A hand sent, and sent again where the page asked about it."""
    form = {"by": player, "hand": hand, "do": "send"}
    answer = guest.post("/hand", data=form)
    seen = re.search(r'name="seen" value="(\w+)"', answer.text)
    return guest.post("/hand", data=form | {"seen": seen[1]}) if seen else answer


def link(keeper: FlaskClient) -> str:
    found = re.search(r'href="(/hand/[^"]+)"', keeper.get("/round-end").text)
    assert found
    return found[1]


@pytest.fixture
def guest(app: Flask, keeper: FlaskClient, session: FakeSession) -> FlaskClient:
    """Somebody without the PIN who has scanned the code."""
    session.show(tables.round_over())
    client = app.test_client()
    assert client.get(link(keeper)).location == "/hand"
    return client


def test_a_hand_that_a_guest_sent_waits_for_whoever_counts(
    guest: FlaskClient, keeper: FlaskClient, session: FakeSession
) -> None:
    sent = send(guest, "Ben", "12-5, 3-3")
    assert "It counts as soon as it is confirmed at the table." in sent.text
    assert session.calls == [], "nothing is on record"
    assert 'name="hand_2" value="12-5 3-3"' in keeper.get("/round-end").text
    assert keeper.get("/round-end/notes").json["sent"] == {"hand_2": "12-5 3-3"}  # type: ignore[index]
    assert guest.get("/round-end/notes").json["sent"] == {}, "a hand is nobody else's business"  # type: ignore[index]


def test_a_players_own_phone_has_their_name_chosen(guest: FlaskClient, keeper: FlaskClient) -> None:
    chosen = 'name="by" value="Ben" required checked'
    assert chosen not in guest.get("/hand").text
    path = link(keeper)
    keeper.post("/whose", data={"name": "Ben"})
    keeper.get(path)
    assert chosen in keeper.get("/hand").text


def test_a_key_for_the_hands_is_only_where_it_leads_somewhere(keeper: FlaskClient, guest: FlaskClient) -> None:
    assert 'href="/round-end"' in keeper.get("/").text and 'href="/round-points/3"' in keeper.get("/").text
    assert 'href="/round-end"' not in guest.get("/").text and "/round-points" not in guest.get("/").text


def test_a_hand_that_differs_from_the_typed_one_is_told_before_it_counts(
    guest: FlaskClient, keeper: FlaskClient, session: FakeSession
) -> None:
    send(guest, "Ben", "3-3 12-9")
    typed = "hand_1=&hand_2=3-3+12-8&hand_3=8-8&hand_4=4-4&how=out"
    told = keeper.get(f"/round-end/notes?{typed}").json
    assert told["otherwise"] == ["hand_2"]  # type: ignore[index]
    assert told["notes"]["hand_2"][0] == "Ben's own phone says: 3-3 12-9."  # type: ignore[index]
    stranger = guest.get(f"/round-end/notes?{typed}").json
    assert stranger["otherwise"] == [] and "own phone" not in str(stranger)  # type: ignore[index]
    form = dict(parse_qsl(typed, keep_blank_values=True))
    asked = keeper.post("/round-end", data=form).text
    assert "Ben&#39;s own phone says: 3-3 12-9." in words(asked) and "Count it all the same" in asked
    assert session.calls == [], "nothing counts yet"
    assert keeper.get("/round-end/notes?hand_2=9-12+3-3").json["otherwise"] == []  # type: ignore[index]
    session.show({**tables.round_over(), "phase": "waiting"})
    assert keeper.get(f"/round-end/notes?{typed}").json["otherwise"] == []  # type: ignore[index]


@pytest.mark.browser
def test_a_key_takes_the_hand_from_the_phone_in_place_of_the_typed_one(
    app: Flask, guest: FlaskClient, browser: Browser
) -> None:
    with served(app) as address:
        page = browser.new_context(base_url=address, viewport={"width": 390, "height": 844}).new_page()
        assert page.request.post("/api/pin", data={"pin": PIN}).ok
        page.goto("/round-end", wait_until="load")
        field, key = page.locator("[name=hand_2]"), page.get_by_role("button", name="Take the hand from that phone")
        field.fill("3-3 12-8")
        send(guest, "Ben", "3-3 12-9")
        expect(page.locator("[data-note=hand_2]")).to_contain_text("Ben's own phone says: 3-3 12-9.")
        expect(field).to_have_value("3-3 12-8")
        key.click()
        expect(field).to_have_value("3-3 12-9")
        expect(key).to_be_hidden()
        expect(page.locator("[data-note=hand_2]")).not_to_contain_text("own phone")
        page.context.close()


@pytest.mark.browser
def test_name_and_tiles_stay_on_the_phone_through_a_reload(
    app: Flask, keeper: FlaskClient, session: FakeSession, browser: Browser
) -> None:
    session.show(tables.round_over())
    with served(app) as address:
        page = browser.new_context(base_url=address, viewport={"width": 390, "height": 844}).new_page()
        page.goto(link(keeper), wait_until="load")
        name, field = page.locator("[name=by][value=Ben]"), page.locator("[name=hand]")
        name.check(force=True)
        field.fill("3-3 12-9")
        page.reload(wait_until="load")
        expect(name).to_be_checked()
        expect(field).to_have_value("3-3 12-9")
        session.show({**tables.round_over(), "round": 4})
        page.goto(link(keeper), wait_until="load")
        expect(field).to_have_value("")
        page.context.close()


def test_only_the_hand_that_was_sent_is_said_to_be_sent(
    guest: FlaskClient, keeper: FlaskClient, session: FakeSession
) -> None:
    """Ben's own phone sent a hand, and the camera's is on record; the camera asks about Cyril's."""
    send(guest, "Ben", "12-5")
    assert keeper.get("/round-end").text.count(">Sent from their own phone.<") == 1
    hand = {"event": "hand_shown", "by": "Cyril", "tiles": [[4, 4], [8, 8]]}
    asked = {"seq": 40, "reason": "hand_count: Cyril", "candidates": [{"story": "4-4 8-8", "events": [hand]}]}
    session.show({**tables.round_over(), "shown": {"Ben": [[3, 3]]}, "questions": [asked]})
    page = keeper.get("/round-end").text
    assert 'name="hand_2" value="3-3"' in page and ">Sent from their own phone.<" not in page
    assert 'name="hand_3" value="4-4 8-8"' in page
    assert "The camera read this. We expected another number of tiles in Cyril&#39;s hand." in words(page)


def test_a_hand_that_was_mended_after_a_note_is_sent(guest: FlaskClient, keeper: FlaskClient) -> None:
    asked = guest.post("/hand", data={"by": "Ben", "hand": "10-5", "do": "send"}).text
    seen = re.search(r'name="seen" value="(\w+)"', asked)
    assert seen
    hand = " ".join(f"{low}-{low + 1}" for low in range(10))
    assert "Sent." in guest.post("/hand", data={"by": "Ben", "hand": hand, "do": "send", "seen": seen[1]}).text
    assert f'value="{hand}"' in keeper.get("/round-end").text


def test_a_guest_is_asked_once_about_a_tile_that_lies_elsewhere(guest: FlaskClient, keeper: FlaskClient) -> None:
    ben = {"by": "Ben", "hand": "10-5 5-5 5-5", "do": "send"}
    asked = guest.post("/hand", data=ben).text
    assert "10-5 is already on the table: Ann&#39;s train." in words(asked)
    assert "5-5 is already in the hand of Ben." in words(asked) and "Send it all the same" in asked
    assert 'name="hand_2" value=""' in keeper.get("/round-end").text, "not sent yet"
    assert "Sent." in send(guest, "Ben", ben["hand"]).text
    assert "5-5 is already in the hand of Ben." in words(
        guest.post("/hand", data={"by": "Cyril", "hand": "5-5", "do": "send"}).text
    )


def test_a_guest_is_asked_once_whether_no_tile_is_left(
    guest: FlaskClient, keeper: FlaskClient, session: FakeSession
) -> None:
    """A tap on *Send it* before anything was typed is no hand without tiles."""
    asked = guest.post("/hand", data={"by": "Ben", "hand": "", "do": "send"}).text
    assert "No tile is entered." in asked and "Send it all the same" in asked
    assert keeper.get("/round-end/notes").json["sent"] == {}  # type: ignore[index]
    assert "Sent." in send(guest, "Ben", "").text
    session.show({**tables.round_over(), "hands": {"Ann": 0, "Ben": 5}})
    assert "Sent." in guest.post("/hand", data={"by": "Ann", "hand": "", "do": "send"}).text, "who is out is not asked"


def test_what_was_typed_comes_back_with_the_reason(guest: FlaskClient) -> None:
    back = guest.post("/hand", data={"by": "Ben", "hand": "12-", "do": "send"})
    assert back.status_code == 400 and 'value="12-"' in back.text and "Half of a tile is missing" in back.text


def test_a_guest_may_photograph_a_hand_and_what_was_not_read_is_no_success(
    guest: FlaskClient, app_state: AppState
) -> None:
    assert app_state.repository is not None
    app_state.repository = replace(app_state.repository, read_hand=lambda *_: HAND | {"picture": b"jpeg"})
    form = {"by": "Ben", "do": "read", "hand": "3-5 2-2", "photo": (io.BytesIO(JPEG), "hand.jpg")}
    page = guest.post("/hand", data=form, content_type="multipart/form-data").text
    assert 'value="3-5 1-1"' in page and "data:image/jpeg;base64,anBlZw==" in page
    assert "One tile could not be read" in page and "✓" not in page
    assert "it does not show 2-2." in words(page)


def test_the_link_is_of_one_round(guest: FlaskClient, session: FakeSession) -> None:
    session.show(tables.midgame(round=4))
    refused = guest.post("/hand", data={"by": "Ben", "hand": "1-2", "do": "send"})
    assert refused.status_code == 410 and "has been counted" in refused.text


def test_a_link_lets_photographs_in_as_long_as_its_game_is_on_the_table(
    app: Flask, guest: FlaskClient, app_state: AppState, session: FakeSession
) -> None:
    kept = guest.get_cookie(app.config["SESSION_COOKIE_NAME"])
    assert kept is not None
    head = {"COOKIE": f"{kept.key}={kept.value}"}
    assert head_opens(app, head)
    app_state.put_on_the_table(session, "another")
    assert not head_opens(app, head)


@pytest.mark.parametrize("path", ["/hand", "/hand/forged"])
def test_without_the_link_nobody_sends_anything(anyone: FlaskClient, path: str) -> None:
    assert anyone.get(path).status_code in (409, 410)
    assert anyone.post("/hand", data={"by": "Ben", "hand": "1-2"}).status_code == 409
