"""The second judge of markers: a toy train, a coin, a chip, or only something that the detector mistook for one.

The detector looks at a picture so far reduced that a marker is some thirty pixels long and often unsure of it. Even its
faint finds are cut out of the full picture and looked at once more, by a network that has seen nothing else.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detections import Detections, Kind
from vision.frame import Image, Levels
from vision.judging import COVER, IOU, LEAST, Judge, log_odds
from vision.lookalikes import lookalikes
from vision.rotated import areas, shared_each, sides, suppress

Floats = NDArray[np.float32]

CUT_PX = 64
CUT_SPAN = 2.4
"""A cut shows so many times the found thing's longer side: the tiles and the table around it tell much."""

INSISTED, NOT_AT_ALL, BELIEVED = 0.85, 2.0, 0.6
"""A find that the detector is this sure of has at least the last confidence, unless the judge's logit is below minus
the second: of such finds on rendered tables three in four are markers, and no maker's engine is like another's."""


FAINT, FEW_FAINT, A_FAINT_ONE, MOST_DOUBT = 0.9, 2, 0.5, 4.0
"""Beyond the second number of finds below the first confidence, each takes the third in log-odds from all finds of a
picture, the fourth at most. On 279 stills 70 finds above one half were no markers before, and 33 are now; not one
marker more was missed."""

PLAINLY, SURELY_A_TILE, MANY_ALIKE, NO_MARKER = 0.95, 0.3, 3, 0.1
"""A find below the first has at most the last confidence where so many places around look just like it."""

A_TILES = 0.7
"""An outline that has more than this of its area and a tile's in common with the tile's outline is the tile's."""

SIZES, ASIDE = (0.3, 0.42, 0.58), 0.12
"""The detector outlines markers loosely. A find in doubt is looked at seven times more: as squares around its middle of
so many tile lengths, and as the second of these so far to each side."""

SAME_PLACE = 0.15
"""Finds whose middles lie no farther apart than this part of a tile length share these looks."""

FINER = 1.25
"""A cut is made from the smallest half of the picture that has at least so many times its pixels."""

IN_DOUBT = (-2.5, 4.0)
"""Log-odds between which more looks are worth their time: of 265 finds on 100 tables below the first none came above
one half by them."""


class MarkerJudge(Judge):
    """Gives the detector's markers their confidences."""

    size_wh = (CUT_PX, CUT_PX)

    def cut(self, levels: Levels, quad: NDArray[np.floating]) -> Image:
        factor = level_for(levels, quad, CUT_SPAN, CUT_PX)
        return cut_square(levels[factor], np.asarray(quad) / factor, CUT_SPAN, CUT_PX)

    def aside(self, image: Image | Levels, quads_px: Floats, logits: Floats, length_px: float) -> Floats:
        """(n, 4, 2) outlines and their logits -> (n,) by how much other looks at the same places say more, on average;
        `length_px`: how long a tile is."""
        if not len(quads_px):
            return np.zeros(0, np.float32)
        places, place = same_places(quads_px.mean(1), logits, SAME_PLACE * length_px)
        looks = np.concatenate([views(quad, length_px) for quad in quads_px[places]])
        said = self.logits(image, looks).reshape(len(places), -1).mean(1)
        return np.asarray(said[place] - logits, np.float32)

    def judge(
        self, image: Image, found: Detections, length_px: float | None = None, levels: Levels | None = None
    ) -> Detections:
        """The same finds, with every marker's confidence judged anew and what is no marker left out.

        `length_px`: how long a tile is; else it is taken from the tiles that were found. `levels`: the picture's
        pyramid, where there is one.
        """
        levels = {1: image} if levels is None else levels
        s = self.settings
        markers = np.flatnonzero(found.kind == Kind.MARKER)
        if not len(markers):
            return found
        quads = found.quads_px[markers]
        logits, alone = self.logits(levels, quads), found.confidence[markers]
        more, length_px = np.zeros(len(quads), np.float32), length_px or tile_length(found)
        total = s.total(logits, alone)
        doubted = np.flatnonzero((total > IN_DOUBT[0]) & (total < IN_DOUBT[1]))
        if length_px is not None:
            more[doubted] = self.aside(levels, quads[doubted], logits[doubted], length_px)
        confidence = s.confidence(logits, alone, more)
        insisted = (alone >= INSISTED) & (logits > -NOT_AT_ALL)
        confidence[insisted] = np.maximum(confidence[insisted], BELIEVED)
        passed = np.flatnonzero(confidence >= LEAST)
        passed = passed[suppress(quads[passed], confidence[passed], IOU, COVER)]
        passed = passed[apart(quads[passed])]
        others = np.flatnonzero(found.kind != Kind.MARKER)
        tiles = found.quads_px[(found.kind <= Kind.FACE_DOWN) & (found.confidence >= SURELY_A_TILE)]
        places = outlined(quads, alone * (confidence >= BELIEVED), passed, tiles)
        told = amid_a_pattern(confidence[passed])
        recurring = _recurring(image, quads[places], told, tiles)
        told[recurring] = np.minimum(told[recurring], NO_MARKER)
        return found.select(others).together(Detections(quads[places], found.kind[markers[passed]], told))


