"""The tiles on the table, compared with those on record."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.game.game import Game
from companion.game.view import Lying, off_record
from companion.log.event_fields import Header
from companion.rules.position import LinePosition, Position
from companion.rules.tile import Laid
from tests.shown import state_of

A, B, C, D, OTHER = Laid(12, 5), Laid(5, 9), Laid(9, 3), Laid(3, 1), Laid(5, 8)


@pytest.mark.parametrize(
    ("lying", "recorded", "count"),
    [
        ((A, B), (A, B), 0),
        ((A, None), (A,), 1),
        ((A, None, C), (A,), 2),
        ((A, None), (A, B), 0),
        ((A,), (A, B), 0),
        ((A, B, C), (A, OTHER, C), 0),
        ((A, B), (A, OTHER), 0),
        ((A, C, None), (A, B, C), 1),
        ((A, None, C), (A, C), 1),
        ((None,), (), 1),
        ((), (), 0),
    ],
)
def test_of_a_train(lying: tuple[Laid | None, ...], recorded: tuple[Laid, ...], count: int) -> None:
    table = Position(12, ("Ann", "Ben"), Laid(12, 12), {"Ann": recorded})
    found = off_record(Lying({"Ann": lying, "Ben": ()}), table)
    assert found.beyond == ({"Ann": count} if count else {}) and bool(found) == bool(count)


@pytest.mark.parametrize(
    ("lying", "recorded", "left", "right"),
    [
        ((B, C), (B, C), 0, 0),
        ((None, B, C), (B, C), 1, 0),
        ((B, C, None, None), (B, C), 0, 2),
        ((None, B, C, None), (B, C), 1, 1),
        ((B, C), (A, B, C, D), 0, 0),
        ((None, B, C), (), 0, 3),
        ((B, D, None), (B, C, D), 0, 1),
    ],
)
def test_of_a_line(lying: tuple[Laid | None, ...], recorded: tuple[Laid, ...], left: int, right: int) -> None:
    found = off_record(Lying(line=lying), LinePosition(("Ann", "Ben"), recorded)).beyond
    assert (found.get("L", 0), found.get("R", 0)) == (left, right)


def test_apart_are_those_that_are_not_on_record_elsewhere() -> None:
    """A train that has lost its hold on the hub lies there still."""
    table = Position(12, ("Ann", "Ben"), Laid(12, 12), {"Ann": (A, B)})
    assert off_record(Lying(apart=(A, Laid(9, 5), None, D)), table).apart == 2


def test_no_block_is_proved_while_a_tile_lies_there_that_is_not_on_record(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "game.jsonl", Header("kkori", "chinese", ("Ann", "Ben", "Cy")))
    session.start_round(starter="Ann")
    line = [Laid(*map(int, part.split(":"))) for part in ["3:1", "1:3", "3:2", "2:4", "4:3", "3:5", "5:6", "6:3"]]
    for laid in line:
        session.play(laid, "R")
    proved = state_of(session)["blocked"]
    assert proved is not None and proved["provable"]
    for lying in (Lying(line=(*line, None)), Lying(line=tuple(line), apart=(None,))):
        session.look(lying)
        blocked = state_of(session)["blocked"]
        assert blocked is not None and not blocked["provable"] and not blocked["nearly"]
    session.look(Lying(line=tuple(line)))
    assert state_of(session)["blocked"] == proved
