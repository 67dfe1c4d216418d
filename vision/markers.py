"""Markers: a toy train, a coin, a chip, or only something that the detector took for one; and what they cover.

The detector looks at a picture so far reduced that a marker is some thirty pixels long and often unsure of it. Even its
faint finds are cut out of the full picture and looked at once more, by a network that has seen nothing else. And
it is compared with the ground around, where no tile lies: one dot of a cloth is as round as a coin, a hundred of them
are a pattern.

A half under a marker shows nothing: whatever was read of it is not a reading. The other way round, what is read as
clearly as print can be read has nothing lying on it. On the last tile of an open train a marker covers a half or more,
and in the reduced picture it looks like part of the tile: so where a tile was found and a half of it is unread, the
judge is asked about that half.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detections import Detections, Kind
from vision.frame import Image, Levels, Picture
from vision.judging import COVER, IOU, LEAST, Judge, log_odds
from vision.reading import Found, HalfReading, TileReading
from vision.rectify import half_corners
from vision.rotated import areas, covered, shared_each, sides, suppress

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


COVERED = 0.25
"""From this share of a half on under one thing, its pips cannot be counted."""
BELIEVED = 0.5
"""A less sure marker covers nothing: print in a tile's middle may look like one."""
SURELY = 0.9
"""So surely a thing has to be found to hide a part of pips that are read clearly: letters printed on a board curl
beside tiles like a coin."""
CLEARLY, MOSTLY = 0.98, 0.5
"""A half with pips read at the first confidence has no marker on the second share of it that is found less surely: on
402 rendered tables, of seven such finds one was a marker. A plain chip may well be read as a blank."""


def bare(tiles: Sequence[TileReading], markers: Sequence[Found]) -> list[Found]:
    """The same markers; those that clearly read pips contradict are not believed.

    bench.gates, markers that pips contradict: photographs -, toys -5/0/0, racks -, traced 0/0/0, tables -.
    """
    clear = [
        (half_corners(tile.quad_px, n), half.p)
        for tile in tiles
        if tile.halves is not None
        for n, half in enumerate(tile.halves)
        if half.value and half.p >= CLEARLY
    ]
    out = list(markers)
    believed = [n for n, marker in enumerate(markers) if marker.confidence >= BELIEVED]
    if not clear or not believed:
        return out
    halves = np.array([quad for quad, _ in clear], np.float32)
    read = np.array([p for _, p in clear])
    for n in believed:
        hidden = covered(halves, np.asarray(markers[n].quad_px, np.float32)[None]) >= MOSTLY
        if (hidden & (read > markers[n].confidence)).any():
            out[n] = replace(markers[n], confidence=min(markers[n].confidence, BELIEVED - 0.01))
    return out


def uncovered(tiles: Sequence[TileReading], things: Sequence[Found]) -> list[TileReading]:
    """The same tiles, their halves unreadable where a thing lies on them; clear pips only where it surely is one.

    bench.gates, under a marker: photographs 0/0/0, toys +10/0/0, racks -, traced +1/0/0, tables -.
    """
    believed = [thing for thing in things if thing.confidence >= BELIEVED]
    on_top = np.array([thing.quad_px for thing in believed], np.float32)
    plain = np.array([thing.quad_px for thing in believed if thing.confidence >= SURELY], np.float32)
    up = [n for n, tile in enumerate(tiles) if tile.halves is not None]
    out = list(tiles)
    if not len(on_top) or not up:
        return out
    halves = np.array([half_corners(tiles[n].quad_px, half) for n in up for half in (0, 1)], np.float32)
    hidden = covered(halves, on_top).reshape(-1, 2) >= COVERED
    clear = np.array([[bool(half.value) and half.p >= CLEARLY for half in tiles[n].halves or ()] for n in up])
    surely = covered(halves, plain.reshape(-1, 4, 2)).reshape(-1, 2) >= COVERED
    hidden &= surely | ~clear
    for n, (first, second) in zip(up, hidden.tolist(), strict=True):
        halves_of = tiles[n].halves
        if halves_of is not None and (first or second):
            a, b = halves_of
            out[n] = replace(tiles[n], halves=(_open(a) if first else a, _open(b) if second else b))
    return out


def _open(half: HalfReading) -> HalfReading:
    return half if half.value is None else HalfReading(None, 0.0)


CUT_PX = 64
CUT_SPAN = 2.4
"""A cut shows so many times the found thing's longer side: the tiles and the table around it tell much."""

