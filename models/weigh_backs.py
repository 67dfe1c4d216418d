"""How much each of four things says about a back: the judge, the detector, the tile's size, and nothing at all.

Fitted by logistic regression on what the detector finds face down on rendered tables that the judge has not seen.
"""

from __future__ import annotations

import functools
import json
import multiprocessing
from pathlib import Path

import cv2
import numpy as np

from models.back_crops import is_back
from models.shipped import shipped, shipped_weights
from vision.backs import BackJudge
from vision.detections import Detections, Kind
from vision.detector import Detector, DetectorSettings
from vision.judging import JudgeSettings, log_odds
from vision.reader import Reader, ReaderSettings

NAMES = ("judged", "found", "misfit", "offset")
RIDGE = 1e-3


@functools.cache
def instruments(weights: Path) -> tuple[Detector, Reader]:
    """The shipped detector and reader, with the judge in this file."""
    judge = BackJudge(weights, JudgeSettings())
    settings = ReaderSettings(threads=1, temperature=shipped("pips").temperature)
    detector = Detector(shipped_weights("tiles"), DetectorSettings(threads=1))
    return detector, Reader(shipped_weights("pips"), judge, settings)


def table_evidence(job: tuple[Path, Path]) -> np.ndarray:
    """(n, 5) of one table: logit, the detector's log-odds, misfit, 1, and whether a back lies there."""
    path, weights = job
    cv2.setNumThreads(1)
    image = cv2.imread(str(path))
    meta = json.loads((path.parent.parent / "meta" / f"{path.stem}.json").read_text(encoding="utf-8"))
    detector, reader = instruments(weights)
    finds = detector.find(image)
    tiles = finds.select(finds.kind <= Kind.FACE_DOWN)
    scores = reader.scores(image, tiles.quads_px)
    outlines = Detections(scores.quads, tiles.kind, tiles.confidence)
    asked = np.flatnonzero(tiles.kind == Kind.FACE_DOWN)
    verdicts = [is_back(quad, meta["objects"]) for quad in scores.quads[asked]]
    asked = asked[[verdict is not None for verdict in verdicts]]
    logits, misfit = reader.backs.evidence(image, outlines, scores.values.max(2).min(1), asked)
    wanted = [verdict for verdict in verdicts if verdict is not None]
    return np.stack([logits, log_odds(tiles.confidence[asked]), misfit, np.ones(len(asked)), wanted], 1).astype(float)


def evidence(folders: list[Path], weights: Path, most: int, workers: int) -> np.ndarray:
    """The same of all tables in some folders, up to `most` of each."""
    paths = [path for folder in folders for path in sorted((folder / "images").glob("*.jpg"))[:most]]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        return np.concatenate(pool.map(table_evidence, [(path, weights) for path in paths], chunksize=8))


def fitted(rows: np.ndarray) -> dict[str, float]:
    """The weights of `vision.judging.JudgeSettings` by Newton's method."""
    x, y = rows[:, :4], rows[:, 4]
    w = np.zeros(4)
    for _ in range(60):
        p = 1 / (1 + np.exp(-x @ w))
        slope = x.T @ (p - y) + RIDGE * w
        bend = (x * (p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(4)
        w = w - np.linalg.solve(bend, slope)
    return dict(zip(NAMES, w.round(3).tolist(), strict=True))


def shares(rows: np.ndarray, weights: dict[str, float], least: float) -> dict[str, float]:
    """Backs believed and others believed too, at a least confidence."""
    p = 1 / (1 + np.exp(-rows[:, :4] @ np.array([weights[name] for name in NAMES])))
    back = rows[:, 4] > 0
    return {"known": float((p >= least)[back].mean()), "mistaken": float((p >= least)[~back].mean())}
