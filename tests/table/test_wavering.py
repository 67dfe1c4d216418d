"""A tile that reads differently each time gets a question of its own; the rest of the table does not wait for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bench.stand_ins.seen_tables import tile
from bench.stand_ins.sketch import KnowingEye, sketched
from bench.table import watch
from companion.geometry.layout import SeenHalf, SeenTile
from companion.perception.tracks import Looked, TableMemory
from companion.rules.position import Play
from datasets.simulator.camera import SimCamera, SimSettings
from datasets.simulator.lying import Lying
from datasets.simulator.script import Troubles
from tests.shown import state_of
from vision.reading import HalfReading, TileReading

EVERYWHERE = Looked()


def seen(first: int, second: int) -> SeenTile:
    return replace(tile(700.0, 450.0, 0.0, 1, 1), halves=(SeenHalf(first, 0.97), SeenHalf(second, 0.99)))


def test_a_new_tile_read_two_ways_is_unread() -> None:
    memory = TableMemory()
    memory.begin()
    for value in (10, 9, 10, 9):
        memory.see([seen(value, 7)], [], EVERYWHERE, 24.0)
    (one,) = memory.tiles()
    assert one.halves is not None
    assert one.halves[0].value is None
    assert {value for value, _ in one.halves[0].others[:2]} == {9, 10}
    assert one.halves[1].value == 7
    assert not memory.unsettled()


def test_one_reading_of_many_does_not_unread_a_new_tile() -> None:
    memory = TableMemory()
    memory.begin()
    for value in (10, 9, 10, 10):
        memory.see([seen(value, 7)], [], EVERYWHERE, 24.0)
    assert memory.tiles()[0].values == (10, 7)


def test_a_tile_that_has_lain_there_keeps_its_value() -> None:
    memory = TableMemory()
    memory.begin()
    for value in (10, 10, 10):
        memory.see([seen(value, 7)], [], EVERYWHERE, 24.0)
    memory.begin()
    memory.see([seen(9, 7)], [], EVERYWHERE, 24.0)
    assert memory.unsettled()
    memory.keep_known()
    assert memory.tiles()[0].values == (10, 7)
    assert not memory.unsettled()


def test_a_half_that_is_not_read_any_more_keeps_its_value() -> None:
    """A toy stands on it. While its table is still being read the same is a doubt."""
    for begun, told in ((True, (10, 7)), (False, None)):
        memory = TableMemory()
        memory.begin()
        for _ in range(2):
            memory.see([seen(10, 7)], [], EVERYWHERE, 24.0)
        if begun:
            memory.begin()
        for _ in range(3):
            memory.see([unsure(4, 0.5)], [], EVERYWHERE, 24.0)
        assert memory.tiles()[0].values == told


def laid_in(camera: SimCamera) -> list[Play]:
    """All plays so far, including the one now being made."""
    scenes = [filmed.scene for filmed in camera.truth]
    if camera.filming is not None and camera.filming not in scenes:
        scenes.append(camera.filming)
    return [act for scene in scenes for _, act in scene.plays if isinstance(act, Play)]


class WaveringEye(KnowingEye):
    """Reads the outer half of one tile one higher in every other look, and is sure of it each time."""

    @property
    def wavers(self) -> frozenset[int]:
        """The values of the second tile that is laid."""
        plays = laid_in(self.camera)
        return frozenset(plays[1].tile) if len(plays) > 1 else frozenset()

    def _read(self, quad: NDArray[np.float32], lying: Lying) -> TileReading:
        reading = super()._read(quad, lying)
        if not lying.face_up or {lying.laid.inner, lying.laid.outer} != self.wavers or self.looks % 2:
            return reading
        assert reading.halves is not None
        other = HalfReading((lying.laid.outer + 1) % 13, 0.97, ())
        first, second = reading.halves
        # The inner half is known from the train; only the outer one can waver.
        return replace(reading, halves=(other, second) if first.value == lying.laid.outer else (first, other))


@pytest.mark.slow
def test_the_game_goes_on_around_a_wavering_tile(tmp_path: Path) -> None:
    settings = SimSettings(
        rules="reeves", most_scenes=9, troubles=Troubles.none(), hand_frames=3, still_frames=9, show_hands=False
    )
    camera = sketched(3, settings)
    eye = WaveringEye(camera, seed=3, unread=0.0, missed=0.0)
    session, _ = watch(camera, eye, tmp_path / "game.jsonl", flat=True)
    shown = state_of(session)["plays"]
    reasons = [getattr(event, "reason", "") for event in session.events if event.KIND == "unclear"]
    session.close()
    assert any(reason.startswith("unreadable_tile") for reason in reasons)
    assert "the readings disagree" not in reasons
    assert not [finding for play in shown for finding in play.get("violations") or () if finding["certain"]]
    plays = laid_in(camera)
    laid = {(tuple(play["tile"]), play["train"]) for play in shown if play.get("event") == "tile_played"}
    assert laid <= {(tuple(act.tile), act.train) for act in plays}


def unsure(first: int, p: float) -> SeenTile:
    halves = (SeenHalf(None, p, ((first, p),)), SeenHalf(7, 0.99))
    return replace(tile(700.0, 450.0, 0.0, 1, 1), halves=halves)


def test_half_sure_readings_are_no_sure_one() -> None:
    """The other quarter may mean that the half shows no value at all."""
    memory = TableMemory()
    memory.begin()
    for _ in range(4):
        memory.see([unsure(1, 0.75)], [], EVERYWHERE, 24.0)
    (one,) = memory.tiles()
    assert one.halves is not None
    assert one.halves[0].value is None
    assert one.halves[0].p == pytest.approx(0.75, abs=0.01)


def test_one_clear_look_settles_a_half_sure_one() -> None:
    memory = TableMemory()
    memory.begin()
    for tile_now in (unsure(1, 0.75), seen(1, 7), seen(1, 7)):
        memory.see([tile_now], [], EVERYWHERE, 24.0)
    assert memory.tiles()[0].values == (1, 7)


def test_a_tile_laid_on_one_that_was_never_surely_read_is_another() -> None:
    """The wall has come to a tile known by its neighbours only: what is read there now is what was laid on it."""
    memory = TableMemory()
    memory.begin()
    for _ in range(2):
        memory.see([unsure(1, 0.6)], [], EVERYWHERE, 24.0)
    memory.begin()
    memory.under = seen(1, 7)
    memory.see([seen(3, 7)], [], EVERYWHERE, 24.0)
    assert memory.unsettled()
    memory.see([seen(3, 7)], [], EVERYWHERE, 24.0)
    assert memory.tiles()[0].values == (3, 7)
    assert not memory.unsettled()


def test_a_tile_that_nobody_can_read_on_one_that_was_read_is_another() -> None:
    """Where the wall has come to, a reading that leans to another value is no bad look at what lies below."""
    for p, stays in ((0.82, False), (0.5, True)):
        memory = TableMemory()
        memory.begin()
        memory.see([seen(4, 7)], [], EVERYWHERE, 24.0)
        memory.under = seen(4, 7)
        memory.begin()
        hard = replace(seen(4, 7), halves=(SeenHalf(None, p, ((6, p), (4, 0.95 - p))), SeenHalf(7, 0.99)))
        memory.see([hard], [], EVERYWHERE, 24.0)
        assert memory.unsettled() is not stays
        memory.see([hard], [], EVERYWHERE, 24.0)
        (one,) = memory.tiles()
        assert one.halves is not None
        assert (one.halves[0].value == 4) is stays
