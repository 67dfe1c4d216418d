"""A damaged journal comes back from its copy or its own beginning, is never thrown away, and never silently differs."""

from __future__ import annotations

import errno
import json
import os
import shutil
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from bench.attacks.damage import attack, make_watched_game
from bench.stand_ins.telling import until
from companion.app.games import make_app_state
from companion.cli import reporting
from companion.game.converting import convert
from companion.log import copies
from companion.log import journal as journal_module
from companion.log.copies import (
    CopyKeeper,
    CopyRefusedError,
    copy_of,
    is_kept_twice,
    journal_of,
    keep_copy,
    kept_games,
    repair_game,
)
from companion.log.event_fields import Header
from companion.log.events import Drew, RoundEnded, SeenLine
from companion.log.journal import Journal, JournalError, read_journal
from companion.storage.repairs import Repair
from companion.storage.state_file import RunningChecksum
from companion.supervise.parts import Parts
from companion.web.texts import cases, in_english

HEADER = Header("tactic", "double-9", ("Ann", "Ben"))


@pytest.fixture
def games(tmp_path: Path) -> Path:
    folder = tmp_path / "games"
    (folder / "evening").mkdir(parents=True)
    with Journal.create(folder / "evening/journal.jsonl", HEADER) as journal:
        journal.append_all([Drew(by="Ann")] * 30)
    return folder


@pytest.fixture
def path(games: Path) -> Path:
    return journal_of(games, "evening")


@pytest.fixture
def copy(games: Path, path: Path) -> Path:
    """The copy of the whole game."""
    keep_copy(games, "evening", path.read_bytes())
    return copy_of(games, "evening")


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def wipe(path: Path, *lines: int) -> bytes:
    """These lines hold zeros; the header is line 0."""
    content = lines_of(path)
    for line in lines:
        content[line] = b"\x00" * (len(content[line]) - 1) + b"\n"
    path.write_bytes(b"".join(content))
    return path.read_bytes()


def codes(reports: list[Repair]) -> list[str]:
    for report in reports:
        sentence = in_english(report)
        assert "\n" not in sentence and "%(" not in sentence
        assert cases()[report.code].meaning % dict(report.about)
    return [report.code for report in reports]


def test_a_whole_journal_is_left_alone(games: Path, path: Path, copy: Path) -> None:
    before = path.read_bytes(), copy.read_bytes()
    assert kept_games(games) == ["evening"] and repair_game(games, "evening") == []
    assert (path.read_bytes(), copy.read_bytes()) == before


def test_a_journal_that_lost_its_end_gets_it_back_from_its_copy(games: Path, path: Path, copy: Path) -> None:
    whole = path.read_bytes()
    for left in range(1, 31):
        path.write_bytes(b"".join(lines_of(copy)[:left]))
        short = path.read_bytes()
        [report] = repair_game(games, "evening")
        assert codes([report]) == ["JOURNAL_DAMAGED"] and report.about["events"] == 30
        assert path.read_bytes() == whole
        assert (path.parent / str(report.about["aside"])).read_bytes() == short
    assert copy.read_bytes() == whole


def test_a_copy_is_never_replaced_by_a_shorter_journal(games: Path, path: Path, copy: Path) -> None:
    whole = copy.read_bytes()
    with pytest.raises(CopyRefusedError):
        keep_copy(games, "evening", b"".join(lines_of(path)[:12]))
    assert copy.read_bytes() == whole


def test_a_short_copy_goes_on_where_it_stopped(games: Path, path: Path) -> None:
    keep_copy(games, "evening", b"".join(lines_of(path)[:12]))
    keep_copy(games, "evening", path.read_bytes())
    assert copy_of(games, "evening").read_bytes() == path.read_bytes()
    assert copy_of(games, "evening").stat().st_mode & 0o777 == 0o600


