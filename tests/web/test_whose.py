"""A phone says once whose it is. Its keys then act for that player and carry the turn that they were shown for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from bench.stand_ins.fakes import PIN, QUICK
from companion.app.games import make_app_state
from companion.app.state import AppState
from companion.web.access import SHARED, PinLock
from companion.web.app import PageSettings, create_app
from companion.web.changing import LastUnable
from tests.web.forms import Form, Page
from tests.web.reading import words
from tests.web.real_table import Table

FOUR = ("Ann", "Ben", "Cy", "Dee")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path, "tactic", "double-12", FOUR)
    yield made
    made.session.close()


def phone(table: Table, name: str | None = None) -> FlaskClient:
    """A phone that has given the PIN on the page, and on which somebody tapped whose it is."""
    client: FlaskClient = table.client.application.test_client()
    assert client.post("/pin", data={"pin": PIN}).headers["Location"] == "/whose?next=/"
    if name is not None:
        assert client.post("/whose", data={"name": name, "next": "/"}).headers["Location"] == "/"
    return client


def form(client: FlaskClient, action: str) -> Form:
    return next(one for one in Page(client.get("/").text).forms if one.action == action)


def press(client: FlaskClient, action: str, **more: str) -> int:
    """Tap a key as it is shown now; the answer's status."""
    return client.post(action, data={**form(client, action).sent(), **more}).status_code


def authors(table: Table) -> list[str | None]:
    return [event.author for event in table.session.events if event.source == "person"][1:]


def test_the_page_asks_once_whose_phone_it_is(table: Table) -> None:
    client = phone(table)
    shown = client.get("/whose").text
    [asked] = [one for one in Page(shown).forms if one.action == "/whose"]
    assert [door[3] for door in asked.doors] == [*FOUR, SHARED]
    assert shown.count('class="token') == 4
    page = client.get("/").text
    assert "Whose phone is this?" in page and 'action="/api/play"' not in page
    client.post("/whose", data={"name": "Ben", "next": "/scores"})
    page = client.get("/").text
    assert 'action="/api/play"' in page and 'action="/whose"' not in page
    assert "Signed in</span>: Ben" in page or "Signed in: Ben" in page
    assert 'href="/whose"' in page, "it can be changed in the menu"


def test_a_name_that_another_phone_has_says_so(table: Table) -> None:
    ann = phone(table, "Ann")
    other = phone(table)
    for path in ("/", "/whose"):
        assert other.get(path).text.count("also on another phone") == 1, path
    assert "Ann <small>also on another phone" in other.get("/whose").text
    assert "another phone" not in ann.get("/whose").text
    other.post("/whose", data={"name": "Ann"})
    assert "Ann <small>also on another phone" in ann.get("/whose").text
    for leave in ({"name": SHARED}, {"name": "Ben"}):
        other.post("/whose", data=leave)
        assert "Ann <small>" not in ann.get("/whose").text
    assert "Ben <small>" in ann.get("/whose").text
    other.post("/pin/out")
    assert "another phone" not in ann.get("/whose").text


def test_a_program_that_signs_in_is_not_asked(table: Table) -> None:
    assert 'action="/whose"' not in table.page


def test_only_a_player_or_everybody_may_be_chosen(table: Table) -> None:
    client = phone(table)
    for name in ("Zoe", "", "*phone"):
        assert client.post("/whose", data={"name": name}).status_code == 400
    watcher = table.client.application.test_client()
    assert watcher.post("/whose", data={"name": "Ann"}).headers["Location"].startswith("/pin?next=")


def test_a_chosen_name_leads_on_only_to_our_own_pages(table: Table) -> None:
    for target in ("//evil.example", "https://evil.example/x", "/\\evil.example"):
        assert phone(table).post("/whose", data={"name": "Ann", "next": target}).headers["Location"] in ("/", "/x")


def test_keys_act_for_whoever_the_phone_belongs_to(table: Table) -> None:
    table.lay("Ann", "12-5")
    ann = phone(table, "Ann")
    assert press(ann, "/api/play", train="Ann", outer="7") == 303
    assert table.plays()[-1] == ("Ann", "Ann", [5, 7]), "though Ben was to move"
    ben = phone(table, "Ben")
    assert press(ben, "/api/play", train="MX", outer="3") == 303
    assert table.plays()[-1][0] == "Ben"
    assert authors(table)[-1] == "Ben"


