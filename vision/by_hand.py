"""Pips dotted by hand: of all sizes, off their places, run together. Readings of them need more to be believed.

The reader has learned printed sets and is too sure of others. In a box all pips of a half are as large as each other:
in the photographs their areas differ by 12 % at most (median of a picture's halves; one taken from the side apart),
where somebody dotted them with a pen by 12 to 50 %. In such a set a value counts where the reader is quite certain, or
nearly so and as many dots are counted. Of 1,014 halves that were read on 48 rendered hands like that 18 were wrong; 947
are left, one of them wrong (`python -m bench.prints --only "by hand" "by hand, wrong balance" --first 150000`).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Picture, middle_levels
from vision.rectify import cut_wh, half_corners, side_px

Floats = NDArray[np.float32]

UNEVEN = 0.145
"""From this spread of a half's pips on (deviation over mean of their areas; the median of the halves) they were dotted
by hand."""
LEAST_DOTS, LEAST_HALVES = 3, 4
"""Halves with so many pips at least, all of them counted apart, tell how even they are, where there are so many."""
MOST_LOOKED_AT = 40
"""Halves of one picture, the surest: an even set is known by as many."""
LEAST_COUNTED = 0.25
"""Of the halves looked at so many have to be counted as they are read. Where the dots can hardly be told apart, the
few that can are not the set's: of 40 tiles of a printed set four halves once had 40 tiles doubted. Of 14 hands dotted
by hand the least was 0.36."""
MOST_SPREADS = 120
"""How many of the last halves count: another box may lie there after a while."""
SMALLEST_PX = 38.0
"""Of halves with shorter sides the pips have too few pixels to be compared."""
SURELY, NEARLY = 0.995, 0.97
"""A value of uneven pips counts from the first probability on, from the second where as many dots are counted."""
DOUBTED = 0.85
"""The remaining probability of the others: too little to be read."""
_SIDE = 72
_OUTER, _INNER, _FLANK = 0.06, 0.09, 0.04
"""The parts of a half that are ignored: at its outer end, at the dividing line and on both sides."""
_LEAST_AREA = 0.003
_BAR = 0.4
"""A shape that touches the half's rim along so much of it is the dividing line, a frame or a thing beside the tile."""


def doubted(image: Picture, quads: Floats, p: NDArray[np.float64], spreads: list[float]) -> NDArray[np.float64]:
    """(n, 4, 2) outlines and (n, 2, v) probabilities of n tiles -> the same with less left to what is hardly believed,
    where the pips are uneven. `spreads` are those of earlier pictures of the same box; this one's are added.

    bench.gates, pips dotted by hand: photographs 0/0/0, toys 0/0/0, racks -1/+1/+2, traced 0/0/0, tables 0/0/0.
    """
    best, values = p.max(2), p.argmax(2)
    telling = np.argwhere((best >= DOUBTED) & (values >= LEAST_DOTS))
    telling = telling[np.argsort(-best[tuple(telling.T)], kind="stable")][:MOST_LOOKED_AT]
    ink = {(int(n), int(half)): ink_of(image, quads[n], int(half), SMALLEST_PX) for n, half in telling}
    looked_at = {of: dots[:, 4] for of, dots in ink.items() if dots is not None and not _cut_off(dots)}
    even = [float(areas.std() / areas.mean()) for of, areas in looked_at.items() if len(areas) == values[of]]
    if len(even) >= LEAST_COUNTED * len(looked_at):
        spreads += even
    del spreads[:-MOST_SPREADS]
    if len(spreads) < LEAST_HALVES or np.median(spreads) < UNEVEN:
        return p
    out = p.copy()
    for n, half in np.argwhere(best < SURELY):
        areas = areas_of_dots(image, quads[n], int(half)) if values[n, half] and best[n, half] >= NEARLY else None
        if best[n, half] < NEARLY or (0 if areas is None else len(areas)) != values[n, half]:
            out[n, half] *= DOUBTED
    return out


def _cut_off(dots: Floats) -> bool:
    """Whether what is looked at ends within a dot: some makers print them out to the tile's end."""
    return bool((dots[:, :2] <= 0).any() or (dots[:, :2] + dots[:, 2:4] >= 1 - 1e-3).any())


def areas_of_dots(image: Picture, quad: Floats, half: int) -> NDArray[np.float64] | None:
    """The areas of the dots on one half, as parts of what is looked at, (k,); None where it is too small to tell."""
    pieces = ink_of(image, quad, half, SMALLEST_PX)
    return None if pieces is None else pieces[:, 4].astype(np.float64)


def ink_of(image: Picture, quad: Floats, half: int, smallest_px: float) -> Floats | None:
    """The pieces of ink on one half that are no line along its rim, (k, 5): x, y, width and height in parts of the side
    of what is looked at, and the area as a part of it; None where the half is smaller than so many px."""
    corners = half_corners(quad, half)
    if side_px(corners) < smallest_px:
        return None
    whole = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    part = np.array(
        [[_OUTER, _FLANK], [1 - _INNER, _FLANK], [1 - _INNER, 1 - _FLANK], [_OUTER, 1 - _FLANK]], np.float32
    )
    to_picture = cv2.getPerspectiveTransform(whole, corners.astype(np.float32))
    inner = cv2.perspectiveTransform(part[None], to_picture)[0]
    seen = np.asarray(cv2.GaussianBlur(cut_wh(image, inner, (_SIDE, _SIDE)), (0, 0), 0.8), np.uint8)
    apart = np.abs(seen - middle_levels(seen.reshape(1, -1, 3))[0]).max(2).astype(np.uint8)
    _, ink = cv2.threshold(apart, 0, 1, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    count, _, boxes, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    pieces = [one for one in boxes[1:count] if one[4] >= _LEAST_AREA * _SIDE**2 and not _at_rim(*one[:4])]
    shares = np.array([1 / _SIDE, 1 / _SIDE, 1 / _SIDE, 1 / _SIDE, 1 / _SIDE**2], np.float32)
    return np.asarray(np.array(pieces, np.float32).reshape(-1, 5) * shares, np.float32)


def _at_rim(x: int, y: int, w: int, h: int) -> bool:
    """Does it run along the rim, as no pip does?"""
    upright, level = x == 0 or x + w == _SIDE, y == 0 or y + h == _SIDE
    return (upright and h > _BAR * _SIDE) or (level and w > _BAR * _SIDE)
