"""A damaged journal comes back from its copy or its own beginning, and is never thrown away."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companion.events import Drew, RoundEnded
from companion.header import Header
from companion.journal import Journal, read_journal
from companion.mending import CopyKeeper, copy_of, keep_copy, mend_games

HEADER = Header("tactic", "double-9", ("Ann", "Ben"))


@pytest.fixture
def games(tmp_path: Path) -> Path:
    folder = tmp_path / "games"
    (folder / "evening").mkdir(parents=True)
    with Journal.create(folder / "evening/journal.jsonl", HEADER) as journal:
        journal.append_all([Drew(by="Ann")] * 30)
    return folder


def damage(path: Path, line: int) -> bytes:
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line] = b"\x00" * len(lines[line])
    path.write_bytes(b"".join(lines))
    return path.read_bytes()


def test_a_whole_journal_is_left_alone(games: Path) -> None:
    before = (games / "evening/journal.jsonl").read_bytes()
    assert mend_games(games) == []
    assert (games / "evening/journal.jsonl").read_bytes() == before


def test_a_damaged_journal_comes_back_from_its_copy_and_stays_beside_it(games: Path) -> None:
    path = games / "evening/journal.jsonl"
    assert keep_copy(games, "evening")
    damaged = damage(path, line=4)
    [mended] = mend_games(games)
    assert mended.events == 30
    assert mended.set_aside.read_bytes() == damaged
    assert "line 5" in mended.sentence
    assert "\n" not in mended.sentence
    assert len(read_journal(path).events) == 30
    assert mend_games(games) == []


def test_without_a_copy_its_own_beginning_comes_back(games: Path) -> None:
    damage(games / "evening/journal.jsonl", line=21)
    [mended] = mend_games(games)
    assert mended.events == 20
    assert len(read_journal(games / "evening/journal.jsonl").events) == 20


def test_the_longer_of_copy_and_beginning_wins(games: Path) -> None:
    path = games / "evening/journal.jsonl"
    keep_copy(games, "evening")
    with Journal.open(path) as journal:
        journal.append_all([Drew(by="Ben")] * 20)
    damage(path, line=45)
    [mended] = mend_games(games)
    assert mended.events == 44


def test_a_damaged_copy_never_replaces_anything(games: Path) -> None:
    keep_copy(games, "evening")
    copy = copy_of(games, "evening")
    damage(copy, line=2)
    path = games / "evening/journal.jsonl"
    damage(path, line=25)
    [mended] = mend_games(games)
    assert mended.events == 24
    good = copy.read_bytes()
    damage(path, line=3)
    assert not keep_copy(games, "evening"), "a damaged journal is never copied over a copy"
    assert copy.read_bytes() == good


def test_a_game_of_which_nothing_is_left_is_set_aside_and_said(games: Path) -> None:
    path = games / "evening/journal.jsonl"
    path.write_bytes(b"\x00" * 500)
    [mended] = mend_games(games)
    assert mended.events == 0
    assert mended.set_aside.read_bytes() == b"\x00" * 500
    assert not path.exists()


def test_damage_anywhere_always_leaves_a_beginning_of_the_game(games: Path) -> None:
    chance = random.Random(5)
    path = games / "evening/journal.jsonl"
    whole = path.read_bytes()
    events = read_journal(path).events
    for _ in range(60):
        harmed = bytearray(whole)
        place = chance.randrange(len(whole))
        harmed[place : place + chance.randint(1, 200)] = bytes(
            chance.randrange(256) for _ in range(chance.randint(1, 9))
        )
        path.write_bytes(harmed)
        done = mend_games(games)
        for mended in done:
            assert mended.set_aside.read_bytes() == harmed
        if not done:
            assert path.read_bytes() == harmed
        elif path.exists():
            left = read_journal(path).events
            agreed = [mine == true for mine, true in zip(left, events, strict=False)]
            # A changed letter inside a line may still be a line; what was cut off or made up is not.
            assert agreed.count(False) <= 1
        path.write_bytes(whole)


@pytest.mark.parametrize("line", [b'{"seq": 31, "at": "", "event": "danced", "source": "person"}\n', b""])
def test_a_journal_of_another_version_is_left_alone(games: Path, line: bytes) -> None:
    path = games / "evening/journal.jsonl"
    content = path.read_bytes() + line if line else path.read_bytes().replace(b'"journal": 1', b'"journal": 2', 1)
    path.write_bytes(content)
    assert mend_games(games) == []
    assert path.read_bytes() == content


class Session:
    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.tell: Callable[..., None] = lambda *events: None

    def subscribe(self, callback: Callable[..., None]) -> None:
        self.tell = callback

    def append(self, *events: Any) -> None:
        self.tell(self.journal.append_all(events))


def test_copies_are_made_while_playing_and_at_the_end(games: Path) -> None:
    with Journal.open(games / "evening/journal.jsonl") as journal:
        session = Session(journal)
        keeper = CopyKeeper(games)
        keeper.follow("evening", session)
        session.append(*[Drew(by="Ann")] * 9)
        session.append(RoundEnded(how="abandoned"))
        keeper.close()
    assert len(read_journal(copy_of(games, "evening")).events) == 40
