"""Each tile from close by at full resolution: the place before it was laid, and the tile as it was read.

A tile is photographed when it is first seen on a still table, and the place of it is cut out of the still table before.
The crops wait in memory until a picture of the game is kept that they belong to, and are small JPEGs from then on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.tableview import Point, SeenTile
from vision.frame import Image

SAME_PLACE_MM = 12.0
"""Half a tile's width: what is found nearer than this to an earlier tile is that tile."""

SURROUNDINGS = 1.1
"""How much of the table around a tile is shown, in tile lengths on each side: its neighbours settle most disputes."""

MOST_AT_ONCE = 24
"""More new tiles than this at once are a table that was set up while nobody watched, and no play."""

QUALITY = 92


@dataclass(slots=True)
class Crop:
    """A piece of a picture, (h, w, 3) uint8, with the table's `corners` (4, 2) in its pixels; painted over and encoded
    when it is first asked for, by whoever writes it to the disk."""

    image: Image | None
    corners: NDArray[np.float64]
    margin: float
    _jpeg: bytes = b""

    def jpeg(self) -> bytes:
        image = self.image
        if image is not None:
            painted = painted_outside(image, self.corners, self.margin)
            self._jpeg = cv2.imencode(".jpg", painted, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()
            self.image = None
        return self._jpeg


@dataclass(slots=True)
class CloseUp:
    """One tile and its crops. `quad` (4 points) in pixels of the crops, half 0 at the edge 0-1; `stem` once kept."""

    tile: SeenTile
    quad: list[Point]
    size_wh: tuple[int, int]
    after: Crop
    before: Crop | None
    stem: str | None = None

    def to_json(self, stem: str) -> dict[str, Any]:
        halves = self.tile.halves
        return {
            "values": None if halves is None else [half.value for half in halves],
            "p": None if halves is None else [round(half.p, 4) for half in halves],
            "quad": [[round(x, 1), round(y, 1)] for x, y in self.quad],
            "size": list(self.size_wh),
            "after": f"{self.stem}.jpg",
            "before": None if self.before is None else f"{self.stem}-before.jpg",
            "new": str(self.stem).startswith(f"{stem}-"),
        }


@dataclass(slots=True)
class CloseUps:
    """The close-ups of all tiles that lie on the table now. Not thread-safe: its owner has the lock."""

    margin: float = 0.02
    _still: Image | None = None
    _known: list[CloseUp] = field(default_factory=list)

    def notice(self, image: Image, tiles: Sequence[SeenTile], corners_px: NDArray[np.float64]) -> None:
        """Cut out what is new. What does not lie there any more is forgotten."""
        left = list(self._known)
        now: list[CloseUp] = []
        fresh: list[SeenTile] = []
        for tile in tiles:
            near = next((one for one in left if math.dist(one.tile.center_mm, tile.center_mm) < SAME_PLACE_MM), None)
            if near is None:
                fresh.append(tile)
            else:
                left.remove(near)
                near.tile = tile
                now.append(near)
        self._known = now
        for tile in fresh[:MOST_AT_ONCE]:
            made = self._cut(image, tile, corners_px)
            if made is not None:
                self._known.append(made)

    def settled(self, image: Image) -> None:
        """This still table is the "before" of whatever comes next. Keeps the picture itself, not a copy."""
        self._still = image

    def forget(self) -> None:
        self._still, self._known = None, []

    def to_keep(self, stem: str) -> list[tuple[str, Callable[[], bytes]]]:
        """(file name, what makes its bytes) of what belongs to the picture `stem` and has not been kept yet, and an
        index."""
        files: list[tuple[str, Callable[[], bytes]]] = []
        for number, one in enumerate([one for one in self._known if one.stem is None], start=1):
            one.stem = f"{stem}-tile-{number}"
            files.append((f"{one.stem}.jpg", one.after.jpeg))
            if one.before is not None:
                files.append((f"{one.stem}-before.jpg", one.before.jpeg))
        index = json.dumps({"tiles": [one.to_json(stem) for one in self._known]}, separators=(",", ":")).encode()
        return [*files, (f"{stem}.json", lambda: index)]

    def _cut(self, image: Image, tile: SeenTile, corners_px: NDArray[np.float64]) -> CloseUp | None:
        if tile.box_px is None:
            return None
        box = cut_around(tile.box_px, (int(image.shape[1]), int(image.shape[0])))
        x0, y0, x1, y1 = box
        if x1 - x0 < 8 or y1 - y0 < 8:
            return None
        same_size = self._still is not None and self._still.shape == image.shape
        before = _crop(self._still, box, corners_px, self.margin) if self._still is not None and same_size else None
        quad = [(x - x0, y - y0) for x, y in tile.box_px]
        return CloseUp(tile, quad, (x1 - x0, y1 - y0), _crop(image, box, corners_px, self.margin), before)


def cut_around(quad: Sequence[Point], size_wh: tuple[int, int]) -> tuple[int, int, int, int]:
    """The box (x0, y0, x1, y1) that shows a tile with its surroundings, within the picture."""
    points = np.asarray(quad, np.float64)
    sides = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
    grow = SURROUNDINGS * float(sides.max())
    low, high = np.floor(points.min(0) - grow), np.ceil(points.max(0) + grow)
    return (
        max(0, int(low[0])),
        max(0, int(low[1])),
        min(size_wh[0], int(high[0])),
        min(size_wh[1], int(high[1])),
    )


def painted_outside(image: Image, corners: NDArray[np.float64], margin: float) -> Image:
    """The picture with everything outside the table painted grey. `corners` (4, 2) of the table in its pixels;
    `margin`: how much further out, as a share of the table, because hands at the edge belong to the play."""
    middle = corners.mean(axis=0)
    outline = np.rint(middle + (corners - middle) * (1 + margin)).astype(np.int32)
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, outline, 255)
    painted = np.full_like(image, 128)
    painted[mask > 0] = image[mask > 0]
    return painted


def _crop(image: Image, box: tuple[int, int, int, int], corners_px: NDArray[np.float64], margin: float) -> Crop:
    x0, y0, x1, y1 = box
    # The margin belongs to the whole table, so the outline is moved and not measured anew.
    return Crop(image[y0:y1, x0:x1].copy(), corners_px - (x0, y0), margin)
