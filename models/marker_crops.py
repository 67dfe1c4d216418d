"""Training squares for the judge of markers: what the detector finds on rendered tables, however faintly.

Each find is a marker or it is none; the markers themselves are cut too, a little askew, so that one which the detector
misses is learnt all the same, and so are a few other things: tiles' ends, hubs, empty places.
"""

from __future__ import annotations

import json
import math
import multiprocessing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.detector_crops import length_of
from vision.markers import CUT_PX, CUT_SPAN, cut_square

ROOM = 1.5
"""How much wider a training square is than a cut, so that it can be turned and moved."""
ROOM_PX = round(CUT_PX * ROOM)
VISIBLE = 0.5
"""Of a marker so much must be seen, or it teaches nothing."""
FOUND_FROM = 0.02
OF_A_HUB = 8

Quads = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Squares:
    """`images` (n, ROOM_PX, ROOM_PX, 3) uint8 BGR, `marker` (n,) whether it is one, `found` (n,) the detector's
    confidence, 0 where it did not find the thing."""

    images: NDArray[np.uint8]
    marker: NDArray[np.bool_]
    found: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.marker)

    @staticmethod
    def together(parts: list[Squares]) -> Squares:
        return Squares(*(np.concatenate([getattr(p, name) for p in parts]) for name in Squares.__slots__))

    def save(self, path: Path) -> None:
        np.savez(path, **{name: getattr(self, name) for name in Squares.__slots__})

    @staticmethod
    def load(path: Path) -> Squares:
        with np.load(path) as columns:
            return Squares(**columns)


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


def table_squares(image: NDArray[np.uint8], things: list[dict[str, Any]], finds: Any, rng: np.random.Generator):
    """(outlines, marker or not, the detector's confidence) of one table."""
    quads, marker, found = [], [], []
    for quad, confidence in zip(finds.quads_px, finds.confidence, strict=True):
        verdict = is_marker(quad, things)
        if verdict is not None:
            quads.append(quad)
            marker.append(verdict)
            found.append(float(confidence))
    for quad, wanted in invented(image, things, rng):
        quads.append(quad)
        marker.append(wanted)
        found.append(0.0)
    return quads, marker, found


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


def collect_table(job: tuple[Path, Path, int]) -> Squares | None:
    """The squares of one rendered table, found with the detector in this file."""
    path, weights, seed = job
    from vision.detections import Kind
    from vision.detector import Detector, DetectorSettings

    cv2.setNumThreads(1)
    meta = path.parent.parent / "meta" / f"{path.stem}.json"
    image = cv2.imread(str(path))
    if image is None or not meta.is_file():
        return None
    things = json.loads(meta.read_text(encoding="utf-8"))["objects"]
    detector = Detector(weights, DetectorSettings(threads=1, marker=FOUND_FROM))
    finds = detector.find(image)
    rng = np.random.default_rng([seed, *path.stem.encode()])
    quads, marker, found = table_squares(image, things, finds.select(finds.kind == Kind.MARKER), rng)
    if not quads:
        return None
    images = np.stack([cut_square(image, quad, CUT_SPAN * ROOM, ROOM_PX) for quad in quads])
    return Squares(images, np.array(marker, bool), np.array(found, np.float32))


def collect(folder: Path, weights: Path, seed: int, workers: int = 1) -> Squares:
    """The squares of every rendered table in a folder."""
    jobs = [(path, weights, seed) for path in sorted((folder / "images").glob("*.jpg"))]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        parts = [part for part in pool.imap(collect_table, jobs, chunksize=8) if part is not None]
    if not parts:
        raise FileNotFoundError(f"{folder}: no rendered tables (images/*.jpg with meta/*.json)")
    return Squares.together(parts)
