"""Room on the made-up table: a round is rehearsed without pictures, on one table after the other, until it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from datasets.simulator.film import FilmSettings, Image
from datasets.simulator.plan import Bend, TablePlan
from datasets.simulator.reaching import Arm
from datasets.simulator.tabletop import TableTop

TRIES = 12
"""Ways of turning that are tried on a table before a larger one is taken."""

TRIES_ON_ONE = 120
"""The same where the table's size is given."""

TRIES_ALONE = 40
"""So many only bend the train that found no place."""

LONG_TRAIN = 16
"""Tiles of a train that may bend for another one's sake."""

GROWTH = (1.0, 1.1, 1.2, 1.3, 1.4, 1.5)


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """How a round went: so many tiles were laid, and the train that found no place then; None: it was played out."""

    laid: int
    stuck: str | None = None
    length: int = 0
    """Tiles in that train."""


def plan_with_room(
    usual: TablePlan, rehearse: Callable[[TablePlan], Rehearsal], rng: Random, *, fixed_size: bool
) -> TablePlan | None:
    """The first plan on which the round is played out; None where none is found.

    A train that found no place bends elsewhere the next time, and what brought the round further is kept. The usual
    plan comes first, so a round that has room stays as it is.
    """
    for growth in (1.0,) if fixed_size else GROWTH:
        size_mm = (usual.size_mm[0] * growth, usual.size_mm[1] * growth)
        best = replace(usual, size_mm=size_mm)
        reached = rehearse(best)
        for n in range(TRIES_ON_ONE if fixed_size else TRIES):
            if reached.stuck is None:
                return best
            bends = _other_bends(reached, rng) if n < TRIES_ALONE else _bends_of_all(best, reached, rng)
            plan = replace(best, bends={**best.bends, **bends})
            went = rehearse(plan)
            if went.stuck is None or went.laid >= reached.laid:
                best, reached = plan, went
        if reached.stuck is None:
            return best
    return None


def _bends_of_all(plan: TablePlan, reached: Rehearsal, rng: Random) -> dict[tuple[str, int], Bend]:
    """Where no bend of its own helps a train, others lie in its way: then one of them bends elsewhere as well."""
    other = rng.choice([name for name in plan.stations if name != reached.stuck])
    return {
        **_other_bends(reached, rng),
        **{(other, rng.randrange(LONG_TRAIN)): Bend(rng.random() < 0.5, rng.random() < 0.5) for _ in range(2)},
    }


def _other_bends(reached: Rehearsal, rng: Random) -> dict[tuple[str, int], Bend]:
    count = max(1, reached.length)
    return {(reached.stuck or "", rng.randrange(count)): Bend(rng.random() < 0.5, rng.random() < 0.5) for _ in range(2)}


@dataclass(slots=True)
class BlankFilm:
    """Stands in for a film where only what lies on the table counts: every frame is one black pixel, and
    a millimetre is as wide as a pixel."""

    plan: TablePlan
    seed: int
    settings: FilmSettings
    family: str = "western"
    set_max: int = 12
    lamp: float = 1.0
    bump_mm: tuple[float, float] = (0.0, 0.0)
    cup_mm: tuple[float, float] | None = None

    def develop(self, table: TableTop) -> None:
        return

    def frame(self, arms: Sequence[Arm] = (), wobble: int = 0) -> Image:
        return np.zeros((1, 1, 3), np.uint8)

    def corners_px(self) -> np.ndarray:
        w, h = self.plan.size_mm
        return np.array([(0.0, 0.0), (w, 0.0), (w, h), (0.0, h)])
