"""Doubts, and the changes behind them, that wait before they go on record.

How long a doubt waits before the game goes on.

Doubts about the table wait a little before anybody is asked: most of them are gone with the next still table.

A tile knocked aside is put right, a phantom is not found again, a hand laid open turns out to be one. A doubt that is
still there after another change, unexplained, is put to the players.

Changes that had to wait go on record in the order in which they came, one still table after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from companion.geometry import Layout, Problem
from companion.geometry.diff import Observation, worth_asking
from companion.geometry.joints import distance
from companion.rules.notation import Change, Drawing, Vanishing
from companion.rules.position import Mark, Unmark

CLOUD_PATIENCE = 2
"""The same thing that nobody understands holds back at most this many changes that would accuse somebody. If it lies
there longer while the game goes on, it is no part of it."""

HAND_PATIENCE = 4
"""In so many still tables a stray tile along the table's edge may be a hand that is laid open."""

ROUND_PATIENCE = 2
"""How many further changes of the table wait for an answer about an unscored round before the next one begins."""


DOUBT_PATIENCE = 1
"""How many changes of the table a doubt outlives before it is asked about."""

SAME_PLACE_MM = 20.0
"""A doubt that names no tile is the same one within this; markers are seen a little elsewhere each time."""


@dataclass(slots=True)
class Doubts:
    """Doubts that wait before somebody is asked."""

    patience: int
    """How many changes of the table a doubt outlives before it is asked about."""
    waiting: list[tuple[Problem, tuple[str, ...]]] = field(default_factory=list)
    """Each doubt with the frames of the still tables that showed it."""
    _asked: list[Problem] = field(default_factory=list)

    def put_off(self, problems: Iterable[Problem], frame: str) -> None:
        """These are new; they are asked about if they last."""
        for problem in problems:
            known = [*self._asked, *(one for one, _ in self.waiting)]
            if not any(_same(problem, one) for one in known):
                self.waiting.append((problem, (frame,)))

    def asked_now(self, problems: Sequence[Problem]) -> list[Problem]:
        """Those of these that nobody was asked about yet; they are asked about."""
        new = [problem for problem in problems if not any(_same(problem, one) for one in self._asked)]
        self.waiting = [(one, frames) for one, frames in self.waiting if not any(_same(one, n) for n in new)]
        self._asked += new
        return new

    def lasting(self, layout: Layout, frame: str, too_early: Callable[[Problem], bool]) -> list[Problem]:
        """Those that have lasted, each once; what is not there any more is forgotten."""
        here = worth_asking(layout)
        still = [
            (one, frames if frame in frames else (*frames, frame))
            for one, frames in self.waiting
            if any(_same(one, problem) for problem in here)
        ]
        lasting = [one for one, frames in still if len(frames) > self.patience and not too_early(one)]
        self.waiting = [(one, frames) for one, frames in still if one not in lasting]
        self._asked += lasting
        return lasting


def _same(problem: Problem, other: Problem) -> bool:
    if problem.trouble is not other.trouble or problem.tiles != other.tiles:
        return False
    if problem.tiles or problem.where_mm is None or other.where_mm is None:
        return True
    return distance(problem.where_mm, other.where_mm) < SAME_PLACE_MM


