"""A season: the evenings of a group together. Points, wins, best rounds, and who finished ahead of whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import combinations
from typing import NamedTuple

from companion.app.game_index import GameSummary

NIGHT = timedelta(hours=6)
"""Whatever begins before six in the morning belongs to the evening before."""


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


class BestRound(NamedTuple):
    """`points` of one round by `name` in the game that `begun` then."""

    points: int
    name: str
    begun: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Everybody who has played one game, whoever won most often first. `best`: where the fewest points win, of a round
    in which somebody did not go out; None before the first."""

    rules: str
    most_points_win: bool
    players: tuple[PlayerRecord, ...]
    best: BestRound | None = None


class Meeting(NamedTuple):
    """Two players in the matches that they played to the end together: how often the one finished ahead of the other,
    and the other of the one."""

    one: str
    other: str
    ahead: int
    behind: int


@dataclass(frozen=True, slots=True)
class Season:
    """`matches` are games with a scored round, on so many `evenings`; `meetings` of those who met most often first."""

    standings: tuple[Standing, ...]
    meetings: tuple[Meeting, ...]
    matches: int
    evenings: int


def season(matches: Iterable[GameSummary], group: Sequence[str] = ()) -> Season:
    """Of the games in which nobody else than `group` played; without one, of all games."""
    counted = [one for one in matches if one.scores and (not group or set(one.players) <= set(group))]
    evenings = {evening for one in counted if (evening := evening_of(one.begun)) is not None}
    return Season(standings(counted), meetings(counted), len(counted), len(evenings))


def evening_of(begun: str) -> date | None:
    """The day on which this evening began, in the box's time zone; None where it does not say."""
    try:
        return (datetime.fromisoformat(begun).astimezone() - NIGHT).date()
    except ValueError:
        return None


def groups(matches: Iterable[GameSummary]) -> tuple[tuple[str, ...], ...]:
    """Who plays together, whoever plays most often first; people who play within a larger group too are of that."""
    played = Counter(frozenset(one.players) for one in matches if one.scores)
    largest = [group for group in played if not any(group < other for other in played)]
    often = {group: sum(count for some, count in played.items() if some <= group) for group in largest}
    return tuple(tuple(sorted(group)) for group in sorted(largest, key=lambda one: (-often[one], sorted(one))))


def meetings(matches: Iterable[GameSummary]) -> tuple[Meeting, ...]:
    """Of matches that were played to their end, whatever the game: there only the order counts."""
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
