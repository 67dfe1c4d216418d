"""The scoreboard is the journal folded: rounds, totals, winners, and every play with its ruling.

A pure function of the header and the events; nothing is judged here, the rulings are those that stand in the journal,
corrections applied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from companion.log.corrections import EffectiveEvent, effective_events
from companion.log.event_fields import Finding
from companion.log.events import Event, Header, MatchEnded, RoundEnded, RoundScored, RoundStarted, Unclear
from companion.rules.tile import Laid


@dataclass(frozen=True, slots=True)
class Line:
    """One play or happening of the log. `findings` are the violations that stand, none where the table overruled.

    `undone`: the tile was taken back again.
    """

    round: int
    event: Event
    findings: tuple[Finding, ...]
    overruled: bool
    changed_by: tuple[int, ...]
    original: Event | None
    undone: bool = False

    @property
    def seq(self) -> int:
        return self.event.seq


@dataclass(frozen=True, slots=True)
class RoundSheet:
    """One round on the sheet. `scores` is None until the hands were counted; `how` None while it is played."""

    number: int
    engine: Laid | None
    starter: str | None
    how: str | None = None
    out: str | None = None
    scores: Mapping[str, int] | None = None
    totals: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Scoreboard:
    """The game so far. `totals` are points after the last scored round; `winners` is empty until the match is over.

    `next_engine` and `next_starter` are what the last scored round named for the one to come.
    """

    players: tuple[str, ...]
    totals: Mapping[str, int]
    rounds: tuple[RoundSheet, ...] = ()
    lines: tuple[Line, ...] = ()
    winners: tuple[str, ...] = ()
    over: bool = False
    next_engine: Laid | None = None
    next_starter: str | None = None
    questions: tuple[Unclear, ...] = field(default=())

    @property
    def round(self) -> RoundSheet | None:
        """The round being played, or the last one."""
        return self.rounds[-1] if self.rounds else None

    @property
    def violations(self) -> tuple[tuple[Line, Finding], ...]:
        return tuple((line, finding) for line in self.lines for finding in line.findings)

    @property
    def faults(self) -> tuple[tuple[Line, Finding], ...]:
        """What stands for certain: of whatever was let stand, taken back or withdrawn a line has no findings."""
        return tuple((line, finding) for line, finding in self.violations if finding.certain)


def fold(header: Header, events: Sequence[Event]) -> Scoreboard:
    """The scoreboard after `events`. Raises EventError where a correction among them cannot be applied."""
    return fold_held(header.players, effective_events(events), header.brought)


def fold_held(
    players: tuple[str, ...], held: Sequence[EffectiveEvent], brought: Mapping[str, int] | None = None
) -> Scoreboard:
    """The same, from events whose corrections are applied already. `brought`: the points with which everybody began."""
    board = Scoreboard(players, dict.fromkeys(players, 0) if brought is None else dict(brought))
    lines: list[Line] = []
    for item in held:
        board = add(board, item.event)
        number = board.rounds[-1].number if board.rounds else 0
        off = item.overruled or item.undone
        findings: tuple[Finding, ...] = () if off else getattr(item.event, "violations", ())
        lines.append(Line(number, item.event, findings, item.overruled, item.changed_by, item.original, item.undone))
    return replace(board, lines=tuple(lines))


def add(board: Scoreboard, event: Event) -> Scoreboard:
    """The sheet after one more event; `lines` are left to the caller."""
    match event:
        case RoundStarted():
            sheet = RoundSheet(event.round, event.engine, event.starter)
            return replace(board, rounds=(*board.rounds, sheet), next_engine=None, next_starter=None)
        case RoundEnded() if board.rounds:
            return _with_last(board, replace(board.rounds[-1], how=event.how, out=event.out))
        case RoundScored() if board.rounds:
            totals = {player: event.totals.get(player, board.totals.get(player, 0)) for player in board.players}
            sheet = replace(board.rounds[-1], scores=dict(event.scores), totals=totals)
            scored = replace(board, totals=totals, next_engine=event.next_engine, next_starter=event.next_starter)
            return _with_last(scored, sheet)
        case MatchEnded():
            return replace(board, winners=event.winners, over=True, next_engine=None, next_starter=None)
        case _:
            return board


def _with_last(board: Scoreboard, sheet: RoundSheet) -> Scoreboard:
    return replace(board, rounds=(*board.rounds[:-1], sheet))