@dataclass(slots=True)
class Arrivals:
    """Which still table first showed each tile. Still tables are numbered."""

    number: int = 0
    """The still table that is being looked at."""
    first: dict[int, int] = field(default_factory=dict)
    """Tile -> the still table that first showed it."""
    waiting: list[tuple[int, Observation]] = field(default_factory=list)
    """Changes that have waited, each with its still table, since something was last recorded."""
    last_recorded: int = -1
    """The still table that was recorded last."""

    def wait(self, observation: Observation) -> None:
        """This is seen now and cannot be recorded yet."""
        self.waiting.append((self.number, observation))

    def saw(self, layout: Layout) -> None:
        """This is the table that was looked at; the next one comes."""
        # What is gone is forgotten: its number may be another tile's once the table is watched anew.
        self.first = {tile.id: self.first.get(tile.id, self.number) for tile in layout if tile.face_up}
        self.number += 1

    def forget(self) -> None:
        """Another round has begun."""
        self.first.clear()
        self.waiting.clear()

    def in_order(self, observation: Observation, layout: Layout) -> Iterator[Observation]:
        """The changes of this table, one observation for each still table that brought some of them.

        Where tiles are gone, all is one. After a tile that goes on record only when later ones are there the turn is
        unknown, so the table is adopted with an unknown history.
        """
        for number, part in self._by_table(observation, layout):
            yield replace(part, adopted=True) if number < self.last_recorded else part
        self.last_recorded = self.number

    def _by_table(self, observation: Observation, layout: Layout) -> Iterator[tuple[int, Observation]]:
        seen = [*self.waiting, (self.number, observation)]
        self.waiting = []
        if any(isinstance(change, Vanishing) for change in observation.delta):
            yield self.number, observation
            return
        parts: dict[int, list[_Part]] = {}
        laid = zip(observation.laid, self._tiles(observation, layout), strict=True)
        for number, part in (
            *((number, _Part(change, observation)) for change, number in laid),
            *_marked(seen, layout),
            *_drawn(seen),
        ):
            parts.setdefault(number, []).append(part)
        away = _put_away(seen)
        if parts.keys() | away.keys() <= {self.number}:
            yield self.number, observation
            return
        for number in sorted((parts.keys() | away.keys()) - {self.number}):
            then = Observation(discards=away.get(number, {}), again=observation.again)
            yield number, _of(parts.get(number, []), then)
        if self.number in parts or self.number in away or observation.flips:
            now = replace(observation, discards=away.get(self.number, {}))
            yield self.number, _of(parts.get(self.number, []), now)

    def _tiles(self, observation: Observation, layout: Layout) -> list[int]:
        """When each new tile came; one that lies nearer to the engine, or to the middle of a line, than another came no
        later."""
        new = set(observation.news)
        came: list[int] = []
        latest: dict[str, int] = {}
        for change in reversed(observation.laid):
            row = layout.line or layout.trains.get(change.train, ())
            lying = (one.id for one in row if one.id in new and one.laid == change.tile)
            number = self.first.get(next(lying, -1), self.number)
            latest[change.train] = min(number, latest.get(change.train, self.number))
            came.append(latest[change.train])
        return came[::-1]


class _Part(NamedTuple):
    """A change, and the observation that says whose arm was there."""

    change: Change
    seen: Observation


def _drawn(seen: Sequence[tuple[int, Observation]]) -> Iterator[tuple[int, _Part]]:
    """The draws of each table; all in the last where their number went down in between."""
    number, last = seen[-1]
    counts = [0, *(sum(change.count for change in one.delta if isinstance(change, Drawing)) for _, one in seen)]
    if counts != sorted(counts):
        counts, seen = [0, counts[-1]], [(number, last)]
    for (number, one), (before, after) in zip(seen, pairwise(counts), strict=True):
        if after > before:
            # One draw is like another: what was seen of the first says nothing of the second.
            yield number, _Part(Drawing(after - before), Observation() if before else one)


def _put_away(seen: Sequence[tuple[int, Observation]]) -> dict[int, dict[str, int]]:
    """How many tiles each player put away at each table; all in the last where one of the counts went down in
    between."""
    found: dict[int, dict[str, int]] = {}
    before: Counter[str] = Counter()
    for number, one in seen:
        counts = Counter(one.discards)
        if before - counts:
            last, whole = seen[-1]
            return {last: dict(whole.discards)} if whole.discards else {}
        if more := counts - before:
            found[number] = dict(more)
        before = counts
    return found


def _marked(seen: Sequence[tuple[int, Observation]], layout: Layout) -> Iterator[tuple[int, _Part]]:
    """The markers that came and went from table to table, also where none has changed in the end.

    A marker that is as it was seen then, and yet no change any more, was entered by somebody.
    """
    for change in dict.fromkeys(one for _, each in seen for one in each.delta if isinstance(one, (Mark, Unmark))):
        there_now = (change.player in layout.markers) == isinstance(change, Mark)
        if there_now and change not in seen[-1][1].delta:
            continue
        back = Unmark(change.player) if isinstance(change, Mark) else Mark(change.player)
        there = False
        for number, one in seen:
            if (change in one.delta) != there:
                there = not there
                yield number, _Part(change if there else back, one)


def _of(parts: Sequence[_Part], seen: Observation) -> Observation:
    """`seen` with these changes, and the arms that were seen at them."""
    arms = {change: one.arms[change] for change, one in parts if change in one.arms}
    whose = {change: one.whose[change] for change, one in parts if change in one.whose}
    return replace(seen, delta=tuple(change for change, _ in parts), arms=arms, whose=whose)
