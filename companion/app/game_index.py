"""Facts about each game, without playing it again: for the list of games, and for seasons.

A journal is read once. The result is kept over restarts, until the file changes or a new release counts anew.

A season: the evenings of a group together. Points, wins, best rounds, and who finished ahead of whom.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cache
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from companion.game.game_view import GameView
from companion.game.match import Scoreboard, most_points_win
from companion.game.replay import replay
from companion.log.journal import JournalError
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
    """One game, as the list of games and the statistics show it. Games count together if they have the same rules and
    the same points win, because their points mean the same. A game that is being played has no points or faults yet."""

    rules: str
    set: str
    players: tuple[str, ...]
    options: Mapping[str, Any]
    round: int | None = None
    """The last one begun; None before the first."""
    winners: tuple[str, ...] = ()
    """Empty until the match is over."""
    begun: str = ""
    """The moment of the first entry as the journal has it; "" where it does not say."""
    most_points_win: bool = False
    scores: tuple[Mapping[str, int], ...] = ()
    """The points of each scored round, without those who left in the middle of it."""
    totals: Mapping[str, int] = field(default_factory=dict)
    """After the last scored round, with the points that players brought along."""
    faults: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Player -> code -> how many were certain."""


def summarize(path: Path) -> GameSummary:
    """The summary of a journal. Raises OSError, JournalError in one line."""
    try:
        game = replay(path)
    except RuleSetError as fault:
        raise JournalError(path, str(fault)) from None
    header, board, events = game.text.header, game.board, game.text.events
    return GameSummary(
        rules=header.rules,
        set=header.set,
        players=header.players,
        options=dict(header.options),
        begun=events[0].at or "" if events else "",
        most_points_win=most_points_win(game.rules),
        **_counted(board),
    )


def summary_of(view: GameView, begun: str, board: Scoreboard | None = None) -> GameSummary:
    """The summary of a game that is being played, from what it shows; with its `board` for statistics too."""
    shown = GameSummary(view.rules, view.set, view.players, view.options, view.round, view.winners, begun)
    return shown if board is None else replace(shown, most_points_win=view.most_points_win, **_counted(board))


def _counted(board: Scoreboard) -> dict[str, Any]:
    """From the sheet of a game: the fields of its summary for statistics, and how far it is."""
    faults: dict[str, Counter[str]] = {}
    for line, finding in board.faults:
        player = finding.by or getattr(line.event, "by", None)
        if player in board.players:
            faults.setdefault(player, Counter())[finding.code] += 1
    return {
        "round": board.round.round if board.round else None,
        "winners": board.winners,
        "scores": tuple(
            {name: points for name, points in sheet.scores.items() if name not in sheet.gone}
            for sheet in board.rounds
            if sheet.scores
        ),
        "totals": dict(board.totals),
        "faults": faults,
    }


@dataclass(frozen=True, slots=True)
class KnownGame:
    """A game that the index has read, or could not read."""

    file: str
    """The state of its journal when it was read; "" for a journal that the disk did not give, which is tried again."""
    summary: GameSummary | None = None
    fault: str = ""
    """Why it cannot be read, in one line."""


NOTHING = KnownGame("")


@cache
def own_release() -> str:
    """Another one for every change of the program by which a journal may come to something else."""
    rooms = ("app", "game", "log", "play", "rules", "storage", "tracking")
    folders = [Path(__file__).parents[1] / room for room in rooms]
    files = (path for folder in folders for path in sorted(folder.rglob("*.*")) if path.suffix in (".py", ".toml"))
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


class GameIndex:
    """Summaries of the newest games, by name. Thread-safe: a request takes what is there, and the journals are read one
    at a time in a thread of their own."""

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
        """The summary of a game; None while its journal is still to be read, unless it is read `now`."""
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


NIGHT = timedelta(hours=6)
"""A game that begins before six in the morning belongs to the evening before."""


@dataclass(slots=True)
class PlayerRecord:
    """The record of a player in the games of one kind. The points are those of single rounds."""

    name: str
    matches: int = 0
    """Played to their end."""
    wins: int = 0
    rounds: int = 0
    points: int = 0
    best: int = 0
    worst: int = 0
    faults: Counter[str] = field(default_factory=Counter)

    @property
    def average(self) -> float:
        """Points a round; 0 before the first."""
        return self.points / self.rounds if self.rounds else 0.0


class BestRound(NamedTuple):
    """The best round that anybody has played."""

    points: int
    """The score of that round."""
    name: str
    begun: str
    """When its game began."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Everybody who has played one kind of game."""

    rules: str
    most_points_win: bool
    players: tuple[PlayerRecord, ...]
    """The one who won most often comes first."""
    best: BestRound | None = None
    """Where the fewest points win: of the rounds in which the player did not go out. None before the first."""


