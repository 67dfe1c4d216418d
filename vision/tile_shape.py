"""The shape of this set's tiles in this picture: all are equally large rectangles that lie on one plane.

Seen by a camera that leans, a tile is shorter the one way than the other. How much so is told by the outlines of those
that were surely read: under the right measure of the plane all are as long and as wide as each other, and right-angled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.reading import SEEN_WHOLE, TileReading
from vision.rotated import axes

Floats = NDArray[np.float64]

LEAST_TILES = 5
ROUNDS = 6
USUAL_WIDTH, HELD_TO_IT = 0.5, 1.0
"""Of a tile's length, and how much that counts beside the outlines: tiles that all lie the same way tell a lean from a
narrow make by nothing else."""
OUTLIER = 0.12
"""Outlines farther off than this, as a logarithm or a cosine, do not count in the next round."""
SURELY_READ, SURELY_FOUND = 0.98, 0.6
"""Tiles read and found so surely tell the shape."""
ONE_PLANE = 0.08
"""Outlines that differ more from each other lie on no one plane: some stand, or are of another size."""
SHORT, EVEN = 2.5, 0.025
"""An outline is shorter than the others where it is so by more than so many times what these are off by, or than so
many times the second, a logarithm."""
SAME_WAY, LEAST_BESIDE, CUT = 0.98, 2, -0.2
"""Of tiles whose directions have this cosine so many tell how long one is for its width; one shorter than their median
by the last (a logarithm) is cut short. In a photograph the lower end of one of five lay under a hand: -0.28.
bench.gates, an outline cut short, of few: photographs -, toys +2/0/0, racks -, traced -, tables -."""
SHORTEST = 1.42
"""Where too few tell anything, one that is less than so many times as long as wide is cut short. Of the labelled
photographs' 78 tiles that are read there the shortest is 1.446. Of racks that it was not made on it costs two right
halves and saves four wrong ones (`bench.racks`, 32 from 9400 on), nine and one (16 from 9300 on), one and none (12 from
9500 on).
bench.gates, an outline hardly longer than wide: photographs 0/0/0, toys 0/0/0, racks +1/0/0, traced -1/0/0, tables
-."""


@dataclass(frozen=True, slots=True)
class TileShape:
    """How long and wide a tile is at each place of a picture."""

    metric: Floats
    """(2, 2): at `middle` it measures a vector in pixels in tile lengths."""
    middle: Floats
    """(2,) pixels."""
    gradient: Floats
    """(2,) per pixel: at x the measure is larger by the factor exp(`gradient` . (x - `middle`))."""
    width: float
    """Of a tile, in its lengths."""
    rest: float
    """By how much outlines differ from the shape, as a median."""

    @property
    def lean_deg(self) -> float:
        """How far the camera leans: tiles are shorter by its cosine along the one way."""
        low, high = np.linalg.eigvalsh(self.metric)
        return math.degrees(math.acos(min(1.0, math.sqrt(max(low, 0.0) / max(high, 1e-12)))))

    def misfits(self, quads: NDArray[np.floating]) -> Floats:
        """(n, 4, 2) outlines -> (n, 3): by how much each is too long and too wide (logarithms), and how far its angles
        are off (a cosine)."""
        q: Floats = np.asarray(quads, np.float64)
        scale = np.exp((q.mean(1) - self.middle) @ self.gradient)[:, None]
        u, v = (side * scale for side in axes(q))
        long = np.sqrt(np.maximum(np.einsum("ni,ij,nj->n", u, self.metric, u), 1e-9))
        wide = np.sqrt(np.maximum(np.einsum("ni,ij,nj->n", v, self.metric, v), 1e-9))
        skew = np.einsum("ni,ij,nj->n", u, self.metric, v) / (long * wide)
        return np.stack([np.log(long), np.log(wide / self.width), skew], 1)


def shape_of(quads: NDArray[np.floating]) -> TileShape | None:
    """From the outlines (n, 4, 2) of tiles that were surely read; None where they are too few, or of no one shape."""
    if len(quads) < LEAST_TILES:
        return None
    q = np.asarray(quads, np.float64)
    middle, use = q.mean((0, 1)), np.ones(len(q), np.bool_)
    gradient, width, metric = np.zeros(2), 0.5, np.eye(2)
    spread = max(float(np.ptp(q.mean(1), axis=0).max()), 1.0)
    for _ in range(ROUNDS):
        fitted = _metric(q[use], middle, gradient)
        if fitted is None:
            return None
        metric, width = fitted
        off = TileShape(metric, middle, gradient, width, 0.0).misfits(q)
        if use.sum() >= LEAST_TILES:
            # The rest of a size's error changes evenly across the picture where the camera leans.
            at = (q[use].mean(1) - middle) / spread
            rows = np.column_stack([np.ones(len(at)), at])
            slope = np.linalg.lstsq(rows, off[use, :2].mean(1), rcond=1e-3)[0]
            gradient = gradient - slope[1:] / spread
        worst = np.abs(TileShape(metric, middle, gradient, width, 0.0).misfits(q)).max(1)
        use = worst <= max(OUTLIER, float(np.median(worst)))
    return TileShape(metric, middle, gradient, width, float(np.median(worst)))


def shape_of_sure(tiles: Sequence[TileReading]) -> TileShape | None:
    """From the tiles that were surely found and read."""
    return shape_of(np.array([tile.quad_px for tile in tiles if _sure(tile)], np.float64).reshape(-1, 4, 2))


def cut_short_doubted(tiles: Sequence[TileReading]) -> list[TileReading]:
    """The same tiles of a photograph. Where one's outline is shorter than the others, something may begin that lies on
    it: a 4 with one row left is a 2 like any other. There a half counts from `SEEN_WHOLE` on. Where too few are sure to
    tell the shape of a tile, one much shorter than those that lie as it does is not read, nor one that is hardly longer
    than wide: a rack's lip cuts a 6-6 down to a 4-4.

    Cost and saving, of halves: on the 833 readable tiles of the labelled photographs the first costs one right, the
    second none, and none is wrong; of 300 on traced tables the first costs one. On the same photographs with 1,010
    halves under toys (`bench.covered`, seeds 15 and 21) the first saves 7 of 8 wrong values for 21 of 271 right ones
    under toys and 17 of 2,065 in sight, the second the eighth for one. The third costs none of 833 there and none of
    22 tiles of rendered hands of two to four at a lean of 35 to 55 degrees; it saves 6 of 13 wrong tiles of 16 rendered
    racks (`bench.racks`, from 9000 and 9100 on).

    bench.gates, an outline cut short: photographs 0/+1/0, toys +18/+5/0, racks +1/0/0, traced -1/0/0, tables -.
    """
    out = list(tiles)
    if not tiles:
        return out
    shape, quads = shape_of_sure(tiles), np.array([tile.quad_px for tile in tiles], np.float64)
    if shape is None:
        short = _longer_than_beside(quads, np.array([_sure(tile) for tile in tiles])) < CUT
        long, wide = (np.linalg.norm(side, axis=1) for side in axes(quads))
        short |= long < SHORTEST * wide
        return [_refused(tile, math.inf) if cut else tile for tile, cut in zip(out, short, strict=True)]
    if shape.rest > ONE_PLANE:
        return out
    longer = shape.misfits(quads)[:, 0]
    for n in np.flatnonzero(longer < -SHORT * max(shape.rest, EVEN)):
        out[n] = _refused(out[n], SEEN_WHOLE)
    return out


def _refused(tile: TileReading, least_p: float) -> TileReading:
    """The same, its halves unread that are less probable than this."""
    if tile.halves is None:
        return tile
    a, b = (half if half.p >= least_p else half.refused() for half in tile.halves)
    return replace(tile, halves=(a, b))


def _longer_than_beside(quads: Floats, sure: NDArray[np.bool_]) -> Floats:
    """(n,): by how much each of too few tiles to tell a shape is longer, for its width, than those that lie the same
    way (a logarithm); 0 where these are too few."""
    along, across = axes(quads)
    long = np.linalg.norm(along, axis=1)
    ratio, unit = np.log(long / np.linalg.norm(across, axis=1)), along / long[:, None]
    out = np.zeros(len(quads))
    for n in range(len(quads)):
        beside = sure & (np.abs(unit @ unit[n]) > SAME_WAY)
        beside[n] = False
        if beside.sum() >= LEAST_BESIDE:
            out[n] = ratio[n] - np.median(ratio[beside])
    return out


def _sure(tile: TileReading) -> bool:
    read = tile.values is not None and min(half.p for half in tile.halves or ()) >= SURELY_READ
    return read and tile.confidence > SURELY_FOUND


def _metric(q: Floats, middle: Floats, gradient: Floats) -> tuple[Floats, float] | None:
    """The measure under which these outlines are nearest to one length, one width and right angles."""
    scale = np.exp((q.mean(1) - middle) @ gradient)[:, None]
    u, v = (side * scale for side in axes(q))
    typical = float(np.median(np.linalg.norm(u, axis=1)))
    u, v = u / typical, v / typical
    zero, one = np.zeros(len(q)), np.ones(len(q))
    hold = HELD_TO_IT * math.sqrt(len(q))
    rows = np.concatenate(
        [
            np.array([[0.0, 0.0, 0.0, hold]]),
            np.column_stack([u[:, 0] ** 2, 2 * u[:, 0] * u[:, 1], u[:, 1] ** 2, zero]),
            np.column_stack([v[:, 0] ** 2, 2 * v[:, 0] * v[:, 1], v[:, 1] ** 2, -one]) * 3,
            np.column_stack([u[:, 0] * v[:, 0], u[:, 0] * v[:, 1] + u[:, 1] * v[:, 0], u[:, 1] * v[:, 1], zero]) * 2,
        ]
    )
    wanted = np.concatenate([[hold * USUAL_WIDTH**2], one, zero, zero])
    a, b, c, w = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    metric = np.array([[a, b], [b, c]]) / typical**2
    if np.linalg.eigvalsh(metric)[0] <= 0 or w <= 0:
        return None
    return metric, math.sqrt(w)
