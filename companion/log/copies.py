"""Copies of the journals, made while playing: one beside the games for each, for the day the card damages a journal.

A journal only grows, so a copy is its beginning, and grows too: only what is new is written behind it. A copy is
replaced only by a longer file that begins with it: it may be all that is left of a game.

Journals and their copies compared at the start: a line that a failing card damaged comes from the copy.

A line is proved by its checksum, which covers all lines before it. The game goes on to the first line that neither file
holds: what lies behind it could only be read by guessing what is missing, and a guess may accuse somebody. Nothing is
thrown away: a file that is replaced is set aside beside the new one, and said.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from companion.log.event_fields import JOURNAL_VERSION
from companion.log.journal import JournalError, parse_journal, parse_line
from companion.storage.game_folders import may_be_a_game
from companion.storage.repairs import Repair
from companion.storage.state_file import (
    LARGEST,
    RunningChecksum,
    free_name,
    set_aside,
    split_line,
    sync_folder,
    write_beside,
    write_whole,
)

EVIDENCE = b'{"seen": '
"""The beginning of a line in a whole journal that is no event."""


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
    if _read(path) == content:  # a card that takes nothing has it already
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = not path.exists()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "r+b") as copy:
        os.fchmod(descriptor, 0o600)
        earlier = copy.read()
        if not content.startswith(earlier):
            raise CopyRefusedError
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

    >>> from tempfile import mkdtemp
    >>> from types import SimpleNamespace
    >>> games, journal = Path(mkdtemp()) / "games", SimpleNamespace(content=b"{}")
    >>> keeper = CopyKeeper(games, soon_s=0.0)
    >>> keeper.follow("monday", SimpleNamespace(journal=journal, subscribe=lambda changed: None))
    >>> keeper.close()
    >>> copy_of(games, "monday").read_bytes() == journal.content
    True
    """

    def __init__(
        self,
        games: Path,
        refused: Callable[[str], None] = lambda game: None,
        *,
        soon_s: float = 1.0,
        loop: Callable[[Callable[[], bool]], None] | None = None,
    ) -> None:
        """Changes within `soon_s` are copied with one trip to the card. `loop` calls the thread's step until it
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


BLOCK = 4096
"""Bytes that are read at once: where the card does not give them, the file ends."""

UNREADABLE = b"\x00\n"
"""Stands for what the card does not give: no line of a journal."""


def kept_games(games: Path) -> list[str]:
    """Every game with a journal or a copy."""
    journals, copies = games.glob("*/journal.jsonl"), (games.parent / "copies").glob("*.jsonl")
    names = {path.parent.name for path in journals if path.is_file()} | {one.stem for one in copies if one.is_file()}
    return sorted(filter(may_be_a_game, names))


def repair_game(games: Path, game: str) -> list[Repair]:
    """Compare a game, which must not be open, with its copy and repair what is damaged; what was done: at most one
    report."""
    try:
        held, copied = _read(journal_of(games, game)), _read(copy_of(games, game))
    except OSError:
        # Out of reach, not damaged (permissions, a card that is gone): opening the game says so.
        return []
    if not held and not copied:
        return []
    if _is_earlier(copied) and not _is_earlier(held) and _whole(held) and set_aside(copy_of(games, game), "earlier"):
        # The game was converted: its copy is of before, and nothing is damaged.
        copied = b""
    lines = sound_lines(held, copied)
    try:
        return _put_in_place(games, game, held, copied, lines)
    except OSError as error:
        if _is_all(held, lines):
            return []  # the copy alone could not be made, which whoever makes copies says
        return [Repair("REPAIR_FAILED", {"game": game, "why": error.strerror or str(error)})]


def _is_earlier(content: bytes) -> bool:
    """Whether it begins as a journal of a version before this one, which `companion convert` makes anew."""
    try:
        header = parse_line(content.partition(b"\n")[0])
    except ValueError:
        return False
    return isinstance(header, dict) and header.get("journal", 1) in range(1, JOURNAL_VERSION)


def _read(path: Path) -> bytes:
    """A file's bytes, and `UNREADABLE` for those beyond what a game comes to; b"" for a missing file. Raises
    OSError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return b""
    blocks: list[bytes] = []
    try:
        while len(blocks) * BLOCK <= LARGEST and (block := os.read(descriptor, BLOCK)):
            blocks.append(block)
        if len(blocks) * BLOCK > LARGEST:
            blocks.append(UNREADABLE)
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        blocks.append(UNREADABLE)
    finally:
        os.close(descriptor)
    return b"".join(blocks)


