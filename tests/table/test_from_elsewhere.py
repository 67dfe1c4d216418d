"""Photographs of one table taken by hand, each from another place: its tiles tell where the table is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from bench.stand_ins.seen_tables import tile
from bench.stand_ins.sketch import SketchFilm
from bench.stand_ins.watching import watching
from companion.game.game import Game
from companion.geometry.layout import SeenTile
from companion.log.events import TilePlayed
from companion.perception.settings import CameraNews
from companion.perception.table_reader import LEAST_TILES, may_be_where_it_was, seen_from_elsewhere
from companion.perception.watcher import ELSEWHERE
from companion.rules.position import Play
from datasets.simulator.camera import SimCamera, SimSettings
from datasets.simulator.film import FilmSettings
from datasets.simulator.script import Troubles
from datasets.simulator.tabletop import TableTop
from tests.shown import state_of
from vision.calibration import Calibration
from vision.reading import HalfReading, PictureReading, TileReading

SIZE_WH, TABLE_MM = (1600, 1200), (1000.0, 750.0)
KNOWN = Calibration.from_corners([(200, 150), (1400, 150), (1400, 1050), (200, 1050)], TABLE_MM, 0.0, size_wh=SIZE_WH)
OTHER = Calibration.from_corners([(320, 240), (1330, 130), (1500, 1100), (150, 930)], TABLE_MM, 0.0, size_wh=SIZE_WH)


def lying(count: int = 9) -> list[SeenTile]:
    rng = np.random.default_rng(count)
    values = [(a, b) for a in range(7) for b in range(a + 1, 7)]
    return [
        tile(150.0 + 220 * (n % 4), 120.0 + 200 * (n // 4), float(rng.uniform(0, 360)), *values[n])
        for n in range(count)
    ]


def seen(tiles: Sequence[SeenTile], calibration: Calibration, noise_px: float = 0.8) -> PictureReading:
    """The eye's reading of these tiles through a camera; it finds every second one the other way round."""
    rng, found = np.random.default_rng(5), []
    for n, one in enumerate(tiles):
        along = np.array([np.cos(np.radians(one.heading_deg)), np.sin(np.radians(one.heading_deg))])
        across = np.array([-along[1], along[0]]) * one.width_mm / 2
        a, b = np.array(one.end_mm(0)), np.array(one.end_mm(1))
        quad = calibration.to_px([a + across, a - across, b - across, b + across]) + rng.normal(0, noise_px, (4, 2))
        assert one.values is not None
        halves = [HalfReading(value, 0.99) for value in one.values]
        if n % 2:
            quad, halves = np.roll(quad, 2, axis=0), halves[::-1]
        found.append(TileReading(quad.astype(np.float32), "up", (halves[0], halves[1]), 0.9))
    return PictureReading(SIZE_WH, tuple(found))


def off_mm(found: Calibration, true: Calibration) -> float:
    """How far apart the two put what lies on the table, at most."""
    w, h = TABLE_MM
    places = np.array([(x, y) for x in (0.0, w / 2, w) for y in (0.0, h / 2, h)])
    return float(np.linalg.norm(found.to_mm(true.to_px(places)) - places, axis=1).max())


def test_a_camera_that_stands_still_is_left_where_it_is() -> None:
    assert seen_from_elsewhere(seen(lying(), KNOWN), lying(), KNOWN) is KNOWN


def test_the_table_is_found_from_another_place_whatever_else_has_changed() -> None:
    before, now = lying(12), lying(12)
    now[3] = replace(now[3], center_mm=(500.0, 690.0))  # this one was moved
    now = [*now[:10], tile(880.0, 680.0, 30.0, 9, 7)]  # two are gone, one is new
    found = seen_from_elsewhere(seen(now, OTHER), before, KNOWN)
    assert found is not None and off_mm(found, OTHER) < 6.0


def test_tiles_of_which_there_are_two_say_nothing() -> None:
    twice = [*lying(), tile(900.0, 650.0, 0.0, 0, 1)]
    found = seen_from_elsewhere(seen(twice, OTHER), twice, KNOWN)
    assert found is not None and off_mm(found, OTHER) < 6.0


