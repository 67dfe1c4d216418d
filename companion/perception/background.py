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

from companion.geometry.joints import distance
from companion.geometry.table_view import SeenTile
from companion.perception.projection import outline
from companion.perception.thumbnails import Floats, Thumbnails
from vision.calibration import Calibration
from vision.frame import Image

Mask = NDArray[np.uint8]


REACHES_MM = (60.0, 110.0, 180.0)
"""How far around a place bare table is looked for: farther than a cup that stands on it reaches."""

LEAST_PX = 12

INSIDE_MM = 5.0
"""A place is judged by its inside: where its neighbours stood close, their flanks and shadows reach over its edges."""


FLANK_MM = 1.5
"""So far around a tile its flank and its shadow may be seen."""


WIDTH_PX = 960
LIKENESS = 8.0
ROUGHNESS = 24.0
GRAIN = 1.6
AMONG = 0.9
OF_A_TILE = 0.5
NEAREST = 12
SHADES = (1.0, 0.85, 0.7)
WITHIN = 3.0
GREY = 5.0
"""`WIDTH_PX` of the small picture. A bare place differs from the table (the light's own change taken out) by at
most `LIKENESS` grey levels of 255 in the middle and `ROUGHNESS` at its tenth worst point; without a picture of the
place it must be as smooth as its surroundings, up to a factor `GRAIN`. Rather strict: white tiles lie on white
cloths, and a tile wrongly taken for gone is an accusation, one wrongly taken for hidden only waits.

Of a tile lying face down less hangs on it, and boneyards are packed: its place may be in the shade and patterned
like the table around. It is bare where `AMONG` of its points look more like that table, at one of the brightnesses
`SHADES`, than like the tiles of that face, most of them within `WITHIN` deviations (at least `GREY` levels), and
where of none of the `NEAREST` such tiles more than `OF_A_TILE` of the points do; farther off the light is another.
"""


ALIKE, TOLD_APART = 1, 2
"""A place has the table's colours, and tiles have them too, or have others."""


