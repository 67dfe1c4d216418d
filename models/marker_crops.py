"""Training squares for the judge of markers: what the detector finds on rendered tables, however faintly.

Each find is a marker or it is none; the markers themselves are cut too, a little askew, so that one which the detector
misses is learnt all the same, and so are a few other things: tiles' ends, hubs, empty places.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.detector_crops import length_of
from models.judge_crops import ROOM, Picture, Quads, Subject, Verdict
from vision.detections import Detections, Kind
from vision.markers import CUT_PX, CUT_SPAN, cut_square

VISIBLE = 0.5
"""Of a marker so much must be seen, or it teaches nothing."""
OF_A_HUB = 8
FAINT, MOST_FAINT = 0.02, 40
"""Of a table's finds below the first that are no markers so many are cut: a patterned cloth has hundreds."""


def is_marker(quad: Quads, things: list[dict[str, Any]]) -> bool | None:
    """Whether an outline (4, 2) px is a marker of the table: its middle near a marker's and about as large.

    None where it is neither: a marker hardly seen, or only a part of one.
    """
    own = length_of(quad)
    verdict: bool | None = False
    for thing in things:
        if thing["cls"] != 2:
            continue
        outline = np.asarray(thing["quad"], np.float32)
        side = length_of(outline)
        apart = float(np.linalg.norm(outline.mean(0) - quad.mean(0)))
        if apart < 0.35 * side and 0.55 < own / side < 1.8:
            return True if thing["vis"] >= VISIBLE else None
        if apart < 0.8 * max(side, own):
            verdict = None
    return verdict


def verdicts(
    image: Picture, things: list[dict[str, Any]], finds: Detections, rng: np.random.Generator
) -> list[Verdict]:
    """The outlines of one table: all that was found as a marker, and invented ones."""
    markers = finds.select(finds.kind == Kind.MARKER)
    judged = [(q, is_marker(q, things), float(c)) for q, c in zip(markers.quads_px, markers.confidence, strict=True)]
    out = [(quad, wanted, found) for quad, wanted, found in judged if wanted is not None]
    faint = [n for n, (_, wanted, found) in enumerate(out) if not wanted and found < FAINT]
    dropped = set(rng.permutation(faint)[MOST_FAINT:].tolist())
    out = [one for n, one in enumerate(out) if n not in dropped]
    return out + [(quad, wanted, 0.0) for quad, wanted in invented(image, things, rng)]


def invented(image: NDArray[np.uint8], things: list[dict[str, Any]], rng: np.random.Generator):
    """Markers a little askew, and places of a marker's size where none is."""
    out = []
    markers = [np.asarray(t["quad"], np.float32) for t in things if t["cls"] == 2 and t["vis"] >= VISIBLE]
    for quad in markers:
        side = length_of(quad)
        size = np.exp(rng.normal(0, 0.12))
        out.append((((quad - quad.mean(0)) * size + quad.mean(0) + rng.normal(0, 0.06 * side, 2)), True))
    others = [np.asarray(t["quad"], np.float32) for t in things if t["cls"] != 2 and t["vis"] >= 0.3]
    height, width = image.shape[:2]
    hubs = [np.asarray(t["quad"], np.float32) for t in things if t["cls"] == 3 and t["vis"] >= 0.2]
    for quad in [hub for hub in hubs for _ in range(OF_A_HUB)]:
        # Its slots are as large as markers and as colourful.
        angle, away = rng.uniform(0, 2 * math.pi), length_of(quad) / 2 * rng.uniform(0.3, 1.0)
        middle = quad.mean(0) + away * np.array([math.cos(angle), math.sin(angle)])
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * length_of(quad) * rng.uniform(0.06, 0.2) + middle
        if is_marker(square.astype(np.float32), things) is False:
            out.append((square, False))
    for _ in range(3):
        if others and rng.random() < 0.7:
            quad = others[rng.integers(len(others))]
            side = length_of(quad) * rng.uniform(0.15, 1.0)
            middle = quad[rng.integers(4)] * rng.uniform(0, 0.7) + quad.mean(0) * rng.uniform(0.3, 1.0)
        else:
            side = rng.uniform(0.01, 0.12) * width
            middle = rng.uniform(0, 1, 2) * [width, height]
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32) * side / 2 + middle
        if is_marker(square.astype(np.float32), things) is False:
            out.append((square, False))
    return [(quad.astype(np.float32), wanted) for quad, wanted in out]


def _cut(image: Picture, quad: Quads) -> Picture:
    return cut_square(image, quad, CUT_SPAN * ROOM, round(CUT_PX * ROOM))


MARKERS = Subject(
    "markers", (CUT_PX, CUT_PX), verdicts, _cut, "the thing's longer side 1 / 2.4 of the width", most_turn_deg=180.0
)
