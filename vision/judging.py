"""A judge: a small network that looks once more, in full resolution, at one thing that the detector took for something.

The detector sees a picture so far reduced that a thing is some thirty pixels long. A judge gets it cut out of the full
picture and answers one question; its opinion and the detector's are weighed as the manifest says.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from vision.frame import Image, Levels, Picture
from vision.inference import THREADS, Network, Workers, as_input
from vision.weights import WeightsError

Floats = NDArray[np.float32]


LEAST = 0.18
IOU = 0.3
"""Two outlines that share this much of their union are one thing."""
COVER = 0.7
"""An outline covered so far by a surer one is the same thing."""


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """The weights of a judge. A confidence is the logistic of their weighted sum; below `LEAST` nothing is passed on.
    They were fitted on rendered tables that the judge was not trained on."""

    judged: float = 1.0
    """Of the network's logit."""
    found: float = 0.0
    """Of the detector's logit."""
    misfit: float = 0.0
    """Of other evidence: how far the size of a back is off, or how much higher the network's logit of a marker is a
    little aside."""
    offset: float = 0.0
    """Added to the sum."""

    @classmethod
    def weighed(cls, path: Path, by: Mapping[str, float]) -> JudgeSettings:
        """As the manifest weighs the two opinions; raises WeightsError where it does not."""
        try:
            return cls(by["judged"], by["found"], by.get("misfit", 0.0), by["offset"])
        except KeyError as name:
            raise WeightsError(f"{path}: the manifest does not weigh its confidence, expected {name}") from None

    def total(self, logits: Floats, found: Floats, misfit: Floats | float = 0.0) -> Floats:
        """(n,) log-odds that the thing lies there, from the network's logits and the detector's confidences."""
        return np.asarray(
            self.judged * logits + self.found * log_odds(found) + self.misfit * misfit + self.offset, np.float32
        )

    def confidence(self, logits: Floats, found: Floats, misfit: Floats | float = 0.0) -> Floats:
        """(n,) probabilities that the thing lies there."""
        return np.asarray(1 / (1 + np.exp(-self.total(logits, found, misfit))), np.float32)


class Judge(ABC):
    """One network's answers about cut-out things."""

    size_wh: ClassVar[tuple[int, int]]

    def __init__(self, model_path: Path, settings: JudgeSettings | None = None) -> None:
        self.settings = settings or JudgeSettings()
        self._network = Network(model_path).shaped((3, *self.size_wh[::-1]), (1,))
        self._workers = Workers(THREADS)

    @abstractmethod
    def cut(self, levels: Levels, quad: NDArray[np.floating]) -> Image:
        """The network's crop of one outline (4, 2) px of a picture: (high, wide, 3) uint8 BGR."""

    def logits(self, image: Picture, quads_px: Floats) -> Floats:
        """(h, w, 3) uint8 BGR, or a pyramid of it where many outlines are asked about, and (n, 4, 2) outlines -> (n,):
        the more, the surer that the thing lies there."""
        levels = image if isinstance(image, dict) else {1: image}
        parts = self._workers.batches(quads_px)
        answers = self._workers.each(lambda part: self._answer(levels, part), parts)
        return np.concatenate([np.zeros(0, np.float32), *answers])

    def _answer(self, levels: Levels, quads_px: Floats) -> Floats:
        return self._network(as_input(np.stack([self.cut(levels, quad) for quad in quads_px])))[:, 0]


def log_odds(p: Floats) -> Floats:
    """The logarithm of odds of probabilities (n,); none counts as certain."""
    sure = p.clip(1e-4, 1 - 1e-4)
    return np.asarray(np.log(sure / (1 - sure)), np.float32)
