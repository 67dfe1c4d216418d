"""The finds that lie face down: those without print for the reader, as the judge of backs and the rows tell.

A back has no print to read it by, so the detector takes squares of a pattern, table edges, sleeves and the gap between
two tiles for backs. Every find is cut out of the full picture along its own sides, with as much again around it, and
looked at once more by a network that has seen nothing else. Where all tiles come from one box the others tell more: how
large a back is, and in which rows they lie.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision import chains
from vision.detections import Detections, Finds, Kind, as_found, clear
from vision.frame import Image, Levels
from vision.judging import Judge
from vision.plausibility import alike_in_colour, in_rows
from vision.rectify import cut_wh
from vision.rotated import axes, covered, sides
from vision.tile_size import places

Floats = NDArray[np.float32]
Some = NDArray[np.intp]

CUT_WH = (96, 64)
CUT_SPANS = (2.0, 8 / 3)
"""How many of its own lengths and widths the cut of a back shows: a tile becomes 48 x 24 px."""


CLEARLY, SURELY_FOUND, LIKELY = 0.98, 0.6, 0.5
"""A face read and found so surely, and a back found so likely, says how large a tile is here."""
NEAREST, ENOUGH = 5, 2
UNKNOWN_MISFIT = 0.2
WIDTH_VARIES = 0.1
"""Tiles are half as wide as long, give or take so much (a logarithm)."""
EDGE_PX, INSET_PX = slice(-5, 7), 5
"""The part of a cut that counts as a tile's edge, from outside to inside, and how far from its ends an edge is looked
at."""


class BackJudge(Judge):
    """Says of finds how surely a tile lies there face down."""

    size_wh = CUT_WH

    def cut(self, levels: Levels, quad: ArrayLike) -> Image:
        return cut_around(levels[1], quad)

    def confidences(
        self, image: Image, tiles: Detections, clear: Floats, asked: Some, length_px: float | None = None
    ) -> Floats:
        """(len(asked),) probabilities that these tiles lie face down; `clear` (n,) is how surely each is read."""
        logits, misfit = self.evidence(image, tiles, clear, asked, length_px)
        return self.settings.confidence(logits, tiles.confidence[asked], misfit)

    def evidence(
        self, image: Image, tiles: Detections, clear: Floats, asked: Some, length_px: float | None = None
    ) -> tuple[Floats, Floats]:
        """The network's logits of the asked ones and how far their size is off."""
        return self.logits(image, tiles.quads_px[asked]), misfits(tiles, clear, asked, length_px)


def misfits(tiles: Detections, clear: Floats, asked: Some, length_px: float | None = None) -> Floats:
    """How far the length or width of finds is off, as a logarithm: from the clearly read faces nearest to each, or from
    the nearest other backs, whichever it fits better. All tiles of a set are of one size; a square of the cloth is of
    any.

    Where too few lie beside a find, as in a changed region, a calibrated table still knows how long a tile is:
    `length_px`. How wide it is depends on the maker.
    """
    size = np.log(np.maximum(np.stack(sides(tiles.quads_px), 1), 1.0)) if len(tiles) else np.zeros((0, 2), np.float32)
    centres = tiles.quads_px.mean(1)
    faces = np.flatnonzero((tiles.kind == Kind.FACE_UP) & (clear > CLEARLY) & (tiles.confidence > SURELY_FOUND))
    backs = np.flatnonzero((tiles.kind == Kind.FACE_DOWN) & (tiles.confidence > LIKELY))
    out = np.full(len(asked), UNKNOWN_MISFIT, np.float32)
    for row, n in enumerate(asked):
        near = [near_ones(centres, which, int(n)) for which in (faces, backs)]
        alike = [which for which in near if len(which) >= ENOUGH]
        if alike:
            out[row] = min(float(np.abs(size[n] - np.median(size[which], axis=0)).max()) for which in alike)
        elif length_px is not None:
            off = np.abs(size[n] - np.log([length_px, length_px / 2])) - [0.0, WIDTH_VARIES]
            out[row] = float(np.clip(off, 0.0, None).max())
    return out


def near_ones(centres: Floats, which: Some, n: int) -> Some:
    """Of `which` centres (m, 2) those nearest to the n-th, itself left out."""
    others = which[which != n]
    order = np.argsort(np.linalg.norm(centres[others] - centres[n], axis=1))
    return np.asarray(others[order[:NEAREST]], np.intp)


def cut_around(image: Image, quad: ArrayLike, room: float = 1.0) -> Image:
    """A tile's outline (4, 2) px and what lies around it, its length from left to right: CUT_WH times `room` px."""
    q = np.asarray(quad, np.float64)
    along, across = axes(q)
    if np.hypot(*along) < np.hypot(*across):
        along, across = across, -along
    along, across = along * CUT_SPANS[0] * room / 2, across * CUT_SPANS[1] * room / 2
    middle = q.mean(0)
    corners = [middle - along - across, middle + along - across, middle + along + across, middle - along + across]
    wide, high = (round(side * room) for side in CUT_WH)
    return cut_wh(image, corners, (wide, high))


def faintest_edges(image: Image, quad: ArrayLike) -> float:
    """How many of 255 levels the picture changes at most across two opposite edges of an outline (4, 2) px, of the pair
    where it changes less. A stripe of the cloth goes on at both of its ends as if nothing lay there."""
    cut = cut_around(image, quad).astype(np.float32)
    reach = [round(side / spans / 2) for side, spans in zip(CUT_WH, CUT_SPANS, strict=True)]
    left, top = CUT_WH[0] // 2 - reach[0], CUT_WH[1] // 2 - reach[1]
    along = cut[top + INSET_PX : -top - INSET_PX].mean(0)
    across = cut[:, left + INSET_PX : -left - INSET_PX].mean(1)
    return min(
        max(_change(profile, edge), _change(profile[::-1], edge)) for profile, edge in ((along, left), (across, top))
    )


