"""A marker that is on record and is not to be seen: what hangs on it is uncertain."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.stand_ins.sketch import sketched
from bench.stand_ins.watching import watching
from companion.geometry.diff import Observation
from companion.geometry.layout import SeenMarker
from companion.perception.tracks import MarkerTrack
from datasets.simulator.camera import SimSettings
from datasets.simulator.script import Troubles


@pytest.mark.slow
@pytest.mark.parametrize("hidden", [False, True])
def test_what_is_laid_while_a_marker_is_hidden_is_clouded(hidden: bool, tmp_path: Path) -> None:
    camera = sketched(5, SimSettings(rules="reeves", troubles=Troubles.none(), most_scenes=2))
    _, sink, watcher = watching(camera, tmp_path / "game.jsonl")
    seen: list[Observation] = []
    record = sink.record

    def spied(observation: Observation, *rest: object) -> bool:
        seen.append(observation)
        return record(observation, *rest)  # type: ignore[arg-type]

    sink.record = spied  # type: ignore[method-assign, assignment]
    while watcher.layout is None:
        assert watcher.step()
    watcher.memory.markers.append(MarkerTrack(SeenMarker((20.0, 20.0), 0.9), 4, hidden=hidden))
    watcher.run()
    assert seen and all(observation.clouded == hidden for observation in seen)
