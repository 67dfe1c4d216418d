"""A reading that something breaks off: what was read of it counts for nothing, and its places are read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.stand_ins.sketch import sketched
from bench.stand_ins.watching import watching
from datasets.simulator.camera import SimSettings
from datasets.simulator.script import Troubles
from vision.frame import Frame
from vision.settle import SettleState, TableState

HERE, THERE = (100, 100, 220, 220), (500, 400, 640, 520)


def due(region: tuple[int, int, int, int]) -> SettleState:
    return SettleState(TableState.READING, True, (region,))


@pytest.mark.slow
def test_a_hand_that_moves_on_slowly_does_not_become_the_table_as_it_was(tmp_path: Path) -> None:
    """Two pictures of it in a row look still; the reference to go back to is the one before both."""
    camera = sketched(5, SimSettings(rules="reeves", troubles=Troubles.none(), most_scenes=2))
    _, _, watcher = watching(camera, tmp_path / "game.jsonl")
    while watcher.layout is None:
        assert watcher.step()
    still = camera.read()
    assert still is not None
    before, known = watcher.settler._reference, watcher.memory.readings
    for n, region in enumerate((HERE, THERE)):
        frame = Frame(still.image, still.at, f"slow {n}")
        watcher.settler.see(frame)
        watcher._begin(frame, due(region), None)
    assert watcher.memory.known == known, "what the first picture showed is still new"
    assert watcher._reading is not None and watcher._reading.regions is not None
    for x0, y0, x1, y1 in (HERE, THERE):
        assert any(a <= x0 and b <= y0 and x1 <= c and y1 <= d for a, b, c, d in watcher._reading.regions)
    watcher.settler.not_done()
    assert watcher.settler._reference is before
