"""Which of the finds lie face down: what the reader sees no print on, as the judge of backs and the rows tell.

The judge looks at each find by itself, as it was outlined. Where all tiles come from one box the others tell more: how
large a back is, and in which rows they lie.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision import chains
from vision.backs import ENOUGH, BackJudge, faintest_edges, near_ones
from vision.candidates import Finds, as_found, clear
from vision.detections import Kind
from vision.frame import Image
from vision.plausibility import CLEARLY, alike_in_colour, in_rows
from vision.realign import places
from vision.rotated import covered, sides

Floats = NDArray[np.float32]
Some = NDArray[np.intp]

BACK, HINT_OF_BACK = 0.5, 0.1
"""From the first on a half looks like a back to the reader; where the detector says so too, the second is enough."""
SURELY_FOUND, ONE_HALF = 0.6, 0.6
"""Where the detector is so sure of a back, one half that looks so much like one is enough."""
BELIEVED, AGAIN = 0.3, 0.6
"""A find to which the judge gives the first is a back; by one half, or judged again, it needs the second."""
FAINT = 0.35
"""A find fainter than this is no back by its neighbours."""
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
    sure = found_down & (finds.confidence >= SURELY_FOUND)
    half = sure & ~down & (finds.back.max(1) > ONE_HALF) & (reads < BACK)
    finds.down = down | half
    asked = once[(finds.down & finds.seen)[once]]
    told = judge.confidences(image, as_found(finds), reads, asked, length_px)
    finds.believed[asked] = np.where(told >= np.where(half[asked], AGAIN, BELIEVED), told, 0.0)


def among_others(image: Image, finds: Finds, judge: BackJudge) -> None:
    """The same where all tiles come from one box: judged again in the size of others, and by their rows."""
    _as_large_as_others(image, finds, judge)
    quads, colours = finds.quads, finds.colours
    vague = np.flatnonzero(~finds.down & (clear(finds) < CLEARLY) & (finds.confidence >= FAINT))
    alone = finds.down & finds.seen & (finds.believed == 0)
    doubted = np.flatnonzero(alone & (finds.confidence > SURELY_FOUND))
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
    """Those of the backs that are stripes of a pattern, or a part of something longer."""
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
