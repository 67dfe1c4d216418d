"""The finds in a picture: `Detections` as the detector gives them, `Finds` as the reader fills them.

Detections are columns of arrays, after roboflow/supervision's value type (seam only): row i of each column is one
thing, the shapes are checked once at construction. Finds are one table of whatever may be a tile, a record each, from
the first find to what is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vision.reading import BACK, NONE, VALUES


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


RECORD = np.dtype(
    [
        ("p", np.float64, (2, VALUES)),
        ("quads", np.float32, (4, 2)),
        ("values", np.float32, (2, VALUES)),
        ("none", np.float32, (2,)),
        ("back", np.float32, (2,)),
        ("colours", np.float32, (3,)),
        ("confidence", np.float32),
        ("believed", np.float32),
        ("kind", np.int8),
        ("seen", np.bool_),
        ("extra", np.bool_),
        ("down", np.bool_),
        ("or_blank", np.bool_),
    ],
    align=True,
)
"""`quads` the outline, put right; `kind` and `confidence` as it was found, `seen` whether it was, or only thought of,
`extra` whether in a gap of a chain. `values`, `none` and `back`: the network's probabilities of each half. `colours`:
the body's L*, a*, b*. `down`: it shows no print, and is `believed` so surely to lie face down, or may as well be the
double blank, `or_blank`. `p`: how probable each value is once all is weighed."""

Finds: TypeAlias = "np.recarray[Any, np.dtype[Any]]"
"""(n,) records, the columns by name: `finds.quads` is (n, 4, 2)."""


def records(tiles: Detections, p: NDArray[np.float32]) -> Finds:
    """Finds with (n, 2, 21) probabilities of the network.

    >>> finds = records(Detections.none(), np.zeros((0, 2, 21), np.float32))
    >>> finds.quads.shape, finds.values.shape
    ((0, 4, 2), (0, 2, 19))
    """
    finds = np.zeros(len(tiles), RECORD).view(np.recarray)
    finds.quads, finds.kind, finds.confidence = tiles.quads_px, tiles.kind, tiles.confidence
    finds.values, finds.none, finds.back = p[:, :, :VALUES], p[:, :, NONE], p[:, :, BACK]
    return finds


def joined(*parts: Finds) -> Finds:
    """The records of several tables in one."""
    return np.concatenate(parts).view(np.recarray)


def some(finds: Finds, which: NDArray[np.intp] | NDArray[np.bool_]) -> Finds:
    """Of a table these records."""
    return finds[which].view(np.recarray)


def clear(finds: Finds) -> NDArray[np.float32]:
    """(n,) how clearly a find reads: the probability of the likeliest value of its vaguer half."""
    return np.asarray(finds.values.max(2).min(1), np.float32)


def as_found(finds: Finds) -> Detections:
    """The same as the finder tells them."""
    return Detections(finds.quads, finds.kind, finds.confidence)