class Meeting(NamedTuple):
    """Two players in the matches that they played to the end together."""

    one: str
    other: str
    ahead: int
    """How often `one` finished ahead of `other`."""
    behind: int
    """How often `other` finished ahead of `one`."""


@dataclass(frozen=True, slots=True)
class Season:
    """All games of a table."""

    standings: tuple[Standing, ...]
    meetings: tuple[Meeting, ...]
    """Those who met most often come first."""
    matches: int
    """Games with a scored round."""
    unfinished: int
    """So many of them were not played to their end: their rounds count, and nobody has won them."""
    evenings: int
    """On how many evenings they were played."""


def season(matches: Iterable[GameSummary], group: Sequence[str] = ()) -> Season:
    """The season over all games, or over those in which only players of `group` played."""
    counted = [one for one in matches if one.scores and (not group or set(one.players) <= set(group))]
    evenings = {evening for one in counted if (evening := evening_of(one.begun)) is not None}
    unfinished = sum(not one.winners for one in counted)
    return Season(standings(counted), meetings(counted), len(counted), unfinished, len(evenings))


def evening_of(begun: str) -> date | None:
    """The day on which this evening began, in the box's time zone; None where it does not say."""
    try:
        return (datetime.fromisoformat(begun).astimezone() - NIGHT).date()
    except ValueError:
        return None


def groups(matches: Iterable[GameSummary]) -> tuple[tuple[str, ...], ...]:
    """Groups of people who play together, the one that plays most often first; a group within a larger one belongs to
    that."""
    played = Counter(frozenset(one.players) for one in matches if one.scores)
    largest = [group for group in played if not any(group < other for other in played)]
    often = {group: sum(count for some, count in played.items() if some <= group) for group in largest}
    return tuple(tuple(sorted(group)) for group in sorted(largest, key=lambda one: (-often[one], sorted(one))))


def meetings(matches: Iterable[GameSummary]) -> tuple[Meeting, ...]:
    """The meetings in matches that were played to their end, whatever the game: only the order counts."""
    ahead = Counter[tuple[str, str]]()
    met = Counter[tuple[str, str]]()
    for match in matches:
        sign = 1 if match.most_points_win else -1
        for pair in combinations(sorted(match.players), 2) if match.winners else ():
            one, other = (sign * match.totals.get(name, 0) for name in pair)
            met[pair] += 1
            ahead[pair] += one > other
            ahead[pair[::-1]] += one < other
    return tuple(Meeting(*pair, ahead[pair], ahead[pair[::-1]]) for pair, _count in met.most_common())


def standings(matches: Iterable[GameSummary]) -> tuple[Standing, ...]:
    """The standings of each game, in the order in which the games first come; games without a scored round left out."""
    games: dict[tuple[str, bool], dict[str, PlayerRecord]] = {}
    best: dict[tuple[str, bool], BestRound | None] = {}
    for match in matches:
        if not match.scores:
            continue
        kind = (match.rules, match.most_points_win)
        players = games.setdefault(kind, {})
        best[kind] = _better(best.get(kind), match)
        for name in match.players:
            _add(players.setdefault(name, PlayerRecord(name)), match)
    return tuple(
        Standing(rules, most_win, tuple(sorted(players.values(), key=lambda one: _place(one, most_win))), best[kind])
        for kind, players in games.items()
        for rules, most_win in (kind,)
    )


def _better(best: BestRound | None, match: GameSummary) -> BestRound | None:
    """The better one of it and the rounds of the match; of equal ones the earlier."""
    most = match.most_points_win
    rounds = [BestRound(points, name, match.begun) for scores in match.scores for name, points in scores.items()]
    found = [one for one in ([best] if best else []) + rounds if most or one.points > 0]
    return min(found, key=lambda one: (-one.points if most else one.points, one.begun), default=None)


def _add(record: PlayerRecord, match: GameSummary) -> None:
    scores = [scores[record.name] for scores in match.scores if record.name in scores]
    if scores:
        better, worse = (max, min) if match.most_points_win else (min, max)
        known = [record.best, record.worst] if record.rounds else []
        record.best, record.worst = better([*scores, *known]), worse([*scores, *known])
    record.rounds += len(scores)
    record.points += sum(scores)
    record.matches += bool(match.winners)
    record.wins += record.name in match.winners
    record.faults.update(match.faults.get(record.name, {}))


def _place(record: PlayerRecord, most_points_win: bool) -> tuple[int, float, str]:
    return -record.wins, -record.average if most_points_win else record.average, record.name
