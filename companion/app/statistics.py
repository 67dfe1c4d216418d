"""Statistics over evenings: what each player has won and scored, from the journals that are there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from companion.app.summaries import read_board
from companion.play.match import most_points_win


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """One match as it is counted: the points of each scored round, who won (nobody while it is played), and the certain
    faults, by player and code.

    Matches count together if their `rules` and `most_points_win` are the same: their points mean the same.
    """

    rules: str
    most_points_win: bool
    players: tuple[str, ...]
    rounds: tuple[Mapping[str, int], ...] = ()
    winners: tuple[str, ...] = ()
    faults: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(slots=True)
class PlayerRecord:
    """What a player has done in one game: `matches` played to their end, points of single rounds."""

    name: str
    matches: int = 0
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


@dataclass(frozen=True, slots=True)
class Standing:
    """Everybody who has played one game, whoever won most often first."""

    rules: str
    most_points_win: bool
    players: tuple[PlayerRecord, ...]


def record_of(path: Path) -> MatchRecord:
    """The match in a journal. Raises as `read_board`."""
    journal, rules, board = read_board(path)
    header = journal.header
    faults: dict[str, Counter[str]] = {}
    for line, finding in board.faults:
        player = finding.by or getattr(line.event, "by", None)
        if player in header.players:
            faults.setdefault(player, Counter())[finding.code] += 1
    scored = tuple(sheet.scores for sheet in board.rounds if sheet.scores is not None)
    return MatchRecord(header.rules, most_points_win(rules), header.players, scored, board.winners, faults)


def standings(matches: Iterable[MatchRecord]) -> tuple[Standing, ...]:
    """The standings of each game, in the order in which the games first come; games without a scored round left out."""
    games: dict[tuple[str, bool], dict[str, PlayerRecord]] = {}
    for match in matches:
        if not match.rounds:
            continue
        players = games.setdefault((match.rules, match.most_points_win), {})
        for name in match.players:
            _add(players.setdefault(name, PlayerRecord(name)), match)
    return tuple(
        Standing(rules, most_win, tuple(sorted(players.values(), key=lambda one: _place(one, most_win))))
        for (rules, most_win), players in games.items()
    )


def _add(record: PlayerRecord, match: MatchRecord) -> None:
    scores = [scores[record.name] for scores in match.rounds if record.name in scores]
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
