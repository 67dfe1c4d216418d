"""How much each of four things says about a back or a marker: the judge, the detector, its size, and nothing at all.

Fitted by logistic regression on what the detector finds on rendered tables that the judge has not seen. In the place of
the size of a back stands by how much more the judge says of a marker from a little aside.
"""

from __future__ import annotations

import functools
import json
import multiprocessing
from pathlib import Path

import cv2
import numpy as np

from models.back_crops import is_back
from models.marker_crops import is_marker
from vision.backs import BELIEVED as BELIEVED_BACK
from vision.backs import BackJudge
from vision.detections import Detections, Kind
from vision.detector import Detector
from vision.judging import JudgeSettings, log_odds
from vision.markers import BELIEVED, MarkerJudge, tile_length
from vision.reader import Reader
from vision.weights import folder_of, shipped, shipped_weights

NAMES = ("judged", "found", "misfit", "offset")
RIDGE = 1e-3


@functools.cache
def detector() -> Detector:
    return Detector(shipped_weights("tiles", folder=folder_of("tiles")), threads=1)


@functools.cache
def reader(weights: Path) -> Reader:
    """The shipped reader, with the judge of backs in this file."""
    folder = folder_of("pips")
    temperature, backs = shipped("pips", folder).temperature, BackJudge(weights, JudgeSettings())
    return Reader(shipped_weights("pips", folder=folder), backs, temperature, threads=1)


@functools.cache
def marker_judge(weights: Path) -> MarkerJudge:
    return MarkerJudge(weights, JudgeSettings())


def back_evidence(image: np.ndarray, things: list[dict], weights: Path) -> np.ndarray:
    """(n, 5) of one table: logit, the detector's log-odds, misfit, 1, and whether a back lies there."""
    finds = detector().find(image)
    tiles = finds.select(finds.kind <= Kind.FACE_DOWN)
    scores = reader(weights).scores(image, tiles.quads_px)
    outlines = Detections(scores.quads, tiles.kind, tiles.confidence)
    asked = np.flatnonzero(tiles.kind == Kind.FACE_DOWN)
    verdicts = [is_back(quad, things) for quad in scores.quads[asked]]
    asked = asked[[verdict is not None for verdict in verdicts]]
    logits, misfit = reader(weights).backs.evidence(image, outlines, scores.values.max(2).min(1), asked)
    wanted = [verdict for verdict in verdicts if verdict is not None]
    return np.stack([logits, log_odds(tiles.confidence[asked]), misfit, np.ones(len(asked)), wanted], 1).astype(float)


def marker_evidence(image: np.ndarray, things: list[dict], weights: Path) -> np.ndarray:
    """(n, 5) of one table: logit, the detector's log-odds, how much more from aside, 1, and whether a marker lies
    there."""
    finds, judge = detector().find(image), marker_judge(weights)
    markers = finds.select(finds.kind == Kind.MARKER)
    verdicts = [is_marker(quad, things) for quad in markers.quads_px]
    asked = np.flatnonzero([verdict is not None for verdict in verdicts])
    quads, length_px = markers.quads_px[asked], tile_length(finds)
    logits = judge.logits(image, quads)
    aside = np.zeros(len(asked)) if length_px is None else judge.aside(image, quads, logits, length_px)
    wanted = [verdict for verdict in verdicts if verdict is not None]
    alone = log_odds(markers.confidence[asked])
    return np.stack([logits, alone, aside, np.ones(len(asked)), wanted], 1).astype(float)


EVIDENCE = {"backs": back_evidence, "markers": marker_evidence}
BELIEVED_FROM = {"backs": BELIEVED_BACK, "markers": BELIEVED}

MOST_MISTAKEN = {"markers": 0.0226}
"""A marker that is none is an accusation, and on a table in play there are few: so many of the other finds are believed
at most, whatever fits best on rendered tables full of markers."""


def table_evidence(job: tuple[str, Path, Path]) -> np.ndarray:
    """The evidence about things of this name on one table."""
    name, path, weights = job
    cv2.setNumThreads(1)
    meta = json.loads((path.parent.parent / "meta" / f"{path.stem}.json").read_text(encoding="utf-8"))
    return EVIDENCE[name](cv2.imread(str(path)), meta["objects"], weights)


def evidence(name: str, folders: list[Path], weights: Path, most: int, workers: int) -> np.ndarray:
    """The same of all tables in some folders, up to `most` of each."""
    paths = [path for folder in folders for path in sorted((folder / "images").glob("*.jpg"))[:most]]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        return np.concatenate(pool.map(table_evidence, [(name, path, weights) for path in paths], chunksize=8))


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


def cautious(rows: np.ndarray, weights: dict[str, float], least: float, most: float) -> dict[str, float]:
    """The same weights with an offset at which the share `most` of the others is believed."""
    total = rows[:, :4] @ np.array([weights[name] for name in NAMES])
    bar = float(np.quantile(total[rows[:, 4] == 0], 1 - most))
    offset = weights["offset"] - bar + float(log_odds(np.array([least]))[0])
    return weights | {"offset": round(offset, 3)}


def shares(rows: np.ndarray, weights: dict[str, float], least: float) -> dict[str, float]:
    """Things believed and others believed too, at a least confidence, and the cross entropy."""
    total = rows[:, :4] @ np.array([weights[name] for name in NAMES])
    p, thing = 1 / (1 + np.exp(-total)), rows[:, 4] > 0
    return {
        "known": float((p >= least)[thing].mean()),
        "mistaken": float((p >= least)[~thing].mean()),
        "loss": float(np.logaddexp(0, np.where(thing, -total, total)).mean()),
    }
