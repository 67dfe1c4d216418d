"""Doubts about the table wait a little before anybody is asked: most of them are gone with the next still table.

A tile knocked aside is put right, a phantom is not found again, a hand laid open turns out to be one. A doubt that is
still there after another change, unexplained, is put to the players.

A tile that is understood only once later ones are on record lay there before them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from companion.geometry import Layout, Problem
from companion.geometry.diff import Observation, worth_asking
from companion.geometry.joints import distance
from companion.rules.position import Play

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
    """Doubts that wait before somebody is asked.

    >>> from companion.geometry import Trouble
    >>> doubt = Problem(Trouble.LOOSE_TILE, (120.0, 340.0), (7,))
    >>> doubts, table = Doubts(patience=1), Layout(problems=(doubt,))
    >>> doubts.put_off([doubt], "0001.jpg")
    >>> for frame in ("0001.jpg", "0002.jpg"):
    ...     print([str(one) for one in doubts.lasting(table, frame, lambda one: False)])
    []
    ['LOOSE_TILE at (120, 340) mm']
    """

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
    """Which still table first showed each tile. Still tables are numbered.

    >>> from companion.rules.tile import Laid
    >>> arrivals = Arrivals()
    >>> arrivals.saw(Layout())
    >>> [one.delta for one in arrivals.in_order(Observation((Play(Laid(12, 5), "Ann"),)), Layout())]
    [(Play(tile=Laid(inner=12, outer=5), train='Ann'),)]
    """

    number: int = 0
    """The still table that is being looked at."""
    first: dict[int, int] = field(default_factory=dict)
    """Tile -> the still table that first showed it."""
    last_recorded: int = -1
    """The still table that was recorded last."""

    def saw(self, layout: Layout) -> None:
        """This is the table that was looked at; the next one comes."""
        # Forget tiles that are gone: the number may be another tile's once the table is watched anew.
        self.first = {tile.id: self.first.get(tile.id, self.number) for tile in layout if tile.face_up}
        self.number += 1

    def forget(self) -> None:
        """Another round has begun."""
        self.first.clear()

    def in_order(self, observation: Observation, layout: Layout) -> Iterator[Observation]:
        """The tiles that lay there before what is on record came, and then the rest. Of the first nobody knows the
        turn: they are adopted with an unknown history. Where tiles are gone, all is one."""
        late = () if observation.gone else tuple(self._late(observation, layout))
        self.last_recorded = self.number
        if not late:
            yield observation
            return
        yield Observation(late, news=observation.news, clouded=observation.clouded, adopted=True)
        rest = replace(observation, delta=tuple(change for change in observation.delta if change not in late))
        if not rest.empty:
            yield rest

    def _late(self, observation: Observation, layout: Layout) -> Iterator[Play]:
        """One that lies nearer to the engine, or to the middle of a line, than another came no later."""
        found: list[Play] = []
        trains: set[str] = set()
        for change in reversed(observation.laid):
            row = layout.line or layout.trains.get(change.train, ())
            lying = (one.id for one in row if one.id in observation.news and one.laid == change.tile)
            if self.first.get(next(lying, -1), self.number) < self.last_recorded:
                trains.add(change.train)
            found += [change] if change.train in trains else []
        return reversed(found)
