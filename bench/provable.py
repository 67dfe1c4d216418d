"""What the still tables of a round prove of its planted faults, whatever anybody believed of them.

Every way in which the round can have gone is searched, by the rules alone: no habits, no beam, nothing cut off that is
nearly as likely as the truth. A broken rule costs what `costs.py` says, and so does, with `erring`, what a camera or a
late marker may do; what is allowed costs nothing. A fault is proved where every way without it costs a certainty more
than the cheapest one: `named` where it has to be this player's, else `nameless` where somebody must have broken this
rule. Without `erring` the tables are taken to be exactly as they were told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from operator import itemgetter
from typing import Any

from companion.rules.actions import Play
from companion.tracking.costs import ERRORS, ILLEGAL, PRIORS, Cause, fault
from companion.tracking.evidence import Evidence
from companion.tracking.pieces import Pieces, Rest, Step

BREACHES = frozenset({Cause.ILLEGAL, Cause.RARELY_ILLEGAL, Cause.ALSO_ILLEGAL, Cause.PLAYED_ON_AFTER_MARKING})
ERRANT = ERRORS - BREACHES - {Cause.UNSETTLED_END}
"""What a camera, a late hand or a wrong count may have done."""

MARGIN = ILLEGAL
"""So much dearer is every other way than the cheapest where a fault is proved: one in two hundred."""

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

    def __init__(self, starts: Iterable[Any], changes: Sequence[Evidence], planted: Sequence[Planted], *, erring: bool):
        self.changes = [Pieces.of(one) for one in changes]
        self.erring = erring
        self.players = 0
        first: Frontier = {}
        for state in starts:
            self.players = len(state.players)
            first[state.sign] = (0, state, ())
        self.lap = self.players + 3
        self.planted = planted
        self.frontiers = [first]
        for n in range(self._end(max((one.at for one in planted if one.at is not None), default=0))):
            self.frontiers.append(self._through(n, self.frontiers[n], None))

    def proves(self, one: Planted) -> str:
        """`named`, `nameless` or `open`."""
        if one.at is None or (one.misfit is None and self.without(one, None)[0] < MARGIN):
            return "open"
        return "nameless" if self.without(one, one.player)[0] < MARGIN else "named"

    def without(self, one: Planted, player: str | None) -> tuple[int, list[Step]]:
        """What the cheapest way without this fault costs more than the cheapest of all, and its steps."""
        assert one.at is not None
        start = max(0, one.at - self.lap)
        frontier = self.frontiers[start]
        end = self._end(one.at)
        for n in range(start, end):
            frontier = self._through(n, frontier, Ban(one, player))
            if not frontier:
                return MARGIN, []
        cheapest = min((cost for cost, _, _ in self.frontiers[end].values()), default=0)
        cost, _, trail = min(frontier.values(), key=itemgetter(0))
        return cost - cheapest, list(_unrolled(trail))

    def _end(self, at: int) -> int:
        """How many changes tell about one that was made in change `at`."""
        return min(len(self.changes), at + 4 * self.players)

    def _limit(self, n: int) -> int:
        """What the truth costs until a lap after change `n`, and a certainty more."""
        due = sum(
            PRIORS[fault([one.code])].decibans for one in self.planted if one.at is None or one.at <= n + self.lap
        )
        return due + MARGIN - 1

    def _through(self, n: int, frontier: Frontier, ban: Ban | None) -> Frontier:
        """The states after change `n`."""
        pieces = self.changes[n]
        start, done = pieces.start, pieces.done
        limit = self._limit(n)
        heap: list[tuple[int, int, Any, Rest, Trail]] = []
        count = 0
        for cost, state, trail in frontier.values():
            cost += state.overdue if self.erring else 0
            if cost <= limit:
                heappush(heap, (cost, count, state, start, trail))
                count += 1
        seen: set[tuple[object, Rest]] = set()
        found: Frontier = {}
        while heap:
            cost, _, state, rest, trail = heappop(heap)
            if type(state) is partial:
                state = state()
            key = (state.sign, rest)
            if key in seen:
                continue
            seen.add(key)
            if rest == done:
                if not found:
                    limit = max(limit, cost + MARGIN - 1)
                state = state.at_rest()
                found.setdefault(state.sign, (cost, state, trail))
                continue
            for move in state.moves(pieces, rest, faults=True):
                price = self._price(move.step)
                if price is None or cost + price > limit or (ban is not None and ban.hits(move.step)):
                    continue
                count += 1
                heappush(heap, (cost + price, count, move.state, move.rest, (move.step, trail)))
        return found

    def _price(self, step: Step) -> int | None:
        """What this step assumes; None where nothing of the kind is allowed."""
        total = 0
        for cause in step.causes:
            if cause in BREACHES:
                total += PRIORS[cause].decibans
            elif cause in ERRANT:
                if not self.erring:
                    return None
                total += PRIORS[cause].decibans
        return total


def _unrolled(trail: Trail) -> Iterator[Step]:
    steps = []
    while trail:
        step, trail = trail
        steps.append(step)
    return reversed(steps)