@pytest.mark.parametrize("again", ["too few", "another round"])
def test_where_nothing_is_found_again_nothing_is_guessed(again: str) -> None:
    few = lying(LEAST_TILES - 1) if again == "too few" else [replace(one, heading_deg=90.0) for one in lying()[::-1]]
    if again == "another round":
        few = [replace(one, center_mm=other.center_mm) for one, other in zip(few, lying(), strict=True)]
    assert seen_from_elsewhere(seen(few, OTHER), lying(), KNOWN) is None
    assert not may_be_where_it_was(seen(lying(), closer := from_closer()), KNOWN, 48.0)
    assert may_be_where_it_was(seen(lying(), closer), closer, 48.0)


def from_closer() -> Calibration:
    corners = [(-400, -300), (2000, -300), (2000, 1500), (-400, 1500)]
    return Calibration.from_corners(corners, TABLE_MM, 0.0, size_wh=SIZE_WH)


class HeldSketch(SketchFilm):
    """Every photograph but the first is taken from another place."""

    photographs = 0

    def develop(self, table: TableTop) -> None:
        HeldSketch.photographs += 1
        super().develop(table)

    def to_px(self, points: NDArray[np.float64], bumped: bool = True) -> NDArray[np.float64]:
        straight = super().to_px(points, bumped)
        if not bumped or HeldSketch.photographs <= 1:
            return straight
        w, h = self.settings.size_wh
        rng = np.random.default_rng(HeldSketch.photographs)
        corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
        inwards = (np.array([w, h]) / 2 - corners) * rng.uniform(0.0, 0.18, (4, 2))
        held = cv2.getPerspectiveTransform(corners, (corners + inwards).astype(np.float32))
        return np.asarray(cv2.perspectiveTransform(straight[None].astype(np.float64), held)[0], np.float64)


def photographed(seed: int, film: type[SketchFilm] = HeldSketch) -> SimCamera:
    """A round that is in play already, a photograph a change."""
    settings = SimSettings(
        rules="reeves",
        troubles=Troubles.none(),
        arms=False,
        hand_frames=0,
        still_frames=1,
        show_hands=False,
        last_scenes=7,
        film=FilmSettings(size_wh=(960, 720), noise=1.0, flicker=0.002),
    )
    HeldSketch.photographs = 0
    camera = SimCamera(seed, settings, film=film)
    camera.stills = True
    return camera


@pytest.mark.slow
@pytest.mark.parametrize("seed", (41,))
def test_a_round_photographed_by_hand_is_recorded_as_from_a_stand(seed: int, tmp_path: Path) -> None:
    camera = photographed(seed)
    session, _, watcher = watching(camera, tmp_path / "game.jsonl")
    before = {
        (tuple(act.tile), act.train) for scene in camera.before for _, act in scene.plays if isinstance(act, Play)
    }
    watcher.run()
    laid = {
        (tuple(act.tile), act.train): filmed.frame
        for filmed in camera.truth
        for _, act in filmed.scene.plays
        if isinstance(act, Play)
    }
    told = {(tuple(e.tile), e.train): e.frame for e in session.events if isinstance(e, TilePlayed)}
    assert len(laid) > 3 and set(told) == set(laid) | before
    assert {play: told[play] for play in laid} == laid, "each from its own photograph"
    assert not [found for e in session.events for found in getattr(e, "violations", ()) if found.certain]
    stand, _, stands = watching(photographed(seed, SketchFilm), tmp_path / "stand.jsonl")
    stands.run()
    assert record(session) == record(stand), "who played, marked and passed as well"


def record(session: Game) -> list[tuple[object, ...]]:
    return [tuple(line.get(name) for name in ("event", "by", "tile", "train")) for line in state_of(session)["plays"]]


@pytest.mark.slow
def test_a_photograph_of_which_nobody_knows_where_it_was_taken_is_not_read(tmp_path: Path) -> None:
    camera = photographed(41)
    news: list[CameraNews] = []
    session, _, watcher = watching(camera, tmp_path / "game.jsonl")
    watcher.publish = news.append
    while watcher.layout is None and watcher.step():
        pass
    seq = session.seq
    watcher.reader.memory.tracks[:] = watcher.reader.memory.tracks[: LEAST_TILES - 1]
    watcher.reader.calibration = from_closer()
    watcher.step()
    assert [one.detail for one in news if one.state == "lost"] == [ELSEWHERE]
    assert session.seq == seq
