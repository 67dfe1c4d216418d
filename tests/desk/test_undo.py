"""Undo takes back the last step, whatever kind of step it was, and then the one before it."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench.stand_ins.making import ticking
from bench.stand_ins.settling import asked, kinds, settle
from companion.game.game import Game
from companion.game.rejected import CommandRejected
from companion.game.replay import replay
from companion.game.round import rounds_of
from companion.log.event_fields import Candidate, Header
from companion.log.events import Corrected, Passed, RoundStarted
from tests.lanes import nightly
from tests.shown import outcome, state_of, take_back

NAMES = ("Ann", "Ben", "Cy")


def table(path: Path) -> Game:
    session = Game.create(path / "game.jsonl", Header("tactic", "double-12", NAMES), ticking())
    session.start_round(starter="Ann")
    return session


def state(session: Game) -> tuple[object, ...]:
    """The table, what stands against whom, what is asked, the points, who is to come. A question that is asked again
    after it was settled is a line of its own."""
    found = [(line.seq, finding) for line, finding in session.scoreboard.violations]
    questions = sorted(repr((question.about, question.reason, question.candidates)) for question in session.questions)
    to_come = state_of(session)["to_come"]
    return session.position, found, questions, dict(session.scoreboard.totals), session.phase, to_come


def test_undo_takes_the_question_back_that_the_tap_brought(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    before = state(session)
    session.play((3, 7), "Ann", by="Ben")
    assert len(session.questions) == 1
    session.undo()
    assert state(session) == before and session.questions == ()


@pytest.mark.parametrize("kind", ["so", "later", "missing", "start"])
def test_undo_takes_an_answer_back_whole_and_the_same_question_is_open_again(tmp_path: Path, kind: str) -> None:
    """Of a player who began out of turn; a forgotten turn is put in as several lines."""
    session = table(tmp_path)
    session.play((12, 5), "Ben", by="Ben")
    session.play((12, 6), "Cy", by="Cy")
    before, open_before = state(session), [question.seq for question in session.questions]
    settle(session, kind)
    assert state(session) != before
    session.undo()
    assert state(session) == before and [question.seq for question in session.questions] == open_before


def test_undo_after_a_correction_withdraws_the_correction_and_not_the_play(tmp_path: Path) -> None:
    session = table(tmp_path)
    played = session.play((12, 3), "Ann")[0]
    session.play((3, 7), "Ann", by="Ben")
    before = state(session)
    session.correct(played.seq, {"tile": [12, 5]})
    assert state(session) != before
    session.undo()
    assert state(session) == before
    session.undo()
    assert session.position is not None and session.position.turn == "Ben"


def test_a_play_that_was_corrected_away_comes_back(tmp_path: Path) -> None:
    session = table(tmp_path)
    played = session.play((12, 3), "Ann")[0]
    before = state(session)
    session.correct(played.seq, {"withdrawn": True})
    session.undo()
    assert state(session) == before


def test_a_fault_that_was_let_stand_counts_again(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    wrong = session.play((3, 7), "Ann", by="Ben")[0]
    before = state(session)
    session.correct(wrong.seq, {"overruled": True})
    session.undo()
    assert state(session) == before


@pytest.mark.parametrize("choice", [0, None])
def test_an_answered_question_is_asked_again(tmp_path: Path, choice: int | None) -> None:
    session = table(tmp_path)
    line = {"event": "tile_played", "by": "Ann", "tile": [12, 3], "train": "Ann"}
    question = session.ask("one of these", [Candidate("Ann laid 12-3", (line,))])[0]
    before = state(session)
    session.answer(question.seq, choice)
    assert session.questions == ()
    session.undo()
    assert state(session) == before


def test_a_tile_that_was_taken_back_lies_there_again(tmp_path: Path) -> None:
    session = table(tmp_path)
    played = session.play((12, 3), "Ann")[0]
    before = state(session)
    take_back(session, played.seq)
    session.undo()
    assert state(session) == before


def test_the_score_of_a_hand_that_was_corrected_is_the_first_one_again(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    session.end_round("out")
    session.show_hand("Ben", [(5, 7)])
    session.show_hand("Cy", [(9, 9)])
    before = state(session)
    session.show_hand("Cy", [(9, 8)])
    assert session.scoreboard.totals["Cy"] == 17
    session.undo()
    assert state(session) == before


def test_nothing_is_put_back_once_somebody_has_gone_on(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.cannot_play("Ann")
    assert [line.KIND for line in session.to_undo()] == ["drew", "marker_placed"]
    session.undo()
    session.play((12, 3), "Ann", by="Ann")
    before = state(session)
    with pytest.raises(CommandRejected, match="nothing_to_put_back"):
        session.put_back()
    assert state(session) == before


def test_nothing_is_left_to_undo_at_last(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    session.undo()
    session.undo()
    with pytest.raises(CommandRejected):
        session.undo()


@pytest.mark.parametrize("seed", [0, 3, 5, *map(nightly, (1, 2, 4, 6, 7, 8, 9, 10, 11))])
def test_step_by_step_back_through_plays_and_corrections(tmp_path: Path, seed: int) -> None:
    session, chance = table(tmp_path), random.Random(seed)
    states = [state(session)]
    for _ in range(12):
        plays = [event.seq for event in session.events if event.KIND == "tile_played"]
        if plays and chance.random() < 0.4:
            seq = chance.choice(plays)
            tile = [chance.randint(0, 12), chance.randint(0, 12)]
            what = chance.choice([{"tile": tile}, {"train": "MX"}, {"overruled": True}, {"by": "Cy"}])
            session.correct(seq, what)
        elif asked(session) and chance.random() < 0.4:
            settle(session, chance.choice(kinds(asked(session)[0])[:-1]))
        elif chance.random() < 0.3:
            session.draw()
        else:
            session.play((chance.randint(0, 12), chance.randint(0, 12)), chance.choice([*NAMES, "MX"]))
        states.append(state(session))
    for later, earlier in zip(states[:0:-1], states[-2::-1], strict=True):
        undone = session.to_undo()
        session.undo()
        assert state(session) == earlier and session.to_put_back() == undone
        session.put_back()
        assert state(session) == later and session.to_undo() == undone and session.to_put_back() == ()
        session.undo()
        assert state(session) == earlier
    session.close()
    assert outcome(replay(tmp_path / "game.jsonl").board) == outcome(session.scoreboard)


def test_of_a_round_whose_beginning_was_withdrawn_no_act_counts() -> None:
    begun = [RoundStarted(seq=n, round=n, engine=None, starter="Ann") for n in (1, 2)]
    gone = Corrected(seq=4, corrects=2, what={"withdrawn": True})
    lines = [*begun, Passed(seq=3, by="Ann"), gone]
    assert rounds_of(lines) == {1: 1, 2: 1, 3: None, 4: 1}
    assert rounds_of([*lines, Corrected(seq=5, corrects=4, what={"withdrawn": True})])[3] == 2, "put back again"


def test_points_that_were_put_right_are_undone_with_the_totals_after_them(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.enter_scores({"Ann": 0, "Ben": 5, "Cy": 7}, out="Ann")
    session.start_round()
    session.enter_scores({"Ann": 3, "Ben": 0, "Cy": 1}, out="Ben")
    session.enter_scores({"Ann": 0, "Ben": 15, "Cy": 7}, number=1)
    assert dict(session.scoreboard.totals) == {"Ann": 3, "Ben": 15, "Cy": 8}
    session.undo()
    assert dict(session.scoreboard.totals) == {"Ann": 3, "Ben": 5, "Cy": 8}
    session.undo()
    assert session.phase == "playing", "the points went with the end that they brought"


def test_two_taps_of_one_moment_are_undone_one_by_one(tmp_path: Path) -> None:
    header = Header("tactic", "double-12", NAMES)
    session = Game.create(tmp_path / "game.jsonl", header, lambda: datetime(2026, 11, 20, tzinfo=UTC))
    session.start_round(starter="Ann")
    session.play((12, 5), "Ann", "Ann")
    session.play((12, 6), "Ben", "Ben")
    assert [len(session.undo()), len(session.undo())] == [1, 1]
    assert session.phase == "playing" and session.snapshot().turn == "Ann"


def test_a_hand_put_right_changes_the_totals_of_points_typed_later(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.end_round("out", "Ann")
    for player, tiles in (("Ann", ()), ("Ben", ((1, 2),)), ("Cy", ((3, 4),))):
        session.show_hand(player, tiles)
    session.start_round()
    session.enter_scores({"Ann": 3, "Ben": 0, "Cy": 1}, out="Ben")
    assert dict(session.scoreboard.totals) == {"Ann": 3, "Ben": 3, "Cy": 8}
    session.show_hand("Ben", ((5, 6),), number=1)
    assert dict(session.scoreboard.totals) == {"Ann": 3, "Ben": 11, "Cy": 8}
    assert [dict(one.totals) for one in session.scoreboard.rounds][-1] == {"Ann": 3, "Ben": 11, "Cy": 8}
