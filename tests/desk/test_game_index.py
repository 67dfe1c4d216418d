"""The index of earlier games survives restarts and follows their files."""

from __future__ import annotations

import json
import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from bench.stand_ins.playing import begin
from companion.app.game_index import INDEX_FILE, MOST_KNOWN, GameIndex, GameSummary, KnownGame, summarize
from companion.app.games import make_app_state
from companion.log.copies import kept_games
from companion.log.journal import JournalError
from companion.storage.game_folders import GameFolders
from companion.supervise.parts import plain_loop
from tests.desk.reading import read_all

GAMES = Path(__file__).parents[1] / "games"


class House:
    """A data folder whose journals hold the name of a player; `read` are those that were read, in turn."""

    def __init__(self, folder: Path, *games: str) -> None:
        self.folder = folder
        self.read: list[str] = []
        self.running = ""
        self.damaged: list[Path] = []
        self.refused: set[str] = set()
        for game in games:
            self.write(game, "Ann")

    def path(self, game: str) -> Path:
        return self.folder / "games" / game / "journal.jsonl"

    def write(self, game: str, player: str) -> None:
        self.path(game).parent.mkdir(parents=True, exist_ok=True)
        self.path(game).write_text(player, encoding="utf-8")

    def summarize(self, path: Path) -> GameSummary:
        game = path.parent.name
        self.read.append(game)
        if game in self.refused:
            raise OSError(5, "Input/output error")
        player = path.read_text(encoding="utf-8")
        if player == "nonsense":
            raise JournalError(path, "line 1: is not JSON")
        return GameSummary("tactic", "double-12", (player,), {}, scores=({player: 7},))

    def start(self, release: str = "1") -> GameIndex:
        """The index after a start of the program."""
        folders = GameFolders(self.folder)
        return GameIndex(folders, self.summarize, lambda: self.running, self.damaged.append, release)

    def filled(self, release: str = "1") -> GameIndex:
        index = self.start(release)
        read_all(index)
        return index


def player(known: KnownGame | None) -> str:
    assert known is not None and known.summary is not None
    return known.summary.players[0]


def test_a_request_reads_nothing_and_the_newest_game_is_read_first(tmp_path: Path) -> None:
    house = House(tmp_path, "game-0001", "game-0002")
    index = house.start()
    assert index.get("game-0002") is None and house.read == []
    index.read_next()
    assert player(index.get("game-0002")) == "Ann" and index.get("game-0001") is None
    read_all(index)
    assert house.read == ["game-0002", "game-0001"]


def test_a_file_that_stays_is_read_once_whatever_restarts(tmp_path: Path) -> None:
    house = House(tmp_path, "game-0001", "game-0002")
    first = house.filled().get("game-0001")
    house.read.clear()
    index = house.filled()
    assert index.get("game-0001") == first and first is not None and house.read == []


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_what_is_kept_of_a_journal_is_what_it_says(tmp_path: Path, path: Path) -> None:
    kept = tmp_path / "games" / "game-0001"
    kept.mkdir(parents=True)
    shutil.copy(path, kept / "journal.jsonl")
    read_all(GameIndex(GameFolders(tmp_path)))
    known = GameIndex(GameFolders(tmp_path)).get("game-0001")
    assert known is not None and known.summary == summarize(path)


def test_only_the_game_that_changed_is_read_again(tmp_path: Path) -> None:
    house = House(tmp_path, "game-0001", "game-0002")
    index = house.filled()
    house.read.clear()
    house.write("game-0001", "Ben and all")
    assert index.get("game-0001") is None
    read_all(index)
    assert player(index.get("game-0001")) == "Ben and all" and house.read == ["game-0001"]
    house.write("game-0001", "Eve and all")
    os.utime(house.path("game-0001"), ns=(1, 1))
    assert player(house.filled().get("game-0001")) == "Eve and all"


def test_a_deleted_game_is_forgotten_and_one_put_back_is_read(tmp_path: Path) -> None:
    house = House(tmp_path, "game-0001", "game-0002")
    house.write("game-0001", "Zdenka")
    index = house.filled()
    shutil.rmtree(house.path("game-0001").parent)
    index.look_again()
    read_all(index)
    assert "Zdenka" not in (tmp_path / INDEX_FILE).read_text(encoding="utf-8")
    house.write("game-0001", "Zoe")
    assert index.get("game-0001") is None
    read_all(index)
    assert player(index.get("game-0001")) == "Zoe"


def test_a_new_release_reads_every_game_anew_and_calls_nothing_damaged(tmp_path: Path) -> None:
    house = House(tmp_path, "game-0001", "game-0002")
    house.filled()
    house.read.clear()
    newer = house.start("2")
    assert newer.get("game-0001") is None
    read_all(newer)
    assert house.read == ["game-0002", "game-0001"] and house.damaged == []


