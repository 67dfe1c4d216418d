"""Why can a half not be read? Often a toy train or a coin stands on it that the detector did not make out.

On the last tile of an open train a marker covers a half or more, and in the reduced picture it looks like part of the
tile. So where a tile was found and a half of it is unread, the judge of markers is asked about that half.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.covering import BELIEVED
from vision.frame import Image, Levels
from vision.markers import SIZES, MarkerJudge, views
from vision.reading import Found, TileReading
from vision.rectify import half_corners
from vision.rotated import sides

Floats = NDArray[np.float32]

SAID = 2.0
"""From this mean logit of eight looks on something stands there: on 90 rendered tables with 248 unread halves and 20
markers, all seven places above it had one."""
BESIDE = 0.6
"""In parts of a half's side: a marker found so near is the one that covers it."""
MOST = 24
"""How many halves of one picture are asked about, those of the surest tiles."""
A_TILE = 0.3
"""What is a tile less surely has no halves to cover."""


def markers_on(
    image: Image | Levels, tiles: Sequence[TileReading], markers: Sequence[Found], judge: MarkerJudge
) -> list[Found]:
    """(h, w, 3) uint8 BGR or its pyramid, what was read and the markers found -> the markers that stand on unread
    halves besides."""
    up = [tile for tile in tiles if tile.halves is not None and tile.confidence >= A_TILE]
    if not up:
        return []
    length = float(np.median(np.max(sides(np.array([tile.quad_px for tile in up], np.float32)), axis=0)))
    there = np.array([one.quad_px.mean(0) for one in markers if one.confidence >= BELIEVED], np.float32).reshape(-1, 2)
    places: list[tuple[int, Floats]] = []
    for n in sorted(range(len(up)), key=lambda n: -up[n].confidence):
        for half in _unread(up[n]):
            middle = np.asarray(half_corners(up[n].quad_px, half).mean(0), np.float32)
            if not (np.linalg.norm(there - middle, axis=1) < BESIDE * length / 2).any():
                places.append((n, middle))
    if not places:
        return []
    places = places[:MOST]
    squares = np.array([_square(middle, SIZES[1] * length) for _, middle in places], np.float32)
    looks = np.concatenate([[square, *views(square, length)] for square in squares]).astype(np.float32)
    said = judge.logits(image, looks).reshape(len(places), -1).mean(1)
    best: dict[int, int] = {}  # of both halves of a tile the one that shows more of it
    for k, (n, _) in enumerate(places):
        if said[k] >= SAID and (n not in best or said[k] > said[best[n]]):
            best[n] = k
    return [Found(squares[k], float(1 / (1 + np.exp(-said[k])))) for k in best.values()]


def _unread(tile: TileReading) -> list[int]:
    return [n for n, half in enumerate(tile.halves or ()) if half.value is None]


def _square(middle: Floats, side: float) -> Floats:
    return np.asarray(middle + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32) * side / 2, np.float32)
