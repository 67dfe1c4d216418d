"""The proof of a round's planted faults by its still tables, whatever anybody believed of them.

Every way in which the round can have gone is searched with the moves of `companion.tracking`, but without its habits,
beam and reach: what the rules allow costs nothing, a broken rule what `costs.py` says, and the tables are exactly as
they were told. Where a piece says whose arm it was (`Piece.arm`), nobody else made it. A fault is proved where every
way without it is dearer than the cheapest by a certainty: `named` where it has to be this player's, else `nameless`
where somebody must have broken this rule. Where a legal way leads to the same tables it is `open`: no table tells.
With `weighed` what is unusual costs what the belief takes for it (a silent pass, two turns between two tables, an
error of the camera): the belief with nothing left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from heapq import heappop, heappush
from operator import itemgetter
from typing import Any

from companion.rules.mexican.turn import TurnState
from companion.rules.position import LinePosition, Play, Position
from companion.rules.ruleset import RuleSet
from companion.tracking.chinese_deals import LineState
from companion.tracking.costs import ERRORS, ILLEGAL, OF_VALUES, PRIORS, Cause, fault
from companion.tracking.evidence import Evidence, Pieces, Rest, Step
from companion.tracking.mexican_rounds import starting
from datasets.bots import BotTurn

BREACHES = frozenset({Cause.ILLEGAL, Cause.RARELY_ILLEGAL, Cause.ALSO_ILLEGAL, Cause.PLAYED_ON_AFTER_MARKING})
ERRANT = ERRORS - BREACHES - {Cause.UNSETTLED_END}
"""Errors of a camera, a late hand or a wrong count."""

MARGIN = ILLEGAL
"""So much dearer is every other way than the cheapest where a fault is proved: one in two hundred."""

UNBOUNDED = 10**6

MOST_OPENED = 15_000
"""States that are looked at in one change at most; where there are more, nothing is said of the faults around it."""


class TooManyWaysError(RuntimeError):
    """A change can have come about in more ways than are looked at."""


Trail = tuple[Any, ...]
"""The steps of a way, the last one first: (step, those before), empty at the beginning."""

Frontier = dict[object, tuple[int, Any, Trail]]
"""Sign of a state -> the cheapest way to it: what it costs, the state, and its steps."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A planted fault, and the number of the last change that its turn made (None: no table showed it).

    `misfit`: the tile of it whose halves are wrong as it lies there; that it is wrong needs no story.
    """

    code: str
    player: str
    at: int | None
    misfit: Play | None = None


@dataclass(frozen=True, slots=True)
class Ban:
    """No way in which this fault was made; `player` None: by anybody."""

    planted: Planted
    player: str | None

    def hits(self, step: Step) -> bool:
        if self.player not in (None, step.player):
            return False
        one = self.planted
        return step.act == one.misfit if one.misfit is not None else one.code in step.codes


class Ways:
    """All the ways in which a round may have gone. `changes` are its still tables as evidence, `starts` its states."""

    def __init__(
        self, starts: Iterable[Any], changes: Sequence[Evidence], planted: Sequence[Planted], *, weighed: bool
    ):
        self.changes = [Pieces.of(one) for one in changes]
        self.weighed = weighed
        self.players = 0
        first: Frontier = {}
        for state in starts:
            self.players = len(state.players)
            first[state.sign] = (0, state, ())
        self.lap = self.players + 3
        self.planted = planted
        self.frontiers = [first]

    def proves(self, one: Planted) -> str:
        """`named`, `nameless`, `open`, or `unsearched` where there were too many ways."""
        try:
            return self._proves(one)
        except TooManyWaysError:
            return "unsearched"

    def _proves(self, one: Planted) -> str:
        if one.at is None or (one.misfit is None and self.without(one, None)[0] < MARGIN):
            return "open"
        return "nameless" if self.without(one, one.player)[0] < MARGIN else "named"

    def without(self, one: Planted, player: str | None) -> tuple[int, list[Step]]:
        """The extra cost of the cheapest way without this fault, and its steps."""
        assert one.at is not None
        start = max(0, one.at - self.lap)
        end = min(len(self.changes), one.at + 4 * self.players)
        for n in range(len(self.frontiers) - 1, end):
            self.frontiers.append(self._through(n, self.frontiers[n], None))
        frontier = self.frontiers[start]
        for n in range(start, end):
            frontier = self._through(n, frontier, Ban(one, player))
            if not frontier:
                return MARGIN, []
        cost, _, trail = min(frontier.values(), key=itemgetter(0))
        return cost - self._cheapest(end), list(_unrolled(trail))

    def _cheapest(self, n: int) -> int:
        """The cost of the cheapest way before change `n`."""
        return min((cost for cost, _, _ in self.frontiers[n].values()), default=0)

    def _unclear(self, n: int) -> int:
        """The most that faults cost until change `n` which may be charged to somebody else, or to nobody."""
        near = (one for one in self.planted if one.at is not None and n - 4 * self.players <= one.at <= n + self.lap)
        return sum(PRIORS[fault([one.code])].decibans for one in near)

    def _through(self, n: int, frontier: Frontier, ban: Ban | None) -> Frontier:
        """The states after change `n`, as far as they may still come within a certainty of the cheapest."""
        pieces = self.changes[n]
        start, done = pieces.start, pieces.done
        slack = MARGIN - 1 + self._unclear(n)
        limit = UNBOUNDED if ban is None else self._cheapest(n + 1) + slack
        heap: list[tuple[int, int, Any, Rest, Trail]] = []
        count = 0
        for cost, state, trail in frontier.values():
            cost += state.overdue if self.weighed else 0
            if cost <= limit:
                heappush(heap, (cost, count, state, start, trail))
                count += 1
        seen: set[tuple[object, Rest]] = set()
        arms = {piece.item: piece.arm for piece in pieces.evidence.pieces if piece.arm is not None}
        found: Frontier = {}
        while heap:
            cost, _, state, rest, trail = heappop(heap)
            if type(state) is partial:
                state = state()
            key = (state.sign, rest)
            if key in seen:
                continue
            seen.add(key)
            if len(seen) > MOST_OPENED:
                raise TooManyWaysError(f"change {n}")
            if rest == done:
                if not found and ban is None:
                    limit = cost + slack
                state = state.at_rest()
                found.setdefault(state.sign, (cost, state, trail))
                continue
            for move in state.moves(pieces, rest, faults=True):
                price = self._price(move.step)
                if _by_another(move.step, arms):
                    continue
                if price is None or cost + price > limit or (ban is not None and ban.hits(move.step)):
                    continue
                count += 1
                heappush(heap, (cost + price, count, move.state, move.rest, (move.step, trail)))
        return found

    def _price(self, step: Step) -> int | None:
        """The cost of this step's assumptions; None where they are not allowed."""
        if self.weighed:
            return step.cost
        if any(cause in ERRANT for cause in step.causes):
            return None
        return sum(PRIORS[cause].decibans for cause in step.causes if cause in BREACHES)


