"""Is a place on the table empty? A tile that is not found may be gone, or under a cup.

The bare table is learnt while watching: wherever nothing lies, the picture is the table. A place that was never seen
bare is compared with the bare table around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.tableview import SeenTile
from companion.watch.view import outline
from vision.calibration import Calibration
from vision.frame import Image

Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]


REACHES_MM = (60.0, 110.0, 180.0)
"""How far around a place bare table is looked for: farther than a cup that stands on it reaches."""

LEAST_PX = 12

INSIDE_MM = 5.0
"""A place is judged by its inside: where its neighbours stood close, their flanks and shadows reach over its edges."""


@dataclass(frozen=True, slots=True)
class BareSettings:
    """`width_px` of the small picture. A bare place differs from the table (the light's own change taken out) by at
    most `likeness` grey levels of 255 in the middle and `roughness` at its tenth worst point; without a picture of the
    place it must be as smooth as its surroundings, up to a factor `grain`. Rather strict: white tiles lie on white
    cloths, and a tile wrongly taken for gone is an accusation, one wrongly taken for hidden only waits. Between tiles
    it is darker: there it may be the table in the shade (`shade` the least and largest brightness, `hue` how many
    levels its colour may be off), where tiles stand out so clearly that this is `nearness` of the way to them."""

    width_px: int = 960
    likeness: float = 8.0
    roughness: float = 24.0
    grain: float = 1.6
    shade: tuple[float, float] = (0.6, 1.05)
    hue: float = 6.0
    nearness: float = 0.12


@dataclass(slots=True)
class BareTable:
    """The table as it looks with nothing on it, as far as it has been seen."""

    settings: BareSettings = field(default_factory=BareSettings)
    _known: Floats | None = None
    _seen: Mask | None = None

    def learn(self, image: Image, tiles: Sequence[SeenTile], calibration: Calibration) -> None:
        """Everything outside the tiles of a still picture is bare table, or lies there for good."""
        small, scale = small_picture(image, self.settings.width_px)
        covered = tile_mask(tiles, calibration, small.shape[:2], scale, 4.0)
        if self._known is None or self._known.shape != small.shape:
            self._known, self._seen = small.copy(), (1 - covered).astype(np.uint8)
            return
        assert self._seen is not None
        free = covered == 0
        self._known[free] = small[free]
        self._seen[free] = 1

    def is_bare(self, image: Image, tile: SeenTile, others: Sequence[SeenTile], calibration: Calibration) -> bool:
        """Does the place where `tile` lay look like the table? False where that cannot be told."""
        small, scale = small_picture(image, self.settings.width_px)
        shape = small.shape[:2]
        inside = tile_mask([tile], calibration, shape, scale, -INSIDE_MM)
        blocked = tile_mask([tile, *others], calibration, shape, scale, 4.0)
        for reach in REACHES_MM:
            # In a packed boneyard the nearest bare table is some tiles away.
            ring = (tile_mask([tile], calibration, shape, scale, reach) == 1) & (blocked == 0)
            if ring.sum() > place_least(inside):
                break
        place = inside == 1
        if place.sum() < LEAST_PX or ring.sum() < LEAST_PX:
            return False
        if self._known is not None and self._seen is not None and self._known.shape == small.shape:
            known = place & (self._seen == 1)
            if known.sum() > 0.8 * place.sum():
                light = small[ring].mean(0) - self._known[ring & (self._seen == 1)].mean(0) if ring.any() else 0.0
                apart = np.abs(small[known] - self._known[known] - light)
                median, worst = np.median(apart), np.percentile(apart, 90)
                if median <= self.settings.likeness and worst <= self.settings.roughness:
                    return True
        here, around = np.median(small[place], axis=0), np.median(small[ring], axis=0)
        rough = small[place].std(0).mean() / max(2.0, float(small[ring].std(0).mean()))
        if rough > self.settings.grain:
            return False
        if np.abs(here - around).max() <= self.settings.likeness:
            return True
        alike = [one for one in others if one.face_up == tile.face_up]
        lying = tile_mask(alike, calibration, shape, scale, -INSIDE_MM) == 1
        return bool(lying.any()) and self._in_the_shade(here, around, np.median(small[lying], axis=0))

    def _in_the_shade(self, here: Floats, around: Floats, tiles: Floats) -> bool:
        """(3,) colours of a place, of the table around it and of tiles: is the place plainly table, only darker?"""
        s = self.settings
        brightness = float(here @ around) / max(float(around @ around), 1.0)
        off = float(np.abs(here - brightness * around).max())
        away = float(np.abs(here - around).max())
        contrast = float(np.abs(tiles - around).max())
        return s.shade[0] <= brightness <= s.shade[1] and off <= s.hue and away <= s.nearness * contrast

    def forget(self) -> None:
        self._known = self._seen = None


def small_picture(image: Image, width_px: int) -> tuple[Floats, float]:
    """The picture at most `width_px` wide, (h', w', 3) float32, and its scale."""
    scale = min(1.0, width_px / image.shape[1])
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.float32), scale


def tile_mask(
    tiles: Sequence[SeenTile], calibration: Calibration, shape: tuple[int, ...], scale: float, grow: float
) -> Mask:
    """1 where tiles lie, each `grow` mm larger on every side, in a picture of that scale; 0 elsewhere."""
    mask = np.zeros(shape, np.uint8)
    for tile in tiles:
        corners = np.asarray(calibration.to_px(outline(tile, grow)) * scale, np.int32)
        cv2.fillConvexPoly(mask, corners, 1)
    return mask


def place_least(inside: Mask) -> int:
    """As much bare table as the place itself is large makes a fair comparison."""
    return max(LEAST_PX, int(inside.sum()))
