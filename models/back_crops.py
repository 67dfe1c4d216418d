"""Training cuts for the judge of backs: whatever the detector takes for a tile on rendered tables, however faintly.

The backs themselves are cut too, a little askew, and so are places of a tile's size where none lies: anywhere on the
cloth, beside a tile, across two of them.
"""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np

from models import scoring
from models.judge_crops import ROOM, Picture, Quads, Subject, Verdict
from vision.backs import CUT_WH, cut_around
from vision.detections import Detections, Kind
from vision.rectify import shifted
from vision.rotated import sides

VISIBLE = 0.5
"""Of a back so much must be seen, or it teaches nothing."""
SAME, OTHER = 0.6, 0.45
"""From the first overlap (IoU) on an outline is the tile's, below the second it is not."""
FACE_UP = 2
ASKEW = 2
PLACES = 5


def is_back(quad: Quads, things: list[dict[str, Any]]) -> bool | None:
    """Whether an outline (4, 2) px is that of one face-down tile; None where that is a matter of taste."""
    own, best, thing = scoring.hull(quad.tolist()), 0.0, None
    for other in things:
        apart = np.abs(np.mean(other["quad"], 0) - quad.mean(0)).max()
        if other["cls"] > 1 or apart > np.ptp(quad, axis=0).max():
            continue
        shared = scoring.iou(own, scoring.hull(other["quad"]))
        if shared > best:
            best, thing = shared, other
    if thing is None or best < OTHER:
        return False
    if best < SAME or thing["vis"] < VISIBLE:
        return None
    return bool(thing["cls"] == 1)


def verdicts(
    image: Picture, things: list[dict[str, Any]], finds: Detections, rng: np.random.Generator
) -> list[Verdict]:
    """The outlines of one table: all that was found face down, some of what was found face up, and invented ones."""
    tiles = finds.select(finds.kind <= Kind.FACE_DOWN)
    up = np.flatnonzero(tiles.kind == Kind.FACE_UP)
    down = np.flatnonzero(tiles.kind == Kind.FACE_DOWN)
    some = rng.choice(up, min(len(up), FACE_UP), replace=False) if len(up) else up
    asked = [(tiles.quads_px[i], float(tiles.confidence[i])) for i in down]
    asked += [(quad, 0.0) for quad in (*tiles.quads_px[some], *invented(image, things, rng))]
    judged = [(quad, is_back(quad, things), found) for quad, found in asked]
    return [(quad, wanted, found) for quad, wanted, found in judged if wanted is not None]


def invented(image: Picture, things: list[dict[str, Any]], rng: np.random.Generator) -> list[Quads]:
    """Backs a little askew, and places of a tile's size on the cloth, beside tiles and across them."""
    tiles = [np.asarray(t["quad"], np.float32) for t in things if t["cls"] <= 1 and t["vis"] >= VISIBLE]
    backs = [np.asarray(t["quad"], np.float32) for t in things if t["cls"] == 1 and t["vis"] >= VISIBLE]
    out = []
    for n in rng.permutation(len(backs))[:6]:
        for _ in range(ASKEW):
            out.append(_moved(backs[n], rng.normal(0, 0.04, 2), rng.normal(0, 3), rng.normal(0, 0.04, 2)))
    height, width = image.shape[:2]
    for _ in range(PLACES):
        if tiles and rng.random() < 0.6:
            near = tiles[rng.integers(len(tiles))]
            away = rng.choice([-1, 1], 2) * rng.uniform(0.3, 1.1, 2) * (rng.random(2) < 0.8)
            out.append(_moved(near, away, rng.choice([0.0, 90.0, rng.uniform(0, 180)]), rng.normal(0, 0.08, 2)))
        else:
            long = (
                float(sides(tiles[rng.integers(len(tiles))][None])[0][0]) if tiles else rng.uniform(0.04, 0.2) * width
            )
            box = (rng.uniform(0, [width, height]).tolist(), (long, long * rng.uniform(0.45, 0.55)))
            out.append(np.asarray(cv2.boxPoints((*box, rng.uniform(0, 180))), np.float32))
    return out


def _moved(quad: Quads, away: np.ndarray, turn_deg: float, grow: np.ndarray) -> Quads:
    """The outline shifted (in its own lengths and widths), turned and grown."""
    there = shifted(quad[None], (*away.tolist(), *grow.tolist()))[0]
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    middle = there.mean(0)
    return ((there - middle) @ np.array([[c, s], [-s, c]]) + middle).astype(np.float32)


def _cut(image: Picture, quad: Quads) -> Picture:
    return cut_around(image, quad, ROOM)


BACKS = Subject(
    "backs", CUT_WH, verdicts, _cut, "the tile lengthwise, half as long as the cut and 3 / 8 as high", most_turn_deg=4.0
)