@pytest.mark.parametrize("content", ["{", "[]", '{"release": "1", "games": {"game-0001": {"file": 3}}}'])
def test_a_damaged_file_is_set_aside_and_made_anew(tmp_path: Path, content: str) -> None:
    house = House(tmp_path, "game-0001")
    (tmp_path / INDEX_FILE).write_text(content, encoding="utf-8")
    assert player(house.filled().get("game-0001")) == "Ann"
    assert [path.name for path in house.damaged] == [f"{INDEX_FILE}.damaged-1"]
    assert "game-0001" in json.loads((tmp_path / INDEX_FILE).read_bytes())["games"]


def test_a_broken_game_hides_no_other_and_is_read_once(tmp_path: Path) -> None:
    house = House(tmp_path, "game-0001", "game-0002")
    house.write("game-0002", "nonsense")
    house.filled()
    index = house.filled()
    broken = index.get("game-0002")
    assert broken is not None and (broken.summary, broken.fault) == (None, "line 1: is not JSON")
    assert player(index.get("game-0001")) == "Ann" and house.read == ["game-0002", "game-0001"]


def test_a_game_that_the_disk_does_not_give_is_asked_for_again(tmp_path: Path) -> None:
    house = House(tmp_path, "game-0001")
    house.refused = {"game-0001"}
    index = house.filled()
    refused = index.get("game-0001")
    assert refused is not None and refused.fault == "Input/output error"
    house.refused.clear()
    read_all(index)
    assert player(index.get("game-0001")) == "Ann"


def test_the_game_on_the_table_is_read_when_it_has_left(tmp_path: Path) -> None:
    house = House(tmp_path, "game-0001", "game-0002")
    house.running = "game-0002"
    index = house.filled()
    assert house.read == ["game-0001"]
    house.running = ""
    index.look_again()
    read_all(index)
    assert house.read == ["game-0001", "game-0002"]


def test_no_more_than_the_newest_are_read(tmp_path: Path) -> None:
    house = House(tmp_path, *(f"game-{number:04d}" for number in range(MOST_KNOWN + 2)))
    house.filled()
    assert len(house.read) == MOST_KNOWN and "game-0001" not in house.read


def test_a_disk_that_takes_nothing_costs_only_the_next_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    house = House(tmp_path, "game-0001")
    with monkeypatch.context() as full:
        full.setattr("companion.app.game_index.write_state", refuse)
        index = house.filled()
        assert player(index.get("game-0001")) == "Ann"
    read_all(index)
    assert (tmp_path / INDEX_FILE).is_file()


def test_the_thread_reads_what_is_missing_and_ends(tmp_path: Path) -> None:
    house = House(tmp_path, "game-0001")
    read = threading.Event()

    def one_after_the_other(path: Path) -> GameSummary:
        read.set()
        return house.summarize(path)

    index = GameIndex(GameFolders(tmp_path), one_after_the_other)
    index.start(plain_loop)
    assert read.wait(10)
    index.close()
    assert player(index.get("game-0001")) == "Ann" and (tmp_path / INDEX_FILE).is_file()


def test_a_game_that_left_the_table_and_one_that_was_deleted_are_noticed(tmp_path: Path) -> None:
    app_state = make_app_state(tmp_path)
    first = app_state.start_game(begin(tmp_path / "first.jsonl", "tactic", 3, seed=1)[0].header.to_json())
    read_all(app_state.index)
    app_state.start_game(begin(tmp_path / "second.jsonl", "tactic", 3, seed=2)[0].header.to_json())
    read_all(app_state.index)
    known = app_state.known(first)
    assert known is not None and known.summary is not None and known.file
    app_state.delete_game(first)
    read_all(app_state.index)
    assert first not in json.loads((tmp_path / INDEX_FILE).read_bytes())["games"]


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a" * 300, "a\0b", "a\nb", "\udcff"])
def test_what_no_folder_can_be_called_is_no_game(tmp_path: Path, name: str) -> None:
    house = House(tmp_path, "game-0001")
    with suppress(OSError, ValueError):
        house.write(name, "Ben")
    assert name not in GameFolders(house.folder) and name not in kept_games(tmp_path / "games")
    assert "game-0001" in GameFolders(house.folder) and "game-0001" in kept_games(tmp_path / "games")


def test_what_is_no_file_is_no_game(tmp_path: Path) -> None:
    """Opened, a pipe would wait for ever, and a device never end."""
    house = House(tmp_path, "game-0001")
    for name in ("pipe", "device", "folder", "loop"):
        house.path(name).parent.mkdir()
    os.mkfifo(house.path("pipe"))
    house.path("device").symlink_to("/dev/zero")
    house.path("folder").mkdir()
    house.path("loop").symlink_to("journal.jsonl")
    assert GameFolders(house.folder).names() == kept_games(tmp_path / "games") == ["game-0001"]
