"""Where the game asks the watcher to look once more, and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.stand_ins.sketch import sketched
from bench.stand_ins.watching import watching
from companion.game.game import Game
from companion.geometry.diff import Observation
from companion.log.events import TilePlayed
from companion.observing.game_sink import GameSink
from companion.perception.settings import (
    EQUAL_READINGS,
    SURE_READINGS,
    LookAgain,
    LookReason,
    TableReading,
    Where,
)
from companion.perception.setup_file import setup_from_json
from companion.rules.notation import Drawing, parse_delta
from companion.rules.position import Play
from companion.rules.tile import Laid, Tile, double_set
from datasets.bots.watching import table_change
from datasets.simulator.camera import SimSettings
from datasets.simulator.script import Troubles
from vision.frame import Frame


@pytest.fixture
def sink(tmp_path: Path) -> GameSink:
    setup = setup_from_json({"rules": "reeves", "set": "double-12", "players": ["Ann", "Ben"]})
    session = Game.create(tmp_path / "game.jsonl", setup.header)
    session.start_round((12, 12), "Ann")
    session.observe(table_change(parse_delta(["+12-1@Ann"])))
    session.observe(table_change(parse_delta(["+12-2@Ben"])))
    return GameSink(session, setup, dict.fromkeys(double_set(12), 1))


def test_a_legal_play_is_taken_as_it_is_seen(sink: GameSink) -> None:
    assert sink.look_again(Observation((Play(Laid(1, 5), "Ann"),))) == ()
    assert sink.look_again(Observation()) == ()


def test_where_no_legal_play_explains_it_every_place_is_looked_at_again(sink: GameSink) -> None:
    again = sink.look_again(Observation((Play(Laid(3, 5), "Ann"),)))
    assert again == tuple(LookAgain(where, LookReason.NO_LEGAL_PLAY) for where in Where)


def test_a_tile_that_is_not_read_is_looked_at_as_long_as_what_is_asked_about() -> None:
    laid = Play(Laid(1, 5), "Ann")
    reading = TableReading(Frame(np.zeros((4, 4, 3), np.uint8), 0.0, "frame"), None, ())
    assert reading.needed(Observation((laid,)), ()) == EQUAL_READINGS
    assert reading.needed(Observation((laid,), given=frozenset({laid})), ()) == SURE_READINGS
    assert (
        Observation((laid,), given=frozenset({laid})).key
        == replace(Observation((Play(Laid(1, 6), "Ann"),)), given=frozenset({Play(Laid(1, 6), "Ann")})).key
    ), "which one it most likely is may waver"
    assert Observation((laid,)).key != Observation((Play(Laid(1, 6), "Ann"),)).key


def test_after_a_draw_a_marker_is_looked_for(sink: GameSink) -> None:
    assert sink.look_again(Observation((Drawing(1),))) == (
        LookAgain(Where.BESIDE_THE_TRAINS, LookReason.MARKER_MAY_BE_DUE),
    )


def test_what_may_end_the_round_is_compared_with_the_rest_of_the_table(tmp_path: Path) -> None:
    setup = setup_from_json({"rules": "jielong", "set": "chinese", "players": ["Ann", "Ben", "Cy", "Dee"]})
    session = Game.create(tmp_path / "game.jsonl", setup.header)
    session.start_round(starter="Ann")
    sink = GameSink(session, setup, {})
    left = sum(session.position.hands.values())
    laid = tuple(Play(Laid(1, 1), "R") for _ in range(left))
    assert LookAgain(Where.THE_REST, LookReason.ROUND_MAY_END) in sink.look_again(Observation(laid, adopted=True))
    shown = Observation(hands={"Ann": (Tile(1, 1),)})
    assert sink.look_again(shown) == (LookAgain(Where.THE_REST, LookReason.ROUND_MAY_END),), (
        "a hand may lie there half turned"
    )


def test_the_first_way_without_a_broken_rule_is_the_likeliest(sink: GameSink) -> None:
    odd, even = Observation((Play(Laid(3, 5), "Ann"),)), Observation((Play(Laid(1, 5), "Ann"),))
    assert sink.likeliest([odd, even]) == 1
    assert sink.likeliest([even, odd]) == 0
    assert sink.likeliest([odd, odd]) == 0


def test_what_people_leave_no_time_to_look_at_again_is_recorded_in_passing(tmp_path: Path) -> None:
    """Where no legal play explains a change, the game asks for four looks, but each still table lasts for three. The
    tile that they agree on is on record with its player before the next one comes, and no fault is certain."""
    settings = SimSettings(
        rules="tactic", players=2, plant=("MISMATCH",), plants=2, plant_rate=0.5, troubles=Troubles.none(),
        hand_frames=2, still_frames=4, most_scenes=8, boneyard_spread=True, show_hands=False,
    )  # fmt: skip
    camera = sketched(5, settings)
    session, _, watcher = watching(camera, tmp_path / "game.jsonl")
    watcher.run()
    turns = [turn for filmed in camera.truth for turn in filmed.scene.turns]
    laid = [(turn.player, act.tile) for turn in turns for act in turn.actions if isinstance(act, Play)]
    plays = [line.event for line in session.scoreboard.lines if isinstance(line.event, TilePlayed)]
    assert [(play.by, play.tile) for play in plays] == laid
    found = [finding for play in plays for finding in play.violations]
    assert [(finding.code, finding.certain) for finding in found] == 2 * [("MISMATCH", False)]
