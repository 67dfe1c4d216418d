"""Where the pips of each value stand in a half, as makers print them: points (along, across) in -1..1, the outer end at
-1. From 12 on the print is laid against these patterns, beside what the reader makes of it.

Few boxes hold values above 12, and what the reader has seen of them is drawn as hardly any set prints them. It knows
that there are many pips, not how many. So wherever it sees that many, the print is compared: rows and blocks, in every
likely size. Where one pattern clearly fits best that is the value; where none does, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.known_set import KnownSet
from vision.reading import VALUES
from vision.rectify import READ_MARGIN, outward_halves

Floats = NDArray[np.float32]
Drawn = list[tuple[float, float]]

MANY = tuple(range(12, VALUES))
"""The values that are told apart by their prints."""
RARE = (16, 17, 18)
"""Claimed only where the print is theirs, whether or not the set is known."""
ENOUGH = 0.5
"""From this probability of many pips on, their number is looked at."""
FITS, CLEARLY, BETTER = 0.45, 0.75, 0.02
"""A print may be a value's from the first correlation on and is surely one from the second, if no other value fits so
nearly as well."""
SURE_READER, AGAINST_SURE, AGAINST_TWELVE = 0.9, 0.08, 0.25
"""A value that the reader claims is only outdone by a pattern that fits so much better than its own; a 12 of an unknown
set, which most sets end with, by more."""
READ = 0.97
"""The probability of a value whose print is clear."""
DOUBTED = 0.5
"""The probability left to a value that is not claimed."""
_SIDE = 24
_SPREADS = tuple(np.linspace(0.22, 0.40, 7))
_EDGE, _DIVIDER = 0.11, 0.04
"""The parts of a half's crop that are ignored: READ_MARGIN and the tile's own edge, and the dividing line."""
_REACH = 1
"""A pattern is tried so many pixels of `_SIDE` off the half's middle."""


def printed(p: NDArray[np.float64], crops: Image, known: KnownSet | None) -> NDArray[np.float64]:
    """(n, 2, v) probabilities and (n, side, 2 side, 3) crops of n tiles -> the same where a half with many pips shows
    a pattern that is known.

    bench.gates, many pips by their print: photographs -, toys -, racks 0/0/0, traced 0/0/0, tables -.
    """
    values = _told_apart(known)
    many = np.argwhere(p[:, :, MANY[0] :].sum(2) >= ENOUGH) if values else ()
    out = p.copy()
    for n, half in many:
        fits = fits_of(outward_halves(crops[n : n + 1])[0, half])
        value = max(values, key=fits.__getitem__)
        claimed = int(p[n, half].argmax())
        sure = claimed in values and p[n, half, claimed] >= SURE_READER
        against = AGAINST_TWELVE if known is None and claimed == MANY[0] else AGAINST_SURE
        if sure and value != claimed and fits[value] - fits[claimed] < against:
            continue
        if fits[value] >= CLEARLY and _is_best(fits, value, values):
            rest = p[n, half].sum() - p[n, half, value]
            out[n, half] *= (1 - READ) / max(rest, 1e-9)
            out[n, half, value] = READ
    return out


def supported(p: NDArray[np.float64], crops: Image, known: KnownSet | None) -> NDArray[np.float64]:
    """The same with less left to what is claimed of many pips and not printed so: 16 to 18, and 13 to 15 and 12 as well
    in a set that is known to go beyond 12.

    bench.gates, a rare value without its print: photographs -, toys -, racks -, traced -, tables -.
    """
    values = _told_apart(known)
    checked = RARE if known is None else values
    best = p.argmax(2)
    out = p.copy()
    for n, half in np.argwhere(np.isin(best, checked) & (p.max(2) > DOUBTED)):
        value = int(best[n, half])
        fits = fits_of(outward_halves(crops[n : n + 1])[0, half])
        if fits[value] < FITS or not _is_best(fits, value, values):
            out[n, half, value] = DOUBTED
    return out


