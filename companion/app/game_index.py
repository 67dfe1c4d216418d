"""What is known of each game, without playing it again: for the list of games, and for seasons.

A journal is read once. What it says is kept over restarts, until its file is another one or a new release counts anew.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from companion.game.game_view import GameView
from companion.log.event_fields import EventError
from companion.log.journal import JournalError, read_journal
from companion.play.match import fold, most_points_win
from companion.rules.ruleset import load_ruleset
from companion.rules.ruleset_fields import RuleSetError
from companion.storage.game_folders import GameFolders
from companion.storage.records import record
from companion.storage.state_file import file_state, read_state, write_state
from companion.supervise.parts import LoopStep, line_of

INDEX_FILE = "game-index.json"
"""In the data folder."""

MOST_KNOWN = 200
"""The newest games: those that count for statistics. A list shows fewer."""

PAUSE_S = 0.25
"""After each journal that is read: the reading takes a fifth of a core. A thread of lower priority would not do, since
it could be kept from the core while it holds the interpreter, and the page with it."""

WAIT_S = 2.0
"""Between two signs of life while there is nothing to read."""


@dataclass(frozen=True, slots=True)
class GameSummary:
    """`round` is the last one begun, None before the first; `begun` the moment of the first entry as the journal has
    it, "" where it does not say; `winners` is empty until the match is over.

    For statistics, and left out of a game that is being played: the points of each scored round in `scores`, the
    `totals` after the last, with what was brought along, and the certain faults by player and code. Games count
    together if their `rules` and `most_points_win` are the same: their points mean the same.
    """

    rules: str
    set: str
    players: tuple[str, ...]
    options: Mapping[str, Any]
    round: int | None = None
    winners: tuple[str, ...] = ()
    begun: str = ""
    most_points_win: bool = False
    scores: tuple[Mapping[str, int], ...] = ()
    totals: Mapping[str, int] = field(default_factory=dict)
    faults: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def summarize(path: Path) -> GameSummary:
    """The summary of a journal. Raises OSError, JournalError in one line."""
    journal = read_journal(path)
    header = journal.header
    try:
        rules = load_ruleset(header.rules, header.options)
        board = fold(header, journal.events)
    except (RuleSetError, EventError) as fault:
        raise JournalError(path, str(fault)) from None
    faults: dict[str, Counter[str]] = {}
    for line, finding in board.faults:
        player = finding.by or getattr(line.event, "by", None)
        if player in header.players:
            faults.setdefault(player, Counter())[finding.code] += 1
    return GameSummary(
        rules=header.rules,
        set=header.set,
        players=header.players,
        options=dict(header.options),
        round=board.round.number if board.round else None,
        winners=board.winners,
        begun=journal.events[0].at or "" if journal.events else "",
        most_points_win=most_points_win(rules),
        scores=tuple(sheet.scores for sheet in board.rounds if sheet.scores is not None),
        totals=dict(board.totals),
        faults=faults,
    )


def summary_of(view: GameView, begun: str) -> GameSummary:
    """The summary of a game that is being played, from what it shows."""
    return GameSummary(view.rules, view.set, view.players, view.options, view.round, view.winners, begun)


@dataclass(frozen=True, slots=True)
class KnownGame:
    """`summary` of a game, or the `fault` for which it cannot be read, in one line. `file`: what its journal was like;
    "" for a journal that the disk does not give, which is asked for again."""

    file: str
    summary: GameSummary | None = None
    fault: str = ""


NOTHING = KnownGame("")


@cache
def own_release() -> str:
    """Another one for every change of the program by which a journal may come to something else."""
    rooms = (Path(__file__).parents[1] / room for room in ("app", "log", "play", "rules", "storage"))
    files = (path for room in rooms for path in sorted(room.rglob("*.*")) if path.suffix in (".py", ".toml"))
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


class GameIndex:
    """What is known of the newest games, by name. Thread-safe: a request takes what is there, and the journals are read
    one at a time in a thread of their own."""

    def __init__(
        self,
        games: GameFolders,
        summarize: Callable[[Path], GameSummary] = summarize,
        running: Callable[[], str] = str,
        damaged: Callable[[Path], None] = lambda aside: None,
        release: str = "",
    ) -> None:
        """`running`: the game on the table, "" for none; it is not read. `release`: of the program, else its own."""
        self._file, self._games, self._summarize, self._running = games.data_dir / INDEX_FILE, games, summarize, running
        self._release = release or own_release()
        self._kept = read_state(self._file, self._understood, dict[str, KnownGame](), damaged)
        self._waiting: list[str] = []
        self._unsaved = False
        self._changed, self._over = threading.Event(), threading.Event()
        self.look_again = self._changed.set
        self.look_again()

    def get(self, game: str, *, now: bool = False) -> KnownGame | None:
        """What is known of a game; None while its journal is still to be read, unless it is read `now`."""
        known = self._kept.get(game, NOTHING)
        if known.file == self._state(game):
            return known
        self.look_again()
        if now:
            return self._read(game)
        return known if known.fault and not known.file else None

    def read_next(self) -> bool:
        """Read one journal that is not known, of the newest game first; False once all are known and written down."""
        if self._changed.is_set():
            self._changed.clear()
            names = self._games.names(MOST_KNOWN)
            gone = [self._kept.pop(game) for game in self._kept.keys() - names]
            self._unsaved = self._unsaved or bool(gone)
            unlike = [name for name in names if self._kept.get(name, NOTHING).file != self._state(name)]
            self._waiting = [name for name in unlike if name != self._running()]
        if self._waiting:
            self._read(self._waiting.pop(0))
        if self._unsaved and (not self._waiting or self._over.is_set()):
            # The page says of the disk that it refuses. This only makes the next start slow.
            with suppress(OSError, UnicodeError):
                kept = {game: record(KnownGame).write(known) for game, known in self._kept.copy().items() if known.file}
                write_state(self._file, {"release": self._release, "games": kept})
                self._unsaved = False
        return bool(self._waiting)

    def start(self, loop: Callable[[LoopStep], None]) -> None:
        """Read in a thread, whose `loop` calls its step until it says False."""
        self._thread = threading.Thread(target=loop, args=(self._step,), name="game-index", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; what it has read is written down."""
        self._over.set()
        self.look_again()
        self._thread.join()

    def _step(self) -> bool:
        if not self._waiting:
            self._changed.wait(WAIT_S)
        return not self._over.wait(PAUSE_S if self.read_next() else 0)

    def _read(self, game: str) -> KnownGame:
        file = self._state(game)  # asked first: what is added meanwhile makes it another file
        try:
            known = KnownGame(file, self._summarize(self._journal(game)))
        except OSError as fault:
            known = KnownGame("", fault=line_of(fault))
        except Exception as fault:  # one broken file must not hide the others
            known = KnownGame(file, fault=line_of(fault))
        self._kept[game], self._unsaved = known, True
        return known

    def _journal(self, game: str) -> Path:
        return self._games.folder(game) / "journal.jsonl"

    def _state(self, game: str) -> str:
        with suppress(OSError):
            return "-".join(map(str, file_state(self._journal(game))))
        return ""

    def _understood(self, kept: Any) -> dict[str, KnownGame]:
        games = kept["games"] if kept["release"] == self._release else {}
        return {game: record(KnownGame).read(known) for game, known in games.items()}
