"""Rectified halves: the one geometry that training and reading share.

A tile's quad is four corners clockwise as displayed; half 0 lies at the edge 0-1, half 1 at the edge 2-3. A rectified
half always shows the tile's outer end at the left and the divider at the right, so a reader never has to guess which
way round it looks.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.frame import Image, Picture, level
from vision.rotated import axes

Floats = NDArray[np.float64]

_UNIT_TILE = np.array([[0, 1], [0, 0], [2, 0], [2, 1]], np.float32)
_SHRINK_ABOVE = 1.6
"""From this many source pixels per crop pixel on, the source is averaged first, else the pips alias."""


def middle(quad: ArrayLike) -> tuple[Floats, Floats]:
    """The ends of the dividing line on the sides 1-2 and 0-3, where perspective puts them, each (2,) px."""
    corners = np.asarray(quad, np.float32)
    to_picture = cv2.getPerspectiveTransform(_UNIT_TILE, corners)
    ends = cv2.perspectiveTransform(np.array([[[1, 0]], [[1, 1]]], np.float32), to_picture)[:, 0]
    return ends[0].astype(np.float64), ends[1].astype(np.float64)


def half_corners(quad: ArrayLike, half: int) -> Floats:
    """(4, 2) px: top left, top right, bottom right, bottom left of one half's crop; the outer end is at the left."""
    q = np.asarray(quad, np.float64)
    on_12, on_03 = middle(q)
    if half == 0:
        return np.array([q[1], on_12, on_03, q[0]])
    return np.array([q[3], on_03, on_12, q[2]])


def side_px(corners: ArrayLike) -> float:
    """The side of the square with a half's area: how large the half is in the picture."""
    area = cv2.contourArea(np.asarray(corners, np.float32))
    return float(np.sqrt(max(area, 1.0)))


def grown(corners: ArrayLike, margin: float) -> Floats:
    """The corners moved outwards by `margin` of the half's size on each side."""
    c = np.asarray(corners, np.float64)
    centre = c.mean(0)
    return np.asarray(centre + (c - centre) * (1 + 2 * margin), np.float64)