def fits_of(half: Image) -> dict[int, float]:
    """(side, side, 3) uint8 BGR, outer end at the left -> how well each value's patterns fit it, 0 to 1."""
    seen = _print(half)
    return {value: float(np.abs(seen @ _patterns(value).T).max()) for value in MANY}  # pips may be dark or light


def _told_apart(known: KnownSet | None) -> tuple[int, ...]:
    """The values of many pips that may lie here; none in a set that ends with 12, where there is nothing to tell."""
    values = MANY if known is None else tuple(v for v in known.values() if v in MANY)
    return values if len(values) > 1 else ()


def _is_best(fits: Mapping[int, float], value: int, values: Iterable[int]) -> bool:
    return all(fits[value] - fits[other] >= BETTER for other in values if other != value)


def _print(half: Image) -> Floats:
    """(shifts, pixels): each pixel between the body's colour and the pips', at every small shift, standardised."""
    side = half.shape[0]
    lab = np.asarray(cv2.cvtColor(half, cv2.COLOR_BGR2LAB), np.float32)
    inner = lab[side // 8 : -side // 8, side // 8 : -side // 8].reshape(-1, 3)
    apart = (lab - inner.mean(0)) @ np.linalg.eigh(np.cov(inner.T))[1][:, -1]
    wide = _SIDE + 2 * _REACH
    # Leave out the ground beside the tile, a frame, a shadow at the edge and the divider.
    y0, y1, x0, x1 = (round(side * share) for share in (_EDGE, 1 - _EDGE, _EDGE, 1 - _DIVIDER))
    apart = cv2.copyMakeBorder(apart[y0:y1, x0:x1], y0, side - y1, x0, side - x1, cv2.BORDER_REPLICATE)
    small = _sharpened(cv2.resize(apart, (wide, wide), interpolation=cv2.INTER_AREA))
    shifts = range(2 * _REACH + 1)
    return _standard(np.stack([small[y : y + _SIDE, x : x + _SIDE].ravel() for y in shifts for x in shifts]))


def _sharpened(picture: Floats) -> Floats:
    """Spots of a pip's size, whatever the light does across the half."""
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.5) - cv2.GaussianBlur(picture, (0, 0), 3.0), np.float32)


@cache
def _patterns(value: int) -> Floats:
    """(sizes, pixels) of every print of this value that is known, standardised."""
    m = READ_MARGIN
    frame = (_SIDE + 2 * _REACH) / np.array([1 + m, 1 + 2 * m])
    middle = np.array([0.5 + m, 0.5 + m]) * frame - _REACH
    drawn = []
    for points in known_prints(value):
        for along in _SPREADS:
            for across in _SPREADS:
                picture = np.zeros((_SIDE, _SIDE), np.float32)
                for a, b in points:
                    x, y = middle + np.array([a * along, b * across]) * frame
                    gx = np.exp(-((np.arange(_SIDE) + 0.5 - x) ** 2) / 1.4)
                    gy = np.exp(-((np.arange(_SIDE) + 0.5 - y) ** 2) / 1.4)
                    picture += np.outer(gy, gx).astype(np.float32)
                drawn.append(_sharpened(picture).ravel())
    return _standard(np.stack(drawn))


def _standard(rows: Floats) -> Floats:
    rows = rows - rows.mean(1, keepdims=True)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6), np.float32)