def test_every_quick_key_of_a_phone_is_its_players(table: Table) -> None:
    table.lay("Ann", "12-5")
    dee = phone(table, "Dee")
    for action in ("/api/done", "/api/draw", "/api/mark", "/api/announce"):
        before = len(table.session.events)
        assert press(dee, action, **({"train": "Dee"} if action == "/api/mark" else {})) == 303, action
        told = [event for event in table.session.events[before:] if event.source == "person"]
        assert {event.who for event in told} == {"Dee"}, action


def test_the_markers_key_asks_whose_and_takes_nobodys_turn_away(table: Table) -> None:
    """A key that put it on the train of whoever is to move took it for that player's turn."""
    table.lay("Ann", "12-5")
    dee = phone(table, "Dee")
    assert [door[3] for door in form(dee, "/api/mark").doors] == list(FOUR)
    before = len(table.session.events)
    assert press(dee, "/api/mark", train="Cy") == 303
    told = [event for event in table.session.events[before:] if event.source == "person"]
    assert [(event.KIND, event.who) for event in told] == [("marker_placed", "Cy")], "nobody passed"
    assert [door[3] for door in form(dee, "/api/mark").doors] == ["Ann", "Ben", "Dee"]
    assert [door[3] for door in form(dee, "/api/unmark").doors] == ["Cy"]
    table.lay("Ben", "12-7", by="Ben")
    assert table.session.questions == () and table.held() == [], "Ben had only been slower"


def test_a_phone_still_says_who_else_played(table: Table) -> None:
    ann = phone(table, "Ann")
    assert press(ann, "/api/play", train="Ben", outer="7", by="Ben") == 303
    assert table.plays()[-1][0] == "Ben"


def test_everybodys_phone_acts_for_whoever_is_to_move(table: Table) -> None:
    middle = phone(table, SHARED)
    assert 'action="/whose"' not in middle.get("/").text
    for train, outer in (("Ann", "5"), ("Ben", "7")):
        assert "by" not in form(middle, "/api/draw").sent()
        assert press(middle, "/api/play", train=train, outer=outer) == 303
    assert [by for by, _train, _tile in table.plays()] == ["Ann", "Ben"]
    assert authors(table) == [SHARED] * 2


def test_the_trail_says_everybodys_phone(tmp_path: Path) -> None:
    state = make_app_state(tmp_path)
    state.start_game({"rules": "tactic", "set": "double-12", "players": list(FOUR), "options": {}})
    client = create_app(state, PageSettings(pin=PIN), PinLock.of(PIN, QUICK)).test_client()
    client.post("/pin", data={"pin": PIN})
    client.post("/whose", data={"name": SHARED})
    client.post("/api/start-round", data={"engine": "12-12", "starter": "Ann"})
    text = words(client.get("/games/game-0001/changes").text)
    assert "everybody&#39;s phone" in text and "without a name" not in text
    state.session.close()  # type: ignore[attr-defined]
    state.signal.close()


def test_a_key_that_is_anothers_says_whose_it_is(table: Table) -> None:
    table.lay("Ann", "12-5")
    assert "Cannot play:" in phone(table, "Ben").get("/").text
    assert "Ben cannot play:" in phone(table, SHARED).get("/").text
    ann = phone(table, "Ann")
    assert "Ben cannot play:" in ann.get("/").text
    assert ann.post("/api/cannot-play", data=cannot(ann, "Ben")).status_code == 303
    assert {event.who for event in table.session.events[-2:]} == {"Ben"}


def test_ones_own_key_comes_before_the_neighbours(table: Table) -> None:
    """It is where it is in one's own turn."""
    table.lay("Ann", "12-5")
    keys = [one for one in Page(phone(table, "Ann").get("/").text).forms if one.action == "/api/cannot-play"]
    assert [one.sent()["by"] for one in keys] == ["Ann", "Ben"]