def _change(profile: Floats, edge: int) -> float:
    return float(np.ptp(profile[edge + EDGE_PX.start : edge + EDGE_PX.stop], axis=0).max())


BACK, HINT_OF_BACK = 0.5, 0.1
"""From the first on a half looks like a back to the reader; where the detector says so too, the second is enough."""
A_BACK, ONE_HALF = 0.6, 0.6
"""Where the detector is so sure of a back, one half that looks so much like one is enough."""
BELIEVED, AGAIN = 0.3, 0.6
"""A find to which the judge gives the first is a back; by one half, or judged again, it needs the second."""
FAINT, READ = 0.35, 0.97
"""A find fainter than the first is no back by its neighbours, nor is one that reads as clearly as the second."""
PHANTOM = 0.5
"""A find that the reader calls *none* more surely than this is no tile."""
OUT_OF_SIZE, SHARED = 0.08, 0.2
"""One that is out of size by the first (a logarithm) is judged again as large as its neighbours; it may share the
second of its outline with another tile."""
ALONG, ACROSS = (0.0, -0.08, 0.08), (0.0, -0.15, 0.15)
"""Where that is tried, in tile lengths and widths."""
SURE, EDGE, OF_OTHERS = 0.8, 8.0, 0.15
"""One believed less than the first must have edges: where the picture changes across two opposite ones by less than
the second (levels of 255) and the third of the other backs' median a pattern goes on."""
PASSES = 2
"""How often tiles in the rows of others are looked for."""


def lying_face_down(image: Image, finds: Finds, once: Some, judge: BackJudge, length_px: float | None) -> None:
    """Marks which of `once` show no print, `down`, and how surely each is `believed` to lie face down by itself."""
    back, reads = finds.back.min(1), clear(finds)
    found_down = finds.kind == Kind.FACE_DOWN
    down = (back > BACK) | (found_down & (back > HINT_OF_BACK))
    sure = found_down & (finds.confidence >= A_BACK)
    half = sure & ~down & (finds.back.max(1) > ONE_HALF) & (reads < BACK)
    finds.down = down | half
    asked = once[(finds.down & finds.seen)[once]]
    told = judge.confidences(image, as_found(finds), reads, asked, length_px)
    finds.believed[asked] = np.where(told >= np.where(half[asked], AGAIN, BELIEVED), told, 0.0)


def among_others(image: Image, finds: Finds, judge: BackJudge) -> None:
    """The same where all tiles come from one box: judged again in the size of others, and by their rows.

    bench.gates, backs judged among others: photographs -, toys -, racks -, traced -, tables -.
    """
    _as_large_as_others(image, finds, judge)
    quads, colours = finds.quads, finds.colours
    vague = np.flatnonzero(~finds.down & (clear(finds) < READ) & (finds.confidence >= FAINT))
    alone = finds.down & finds.seen & (finds.believed == 0)
    doubted = np.flatnonzero(alone & (finds.confidence > A_BACK))
    for _ in range(PASSES):
        sure = np.flatnonzero(finds.believed > 0)
        sits = vague[in_rows(quads, colours, sure, vague)]
        finds.down[sits], finds.believed[sits] = True, finds.confidence[sits]
        there = np.concatenate([doubted, np.flatnonzero(~finds.down & (finds.none.min(1) <= PHANTOM))])
        crossed = chains.flanked(quads[there])[: len(doubted)]
        sits = doubted[in_rows(quads, colours, sure, doubted) | crossed]
        finds.believed[sits] = finds.confidence[sits]
    finds.believed[_going_on(image, finds)] = 0.0


def _going_on(image: Image, finds: Finds) -> Some:
    """Those of the backs that are stripes of a pattern, or a part of something longer.

    bench.gates, backs that a pattern goes on through: photographs -, toys -, racks -, traced -, tables -.
    """
    backs = np.flatnonzero(finds.believed > 0)
    asked: Some = backs[finds.believed[backs] < SURE]
    if len(backs) <= ENOUGH or not len(asked):
        return asked[:0]
    change = {int(n): faintest_edges(image, finds.quads[n]) for n in backs}
    least = min(EDGE, OF_OTHERS * float(np.median(list(change.values()))))
    return np.array([n for n in asked if change[int(n)] < least], np.intp)


def _as_large_as_others(image: Image, finds: Finds, judge: BackJudge) -> None:
    sure = np.flatnonzero(finds.believed > 0)
    size, centres = np.stack(sides(finds.quads), 1), finds.quads.mean(1)
    alike = alike_in_colour(finds.colours, finds.colours)
    for n in np.flatnonzero(finds.down & finds.seen & (finds.believed == 0) & (finds.confidence >= FAINT)):
        near = near_ones(centres, sure, int(n))
        if len(near) < ENOUGH or not alike[n, near].all():
            continue
        usual = np.median(size[near], axis=0)
        if np.abs(np.log(size[n] / usual)).max() < OUT_OF_SIZE:
            continue
        tried = places(finds.quads[n], usual, ALONG, ACROSS)
        logits = judge.logits(image, tried)
        logits = np.where(covered(tried, np.delete(finds.quads, n, 0)) <= SHARED, logits, -np.inf)
        best = int(logits.argmax())
        told = judge.settings.confidence(logits[best : best + 1], finds.confidence[n : n + 1])[0]
        if told >= AGAIN:
            finds.believed[n], finds.quads[n] = told, tried[best]
