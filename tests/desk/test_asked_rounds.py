"""Rounds that people tapped out of order, or in which somebody broke a rule, with truthful answers: what stands against
whom at the end. The taps are in `asked_rounds.jsonl`, in the order in which they came."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import Unclear
from companion.rules.position import Position
from tests.shown import state_of

ROUNDS = [json.loads(line) for line in Path(__file__).with_name("asked_rounds.jsonl").read_text().splitlines()]


def tap(session: Game, said: str) -> None:
    """`Ann 12-3@Cy`, `Ann 3@Cy` (the outer half alone), `Ann draw`, `Ann shows 0-1 2-2` ..."""
    who, what, *tiles = said.split()
    asked = session.history.last.asked
    # Whoever has a turn still to come sees it on top.
    turn = next((own for name, own, *_ in ([] if asked is None else asked.to_come()) if name == who), None)
    if "@" in what:
        tile, train = what.split("@")
        halves = [int(half) for half in tile.split("-")]
        position = session.position
        end = position.value_due(train) if isinstance(position, Position) else None
        if len(halves) == 2:
            session.play((halves[0], halves[1]), train, by=who, turn=turn)
        else:
            assert end is not None
            session.play((end, halves[0]), train, by=who, outer_only=True, end=end, turn=turn)
    elif what == "shows":
        if session.phase == "playing":
            session.end_round("abandoned")
        session.show_hand(who, [tuple(map(int, one.split("-"))) for one in tiles])
    elif what in ("mark", "unmark"):
        (session.mark if what == "mark" else session.unmark)(who, who, turn=turn)
    else:
        {"draw": session.draw, "pass": session.pass_turn, "discard": session.discard}[what](who, turn=turn)


def questions(session: Game) -> list[Unclear]:
    return [one for one in session.questions if one.about is not None]


def settle(session: Game, broken: set[tuple[str, str]]) -> int:
    """Answer what is asked: that it was so, where a player broke the rule; else the first key. How many there were."""
    count = 0
    while asked := questions(session):
        one, count = asked[0], count + 1
        was_so = (
            n
            for n, key in enumerate(one.candidates)
            if key.kind == "so" and broken & {(event["by"], event["violation"]) for event in key.events}
        )
        session.answer(one.seq, next(was_so, 0))
        assert count < 9, one
    return count


@pytest.mark.parametrize("told", ROUNDS, ids=lambda told: told["name"])
def test_truthful_answers_hold_against_people_what_they_did_and_nothing_else(
    told: Mapping[str, Any], tmp_path: Path
) -> None:
    header = Header(told["rules"], told["set"], tuple(told["players"]), told["options"])
    session = Game.create(tmp_path / "game.jsonl", header)
    session.start_round((12, 12) if told["set"] == "double-12" else None, told["players"][0])
    due, count = {(by, code) for by, code in told["certain"]}, 0
    for said in told["taps"]:
        tap(session, said)
        count += settle(session, due)
        assert against(session) <= due, said
    assert against(session) == due
    assert count <= 1


def against(session: Game) -> set[tuple[str, str]]:
    """(player, code) of each fault on the scoreboard."""
    return {(str(one.by or line.event.who), one.code) for line, one in session.scoreboard.faults}


def test_one_answer_confirms_the_fault_of_one_player(tmp_path: Path) -> None:
    """Ann tapped on Ben's train before Ben had tapped the end of his turn: what she did is no word about Ben."""
    session = Game.create(tmp_path / "game.jsonl", Header("tactic", "double-12", ("Ann", "Ben", "Cy")))
    session.start_round((12, 12), "Ann")
    session.play((12, 1), "Ann", "Ann")
    session.draw("Ben")
    session.play((12, 3), "Ben", "Cy")
    (question,) = questions(session)
    was_so = [key for key in question.candidates if key.kind == "so"]
    accused = [{event["by"] for event in key.events} for key in was_so]
    assert accused == [{"Cy"}, {"Ben"}], "whoever tapped stands first"
    session.answer(question.seq, question.candidates.index(was_so[0]))
    assert {name for name, _ in against(session)} == {"Cy"}
    (again,) = questions(session)
    assert {event["by"] for key in again.candidates if key.kind == "so" for event in key.events} == {"Ben"}


def test_a_tile_tapped_before_the_neighbours_lifts_the_own_marker(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "game.jsonl", Header("tactic", "double-12", ("Ann", "Ben", "Cy")))
    session.start_round((12, 12), "Ann")
    session.play((12, 1), "Ann", "Ann")
    session.play((12, 3), "Ben", "Ben")
    session.cannot_play("Cy")
    session.play((1, 5), "Ann", "Ann")
    assert state_of(session)["markers"] == ["Cy"]
    session.play((12, 4), "Cy", "Cy", lift=True)
    session.play((3, 6), "Ben", "Ben")
    assert state_of(session)["markers"] == [] and questions(session) == [] and against(session) == set()