def _by_another(step: Step, arms: Mapping[int, str]) -> bool:
    """Whether somebody else made the piece than whose arm was seen over it."""
    return step.act is not None and step.item in arms and arms[step.item] != step.player


def _unrolled(trail: Trail) -> Iterator[Step]:
    steps = []
    while trail:
        step, trail = trail
        steps.append(step)
    return reversed(steps)


def planted_in(rules: RuleSet, turns: Sequence[BotTurn], shown: Sequence[int]) -> list[Planted]:
    """The planted faults of these turns; `shown`: the last change that each turn made (-1: none)."""
    return [
        Planted(str(turn.planted), turn.player, at if at >= 0 else None, misfit_of(rules, turn))
        for turn, at in zip(turns, shown, strict=True)
        if turn.planted is not None
    ]


def misfit_of(rules: RuleSet, turn: BotTurn) -> Play | None:
    """The tile of a planted turn whose halves are wrong as it lies there, whoever laid it."""
    if turn.planted not in OF_VALUES:
        return None
    plays = [act for act in turn.actions if isinstance(act, Play)]
    if isinstance(turn.before, LinePosition):
        return plays[0]
    made = TurnState(rules, replace(turn.before, turn=turn.player))
    for act in turn.actions:
        if isinstance(act, Play) and turn.planted in made.faults_of(act.tile, act.train).certain:
            return act
        made.act(act)
    return None


def proofs(
    rules: RuleSet,
    start: Position | LinePosition,
    starter: str,
    changes: Sequence[Evidence],
    planted: Sequence[Planted],
    *,
    weighed: bool,
) -> list[str]:
    """The proof of each planted fault by the tables: `named`, `nameless`, `open` or `unsearched`."""
    state = LineState(rules, start) if isinstance(start, LinePosition) else starting(rules, start, starter)
    ways = Ways([state], changes, planted, weighed=weighed)
    return [ways.proves(one) for one in planted]
