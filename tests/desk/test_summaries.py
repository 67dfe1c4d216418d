"""The list sums a game up as the game itself does, and reads it again only when its journal changes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from bench.stand_ins.playing import begin, play_out
from companion.app.game_index import summarize, summary_of
from companion.app.games import look_at_game, open_game
from companion.storage.game_folders import GameFolders
from companion.storage.state_file import by_file
from tests.lanes import nightly
from tests.shown import state_of

GAMES = {"tactic": (4, 3), "reeves": (3, 2), "poltava": (4, 3), "jielong": (4, 3)}
"""Rules -> (players, rounds)."""


@pytest.mark.parametrize("rules", ["reeves", "jielong", *map(nightly, ("tactic", "poltava"))])
def test_the_summary_is_what_the_game_shows(tmp_path: Path, rules: str) -> None:
    players, rounds = GAMES[rules]
    session, bots = begin(tmp_path / "journal.jsonl", rules, players, seed=3, rounds=rounds)
    assert summarize(tmp_path / "journal.jsonl").round is None
    for played in bots.rounds():
        play_out(session, played)
        shown = look_at_game(tmp_path / "journal.jsonl")
        told = replace(summarize(tmp_path / "journal.jsonl"), most_points_win=False, scores=(), totals={}, faults={})
        assert told == summary_of(shown.snapshot(), session.events[0].at or "")
    if session.phase != "over":
        session.end_match()
    session.close()
    told = summarize(tmp_path / "journal.jsonl")
    assert told.winners and told.winners == tuple(state_of(look_at_game(tmp_path / "journal.jsonl"))["winner"] or ())


def test_a_file_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    session, _bots = begin(path, "tactic", 3, seed=3, rounds=2)
    kept = by_file(summarize, 2)
    first = kept(path)
    assert kept(path) is first
    session.start_round((12, 12), session.header.players[0])
    assert (first.round, kept(path).round) == (None, 1)
    session.close()


def test_only_so_many_are_kept_and_the_unused_go_first(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_text(path.name, encoding="utf-8")
    made: list[str] = []

    def make(path: Path) -> str:
        made.append(path.name)
        return path.read_text(encoding="utf-8")

    kept = by_file(make, 2)
    for number in (0, 1, 0, 2, 0, 1):
        assert kept(paths[number]) == "abc"[number]
    assert made == ["a", "b", "c", "b"]
    os.utime(paths[0], ns=(1, 1))
    kept(paths[0])
    assert made[-1] == "a"


def test_an_earlier_game_can_still_be_opened_while_it_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    session, _bots = begin(path, "tactic", 3, seed=3, rounds=1)
    session.close()
    looked = by_file(look_at_game, 1)
    before = looked(path)
    again = open_game(path)
    again.start_round((12, 12), again.header.players[0])
    assert (before.seq, looked(path).seq) == (0, again.seq)
    again.close()


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../games/game-0001", "/tmp", "game-0001/", "nowhere"])
def test_what_is_no_name_of_a_game_is_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "games" / "game-0001").mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "games", tmp_path / "games" / "game-0001"):
        (folder / "journal.jsonl").touch()
    folders = GameFolders(tmp_path)
    assert "game-0001" in folders and name not in folders and folders.names() == ["game-0001"]
