"""Does a thing recur all around? One dot of a cloth is as round as a coin; a hundred of them are a pattern.

A faint find of a detector is compared with the ground around it, where no tile lies. A marker has few like itself on a
table, and those are found, too; a thing that recurs where nothing was found is printed or woven.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.rotated import sides

Floats = NDArray[np.float32]

THING_PX, SPAN, AROUND = 14, 1.5, 8.0
"""A thing is compared so many pixels long, with the ground around it up to so many of its lengths, and looked for
as far as so many of its lengths away."""
TILE_AND_SHADOW = 1.18
ALIKE = 0.7
"""The correlation from which on two places look the same."""
OF_ITS_CONTRAST, NOISE = 0.5, 4.0
"""A place looks like the thing if its colour differs by less than this share of the thing's contrast with the ground,
and so many levels more."""
LEAST_SEEN = 0.3
"""Of a thing and the ground around it so much must be free of tiles, or nothing can be said."""


def lookalikes(image: Image, quad: Floats, tiles: Sequence[Floats], things: Floats) -> int:
    """(h, w, 3) uint8 BGR, an outline (4, 2), those of the tiles and the middles (n, 2) of other finds, all in px -> at
    how many other places around, where neither tiles nor finds lie, the picture looks as it does there."""
    along, across = sides(np.asarray(quad, np.float32)[None])
    side = max(float(along[0]), float(across[0]), 4.0)
    middle = quad.mean(0)
    height, width = image.shape[:2]
    x0, y0 = np.maximum(middle - AROUND * side, 0).astype(int)
    x1, y1 = np.minimum(middle + AROUND * side, [width, height]).astype(int)
    if x1 - x0 < side or y1 - y0 < side:
        return 0
    corner, scale = np.array([x0, y0], np.float32), THING_PX / side
    size = (round((x1 - x0) * scale), round((y1 - y0) * scale))
    ground = cv2.resize(image[y0:y1, x0:x1], size, interpolation=cv2.INTER_AREA)
    free = np.ones((size[1], size[0]), np.float32)
    for tile in tiles:
        larger = tile.mean(0) + TILE_AND_SHADOW * (tile - tile.mean(0)) - corner
        cv2.fillConvexPoly(free, np.round(larger * scale).astype(np.int32), 0.0)
    x, y = np.round((middle - corner) * scale).astype(int).clip(0, [size[0] - 1, size[1] - 1])
    found = (things - corner) * scale
    return sum(
        bool(np.hypot(a - x, b - y) > 0.6 * THING_PX) and not (np.hypot(*(found - [a, b]).T) < 0.6 * THING_PX).any()
        for a, b in _alike(np.asarray(ground, np.uint8), free, int(x), int(y))
    )


def _alike(ground: Image, free: Floats, x: int, y: int) -> Sequence[tuple[int, int]]:
    """The places (x, y) of `ground`, where it is `free`, that look most like the one given."""
    half = round(THING_PX * SPAN / 2)
    cut = np.s_[y : y + 2 * half + 1, x : x + 2 * half + 1]
    padded = cv2.copyMakeBorder(ground, half, half, half, half, cv2.BORDER_REPLICATE).astype(np.float32)
    disc = cv2.circle(np.zeros((2 * half + 1,) * 2, np.float32), (half, half), half, 1.0, -1)
    seen = cv2.copyMakeBorder(free, half, half, half, half, cv2.BORDER_CONSTANT, value=0.0)[cut] * disc
    if seen.sum() < LEAST_SEEN * disc.sum():
        return []
    alike = cv2.matchTemplate(padded, padded[cut], cv2.TM_CCOEFF_NORMED, mask=cv2.merge([seen] * 3))
    alike = np.where(np.isfinite(alike) & (alike < 1.01), alike, 0.0)  # flat ground divides by nothing
    # The pattern around a thing may recur without it: it has to stand out from the ground there as it does here.
    inner = cv2.circle(np.zeros_like(seen), (half, half), round(0.45 * THING_PX), 1.0, -1)
    own = ground.astype(np.float32)
    out = _weighed(own, seen * inner) - _weighed(own, seen * (1 - inner))
    same = np.linalg.norm(out - out[y, x], axis=2) < OF_ITS_CONTRAST * np.linalg.norm(out[y, x]) + NOISE
    highest = (cv2.dilate(alike, np.ones((THING_PX, THING_PX))) == alike) & (alike >= ALIKE) & (free > 0) & same
    return [(int(a), int(b)) for b, a in np.argwhere(highest)]


def _weighed(ground: Floats, weights: Floats) -> Floats:
    """(h, w, 3): the mean colour around each pixel, weighed like this."""
    return np.asarray(cv2.filter2D(ground, -1, weights / max(float(weights.sum()), 1.0)), np.float32)
