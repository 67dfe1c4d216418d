"""The crops that train the judges: things cut out of rendered tables, each the wanted thing or not."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detections import Detections
from vision.detector import Detector

ROOM = 1.5
"""How much larger a training cut is than the judge's own, so that it can be turned and moved."""

Picture = NDArray[np.uint8]
Quads = NDArray[np.float32]
Verdict = tuple[Quads, bool, float]
"""An outline (4, 2) px, whether it is the wanted thing, and the detector's confidence, 0 where it did not find it."""


@dataclass(frozen=True, slots=True)
class Cuts:
    """`images` (n, h, w, 3) uint8 BGR with ROOM, `wanted` (n,) whether the thing lies there, `found` (n,) the
    detector's confidence, 0 where it did not find the thing."""

    images: NDArray[np.uint8]
    wanted: NDArray[np.bool_]
    found: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.wanted)

    @staticmethod
    def together(parts: list[Cuts]) -> Cuts:
        return Cuts(*(np.concatenate([getattr(p, name) for p in parts]) for name in Cuts.__slots__))

    def save(self, path: Path) -> None:
        np.savez(path, **{name: getattr(self, name) for name in Cuts.__slots__})

    @staticmethod
    def load(path: Path) -> Cuts:
        with np.load(path) as columns:
            return Cuts(**columns)


@dataclass(frozen=True, slots=True)
class Subject:
    """The question to one judge: the size of its cuts, how a table is cut up and how one outline is cut out."""

    name: str
    size_wh: tuple[int, int]
    verdicts: Callable[[Picture, list[dict[str, Any]], Detections, np.random.Generator], list[Verdict]]
    cut: Callable[[Picture, Quads], Picture]
    """One outline's cut with ROOM around it."""
    shows: str
    """The subject of a cut, in words."""
    most_turn_deg: float
    """How far a training cut is turned; a cut along its own sides is turned only a little."""

    def plain(self, cuts: Cuts) -> NDArray[np.uint8]:
        """The middle of every cut, as the product cuts it."""
        wide, high = self.size_wh
        x, y = (cuts.images.shape[2] - wide) // 2, (cuts.images.shape[1] - high) // 2
        return np.ascontiguousarray(cuts.images[:, y : y + high, x : x + wide])


def collect_table(job: tuple[Subject, Path, Path, int]) -> Cuts | None:
    """The cuts of one rendered table, found with the detector in this file."""
    subject, path, weights, seed = job
    cv2.setNumThreads(1)
    meta = path.parent.parent / "meta" / f"{path.stem}.json"
    image = cv2.imread(str(path))
    if image is None or not meta.is_file():
        return None
    things = json.loads(meta.read_text(encoding="utf-8"))["objects"]
    finds = Detector(weights, threads=1).find(image)
    verdicts = subject.verdicts(image, things, finds, np.random.default_rng([seed, *path.stem.encode()]))
    if not verdicts:
        return None
    images = np.stack([subject.cut(image, quad) for quad, _, _ in verdicts])
    wanted, found = [one[1] for one in verdicts], [one[2] for one in verdicts]
    return Cuts(images, np.array(wanted, bool), np.array(found, np.float32))


def collect(subject: Subject, folder: Path, weights: Path, seed: int, workers: int = 1) -> Cuts:
    """The cuts of every rendered table in a folder."""
    jobs = [(subject, path, weights, seed) for path in sorted((folder / "images").glob("*.jpg"))]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        parts = [part for part in pool.imap(collect_table, jobs, chunksize=8) if part is not None]
    if not parts:
        raise FileNotFoundError(f"{folder}: no rendered tables (images/*.jpg with meta/*.json)")
    return Cuts.together(parts)
