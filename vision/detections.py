"""Detections: columns of arrays, one noun for everything that was found in a picture.

The shape follows roboflow/supervision's value type (seam only): fields are columns, row i of each column is one
thing, the shapes are checked once at construction.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Kind(IntEnum):
    """The detector's classes, in the order of its output."""

    FACE_UP = 0
    FACE_DOWN = 1
    MARKER = 2
    HUB = 3


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """The things that the detector found in a picture."""

    quads_px: NDArray[np.float32]
    """(n, 4, 2), clockwise as displayed. For tiles the edge 0-1 is a short edge; which one carries no meaning before
    reading."""
    kind: NDArray[np.int8]
    """(n,) of `Kind`."""
    confidence: NDArray[np.float32]
    """(n,)"""

    def __post_init__(self) -> None:
        n = len(self.kind)
        if self.quads_px.shape != (n, 4, 2) or self.kind.shape != (n,) or self.confidence.shape != (n,):
            raise ValueError(
                f"columns disagree: quads {self.quads_px.shape}, kind {self.kind.shape}, "
                f"confidence {self.confidence.shape}; expected (n, 4, 2), (n,), (n,)"
            )

    def __len__(self) -> int:
        return len(self.kind)

    def select(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> Detections:
        return Detections(self.quads_px[keep], self.kind[keep], self.confidence[keep])

    def together(self, other: Detections) -> Detections:
        return Detections(
            np.concatenate([self.quads_px, other.quads_px]),
            np.concatenate([self.kind, other.kind]),
            np.concatenate([self.confidence, other.confidence]),
        )

    @staticmethod
    def none() -> Detections:
        return Detections(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.int8), np.zeros(0, np.float32))
