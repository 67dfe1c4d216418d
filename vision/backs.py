"""The judge of backs: a tile that lies face down, or a patch of the cloth that is shaped like one.

A back has no print to read it by, so the detector takes squares of a pattern, table edges, sleeves and the gap between
two tiles for backs. Every find is cut out of the full picture along its own sides, with as much again around it, and
looked at once more by a network that has seen nothing else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.detections import Detections, Kind
from vision.frame import Image, Levels
from vision.judging import Judge
from vision.rectify import cut_wh
from vision.rotated import axes, sides

Floats = NDArray[np.float32]

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
        self,
        image: Image,
        tiles: Detections,
        clear: NDArray[np.floating],
        asked: NDArray[np.intp],
        length_px: float | None = None,
    ) -> Floats:
        """(len(asked),) probabilities that these tiles lie face down; `clear` (n,) is how surely each is read."""
        logits, misfit = self.evidence(image, tiles, clear, asked, length_px)
        return self.settings.confidence(logits, tiles.confidence[asked], misfit)

    def evidence(
        self,
        image: Image,
        tiles: Detections,
        clear: NDArray[np.floating],
        asked: NDArray[np.intp],
        length_px: float | None = None,
    ) -> tuple[Floats, Floats]:
        """The network's logits of the asked ones and how far their size is off."""
        return self.logits(image, tiles.quads_px[asked]), misfits(tiles, clear, asked, length_px)


def misfits(
    tiles: Detections, clear: NDArray[np.floating], asked: NDArray[np.intp], length_px: float | None = None
) -> Floats:
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


def near_ones(centres: Floats, which: NDArray[np.intp], n: int) -> NDArray[np.intp]:
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
