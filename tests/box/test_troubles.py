"""A trouble of the machine around a game gives a banner on the page and a reason in /health, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeCamera, FakeSession
from companion.app.checkup import Machine, quick_reasons
from companion.app.state import AppState
from companion.publish.publisher import PublishStatus
from companion.web.app import PageSettings, create_app


@pytest.fixture
def app_state(tmp_path: Path) -> AppState:
    return AppState(FakeSession(tables.midgame()), data_dir=tmp_path, camera=FakeCamera(), game="tonight")


def test_a_full_disk_is_a_banner_on_every_screen_and_a_reason(app_state: AppState) -> None:
    client = create_app(app_state, PageSettings(pin="135790")).test_client()
    health = client.get("/health").json
    assert (health["status"], health["reasons"]) == ("ok", [])
    app_state.checks.append(lambda: ["the disk is full: pictures are not kept, the game is"])
    app_state.signal.notify()
    assert client.get("/health").json["status"] == "degraded"
    for page in ("/", "/tv"):
        assert "The disk is full: pictures are not kept" in client.get(page).text


def test_a_broker_that_is_away_says_how_many_events_wait() -> None:
    assert PublishStatus(connected=True, behind=3).reasons == []
    assert PublishStatus(connected=False, behind=3).reasons == ["the broker cannot be reached; 3 events wait for it"]


def test_a_healthy_machine_gives_no_reason(tmp_path: Path) -> None:
    assert quick_reasons(Machine(data=tmp_path)) == []


def test_one_tap_deletes_every_picture_for_whoever_knows_the_pin(app_state: AppState) -> None:
    deleted = []
    client = create_app(app_state, PageSettings(pin="135790")).test_client()
    signed = {"X-Companion-Pin": "135790"}
    assert client.post("/pictures/delete", headers=signed).status_code == 409, "nothing is kept here"
    app_state.delete_pictures = lambda: deleted.append("all") or 3  # type: ignore[func-returns-value]
    assert client.post("/pictures/delete").status_code in (302, 303, 401, 403)
    assert deleted == []
    assert client.post("/pictures/delete", headers=signed).status_code == 303
    assert deleted == ["all"]
