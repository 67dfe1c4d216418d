"""Seats: people show them once on the page, the box keeps them, and they tell the trains apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient

from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeCamera, FakeSession, FakeTable
from companion.app.state import AppState
from companion.app.table_place import (
    Seating,
    SeatPlan,
    SeatsError,
    SeatsMiddle,
    chairs_of,
    middle_of,
    places_of,
    read_seats,
    seats_at,
    write_seats,
)
from companion.app.table_service import WatchedTable
from companion.log.event_fields import Header
from companion.perception.setup_file import setup_from_json
from vision.calibration import Calibration
from vision.frame import Frame
from vision.reading import HalfReading, PictureReading, TileReading

PLACES = {"Ann": [0.5, 0.8], "Ben": [0.2, 0.5], "MX": [0.8, 0.5]}
FORM = {"name0": "Ann", "x0": "50", "y0": "80", "name1": "Ben", "x1": "20", "y1": "50"}
HUB = SeatsMiddle((600.0, 450.0), 60.0)


@pytest.fixture
def table(app_state: AppState) -> FakeTable:
    app_state.camera, app_state.table = FakeCamera(), FakeTable()
    return app_state.table


def test_the_page_shows_a_handle_for_everybody(keeper: FlaskClient, table: FakeTable) -> None:
    page = keeper.get("/seats").get_data(as_text=True)
    assert "Mexican train" in page and 'name="name2" value="MX"' in page and "Use these places" in page
    assert keeper.get("/api/seats").get_json()["places"]["Ben"] == [0.35, 0.4]


def test_the_places_are_kept_from_a_form_and_from_a_program(keeper: FlaskClient, table: FakeTable) -> None:
    assert keeper.post("/seats", data={**FORM, "next": "/round-start"}).headers["Location"].endswith("/round-start")
    assert table.seated == {"Ann": (0.5, 0.8), "Ben": (0.2, 0.5)}
    assert keeper.post("/api/seats", json={"places": PLACES}).get_json() == {"kept": ["Ann", "Ben", "MX"]}
    assert table.seated["MX"] == (0.8, 0.5)


@pytest.mark.parametrize(
    ("places", "says"),
    [
        ({**PLACES, "Ben": [0.5, 0.9]}, "Ann and Ben cannot start at the same place."),
        ({**PLACES, "MX": [0.2, 0.5]}, "Ben and Mexican train cannot start at the same place."),
        ({**PLACES, "Ann": [0.5, 0.51]}, "Move Ann away from the middle."),
        ({"Ann": [0.5, 0.8]}, "Every player needs a place"),
        ({**PLACES, "Ann": [0.5]}, "Every player needs a place"),
        ({**PLACES, "Ann": [7, 0.2]}, "Every player needs a place"),
        ([], "Every player needs a place"),
        ({}, "Every player needs a place"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(keeper: FlaskClient, table: FakeTable, places: Any, says: str) -> None:
    answer = keeper.post("/api/seats", json={"places": places})
    assert answer.status_code == 400 and says in answer.get_json()["error"]
    assert table.seated == {}


def test_nobody_is_seated_without_the_pin(anyone: FlaskClient, table: FakeTable) -> None:
    assert anyone.post("/api/seats", json={"places": PLACES}).status_code in (401, 403) and table.seated == {}
    assert anyone.get("/seats", headers={"Accept": "text/html"}).headers["Location"] == "/pin?next=/seats"
    assert anyone.get("/api/seats").status_code == 401, "showing the places takes a look, for which the game waits"


def test_where_the_table_is_not_found_that_comes_first(keeper: FlaskClient, table: FakeTable) -> None:
    table.answer = None
    assert keeper.get("/seats").headers["Location"].endswith("/table")
    assert keeper.get("/api/seats").status_code == 409


def test_a_game_without_a_camera_has_no_seats_to_show(keeper: FlaskClient) -> None:
    assert keeper.get("/api/seats").status_code == 409


def test_the_live_page_asks_while_nobody_is_seated(keeper: FlaskClient, app_state: AppState, table: FakeTable) -> None:
    app_state.camera = FakeCamera("unseated")
    page = keeper.get("/").get_data(as_text=True)
    assert 'href="/seats"' in page and "Who sits where?" in page


def test_places_become_directions_around_the_hub() -> None:
    seats = seats_at({"Ann": (600.0, 650.0), "Ben": (400.0, 450.0), "MX": (700.0, 350.0)}, HUB)
    assert seats == SeatPlan({"Ann": 90.0, "Ben": 180.0}, -45.0)
    with pytest.raises(SeatsError, match="Ann and Ben are on one station"):
        seats_at({"Ann": (600.0, 650.0), "Ben": (605.0, 700.0)}, HUB)


@pytest.mark.parametrize("chinese", [False, True])
def test_handles_stand_where_they_were_left_and_lead_to_the_same_directions(chinese: bool) -> None:
    first = places_of(SeatPlan({}), ("Ann", "Ben", "Cy"), HUB, (1200.0, 900.0), chinese)
    assert list(first) == ["Ann", "Ben", "Cy"] + ([] if chinese else ["MX"])
    seats = seats_at(first, HUB)
    # In the order of play: clockwise in the picture, in the Chinese games the other way.
    turns = [(b - a) % 360 for a, b in zip(seats.stations.values(), list(seats.stations.values())[1:], strict=False)]
    assert turns == [240.0, 240.0] if chinese else turns == [90.0, 90.0]
    again = seats_at(places_of(seats, ("Ann", "Ben", "Cy"), HUB, (1200.0, 900.0), chinese), HUB)
    assert again == seats


def test_kept_seats_serve_every_game_of_the_same_people(tmp_path: Path) -> None:
    kept = SeatPlan({"Ann": 10.0, "Ben": 130.0, "Cy": 250.0}, -90.0)
    write_seats(tmp_path / "seats.json", kept)
    seats = read_seats(tmp_path / "seats.json")
    assert seats == kept
    two = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Cy", "Ann"]})
    assert seats.into(two).stations == {"Cy": 250.0, "Ann": 10.0} and seats.into(two).mexican_station == -90.0
    stranger = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Zoe"]})
    assert seats.into(stranger) == stranger
    said = setup_from_json({**two.to_json(), "stations": {"Ann": 0, "Cy": 180}})
    assert seats.into(said) == said
    line = setup_from_json({"rules": "jielong", "set": "chinese", "players": ["Ann", "Ben"]})
    assert seats.into(line).stations == {"Ann": 10.0, "Ben": 130.0} and seats.into(line).mexican_station is None


def test_people_need_not_sit_behind_their_trains(tmp_path: Path) -> None:
    places = {"Ann": (600.0, 650.0), "Ben": (400.0, 450.0), "seat:Ann": (600.0, 880.0), "seat:Ben": (1100.0, 450.0)}
    seats = seats_at(places, HUB, (1200.0, 900.0))
    assert seats.stations == {"Ann": 90.0, "Ben": 180.0} and seats.sitting == {"Ann": 90.0, "Ben": 0.0}
    write_seats(tmp_path / "seats.json", seats)
    assert read_seats(tmp_path / "seats.json") == seats
    two = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
    assert seats.into(two).seats == {"Ann": 90.0, "Ben": 0.0}
    chairs = chairs_of(seats, ("Ann", "Ben"), places, (1200.0, 900.0))
    assert seats_at({**places, **chairs}, HUB, (1200.0, 900.0)) == seats


def test_arms_are_switched_off_on_the_page_and_stay_off(tmp_path: Path, app_state: AppState) -> None:
    seating = Seating(tmp_path / "seats.json")
    seating.watch_arms(False)
    assert not Seating(tmp_path / "seats.json").arms
    seating.forget()
    assert not Seating(tmp_path / "seats.json").arms, "who sits where is another question"
    watched = WatchedTable(app_state, "none", tmp_path, camera=OneFrame())  # type: ignore[arg-type]
    watched.watch_arms(True)
    assert Seating(tmp_path / "seats.json").arms


def test_the_page_asks_whether_arms_are_looked_at(keeper: FlaskClient, table: FakeTable) -> None:
    assert table.around is not None
    for arms, words, sent in ((True, "Do not look at arms", "off"), (False, "Look whose arm lays a tile", "on")):
        table.around = {**table.around, "arms": arms}
        assert words in keeper.get("/seats").get_data(as_text=True)
        assert keeper.post("/seats", data={"arms": sent, "next": "/"}).status_code == 303
    assert table.arms == [False, True] and table.seated == {}
    assert keeper.post("/api/seats", json={"arms": False}).get_json() == {"kept": [], "arms": False}
    assert keeper.post("/api/seats", json={"arms": "maybe"}).status_code == 400
    assert keeper.post("/api/seats", json={}).status_code == 400


@pytest.mark.parametrize("text", ["", "[]", '{"stations": 3}', '{"stations": {"Ann": "x"}, "mexican": null}', "{"])
def test_rubbish_seats_nobody(tmp_path: Path, text: str) -> None:
    (tmp_path / "seats.json").write_text(text, encoding="utf-8")
    assert read_seats(tmp_path / "seats.json") == SeatPlan({})
    assert read_seats(tmp_path / "none.json") == SeatPlan({})


class OneFrame:
    """A camera that never gives a picture of its own; the test lays one before the table."""

    live = True
    stills = False

    def read(self) -> None:
        return None

    def close(self) -> None:
        return None


class NoEye:
    def look(self, *_arguments: object) -> PictureReading:
        return PictureReading((1200, 900), ())


def test_what_was_shown_on_the_page_is_what_the_next_table_is_read_by(app_state: AppState, tmp_path: Path) -> None:
    watched = WatchedTable(app_state, "none", tmp_path, camera=OneFrame())  # type: ignore[arg-type]
    header = Header("tactic", "double-12", ("Ann", "Ben"))
    game = type("Game", (), {"header": header, "subscribe": lambda *_: None})()
    watched._play("game", game)  # type: ignore[arg-type]
    assert watched.unseated() and watched.seats() is None
    watched._eye = NoEye()  # type: ignore[assignment]
    watched._frame = Frame(np.full((900, 1200, 3), 90, np.uint8), 0.0, "f")
    with pytest.raises(ValueError, match="corner markers"):
        watched.seats()
    watched.place([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], [1200, 900])
    found = watched.seats()
    assert found is not None and found["middle"] == pytest.approx([0.5, 0.5], abs=0.01)
    assert (found["known"], found["hub"], list(found["places"])) == (
        False,
        False,
        ["Ann", "Ben", "MX", "seat:Ann", "seat:Ben"],
    )
    with pytest.raises(ValueError, match="a place for each"):
        watched.seat({"Ann": (0.5, 0.8)})
    watched.seat({"Ann": (0.5, 0.8), "Ben": (0.5, 0.2), "MX": (0.9, 0.5)})
    setup = watched._setup_for(game)
    assert setup.stations == pytest.approx({"Ann": 90, "Ben": -90}, abs=1)
    assert setup.mexican_station == pytest.approx(0.0, abs=1)
    assert not watched.unseated() and setup.round.number == 1
    watched.place([[0.01, 0.0], [0.98, 0.0], [0.98, 1.0], [0.01, 1.0]], [1200, 900])
    assert not watched.unseated(), "the same corners, a little off"
    again = WatchedTable(app_state, "none", tmp_path, camera=OneFrame())  # type: ignore[arg-type]
    assert again._setup_for(game).stations == setup.stations
    watched.place([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]], [900, 1200])
    assert watched.unseated(), "directions count from the first corner, and that is another one now"
    watched.seat({"Ann": (0.5, 0.8), "Ben": (0.5, 0.2), "MX": (0.9, 0.5)})
    assert not watched.unseated()
    watched.place(None)
    assert watched.unseated(), "the markers may begin at another corner"


def test_without_a_hub_the_lines_start_at_the_engine() -> None:
    table = Calibration.from_corners([[0, 0], [1200, 0], [1200, 900], [0, 900]], (1200, 900), 9.0)

    def lying(x: float, y: float, low: int, high: int) -> TileReading:
        corners = [[x - 24, y + 12], [x - 24, y - 12], [x + 24, y - 12], [x + 24, y + 12]]
        quad = table.to_px(corners).astype(np.float32)
        return TileReading(quad, "up", (HalfReading(low, 1.0), HalfReading(high, 1.0)), 1.0)

    engine, train, far = lying(680, 470, 12, 12), lying(610, 450, 12, 5), lying(100, 100, 9, 9)
    assert middle_of(PictureReading((1200, 900), (far, train, engine)), table).place == pytest.approx((680, 470), abs=1)
    assert middle_of(PictureReading((1200, 900), (far, train)), table).place == (600, 450)
    assert middle_of(None, table).place == (600, 450)


def test_a_question_about_seats_leads_to_where_they_are_shown(keeper: FlaskClient, session: FakeSession) -> None:
    asked = {"event": "unclear", "source": "camera", "candidates": [], "seq": 40}
    session.show({**tables.midgame(), "questions": [{**asked, "reason": "seats: Ann, Ben"}]})
    page = keeper.get("/").text
    assert '<a class="button" href="/seats">' in page and "It was another tile" not in page
    session.show(
        {**tables.midgame(), "questions": [{**asked, "reason": "marker: Ann", "candidates": [{"story": "theirs"}]}]}
    )
    page = keeper.get("/").text
    assert "Is this Ann&#39;s marker?" in page and ">Yes</button>" in page and ">No</button>" in page
    assert "None of these" not in page and "It was another tile" not in page
    session.show({**tables.midgame(), "questions": [{**asked, "reason": "unreadable_tile: Ann"}]})
    page = keeper.get("/").text
    assert '<a class="button" href="/seats">' not in page and "It was another tile" in page
