"""The button pod around a house with a game."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeCamera, FakePanel, FakeSession
from companion.app.state import AppState
from companion.tableside import ButtonPod
from companion.web.app import PageSettings, create_app
from hardware.panel import Light, Panel, PanelError, Press

PATIENCE_S = 60.0


def no_panel(pressed: Callable[[Press], object], pins: Path | None) -> Panel:
    raise PanelError("no buttons or lamp here")


@pytest.fixture
def session() -> FakeSession:
    return FakeSession(tables.midgame(plays=[], questions=[]))


@pytest.fixture
def app_state(session: FakeSession, tmp_path: Path) -> AppState:
    return AppState(session, data_dir=tmp_path, camera=FakeCamera(), game="tonight")


def test_the_lamp_follows_the_game_and_the_camera(app_state: AppState, session: FakeSession) -> None:
    panel = FakePanel()
    with ButtonPod(app_state, opener=panel.open):
        panel.wait_for(Light.READING)
        session.show(tables.illegal())
        panel.wait_for(Light.ILLEGAL)
        session.show(tables.question())
        panel.wait_for(Light.UNSURE)
        session.show(tables.midgame(plays=[], questions=[]))
        assert isinstance(app_state.camera, FakeCamera)
        app_state.camera.state = "lost"
        app_state.signal.notify()
        panel.wait_for(Light.NO_CAMERA)
    assert panel.closed


def test_the_pod_opens_the_pins_of_the_file_that_was_named(app_state: AppState, tmp_path: Path) -> None:
    panel, named = FakePanel(), queue.Queue[Path | None]()

    def opener(pressed: Callable[[Press], object], pins: Path | None) -> Panel:
        named.put(pins)
        return panel.open(pressed, pins)

    with ButtonPod(app_state, opener=opener, pins=tmp_path / "pins.toml"):
        assert named.get(timeout=PATIENCE_S) == tmp_path / "pins.toml"


def test_a_pressed_button_is_a_verb_of_the_session(app_state: AppState, session: FakeSession) -> None:
    panel, other = FakePanel(), []
    with ButtonPod(app_state, opener=panel.open, read_now=lambda: other.append("read")):
        for press in Press:
            panel.press(press)
    assert [call[0] for call in session.calls] == ["pass_turn", "undo"]
    assert other == ["read"] and app_state.pin_is_shown


def test_the_pin_button_shows_the_pin_on_the_box_s_own_screen_for_a_while(app_state: AppState) -> None:
    app = create_app(app_state, PageSettings(pin="135790", screen_key="k"))
    client, away = app.test_client(), app.test_client()
    client.get("/tv?screen=k")

    def alerts(client: FlaskClient = client) -> str:
        told = client.get("/regions?tv=1").json
        assert told is not None
        return str(told["regions"]["alerts"])

    panel = FakePanel()
    with ButtonPod(app_state, opener=panel.open, pin_s=0.05) as pod:
        assert "135790" not in alerts()
        panel.press(Press.SHOW_PIN)
        hiding = pod._hiding
        assert hiding is not None
        hiding.join(20)
        assert "135790" not in alerts(), "it was hidden again"
    with ButtonPod(app_state, opener=(panel := FakePanel()).open):
        panel.press(Press.SHOW_PIN)
        assert "135790" in alerts()
        assert "135790" not in alerts(away), "never on a phone"
        assert "135790" not in away.get("/tv").text


def test_a_box_without_buttons_plays_on_and_says_what_is_missing(app_state: AppState) -> None:
    before = threading.active_count()
    with ButtonPod(app_state, opener=no_panel) as pod:
        assert pod.note == "no buttons or lamp here"
        assert threading.active_count() == before


def test_it_ends_while_nobody_has_news(app_state: AppState) -> None:
    panel = FakePanel()
    with ButtonPod(app_state, opener=panel.open, every_s=1000.0):
        panel.wait_for(Light.READING)
    assert panel.closed