def test_a_wiped_line_comes_back_and_the_damaged_file_stays(games: Path, path: Path, copy: Path) -> None:
    damaged = wipe(path, 4)
    [report] = repair_game(games, "evening")
    assert report.code == "JOURNAL_DAMAGED"
    assert "line 5" in str(report.about["why"])
    assert (path.parent / str(report.about["aside"])).read_bytes() == damaged
    assert path.read_bytes() == copy.read_bytes()
    assert repair_game(games, "evening") == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda lines: [*lines[:9], lines[9].replace(b'"Ann"', b'"Ben"'), *lines[10:]],
        lambda lines: [*lines[:9], *lines[10:]],
        lambda lines: [*lines[:9], lines[9], *lines[9:]],
        lambda lines: [*lines[:9], lines[10], lines[9], *lines[11:]],
    ],
    ids=["another word", "a line lost", "a line doubled", "two lines exchanged"],
)
def test_damage_that_is_still_good_json_is_found_and_repaired(
    games: Path, path: Path, copy: Path, damage: Callable[[list[bytes]], list[bytes]]
) -> None:
    path.write_bytes(b"".join(damage(lines_of(path))))
    with pytest.raises(JournalError):
        read_journal(path)
    assert codes(repair_game(games, "evening")) == ["JOURNAL_DAMAGED"]
    assert path.read_bytes() == copy.read_bytes()


def test_two_damaged_files_together_still_hold_the_game(games: Path, path: Path, copy: Path) -> None:
    whole = path.read_bytes()
    journal_damaged, copy_damaged = wipe(path, 0, 3, 4, 20, 30), wipe(copy, 1, 2, 19)
    [report] = repair_game(games, "evening")
    assert codes([report]) == ["JOURNAL_DAMAGED"]
    assert path.read_bytes() == copy.read_bytes() == whole
    aside, other = str(report.about["aside"]).split(", ")
    assert (path.parent / aside).read_bytes() == journal_damaged
    assert (copy.parent / other).read_bytes() == copy_damaged


def test_the_game_ends_before_the_first_entry_that_nobody_holds_and_the_rest_is_counted(
    games: Path, path: Path, copy: Path
) -> None:
    wipe(path, 20)
    wipe(copy, 20)
    reports = repair_game(games, "evening")
    assert codes(reports) == ["JOURNAL_GAP"]
    assert reports[-1].about["events"] == 19 and reports[-1].about["beyond"] == 10
    assert len(read_journal(path).events) == 19


def test_entries_that_only_a_damaged_copy_holds_behind_a_gap_are_counted(games: Path, path: Path, copy: Path) -> None:
    """The journal lost its end at a line's end, and looks whole; the copy knows that there was more."""
    path.write_bytes(b"".join(lines_of(path)[:11]))
    wipe(copy, 11, 12)
    [report] = repair_game(games, "evening")
    assert codes([report]) == ["JOURNAL_GAP"]
    assert report.about["events"] == 10 and report.about["beyond"] == 18
    assert (copy.parent / str(report.about["aside"])).exists()
    assert len(read_journal(path).events) == 10
    assert repair_game(games, "evening") == []


def test_a_copy_of_something_else_is_kept_and_the_journal_counts(games: Path, path: Path, copy: Path) -> None:
    before = path.read_bytes()
    copy.unlink()
    other = games / "other.jsonl"
    with Journal.create(other, Header("cz", "double-9", ("Cy", "Dee"))) as journal:
        journal.append_all([Drew(by="Cy")] * 40)
    copy.write_bytes(other.read_bytes())
    [report] = repair_game(games, "evening")
    assert report.code == "JOURNAL_DAMAGED"
    assert (copy.parent / str(report.about["aside"])).read_bytes() == other.read_bytes()
    assert path.read_bytes() == copy.read_bytes() == before


def test_a_converted_game_is_not_called_damaged_and_its_earlier_copy_stays(games: Path, path: Path) -> None:
    earlier = path.with_name("earlier.jsonl")
    drew = {"seq": 1, "at": "2026-11-20T18:00:00.000Z", "source": "person", "event": "drew", "by": "Ann"}
    text = "".join(json.dumps(line) + "\n" for line in ({**HEADER.to_json(), "journal": 2}, drew)).encode()
    earlier.write_bytes(text)
    keep_copy(games, "evening", text)
    path.unlink()
    convert(earlier, path)
    whole = path.read_bytes()
    assert repair_game(games, "evening") == []
    copy = copy_of(games, "evening")
    assert path.read_bytes() == copy.read_bytes() == whole
    assert copy.with_name(f"{copy.name}.earlier-1").read_bytes() == text
    assert is_kept_twice(games, "evening")


