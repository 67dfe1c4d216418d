"""The product's watcher over sketched frames, with the desk and the session that it tells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bench.stand_ins.sketch import KnowingEye
from companion.game.game import Game
from companion.log.journal import Journal
from companion.observing.game_sink import GameSink
from companion.perception import Watcher
from companion.perception.attributing import attribution_for
from companion.perception.table_reader import box_of, known_set
from companion.rules.ruleset import load_ruleset
from datasets.simulator.camera import SimCamera
from vision.calibration import Calibration
from vision.settle import Settler


def watching(
    camera: SimCamera, journal: Path, *, arms: bool = False, eye: KnowingEye | None = None
) -> tuple[Game, GameSink, Watcher]:
    """Having seen the first frame, with an eye that errs nowhere; sketched tiles have no height."""
    setup = replace(camera.setup(), tile_mm=(*camera.plan.tile_mm[:2], 0.001))
    first = camera.read()
    assert first is not None and setup.table.corners_px is not None and setup.table.size_mm is not None
    rules = load_ruleset(setup.header.rules)
    session = Game(Journal.create(journal, setup.header), rules)
    known = known_set(setup)
    box = box_of(known)
    sink = GameSink(session, setup, box)
    calibration = Calibration.from_corners(setup.table.corners_px, setup.table.size_mm, 0.001, size_wh=first.size_wh)
    eye = eye or KnowingEye(camera, unread=0.0, missed=0.0)
    seats = attribution_for(setup, off=not arms)
    watcher = Watcher(camera, eye, Settler(), calibration, setup.table_setup(), sink, known=known, arms=seats)  # type: ignore[arg-type]
    watcher.see(first)
    return session, sink, watcher
