"""A round whose starter nobody said: what the table tells is recorded, the rest stays open."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.stand_ins.making import ticking
from bench.stand_ins.playing import begin
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import RoundScored, TilePlayed
from companion.rules.position import Play
from companion.rules.ruleset import RULESET_NAMES
from companion.rules.tile import Laid, Tile
from datasets.bots.watching import note_layers, seen, table_change
from tests.lanes import nightly
from tests.shown import state_of

NAMES = ("Ann", "Ben", "Cy")


def begun(tmp_path: Path, rules: str) -> Game:
    box = "double-12" if rules == "tactic" else "chinese"
    session = Game.create(tmp_path / "g.jsonl", Header(rules, box, NAMES), ticking())
    session.start_round(guess=False)
    return session


def names(session: Game) -> list[str | None]:
    return [line.event.by for line in session.scoreboard.lines if isinstance(line.event, TilePlayed)]


def held(session: Game) -> list[str]:
    return [finding.code for _, finding in session.scoreboard.violations]


@pytest.mark.parametrize("seed", [2, nightly(3)])
@pytest.mark.parametrize("name", RULESET_NAMES)
def test_whoever_begins_nobody_is_accused_and_hardly_anybody_misnamed(tmp_path: Path, name: str, seed: int) -> None:
    mexican = name in ("tactic", "reeves", "cz", "poltava")
    set_max, players = (9, 3) if mexican else (6, 4)
    session, game = begin(tmp_path / "g.jsonl", name, players, seed, set_max=set_max, rounds=1)
    played = next(game.rounds())
    session.start_round(played.engine, draws_seen=True, guess=False)
    assert session.events[0].to_json()["starter"] is None
    truth: dict[tuple[Tile, str], list[str]] = {}
    for turn in played.turns():
        if session.phase != "playing":
            break
        note_layers(turn, truth)
        session.observe(seen([turn]))
    plays = [line.event for line in session.scoreboard.lines if isinstance(line.event, TilePlayed)]
    wrong = [one for one in plays if one.by is not None and one.by not in truth[one.tile.tile, one.train]]
    assert len(plays) > 8 and len(wrong) <= 0.03 * len(plays)
    assert held(session) == []
    # The owner of a new train and the player who puts a tile face down are known; so are the players before them.
    assert sum(one.by is not None for one in plays) > 0.6 * len(plays)
    copy = shutil.copy(tmp_path / "g.jsonl", tmp_path / "copy.jsonl")
    again = Game.open(copy, ticking())
    assert names(again) == names(session) and held(again) == []


def test_of_a_line_nobody_is_named(tmp_path: Path) -> None:
    session = begun(tmp_path, "kkori")
    for halves in ((5, 6), (6, 4), (4, 2)):
        session.observe(table_change([Play(Laid(*halves), "R")]))
    assert names(session) == [None, None, None] and held(session) == []
    assert state_of(session)["turn"] is None


def test_the_first_who_lays_on_a_train_that_only_its_owner_may_begin_is_the_starter(tmp_path: Path) -> None:
    session = begun(tmp_path, "tactic")
    session.observe(table_change([Play(Laid(12, 5), "Ben")]))
    assert names(session) == ["Ben"] and state_of(session)["turn"] == "Cy" and held(session) == []


def test_who_says_whose_tile_it_was_is_not_told_that_it_was_out_of_turn(tmp_path: Path) -> None:
    session = begun(tmp_path, "kkori")
    session.play((5, 6), "R", by="Cy")
    assert names(session) == ["Cy"] and state_of(session)["turn"] == "Ann" and held(session) == []


def test_a_score_that_hangs_on_who_began_waits_until_it_is_said(tmp_path: Path) -> None:
    session = begun(tmp_path, "kkori")
    session.observe(table_change([Play(Laid(5, 6), "R")]))
    session.end_round("blocked_declared")
    session.show_hand("Ann", [(6, 4)])
    session.show_hand("Ben", [(1, 6)])
    events = session.show_hand("Cy", [(3, 4)])
    assert not any(isinstance(event, RoundScored) for event in events) and session.phase == "ended"
    events = session.correct(1, {"starter": "Cy"})
    (scored,) = (event for event in events if isinstance(event, RoundScored))
    assert scored.next_starter == "Cy"


def test_a_score_that_is_the_same_whoever_began_is_written(tmp_path: Path) -> None:
    session = begun(tmp_path, "kkori")
    session.observe(table_change([Play(Laid(5, 6), "R")]))
    session.end_round("blocked_declared")
    session.show_hand("Ann", [(6, 4)])
    session.show_hand("Ben", [(1, 6)])
    events = session.show_hand("Cy", [(1, 2)])
    (scored,) = (event for event in events if isinstance(event, RoundScored))
    assert scored.next_starter == "Cy"