def test_a_journal_that_is_gone_comes_back_from_its_copy(games: Path, path: Path, copy: Path) -> None:
    path.unlink()
    path.parent.rmdir()
    assert kept_games(games) == ["evening"] and codes(repair_game(games, "evening")) == ["JOURNAL_MISSING"]
    assert path.read_bytes() == copy.read_bytes()


def test_only_a_game_that_lies_there_twice_and_whole_needs_no_repair(games: Path, path: Path, copy: Path) -> None:
    assert is_kept_twice(games, "evening") and not is_kept_twice(games, "nothing")
    copy.write_bytes(b"".join(lines_of(path)[:-1]))
    assert not is_kept_twice(games, "evening")
    wipe(path, 4)
    copy.write_bytes(path.read_bytes())
    assert not is_kept_twice(games, "evening"), "the same damage twice"


def an_evening(games: Path, name: str) -> Path:
    (games / name).mkdir(parents=True, exist_ok=True)
    with Journal.create(journal_of(games, name), HEADER) as journal:
        journal.append_all([Drew(by="Ann")] * 5)
    keep_copy(games, name, journal_of(games, name).read_bytes())
    return journal_of(games, name)


def test_a_start_repairs_what_it_opens_and_the_rest_while_the_page_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three hundred games kept a small board from its page for a minute."""
    monkeypatch.setattr(reporting, "PAUSE_S", 0.0)
    games = tmp_path / "games"
    old, gone, last = (an_evening(games, f"game-000{n}") for n in (1, 2, 3))
    wholes = [path.read_bytes() for path in (old, gone, last)]
    shutil.rmtree(gone.parent)
    wipe(old, 3)
    wipe(last, 3)
    storage = reporting.open_storage(tmp_path)
    assert [one.about["game"] for one in storage.repairs.open()] == ["game-0003", "game-0002"]
    assert last.read_bytes() == wholes[2] and gone.read_bytes() == wholes[1] and old.read_bytes() != wholes[0]
    app_state = make_app_state(tmp_path, repairs=storage.repairs)
    with ExitStack() as parts:
        storage.repair_earlier_games(app_state, parts)
        until(lambda: old.read_bytes() == wholes[0])
        until(lambda: "game-0001" in [one.about.get("game") for one in storage.repairs.open()])
    app_state.signal.close()


def test_a_game_that_has_come_on_the_table_is_left_to_its_own_copying(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporting, "PAUSE_S", 0.0)
    games = tmp_path / "games"
    storage = reporting.open_storage(tmp_path)
    played = an_evening(games, "game-0001")
    app_state = make_app_state(tmp_path, repairs=storage.repairs)
    assert app_state.game == "game-0001"
    copy_of(games, "game-0001").write_bytes(b"".join(lines_of(played)[:3]))
    short = copy_of(games, "game-0001").read_bytes()
    with ExitStack() as parts:
        storage.repair_earlier_games(app_state, parts)
        until(lambda: not [one for one in threading.enumerate() if one.name == "repairs"])
    assert copy_of(games, "game-0001").read_bytes() == short
    app_state.signal.close()


def test_a_game_of_which_nothing_is_left_is_set_aside_and_said(games: Path, path: Path) -> None:
    path.write_bytes(b"\x00" * 500)
    [report] = repair_game(games, "evening")
    assert codes([report]) == ["JOURNAL_LOST"]
    assert (path.parent / str(report.about["aside"])).read_bytes() == b"\x00" * 500
    assert not path.exists()


def test_a_torn_last_line_is_no_damage(games: Path, path: Path, copy: Path) -> None:
    for file in (path, copy):
        file.write_bytes(file.read_bytes() + b'{"seq": 31, "eve')
        assert repair_game(games, "evening") == []
    copy.write_bytes(copy.read_bytes() + b"\x00" * 20)
    assert repair_game(games, "evening") == []
    with Journal.open(path) as journal:
        journal.append(Drew(by="Ben"))
        keep_copy(games, "evening", journal.content)
    assert copy.read_bytes() == path.read_bytes()


def test_a_block_that_the_card_does_not_give_any_more_comes_from_the_copy(
    games: Path, path: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = os.read
    lost = path.stat().st_ino

    def failing(descriptor: int, length: int) -> bytes:
        if os.fstat(descriptor).st_ino == lost:
            raise OSError(errno.EIO, "Input/output error")
        return read(descriptor, length)

    monkeypatch.setattr(copies.os, "read", failing)
    assert codes(repair_game(games, "evening")) == ["JOURNAL_DAMAGED"]
    assert path.read_bytes() == copy.read_bytes()


def test_a_file_larger_than_any_game_is_not_read_whole_and_the_game_comes_from_the_copy(
    games: Path, path: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (copies, journal_module):
        monkeypatch.setattr(module, "LARGEST", 100_000)
    os.truncate(path, 600_000)
    for read in (read_journal, Journal.open):
        with pytest.raises(JournalError, match="larger than"):
            read(path)
    assert codes(repair_game(games, "evening")) == ["JOURNAL_GAP"], "nobody knows what the rest held"
    assert path.read_bytes() == copy.read_bytes()


def test_where_the_disk_is_full_nothing_is_changed_and_it_is_said(
    games: Path, path: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = wipe(path, 4)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(copies.os, "fsync", full)
        [report] = repair_game(games, "evening")
    assert in_english(report) == "Game evening is damaged and could not be repaired: No space left on device"
    assert path.read_bytes() == damaged
    assert codes(repair_game(games, "evening")) == ["JOURNAL_DAMAGED"]


def test_a_whole_game_that_cannot_be_copied_is_not_called_damaged(
    games: Path, path: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy.unlink()

    def read_only(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(copies, "keep_copy", read_only)
    assert repair_game(games, "evening") == []


class PowerCut(BaseException):
    """Nothing catches it, as nothing catches a power cut."""


@pytest.mark.parametrize("step", range(12))
def test_a_power_cut_during_a_repair_loses_nothing(
    games: Path, path: Path, copy: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    whole = path.read_bytes()
    wipe(path, 2, 8)
    wipe(copy, 5, 30)
    calls = 0

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls > step:
                raise PowerCut
            return function(*arguments)

        return call

    with monkeypatch.context() as patched:
        for owner, name in ((os, "fsync"), (os, "link"), (os, "open"), (Path, "replace"), (Path, "rename")):
            patched.setattr(owner, name, counted(getattr(owner, name)))
        try:
            repair_game(games, "evening")
        except PowerCut:
            pass
        else:
            assert step >= 9, "the repair has fewer steps than were cut"
    repair_game(games, "evening")
    assert path.read_bytes() == whole
    assert repair_game(games, "evening") == []


def test_lines_that_nothing_proves_behind_proved_ones_are_set_aside_and_counted(
    games: Path, path: Path, copy: Path
) -> None:
    for seq in (31, 32):
        line = json.dumps(Drew(by="Ben", seq=seq).to_json()).encode() + b"\n"
        path.write_bytes(path.read_bytes() + line)
    damaged = path.read_bytes()
    reports = repair_game(games, "evening")
    assert codes(reports) == ["JOURNAL_GAP"]
    assert reports[-1].about["beyond"] == 2
    assert (path.parent / str(reports[0].about["aside"])).read_bytes() == damaged
    assert len(read_journal(path).events) == 30


def test_a_flipped_bit_without_a_copy_ends_the_game_there_and_is_said(games: Path, path: Path) -> None:
    lines = lines_of(path)
    changed = bytearray(lines[12])
    changed[20] ^= 1
    path.write_bytes(b"".join([*lines[:12], bytes(changed), *lines[13:]]))
    reports = repair_game(games, "evening")
    assert codes(reports) == ["JOURNAL_GAP"]
    assert reports[-1].about["events"] == 11
    assert reports[-1].about["beyond"] == 19, "the changed line lies there too"


def test_a_journal_of_another_version_is_left_alone(games: Path, path: Path) -> None:
    chain = RunningChecksum()
    lines = [
        chain.sealed(line) + b"\n"
        for line in (b'{"journal": 9, "players": []}', b'{"seq": 1, "event": "danced"}', b'{"seq": 2}')
    ]
    path.write_bytes(b"".join(lines))
    keep_copy(games, "evening", b"".join(lines[:2]))
    assert repair_game(games, "evening") == []
    path.write_bytes(b"".join([lines[0], lines[2]]))
    assert codes(repair_game(games, "evening")) == ["JOURNAL_DAMAGED"], "but damage to it is found"
    assert path.read_bytes() == b"".join(lines)


def test_an_entry_that_neither_file_gives_is_said_though_nothing_lies_behind_it(
    games: Path, path: Path, copy: Path
) -> None:
    wipe(path, 30)
    wipe(copy, 30)
    [report] = repair_game(games, "evening")
    assert codes([report]) == ["JOURNAL_GAP"] and (report.about["events"], report.about["beyond"]) == (29, 0)
    assert repair_game(games, "evening") == []


@pytest.mark.slow
def test_no_damage_is_silent_and_nothing_is_lost(tmp_path: Path) -> None:
    """The short version of `python -m bench.attacks.damage`."""
    report = attack(tmp_path, damages=30, seed=39)
    assert report.failed == []
    assert report.faults == 0
    assert report.identical > 15 and report.entries_restored > 50


def test_no_damage_to_what_the_camera_saw_is_silent(tmp_path: Path) -> None:
    game = make_watched_game(tmp_path, 7)
    assert sum(isinstance(one, SeenLine) for one in game.entries) > 20
    assert len(game.entries) == len(game.lines) - 1
    report = attack(tmp_path, damages=12, seed=41, watched=True)
    assert report.failed == []
    assert report.faults == 0
    assert report.identical > 4 and report.entries_restored > 8


def test_a_last_line_without_its_line_feed_is_not_missed(games: Path, path: Path, copy: Path) -> None:
    for file in (path, copy):
        file.write_bytes(file.read_bytes()[:-1])
    assert repair_game(games, "evening") == []


class Session:
    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.tell: Callable[..., None] = lambda *events: None

    def subscribe(self, callback: Callable[..., None]) -> None:
        self.tell = callback

    def append(self, *events: Any) -> None:
        self.tell(self.journal.append_all(events))


def test_copies_are_made_while_playing_from_memory(games: Path, path: Path) -> None:
    with Journal.open(path) as journal:
        session = Session(journal)
        keeper = CopyKeeper(games)
        keeper.follow("evening", session)
        wipe(path, 7)
        session.append(*[Drew(by="Ann")] * 9)
        session.append(RoundEnded(how="abandoned"))
        keeper.close()
        assert copy_of(games, "evening").read_bytes() == journal.content, "whatever the card did to the journal"
    assert len(read_journal(copy_of(games, "evening")).events) == 40


def test_an_end_that_is_said_at_any_moment_is_heard(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.log.copies.WAIT_S", 0.01)
    step: list[Callable[[], bool]] = []
    keeper = CopyKeeper(games, soon_s=0.0, loop=step.append)

    class Interrupted(threading.Event):
        def clear(self) -> None:
            # As `close` does, just before a step forgets that something was due.
            keeper._ending.set()
            self.set()
            super().clear()

    keeper._due = Interrupted()
    keeper._due.set()
    assert not (step[0]() and step[0]())


def test_a_copy_that_fails_for_any_reason_is_made_again(
    games: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = [RuntimeError("a mistake of the program"), OSError(errno.EIO, "Input/output error")]

    def failing(*given: Any) -> None:
        if failures:
            keeper.follow("other", Session(journal))  # another game comes on the table just then
            raise failures.pop()
        made(*given)

    made = copies.keep_copy
    monkeypatch.setattr(copies, "keep_copy", failing)
    said = Parts(pause=lambda seconds: None)
    with Journal.open(path) as journal:
        keeper = CopyKeeper(games, soon_s=0.0, loop=said.add("copies").loop)
        keeper.follow("evening", Session(journal))
        assert until(lambda: copy_of(games, "evening").exists())
        keeper.close()
        assert copy_of(games, "evening").read_bytes() == journal.content
    assert failures == [] and said.repairs() == []


def test_a_copy_that_holds_more_is_reported_once(games: Path, path: Path, copy: Path) -> None:
    path.write_bytes(b"".join(lines_of(path)[:12]))
    refused: list[str] = []
    with Journal.open(path) as journal:
        session = Session(journal)
        keeper = CopyKeeper(games, refused.append)
        keeper.follow("evening", session)
        session.append(Drew(by="Ben"))
        keeper.close()
    assert refused == ["evening"]
    assert len(read_journal(copy).events) == 30
