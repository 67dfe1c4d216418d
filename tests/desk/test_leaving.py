"""Somebody leaves in the middle of a round: the hand lies aside, the others play on, and it is a step back like any."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.stand_ins.making import ticking
from companion.app.game_index import standings, summarize
from companion.game.game import Game
from companion.game.rejected import CommandRejected
from companion.game.replay import replay
from companion.log.event_fields import Header
from companion.rules.notation import parse_change
from datasets.bots.watching import table_change
from tests.shown import state_of

NAMES = ("Ann", "Ben", "Cy")


def table(tmp_path: Path, rules: str = "tactic", tile_set: str = "double-12", names: tuple[str, ...] = NAMES) -> Game:
    """A round with Ann to start."""
    session = Game.create(tmp_path / "game.jsonl", Header(rules, tile_set, names, {}), ticking())
    session.start_round(starter="Ann")
    return session


def whose(session: Game) -> object:
    shown = state_of(session)
    assert shown["questions"] == [] and [play["violations"] for play in shown["plays"] if play["violations"]] == []
    return shown["turn"]


def test_the_others_play_on_and_nobody_misses_the_turn_of_whoever_left(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    session.leave("Ben")
    assert whose(session) == "Cy"
    session.play((12, 4), "Cy")
    session.play((3, 7), "Ann")
    assert whose(session) == "Cy"
    shown = state_of(session)
    assert shown["gone"] == ["Ben"] and "Ben" not in shown["hands"]  # type: ignore[operator]
    with pytest.raises(CommandRejected, match="has_left"):
        session.leave("Ben")
    with pytest.raises(CommandRejected, match="too_few_left"):
        session.leave("Cy")
    assert replay(tmp_path / "game.jsonl").turn == "Cy"
    session.close()
    session = Game.open(tmp_path / "game.jsonl")
    assert whose(session) == "Cy", "as after a restart"
    session.close()


def test_whoever_is_to_move_may_leave_in_the_middle_of_the_turn(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    session.draw("Ben")
    session.leave("Ben")
    assert whose(session) == "Cy", "nothing is due from a turn that nobody can end"
    session.play((12, 4), "Cy")
    assert whose(session) == "Ann"
    session.close()


def test_whoever_was_to_begin_may_leave(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.leave("Ann")
    assert whose(session) == "Ben"
    session.play((12, 4), "Ben")
    session.play((12, 5), "Cy")
    assert whose(session) == "Ben"
    session.close()


def test_it_is_a_step_back_like_any(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    session.leave("Ben")
    session.undo()
    assert whose(session) == "Ben" and "gone" not in state_of(session)
    session.put_back()
    assert whose(session) == "Cy"
    session.close()


def test_the_hand_that_lies_aside_counts_as_it_is_shown_and_else_for_nothing(tmp_path: Path) -> None:
    for shown, points in (((), 0), (((0, 1),), 1)):
        folder = tmp_path / str(points)
        folder.mkdir()
        session = table(folder)
        session.play((12, 3), "Ann")
        session.leave("Ben")
        session.end_round("out", "Ann")
        if shown:
            session.show_hand("Ben", shown)
        session.show_hand("Cy", ((1, 1),))
        assert state_of(session)["totals"] == {"Ann": 0, "Ben": points, "Cy": 2}
        assert state_of(session)["next"]["starter"] == "Ben", "the seats stay until the players change"  # type: ignore[index]
        assert [row.rank for row in session.snapshot().scores] == [1, 2 if points else 1, 3], "Ben is dealt in again"
        session.end_match()
        assert session.snapshot().winners == (("Ann",) if points else ("Ann", "Ben")), "as the ranks had it"
        session.close()


def test_a_round_that_somebody_left_is_none_of_theirs_in_statistics(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.enter_scores({"Ann": 0, "Ben": 30, "Cy": 40}, out="Ann")
    session.start_round(starter="Ben")
    session.leave("Ben")
    session.enter_scores({"Ann": 20, "Ben": 0, "Cy": 25}, out=None)
    session.start_round(starter="Cy")
    session.enter_scores({"Ann": 9, "Ben": 10, "Cy": 0}, out="Cy")
    assert [sheet.gone for sheet in session.snapshot().rounds_played] == [(), ("Ben",), ()]
    [game] = standings([summarize(tmp_path / "game.jsonl")])
    ben = next(one for one in game.players if one.name == "Ben")
    assert (ben.rounds, ben.points, ben.average, ben.best, ben.worst) == (2, 40, 20.0, 10, 30)
    assert state_of(session)["totals"] == {"Ann": 29, "Ben": 40, "Cy": 65}
    session.close()


def test_a_blocked_table_is_not_won_by_whoever_left(tmp_path: Path) -> None:
    session = Game.create(
        tmp_path / "game.jsonl", Header("cz", "double-12", NAMES, {"scoring": "winner_takes"}), ticking()
    )
    session.start_round(starter="Ann")
    session.leave("Ben")
    session.end_round("blocked_declared")
    session.show_hand("Ann", ((1, 1),))
    session.show_hand("Cy", ((3, 3),))
    assert state_of(session)["totals"] == {"Ann": 6, "Ben": 0, "Cy": 0}
    session.close()


def test_where_first_trains_are_laid_together_the_others_begin_ordinary_turns_without_them(tmp_path: Path) -> None:
    session = table(tmp_path, "cz")
    session.play((12, 3), "Ann")
    session.leave("Cy")
    session.play((12, 4), "Ben")
    for name in ("Ann", "Ben"):
        session.done(name)
    assert whose(session) == "Ann"
    session.play((3, 5), "Ann")
    session.play((4, 5), "Ben")
    assert whose(session) == "Ann"
    session.close()


def test_a_chinese_deal_goes_on_too(tmp_path: Path) -> None:
    session = table(tmp_path, "jielong", "chinese")
    session.play((2, 6), "R")
    session.leave("Ben")
    assert whose(session) == "Cy"
    session.play((6, 4), "R")
    assert whose(session) == "Ann"
    session.discard("Ann")
    assert whose(session) == "Cy"
    session.close()


@pytest.mark.parametrize(("rules", "tile_set"), [("tactic", "double-12"), ("jielong", "chinese")])
def test_the_camera_holds_nothing_against_whoever_plays_next(tmp_path: Path, rules: str, tile_set: str) -> None:
    """The belief would else take it for a turn out of order."""
    session = table(tmp_path, rules, tile_set)
    rows = [["+12-3@Ann"], ["+12-4@Cy"], ["+3-7@Ann"], ["+4-6@Cy"], ["+7-9@Ann"], ["+6-8@Cy"]]
    if rules == "jielong":
        rows = [["+2-6@R"], ["+6-4@R"], ["+4-1@R"], ["+1-5@R"], ["+5-3@R"], ["+3-3@R"]]
    for n, row in enumerate(rows):
        session.observe(table_change(map(parse_change, row)))
        if n == 0:
            session.leave("Ben")
    played = [play for play in state_of(session)["plays"] if play["event"] == "tile_played"]  # type: ignore[attr-defined]
    assert [play["by"] for play in played[:4]] == ["Ann", "Cy", "Ann", "Cy"]
    assert [play["violations"] for play in played] == [[]] * len(rows)
    session.undo()
    assert state_of(session)["seq"]
    session.close()
    session = Game.open(tmp_path / "game.jsonl")
    assert state_of(session)["gone"] == ["Ben"]
    session.close()
