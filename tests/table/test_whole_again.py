"""A table that lies still is looked at as a whole again: what changed unnoticed is found, and nothing is made up."""

from __future__ import annotations

import pytest

from bench.blind import WITHIN_S, BlindSettler, blind_round
from bench.stand_ins.sketch import SMALL
from companion.perception import watcher as watching
from companion.perception.settings import LookAgain, LookReason, Where
from companion.rules.notation import print_change
from companion.rules.position import Play
from datasets.simulator.camera import Filmed, SimSettings
from datasets.simulator.script import Troubles
from tests.lanes import nightly
from tests.table.test_watch import SHORT, seat_a_watcher


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "rules", "scenes"), [(9911, "reeves", 4), nightly(9912, "kkori", 5)])
def test_a_play_that_nothing_shows_is_on_record_within_ten_seconds(seed: int, rules: str, scenes: int) -> None:
    told = blind_round(seed, rules, scenes=scenes, share=0.3, size_wh=SMALL)
    assert told.late_s
    assert all(late is not None and late <= WITHIN_S for late in told.late_s)
    assert (told.missed, told.invented, told.taken_back, told.accused) == (0, 0, 0, ())


@pytest.mark.slow
@pytest.mark.parametrize("stern", [False, True])
def test_the_rest_of_the_table_is_looked_at_where_the_game_asks(stern: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = SimSettings(rules="reeves", troubles=Troubles.none(), most_scenes=3, **{**SHORT, "still_frames": 14})
    camera, watcher, sink, _, _ = seat_a_watcher(9941, settings, unread=0.0, missed=0.0)
    watcher.settler = BlindSettler(camera, frozenset({1}))
    monkeypatch.setattr(watching, "WHOLE_AFTER", 10**9)
    monkeypatch.setattr(watcher.reader, "recoloured", lambda frame: ())
    again = (LookAgain(Where.THE_REST, LookReason.NO_LEGAL_PLAY),) if stern else ()
    monkeypatch.setattr(sink, "look_again", lambda observation: again if observation.laid else ())
    watcher.run()
    unnoticed = {f"+{act.tile.inner}-{act.tile.outer}@{act.train}" for act in plays_of(camera.truth[1])}
    seen = {print_change(change) for _, observation in sink.records for change in observation.delta}
    assert unnoticed
    assert (unnoticed <= seen) is stern


def plays_of(filmed: Filmed) -> list[Play]:
    return [act for _, act in filmed.scene.plays if isinstance(act, Play)]


@pytest.mark.slow
def test_what_a_look_overlooks_where_nothing_changed_has_not_gone() -> None:
    told = blind_round(9931, "poltava", scenes=4, share=0.2, missed=0.05, size_wh=SMALL)
    assert (told.missed, told.invented, told.taken_back, told.accused) == (0, 0, 0, ())
