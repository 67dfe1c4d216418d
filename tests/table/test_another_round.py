"""A table that was cleared before its round was scored: one question, no false play, and the next round goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bench.stand_ins.seen_tables import tile
from bench.stand_ins.sketch import KnowingEye, sketched
from companion.game.game import Game
from companion.geometry import Layout, PlacedTile
from companion.log.event_fields import Header
from companion.log.events import RoundStarted, TilePlayed, Unclear
from companion.log.journal import Journal
from companion.observing.game_sink import GameSink
from companion.observing.next_round import NextRoundWatch
from companion.perception import Watcher
from companion.perception.table_reader import box_of, known_set
from companion.rules.notation import Vanishing
from companion.rules.position import Play
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from datasets.bots.watching import table_change
from datasets.simulator.camera import SimSettings
from datasets.simulator.script import Troubles
from tests.lanes import nightly
from tests.shown import state_of
from tests.table.evening import SketchedEvening
from vision.calibration import Calibration
from vision.settle import Settler


class Evening:
    """Two rounds, the first of which nobody ends; `page`: somebody could answer."""

    def __init__(
        self, folder: Path, *, game: str = "reeves", scenes: int = 4, clearing: Sequence[float] = (), page: bool = True
    ) -> None:
        settings = SimSettings(rules=game, troubles=Troubles.none(), most_scenes=scenes, hand_frames=3, still_frames=7)
        self.rounds = [sketched(5001, replace(settings, number=number)) for number in (1, 2)]
        self.camera = SketchedEvening(self.rounds, clearing)
        setup = replace(self.camera.setup(), tile_mm=(*self.camera.plan.tile_mm[:2], 0.001))
        first = self.camera.read()
        assert first is not None and setup.table.corners_px is not None and setup.table.size_mm is not None
        rules, known = load_ruleset(game), known_set(setup)
        self.session = Game(Journal.create(folder / "game.jsonl", setup.header), rules)
        box = box_of(known)
        sink = GameSink(self.session, setup, box, asks=page)
        place = Calibration.from_corners(setup.table.corners_px, setup.table.size_mm, 0.001, size_wh=first.size_wh)
        eye = KnowingEye(self.camera, unread=0.0, missed=0.0)  # type: ignore[arg-type]
        table = setup.table_setup()
        self.watcher = Watcher(self.camera, eye, Settler(), place, table, sink, known=known)  # type: ignore[arg-type]
        self.watcher.see(first)

    def until_asked(self) -> Unclear:
        """Go on until something is asked."""
        while not self.session.questions:
            assert self.watcher.step(), "nothing was asked"
        (question,) = self.session.questions
        return question

    def to_the_end(self) -> None:
        self.watcher.run()

    def asked(self) -> list[str]:
        return [event.reason for event in self.session.events if isinstance(event, Unclear)]

    def assert_second_round(self) -> None:
        """The second round lies on record as it was played, and nobody is accused of anything."""
        begun = [event for event in self.session.events if isinstance(event, RoundStarted)]
        assert [(event.round, event.engine) for event in begun][1:] == [(2, self.rounds[1].round.engine)]
        made = [act for filmed in self.rounds[1].truth for _, act in filmed.scene.plays if isinstance(act, Play)]
        plays = [play for play in state_of(self.session)["plays"] if play["event"] == "tile_played"]
        assert Counter((tuple(play["tile"]), play["train"]) for play in plays) == Counter(
            (tuple(act.tile), act.train) for act in made
        )
        assert not any(finding.certain for _, finding in self.session.scoreboard.violations)

    def plays(self) -> int:
        return sum(isinstance(event, TilePlayed) for event in self.session.events)


LAID = {"Ann": [(12, 5), (5, 7), (7, 3)], "Ben": [(12, 9), (9, 4)]}


def _tiles_at(y: float) -> tuple[PlacedTile, ...]:
    laid = [halves for row in LAID.values() for halves in row]
    return tuple(PlacedTile(n, tile(100.0 + 60 * n, y, 0.0, *halves)) for n, halves in enumerate(laid))


def _playing(folder: Path) -> NextRoundWatch:
    session = Game.create(folder / "game.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    session.start_round((12, 12), "Ann", draws_seen=False)
    session.observe(table_change([Play(Laid(*halves), name) for name, row in LAID.items() for halves in row]))
    return NextRoundWatch(session, lambda frame: frame, 2)


def test_trains_that_lost_their_hub_are_no_cleared_table(tmp_path: Path) -> None:
    another = _playing(tmp_path)
    assert not another.is_cleared(Layout(trains={"Ann": (), "Ben": ()}, loose=_tiles_at(400.0)))
    assert another.is_cleared(Layout(trains={"Ann": (), "Ben": ()}))


def test_a_tile_or_two_taken_back_are_no_cleared_table(tmp_path: Path) -> None:
    placed = _tiles_at(400.0)
    another = _playing(tmp_path)
    assert not another.is_cleared(Layout(trains={"Ann": placed[:3], "Ben": ()}))
    assert another.is_cleared(Layout(trains={"Ann": placed[:1], "Ben": ()}))


def test_tiles_taken_off_one_after_the_other_are_a_cleared_table(tmp_path: Path) -> None:
    another, gone = _playing(tmp_path), []
    for halves, name in (((7, 3), "Ann"), ((9, 4), "Ben")):
        gone.append(Vanishing(Laid(*halves), name))
        another._session.observe(table_change(gone[-1:]))
    placed = _tiles_at(400.0)
    assert not another.is_cleared(Layout(trains={"Ann": placed[:2], "Ben": placed[3:4]}))
    assert another.is_cleared(Layout(trains={"Ann": placed[:2], "Ben": ()}))
    assert not another.is_cleared(Layout(trains={"Ann": placed[:2], "Ben": ()}, loose=placed[4:]))
    another._session.observe(table_change([Play(Laid(9, 6), "Ben")]))
    assert not another.is_cleared(Layout(trains={"Ann": placed[:2], "Ben": ()})), "they play on"


@pytest.mark.slow
@pytest.mark.parametrize("clearing", [nightly((0.6, 0.2)), (0.0,)], ids=["in steps", "bare in between"])
def test_where_nobody_answers_the_next_round_begins_without_points(clearing: tuple[float, ...], tmp_path: Path) -> None:
    evening = Evening(tmp_path, clearing=clearing)
    evening.to_the_end()
    assert [reason for reason in evening.asked() if reason != "several_stories"] == ["new_round: 1", "no_points: 1"]
    assert [question.reason for question in evening.session.questions] == ["no_points: 1"]
    assert max(Counter(evening.asked()).values()) == 1, "no question stands twice"
    assert [sheet.how for sheet in evening.session.scoreboard.rounds] == ["abandoned", None]
    assert not evening.session.scoreboard.rounds[0].scores
    evening.assert_second_round()


@pytest.mark.slow
def test_a_line_that_was_cleared_makes_room_for_the_next_rounds(tmp_path: Path) -> None:
    evening = Evening(tmp_path, game="jielong", scenes=6)
    evening.to_the_end()
    assert evening.asked() == ["new_round: 1", "no_points: 1"]
    evening.assert_second_round()


@pytest.mark.slow
def test_a_new_round_without_points_begins_with_the_answer(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    question = evening.until_asked()
    assert question.reason == "new_round: 1"
    before = evening.plays()
    evening.session.answer(question.seq, 0)
    while evening.session.phase != "playing" or state_of(evening.session)["round"] == 1:
        assert evening.watcher.step()
    assert evening.plays() == before, "it begins with its engine, before anybody has played"
    evening.to_the_end()
    assert evening.asked() == ["new_round: 1"]
    evening.assert_second_round()


@pytest.mark.slow
def test_the_points_that_are_entered_count_and_answer_the_question(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.until_asked()
    players = evening.session.header.players
    points = {name: 10 * n for n, name in enumerate(players)}
    evening.session.enter_scores(points, out=players[0])
    evening.to_the_end()
    assert evening.asked() == ["new_round: 1"] and not evening.session.questions
    assert state_of(evening.session)["totals"] == points
    evening.assert_second_round()


@pytest.mark.slow
def test_without_a_page_nobody_is_waited_for_and_points_can_be_entered_later(tmp_path: Path) -> None:
    evening = Evening(tmp_path, page=False)
    evening.to_the_end()
    assert evening.asked() == ["no_points: 1"]
    evening.assert_second_round()
    assert [question.reason for question in evening.session.questions] == ["no_points: 1"]
    players = evening.session.header.players
    points = {name: 10 * n for n, name in enumerate(players)}
    turn = state_of(evening.session)["turn"]
    evening.session.enter_scores(points, 1, out=players[0])
    assert state_of(evening.session)["totals"] == points
    assert state_of(evening.session)["turn"] == turn and evening.session.phase == "playing"
    assert [sheet.how for sheet in evening.session.scoreboard.rounds] == ["out", None]
    evening.watcher.see(evening.watcher._before)  # type: ignore[arg-type]
    assert not evening.session.questions
    evening.assert_second_round()
    evening.session.close()
    again = Game.open(tmp_path / "game.jsonl")
    assert state_of(again)["totals"] == points


@pytest.mark.slow
def test_a_table_that_is_cleared_half_way_and_laid_again_costs_nothing(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    question = evening.until_asked()
    evening.session.answer(question.seq, 1)
    for _ in range(4):
        evening.watcher.step()
    assert state_of(evening.session)["round"] == 1 and evening.session.phase == "playing"
    assert evening.asked().count("new_round: 1") == 1