def tile_length(found: Detections) -> float | None:
    """How long the tiles of a picture are, in pixels; None where none was found surely."""
    tiles = found.quads_px[(found.kind <= Kind.FACE_DOWN) & (found.confidence >= SURELY_A_TILE)]
    return float(np.median(np.max(sides(tiles), axis=0))) if len(tiles) else None


def same_places(middles: Floats, surest: Floats, reach_px: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(n, 2) middles -> (m,) which of them stand for a place, the surest first, and (n,) which place each is at."""
    places: list[int] = []
    place = np.zeros(len(middles), np.intp)
    for n in np.argsort(-surest, kind="stable"):
        apart_px = np.hypot(*(middles[places] - middles[n]).T) if places else np.zeros(0)
        near = np.flatnonzero(apart_px <= reach_px)
        place[n] = near[0] if len(near) else len(places)
        if not len(near):
            places.append(int(n))
    return np.array(places, np.intp), place


def views(quad: NDArray[np.floating], length_px: float) -> Floats:
    """(4, 2) -> (7, 4, 2): what is looked at besides one outline."""
    middle = quad.mean(0)
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32) * length_px / 2
    around = [middle + size * square for size in SIZES]
    aside = [
        middle + SIZES[1] * square + np.array(way) * ASIDE * length_px for way in ((1, 0), (-1, 0), (0, 1), (0, -1))
    ]
    return np.asarray([*around, *aside], np.float32)


def amid_a_pattern(confidence: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n,) confidences of one picture's markers -> the same, lowered where many are faint: the dots of a cloth, among
    which the likeliest is no marker either. Plain markers lose little."""
    faint = int((confidence < FAINT).sum())
    doubt = min(A_FAINT_ONE * max(faint - FEW_FAINT, 0), MOST_DOUBT)
    return np.asarray(1 / (1 + np.exp(doubt - log_odds(confidence))), np.float32)


def _recurring(image: Image, quads: Floats, confidence: Floats, tiles: Floats) -> list[int]:
    """Which of these markers look like the cloth around them."""
    believed = quads[confidence >= BELIEVED].mean(1).reshape(-1, 2)
    doubted = np.flatnonzero((confidence > NO_MARKER) & (confidence < PLAINLY))
    return [int(n) for n in doubted if lookalikes(image, quads[n], list(tiles), believed) >= MANY_ALIKE]


def apart(quads: NDArray[np.float32]) -> NDArray[np.intp]:
    """Of outlines (n, 4, 2), the surest first, those that are markers of their own: in whose middle no surer one lies,
    and whose middle lies in no surer one. A toy engine's cab is no second engine."""
    holds = _hold(quads, quads.mean(1))
    either, kept = holds | holds.T, list[int]()
    for n in range(len(quads)):
        if not either[n, kept].any():
            kept.append(n)
    return np.array(kept, np.intp)


def outlined(
    quads: NDArray[np.float32], alone: NDArray[np.float32], kept: NDArray[np.intp], tiles: Floats
) -> NDArray[np.intp]:
    """For each kept outline of (n, 4, 2) the one that shows best where its marker lies: of those about the same middle
    the detector's surest, that of the whole tile (m, 4, 2) under a marker last. The judge knows whether there is a
    marker; a coin half out of its cut is a coin as well."""
    middles = quads.mean(1)
    about = _hold(quads[kept], middles) & _hold(quads, middles[kept]).T
    shown = (alone > 0) & ~_are_tiles(quads, tiles)
    places = []
    for k, same in zip(kept, about, strict=True):
        which = [k, *np.flatnonzero(same)]
        places.append(max([n for n in which if shown[n]] or which, key=lambda n: float(alone[n])))
    return np.array(places, np.intp)


def _are_tiles(quads: Floats, tiles: Floats) -> NDArray[np.bool_]:
    """(n,) which outlines are that of a tile (m, 4, 2)."""
    tile, n = np.nonzero(_hold(tiles, quads.mean(1)))
    common = shared_each(tiles[tile], quads[n])
    of_union = common / np.maximum(areas(tiles)[tile] + areas(quads)[n] - common, 1e-9)
    return np.isin(np.arange(len(quads)), n[of_union > A_TILES])


def _hold(quads: Floats, points: Floats) -> NDArray[np.bool_]:
    """(n, 4, 2) convex outlines and (m, 2) points -> (n, m) which lie in which, the edge counted in."""
    corners = np.asarray(quads, np.float64).reshape(-1, 4, 1, 2)
    along, to = np.roll(corners, -1, 1) - corners, np.asarray(points, np.float64).reshape(-1, 2) - corners
    side = along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0]
    return np.asarray((side >= 0).all(1) | (side <= 0).all(1), np.bool_)


