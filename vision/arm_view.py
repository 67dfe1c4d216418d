"""An arm: where it comes in, along which line it lies, and which part of the table it covers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arm_plane import ArmPlane

Labels = NDArray[np.uint8]
Tones = NDArray[np.uint8]
Point = tuple[float, float]
Colour = tuple[float, float, float]

CHANGED, UNCLEAR = 255, 254
"""In `ArmView.labels`: something is not as it was and no arm lies there; an arm, and nobody knows which."""

ALIKE = 8
"""What looks alike differs by less than a tenth in brightness."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm in one frame, in millimetres and degrees of the table."""

    entry_mm: Point | None
    """The middle of where it crosses the border; None where it crosses none that is seen."""
    span_mm: float
    """How much of the border it takes."""
    axis_deg: float
    """Points outwards along the arm, from the tip to the shoulder."""
    tip_mm: Point
    reach_mm: float
    """From the entry to the tip."""
    area_mm2: float
    clear: bool = True
    """False: these may be two arms, or its end is unknown."""
    other: Arm | None = None
    """The same arm the other way round, where both ends lie over the border and either may be the hand."""
    sleeve: Colour | None = None
    """The arm's colour away from the hand: the logarithms of blue, green and red, in `LEVELS`, less those of the still
    table. None where too little of it is seen."""

    def entry_deg(self, center_mm: Point) -> float | None:
        """The direction of the entry from the middle of the table."""
        if self.entry_mm is None:
            return None
        return math.degrees(math.atan2(self.entry_mm[1] - center_mm[1], self.entry_mm[0] - center_mm[0]))


@dataclass(frozen=True, slots=True, eq=False)
class ArmView:
    """The arms of one frame."""

    plane: ArmPlane
    arms: tuple[Arm, ...]
    labels: Labels
    """(h, w): n + 1 under arm n, CHANGED, UNCLEAR or 0."""
    tone: Tones
    """(h, w): how bright it is, in steps of the logarithm."""
    flooded: bool = False
    """Most of the table differs, so nothing can be told."""

    def covers(self, place_mm: Point, radius_mm: float) -> dict[int, float]:
        """Which arms lie over the disc around a place on the table, and which part of it: index (or UNCLEAR) ->
        share."""
        there = self.labels[self._disc(place_mm, radius_mm)]
        if not there.size:
            return {}
        found: dict[int, float] = {}
        for label in np.unique(there):
            if 0 < label < CHANGED:
                index = int(label) if label == UNCLEAR else int(label) - 1
                found[index] = float((there == label).mean())
        return found

    def changed(self, place_mm: Point, radius_mm: float) -> float:
        """The part of the disc that differs from the last still picture though no arm lies there."""
        there = self.labels[self._disc(place_mm, radius_mm)]
        return float((there == CHANGED).mean()) if there.size else 0.0

    def alike(self, other: ArmView, place_mm: Point, radius_mm: float) -> float:
        """The part of the disc that looks as in another view of the same size, whatever is thought to lie there."""
        if self.tone.shape != other.tone.shape:
            return 0.0
        disc = self._disc(place_mm, radius_mm)
        here, there = self.tone[disc].astype(np.int16), other.tone[disc]
        return float((np.abs(here - there) < ALIKE).mean()) if here.size else 0.0

    def _disc(self, place_mm: Point, radius_mm: float) -> tuple[slice, slice]:
        x, y = self.plane.to_small([place_mm])[0]
        r = max(1, round(radius_mm / self.plane.px_mm))
        h, w = self.labels.shape
        down, across = max(0, min(h, round(y) + r + 1)), max(0, min(w, round(x) + r + 1))
        return slice(max(0, round(y) - r), down), slice(max(0, round(x) - r), across)
