"""A journal that a failing card has damaged: set aside, never thrown away, and brought back from its copy.

Copies lie in `copies/` beside the games and are made while playing. A journal only grows, so a copy is its beginning,
and so is what can still be read before the damaged line; the longer of the two is what comes back. Nothing is ever
reset in silence: whatever was lost is said, and the damaged file stays for whoever wants to look.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.journal import JournalError, JournalText, parse_journal, parse_line, read_journal

EVERY_EVENTS = 10
"""A copy is made at least so often; a round's end always makes one."""

ALWAYS_AFTER = ("round_ended", "round_scored", "match_ended")


@dataclass(frozen=True, slots=True)
class Mended:
    """What was done about one damaged game. `events` came back; `set_aside` is the damaged file; `fault` is what was
    wrong with it, in one line."""

    game: str
    fault: str
    set_aside: Path
    events: int

    @property
    def sentence(self) -> str:
        return (
            f"game {self.game} was damaged and set aside as {self.set_aside.name} ({self.fault}); "
            f"its first {self.events} events are back"
        )


def copy_of(games: Path, game: str) -> Path:
    """Where a game's copy lies."""
    return games.parent / "copies" / f"{game}.jsonl"


def keep_copy(games: Path, game: str) -> bool:
    """Copy the journal as it is now. False, and the older copy kept, where it cannot be read or written."""
    source, target = games / game / "journal.jsonl", copy_of(games, game)
    fresh = target.with_suffix(".new")
    try:
        content = source.read_bytes()
        parse_journal(content, str(source))
        target.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        fresh.replace(target)
    except (OSError, JournalError):
        fresh.unlink(missing_ok=True)
        return False
    return True


def mend_games(games: Path) -> list[Mended]:
    """Look at every game of the folder and mend the damaged ones. A game of which nothing is left is only set aside.

    Damaged is a journal with a line that is not JSON. One that is whole but was written by another version is left
    alone.
    """
    mended = []
    for path in sorted(games.glob("*/journal.jsonl")):
        try:
            read_journal(path)
        except JournalError as fault:
            done = _mend(games, path, str(fault))
            if done is not None:
                mended.append(done)
    return mended


def _mend(games: Path, path: Path, fault: str) -> Mended | None:
    game = path.parent.name
    try:
        damaged = path.read_bytes()
    except OSError:
        # Not damaged but out of reach (permissions, a card that is gone): there is nothing to decide here.
        return None
    if not _is_damaged(damaged):
        # Whole, but not for this program (written by a newer release, say): that is a fault to show, not to mend.
        return None
    beginnings = [_whole_beginning(damaged), _copy(games, game)]
    best = max((text for text in beginnings if text is not None), key=lambda text: len(text[1].events), default=None)
    aside = _free_name(path)
    path.rename(aside)
    if best is not None:
        fresh = path.with_suffix(".new")
        with fresh.open("wb") as out:
            out.write(best[0])
            out.flush()
            os.fsync(out.fileno())
        fresh.replace(path)
    return Mended(game, fault, aside, 0 if best is None else len(best[1].events))


def _is_damaged(content: bytes) -> bool:
    """Whether a whole line is not even JSON: no program wrote it so."""
    lines = content.splitlines()
    if not content.endswith(b"\n"):
        lines = lines[:-1]
    for line in lines:
        try:
            parse_line(line)
        except ValueError:
            return True
    return not lines


def _whole_beginning(damaged: bytes) -> tuple[bytes, JournalText] | None:
    """The longest beginning of whole lines that is a journal; None where not even the header is."""
    lines = damaged.splitlines(keepends=True)
    fewest, most, best = 1, len(lines), None
    while fewest <= most:
        count = (fewest + most) // 2
        content = b"".join(lines[:count])
        try:
            best = (content, parse_journal(content))
        except JournalError:
            most = count - 1
        else:
            fewest = count + 1
    return None if best is None or not best[0].endswith(b"\n") else best


def _copy(games: Path, game: str) -> tuple[bytes, JournalText] | None:
    try:
        content = copy_of(games, game).read_bytes()
        return content, parse_journal(content)
    except (OSError, JournalError):
        return None


def _free_name(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return aside


class CopyKeeper:
    """Makes the copies while playing, in a thread of its own. `follow` fits House.follow."""

    def __init__(self, games: Path) -> None:
        self._games = games
        self._due = threading.Event()
        self._lock = threading.Lock()
        self._dirty: dict[str, int] = {}
        self._stop = False
        self._thread = threading.Thread(target=self._run, name="copies", daemon=True)
        self._thread.start()

    def follow(self, game: str, session: Any) -> None:
        """Copy this game from now on."""
        session.subscribe(lambda *events: self._heard(game, events))
        self._heard(game, (), at_once=True)

    def close(self) -> None:
        """Copy what has not been copied and end."""
        self._stop = True
        self._due.set()
        self._thread.join()

    def _heard(self, game: str, heard: Sequence[Any], *, at_once: bool = False) -> None:
        events = [one for some in heard for one in (some if isinstance(some, list | tuple) else (some,))]
        with self._lock:
            self._dirty[game] = self._dirty.get(game, 0) + max(1, len(events))
            due = at_once or self._dirty[game] >= EVERY_EVENTS
        if due or any(getattr(event, "KIND", "") in ALWAYS_AFTER for event in events):
            self._due.set()

    def _run(self) -> None:
        while True:
            self._due.wait()
            self._due.clear()
            ending = self._stop
            with self._lock:
                games, self._dirty = list(self._dirty), {}
            for game in games:
                keep_copy(self._games, game)
            if ending:
                return
