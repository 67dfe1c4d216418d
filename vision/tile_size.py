"""How large a tile of this set is wherever it lies in a picture, so that an outline of another size is known for wrong.

A box that ends in the middle of a four shows a two, and the reader is as sure of that two as of any other. Only the
size of the tile tells: every tile of a set has the same, and a calibrated table says how many pixels that is anywhere.

In a chain of dark tiles without dividing lines an outline can be a fifth too long or stand off by as much, and what is
read inside is then rightly doubtful. Every tile of a picture has nearly the size of the clearly read tiles near it, so
outlines of that size are tried at places around the doubtful one. A reading counts only when several of these places
agree on it and no other reading is nearly as believable anywhere: where two are, the tile stays unread.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.calibration import Calibration
from vision.detections import Detections, Kind
from vision.rotated import covered, sides

Floats = NDArray[np.float32]
Steps = tuple[float, ...]


LEAST_NEAR, NEIGHBOURS = 3, 6
"""The size of a tile follows from its nearest clearly read ones, at least the first number and at most the second."""
SIZE_FACTOR = 1.6
"""An outline bigger or smaller than they by more than this is no tile among them and is left alone."""
ALONG, ACROSS = (-0.24, -0.18, -0.12, -0.06, 0.0, 0.06, 0.12, 0.18, 0.24), (-0.08, 0.08)
"""The places tried, in tile lengths and widths."""
SUPPORTERS, BELIEVED, RIVAL = 3, 0.93, 0.6
"""A reading is taken when so many of its best places are worth the second in the mean while no other reading reaches
the third."""
HOPELESS = 0.3
"""Every second place along is read first: where none of them is worth more there is nothing to be read."""
REACH = 0.58
"""How far the places reach beyond the outline, in tile widths, with the margin the reader sees."""
OVER = 0.1
"""Tiles are solid; their outlines are a few millimetres off."""


def typical_sizes(quads: Floats, sure: NDArray[np.bool_], neighbours: int = NEIGHBOURS) -> Floats:
    """(n, 2) px: length and width of the clearly read tiles nearest to each quad, NaN where there are too few."""
    sizes = np.full((len(quads), 2), np.nan, np.float32)
    known = np.flatnonzero(sure)
    if len(known) < LEAST_NEAR:
        return sizes
    along, across = sides(quads)
    centres = quads.mean(1)
    for i in range(len(quads)):
        near = known[np.argsort(np.linalg.norm(centres[known] - centres[i], axis=1))[:neighbours]]
        sizes[i] = np.median(along[near]), np.median(across[near])
    return sizes


def places(quad: Floats, size: Floats, along: Steps = ALONG, across: Steps = ACROSS) -> Floats:
    """(k, 4, 2) outlines of `size` (length, width) around a quad, in its own direction; the first is its own place."""
    u = (quad[2] + quad[3] - quad[0] - quad[1]) / 2
    v = (quad[0] + quad[3] - quad[1] - quad[2]) / 2
    steps = _steps(along, across)
    u = u / max(float(np.linalg.norm(u)), 1e-6) * size[0]
    v = v / max(float(np.linalg.norm(v)), 1e-6) * size[1]
    centres = np.array([quad.mean(0) + a * u + b * v for a, b in steps], np.float32)
    corners = np.array([-u / 2 + v / 2, -u / 2 - v / 2, u / 2 - v / 2, u / 2 + v / 2], np.float32)
    return np.asarray(centres[:, None] + corners[None], np.float32)


def beside(quads: Floats, solid: Floats) -> NDArray[np.bool_]:
    """(n,) which outlines lie beside all `solid` (m, 4, 2) ones, but for `OVER` of themselves."""
    return np.asarray(covered(quads, solid) <= OVER)


def coarse() -> NDArray[np.intp]:
    """Which of the `places` are read first."""
    return np.array([n for n, (a, b) in enumerate(_steps(ALONG, ACROSS)) if b == 0.0 and a in ALONG[::2]], np.intp)


def _steps(along: Steps, across: Steps) -> list[tuple[float, float]]:
    """The places as (along, across), the nearest first."""
    steps = [(a, 0.0) for a in along] + [(a, b) for b in across for a in along[::2]]
    return sorted(steps, key=lambda step: abs(step[0]) + abs(step[1]))


def agreed(values: Floats) -> tuple[int, tuple[int, ...]] | None:
    """(k, 2, 19) probabilities of the values at k places -> the best place and those that agree with it, or None."""
    best = values.argmax(2)
    worth = values.max(2).min(1)
    readings: dict[tuple[int, int], list[int]] = {}
    for i in np.argsort(-worth, kind="stable"):
        readings.setdefault((int(best[i, 0]), int(best[i, 1])), []).append(int(i))
    ranked = sorted(readings.values(), key=lambda found: -float(worth[found[:SUPPORTERS]].mean()))
    first = ranked[0][:SUPPORTERS]
    if len(first) < SUPPORTERS or worth[first].mean() < BELIEVED:
        return None
    if any(worth[other[0]] >= RIVAL for other in ranked[1:]):
        return None
    return first[0], tuple(first)


FAINT, LONG, WIDE = 0.4, (0.8, 1.25), (0.7, 1.4)
"""A find less sure than the first and not between these shares of the set's length and width is no tile: veins of
marble and squares of a cloth are found so."""
MARKERS = (0.25, 1.1)
"""A marker is so many tile lengths long: a bottle cap seen from above, a toy engine. A find more than so long is the
whole of a tile, or of a shadow."""

LEAST_SURE = 4
"""At least this many surely read tiles tell by how much the size that people gave is off."""


STEP = 1.04
"""Nobody knows a tile's length in a picture to 1 %, and the finder needs it to 10 %: it looks in steps of so much."""


