"""Seats that cannot be, or that are not so: one line or one question, no name by an arm, and everything else works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins.sketch import KnowingEye, sketched
from companion.game.game import Game
from companion.observing.game_sink import GameSink
from companion.perception import Watcher
from companion.perception.attributing import attribution_for
from companion.perception.table_reader import box_of, first_calibration, known_set
from companion.rules.position import Play
from datasets.simulator.camera import SimSettings
from datasets.simulator.script import Troubles
from tests.shown import state_of
from vision.settle import Settler

SETTINGS = SimSettings(
    rules="reeves", players=3, troubles=Troubles.none(), hand_frames=4, still_frames=7, show_hands=False
)


def watched(folder: Path, seats: Mapping[str, str | float], scenes: int = 6) -> tuple[Game, Watcher]:
    """So much of a sketched round with these seats (a name: where that player sits), every tile of it on record."""
    camera = sketched(3, replace(SETTINGS, most_scenes=scenes))
    setup = camera.setup()
    true = {**setup.stations, **setup.seats}
    said = {name: true[seat] if isinstance(seat, str) else seat for name, seat in seats.items()}
    setup = replace(setup, tile_mm=(*setup.tile_mm[:2], 0.001), seats={**setup.seats, **said})
    session = Game.create(folder / "g.jsonl", setup.header)
    known = known_set(setup)
    box = box_of(known)
    eye = KnowingEye(camera, unread=0.0, missed=0.0)
    first = camera.read()
    assert first is not None
    calibration = first_calibration(first, setup, eye)
    sink = GameSink(session, setup, box)
    arms = attribution_for(setup)
    watcher = Watcher(camera, eye, Settler(), calibration, setup.table_setup(), sink, known=known, arms=arms)
    watcher.see(first)
    watcher.run()
    laid = [act for filmed in camera.truth for _, act in filmed.scene.plays if isinstance(act, Play)]
    assert len(tiles(session)) == len(laid) > 4, "whatever the seats, everything else works"
    return session, watcher


def tiles(session: Game) -> list[Mapping[str, Any]]:
    return [line for line in state_of(session)["plays"] if line["event"] == "tile_played"]


def certain(session: Game) -> list[str]:
    plays = state_of(session)["plays"]
    return [found["code"] for line in plays for found in line["violations"] if found.get("certain", True)]


@pytest.mark.slow
def test_with_the_right_seats_nothing_is_asked_and_arms_name(tmp_path: Path) -> None:
    session, watcher = watched(tmp_path, {})
    assert watcher.arms.trouble is None and not session.questions
    assert sum("arm" in line for line in tiles(session)) > len(tiles(session)) / 2


@pytest.mark.slow
def test_two_on_one_seat_are_said_in_one_line(tmp_path: Path) -> None:
    session, watcher = watched(tmp_path, {"Ben": "Ann"})
    line = watcher.arms.trouble
    assert line is not None and "Ann and Ben sit in one place" in line and "\n" not in line
    assert not any("arm" in one for one in tiles(session)) and not session.questions and certain(session) == []


@pytest.mark.slow
def test_seats_that_contradict_what_is_seen_are_asked_about_once(tmp_path: Path) -> None:
    session, watcher = watched(tmp_path, {"Ann": "Ben", "Ben": "Ann"}, scenes=16)
    asked = [line.to_json() for line in session.events if line.KIND == "unclear"]
    assert [line["reason"].split(":")[0] for line in asked] == ["seats"], "once"
    trouble = watcher.arms.trouble
    assert trouble is not None and "should sit, so arms name nobody" in trouble and "\n" not in trouble
    after = [one for one in tiles(session) if one["seq"] > asked[0]["seq"]]
    assert after and not any("arm" in one for one in after), "from then on no arm names anybody"
    assert certain(session) == []
