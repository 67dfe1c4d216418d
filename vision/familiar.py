"""The print of the box on the table: sure readings help with doubtful ones.

All tiles of a picture come from one box, so its tens look alike. A half on which the network hesitates between a few
values is compared with surely read halves of these values; a value whose halves all look different loses weight.
Blanks are only confirmed (there is nothing on them to compare), and where the box shows too few equal halves to say
how much alike they look, the network's word stands. A reading stays as well; only under a table's own camera, which
sees all tiles from above, a half not quite certain that looks nothing like the others of its value is unread: it was a
scratch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image, middle_levels
from vision.rectify import outward_halves

Floats = NDArray[np.float32]
Judged = Callable[[NDArray[np.float64], Image], NDArray[np.float64]]

_SIDE = 24
_REACH = 2
"""A pattern is compared in all places up to so many pixels of `_SIDE` away."""
_COLOUR = 3.0
"""How much colour counts beside brightness, both in CIE L*a*b*."""
_NOISE = 1.0
_MOST_PATTERNS = 8
_COPIES_TO_DOUBT_ONE = 3
"""From this many patterns of one value on, likeness to a single one, which may be misread, is not enough."""


SURE, DOUBTFUL = 0.97, 0.9
"""From the first probability on a half lends its looks, below the second one is compared."""
CANDIDATE = 0.02
"""The least probability of a value that is compared."""
PAIRS = 6
"""At least this many equal halves must be known before likeness means anything."""
ALIKE, FLOOR = 1.5, 0.02
"""By how many deviations a half may look less alike than equal halves do to count as one of them, and what a value that
looks quite different keeps."""
SPREAD = 0.06
"""The least deviation."""
BLANK, UNLIKE = 0.65, 3.0
"""The least probability of a blank that may be confirmed, and from how many deviations on another value is ruled out
then."""
CERTAIN, STRANGE, DISBELIEVED = 0.995, 4.5, 0.8
"""A half read less surely than the first that is strange by more deviations than the second keeps the third: on 279
stills 273 halves were right and at most 2.9 deviations off, three were wrong and 5.5 or more."""
MOST_PRINTED = 48
"""So many of the last halves tell what is printed on the box; another set is known once most of them are its own."""
BURNT_BLANK, BURNT_OUT = 0.98, 250
"""So does a blank less sure than the first on a half that is burnt out: on 80 stills of the other renderer two of 16
were none, and none of the 147 surer ones. From the second on, of 255, a pixel shows nothing but light."""


@dataclass(slots=True)
class Appearance:
    """The look of one box's halves, as far as they were read surely. Grows with every picture it is given to."""

    spreads: list[float] = field(default_factory=list)
    """How uneven the pips are (vision/by_hand.py)."""
    printed: list[bool] = field(default_factory=list)
    """Of the last halves that carry print: is it a digit (vision/digits.py)?"""
    _shown: dict[int, dict[tuple[int, int, int], Floats]] = field(default_factory=dict)
    """Value -> {tile (low, high, half): pattern}; a tile that is seen again replaces itself."""
    _alike: tuple[float, float] | None = None

    def with_printed(self, more: Sequence[bool]) -> list[bool]:
        """Remember what one more picture shows, and return all that counts."""
        self.printed = [*self.printed, *more][-MOST_PRINTED:]
        return self.printed

    def learn(self, p: NDArray[np.float64], crops: Image) -> None:
        """Remember what is surely read of n face-up tiles: (n, 2, v) probabilities, (n, side, 2 side, 3) crops."""
        sure = np.flatnonzero((p.max(2) >= SURE).all(1))
        for values, halves in zip(p[sure].argmax(2), outward_halves(crops[sure]), strict=True):
            self._remember(values, halves)

    def weighed(self, p: NDArray[np.float64], crops: Image) -> NDArray[np.float64]:
        """(n, 2, v) probabilities of n face-up tiles and their (n, side, 2 side, 3) crops -> the same with doubtful
        halves weighed by likeness.

        bench.gates, doubtful values by the looks of others: photographs 0/0/0, toys -1/0/0, racks 0/0/0, traced
        -2/+1/0, tables -.
        """
        return self._compared(p, crops, p.max(2) < DOUBTFUL, self._judged)

    def believed(self, p: NDArray[np.float64], crops: Image) -> NDArray[np.float64]:
        """The same of tiles under an overhead camera whose places are settled, strange readings disbelieved.

        bench.gates, strange among its own value: photographs -, toys -, racks -, traced -, tables -.
        """
        best = p.max(2)
        read = (best >= DOUBTFUL) & (best < CERTAIN)
        out = self._compared(p, crops, read, self._disbelieved)
        for i, half in np.argwhere((p.argmax(2) == 0) & (best < BURNT_BLANK)):
            darkest = outward_halves(crops[i : i + 1])[0, half].min(2)
            rim = len(darkest) // 6
            # Nearly all but the rim is as bright as it can be: pips may have faded away.
            if (darkest[rim:-rim, rim:-rim] >= BURNT_OUT).mean() > 0.9:
                out[i, half, 0] = min(out[i, half, 0], DISBELIEVED)
        return out

    def _compared(
        self, p: NDArray[np.float64], crops: Image, which: NDArray[np.bool_], judged: Judged
    ) -> NDArray[np.float64]:
        out = p.copy()
        if not which.any() or self._likeness_of_equals() is None:
            return out
        halves = outward_halves(crops)
        for i, half in np.argwhere(which):
            out[i, half] = judged(p[i, half], halves[i, half])
        return out

    def _remember(self, values: NDArray[np.intp], halves: Image) -> None:
        a, b = int(values[0]), int(values[1])
        for half, value in enumerate((a, b)):
            if value == 0:
                continue
            kept = self._shown.setdefault(value, {})
            key = (min(a, b), max(a, b), half if a == b else 0)
            kept.pop(key, None)
            kept[key] = _deviation(halves[half])
            if len(kept) > _MOST_PATTERNS:
                kept.pop(next(iter(kept)))
            self._alike = None

    def _likeness_of_equals(self) -> tuple[float, float] | None:
        """(median, deviation) of how much halves of one value of different tiles look alike; None with too few."""
        if self._alike is None:
            found = []
            for kept in self._shown.values():
                for key, pattern in kept.items():
                    others = [other for name, other in kept.items() if name[:2] != key[:2]]
                    if others:
                        found.append(_likeness(_query(pattern), others))
            if len(found) < PAIRS:
                return None
            self._alike = float(np.median(found)), max(SPREAD, float(np.std(found)))
        return self._alike

    def _judged(self, p: NDArray[np.float64], half: Image) -> NDArray[np.float64]:
        """(v,) probabilities of one doubtful half, weighed where likeness says something about it."""
        likely = [int(value) for value in np.flatnonzero(p >= CANDIDATE)]
        if 0 in likely:
            return self._perhaps_blank(p, half, likely)
        apart = self._apart(half, likely)
        out = p.copy()
        for value, deviations in apart.items():
            out[value] *= max(float(np.exp(-0.5 * deviations**2)), FLOOR)
        out *= p.sum() / max(float(out.sum()), 1e-12)
        top = int(out.argmax())
        known = apart.get(top)
        trusted = known < ALIKE if known is not None else top == int(p.argmax())
        return out if trusted else p

    def _disbelieved(self, p: NDArray[np.float64], half: Image) -> NDArray[np.float64]:
        """(v,) probabilities of one half that was read, less of its value where the box's own look quite different."""
        value = int(p.argmax())
        known = len(self._shown.get(value, ())) >= _COPIES_TO_DOUBT_ONE
        if not known or self._apart(half, [value])[value] <= STRANGE:
            return p
        out = p.copy()
        out[value] = min(out[value], DISBELIEVED)
        return out

    def _perhaps_blank(self, p: NDArray[np.float64], half: Image, likely: Sequence[int]) -> NDArray[np.float64]:
        """There is nothing to compare on a blank; it is one where all else that it may be looks different."""
        apart = self._apart(half, self._shown)
        if p[0] < BLANK or not all(apart.get(value, 0.0) > UNLIKE for value in likely if value):
            return p
        out = p.copy()
        for value, deviations in apart.items():
            out[value] *= FLOOR if deviations > UNLIKE else 1.0
        return np.asarray(out * (p.sum() / max(float(out.sum()), 1e-12)), np.float64)

    def _apart(self, half: Image, values: Iterable[int]) -> dict[int, float]:
        """Value -> by how many deviations the half looks less like its patterns than equal halves do."""
        typical = self._likeness_of_equals()
        if typical is None:
            return {}
        query = _query(_deviation(half))
        found: dict[int, float] = {}
        for value in values:
            if kept := self._shown.get(value):
                found[value] = max(0.0, (typical[0] - _likeness(query, list(kept.values()))) / typical[1])
        return found


