"""A marker that is on record and is not to be seen: what hangs on it is uncertain."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from companion.journal import Journal
from companion.observed import Observation
from companion.ruleset import load_ruleset
from companion.session import Session
from companion.tableview import SeenMarker
from companion.tile import Tile
from companion.watch import Watcher
from companion.watch.memory import MarkerTrack
from companion.watch.session_desk import SessionDesk
from companion.watch.start import known_set
from datasets.simulator.camera import SimSettings
from datasets.simulator.script import Troubles
from tests.table.sketch import KnowingEye, sketched
from vision.calibration import Calibration
from vision.settle import Settler


@pytest.mark.parametrize("hidden", [False, True])
def test_what_is_laid_while_a_marker_is_hidden_is_clouded(hidden: bool, tmp_path: Path) -> None:
    camera = sketched(5, SimSettings(rules="reeves", troubles=Troubles.none(), most_scenes=2))
    setup = replace(camera.setup(), tile_mm=(48.0, 24.0, 0.001))
    first = camera.read()
    assert first is not None and setup.corners_px is not None and setup.size_mm is not None
    session = Session(Journal.create(tmp_path / "game.jsonl", setup.header), load_ruleset("reeves"))
    known = known_set(setup)
    box = {Tile(a, b): count for (a, b), count in known.copies.items()}
    desk = SessionDesk(session, load_ruleset("reeves"), setup, box)
    calibration = Calibration.from_corners(setup.corners_px, setup.size_mm, 0.001, size_wh=first.size_wh)
    watcher = Watcher(camera, KnowingEye(camera), Settler(), calibration, setup.table_setup(), desk, known=known)
    seen: list[Observation] = []
    record = desk.record

    def spied(observation: Observation, *rest: object) -> bool:
        seen.append(observation)
        return record(observation, *rest)  # type: ignore[arg-type]

    desk.record = spied  # type: ignore[method-assign, assignment]
    watcher.see(first)
    while watcher.layout is None:
        assert watcher.step()
    watcher.memory.markers.append(MarkerTrack(SeenMarker((20.0, 20.0), 0.9), 4, hidden=hidden))
    watcher.run()
    assert seen and all(observation.clouded == hidden for observation in seen)