INSISTED, NOT_AT_ALL, AT_LEAST = 0.85, 2.0, 0.6
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

SQUARE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32) / 2

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

    def aside(self, image: Picture, quads_px: Floats, logits: Floats, length_px: float) -> Floats:
        """(n, 4, 2) outlines and their logits -> (n,) by how much other looks at the same places say more, on average;
        `length_px`: how long a tile is."""
        if not len(quads_px):
            return np.zeros(0, np.float32)
        places, place = same_places(quads_px.mean(1), logits, SAME_PLACE * length_px)
        looks = np.concatenate([views(quad, length_px) for quad in quads_px[places]])
        said = self.logits(image, looks).reshape(len(places), -1).mean(1)
        return np.asarray(said[place] - logits, np.float32)

    def judge(self, image: Picture, found: Detections, length_px: float | None = None) -> Detections:
        """The same finds, with every marker's confidence judged anew and what is no marker left out.

        `length_px`: how long a tile is; else it is taken from the tiles that were found.
        """
        levels = image if isinstance(image, dict) else {1: image}
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
        confidence[insisted] = np.maximum(confidence[insisted], AT_LEAST)
        passed = np.flatnonzero(confidence >= LEAST)
        passed = passed[suppress(quads[passed], confidence[passed], IOU, COVER)]
        passed = passed[apart(quads[passed])]
        others = np.flatnonzero(found.kind != Kind.MARKER)
        tiles = found.quads_px[(found.kind <= Kind.FACE_DOWN) & (found.confidence >= SURELY_A_TILE)]
        places = outlined(quads, alone * (confidence >= AT_LEAST), passed, tiles)
        told = amid_a_pattern(confidence[passed])
        believed = quads[places][told >= AT_LEAST].mean(1).reshape(-1, 2)
        for n in np.flatnonzero((told > NO_MARKER) & (told < PLAINLY)):
            if lookalikes(levels[1], quads[places][n], list(tiles), believed) >= MANY_ALIKE:  # like the cloth around it
                told[n] = NO_MARKER
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
    middle, square = quad.mean(0), SQUARE * length_px
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
    return max((one for one in levels if wide >= FINER * size * one), default=1)


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


SAID = 2.0
"""From this mean logit of eight looks on something stands there: on 90 rendered tables with 248 unread halves and 20
markers, all seven places above it had one."""
BESIDE = 0.6
"""In parts of a half's side: a marker found so near is the one that covers it."""
MOST = 24
"""How many halves of one picture are asked about, those of the surest tiles."""
A_TILE = 0.3
"""A find that is less surely a tile has no halves to cover."""


def markers_on(
    image: Picture, tiles: Sequence[TileReading], markers: Sequence[Found], judge: MarkerJudge
) -> list[Found]:
    """(h, w, 3) uint8 BGR or its pyramid, what was read and the markers found -> the markers that stand on unread
    halves besides.

    bench.gates, markers on unread halves: photographs 0/0/0, toys 0/0/0, racks -, traced 0/0/0, tables -.
    """
    up = [tile for tile in tiles if tile.halves is not None and tile.confidence >= A_TILE]
    if not up:
        return []
    length = float(np.median(np.max(sides(np.array([tile.quad_px for tile in up], np.float32)), axis=0)))
    there = np.array([one.quad_px.mean(0) for one in markers if one.confidence >= BELIEVED], np.float32).reshape(-1, 2)
    places: list[tuple[int, Floats]] = []
    for n in sorted(range(len(up)), key=lambda n: -up[n].confidence):
        for half in (k for k, one in enumerate(up[n].halves or ()) if one.value is None):
            middle = np.asarray(half_corners(up[n].quad_px, half).mean(0), np.float32)
            if not (np.linalg.norm(there - middle, axis=1) < BESIDE * length / 2).any():
                places.append((n, middle))
    if not places:
        return []
    places = places[:MOST]
    square = SQUARE * np.float32(SIZES[1] * length)
    squares = np.array([middle + square for _, middle in places], np.float32)
    looks = np.concatenate([[square, *views(square, length)] for square in squares]).astype(np.float32)
    said = judge.logits(image, looks).reshape(len(places), -1).mean(1)
    best: dict[int, int] = {}  # of both halves of a tile the one that shows more of it
    for k, (n, _) in enumerate(places):
        if said[k] >= SAID and (n not in best or said[k] > said[best[n]]):
            best[n] = k
    return [Found(squares[k], float(1 / (1 + np.exp(-said[k])))) for k in best.values()]
