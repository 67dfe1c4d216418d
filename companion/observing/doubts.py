"""Doubts about the table wait a little before anybody is asked: most of them are gone with the next still table.

A tile knocked aside is put right, a phantom is not found again, a hand laid open turns out to be one. What is still
there after another change, unexplained, is put to the players.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from companion.geometry import Layout, Problem
from companion.geometry.diff import worth_asking
from companion.geometry.joints import distance

DOUBT_PATIENCE = 1
"""So many changes of the table a doubt outlives before it is asked about."""

SAME_PLACE_MM = 20.0
"""A doubt that names no tile is the same one within this; markers are seen a little elsewhere each time."""


@dataclass(slots=True)
class Doubts:
    """`patience`: how many changes of the table a doubt outlives before it is asked about. `waiting`: each doubt with
    the frames of the still tables that showed it."""

    patience: int
    waiting: list[tuple[Problem, tuple[str, ...]]] = field(default_factory=list)
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