def known_prints(value: int) -> list[Drawn]:
    """The prints of a half, as points (along, across) in -1..1 with the outer end at -1: as real sets print it, then
    other arrangements of it in lines."""
    fours, third = (-1.0, -1 / 3, 1 / 3, 1.0), (-1.0, 0.0, 1.0)
    three_rows = [(a, b) for a in fours[:3] for b in fours]
    blocks = [(a, b) for a in fours for b in (-1.0, -4 / 9, 4 / 9, 1.0)]
    match value:
        case 12:
            sixes = [(a, b) for a in np.linspace(-1, 1, 6) for b in (-1.0, 1.0)]
            return [*both_ways([(a, b) for a in fours for b in third]), *both_ways(sixes)]
        case 13:
            return [[*three_rows, (1.0, 0.0)], *_in_lines((4, 5, 4), (5, 3, 5))]
        case 14:
            return [[*three_rows, (1.0, -2 / 3), (1.0, 2 / 3)], *_in_lines((5, 4, 5), (4, 3, 3, 4))]
        case 15:
            return [[*three_rows, *((1.0, b) for b in (-2 / 3, 0.0, 2 / 3))], *_in_lines((5, 5, 5))]
        case 16:
            return [[(a, b) for a in fours for b in fours], *_in_lines((5, 6, 5), (6, 4, 6))]
        case 17:
            return [[*blocks, (0.0, 0.0)], [*((a, b) for a in fours for b in fours), (0.0, 0.0)], *_in_lines((6, 5, 6))]
    return [[*blocks, (-2 / 3, 0.0), (2 / 3, 0.0)], *_in_lines((6, 6, 6), (4, 5, 5, 4))]


def _in_lines(*counts: tuple[int, ...]) -> list[Drawn]:
    return [way for one in counts for way in both_ways(_lines(one))]


def both_ways(points: Drawn) -> list[Drawn]:
    """A pattern along the tile, and the same across it."""
    return [points, [(b, a) for a, b in points]]


def _lines(counts: tuple[int, ...]) -> Drawn:
    across = np.linspace(-1, 1, len(counts))
    return [(float(a), float(b)) for b, n in zip(across, counts, strict=True) for a in np.linspace(-1, 1, n)]


Points = tuple[tuple[float, float], ...]

_CORNERS: Points = ((-1, -1), (-1, 1), (1, -1), (1, 1))
_SIX: Points = (*_CORNERS, (0, -1), (0, 1))
_RING: Points = (*_SIX, (-1, 0), (1, 0))
_TEN: Points = (*((a, b) for b in (-1, 1) for a in (-1, -1 / 3, 1 / 3, 1)), (-1, 0), (1, 0))
_TEN_RING: Points = tuple((a, b) for b in (-1, 1) for a in (-1, 0, 1)) + tuple((a, 0) for a in (-1, -1 / 3, 1 / 3, 1))
_FIVES: Points = tuple((a, b) for b in (-1, 1) for a in (-1, -0.5, 0, 0.5, 1))
_LOW: dict[int, tuple[Points, ...]] = {
    0: ((),),
    1: (((0, 0),),),
    2: (((-1, -1), (1, 1)), ((-1, 1), (1, -1)), ((-1, 0), (1, 0)), ((0, -1), (0, 1))),
    3: (((-1, -1), (0, 0), (1, 1)), ((-1, 1), (0, 0), (1, -1))),
    4: (_CORNERS,),
    5: ((*_CORNERS, (0, 0)),),
    6: (_SIX, tuple((b, a) for a, b in _SIX)),
    7: ((*_SIX, (0, 0)), tuple((b, a) for a, b in (*_SIX, (0, 0)))),
    8: (_RING, tuple((b, a) for a, b in _RING)),
    9: ((*_RING, (0, 0)),),
    10: tuple(way for one in (_TEN, _TEN_RING, _FIVES) for way in (one, tuple((b, a) for a, b in one))),
    11: tuple(way for one in ((*_TEN, (0, 0)), (*_FIVES, (0, 0))) for way in (one, tuple((b, a) for a, b in one))),
}


@cache
def prints_of(value: int) -> tuple[Points, ...]:
    """All prints of a value that are known."""
    if value in _LOW:
        return _LOW[value]
    return tuple(tuple((float(a), float(b)) for a, b in points) for points in known_prints(value))
