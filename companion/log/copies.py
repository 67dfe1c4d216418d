"""Copies of the journals, made while playing: one beside the games for each, for the day the card damages a journal.

A journal only grows, so a copy is its beginning, and grows too: only what is new is written behind it. A copy is never
replaced by anything of which it is not a beginning: it may be all that is left of a game.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from companion.storage.state_file import sync_folder

EVIDENCE = b'{"seen": '
"""How a line of a whole journal begins that is no event."""


WAIT_S = 2.0
"""Between two signs of life where nothing happens."""


class CopyRefusedError(Exception):
    """The copy holds something else, or more."""


class Recorded(Protocol):
    """A game whose journal this program writes: its lines are in memory whatever the card does."""

    @property
    def journal(self) -> Any: ...

    def subscribe(self, callback: Callable[..., None]) -> Any: ...


def journal_of(games: Path, game: str) -> Path:
    return games / game / "journal.jsonl"


def copy_of(games: Path, game: str) -> Path:
    """Where a game's copy lies."""
    return games.parent / "copies" / f"{game}.jsonl"


def keep_copy(games: Path, game: str, content: bytes) -> None:
    """Bring the game's copy to `content`. Raises CopyRefusedError, OSError; a beginning of it is then still there."""
    path = copy_of(games, game)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = not path.exists()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "r+b") as copy:
        os.fchmod(descriptor, 0o600)
        earlier = copy.read()
        if not content.startswith(earlier):
            raise CopyRefusedError
        if earlier == content:
            return
        copy.write(content[len(earlier) :])
        copy.flush()
        os.fsync(copy.fileno())
    if fresh:
        sync_folder(path.parent)


def entries_of(content: bytes) -> int:
    """How many entries a whole journal has: its events. The first line is the header, others say what was seen."""
    return max(content.count(b"\n") - 1 - content.count(b"\n" + EVIDENCE), 0)


class CopyKeeper:
    """Makes the copies while playing, in a thread of its own. `follow` fits AppState.follow.

    `refused` hears the game whose copy holds more or something else, once. A full disk only delays a copy, and the
    thread's loop says so.
    """

    def __init__(
        self,
        games: Path,
        refused: Callable[[str], None] = lambda game: None,
        *,
        soon_s: float = 1.0,
        loop: Callable[[Callable[[], bool]], None] | None = None,
    ) -> None:
        """What happens within `soon_s` is copied with one trip to the card. `loop` calls the thread's step until it
        says False, and says what the step raises; left out, nobody hears of it."""
        self._games = games
        self._refused = refused
        self._due = threading.Event()
        self._lock = threading.Lock()
        self._played: dict[str, Recorded] = {}
        self._waiting: set[str] = set()
        self._refused_games: set[str] = set()
        self._soon_s = soon_s
        self._ending = threading.Event()
        self._thread = threading.Thread(target=loop or _plain_loop, args=(self._step,), name="copies", daemon=True)
        self._thread.start()

    def follow(self, game: str, session: Recorded) -> None:
        """Copy this game from now on."""
        with self._lock:
            self._played = {game: session, **{name: self._played[name] for name in self._waiting - {game}}}
        session.subscribe(lambda *_: self._changed(game))
        self._changed(game)

    def close(self) -> None:
        """Copy what has not been copied and end."""
        self._ending.set()
        self._due.set()
        self._thread.join()

    def _changed(self, game: str) -> None:
        with self._lock:
            if game in self._played:
                self._waiting.add(game)
        self._due.set()

    def _step(self) -> bool:
        if self._due.wait(WAIT_S):
            self._ending.wait(self._soon_s)
            self._due.clear()
        # Asked only now: what `close` says while `_due` is cleared would not be heard again.
        ending = self._ending.is_set()
        with self._lock:
            due = {game: self._played[game] for game in self._waiting}
        try:
            for game, session in due.items():
                self._copy(game, session)
        except Exception:
            if not ending:
                raise
        return not ending

    def _copy(self, game: str, session: Recorded) -> None:
        with self._lock:
            self._waiting.discard(game)
        try:
            keep_copy(self._games, game, session.journal.content)
        except CopyRefusedError:
            if game not in self._refused_games:
                self._refused_games.add(game)
                self._refused(game)
        except BaseException:
            with self._lock:  # another game may have come on the table meanwhile
                self._played.setdefault(game, session)
                self._waiting.add(game)
            self._due.set()
            raise


def _plain_loop(step: Callable[[], bool]) -> None:
    going_on = True
    while going_on:
        try:
            going_on = step()
        except OSError:
            time.sleep(WAIT_S)