def _deviation(half: Image) -> Floats:
    """(side, side, 3) BGR -> (_SIDE, _SIDE, 3): how far each place is from the body's colour."""
    levels = np.asarray(cv2.cvtColor(np.ascontiguousarray(half), cv2.COLOR_BGR2LAB), np.uint8)
    body = middle_levels(levels.reshape(1, -1, 3))[0]
    small = cv2.resize(levels.astype(np.float32), (_SIDE, _SIDE), interpolation=cv2.INTER_AREA)
    return np.asarray((small - body) * np.array([1, _COLOUR, _COLOUR], np.float32), np.float32)


def _query(deviation: Floats) -> Floats:
    """(_SIDE, _SIDE, 3) -> (places, d) unit vectors: its middle seen from all places within reach."""
    size = _SIDE - 2 * _REACH
    steps = range(2 * _REACH + 1)
    return _unit(np.stack([deviation[y : y + size, x : x + size].reshape(-1) for y in steps for x in steps]))


def _likeness(query: Floats, patterns: Iterable[Floats]) -> float:
    """How much the query looks like the patterns of one value, at most 1."""
    kept = _unit(np.stack([one[_REACH:-_REACH, _REACH:-_REACH].reshape(-1) for one in patterns]))
    found = np.sort((query @ kept.T).max(0))
    return float(found[-2] if len(found) >= _COPIES_TO_DOUBT_ONE else found[-1])


def _unit(rows: Floats) -> Floats:
    return np.asarray(
        rows / (np.linalg.norm(rows, axis=-1, keepdims=True) + _NOISE * np.sqrt(rows.shape[-1])), np.float32
    )
