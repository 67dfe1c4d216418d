"""A second look at a photograph that leans: straightened, so that its tiles are of one shape, and what both looks tell.

The finder draws rotated rectangles and was shown few tiles from aside; a tile on a lean is no rectangle. Where the sure
tiles of the first look tell how the camera leans, the picture is warped until they are rectangles of one size. Where
too few are sure, but some lie there unread, it is stretched once as if it leant away, as most hand-held pictures do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detections import Detections
from vision.frame import Image, Levels, level
from vision.packing import shared_areas
from vision.reading import HalfReading, TileReading
from vision.rectify import half_corners, seen_through
from vision.rotated import sides
from vision.tile_shape import TileShape, shape_of_sure

Floats = NDArray[np.float64]
Read = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""(n, 4, 2) outlines in the picture as it was -> (n, 2, 19) how probable each value of their halves is."""

LEANS_DEG = (20.0, 72.0)
"""A picture that leans less shows rectangles, one that leans more hides tiles behind each other."""
STRETCHED = 1.7
"""How much higher a picture is made of whose lean too few tiles tell: as of some 54 degrees."""
LEAST_DEPTH = 0.45
"""Of that at the middle of the tiles: where the far end of the picture would be flattened further, it is not."""
SHARPEST_PX = 110.0
"""How long a tile in the straightened picture is at most: the reader wants 96 px."""
SAME_TILE, ACROSS = 0.5, 0.25
"""Outlines of two looks are of one tile from this intersection over union on; an outline that covers more than the
second part of each of two tiles of the other look lies across them.
bench.gates, two looks: across tiles of the other: photographs 0/+2/+1, toys +2/0/0, racks +1/+8/+4, traced 0/+1/0,
tables -."""
SURELY = 0.97
"""A tile that only the second look claims is read again within its outline in the picture as it was, and counts if both
readings agree this surely.
bench.gates, two looks: read again as surely: photographs 0/+1/0, toys 0/+2/0, racks +5/+4/+1, traced 0/0/0, tables
-."""
ADDED = 0.6
"""A tile with one half read by the second look alone and the other by neither is reported from this confidence on: on
the labelled photographs six, all of them tiles, and none in a picture whose every tile is listed."""
OLD, NEW = (False, False), (True, True)
"""Which halves only the second look reads."""


