"""A play that people withdrew comes back on record if the camera still sees its tile: same place, same player."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import Corrected, TilePlayed
from companion.rules.notation import parse_delta
from companion.rules.position import Position
from companion.rules.tile import Laid
from datasets.bots.watching import table_change
from tests.shown import take_back

NAMES = ("Ann", "Ben", "Cy")
BEFORE = ("+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+1-4@Ann")


def watched(folder: Path, *deltas: str) -> Game:
    session = Game.create(folder / "g.jsonl", Header("tactic", "double-12", NAMES, {}), ticking())
    session.start_round(Laid(12, 12), "Ann", draws_seen=False)
    watch(session, *deltas)
    return session


def watch(session: Game, *deltas: str) -> None:
    for delta in deltas:
        session.observe(table_change(parse_delta(delta.split("; "))))


def lying(session: Game, train: str) -> tuple[Laid, ...]:
    assert isinstance(session.position, Position)
    return tuple(session.position.trains[train])


def names(session: Game) -> list[tuple[Laid, str | None]]:
    """The plays that stand, in their order."""
    plays = [line.event for line in session.scoreboard.lines if isinstance(line.event, TilePlayed)]
    return [(play.tile, play.by) for play in plays]


def faults(session: Game) -> list[str]:
    return [finding.code for _, finding in session.scoreboard.violations]


def test_a_tile_laid_on_an_undone_one_brings_it_back_where_it_was(tmp_path: Path) -> None:
    session = watched(tmp_path, *BEFORE)
    session.undo()
    assert lying(session, "Ann") == (Laid(12, 1),)
    watch(session, "+2-5@Ben", "+3-6@Cy", "+1-4@Ann; +4-7@Ann")
    assert lying(session, "Ann") == (Laid(12, 1), Laid(1, 4), Laid(4, 7))
    assert names(session)[3:] == [
        (Laid(1, 4), "Ann"),
        (Laid(2, 5), "Ben"),
        (Laid(3, 6), "Cy"),
        (Laid(4, 7), "Ann"),
    ]
    assert faults(session) == []
    said = [event for event in session.events if isinstance(event, Corrected) and event.source == "camera"]
    undo = next(event for event in session.events if isinstance(event, Corrected) and event.source == "person")
    assert undo.seq in [event.corrects for event in said if event.what == {"withdrawn": True}]


def test_every_word_that_withdrew_it_is_taken_back(tmp_path: Path) -> None:
    session = watched(tmp_path, *BEFORE)
    play = session.events[-1]
    session.correct(play.seq, {"withdrawn": True})
    session.correct(play.seq, {"withdrawn": True, "note": "there was none"})
    watch(session, "+2-5@Ben", "+3-6@Cy", "+1-4@Ann; +4-7@Ann")
    assert lying(session, "Ann") == (Laid(12, 1), Laid(1, 4), Laid(4, 7))
    assert faults(session) == []


def test_what_was_brought_back_can_be_undone_once_more(tmp_path: Path) -> None:
    session = watched(tmp_path, *BEFORE)
    session.undo()
    watch(session, "+2-5@Ben", "+3-6@Cy", "+1-4@Ann; +4-7@Ann")
    for _ in range(4):
        session.undo()
    assert lying(session, "Ann") == (Laid(12, 1),)
    watch(session, "+1-4@Ann; +4-7@Ann")
    assert lying(session, "Ann") == (Laid(12, 1), Laid(1, 4), Laid(4, 7))
    assert not any(finding.certain for _, finding in session.scoreboard.violations)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_session_that_was_opened_again_brings_it_back_too(when: str, tmp_path: Path) -> None:
    session = watched(tmp_path, *BEFORE)
    if when == "before":
        session.close()
        session = Game.open(tmp_path / "g.jsonl")
    session.undo()
    if when == "after":
        session.close()
        session = Game.open(tmp_path / "g.jsonl")
    watch(session, "+2-5@Ben", "+3-6@Cy", "+1-4@Ann; +4-7@Ann")
    assert lying(session, "Ann") == (Laid(12, 1), Laid(1, 4), Laid(4, 7))
    assert not any(finding.certain for _, finding in session.scoreboard.violations)


def test_a_tile_taken_back_and_laid_again_is_laid_anew(tmp_path: Path) -> None:
    session = watched(tmp_path, *BEFORE)
    take_back(session, session.events[-1].seq)
    watch(session, "+12-5@MX", "+2-7@Ben", "+3-6@Cy", "+1-4@Ann")
    assert lying(session, "Ann") == (Laid(12, 1), Laid(1, 4))
    assert [by for _, by in names(session)[-4:]] == ["Ann", "Ben", "Cy", "Ann"]
    assert names(session)[-1][0] == Laid(1, 4)
    assert faults(session) == []