def in_steps(length_px: float) -> float:
    """The nearest step to a tile's length: what is measured a little otherwise is looked at in the same size."""
    return math.exp(round(math.log(length_px) / math.log(STEP)) * math.log(STEP))


@dataclass(frozen=True, slots=True, eq=False)
class TileSize:
    """How large a tile is at a place of a calibrated table."""

    calibration: Calibration
    """Where the tiles lie."""
    tile_mm: tuple[float, float]
    """Length and width of the set's tiles."""

    def shares(self, quads_px: Floats) -> Floats:
        """(n, 4, 2) outlines -> (n, 2): how many times the set's length and width each one measures on the table."""
        corners = self.calibration.to_mm(np.asarray(quads_px, np.float64).reshape(-1, 2)).reshape(-1, 4, 2)
        return np.asarray(np.stack(sides(np.asarray(corners, np.float32)), 1) / np.array(self.tile_mm), np.float32)

    def weeded(self, found: Detections) -> Detections:
        """The finds without those whose size says that they are no tile, or no marker, before anybody judges them. No
        half of 367 on four drawn tables hangs on it.

        bench.gates, a find of no tile's size, before it is judged: photographs -, toys -, racks -, traced -, tables
        0/0/0.
        """
        shares, is_tile = self.shares(found.quads_px), found.kind <= Kind.FACE_DOWN
        longer = np.maximum(shares[:, 0], shares[:, 1] * self.tile_mm[1] / self.tile_mm[0])
        fits = (shares > (LONG[0], WIDE[0])).all(1) & (shares < (LONG[1], WIDE[1])).all(1)
        marker = (longer > MARKERS[0]) & (longer < MARKERS[1])
        keep = np.where(is_tile, fits | (found.confidence >= FAINT), marker | (found.kind != Kind.MARKER))
        return found.select(np.flatnonzero(keep))

    def expected(self, quads_px: Floats, sure: NDArray[np.bool_]) -> Floats:
        """(n, 2) px: how long and wide a tile is that lies as each outline does. An error in the measures of the table
        affects all tiles alike: those surely read, (n,) `sure`, tell how large it is."""
        shares = self.shares(quads_px)
        off = np.median(shares[sure], axis=0) if sure.sum() >= LEAST_SURE else np.ones(2, np.float32)
        own = np.stack(sides(quads_px), 1)
        return np.asarray(own / np.maximum(shares, 1e-6) * off, np.float32)
