"""Backs that are none: where they go nobody draws, and they do not stop the draws from being seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from companion.geometry import Layout
from companion.perception.back_count import BackCount
from datasets.simulator.camera import SimCamera, SimSettings
from datasets.simulator.script import Troubles
from tests.table.sketch import KnowingEye, SketchFilm, sketched
from tests.table.watching import watching
from vision.reading import PictureReading, TileReading

SETTINGS = SimSettings(rules="poltava", players=4, troubles=Troubles.none(), show_hands=False, most_scenes=14)


class SeesOneMore(KnowingEye):
    """Takes something in a corner of the table for a back, while `sees` says so of the number of scenes so far."""

    def __init__(self, camera: SimCamera, sees: Callable[[int], bool]) -> None:
        super().__init__(camera, unread=0.0, missed=0.0)
        self.sees = sees

    def look_again(
        self, image: object, regions: Sequence[tuple[int, int, int, int]], tile_length_px: float, known: object = None
    ) -> PictureReading:
        found = super().look_again(image, regions, tile_length_px, known)  # type: ignore[arg-type]
        film = self.camera.film
        assert isinstance(film, SketchFilm)
        if not self.sees(len(self.camera.truth)):
            return found
        corners = np.array([[30.0, 54.0], [30.0, 30.0], [78.0, 30.0], [78.0, 54.0]])
        more = TileReading(film.to_px(corners).astype(np.float32), "down", None, 0.95)
        return replace(found, tiles=(*found.tiles, more))


def draws(folder: Path, sees: Callable[[int], bool]) -> tuple[int, int]:
    """How many tiles were drawn in the round, and how many draws are on record."""
    camera = sketched(3, SETTINGS)
    session, _, watcher = watching(camera, folder / "g.jsonl", eye=SeesOneMore(camera, sees))
    watcher.run()
    true = sum(str(act) == "Draw()" for filmed in camera.truth for _, act in filmed.scene.plays)
    plays = session.snapshot()["plays"]
    return true, sum(one["event"] == "drew" and not one.get("withdrawn") for one in plays)


@pytest.mark.slow
def test_one_back_too_many_at_the_start_does_not_stop_draws_from_being_seen(tmp_path: Path) -> None:
    true, recorded = draws(tmp_path, lambda scenes: scenes < 6)
    assert true > 2, "else nothing is shown by this test"
    assert recorded == true


def test_no_more_backs_lie_there_than_can() -> None:
    backs = BackCount(30)
    one_more = backs.real(Layout(boneyard=31), Layout(boneyard=30))
    assert one_more.boneyard == 30
    backs.settled(Layout(boneyard=30), one_more)
    drawn = backs.real(Layout(boneyard=29), one_more)
    backs.settled(one_more, drawn)
    assert (drawn.boneyard, backs.most) == (29, 29)


def test_where_nobody_knows_how_many_there_are_all_count() -> None:
    backs = BackCount()
    assert backs.real(Layout(boneyard=31), Layout(boneyard=30)).boneyard == 31
    backs.settled(Layout(boneyard=30), Layout(boneyard=31))
    assert backs.most is None
    assert BackCount(30).real(Layout(boneyard=None), None).boneyard is None
