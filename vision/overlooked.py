"""Tiles that a photograph shows and that were not found: the total of a hand would lack them.

Pips show them, outside every reported outline: where the finder saw something that was not reported, or where a tile
that touches a reported one would run out of the picture.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vision.detections import Finds
from vision.rotated import axes, covered

Floats = NDArray[np.float32]

PIPS = 0.9
"""A half with pips so probable is one. It names tiles in six of the 81 labelled photographs, and each of them lies
there. Two of the six had a total before; none of the 62 whose total is said rightly loses it. On pictures that it was
not made on: 11 of 13 on twenty traced tables lie there, in eight racks all four; of 24 rendered hands none is named."""
FREE, TOUCHED = 0.3, 0.1
"""A place that reported outlines cover by more than the first is theirs; one beside them is asked about if they cover
no more than the second."""


def overlooked(
    seen: Floats, tiles: Floats, size_wh: tuple[int, ...], scores: Callable[[Floats], Finds]
) -> list[NDArray[np.float32]]:
    """The outlines (4, 2) of tiles that were not found, of a photograph of that size in px in which the finder has
    `seen` (n, 4, 2) and `tiles` (m, 4, 2) are reported. `scores` reads outlines."""
    cut_off = beyond_edge(tiles, size_wh)
    asked = np.concatenate([seen[covered(seen, tiles) < FREE], cut_off[covered(cut_off, tiles) < TOUCHED]])
    if not len(asked):
        return []
    finds = scores(asked)
    there = (finds.values[:, :, 1:].max((1, 2)) >= PIPS) & (covered(finds.quads, tiles) < FREE)
    return list(finds.quads[there])


def beyond_edge(tiles: Floats, size_wh: tuple[int, ...]) -> Floats:
    """(n, 4, 2) outlines of tiles -> (k, 4, 2) of those that may touch them and have one half in the picture and one
    beyond its edge: in line, side by side, across an end, or a half at either half."""
    along, across = (side[:, None] for side in axes(tiles))
    steps = np.array([[1, 0], [0, 1], [0.75, 0], [0.25, 1.5], [-0.25, 1.5]], np.float32)
    turned = np.array([0, 0, 1, 1, 1], np.bool_)[:, None]
    steps, turned = np.concatenate([steps, -steps]), np.concatenate([turned, turned])
    middles = tiles.mean(1)[:, None] + steps[:, :1] * along + steps[:, 1:] * across
    u, v = np.where(turned, 2 * across, along) / 2, np.where(turned, -along / 2, across) / 2
    quads = np.stack([middles - u - v, middles - u + v, middles + u + v, middles + u - v], 2).reshape(-1, 4, 2)
    halves = np.stack([quads[:, :2].mean(1), quads[:, 2:].mean(1)], 1) / 2 + quads.mean(1)[:, None] / 2
    inside = ((halves > 0) & (halves < np.array(size_wh, np.float32))).all(2)
    return np.asarray(quads[inside.sum(1) == 1], np.float32)