def test_a_new_game_asks_only_where_the_name_is_not_there(tmp_path: Path) -> None:
    state = make_app_state(tmp_path)
    app = create_app(state, PageSettings(pin=PIN), PinLock.of(PIN, QUICK))
    header: dict[str, Any] = {"rules": "tactic", "set": "double-12", "options": {}}
    state.start_game({**header, "players": ["Ann", "Ben"]})
    clients = {name: app.test_client() for name in ("Ann", "Ben", SHARED)}
    for name, client in clients.items():
        client.post("/pin", data={"pin": PIN})
        client.post("/whose", data={"name": name})
    state.start_game({**header, "players": ["Cy", "Ben"]})
    clients[SHARED].post("/api/start-round", data={"engine": "12-12", "starter": "Cy"})
    asked = [name for name, client in clients.items() if 'action="/whose"' in client.get("/").text]
    assert asked == ["Ann"]
    state.session.close()  # type: ignore[attr-defined]
    state.signal.close()


def test_everybodys_phone_was_once_anns(table: Table) -> None:
    client = phone(table, "Ann")
    client.post("/whose", data={"name": SHARED})
    press(client, "/api/play", train="Ann", outer="5")
    assert authors(table) == [SHARED]


def test_a_phone_without_a_name_is_still_taken(table: Table) -> None:
    assert phone(table).post("/api/draw", json={}).status_code == 200
    assert authors(table) == ["*phone"]


def test_keys_carry_the_turn_and_the_ends_they_were_shown_for(table: Table) -> None:
    table.lay("Ann", "12-5")
    ann = phone(table, "Ann")
    sent = form(ann, "/api/play").sent()
    assert sent["turn"] == "Ben"
    ends = {name.removeprefix("end:"): value for name, value in sent.items() if name.startswith("end:")}
    assert ends == {"Ann": "5", "Ben": "12", "Cy": "12", "Dee": "12", "MX": "12"}
    for action in ("/api/draw", "/api/mark", "/api/done", "/api/cannot-play"):
        assert form(ann, action).sent()["turn"] == "Ben", action


def test_a_line_has_its_two_ends(tmp_path: Path) -> None:
    table = Table(tmp_path, "jielong", "chinese", FOUR, {"arms": 2})
    ann = phone(table, "Ann")
    assert press(ann, "/api/play", inner="6", outer="5") == 303
    sent = form(ann, "/api/play").sent()
    assert {name: value for name, value in sent.items() if name.startswith("end:")} == {"end:L": "6", "end:R": "5"}
    assert form(ann, "/api/cannot-play").sent()["turn"] == "Ben"
    table.session.close()


@pytest.mark.parametrize(
    ("path", "fields", "wrong"),
    [
        ("play", {"train": "Ann", "outer": 5, "turn": "Zoe"}, "turn"),
        ("play", {"train": "Ann", "outer": 5, "turn": "Ann", "end": 19}, "end"),
        ("play", {"train": "Ann", "outer": 5, "end": "five"}, "end"),
        ("play", {"train": "Ann", "outer": 5, "end:Ann": -1}, "end:Ann"),
        ("draw", {"turn": 3}, "turn"),
        ("discard", {"turn": "Zoe"}, "turn"),
        ("pass", {"turn": "Zoe"}, "turn"),
        ("done", {"by": "Ann", "turn": "Zoe"}, "turn"),
        ("mark", {"train": "Ann", "turn": "Zoe"}, "turn"),
        ("unmark", {"train": "Ann", "turn": "Zoe"}, "turn"),
        ("cannot-play", {"turn": "Zoe"}, "turn"),
    ],
)
def test_what_a_key_carries_is_checked(table: Table, path: str, fields: dict[str, Any], wrong: str) -> None:
    answer = table.client.post(f"/api/{path}", json=fields)
    assert answer.status_code == 400 and answer.json["field"] == wrong
    assert len(table.session.events) == 1


def test_what_a_key_carries_may_be_left_out_or_old(table: Table) -> None:
    table.send("play", train="Ann", outer=5)
    table.send("play", train="Ben", outer=7, turn="Ann", end=3)
    assert [tile for _by, _train, tile in table.plays()] == [[12, 5], [12, 7]]


def test_a_tile_that_is_asked_about_keeps_what_its_key_carried(table: Table) -> None:
    for train, outer in (("Ann", "5"), ("Ben", "7"), ("Cy", "9"), ("Dee", "3")):
        table.lay(train, f"12-{outer}")
    middle = phone(table, SHARED)
    answer = middle.post("/api/play", data={**form(middle, "/api/play").sent(), "train": "Ben", "outer": "3"})
    [asked] = [one for one in Page(answer.text).forms if "outer" in one.fields and not one.typed and "again" not in
               one.fields and any(door[2] == "by" for door in one.doors)]  # fmt: skip
    assert (asked.sent()["turn"], asked.sent()["end:Ben"]) == ("Ann", "7")


