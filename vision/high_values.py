"""16, 17 and 18 are claimed only where the picture itself rules out 12 and 15, unless the set is known to hold them.

Few boxes hold values above 15, and what the reader has seen of them is drawn. So where it claims one, the half's print
is laid against the patterns that makers print: rows and blocks, in every likely size. A 15 whose short last row is
smeared looks like a 16 to the reader; laid against both patterns it fits the one it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.known_set import KnownSet
from vision.rectify import READ_MARGIN, outward_halves

Floats = NDArray[np.float32]
Points = list[tuple[float, float]]

RARE = (16, 17, 18)
INSTEAD = (12, 15)
"""What a print of many pips is likelier to be: most sets end with one of these."""
FITS, BETTER = 0.45, 0.05
"""A print fits a value's pattern from this correlation on, and rules out another that it fits so much worse."""
DOUBTED = 0.5
"""What is left to a value that is not claimed."""
_SIDE = 24
_SPREADS = tuple(np.linspace(0.22, 0.40, 7))
_EDGE, _DIVIDER = 0.11, 0.04
"""So much of a half's crop is looked past: READ_MARGIN and the tile's own edge, and the dividing line."""
_REACH = 1
"""A pattern is tried so many pixels of `_SIDE` off the half's middle."""


def supported(p: NDArray[np.float64], crops: Image, known: KnownSet | None) -> NDArray[np.float64]:
    """(n, 2, v) probabilities and (n, side, 2 side, 3) crops of n tiles -> the same with less left to what is claimed
    above 15 and not printed clearly."""
    if known is not None and max(known.values()) >= RARE[0]:
        return p
    best = p.argmax(2)
    doubted = [(int(n), int(half)) for n, half in np.argwhere((best >= RARE[0]) & (p.max(2) > DOUBTED))]
    if not doubted:
        return p
    out = p.copy()
    for n, half in doubted:
        value = int(best[n, half])
        if not rules_out(outward_halves(crops[n : n + 1])[0, half], value):
            out[n, half, value] = DOUBTED
    return out


def rules_out(half: Image, value: int, others: Iterable[int] = INSTEAD) -> bool:
    """(side, side, 3) uint8 BGR, outer end at the left: does this print show `value` and none of the others?"""
    seen = _print(half)
    fit = _fit(seen, value)
    return fit >= FITS and all(fit - _fit(seen, other) >= BETTER for other in others)


def _print(half: Image) -> Floats:
    """(shifts, pixels): each pixel between the body's colour and the pips', at every small shift, standardised."""
    side = half.shape[0]
    lab = np.asarray(cv2.cvtColor(half, cv2.COLOR_BGR2LAB), np.float32)
    inner = lab[side // 8 : -side // 8, side // 8 : -side // 8].reshape(-1, 3)
    apart = (lab - inner.mean(0)) @ np.linalg.eigh(np.cov(inner.T))[1][:, -1]
    wide = _SIDE + 2 * _REACH
    # What lies beside the tile, a frame, a shadow at the edge and the divider are no print.
    y0, y1, x0, x1 = (round(side * share) for share in (_EDGE, 1 - _EDGE, _EDGE, 1 - _DIVIDER))
    apart = cv2.copyMakeBorder(apart[y0:y1, x0:x1], y0, side - y1, x0, side - x1, cv2.BORDER_REPLICATE)
    small = _sharpened(cv2.resize(apart, (wide, wide), interpolation=cv2.INTER_AREA))
    shifts = range(2 * _REACH + 1)
    return _standard(np.stack([small[y : y + _SIDE, x : x + _SIDE].ravel() for y in shifts for x in shifts]))


def _sharpened(picture: Floats) -> Floats:
    """Spots of a pip's size, whatever the light does across the half."""
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.5) - cv2.GaussianBlur(picture, (0, 0), 3.0), np.float32)


def _fit(seen: Floats, value: int) -> float:
    """Pips may be darker than the body or lighter."""
    return float(np.abs(seen @ _patterns(value).T).max())


@cache
def _patterns(value: int) -> Floats:
    """(sizes, pixels) of every print of this value that is known, standardised."""
    m = READ_MARGIN
    frame = (_SIDE + 2 * _REACH) / np.array([1 + m, 1 + 2 * m])
    middle = np.array([0.5 + m, 0.5 + m]) * frame - _REACH
    drawn = []
    for points in _known(value):
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


def _known(value: int) -> list[Points]:
    """The prints of a half, as points (along, across) in -1..1 with the outer end at -1."""
    fours, third = (-1.0, -1 / 3, 1 / 3, 1.0), (-1.0, 0.0, 1.0)
    three_rows = [(a, b) for a in fours[:3] for b in fours]
    blocks = [(a, b) for a in fours for b in (-1.0, -4 / 9, 4 / 9, 1.0)]
    if value == 12:
        sixes = [(a, b) for a in np.linspace(-1, 1, 6) for b in (-1.0, 1.0)]
        lines = [(a, b) for a in fours for b in third]
        return [*both_ways(lines), *both_ways(sixes)]
    if value == 15:
        fives = [(a, b) for a in np.linspace(-1, 1, 5) for b in third]
        return [[*three_rows, *((1.0, b) for b in (-2 / 3, 0.0, 2 / 3))], *both_ways(fives)]
    if value == 16:
        return [[(a, b) for a in fours for b in fours]]
    if value == 17:
        return [[*blocks, (0.0, 0.0)], *both_ways(_lines((6, 5, 6)))]
    return [[*blocks, (-2 / 3, 0.0), (2 / 3, 0.0)], *both_ways(_lines((6, 6, 6)))]


def both_ways(points: Points) -> list[Points]:
    """A pattern along the tile, and the same across it."""
    return [points, [(b, a) for a, b in points]]


def _lines(counts: tuple[int, ...]) -> Points:
    across = np.linspace(-1, 1, len(counts))
    return [(float(a), float(b)) for b, n in zip(across, counts, strict=True) for a in np.linspace(-1, 1, n)]
