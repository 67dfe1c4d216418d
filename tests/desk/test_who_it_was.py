"""The one question of a round: who laid a tile, where a fault hangs on it and the table will not tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import TilePlayed
from companion.rules.notation import parse_delta
from companion.rules.tile import Laid
from datasets.bots.watching import table_change

CHANGES = (
    "+12-7@Ann", "+12-11@Ben", "+12-2@Cy", "+7-4@Ann", "+4-11@Ann", "+11-6@Ben", "+11-8@Ann", "+2-5@Cy", "+5-9@Cy",
)  # fmt: skip
"""Ann and Cy lay twice in a row, and 7-4 on Ann's train may be hers or, against the rules, Cy's."""


@pytest.fixture
def session(tmp_path: Path) -> Game:
    session = Game.create(tmp_path / "g.jsonl", Header("tactic", "double-12", ("Ann", "Ben", "Cy"), {}), ticking())
    session.start_round(Laid(12, 12), "Ann", draws_seen=False)
    for change in CHANGES:
        session.observe(table_change(parse_delta([change])))
    return session


def plays(session: Game) -> list[tuple[int, str | None]]:
    """(line, player) of the tile in question, of each time that it is on record."""
    held = [one.event for one in session.history.held if not one.undone]
    return [(one.seq, one.by) for one in held if isinstance(one, TilePlayed) and one.tile == Laid(7, 4)]


def test_the_question_names_the_likely_players_and_the_play_on_record(session: Game) -> None:
    (question,) = session.questions
    ((seq, by),) = plays(session)
    assert by is None
    told = [(line["seq"], line["by"]) for story in question.candidates for line in story.events]
    assert sorted(told, key=str) == [(seq, "Ann"), (seq, "Cy")]


def test_the_answer_names_the_play_and_records_no_other(session: Game) -> None:
    (question,) = session.questions
    before = plays(session)
    choice = [story.events[0]["by"] for story in question.candidates].index("Ann")
    session.answer(question.seq, choice)
    assert plays(session) == [(before[0][0], "Ann")]
    assert session.questions == ()
    session.close()
    reopened = Game.open(session.journal.path, ticking())
    assert plays(reopened) == [(before[0][0], "Ann")]


def test_the_answer_is_undone_as_one(session: Game) -> None:
    (question,) = session.questions
    before = plays(session)
    session.answer(question.seq, 0)
    session.undo()
    assert plays(session) == before
    assert [one.seq for one in session.questions] == [question.seq]


@pytest.mark.parametrize("restarted", [False, True], ids=["at once", "after a restart"])
def test_who_does_not_know_leaves_it_open_and_is_not_asked_again(session: Game, restarted: bool) -> None:
    (question,) = session.questions
    session.answer(question.seq, None)
    if restarted:
        session.close()
        session = Game.open(session.journal.path, ticking())
    for change in ("+7-2@Ben", "+4-0@Ann", "+8-4@Cy"):
        session.observe(table_change(parse_delta([change])))
    assert session.questions == ()
    assert [by for _, by in plays(session)] == [None]