@dataclass(slots=True)
class BackgroundModel:
    """The table as it looks with nothing on it, as far as it has been seen."""

    shrunken: Thumbnails = field(default_factory=Thumbnails)
    _known: Floats | None = None
    _seen: Mask | None = None

    def learn(self, image: Image, tiles: Sequence[SeenTile], calibration: Calibration) -> None:
        """Everything outside the tiles of a still picture is bare table, or lies there for good."""
        small, scale = self.shrunken.picture(image, WIDTH_PX)
        covered = tile_mask(tiles, calibration, small.shape[:2], scale, 4.0)
        if self._known is None or self._known.shape != small.shape:
            self._known, self._seen = small.copy(), (1 - covered).astype(np.uint8)
            return
        assert self._seen is not None
        free = (covered == 0).view(np.uint8)
        # In place, and many times faster than by an index of booleans.
        cv2.copyTo(small, free, self._known)
        cv2.bitwise_or(self._seen, free, self._seen)

    def is_bare(
        self,
        image: Image,
        tile: SeenTile,
        others: Sequence[SeenTile],
        calibration: Calibration,
        beside: Sequence[SeenTile] = (),
    ) -> bool:
        """Does the place where `tile` lay look like the table? False where that cannot be told.

        Only what of it lies outside the tiles `beside` is looked at.
        """
        small, scale = self.shrunken.picture(image, WIDTH_PX)
        shape = small.shape[:2]
        inside = tile_mask([tile], calibration, shape, scale, -INSIDE_MM)
        blocked = tile_mask([tile, *others], calibration, shape, scale, 4.0)
        for reach in REACHES_MM:
            # In a packed boneyard the nearest bare table is some tiles away.
            ring = (tile_mask([tile], calibration, shape, scale, reach) == 1) & (blocked == 0)
            if ring.sum() > place_least(inside):
                break
        place = (inside == 1) & (tile_mask(beside, calibration, shape, scale, FLANK_MM) == 0)
        if place.sum() < LEAST_PX or ring.sum() < LEAST_PX:
            return False
        if self._known is not None and self._seen is not None and self._known.shape == small.shape:
            known = place & (self._seen == 1)
            if known.sum() > 0.8 * place.sum():
                light = small[ring].mean(0) - self._known[ring & (self._seen == 1)].mean(0) if ring.any() else 0.0
                apart = np.abs(small[known] - self._known[known] - light)
                median, worst = np.median(apart), np.percentile(apart, 90)
                if median <= LIKENESS and worst <= ROUGHNESS:
                    return True
        apart = np.abs(np.median(small[place], axis=0) - np.median(small[ring], axis=0))
        rough = small[place].std(0).mean() / max(2.0, float(small[ring].std(0).mean()))
        if apart.max() <= LIKENESS and rough <= GRAIN:
            return True
        return not tile.face_up and self._among_the_table(small, scale, tile, others, calibration) == TOLD_APART

    def is_among_the_table(
        self, image: Image, tile: SeenTile, others: Sequence[SeenTile], calibration: Calibration
    ) -> bool:
        """Are the colours of the place where `tile` lay face down the table's rather than those of such tiles?

        Where the two are alike that alone does not say that it is bare. False where it cannot be told.
        """
        small, scale = self.shrunken.picture(image, WIDTH_PX)
        return self._among_the_table(small, scale, tile, others, calibration) >= ALIKE

    def _among_the_table(
        self, small: Floats, scale: float, tile: SeenTile, others: Sequence[SeenTile], calibration: Calibration
    ) -> int:
        """Is the place table? `ALIKE` where one of the tiles around would pass for it as well, `TOLD_APART` where none
        does, else 0."""
        shape = small.shape[:2]
        backs = [one for one in others if not one.face_up]
        backs.sort(key=lambda one: distance(one.center_mm, tile.center_mm))
        tiles = [small[tile_mask([one], calibration, shape, scale, -INSIDE_MM) == 1] for one in backs]
        tiles = [points for points in tiles if len(points)]
        blocked = tile_mask([tile, *others], calibration, shape, scale, 4.0)
        table = small[(tile_mask([tile], calibration, shape, scale, REACHES_MM[-1]) == 1) & (blocked == 0)]
        place = small[tile_mask([tile], calibration, shape, scale, -INSIDE_MM) == 1]
        if not tiles or len(table) < LEAST_PX or len(place) < LEAST_PX:
            return 0
        every = np.concatenate(tiles)
        body, body_spread = every.mean(0), np.maximum(every.std(0), GREY)
        ground, ground_spread = table.mean(0), np.maximum(table.std(0), GREY)

        def to_table(points: Floats) -> Floats:
            apart = [np.linalg.norm((points - f * ground) / ground_spread, axis=1) for f in SHADES]
            return np.asarray(np.min(apart, axis=0), np.float32)

        def is_table(points: Floats) -> float:
            to_tile = np.linalg.norm((points - body) / body_spread, axis=1)
            return float((to_table(points) < to_tile).mean())

        if is_table(place) < AMONG or float(np.median(to_table(place))) > WITHIN:
            return 0
        return TOLD_APART if max(map(is_table, tiles[:NEAREST])) <= OF_A_TILE else ALIKE

    def forget(self) -> None:
        self._known = self._seen = None


def tile_mask(
    tiles: Sequence[SeenTile], calibration: Calibration, shape: tuple[int, ...], scale: float, grow: float
) -> Mask:
    """1 where tiles lie, each `grow` mm larger on every side, in a picture of that scale; 0 elsewhere."""
    mask = np.zeros(shape, np.uint8)
    if not tiles:
        return mask
    corners_mm = np.array([outline(tile, grow) for tile in tiles], np.float64)
    for corners in np.asarray(calibration.to_px(corners_mm.reshape(-1, 2)) * scale, np.int32).reshape(-1, 4, 2):
        cv2.fillConvexPoly(mask, corners, 1)
    return mask


def place_least(inside: Mask) -> int:
    """As much bare table as the place itself is large makes a fair comparison."""
    return max(LEAST_PX, int(inside.sum()))
