"""Somebody taps "Undo", and the tile lies there all the same: nobody is accused of what is laid on it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.stand_ins.seen_tables import tile
from bench.stand_ins.sketch import sketched
from bench.stand_ins.watching import watching
from companion.geometry import Layout, PlacedTile
from companion.geometry.diff import Observation
from companion.log.events import TilePlayed
from companion.observing.unread import laid_after_all
from companion.rules.position import Play, Position
from companion.rules.tile import Laid
from datasets.simulator.camera import SimSettings
from datasets.simulator.script import Troubles
from tests.lanes import nightly

ANN = [PlacedTile(n, tile(100.0 + 50 * n, 100.0, 0.0, a, b)) for n, (a, b) in enumerate([(12, 5), (5, 7), (7, 3)])]
TABLE = Position(12, ("Ann", "Ben"), Laid(12, 12), {"Ann": (Laid(12, 5),)})


def test_what_lies_beneath_a_new_tile_was_laid_before_it() -> None:
    seen = Observation((Play(Laid(7, 3), "Ann"),))
    found = laid_after_all(seen, Layout(trains={"Ann": tuple(ANN)}), TABLE)
    assert found.delta == (Play(Laid(5, 7), "Ann"), Play(Laid(7, 3), "Ann"))
    assert not found.clouded


def test_at_the_end_of_its_train_an_undone_tile_stays_undone() -> None:
    seen = Observation((Play(Laid(12, 9), "Ben"),))
    found = laid_after_all(seen, Layout(trains={"Ann": tuple(ANN[:2])}), TABLE)
    assert found == replace(seen, clouded=True)


def test_what_was_entered_in_place_of_an_undone_tile_counts() -> None:
    told = replace(TABLE, trains={"Ann": (Laid(12, 5), Laid(5, 8))})
    seen = Observation((Play(Laid(7, 3), "Ann"),))
    assert laid_after_all(seen, Layout(trains={"Ann": tuple(ANN)}), told) == seen


@pytest.mark.slow
@pytest.mark.parametrize("after", [4, nightly(9)])
def test_an_undone_play_accuses_nobody(after: int, tmp_path: Path) -> None:
    camera = sketched(
        5, SimSettings(rules="reeves", troubles=Troubles.none(), most_scenes=after + 6, hand_frames=3, still_frames=7)
    )
    session, _, watcher = watching(camera, tmp_path / "game.jsonl")

    def laid() -> list[TilePlayed]:
        return [event for event in session.events if isinstance(event, TilePlayed)]

    while len(laid()) < after:
        assert watcher.step()
    gone = laid()[-1]
    session.undo()
    watcher.run()
    certain = [finding for event in session.events for finding in getattr(event, "violations", ()) if finding.certain]
    assert certain == []
    assert watcher.layout is not None and isinstance(session.position, Position)
    lying = [placed.laid for placed in watcher.layout.trains[gone.train]]
    assert lying[-1] != gone.tile, "the round went on"
    assert list(session.position.trains[gone.train]) == lying, "what is laid on it brings it back"
