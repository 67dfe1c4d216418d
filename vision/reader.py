"""Reads found tiles from crops of the full-resolution picture.

Every tile is read as it was found; where that leaves any doubt it is read again turned round and a little shifted,
because a box that drifts over the divider turns a 3 into a 5. `vision.stages` goes on with the readings.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision import stages
from vision.adaptation import Adaptation
from vision.backs import BackJudge
from vision.candidates import Finds, records
from vision.cuts import Cuts
from vision.detections import Detections, Kind
from vision.familiar import Appearance
from vision.frame import Image, Picture
from vision.inference import THREADS, Network, Workers
from vision.known_set import KnownSet
from vision.reading import CLASSES, NONE, OFFSETS, VALUES, TileReading
from vision.rectify import put_right, shifted
from vision.stages import CERTAIN, PHANTOM
from vision.tile_size import TileSize
from vision.weights import WeightsError

Floats = NDArray[np.float32]

SURELY_NOTHING = 0.97
"""A half that the network calls *none* more surely than this is read but once."""
CORRECTIONS = 2
"""How often an outline may be put right."""
WORTH_CORRECTING, WORTH_READING_AGAIN = 0.02, 0.07
"""Corner offsets, in tile widths, from which an outline is put right, and from which a certain reading is read
again inside it; what is not certain is from the first on."""
BATCHES = (4, 64)
"""The least and the most crops that go through the network at once."""
VARIANTS = ((0.0, 0.0, 0.0, 0.0), (0.02, 0.0, 0.0, 0.0))
"""A doubtful tile is read again so far (along, across, grown along, grown across; in parts of its length and width),
every second time turned by 180 degrees."""


class Reader:
    """`read` turns detections into readings; `scores` gives the bare probabilities."""

    def __init__(
        self,
        model_path: Path,
        backs: BackJudge,
        temperature: float = 1.0,
        adaptation: Adaptation | None = None,
        threads: int = THREADS,
    ) -> None:
        """`temperature`: at which the network's probabilities are calibrated. Raises WeightsError."""
        self._network = Network(model_path)
        self._workers = Workers(threads)
        shape_in, shape_out = self._network.input_shape, self._network.output_shape
        high, wide = shape_in[2:] if len(shape_in) == 4 else (0, 0)
        fits = isinstance(high, int) and wide == 2 * high and tuple(shape_out[1:]) == (2, CLASSES + OFFSETS)
        if not fits or shape_in[1] != 3:
            raise WeightsError(
                f"{model_path}: input {shape_in}, output {shape_out}; "
                f"expected (n, 3, side, 2 side) and (n, 2, {CLASSES + OFFSETS})"
            )
        self.adaptation, self.backs, self.temperature = adaptation, backs, temperature
        self.crop_wh: tuple[int, int] = (int(wide), int(high))

    def at(
        self,
        picture: Picture,
        things: Detections | None = None,
        known: KnownSet | None = None,
        familiar: Appearance | None = None,
        tile_length_px: float | None = None,
        size: TileSize | None = None,
    ) -> stages.Look:
        """The look at a picture, for the stages of reading it.

        `known` are the tiles on the table, where the players have said so; without them the readings only lend each
        other likelihood. `familiar` is the look of the same box in earlier pictures; it learns from this one.
        `tile_length_px` is how long a tile is here, where a calibrated table says so, and `size` how large anywhere.
        """
        markers = Detections.none() if things is None else things.select(things.kind == Kind.MARKER)
        seen, one_box = familiar or Appearance(), familiar is not None
        return stages.Look(self, picture, self.cuts(picture), markers, known, seen, one_box, tile_length_px, size)

    def read(self, look: stages.Look, detections: Detections) -> list[TileReading]:
        """One reading per tile, face up or down, in the order of the detections, phantoms left out."""
        finds = stages.split(look, stages.found(look, detections))
        return stages.settled(look, stages.doubted(look, stages.read(look, finds)))

    def scores(self, image: Picture, quads: Floats) -> Finds:
        """Calibrated probabilities of all halves within (n, 4, 2) outlines."""
        n = len(quads)
        return self.finds(self.cuts(image), Detections(quads, np.zeros(n, np.int8), np.zeros(n, np.float32)))

    def likeliest(self, image: Picture, quads: Floats) -> NDArray[np.intp]:
        """(n, 2) the likeliest value of each half within these very outlines, however askew they seem."""
        return np.asarray(self.classify(self.cuts(image)(quads))[0][:, :, :VALUES].argmax(2), np.intp)

    def cuts(self, image: Picture) -> Cuts:
        """The network's crops of this picture's outlines, each cut once."""
        return Cuts(image, self.crop_wh, self._workers)

    def finds(self, cut: Cuts, tiles: Detections) -> Finds:
        """A record of every tile. Outlines are put right first; doubtful ones are read in all variants and averaged."""
        q = tiles.quads_px.copy()
        p, offsets = self.classify(cut(q))
        # What is plainly nothing deserves no second look.
        alive = p[:, :, NONE].min(1) < SURELY_NOTHING
        for _ in range(CORRECTIONS):
            off = np.abs(offsets).max((1, 2))
            far = np.flatnonzero(alive & (off > WORTH_CORRECTING))
            if not len(far):
                break
            q[far] = [put_right(q[i], offsets[i]) for i in far]
            offsets[far] = 0.0
            again = far[(p[far, :, :VALUES].max(2).min(1) < CERTAIN) | (off[far] > WORTH_READING_AGAIN)]
            if len(again):
                p[again], offsets[again] = self.classify(cut(q[again]))
        doubtful = np.flatnonzero(alive & (p[:, :, NONE].min(1) < PHANTOM) & (p.max(2).min(1) < CERTAIN))
        if len(doubtful):
            total = p[doubtful]
            for i, variant in enumerate(VARIANTS):
                moved = shifted(q[doubtful], variant)
                turned = i % 2 == 0
                again, _ = self.classify(cut(np.roll(moved, 2, axis=1) if turned else moved))
                total += again[:, ::-1] if turned else again
            p[doubtful] = total / (1 + len(VARIANTS))
        return records(replace(tiles, quads_px=q), p)

    def classify(self, crops: Image) -> tuple[Floats, Floats]:
        """(n, side, 2 side, 3) crops of whole tiles -> (n, 2, 21) probabilities at the calibrated temperature and
        (n, 2, 4) corner offsets."""
        answers = self._workers.each(self._answer, self._workers.batches(crops, *BATCHES))
        both = np.concatenate([np.zeros((0, 2, CLASSES + OFFSETS), np.float32), *answers])
        p, offsets = both[:, :, :CLASSES], both[:, :, CLASSES:]
        if self.temperature != 1.0:
            p = np.asarray(np.maximum(p, 1e-9) ** (1 / self.temperature), np.float32)
        p = np.asarray(p / p.sum(2, keepdims=True), np.float32)
        return (p if self.adaptation is None else self.adaptation.weighed(p, crops, VALUES)), offsets

    def _answer(self, crops: Image) -> Floats:
        return self._network(np.ascontiguousarray(crops.transpose(0, 3, 1, 2), np.float32) / np.float32(255))

    def crops(self, image: Image, quads: Floats) -> Image:
        """(n, side, 2 side, 3): what the network gets to see of each tile."""
        return self.cuts(image)(quads)