@dataclass(frozen=True, slots=True, eq=False)
class Straightened:
    """A picture straightened for a second look."""

    way: Floats
    """(3, 3): takes a pixel of the picture to its place in the straightened one."""
    size_wh: tuple[int, int]
    """Pixels of the straightened picture."""
    tile_px: float | None
    """About how long a tile is in it; None where too few tell."""

    def of(self, levels: Levels) -> Image:
        """The picture, straightened."""
        shrinks = 1 / np.sqrt(abs(np.linalg.det(self.way[:2, :2])))
        source, divided = level(levels, shrinks)
        way = self.way @ np.diag([divided, divided, 1.0])
        return np.asarray(cv2.warpPerspective(source, way, self.size_wh, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    def there(self, things: Detections) -> Detections:
        """Things of the picture where they lie in the straightened one."""
        return replace(things, quads_px=seen_through(things.quads_px, self.way)) if len(things) else things

    def back(self, tile: TileReading) -> TileReading:
        """A tile of the straightened picture where it lies in the picture."""
        way = np.asarray(np.linalg.inv(self.way), np.float64)
        return replace(tile, quad_px=seen_through(tile.quad_px[None], way)[0])


def straightened(tiles: Sequence[TileReading], size_wh: tuple[int, int]) -> Straightened | None:
    """How a picture of that size is straightened by the tiles read in it; None where there is nothing to straighten.

    bench.gates, two looks: photographs -44/-1/0, toys -15/0/0, racks +1/+4/+2, traced -5/0/0, tables -.
    """
    shape = shape_of_sure(tiles)
    if shape is not None and not LEANS_DEG[0] <= shape.lean_deg <= LEANS_DEG[1]:
        return None
    way = np.eye(3)
    if shape is not None:
        squares, directions = np.linalg.eigh(shape.metric)
        long_px = 1 / np.sqrt(squares[0])
        way[:2, :2] = directions @ np.diag(np.sqrt(squares)) @ directions.T * long_px
        way[2, :2] = -_falls(shape, size_wh)
        way[:, 2] -= way[:, :2] @ shape.middle
    elif any(tile.values is None for tile in tiles):
        way[1, 1] = STRETCHED
        lying = _outlines(tiles) * np.array([1.0, STRETCHED], np.float32)
        long_px = float(np.median(np.maximum(*sides(lying))))
    else:
        return None
    corners = np.array([[[0, 0], [size_wh[0], 0], size_wh, [0, size_wh[1]]]], np.float64)
    rim = cv2.perspectiveTransform(corners, way)[0]
    scale = min(1.0, SHARPEST_PX / long_px)
    placed = np.diag([scale, scale, 1.0])
    placed[:2, 2] = -scale * rim.min(0)
    wide, high = np.ceil(scale * np.ptp(rim, axis=0)).astype(int)
    return Straightened(placed @ way, (int(wide), int(high)), None if shape is None else scale * long_px)


def _falls(shape: TileShape, size_wh: tuple[int, int]) -> Floats:
    """(2,) by how much what lies one pixel further is nearer. Lengths across the lean grow with nearness, those along
    it with its square."""
    falls = 2 / 3 * shape.gradient
    corners = np.array([[0, 0], [size_wh[0], 0], size_wh, [0, size_wh[1]]], np.float64)
    most = ((corners - shape.middle) @ falls).max()
    return np.asarray(falls * min(1.0, (1 - LEAST_DEPTH) / max(most, 1e-9)), np.float64)


def merged(first: Sequence[TileReading], second: Sequence[TileReading], read: Read) -> list[TileReading]:
    """Combine two looks at one picture. Halves that both read alike, or that one reads, stand; where they disagree, a
    half is unread. An outline across two tiles of the other look goes; of two that share a place the better read one
    stays. Claims of the second look alone are checked by `read`.

    Of 1,145 halves on photographs the outlines across save two wrong ones and asking again one, of 300 on traced tables
    they cost two right ones and one (`bench.gates`).
    """
    common = shared_areas(_outlines([*first, *second]))
    sizes, common = np.diag(common), common[: len(first), len(first) :]
    size_1, size_2 = sizes[: len(first), None], sizes[None, len(first) :]
    pairs = dict(_pairs(common / (size_1 + size_2 - common)))
    across_1, across_2 = (common > ACROSS * size_2).sum(1) > 1, (common > ACROSS * size_1).sum(0) > 1
    out = [tile for n, tile in enumerate(first) if n not in pairs and not across_1[n]]
    told = [_both(first[n], second[m]) for n, m in pairs.items()]
    told += [(tile, NEW) for m, tile in enumerate(second) if m not in pairs.values() and not across_2[m]]
    out += [tile for tile, new in told[: len(pairs)] if not any(new) or tile.halves is None]
    asked = [n for n, (tile, new) in enumerate(told) if any(new) and tile.halves is not None]
    again = read(_outlines([told[n][0] for n in asked])) if asked else ()
    sure = [_where_sure(*told[n], p) for n, p in zip(asked, again, strict=True)]
    out += [tile for n, tile in zip(asked, sure, strict=True) if n < len(pairs) or _is_there(tile)]
    out.sort(key=_clearly, reverse=True)
    common = shared_areas(_outlines(out))
    sizes, kept = np.diag(common), list[int]()
    for n in range(len(out)):
        if (common[n, kept] <= ACROSS * np.minimum(sizes[n], sizes[kept])).all():
            kept.append(n)
    return [out[n] for n in kept]


def _outlines(tiles: Sequence[TileReading]) -> NDArray[np.float32]:
    return np.array([tile.quad_px for tile in tiles], np.float32).reshape(-1, 4, 2)


def _pairs(alike: Floats) -> list[tuple[int, int]]:
    """(n, m) intersections over unions -> which are of one tile, each once, the most alike first."""
    found: list[tuple[int, int]] = []
    for n, m in zip(*np.unravel_index(np.argsort(-alike, axis=None), alike.shape), strict=True):
        if alike[n, m] < SAME_TILE:
            break
        if all(n != a and m != b for a, b in found):
            found.append((int(n), int(m)))
    return found


def _both(one: TileReading, other: TileReading) -> tuple[TileReading, tuple[bool, bool]]:
    """One tile from two looks, and which halves only the second reads."""
    if one.halves is None or other.halves is None:
        return (one, OLD) if one.halves is not None or other.values is None else (other, NEW)
    ends = [half_corners(tile.quad_px, 0).mean(0) for tile in (one, other)]
    turned = np.linalg.norm(ends[0] - ends[1]) > np.linalg.norm(half_corners(other.quad_px, 1).mean(0) - ends[0])
    halves = one.halves[::-1] if turned else one.halves
    a, b = (_either(*two) for two in zip(halves, other.halves, strict=True))
    new = tuple(mine.value is None and its.value is not None for mine, its in zip(halves, other.halves, strict=True))
    return replace(other, halves=(a, b), confidence=max(one.confidence, other.confidence)), (new[0], new[1])


def _either(one: HalfReading, other: HalfReading) -> HalfReading:
    if one.value is not None and other.value is not None and one.value != other.value:
        return HalfReading(None, 0.0, ((one.value, one.p), (other.value, other.p)))
    return max(one, other, key=lambda half: (half.value is not None, half.p, half.others))


def _where_sure(tile: TileReading, new: tuple[bool, bool], p: NDArray[np.float32]) -> TileReading:
    """The tile with halves unread that only the second look reads and that are not read as surely again, (2, 19)."""
    a, b = (
        half if half.value is None or not fresh or min(half.p, again[half.value]) >= SURELY else _left_open(again)
        for half, fresh, again in zip(tile.halves or (), new, p, strict=True)
    )
    return replace(tile, halves=(a, b))


def _left_open(p: NDArray[np.float32]) -> HalfReading:
    """(19,) what an unread half may be, likeliest first."""
    likely = tuple((int(v), round(float(p[v]), 4)) for v in np.argsort(-p)[:4])
    return HalfReading(None, likely[0][1], likely)


def _is_there(tile: TileReading) -> bool:
    """Whether to report a tile that only the second look finds: one with a half read, and found surely where the other
    is not.

    bench.gates, two looks: a half of a new tile: photographs 0/0/0, toys +1/0/0, racks 0/0/+1, traced +1/0/+2, tables
    -.
    """
    read = sum(half.value is not None for half in tile.halves or ())
    return read == 2 or (read == 1 and tile.confidence >= ADDED)


def _clearly(tile: TileReading) -> tuple[int, float]:
    read = [half.p for half in tile.halves or () if half.value is not None]
    return len(read), min(read, default=tile.confidence)