def cut_wh(image: Picture, corners: ArrayLike, size_wh: tuple[int, int]) -> Image:
    """The (h, w, 3) picture of what lies inside four corners (top left, top right, bottom right, bottom left).

    Coordinates count from the outer corner of the first pixel, so its centre is at (0.5, 0.5). Beyond the edge of the
    picture its last pixels go on.
    """
    c = np.asarray(corners, np.float64)
    w, h = size_wh
    target = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
    reduction = side_px(c) / np.sqrt(w * h)
    source, divided = level(image, reduction / _SHRINK_ABOVE)
    c, reduction = c / divided, reduction / divided
    if reduction > _SHRINK_ABOVE:
        x0, y0 = np.maximum(np.floor(c.min(0) - 4).astype(int), 0)
        x1, y1 = np.minimum(np.ceil(c.max(0) + 4).astype(int), source.shape[1::-1])
        if x1 - x0 < 2 or y1 - y0 < 2:
            return np.zeros((h, w, 3), np.uint8)
        part = source[y0:y1, x0:x1]
        factor = 1.25 / reduction
        wide = max(2, round((x1 - x0) * factor))
        high = max(2, round((y1 - y0) * factor))
        source = np.asarray(cv2.resize(part, (wide, high), interpolation=cv2.INTER_AREA), np.uint8)
        c = (c - [x0, y0]) * [wide / (x1 - x0), high / (y1 - y0)]
    transform = cv2.getPerspectiveTransform((c - 0.5).astype(np.float32), target)
    crop = cv2.warpPerspective(source, transform, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(crop, np.uint8)


def shifted(quads: ArrayLike, variant: tuple[float, float, float, float]) -> NDArray[np.float32]:
    """(n, 4, 2) quads moved and grown in their own axes: edge 0-1 is across, edge 1-2 along the tile."""
    along, across, grow_along, grow_across = variant
    q = np.asarray(quads, np.float32)
    u, v = axes(q)
    offset = u * along + v * across
    ends = np.array([-1, -1, 1, 1], np.float32)[None, :, None] * (u * grow_along / 2)[:, None]
    flanks = np.array([-1, 1, 1, -1], np.float32)[None, :, None] * (v * grow_across / 2)[:, None]
    return np.asarray(q + offset[:, None] + ends + flanks, np.float32)


TILE_SIDE = 48
"""A whole tile is read from a crop of 2 x 1 times this many pixels."""
READ_MARGIN = 0.06
"""How much of the tile's surroundings that crop shows on every side, in tile widths."""


def tile_plane(quad: ArrayLike, points: ArrayLike) -> Floats:
    """(n, 2) points in a tile's own plane, in tile widths from its corner 1, the first along it -> (n, 2) px."""
    to_picture = cv2.getPerspectiveTransform(_UNIT_TILE, np.asarray(quad, np.float32))
    flat = np.asarray(points, np.float32).reshape(-1, 1, 2)
    return np.asarray(cv2.perspectiveTransform(flat, to_picture)[:, 0], np.float64)


def tile_corners(quad: ArrayLike, margin: float = READ_MARGIN) -> Floats:
    """(4, 2) px: top left, top right, bottom right, bottom left of a whole tile's crop, half 0 at the left, with
    `margin` tile widths of its surroundings on every side, where perspective puts them."""
    m = margin
    return tile_plane(quad, [(-m, -m), (2 + m, -m), (2 + m, 1 + m), (-m, 1 + m)])


def cut_tile(
    image: Picture, quad: ArrayLike, size_wh: tuple[int, int] = (2 * TILE_SIDE, TILE_SIDE), margin: float = READ_MARGIN
) -> Image:
    """A whole tile as the reader wants it: (h, w, 3) uint8 BGR, half 0 (the edge 0-1) at the left."""
    return cut_wh(image, tile_corners(quad, margin), size_wh)


def outward_halves(crops: Image) -> Image:
    """(n, side, 2 side, 3) crops of whole tiles -> (n, 2, side, side, 3): halves with their outer end at the left."""
    side = crops.shape[1]
    return np.asarray(np.stack([crops[:, :, :side], crops[:, ::-1, : side - 1 : -1]], 1), np.uint8)


AROUND_SIDE = 50
"""Pixels per tile width in `surroundings`: a little more than the reader's own, so that warping costs no sharpness."""


def surroundings(image: Picture, quad: ArrayLike, margin: float) -> tuple[Image, Floats]:
    """A tile with `margin` tile widths around it, cut from the picture once for many looks, and the (3, 3) transform
    that takes picture pixels there."""
    corners = tile_corners(quad, margin)
    w, h = round(AROUND_SIDE * (2 + 2 * margin)), round(AROUND_SIDE * (1 + 2 * margin))
    target = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    transform = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    return cut_wh(image, corners, (w, h)), np.asarray(transform, np.float64)


def seen_through(quads: ArrayLike, transform: Floats) -> NDArray[np.float32]:
    """(n, 4, 2) quads as a (3, 3) transform shows them."""
    q = np.asarray(quads, np.float32)
    return np.asarray(cv2.perspectiveTransform(q.reshape(-1, 1, 2), transform), np.float32).reshape(q.shape)


def put_right(quad: ArrayLike, offsets: ArrayLike, most: float = 0.35) -> Floats:
    """The quad with its corners moved by a reader's (2, 4) offsets: corners 0 and 1, then 2 and 3, each (dx, dy) in
    tile widths in the tile's own plane, +x from half 0 to half 1 and +y from corner 1 to corner 0; none moves further
    than `most`."""
    corners = np.asarray(quad, np.float32)
    to_picture = cv2.getPerspectiveTransform(_UNIT_TILE, corners)
    moved = _UNIT_TILE + np.clip(np.asarray(offsets, np.float32).reshape(4, 2), -most, most)
    return np.asarray(cv2.perspectiveTransform(moved[:, None], to_picture)[:, 0], np.float64)
