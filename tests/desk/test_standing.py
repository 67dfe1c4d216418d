"""The page, the lamp, Home Assistant and a replay agree on the accusations against a play."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins import tables
from bench.stand_ins.settling import confirm
from bench.stand_ins.views import view_of
from companion.game.game import Game
from companion.game.game_view import is_fault, standing_doubts, standing_faults
from companion.game.replay import replay
from companion.log.event_fields import Header
from companion.publish.publisher import summary
from companion.tableside import light_of
from hardware.panel import Light
from tests.shown import outcome, state_of, take_back

ILLEGAL = {"seq": 1, "event": "tile_played", "by": "Ben", "tile": [12, 5], "train": "Ann",
           "violations": [{"code": "CLOSED_TRAIN", "certain": True}]}  # fmt: skip
POSSIBLE = {**ILLEGAL, "violations": [{"code": "CLOSED_TRAIN", "certain": False, "by": "Ben"}]}


@pytest.mark.parametrize(
    ("play", "stands"),
    [
        (ILLEGAL, True),
        (POSSIBLE, False),
        ({**ILLEGAL, "overruled": True}, False),
        ({**ILLEGAL, "taken_back": True}, False),
        ({**ILLEGAL, "withdrawn": True}, False),
        ({**ILLEGAL, "violations": []}, False),
    ],
)
def test_page_lamp_and_home_assistant_agree_on_what_stands(play: dict[str, Any], stands: bool) -> None:
    snapshot: Any = tables.midgame(players=["Ann", "Ben"], plays=[play])
    assert is_fault(play) is stands
    assert bool(view_of(snapshot).faults) is stands
    assert (light_of(view_of(snapshot), False) is Light.ILLEGAL) is stands
    assert summary(view_of(snapshot))["illegal"] is stands


def test_a_code_that_is_certain_is_not_possible_as_well() -> None:
    both = {"violations": [*ILLEGAL["violations"], {"code": "MISMATCH", "certain": False}, *POSSIBLE["violations"]]}
    assert standing_faults(both) == ("CLOSED_TRAIN",)
    assert standing_doubts(both) == ("MISMATCH",)
    assert standing_doubts({**both, "taken_back": True}) == ()


def _illegal_play(path: Path) -> Game:
    session = Game.create(path, Header("tactic", "double-12", ("Ann", "Ben")))
    session.start_round((12, 12), "Ann", draws_seen=False)
    session.play((12, 5), "Ann")
    session.play((5, 9), "Ann", by="Ben")
    confirm(session)
    return session


def test_what_nobody_has_confirmed_is_no_accusation_anywhere(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "game.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    session.start_round((12, 12), "Ann", draws_seen=False)
    session.play((12, 5), "Ann")
    session.play((5, 9), "Ann", by="Ben")
    snapshot = session.snapshot()
    assert not any(map(is_fault, snapshot.plays))
    assert not snapshot.faults and light_of(snapshot, False) is not Light.ILLEGAL
    assert summary(snapshot)["illegal"] is False
    again = replay(tmp_path / "game.jsonl")
    ((_, finding),) = again.violations
    assert finding.open and not any(map(is_fault, again.to_json()))
    assert outcome(again.board) == outcome(session.scoreboard)


@pytest.mark.parametrize("how", ["stands", "overruled", "taken back", "withdrawn"])
def test_page_and_replay_agree_on_a_game(how: str, tmp_path: Path) -> None:
    session = _illegal_play(tmp_path / "game.jsonl")
    seq = next(play["seq"] for play in state_of(session)["plays"] if is_fault(play))
    if how == "overruled":
        session.correct(seq, {"overruled": True})
    elif how == "taken back":
        take_back(session, seq)
    elif how == "withdrawn":
        session.correct(seq, {"withdrawn": True})
    on_page = {play["seq"]: standing_faults(play) for play in state_of(session)["plays"] if is_fault(play)}
    again = replay(tmp_path / "game.jsonl")
    replayed = {line["seq"]: standing_faults(line) for line in again.to_json() if is_fault(line)}
    assert replayed == on_page
    assert set(replayed) == {line.event.seq for line, finding in again.violations if finding.certain}
    assert bool(on_page) is (how == "stands")


def test_an_undone_withdrawal_leaves_the_play_in_force(tmp_path: Path) -> None:
    session = _illegal_play(tmp_path / "game.jsonl")
    seq = next(play["seq"] for play in state_of(session)["plays"] if is_fault(play))
    whole = session.position
    for _ in range(2):
        session.correct(seq, {"withdrawn": True})
        assert session.position != whole
        session.undo()
        assert session.position == whole
    assert any(play["seq"] == seq for play in state_of(session)["plays"])


def test_the_leader_in_home_assistant_is_whoever_the_rules_put_first() -> None:
    shown = view_of(tables.waiting(("Ann", "Ben"), totals={"Ann": 30, "Ben": 5}))
    assert summary(shown)["leader"] == "Ben"
    assert summary(replace(shown, most_points_win=True))["leader"] == "Ann"
    assert summary(replace(shown, totals={"Ann": 0, "Ben": 0}))["leader"] == "-", "nobody leads before the first points"
