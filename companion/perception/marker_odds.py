"""Did a marker come to lie here? One sum of what every picture says for it and against.

Each term is a logarithm of odds: what the eye makes of the place, and what happened there when it last changed. None
of them decides alone: a ring looks like the print around it, and a glass is as round as a button.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from companion.geometry.table_view import Point

LEAST_SCORE, MOST_SCORE = 0.1, 0.97
"""The eye's confidence counts between these: what it does not report at all is below its own least."""

PLAIN, MOST_PLAIN = 20.0, 2.0
"""Grey levels (of 255) by which a thing stands out that count once; at most so often."""

BEFORE, SCORE = -2.37, 0.87
"""The odds at a place that has changed where the eye says even, and what the eye says weighs (bench.marker_odds)."""


class Came(NamedTuple):
    """What happened at a place that differs from the last still table.

    `stands_out`: by how many grey levels a thing of a marker's size stands out there more than before; 0 without one.
    `shade`: that may be the same ground with less light. `around`: how much of what is around it changed as well, 0 to
    1. `at_train`: it is beside a train, on a tile of one, or where a first tile will lie. `several`: other things came
    as well. `bared`: a marker lay there.
    """

    stands_out: float = 0.0
    shade: bool = False
    around: float = 0.0
    at_train: bool = False
    several: bool = False
    bared: bool = False


WEIGHTS = Came(1.92, -0.81, -2.51, 2.92, -3.0, -3.0)  # type: ignore[arg-type]
"""What each of them weighs, `stands_out` in units of `PLAIN`. `several` and `bared` by judgement: the bench lays one
thing at a time, and light, or a cup with its spoon, several; what stood under a marker comes to light where it lay. All
others are fitted (docs/belief.md, Markers)."""


def measured(came: Came) -> tuple[float, ...]:
    """The same as it is weighed."""
    return (min(came.stands_out / PLAIN, MOST_PLAIN), *map(float, came[1:]))


def eye_odds(score: float) -> float:
    """The logarithm of the odds of a confidence, 0 where the eye finds nothing."""
    score = min(max(score, LEAST_SCORE), MOST_SCORE)
    return math.log(score / (1.0 - score))


@dataclass(slots=True)
class Weighed:
    """A place where something came, and what the pictures since say of it in the mean: of one still table they share
    their errors, and more of them make nothing surer."""

    place: Point
    _eye: float = 0.0
    _looks: int = 0
    _came: float = 0.0
    _arrivals: int = 0

    def add(self, score: float, came: Came | None) -> None:
        """One more picture; None where the place is as it was when the table lay still last."""
        self._eye += eye_odds(score)
        self._looks += 1
        if came is not None:
            self._came += sum(weight * value for weight, value in zip(WEIGHTS, measured(came), strict=True))
            self._arrivals += 1

    @property
    def odds(self) -> float:
        """The logarithm of the odds that a marker lies here."""
        return BEFORE + SCORE * self._eye / max(1, self._looks) + self._came / max(1, self._arrivals)