def sound_lines(*contents: bytes) -> list[bytes]:
    """The longest beginning of the game that these files hold together, wherever in them its lines lie. Where nothing
    proves which of two lines is right, that of the first file counts."""
    files = [content.split(b"\n") for content in contents]
    everywhere = [(lines, place) for lines in files for place in range(len(lines))]
    due = [0] * len(files)
    taken: list[bytes] = []
    running, checked = RunningChecksum(), False

    def proved(lines: Sequence[bytes], place: int) -> bool:
        body, checksum = split_line(lines[place])
        return checksum == running.after(body)

    def good(lines: Sequence[bytes], place: int) -> bool:
        return split_line(lines[place])[1] is None and _is_object(lines[place])

    while True:
        here = [(lines, place) for lines, place in zip(files, due, strict=True) if place < len(lines)]
        found = next((one for one in chain(here, everywhere) if proved(*one)), None)
        if found is None and not checked:
            found = next((one for one in here if good(*one)), None)
        if found is None:
            return taken
        lines, place = found
        due = [place + 1 if one is lines else earlier + 1 for one, earlier in zip(files, due, strict=True)]
        body, checksum = split_line(lines[place])
        checked = checked or checksum is not None
        running.add(body)
        taken.append(lines[place])


def is_whole(path: Path) -> bool:
    """Whether nothing is wrong with the journal or copy at `path`, only looked at; True where it cannot be reached."""
    try:
        return _whole(_read(path))
    except OSError:
        return True


def is_kept_twice(games: Path, game: str) -> bool:
    """Whether journal and copy are the same and whole, only looked at: nothing to repair."""
    try:
        held = _read(journal_of(games, game))
        return held == _read(copy_of(games, game)) and _whole(held)
    except OSError:
        return False


def _whole(content: bytes) -> bool:
    lines = sound_lines(content)
    proved = bool(lines) and split_line(lines[-1])[1] is not None
    return _is_all(content, lines) and (proved or not _fault(content))


def _is_all(content: bytes, lines: Sequence[bytes]) -> bool:
    """Whether a file holds these lines and nothing else, but for a last one that was being written."""
    whole = b"".join(line + b"\n" for line in lines)
    tail = content.rpartition(b"\n")[2]
    torn = content == whole + tail and not _is_object(tail)
    return bool(lines) and (torn or content + b"\n" == whole)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(parse_line(line), dict)
    except ValueError:
        return False


def _put_in_place(games: Path, game: str, held: bytes, copied: bytes, lines: list[bytes]) -> list[Repair]:
    path, copy = journal_of(games, game), copy_of(games, game)
    whole = b"".join(line + b"\n" for line in lines)
    aside = []
    damaged = not _is_all(held, lines)
    if damaged and held:
        aside.append(_replace(path, whole))
    elif damaged and whole:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, whole)
    if not whole.startswith(copied):
        if _is_all(copied, lines[: copied.count(b"\n")]):
            set_aside(copy, "torn")  # its last line was being written when the power went
        else:
            aside.append(set_aside(copy) or copy)
            damaged = True
    if whole:
        keep_copy(games, game, whole)
    if not damaged:
        return []
    about: dict[str, str | int] = {"game": game, "events": entries_of(whole), "aside": ", ".join(p.name for p in aside)}
    beyond = _beyond(held, lines) | _beyond(copied, lines)
    if not whole:
        return [Repair("JOURNAL_LOST", about)]
    if beyond:
        later = sum(_is_object(line) and not line.startswith(EVIDENCE) for line in beyond)
        return [Repair("JOURNAL_GAP", {**about, "beyond": later})]
    if not held:
        return [Repair("JOURNAL_MISSING", about)]
    return [Repair("JOURNAL_DAMAGED", {**about, "why": _fault(held) or "the journal and its copy differ"})]


def _beyond(content: bytes, lines: list[bytes]) -> set[bytes]:
    """The rest of a file behind the last line that counts, unless it is of another game: by its place in the file,
    or by its number."""
    pieces = content.split(b"\n")[:-1]
    if sound_lines(content)[:1] not in ([], lines[:1]):
        return set()
    last = max((n for n, piece in enumerate(pieces) if [piece] == lines[-1:]), default=len(lines) - 1)
    events = entries_of(b"".join(line + b"\n" for line in lines))
    later = {*pieces[last + 1 :], *(piece for piece in pieces if _event_of(piece) > events)}
    return later - {*lines, b""}


def _event_of(line: bytes) -> int:
    """The number of an event, or of the one before what was seen; 0 for a line that cannot be read."""
    try:
        value = parse_line(line)
    except ValueError:
        return 0
    number = (value.get("seq") or value.get("after")) if isinstance(value, dict) else 0
    return number if type(number) is int else 0


def _replace(path: Path, content: bytes) -> Path:
    """The new journal in the damaged one's place, which gets a name of its own; at no moment is there none."""
    aside = free_name(path, "damaged")
    if content:
        fresh = write_beside(path, content)
        os.link(path, aside)
        fresh.replace(path)
    else:
        path.rename(aside)
    sync_folder(path.parent)
    return aside


def _fault(content: bytes) -> str:
    try:
        parse_journal(content)
    except JournalError as fault:
        return fault.why
    return ""
