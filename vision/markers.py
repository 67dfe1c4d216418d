"""The second judge of markers: a toy train, a coin, a chip, or only something that the detector took for one.

The detector looks at a picture so far reduced that a marker is some thirty pixels long and often unsure of it. What it
finds even faintly is cut out of the full picture and looked at once more, by a network that has seen nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detections import Detections, Kind
from vision.frame import Image
from vision.inference import Network, WeightsError
from vision.rotated import sides, suppress

Floats = NDArray[np.float32]

CUT_PX = 64
CUT_SPAN = 2.4
"""A cut shows so many times the found thing's longer side: the tiles and the table around it tell much."""


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """A confidence is the logistic of `judged` times the network's logit plus `found` times the detector's plus
    `offset`, fitted on rendered tables that neither network was trained on; below `least` nothing is passed on."""

    judged: float = 1.0
    found: float = 0.0
    offset: float = 0.0
    least: float = 0.18
    iou: float = 0.3
    cover: float = 0.7
    threads: int = 1

    @classmethod
    def weighed(cls, path: Path, by: Mapping[str, float]) -> JudgeSettings:
        """As the manifest weighs the two opinions; raises WeightsError where it does not."""
        try:
            return cls(judged=by["judged"], found=by["found"], offset=by["offset"])
        except KeyError as name:
            raise WeightsError(f"{path}: the manifest does not weigh its confidence, expected {name}") from None

    def total(self, logits: Floats, found: Floats) -> Floats:
        """(n,) log-odds that a marker lies there, from the network's logits and the detector's confidences."""
        return np.asarray(self.judged * logits + self.found * log_odds(found) + self.offset, np.float32)


class MarkerJudge:
    """Gives the detector's markers their confidences."""

    def __init__(self, model_path: Path, settings: JudgeSettings | None = None) -> None:
        self.settings = settings or JudgeSettings()
        self._network = Network(model_path, self.settings.threads)
        if self._network.input_shape[1:] != (3, CUT_PX, CUT_PX) or self._network.output_shape[1:] != (1,):
            raise WeightsError(
                f"{model_path}: input {self._network.input_shape} and output {self._network.output_shape}, "
                f"expected (n, 3, {CUT_PX}, {CUT_PX}) and (n, 1)"
            )

    def logits(self, image: Image, quads_px: Floats) -> Floats:
        """(h, w, 3) uint8 BGR and (n, 4, 2) outlines -> (n,): the more, the surer that a marker lies there."""
        if not len(quads_px):
            return np.zeros(0, np.float32)
        cuts = np.stack([cut_square(image, quad, CUT_SPAN, CUT_PX) for quad in quads_px])
        return self._network(np.ascontiguousarray(cuts.transpose(0, 3, 1, 2), np.float32) / np.float32(255))[:, 0]

    def judge(self, image: Image, found: Detections) -> Detections:
        """The same finds, with every marker's confidence judged anew and what is no marker left out."""
        s = self.settings
        markers = np.flatnonzero(found.kind == Kind.MARKER)
        if not len(markers):
            return found
        quads = found.quads_px[markers]
        total = s.total(self.logits(image, quads), found.confidence[markers])
        confidence = (1 / (1 + np.exp(-total))).astype(np.float32)
        passed = np.flatnonzero(confidence >= s.least)
        passed = passed[suppress(quads[passed], confidence[passed], s.iou, s.cover)]
        others = np.flatnonzero(found.kind != Kind.MARKER)
        judged = Detections(quads[passed], found.kind[markers[passed]], confidence[passed])
        return found.select(others).together(judged)


def log_odds(p: Floats) -> Floats:
    """Of probabilities (n,), none of them taken for certain."""
    sure = p.clip(1e-4, 1 - 1e-4)
    return np.asarray(np.log(sure / (1 - sure)), np.float32)


def cut_square(image: Image, quad: NDArray[np.floating], span: float, size: int) -> Image:
    """(size, size, 3): the square around an outline (4, 2) px, `span` times its longer side wide, averaged down."""
    along, across = sides(np.asarray(quad, np.float32)[None])
    half = max(float(max(along[0], across[0])), 4.0) * span / 2
    x, y = np.asarray(quad, np.float64).mean(0)
    x0, y0, x1, y1 = (int(np.floor(v)) for v in (x - half, y - half, x + half + 1, y + half + 1))
    h, w = image.shape[:2]
    part = image[max(y0, 0) : max(min(y1, h), 0), max(x0, 0) : max(min(x1, w), 0)]
    if part.size == 0:
        return np.zeros((size, size, 3), np.uint8)
    above, below, before, behind = max(-y0, 0), max(y1 - h, 0), max(-x0, 0), max(x1 - w, 0)
    if above or below or before or behind:
        part = np.asarray(cv2.copyMakeBorder(part, above, below, before, behind, cv2.BORDER_REPLICATE), np.uint8)
    how = cv2.INTER_AREA if part.shape[0] > size else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(part, (size, size), interpolation=how), np.uint8)
