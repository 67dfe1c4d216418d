"""Which of the finds lie face down: what the reader sees no print on, as the judge of backs and the rows tell.

The judge looks at each find by itself, as it was outlined. Where all tiles come from one box the others tell more: how
large a back is, and in which rows they lie.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vision import chains
from vision.backs import ENOUGH, BackJudge, faintest_edges, near_ones
from vision.chains import ChainSettings
from vision.detections import Detections, Kind
from vision.frame import Image
from vision.plausibility import CLEARLY, alike_in_colour, in_rows
from vision.reading import TileScores
from vision.realign import RealignSettings, places
from vision.rotated import covered, sides

Floats = NDArray[np.float32]
Finds = NDArray[np.intp]

AROUND = (0.0, -0.08, 0.08), (0.0, -0.15, 0.15)


BACK = 0.5
HINT_OF_BACK = 0.1
SURELY_FOUND = 0.6
ONE_HALF = 0.6
FAINT = 0.35
PHANTOM = 0.5
"""What the reader calls *none* more surely than this is no tile."""
OUT_OF_SIZE = 0.08
SHARED = 0.2
SURE = 0.8


@dataclass(frozen=True, slots=True)
class FaceDownSettings:
    """From `BACK` on a half looks like a back to the reader; where the detector says so too, `HINT_OF_BACK` is enough,
    and where it is sure of it (`SURELY_FOUND`) `ONE_HALF` like one. What the judge gives `believed` is one; by one
    half it has to be believed `again`.

    A find fainter than `FAINT` is no back by its neighbours. One that is out of size by `OUT_OF_SIZE` (a logarithm) is
    judged again as large as its neighbours, `around` its place, and then needs to be believed `again`; it may share
    `SHARED` of its outline with another tile. One believed less than `SURE` must have edges: where the picture changes
    across two opposite ones by less than `edge` (levels of 255, and of the other backs' median) a pattern goes on.
    """

    believed: float = 0.3
    again: float = 0.6
    edge: tuple[float, float] = (8.0, 0.15)
    around: RealignSettings = field(default_factory=lambda: RealignSettings(along=AROUND[0], across=AROUND[1]))
    passes: int = 2


@dataclass(frozen=True, slots=True)
class FaceDown:
    """`down` (n,) whether a find shows no print, `believed` (n,) how surely it is a tile lying face down, 0 where it is
    none, `quads` (n, 4, 2) where the tiles lie."""

    down: NDArray[np.bool_]
    believed: Floats
    quads: Floats


def lying_face_down(
    image: Image,
    tiles: Detections,
    scores: TileScores,
    once: Finds,
    seen: NDArray[np.bool_],
    judge: BackJudge,
    length_px: float | None,
    settings: FaceDownSettings,
) -> FaceDown:
    """Each of `once` by itself; `seen` (n,) are those that were found where they are read."""
    back = scores.back.min(1)
    found_down = tiles.kind == Kind.FACE_DOWN
    down = (back > BACK) | (found_down & (back > HINT_OF_BACK))
    sure = found_down & (tiles.confidence >= SURELY_FOUND)
    half = sure & ~down & (scores.back.max(1) > ONE_HALF) & (scores.values.max(2).min(1) < BACK)
    down |= half
    asked = once[down[once] & seen[once]]
    believed = np.zeros(len(tiles), np.float32)
    outlines = Detections(scores.quads, tiles.kind, tiles.confidence)
    told = judge.confidences(image, outlines, scores.values.max(2).min(1), asked, length_px)
    believed[asked] = np.where(told >= np.where(half[asked], settings.again, settings.believed), told, 0.0)
    return FaceDown(down, believed, scores.quads)


def among_others(
    image: Image,
    tiles: Detections,
    scores: TileScores,
    colours: Floats,
    once: Finds,
    seen: NDArray[np.bool_],
    alone: FaceDown,
    judge: BackJudge,
    joints: ChainSettings,
    settings: FaceDownSettings,
) -> FaceDown:
    """The same where all tiles come from one box: judged again in the size of others, and by their rows."""
    alike = alike_in_colour(colours, colours)
    alone = _as_large_as_others(image, tiles, alike, once, seen, alone, judge, settings)
    down, believed = alone.down.copy(), alone.believed.copy()
    none, clear = scores.none.min(1), scores.values.max(2).min(1)
    vague = once[~down[once] & (clear[once] < CLEARLY) & (tiles.confidence[once] >= FAINT)]
    doubted = once[down[once] & seen[once] & (believed[once] == 0) & (tiles.confidence[once] > SURELY_FOUND)]
    for _ in range(settings.passes):
        sure = once[believed[once] > 0]
        sits = in_rows(alone.quads, colours, sure, vague)
        down[vague[sits]], believed[vague[sits]] = True, tiles.confidence[vague[sits]]
        there = np.concatenate([doubted, once[~down[once] & (none[once] <= PHANTOM)]])
        sits = in_rows(alone.quads, colours, sure, doubted)
        sits |= chains.flanked(alone.quads[there], joints)[: len(doubted)]
        believed[doubted[sits]] = tiles.confidence[doubted[sits]]
    believed[_going_on(image, alone.quads, believed, once, settings)] = 0.0
    return replace(alone, down=down, believed=believed)


def _going_on(image: Image, quads: Floats, believed: Floats, once: Finds, settings: FaceDownSettings) -> Finds:
    """Those of the backs that are stripes of a pattern, or a part of something longer."""
    backs = once[believed[once] > 0]
    asked = backs[believed[backs] < SURE]
    if len(backs) <= ENOUGH or not len(asked):
        return asked[:0]
    change = {int(n): faintest_edges(image, quads[n]) for n in backs}
    levels, share = settings.edge
    least = min(levels, share * float(np.median(list(change.values()))))
    return np.array([n for n in asked if change[int(n)] < least], np.intp)


def _as_large_as_others(
    image: Image,
    tiles: Detections,
    alike: NDArray[np.bool_],
    once: Finds,
    seen: NDArray[np.bool_],
    alone: FaceDown,
    judge: BackJudge,
    settings: FaceDownSettings,
) -> FaceDown:
    believed, quads = alone.believed.copy(), alone.quads.copy()
    sure = once[believed[once] > 0]
    asked = once[alone.down[once] & seen[once] & (believed[once] == 0) & (tiles.confidence[once] >= FAINT)]
    size, centres = np.stack(sides(quads), 1), quads.mean(1)
    for n in asked:
        near = near_ones(centres, sure, int(n))
        if len(near) < ENOUGH or not alike[n, near].all():
            continue
        usual = np.median(size[near], axis=0)
        if np.abs(np.log(size[n] / usual)).max() < OUT_OF_SIZE:
            continue
        tried = places(quads[n], usual, settings.around)
        others = quads[once[once != n]]
        logits = judge.logits(image, tried)
        logits = np.where(covered(tried, others) <= SHARED, logits, -np.inf)
        best = int(logits.argmax())
        told = judge.settings.confidence(logits[best : best + 1], tiles.confidence[n : n + 1])[0]
        if told >= settings.again:
            believed[n], quads[n] = told, tried[best]
    return FaceDown(alone.down, believed, quads)
