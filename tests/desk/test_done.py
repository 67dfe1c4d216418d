"""\"My turn is over, I am Ann\": evidence of a strong kind, and no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.rules.notation import parse_delta
from companion.rules.tile import Laid
from datasets.bots.watching import table_change
from tests.shown import state_of

OPEN = ("+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+3-5@Cy")
"""Ann laid on Cy's closed train, or Cy laid a second tile."""


@pytest.fixture
def session(tmp_path: Path) -> Game:
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-12", ("Ann", "Ben", "Cy")), ticking())
    session.start_round(Laid(12, 12), "Ann", draws_seen=True)
    look(session, *OPEN)
    return session


def look(session: Game, *changes: str) -> None:
    for change in changes:
        session.observe(table_change(parse_delta([change])))


def last_tile(session: Game) -> dict[str, Any]:
    return next(play for play in reversed(state_of(session)["plays"]) if play["event"] == "tile_played")


def certain(session: Game) -> list[str]:
    plays = state_of(session)["plays"]
    return [found["code"] for play in plays for found in play["violations"] if found.get("certain", True)]


def test_whoever_says_that_the_own_turn_is_over_laid_the_tile_that_nobody_was_named_for(session: Game) -> None:
    assert (last_tile(session)["by"], last_tile(session)["maybe"]) == (None, ["Ann", "Cy"])
    session.done("Ann")
    assert last_tile(session)["by"] == "Ann"
    assert certain(session) == [], "nobody is accused for certain on the strength of a word"
    session.close()
    again = Game.open(session.journal.path, ticking())
    assert last_tile(again)["by"] == "Ann"


def test_it_is_undone_with_the_name(session: Game) -> None:
    session.done("Ann")
    session.undo()
    assert (last_tile(session)["by"], last_tile(session)["maybe"]) == (None, ["Ann", "Cy"])


def test_what_is_seen_later_may_show_that_it_was_pressed_wrongly(session: Game) -> None:
    session.done("Ann")
    tile = last_tile(session)["seq"]
    look(session, "boneyard-1", "mark Ann", "+2-7@Ben", "+5-6@Cy", "+1-4@Ann")
    [laid] = [play for play in state_of(session)["plays"] if play["seq"] == tile]
    assert laid["by"] is None, "her draw and her marker say that she has laid nothing"


@pytest.mark.parametrize("player", ["Ben", "Cy"])
def test_others_leave_it_open_and_are_accused_of_nothing_certain(session: Game, player: str) -> None:
    session.done(player)
    assert last_tile(session)["by"] is None and certain(session) == []


def test_it_is_no_turn_of_its_own_where_another_is_to_move(session: Game) -> None:
    look(session, "+2-7@Ben")
    assert state_of(session)["turn"] == "Cy"
    session.done("Ann")
    assert state_of(session)["turn"] == "Cy" and last_tile(session)["by"] == "Ben"
    (passed,) = (play for play in state_of(session)["plays"] if play["event"] == "passed")
    assert passed["violations"] == []


def test_it_is_recorded_as_what_it_was(session: Game) -> None:
    session.done("Ann")
    session.pass_turn("Ben")
    done, passed = (event.to_json() for event in session.events if event.KIND == "passed")
    assert done["done"] is True and "done" not in passed
