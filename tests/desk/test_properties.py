"""Properties of every statement that people make while the camera watches, at any point of a round.

Rounds with planted faults are told up to some change of the table; there somebody taps, true or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from bench.table import with_faults
from bench.told import ToldTable, UnfilmedRound
from companion.game.game import Game
from companion.game.rejected import CommandRejected
from companion.log.event_fields import Header
from datasets.simulator.room import BlankFilm
from tests.shown import state_of

ROUNDS = (("jielong", 98404), ("reeves", 98408))
"""In each of them somebody stands accused for certain after some of the first changes."""

CHANGES = 20

Tap = Callable[[Game], Any]

few = settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


class EnoughError(Exception):
    """So many changes were told."""


class Kept(Game):
    """Keeps a copy of the game after each change of the table."""

    moments: list[Game]

    def observe(self, *args: Any, **named: Any) -> Any:
        events = super().observe(*args, **named)
        self.moments.append(self.rehearsal())
        if len(self.moments) == CHANGES:
            raise EnoughError
        return events


@cache
def moments(rules: str, seed: int) -> list[Game]:
    camera = UnfilmedRound(seed, with_faults(rules, None), BlankFilm)
    header = Header.from_json(dict(camera.setup().header.to_json()))
    session = Kept.create(Path(mkdtemp()) / "g.jsonl", header)
    session.moments = []
    with suppress(EnoughError):
        ToldTable(camera).tell(session)
    session.close()
    return session.moments


@dataclass(frozen=True)
class Said:
    """A moment of a round, and what somebody says there."""

    game: Game
    taps: tuple[Tap, ...]


@st.composite
def things_said(draw: st.DrawFn, taps: int = 1, corrections: bool = False) -> Said:
    game = draw(st.sampled_from(moments(*draw(st.sampled_from(ROUNDS)))[CHANGES // 2 :]))
    plays = [one for one in state_of(game)["plays"] if one["event"] == "tile_played" and not one["taken_back"]]
    about = draw(st.permutations(plays[-6:]))
    assume(len(about) >= taps)
    return Said(game, tuple(said_of(draw, game, one, corrections) for one in about[:taps]))


def said_of(draw: st.DrawFn, game: Game, play: dict[str, Any], corrections: bool) -> Tap:
    players, mexican = game.header.players, game.rules.is_mexican
    acts = () if corrections else ("pass", "done", "play", *(("draw", "mark") if mexican else ()))
    what = draw(st.sampled_from(("name", "withdraw", "tile", *acts)))
    who, value, other = draw(st.sampled_from(players)), draw(st.integers(1, 6)), draw(st.integers(1, 6))
    taps: dict[str, Tap] = {
        "name": lambda one: one.correct(play["seq"], {"by": who}),
        "withdraw": lambda one: one.correct(play["seq"], {"withdrawn": True}),
        "tile": lambda one: one.correct(play["seq"], {"tile": [play["tile"][0], value]}),
        "pass": lambda one: one.pass_turn(who),
        "done": lambda one: one.done(who),
        "draw": lambda one: one.draw(who),
        "mark": lambda one: one.mark(who, who),
        "play": lambda one: one.play((value, other), who if mexican else "R", who),
    }
    return taps[what]


def told(game: Game, *taps: Tap) -> Game:
    """The game after these taps."""
    other = game.rehearsal()
    for tap in taps:
        try:
            assume(tap(other))
        except CommandRejected:
            assume(False)
    return other


def shown(game: Game) -> dict[str, Any]:
    """The state on the page, without the lines behind it and the retractions."""
    view: dict[str, Any] = dict(state_of(game))
    told_by = ("changed_by", "original", "corrected", "changers")
    plays = [{name: value for name, value in one.items() if name not in told_by} for one in view["plays"]]
    return {**view, "plays": plays, "seq": 0, "retractions": ()}


def certain(game: Game) -> Counter[object]:
    """(act, code) of all that is certain, whoever it was."""
    standing = (one for one in state_of(game)["plays"] if not one["taken_back"])
    return Counter(
        (one["event"], str(one.get("tile")), one.get("train"), finding["code"])
        for one in standing
        for finding in one.get("violations") or ()
        if finding.get("certain", True)
    )


@pytest.mark.slow
def test_somebody_stands_accused_at_some_of_these_moments() -> None:
    for rules, seed in ROUNDS:
        assert any(certain(game) for game in moments(rules, seed))


@pytest.mark.slow
@few
@given(things_said())
def test_undo_is_the_inverse(said: Said) -> None:
    after = told(said.game, *said.taps)
    after.undo()
    assert shown(after) == shown(said.game)


@pytest.mark.slow
@few
@given(things_said())
def test_a_statement_never_makes_an_accusation_certain(said: Said) -> None:
    assert not certain(told(said.game, *said.taps)) - certain(said.game)


@pytest.mark.slow
@few
@given(things_said(taps=2, corrections=True))
def test_the_order_of_corrections_of_two_plays_does_not_matter(said: Said) -> None:
    assert shown(told(said.game, *said.taps)) == shown(told(said.game, *reversed(said.taps)))
