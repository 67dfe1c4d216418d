"""The page over a fake session: what every test of the page starts from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from flask import Flask
from flask.testing import FlaskClient

from bench.stand_ins import tables
from bench.stand_ins.fakes import PIN, QUICK, FakeCamera, FakeClock, FakeSession, fake_workshop
from companion.app.state import AppState
from companion.web.access import PinLock, PinSettings
from companion.web.app import PageSettings, create_app
from companion.web.stream import StreamSettings

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(autouse=True, scope="session")
def cheap_pin() -> Iterator[None]:
    """So is the lock of every app that a test makes itself."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PinSettings.__init__, "__defaults__", (QUICK.n, *PinSettings.__init__.__defaults__[1:]))
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of a worker; each test opens a context of its own."""
    from bench.stand_ins.browser import started

    with started() as chromium:
        yield chromium


@pytest.fixture
def session() -> FakeSession:
    return FakeSession(tables.illegal(), lines=tables.lines())


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def app_state(session: FakeSession, tmp_path: Path) -> AppState:
    return AppState(session, data_dir=tmp_path, repository=fake_workshop(), camera=FakeCamera(), game="tonight")


@pytest.fixture
def app(app_state: AppState, clock: FakeClock) -> Iterator[Flask]:
    settings = PageSettings(
        pin=PIN,
        names=frozenset({"localhost", "box.local"}),
        address=SimpleNamespace(now="http://192.168.1.23:8000", name=""),  # type: ignore[arg-type]
        screen_key="the-boxes-own",
        stream=StreamSettings(ping_s=0.2, most=6),
        testing=True,
    )
    made = create_app(app_state, settings, PinLock.of(PIN, QUICK, clock))
    yield made
    app_state.signal.close()


@pytest.fixture
def anyone(app: Flask) -> FlaskClient:
    """Somebody at the table who only watches."""
    return app.test_client()


@pytest.fixture
def keeper(app: Flask) -> FlaskClient:
    """Somebody who has given the PIN."""
    client = app.test_client()
    answer = client.post("/api/pin", json={"pin": PIN, "name": "Olena"})
    assert answer.status_code == 200
    return client
