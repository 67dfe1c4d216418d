"""What shape a tile of this set has in this picture: all are equally large rectangles that lie on one plane.

Seen by a camera that leans, a tile is shorter the one way than the other. How much so is told by the outlines of those
that were surely read: under the right measure of the plane all are as long and as wide as each other, and right-angled.
A find that is no such rectangle is two tiles, a part of one, or none. From so far aside that tiles hide each other and
their flanks pass for faces nothing is read at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.dividers import Lines
from vision.reading import SEEN_WHOLE, THOUGH_DISTURBED, HalfReading, TileReading, unread

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
OTHER_SHAPE = 0.35
"""What is longer, wider or more askew than the others by more than this is no tile of theirs. In the photographs tiles
that were read rightly are off by 0.21 at most, one under a pad by 0.32."""
PROMISED_DEG, TOO_FAR_ASIDE_DEG = 45.0, 52.0
"""The lean is told to within some three degrees. From so far aside two halves of neighbours look like one tile: beyond
the first a tile has to show its line, beyond the second nothing is read."""
SURE_ASIDE, ASIDE_DEG, MANY, FAIRLY_READ = 0.995, 36.0, 10, 0.97
"""And beyond the first its halves count from this probability: a 3 of which two fifths were hidden was read as a 2
there, at 0.9943. Of 26 such tiles in the photographs 23 are read as surely. A tile without its line counts from there
beyond the second, too, where outlines lie on no plane, and where of so many finds hardly any is read as surely as the
last, as which a high value with its own print is: the detector's outlines take in flanks, so that a lean of 45 to 60
degrees may look like 36 or like none. On 200 rendered tables of such leans that takes 23 of 25 wrong tiles away and
145 of 1,546 right ones, of the photographs none."""
TRUE_OUTLINES, CUT_SHORT, TOO_WIDE = 0.05, -0.12, 0.2
"""Without dividing lines nothing but its size tells that an outline ends where a toy begins: where outlines differ by
the first at most, one shorter or narrower than the second (a logarithm) or wider than the third is not read. In the
photographs 260 of 260 such tiles are between -0.071 and 0.134, of 868 on rendered tables all but three."""
SHORT, BENT, EVEN = 2.5, 3.0, 0.025
"""An outline shorter than the others by more than so many times what these are off by, or than the third is, ends where
something begins that lies on the tile: a 4 of which it leaves one row is a 2 like any other, so a half in it counts
from `SEEN_WHOLE` on. One narrower or more askew by more than the second was bent by something: there it is
`THOUGH_DISTURBED`. One that is too long hides nothing. On photographs with toys (seed 8) 9 of 751 bare halves are in
outlines so short, all of them as surely read, and of 104 covered ones that are read rightly 9, of which 7 are not."""
WHOLE = 0.7
"""What is found less surely may be a part of a tile, or a tiny one: a half of it counts from `FAIRLY_READ` on. Under
toys on photographs (seed 8) three of five wrong values were of such finds."""
TOO_WIDE_ALONE = 0.58
"""Of its length: a tile wider than this, among too few to tell a shape, is seen aside or has an end hidden, by a rack's
lip as all beside it have. Nine of 112 halves in such photographs are of tiles so wide, all read at 0.995 and more."""
SAME_WAY, LEAST_BESIDE, CUT_AMONG_FEW = 0.98, 2, -0.2
"""Of tiles whose directions have this cosine so many tell how long one is for its width; one shorter than their median
by the last (a logarithm) is cut short. In a photograph the lower end of one of five lay under a hand: -0.28."""


@dataclass(frozen=True, slots=True)
class TileShape:
    """`metric` (2, 2) measures a vector in px in tile lengths at `middle`; it grows by the factor exp(`gradient` . (x -
    middle)) elsewhere. `width` of a tile in its lengths. `rest`: by how much outlines differ from it, a median."""

    metric: Floats
    middle: Floats
    gradient: Floats
    width: float
    rest: float

    @property
    def lean_deg(self) -> float:
        """How far the camera leans: tiles are shorter by its cosine along the one way."""
        low, high = np.linalg.eigvalsh(self.metric)
        return math.degrees(math.acos(min(1.0, math.sqrt(max(low, 0.0) / max(high, 1e-12)))))

    def misfits(self, quads: NDArray[np.floating]) -> Floats:
        """(n, 4, 2) outlines -> (n, 3): by how much each is too long and too wide (logarithms), and how far its angles
        are off (a cosine)."""
        return _misfits(quads, self.metric, self.middle, self.gradient, self.width)


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
        off = _misfits(q, metric, middle, gradient, width)
        if use.sum() >= LEAST_TILES:
            # What is left of the sizes changes evenly across the picture where the camera leans.
            at = (q[use].mean(1) - middle) / spread
            rows = np.column_stack([np.ones(len(at)), at])
            slope = np.linalg.lstsq(rows, off[use, :2].mean(1), rcond=1e-3)[0]
            gradient = gradient - slope[1:] / spread
        worst = np.abs(_misfits(q, metric, middle, gradient, width)).max(1)
        use = worst <= max(OUTLIER, float(np.median(worst)))
    return TileShape(metric, middle, gradient, width, float(np.median(worst)))


def of_one_shape(
    tiles: Sequence[TileReading], lines: Lines, *, digits: bool = False
) -> tuple[list[TileReading], str | None]:
    """The same tiles, unread where their outline is no rectangle of the others' size; unread, and a sentence that says
    why, where the camera leans so far that values are not to be trusted: beyond `PROMISED_DEG` those whose dividing
    line does not prove that they are one tile, beyond `TOO_FAR_ASIDE_DEG` all. Of taught `digits` a part reads as
    none of them, however an outline ends."""
    out = list(tiles)
    shape = shape_of(np.array([tile.quad_px for tile in tiles if _sure(tile)], np.float64).reshape(-1, 4, 2))
    if not tiles or (shape is None and digits):
        return out, None
    even = shape is not None and shape.rest <= 1.5 * ONE_PLANE
    if shape is not None and even and shape.lean_deg > PROMISED_DEG:
        near = shape.lean_deg <= TOO_FAR_ASIDE_DEG
        proven = [near and lines.in_the_middle(n) and _quite_sure(tile) for n, tile in enumerate(tiles)]
        out = [tile if so else unread(tile) for tile, so in zip(tiles, proven, strict=True)]
        if any(tile.values is not None for tile in out):
            return out, (
                f"the camera leans {shape.lean_deg:.0f} degrees: only tiles whose middle line shows are read; hold it "
                "more from above"
            )
        return out, f"the camera leans {shape.lean_deg:.0f} degrees, too far to read tiles by; hold it more from above"
    from_above = shape is not None and even and shape.lean_deg <= ASIDE_DEG
    told = len(tiles) < MANY or sum(_sure(tile, FAIRLY_READ) for tile in tiles) >= LEAST_TILES
    if not from_above and not digits and (shape is not None or not told):
        out = [tile if lines.in_the_middle(n) or _quite_sure(tile) else unread(tile) for n, tile in enumerate(out)]
    least_p = np.array([FAIRLY_READ if tile.confidence < WHOLE else 0.0 for tile in tiles])
    if shape is None:
        beside, wide = _beside_others(tiles), _widths(tiles)
        least_p[wide > TOO_WIDE_ALONE] = THOUGH_DISTURBED
        least_p[beside < -SHORT * EVEN] = SEEN_WHOLE
        out = [unread(tile) if off < CUT_AMONG_FEW else tile for tile, off in zip(out, beside, strict=True)]
    elif shape.rest <= ONE_PLANE:
        off = shape.misfits(np.array([tile.quad_px for tile in tiles], np.float64))
        other = np.abs(off).max(1) > OTHER_SHAPE
        other[other] = ~_of_a_second_set([tile for tile, far in zip(tiles, other, strict=True) if far], off[other])
        if lines.undivided and not digits and shape.rest <= TRUE_OUTLINES:
            one = np.abs(off).max(1) <= OTHER_SHAPE
            other |= one & ((off[:, :2].min(1) < CUT_SHORT) | (off[:, 1] > TOO_WIDE))
        usual = max(shape.rest, EVEN)
        least_p[np.maximum(-off[:, 1], np.abs(off[:, 2])) > BENT * usual] = THOUGH_DISTURBED
        least_p[off[:, 0] < -SHORT * usual] = SEEN_WHOLE
        out = [unread(tile) if far else tile for tile, far in zip(out, other, strict=True)]
    if not digits:
        out = [_where_sure(tile, float(p)) for tile, p in zip(out, least_p, strict=True)]
    return out, None


def _where_sure(tile: TileReading, least_p: float) -> TileReading:
    if tile.halves is None or min(half.p for half in tile.halves) >= least_p:
        return tile
    a, b = (half if half.p >= least_p else HalfReading(None, 0.0) for half in tile.halves)
    return replace(tile, halves=(a, b))


def _of_a_second_set(tiles: Sequence[TileReading], off: Floats) -> NDArray[np.bool_]:
    """(n,) which tiles, by so much (n, 3) of another shape than the others, are rectangles of one size of their own: a
    cloth that shows dominoes lies under them. Two tiles taken for one are larger one way only."""
    sure = np.array([_sure(tile) for tile in tiles], np.bool_)
    if sure.sum() < LEAST_TILES:
        return np.zeros(len(tiles), np.bool_)
    usual = np.median(off[sure], axis=0)
    alike = np.abs(off - usual).max(1) <= OTHER_SHAPE
    return np.asarray(alike & bool(abs(usual[0] - usual[1]) <= OTHER_SHAPE) & bool(abs(usual[2]) <= OTHER_SHAPE))


def _beside_others(tiles: Sequence[TileReading]) -> Floats:
    """(n,): by how much each of too few tiles to tell a shape is longer, for its width, than those that lie the same
    way (a logarithm); 0 where these are too few."""
    along, _ = _sides(np.array([tile.quad_px for tile in tiles], np.float64))
    unit, ratio = along / np.linalg.norm(along, axis=1)[:, None], -np.log(_widths(tiles))
    sure = np.array([_sure(tile) for tile in tiles])
    out = np.zeros(len(tiles))
    for n in range(len(tiles)):
        beside = sure & (np.abs(unit @ unit[n]) > SAME_WAY)
        beside[n] = False
        if beside.sum() >= LEAST_BESIDE:
            out[n] = ratio[n] - np.median(ratio[beside])
    return out


def _sure(tile: TileReading, least: float = SURELY_READ) -> bool:
    read = tile.values is not None and min(half.p for half in tile.halves or ()) >= least
    return read and tile.confidence > SURELY_FOUND


def _quite_sure(tile: TileReading) -> bool:
    return min((half.p for half in tile.halves or ()), default=0.0) >= SURE_ASIDE


def _widths(tiles: Sequence[TileReading]) -> Floats:
    """(n,): how wide each is for its length."""
    along, across = _sides(np.array([tile.quad_px for tile in tiles], np.float64))
    return np.asarray(np.linalg.norm(across, axis=1) / np.linalg.norm(along, axis=1), np.float64)


def _sides(q: NDArray[np.floating]) -> tuple[Floats, Floats]:
    along = (q[:, 2] - q[:, 1] + q[:, 3] - q[:, 0]) / 2
    across = (q[:, 1] - q[:, 0] + q[:, 2] - q[:, 3]) / 2
    return along, across


def _metric(q: Floats, middle: Floats, gradient: Floats) -> tuple[Floats, float] | None:
    """The measure under which these outlines are nearest to one length, one width and right angles."""
    scale = np.exp((q.mean(1) - middle) @ gradient)[:, None]
    u, v = (side * scale for side in _sides(q))
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


def _misfits(quads: NDArray[np.floating], metric: Floats, middle: Floats, gradient: Floats, width: float) -> Floats:
    q: Floats = np.asarray(quads, np.float64)
    scale = np.exp((q.mean(1) - middle) @ gradient)[:, None]
    u, v = (side * scale for side in _sides(q))
    long = np.sqrt(np.maximum(np.einsum("ni,ij,nj->n", u, metric, u), 1e-9))
    wide = np.sqrt(np.maximum(np.einsum("ni,ij,nj->n", v, metric, v), 1e-9))
    skew = np.einsum("ni,ij,nj->n", u, metric, v) / (long * wide)
    return np.stack([np.log(long), np.log(wide / width), skew], 1)
