"""Somebody joins, goes home or takes another chair in the middle of a match: said first, then done in one go."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from bench.stand_ins.fakes import PIN, QUICK
from companion.app.games import make_app_state
from companion.app.state import AppState
from companion.log.event_fields import EventError, Header
from companion.web.access import PinLock
from companion.web.app import PageSettings, create_app
from tests.shown import state_of


@pytest.fixture
def state(tmp_path: Path) -> Iterator[AppState]:
    """After one round: Ann 0, Ben 12, Cy 30."""
    made = make_app_state(tmp_path)
    client = create_app(made, PageSettings(pin=PIN, testing=True), PinLock.of(PIN, QUICK)).test_client()
    name = {"X-Companion-Pin": PIN}
    game = {"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben", "Cy"]}
    assert client.post("/api/games", json=game, headers=name).status_code == 200
    client.post("/api/start-round", json={"engine": "12-12", "starter": "Ann"}, headers=name)
    points = {"points_1": "0", "points_2": "12", "points_3": "30", "out": "Ann"}
    assert client.post("/round-points/1", data=points, headers=name).status_code == 303
    yield made
    made.session.journal.close()  # type: ignore[attr-defined]


@pytest.fixture
def host(state: AppState) -> FlaskClient:
    client = create_app(state, PageSettings(pin=PIN, testing=True), PinLock.of(PIN, QUICK)).test_client()
    client.post("/api/pin", json={"pin": PIN})
    return client


def test_a_round_says_how_many_tiles_each_is_dealt(host: FlaskClient) -> None:
    assert "Tiles dealt to each player: 16" in host.get("/round-start").text


WANTED = {"player_1": "Ben", "player_2": "Ann", "player_3": "Dee", "points": "14"}


def test_as_many_lines_are_offered_as_are_dealt_in(host: FlaskClient) -> None:
    assert 'name="player_5"' in host.get("/players").text
    four = {"rules": "tactic", "set": "double-9", "players": ["Ann", "Ben", "Cy", "Dee"]}
    assert host.post("/api/games", json=four).status_code == 200
    page = host.get("/players").text
    assert 'name="player_4"' in page and 'name="player_5"' not in page


def test_the_effect_is_said_before_anything_changes(host: FlaskClient, state: AppState) -> None:
    assert 'value="14"' in host.get("/players").text, "the average of the others"
    page = host.post("/players", data=WANTED).text
    assert "Dee joins and begins with 14 points." in page
    assert "Cy goes home with 30 points, which stay on the sheet." in page
    assert "The seats are now: Ben, Ann, Dee." in page and "not counted" not in page
    assert state.games() == ["game-0001"], "nothing has changed"


def test_the_match_goes_on_with_everybodys_points(host: FlaskClient, state: AppState) -> None:
    assert host.post("/players/change", data=WANTED).location == "/round-start"
    shown = state_of(state.session)
    assert shown["players"] == ["Ben", "Ann", "Dee"] and shown["totals"] == {"Ben": 12, "Ann": 0, "Dee": 14}
    assert shown["next"]["round"] == 2 and shown["next"]["engine"] == [11, 11]  # type: ignore[index]
    host.post("/api/start-round", json={"engine": "11-11", "starter": "Ben"})
    host.post("/round-points/2", data={"points_1": "5", "points_2": "7", "points_3": "0", "out": "Dee"})
    assert state_of(state.session)["totals"] == {"Ben": 17, "Ann": 7, "Dee": 14}
    sheet = host.get("/scores").text
    assert "Brought over" in sheet and host.get("/games/game-0001/scores").text.count("30") >= 1
    state.reopen("game-0001")
    state.reopen("game-0002")
    assert state_of(state.session)["totals"] == {"Ben": 17, "Ann": 7, "Dee": 14}, "as after a restart"


def test_the_next_starter_and_the_numbers_of_the_chart_stay(host: FlaskClient, state: AppState) -> None:
    def starter() -> object:
        return state_of(state.session)["next"]["starter"]  # type: ignore[index]

    assert starter() == "Ben", "Ann began the first round"
    joins = {"player_1": "Dee", "player_2": "Ann", "player_3": "Ben", "player_4": "Cy", "points": "14"}
    assert host.post("/players/change", data=joins).status_code == 303
    assert starter() == "Ben"
    again = host.post("/players/change", data={"player_1": "Dee", "player_2": "Ann", "player_3": "Cy"})
    assert again.status_code == 303, again.text
    assert starter() == "Cy", "Ben went home: the next in turn who stays"
    host.post("/api/start-round", json={"engine": "11-11"})
    assert state_of(state.session)["turn"] == "Cy"
    points = {"points_1": "5", "points_2": "7", "points_3": "0", "out": "Cy"}
    assert host.post("/round-points/2", data=points).status_code == 303
    axis = re.findall(r'text-anchor="middle">(\d+)</text>', host.get("/scores").text)
    assert set(axis) == {"2"}, "the round is the second of the match"


def test_players_may_change_twice_between_two_rounds(host: FlaskClient, state: AppState) -> None:
    for one, other in (("Ben", "Ann"), ("Ann", "Ben")):
        host.post("/players/change", data={"player_1": one, "player_2": other, "player_3": "Cy"})
    assert state_of(state.session)["players"] == ["Ann", "Ben", "Cy"]
    assert state_of(state.session)["next"]["round"] == 2  # type: ignore[index]
    assert state_of(state.session)["totals"] == {"Ann": 0, "Ben": 12, "Cy": 30}


def test_the_points_of_who_went_home_stay_in_sight(host: FlaskClient, state: AppState) -> None:
    host.post("/players/change", data=WANTED)
    assert "Cy went home with 30 points." in host.get("/scores").text
    assert "No round has been scored yet" not in host.get("/scores").text, "everybody brought points"
    host.post("/api/start-round", json={"engine": "11-11", "starter": "Ben"})
    host.post("/round-points/2", data={"points_1": "5", "points_2": "7", "points_3": "0", "out": "Dee"})
    host.post("/players/change", data={"player_1": "Ben", "player_2": "Dee"})
    for path in ("/scores", "/match-end", "/share"):
        assert "Cy went home with 30 points." in host.get(path).text, path
        assert "Ann went home with 7 points." in host.get(path).text, path
    assert host.get(f"/games/{state.game}/scores.csv").text.splitlines()[-1].endswith("17,14,30,7")
    assert "Cy is back, with 30 points." in host.post("/players", data=WANTED | {"player_4": "Cy"}).text
    host.post("/players/change", data={"player_1": "Ben", "player_2": "Cy"})
    assert state_of(state.session)["totals"] == {"Ben": 17, "Cy": 30}
    assert state_of(state.session)["left"] == {"Ann": 7, "Dee": 14}
    assert "The totals so far decide" in host.get("/match-end").text, "no further round has to be played"
    assert host.post("/api/end-match").status_code == 200
    assert "Ben wins" in host.get("/scores").text and "Ann went home with 7 points." in host.get("/scores").text


def test_the_summary_of_a_round_names_who_went_home(host: FlaskClient) -> None:
    host.post("/players/change", data=WANTED)
    host.post("/api/start-round", json={"engine": "11-11", "starter": "Ben"})
    host.post("/round-points/2", data={"points_1": "5", "points_2": "7", "points_3": "0", "out": "Dee"})
    for path in ("/", "/tv"):
        assert "Cy went home with 30 points." in host.get(path).text, path


def test_a_player_keeps_the_colour_at_another_seat(host: FlaskClient, state: AppState) -> None:
    def colours() -> dict[str, int]:
        return {seat.name: seat.colour for seat in state.session.snapshot().seats}

    assert colours() == {"Ann": 1, "Ben": 2, "Cy": 3}
    host.post("/players/change", data=WANTED)
    assert colours() == {"Ben": 2, "Ann": 1, "Dee": 3}
    drawn = re.findall(r'token p(\d+)".*?col-name">(\w+)', host.get("/scores").text)
    assert sorted(drawn) == [("1", "Ann"), ("2", "Ben"), ("3", "Dee")]
    again = {"rules": "tactic", "set": "double-12", "players": ["Cy", "Dee", "Ben"]}
    assert host.post("/api/games", json=again).status_code == 200
    assert colours() == {"Cy": 1, "Dee": 3, "Ben": 2}, "also in the next match"
    for game in ("game-0001", "game-0003"):
        state.reopen(game)
    assert colours() == {"Cy": 1, "Dee": 3, "Ben": 2}, "as after a restart"


def test_a_round_on_the_table_is_dealt_again_and_that_is_said(host: FlaskClient, state: AppState) -> None:
    host.post("/api/start-round", json={"engine": "11-11", "starter": "Ben"})
    assert "is not counted and is dealt again" in host.post("/players", data=WANTED).text
    host.post("/players/change", data=WANTED)
    assert state_of(state.session)["next"]["round"] == 2  # type: ignore[index]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"player_1": "Ann", "player_2": "Ben", "player_3": "Cy"}, "Nothing would change."),
        (WANTED | {"points": "many"}, "Please enter a number"),
        (WANTED | {"player_3": "ben"}, "Two players have the same name."),
        ({"player_1": "Ann"}, "not 1."),
    ],
)
def test_what_was_typed_comes_back(host: FlaskClient, fields: dict[str, str], sentence: str) -> None:
    back = host.post("/players", data=fields | {"page": "/players"})
    assert back.status_code == 400 and sentence in back.text
    assert 'value="Ann"' in back.text


def test_a_journal_that_brings_nonsense_is_refused_with_the_field() -> None:
    line = {"journal": 1, "rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]}
    with pytest.raises(EventError, match=r"brought\.totals\.Ann: expected a whole number"):
        Header.from_json(line | {"brought": {"totals": {"Ann": "many"}}})
    with pytest.raises(EventError, match=r"brought\.left: expected an object"):
        Header.from_json(line | {"brought": {"left": ["Cy"]}})
    for nonsense in ({"Ann": 1}, {"Ann": 1, "Ben": 1}, {"Ann": 1, "Ben": 99}, "red"):
        with pytest.raises(EventError, match=r"colours(\.Ben)?: expected"):
            Header.from_json(line | {"colours": nonsense})
