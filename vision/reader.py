"""Reads the halves of found tiles from crops of the full-resolution picture.

Every half is read as it was found; where that leaves any doubt it is read again a little shifted, grown and shrunk,
because a box that drifts over the divider turns a 3 into a 5. Values on which the variants do not agree are doubtful,
and a doubtful half is unreadable.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.detections import Detections, Kind
from vision.frame import Image
from vision.inference import Network, WeightsError
from vision.reading import HalfReading, TileReading
from vision.rectify import cut, grown, half_corners, side_px

Floats = NDArray[np.float32]

VALUES = 19
"""The classes 0 to 18; a network may have one more, which means "this is no half of a tile"."""


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """`certain` is the probability from which one look is enough; `readable` the least for a claimed value.

    `variants` are (shift along, shift across, grow along, grow across) in parts of the tile's length and width.
    """

    threads: int = 2
    temperature: float = 1.0
    certain: float = 0.995
    readable: float = 0.9
    smallest_half_px: float = 9.0
    batch: int = 128
    others_from: float = 0.002
    variants: tuple[tuple[float, float, float, float], ...] = (
        (0.02, 0.0, 0.0, 0.0),
        (-0.02, 0.0, 0.0, 0.0),
        (0.0, 0.04, 0.0, 0.0),
        (0.0, -0.04, 0.0, 0.0),
        (0.0, 0.0, 0.05, 0.05),
        (0.0, 0.0, -0.05, -0.05),
    )


@dataclass(frozen=True, slots=True, eq=False)
class HalfScores:
    """What the network says about the halves of n tiles: `values` (n, 2, 19) probabilities, `none` (n, 2)."""

    values: Floats
    none: Floats


class Reader:
    """`read` turns detections into readings; `scores` gives the bare probabilities."""

    def __init__(self, model_path: Path, settings: ReaderSettings | None = None) -> None:
        self.settings = settings or ReaderSettings()
        self._network = Network(model_path, self.settings.threads)
        shape_in, shape_out = self._network.input_shape, self._network.output_shape
        fits = len(shape_in) == 4 and shape_in[1] == 3 and shape_in[2] == shape_in[3] and isinstance(shape_in[2], int)
        if not fits or len(shape_out) != 2 or shape_out[1] not in (VALUES, VALUES + 1):
            raise WeightsError(
                f"{model_path}: input {shape_in}, output {shape_out}; expected (n, 3, side, side) and "
                f"(n, {VALUES}) or (n, {VALUES + 1})"
            )
        self.side: int = shape_in[2]

    def read(self, image: Image, detections: Detections) -> list[TileReading]:
        """One reading per tile, face up or down, in the order of the detections; markers and hubs are left out."""
        tiles = detections.select(detections.kind <= Kind.FACE_DOWN)
        up = np.flatnonzero(tiles.kind == Kind.FACE_UP)
        scores = self.scores(image, tiles.quads_px[up])
        place = {int(tile): i for i, tile in enumerate(up)}
        readings = []
        for i in range(len(tiles)):
            halves = None
            if i in place:
                halves = self.halves(scores.values[place[i]], tiles.quads_px[i])
            face = "down" if halves is None else "up"
            readings.append(TileReading(tiles.quads_px[i], face, halves, float(tiles.confidence[i])))
        return readings

    def scores(self, image: Image, quads: Floats) -> HalfScores:
        """Probabilities of all halves, calibrated; doubtful tiles are read in all variants and averaged."""
        s = self.settings
        first = self._probabilities(image, quads)
        doubtful = np.flatnonzero(first[:, :, :VALUES].max(2).min(1) < s.certain) if len(quads) else np.zeros(0, int)
        if len(doubtful):
            varied = np.concatenate([shifted(quads[doubtful], v) for v in s.variants])
            again = self._probabilities(image, varied).reshape(len(s.variants), len(doubtful), 2, -1)
            first[doubtful] = (first[doubtful] + again.sum(0)) / (1 + len(s.variants))
        values = first[:, :, :VALUES]
        none = first[:, :, VALUES] if first.shape[2] > VALUES else np.zeros(first.shape[:2], np.float32)
        return HalfScores(values, none)

    def halves(self, p: Floats, quad: Floats) -> tuple[HalfReading, HalfReading]:
        """(2, 19) probabilities as readings; `quad` tells how large the halves are in the picture."""
        a, b = (self._half(p[i], side_px(half_corners(quad, i))) for i in (0, 1))
        return a, b

    def _half(self, p: Floats, side: float) -> HalfReading:
        s = self.settings
        order = np.argsort(-p)
        ranked = [(int(v), round(float(p[v]), 4)) for v in order[:4]]
        best, best_p = ranked[0]
        others = tuple(one for one in ranked[1:] if one[1] >= s.others_from)
        if best_p < s.readable or side < s.smallest_half_px:
            return HalfReading(None, best_p, ((best, best_p), *others))
        return HalfReading(best, best_p, others)

    def _probabilities(self, image: Image, quads: Floats) -> Floats:
        """(n, 4, 2) quads -> (n, 2, classes)."""
        crops = np.empty((len(quads) * 2, self.side, self.side, 3), np.uint8)
        for i, quad in enumerate(quads):
            for half in (0, 1):
                crops[2 * i + half] = cut(image, grown(half_corners(quad, half), 0.06), self.side)
        p = self.classify(crops)
        return p.reshape(len(quads), 2, -1)

    def classify(self, crops: Image) -> Floats:
        """(m, side, side, 3) rectified halves -> (m, classes) probabilities at the calibrated temperature."""
        s = self.settings
        parts = []
        for start in range(0, len(crops), s.batch):
            blob = crops[start : start + s.batch].transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)
            parts.append(self._network(np.ascontiguousarray(blob)))
        if not parts:
            return np.zeros((0, VALUES), np.float32)
        p = np.concatenate(parts)
        if s.temperature != 1.0:
            p = np.asarray(np.maximum(p, 1e-9) ** (1 / s.temperature), np.float32)
            p /= p.sum(1, keepdims=True)
        return p


def shifted(quads: Floats, variant: tuple[float, float, float, float]) -> Floats:
    """(n, 4, 2) quads moved and grown in their own axes: edge 0-1 is across, edge 1-2 along the tile."""
    along, across, grow_along, grow_across = variant
    q = np.asarray(quads, np.float32)
    u = (q[:, 2] - q[:, 1] + q[:, 3] - q[:, 0]) / 2
    v = (q[:, 1] - q[:, 0] + q[:, 2] - q[:, 3]) / 2
    offset = u * along + v * across
    ends = np.array([-1, -1, 1, 1], np.float32)[None, :, None] * (u * grow_along / 2)[:, None]
    flanks = np.array([-1, 1, 1, -1], np.float32)[None, :, None] * (v * grow_across / 2)[:, None]
    return np.asarray(q + offset[:, None] + ends + flanks, np.float32)
