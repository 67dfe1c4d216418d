"""Buttons, lamp, broker and watchdog around a house with a game."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.tableside import Services, ServiceSettings
from companion.web.app import PageSettings, create_app
from companion.web.house import House
from companion.web.serving import serve_in_background
from hardware.panel import Light, Panel, PanelError, Press
from tests.web import tables
from tests.web.fakes import FakeCamera, FakeSession

PATIENCE_S = 60.0


class FakePanel:
    """Remembers its lights; `press` is a finger."""

    def __init__(self) -> None:
        self.lights: queue.Queue[Light] = queue.Queue()
        self.closed = False
        self.press: Callable[[Press], object] = lambda press: None

    def open(self, pressed: Callable[[Press], object], pins: Path | None) -> Panel:
        self.press = pressed
        return self  # type: ignore[return-value]

    def show(self, light: Light) -> None:
        self.lights.put(light)

    def close(self) -> None:
        self.closed = True

    def wait_for(self, wanted: Light) -> None:
        while self.lights.get(timeout=PATIENCE_S) is not wanted:
            continue


def no_panel(pressed: Callable[[Press], object], pins: Path | None) -> Panel:
    raise PanelError("no buttons or lamp here")


@pytest.fixture
def session() -> FakeSession:
    return FakeSession(tables.midgame(plays=[], unclear=[]))


@pytest.fixture
def house(session: FakeSession, tmp_path: Path) -> House:
    return House(session, data_dir=tmp_path, camera=FakeCamera(), game="tonight")


def test_the_lamp_follows_the_game_and_the_camera(house: House, session: FakeSession, tmp_path: Path) -> None:
    panel = FakePanel()
    with Services(house, ServiceSettings(tmp_path), panel=panel.open):
        panel.wait_for(Light.READING)
        session.show(tables.illegal())
        panel.wait_for(Light.ILLEGAL)
        session.show(tables.question())
        panel.wait_for(Light.UNSURE)
        session.show(tables.midgame(plays=[], unclear=[]))
        assert isinstance(house.camera, FakeCamera)
        house.camera.state = "lost"
        house.bell.ring()
        panel.wait_for(Light.NO_CAMERA)
    assert panel.closed


def test_a_pressed_button_is_a_verb_of_the_session(house: House, session: FakeSession, tmp_path: Path) -> None:
    panel, other = FakePanel(), []
    services = Services(
        house,
        ServiceSettings(tmp_path),
        panel=panel.open,
        read_now=lambda: other.append("read"),
        show_pin=lambda: other.append("pin"),
    )
    with services:
        for press in Press:
            panel.press(press)
    assert [call[0] for call in session.calls] == ["pass_turn", "undo"]
    assert other == ["read", "pin"]


def test_a_box_without_buttons_broker_and_systemd_plays_on_and_says_what_is_missing(
    house: House, tmp_path: Path
) -> None:
    with Services(house, ServiceSettings(tmp_path, broker="host:nonsense"), panel=no_panel) as services:
        assert services.notes[0] == "no buttons or lamp here"
        assert "nothing is published" in services.notes[1]
        services.ready()
        assert services.reasons == []


def test_systemd_is_fed_while_the_page_answers_and_the_camera_beats(house: House, tmp_path: Path) -> None:
    said: queue.Queue[str] = queue.Queue()
    server, port = serve_in_background(create_app(house, PageSettings(pin="135790")))
    settings = ServiceSettings(tmp_path, port=port, with_camera=True)
    try:
        with Services(house, settings, panel=no_panel, say=said.put, every_s=0.05) as services:
            services.ready()
            services.camera_lives()
            heard = {said.get(timeout=PATIENCE_S) for _ in range(3)}
            assert "WATCHDOG=1" in heard
            assert any(word.startswith("READY=1") for word in heard)
    finally:
        server.stop()


def test_a_page_that_does_not_answer_gives_no_sign_of_life(house: House, tmp_path: Path) -> None:
    services = Services(house, ServiceSettings(tmp_path, port=1), panel=no_panel)
    assert not services._page_answers()


def test_it_ends_while_somebody_waits_for_news(house: House, tmp_path: Path) -> None:
    before = threading.active_count()
    with Services(house, ServiceSettings(tmp_path), panel=no_panel, every_s=1000.0):
        pass
    assert threading.active_count() <= before
