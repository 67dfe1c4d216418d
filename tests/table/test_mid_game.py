"""Watching begins on a table in play: what lies there is adopted at once, and ruled from there on."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.stand_ins.sketch import in_play
from bench.stand_ins.watching import watching
from companion.log.events import TilePlayed, Unclear
from companion.rules.position import Play
from datasets.simulator.script import Scene
from tests.lanes import nightly


def laid_in(scenes: list[Scene]) -> set[tuple[tuple[int, int], str]]:
    return {(tuple(act.tile), act.train) for scene in scenes for _, act in scene.plays if isinstance(act, Play)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "rules", "hub"),
    [nightly(82, "poltava", False), (83, "reeves", True)],
)
def test_a_table_in_play_is_adopted_and_nobody_accused(seed: int, rules: str, hub: bool, tmp_path: Path) -> None:
    camera = in_play(seed, rules, most_scenes=4, hub=hub)
    session, _, watcher = watching(camera, tmp_path / "game.jsonl")
    lying = laid_in(camera.before)
    assert len(lying) > 3
    for _ in range(8):
        watcher.step()
    assert {(tuple(e.tile), e.train) for e in session.events if isinstance(e, TilePlayed)} == lying
    watcher.run()
    shown = {(tuple(e.tile), e.train) for e in session.events if isinstance(e, TilePlayed)}
    assert shown == lying | laid_in([filmed.scene for filmed in camera.truth])
    certain = [found for event in session.events for found in getattr(event, "violations", ()) if found.certain]
    assert certain == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [nightly(44000), 44001])
def test_a_wall_in_play_is_taken_over_with_the_next_tile(seed: int, tmp_path: Path) -> None:
    """The tiles on top are on record, the buried ones are not, and every later tile has its player. Nobody can say
    whose turn it was. Where others are buried between two tiles, these need not meet: nobody is accused or asked."""
    camera = in_play(seed, "jielong", most_scenes=5)
    session, _, watcher = watching(camera, tmp_path / "game.jsonl")
    assert sum(isinstance(act, Play) for scene in camera.before for _, act in scene.plays) > 8
    watcher.run()
    shown = [(tuple(e.tile), e.by) for e in session.events if isinstance(e, TilePlayed)]
    later = [
        (tuple(act.tile), player)
        for filmed in camera.truth
        for player, act in filmed.scene.plays
        if isinstance(act, Play)
    ]
    assert len(later) >= 2
    assert [tile for tile, _ in shown[8:]] == [tile for tile, _ in later]
    assert shown[9:] == later[1:]
    assert shown[8][1] in (None, later[0][1])
    assert [by for _, by in shown[:8]] == [None] * 8
    assert [found for event in session.events for found in getattr(event, "violations", ())] == []
    assert not any(isinstance(event, Unclear) for event in session.events)