def cannot(client: FlaskClient, whose: str) -> dict[str, str]:
    """The fields that this player's key sends."""
    keys = (one.sent() for one in Page(client.get("/").text).forms if one.action == "/api/cannot-play")
    return next(sent for sent in keys if sent.get("by") in (None, whose))


def acts(table: Table) -> list[tuple[str, str | None]]:
    return [(event.KIND, event.who) for event in table.session.events[1:]]


@pytest.mark.parametrize("second", ["Ben", "Ann", SHARED])
def test_cannot_play_of_one_turn_counts_once(table: Table, second: str) -> None:
    first, other = phone(table, "Ann"), phone(table, second)
    shown = cannot(first, "Ann"), cannot(other, "Ann")
    assert first.post("/api/cannot-play", data=shown[0]).status_code == 303
    told = acts(table)
    assert [who for _kind, who in told] == ["Ann"] * len(told)
    assert other.post("/api/cannot-play", data=shown[1]).status_code == 303
    assert acts(table) == told, "nobody else has passed, and nothing is refused"
    table.lay("Ben", "12-7")
    assert other.post("/api/cannot-play", data={**shown[1], "once": "later"}).status_code == 303
    assert len(acts(table)) == len(told) + 1, "nor does it pass Cy once Ben has played"


def test_cannot_play_after_the_same_turn_was_played_or_taken_back_is_refused(table: Table) -> None:
    ann, ben = phone(table, "Ann"), phone(table, "Ben")
    shown = cannot(ben, "Ann")
    table.lay("Ann", "12-5")
    assert ben.post("/api/cannot-play", data=shown).status_code == 409
    table.post("undo")
    press(ann, "/api/cannot-play")
    table.post("undo")
    told = acts(table)
    assert ben.post("/api/cannot-play", data=shown).status_code == 409
    assert acts(table) == told


def test_cannot_play_of_the_next_turn_counts(table: Table) -> None:
    ann, ben = phone(table, "Ann"), phone(table, "Ben")
    assert press(ann, "/api/cannot-play") == 303
    assert press(ben, "/api/cannot-play") == 303
    assert {who for _kind, who in acts(table)} == {"Ann", "Ben"}


def unable(table: Table, seconds: float, phones: int = 2) -> list[str | None]:
    """Whose *Cannot play* counts, if two phones of nobody, or one, say it so many seconds apart, as shown then."""
    now = [100.0]
    table.client.application.extensions["companion_unable"] = LastUnable(lambda: now[0])
    first = phone(table, SHARED)
    second = first if phones == 1 else phone(table, SHARED)
    assert press(first, "/api/cannot-play") == 303
    now[0] += seconds
    answer = second.post("/api/cannot-play", data={**cannot(second, "Ben"), "page": "/"})
    if answer.status_code == 200:
        assert "It has only just been said that Ann cannot play." in answer.text
        [asked] = [one for one in Page(answer.text).forms if "again" in one.fields and one.action == "/api/cannot-play"]
        assert [door[3] for door in asked.doors] == ["Ben"]
    return list(dict.fromkeys(who for _kind, who in acts(table)))


def test_cannot_play_of_two_phones_within_seconds_counts_once(table: Table) -> None:
    assert unable(table, 2.9) == ["Ann"]


def test_cannot_play_of_another_phone_counts_seconds_later(table: Table) -> None:
    assert unable(table, 3.1) == ["Ann", "Ben"]


def test_cannot_play_that_one_phone_says_twice_in_a_moment_counts_once(table: Table) -> None:
    assert unable(table, 1.4, phones=1) == ["Ann"]


def test_cannot_play_either_is_one_more_tap(table: Table) -> None:
    first, second = phone(table, SHARED), phone(table, "Dee")
    press(first, "/api/cannot-play")
    answer = second.post("/api/cannot-play", data={**cannot(second, "Ben"), "page": "/"})
    [asked] = [one for one in Page(answer.text).forms if "again" in one.fields and one.action == "/api/cannot-play"]
    assert second.post("/api/cannot-play", data={**asked.sent(), "by": "Ben"}).status_code == 303
    assert {who for _kind, who in acts(table)} == {"Ann", "Ben"}
    assert press(first, "/api/cannot-play", page="/") == 200, "nor does it pass Cy for whoever meant Ben"


