"""A table that lay there before anybody watched, with tiles of which some are buried under others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.game.game import Game
from companion.log.event_fields import Header
from companion.rules.notation import Vanishing
from companion.rules.position import Play
from companion.rules.tile import Laid
from datasets.bots.watching import table_change
from tests.shown import state_of

NAMES = ("Ann", "Ben", "Cy", "Dee")

ON_TOP = (Laid(4, 6), Laid(6, 5), Laid(5, 1), Laid(1, 6), Laid(6, 4), Laid(5, 1), Laid(1, 3), Laid(3, 5))
"""Between 6-4 and 5-1 three tiles are buried."""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Game]:
    session = Game.create(tmp_path / "g.jsonl", Header("jielong", "chinese", NAMES))
    session.start_round(starter="Ann")
    session.observe(table_change([Play(tile, "R") for tile in ON_TOP], "0", adopted=True))
    yield session
    session.close()


def lay(session: Game, tile: Laid, frame: str) -> None:
    session.observe(table_change([Play(tile, "R")], frame))


def plays(session: Game) -> list[dict[str, Any]]:
    """The tiles as the page lists them."""
    return [line for line in state_of(session)["plays"] if line["event"] == "tile_played" and not line["taken_back"]]


def findings(session: Game) -> list[tuple[str, bool]]:
    return [(one["code"], one["certain"]) for line in plays(session) for one in line["violations"]]


def test_tiles_that_do_not_meet_are_held_against_nobody(session: Game) -> None:
    assert [tuple(line["tile"]) for line in plays(session)] == [tuple(tile) for tile in ON_TOP]
    assert {line["by"] for line in plays(session)} == {None} and findings(session) == []


def test_nothing_is_certain_of_it_when_people_have_had_a_say(session: Game) -> None:
    session.correct(plays(session)[5]["seq"], {"by": "Cy"})
    lay(session, Laid(5, 5), "1")
    session.correct(plays(session)[2]["seq"], {"withdrawn": True})
    lay(session, Laid(5, 2), "2")
    assert [line["by"] for line in plays(session)][:7] == [None, None, None, None, "Cy", None, None]
    assert not any(certain for _, certain in findings(session))


def test_anybody_may_be_next_and_the_tile_has_to_meet_the_last_one(session: Game) -> None:
    assert not session.accuses(table_change([Play(Laid(5, 2), "R")]))
    assert session.accuses(table_change([Play(Laid(4, 2), "R")]))
    lay(session, Laid(4, 2), "1")
    assert plays(session)[-1]["by"] is None and findings(session) == [("MISMATCH", True)]


def test_a_tile_may_be_taken_back_from_it(session: Game) -> None:
    session.observe(table_change([Vanishing(ON_TOP[-1], "R")], "1"))
    lay(session, Laid(3, 3), "2")
    assert [tuple(line["tile"]) for line in plays(session)] == [*(tuple(tile) for tile in ON_TOP[:-1]), (3, 3)]
    assert findings(session) == []


def test_after_another_start_of_the_program_nothing_is_certain_of_it(session: Game, tmp_path: Path) -> None:
    lay(session, Laid(5, 5), "1")
    session.close()
    again = Game.open(tmp_path / "g.jsonl")
    lay(again, Laid(5, 2), "2")
    assert len(plays(again)) == len(ON_TOP) + 2 and not any(certain for _, certain in findings(again))
    again.close()