def level_for(levels: Levels, quad: NDArray[np.floating], span: float, size: int) -> int:
    """By what a picture may be divided so that `cut_square` still has more pixels than it needs."""
    wide = span * longer_side(quad)
    factors = [one for one in levels if wide >= FINER * size * one]
    return max(factors, default=1)


def longer_side(quad: NDArray[np.floating]) -> float:
    """Of an outline (4, 2); two opposite edges count as one side."""
    a, b, c, d = quad.tolist()
    return max(math.dist(a, b) + math.dist(c, d), math.dist(b, c) + math.dist(d, a)) / 2


def cut_square(image: Image, quad: NDArray[np.floating], span: float, size: int) -> Image:
    """(size, size, 3): the square around an outline (4, 2) px, `span` times its longer side wide, averaged down."""
    half = max(longer_side(np.asarray(quad)), 4.0) * span / 2
    x, y = np.asarray(quad, np.float64).mean(0)
    x0, y0, x1, y1 = (int(np.floor(v)) for v in (x - half, y - half, x + half + 1, y + half + 1))
    h, w = image.shape[:2]
    part = image[max(y0, 0) : max(min(y1, h), 0), max(x0, 0) : max(min(x1, w), 0)]
    if part.size == 0:
        return np.zeros((size, size, 3), np.uint8)
    above, below, before, behind = max(-y0, 0), max(y1 - h, 0), max(-x0, 0), max(x1 - w, 0)
    if above or below or before or behind:
        part = np.asarray(cv2.copyMakeBorder(part, above, below, before, behind, cv2.BORDER_REPLICATE), np.uint8)
    how = cv2.INTER_AREA if part.shape[0] > size else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(part, (size, size), interpolation=how), np.uint8)