def test_one_phone_passes_one_after_the_other(table: Table) -> None:
    middle, now = phone(table, SHARED), count(0, 2)
    table.client.application.extensions["companion_unable"] = LastUnable(lambda: next(now))
    for _ in FOUR:
        assert press(middle, "/api/cannot-play") == 303
    assert {who for _kind, who in acts(table)} == set(FOUR)


def test_the_keys_of_two_phones_are_not_mixed_up(table: Table) -> None:
    """The page is drawn once for all phones, apart from the keys."""
    clients = {name: phone(table, name) for name in (*FOUR, SHARED)}
    table.lay("Ann", "12-5")
    shown = {name: client.get("/regions").json["regions"]["act"] for name, client in clients.items()}
    for name in FOUR:
        assert f'name="by" value="{name}"' in shown[name]
    assert len(set(shown.values())) == 5
    assert {client.get("/regions").json["regions"]["yard"] for client in clients.values()} == {
        table.client.get("/regions").json["regions"]["yard"]
    }


def test_before_the_first_game_nobody_is_asked(tmp_path: Path) -> None:
    client = create_app(AppState(data_dir=tmp_path), PageSettings(pin=PIN), PinLock.of(PIN, QUICK)).test_client()
    assert client.post("/pin", data={"pin": PIN}).headers["Location"] == "/"


def test_a_name_given_with_the_pin_is_not_asked_again(table: Table) -> None:
    client = table.client.application.test_client()
    assert client.post("/pin", data={"pin": PIN, "name": "Cy"}).headers["Location"] == "/"
    assert 'name="by" value="Cy"' in client.get("/").text


def test_only_ones_own_long_first_train_goes_on_ones_own_phone(tmp_path: Path) -> None:
    table = Table(tmp_path, "poltava", "double-9", FOUR)
    table.lay("Ann", "9-5", "5-6", by="Ann")
    sent = form(phone(table, "Ann"), "/api/play").sent()
    assert (sent["train"], sent["by"]) == ("Ann", "Ann")
    sent = form(phone(table, "Cy"), "/api/play").sent()
    assert (sent["train"], sent["by"]) == ("Cy", "Cy")
    table.session.close()


def test_a_tap_is_recorded_though_somebody_was_quicker(table: Table) -> None:
    ann, ben = phone(table, "Ann"), phone(table, "Ben")
    late = {**form(ben, "/api/play").sent(), "train": "MX", "outer": "7"}
    assert press(ann, "/api/play", train="MX", outer="5") == 303
    assert ben.post("/api/play", data=late).status_code == 303
    [_first, crossed] = [event for event in table.session.events if event.KIND == "tile_played"]
    assert (crossed.who, crossed.end, crossed.outer_only) == ("Ben", 12, True)
    assert not [one for one in table.held() if one[2]], "nobody stands accused for certain"


def test_the_first_round_is_started_by_saying_whose_phone_it_is(table: Table) -> None:
    table.send("end-round", how="abandoned")
    client = phone(table)
    [start] = [one for one in Page(client.get("/round-start").text).forms if one.action == "/api/start-round"]
    assert [door[3] for door in start.doors if door[2] == "whose"] == [*FOUR, SHARED]
    assert client.post("/api/start-round", data={**start.sent(), "whose": "Zoe"}).status_code == 400
    assert table.session.phase != "playing"
    assert client.post("/api/start-round", data={**start.sent(), "whose": "Ben"}).headers["Location"] == "/"
    assert table.session.phase == "playing"
    assert 'action="/whose"' not in client.get("/").text
    assert press(client, "/api/play", train="MX", outer="3") == 303
    assert authors(table)[-1] == "Ben"


def test_a_round_started_with_enter_says_nothing_of_the_phone(table: Table) -> None:
    table.send("end-round", how="abandoned")
    client = phone(table)
    [start] = [one for one in Page(client.get("/round-start").text).forms if one.action == "/api/start-round"]
    assert start.doors[0][2] != "whose", "the first button is the one that Enter presses"
    client.post("/api/start-round", data=start.sent())
    assert table.session.phase == "playing" and 'action="/whose"' in client.get("/").text
