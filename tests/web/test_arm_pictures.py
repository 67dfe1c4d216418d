"""Pictures of arms on the disk: none is added from the moment on that somebody switches looking at arms off."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from bench.stand_ins.fakes import PIN, QUICK
from bench.stand_ins.sketch import KnowingEye, sketched
from companion.app.games import make_app_state
from companion.app.table_service import WatchedTable
from companion.web.access import PinLock
from companion.web.app import PageSettings, create_app
from datasets.simulator.camera import SimSettings
from datasets.simulator.script import Troubles
from tests.shown import state_of

SCENES = 14


class Evening:
    """A sketched round before the product's own watch, frame by frame, and a phone that may change things."""

    def __init__(self, folder: Path) -> None:
        settings = SimSettings(
            rules="reeves", players=3, most_scenes=SCENES, troubles=Troubles.none(), show_hands=False
        )
        camera = sketched(3, settings)
        state = make_app_state(folder)
        self.folder = folder
        self.table = WatchedTable(state, "sim:3", folder, camera=camera, reopen=lambda: camera)  # type: ignore[arg-type]
        self.table._eye.close()
        self.table._eye = KnowingEye(camera, unread=0.0, missed=0.0)  # type: ignore[assignment]
        state.table = self.table
        state.start_game(camera.setup().header.to_json())
        state.follow(self.table._play)
        self.phone: FlaskClient = create_app(state, PageSettings(pin=PIN), PinLock.of(PIN, QUICK)).test_client()
        assert self.phone.post("/api/pin", json={"pin": PIN}).status_code == 200
        self.session = state.session

    def plays(self) -> list[dict]:
        return [line for line in state_of(self.session)["plays"] if line["event"] == "tile_played"]

    def go_on(self, plays: int) -> bool:
        """Until so many tiles are on record; False where the film ends before."""
        while len(self.plays()) < plays:
            if not self.table._step():
                return False
        return True

    def pictures(self) -> tuple[set[str], set[str]]:
        """The names of the pictures of arms on the disk, and of all others."""
        last = self.table._evidence._last
        if last is not None:
            last.result(timeout=60)
        names = {path.name for path in (self.folder / "games").rglob("*.jpg")}
        arms = {name for name in names if "-arm-" in name}
        return arms, names - arms


@pytest.fixture
def evening(tmp_path: Path):
    made = Evening(tmp_path)
    yield made
    made.table._evidence.close()


@pytest.mark.slow
def test_once_it_is_switched_off_no_new_picture_of_an_arm_is_stored(evening: Evening) -> None:
    assert evening.go_on(3)
    arms, others = evening.pictures()
    assert arms and others, "else nothing is shown by this test"
    assert evening.phone.post("/api/seats", json={"arms": False}).get_json() == {"kept": [], "arms": False}
    assert evening.go_on(6)
    later, more = evening.pictures()
    assert later == arms, "no new picture of an arm"
    assert len(more) > len(others), "while the table's own pictures are kept as ever"
    assert all(line.get("arm") is None for line in evening.plays()[4:]), "and nobody is named by one"
    assert evening.phone.post("/api/seats", json={"arms": True}).status_code == 200
    while evening.pictures()[0] == arms and evening.go_on(len(evening.plays()) + 1):
        pass
    assert evening.pictures()[0] > arms, "until somebody switches it on again"
