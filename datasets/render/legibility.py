"""How well the pips of a half can be told from the tile in a finished picture.

A label says which value was printed; glare, blur and darkness may leave nothing of it. This measure tells halves that a
careful eye could read from those that only the renderer knows.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.camera import Array
from datasets.render.pips import chinese, western
from datasets.render.styles import TileStyle

F = np.float32
_RING = np.stack([np.cos(np.arange(8) * np.pi / 4 + 0.39), np.sin(np.arange(8) * np.pi / 4 + 0.39)], 1)


def half_contrast(image: NDArray[np.uint8], quad: Array, style: TileStyle, values: tuple[int, int]) -> list[int]:
    """For both halves of a tile with corners `quad` (pixels): how far its fainter pips stand out, 0..255.

    A pip's contrast is the largest difference over the colour channels between its middle and the ground around it, no
    farther than halfway to the next pip, or a place halfway to a neighbour by itself where that differs less: blur that
    runs pips together counts, and so does a smear along a row or a column. The fifth faintest of ten decides. In a
    blank half it is the room that is left before the ground burns out or drowns, or the other half's contrast where
    that is larger: where pips would show and none do, none are there. Numerals are measured by their range.
    """
    body = style.body
    corners = np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]], F) * np.array([body.length / 2, body.width / 2], F)
    a, b = quad[1] - quad[0], quad[2] - quad[1]
    to_px = cv2.getPerspectiveTransform(corners if a[0] * b[1] - a[1] * b[0] < 0 else corners[[1, 0, 3, 2]], F(quad))
    out = []
    for half in (0, 1):
        if style.pips.numerals and values[half]:
            out.append(_range(image, to_px, style, half))
        elif values[half] == 0:
            out.append(_headroom(image, to_px, style, half))
        else:
            out.append(max(_stands_out(image, to_px, p, r) for p, r in pip_places(style, values, half)))
    for half in (0, 1):
        if values[half] == 0 and values[1 - half] != 0:
            out[half] = max(out)
    return out


def pip_places(style: TileStyle, values: tuple[int, int], half: int) -> list[tuple[Array, float]]:
    """Places (n, 2) mm and radius of a half's pips; a 2 or 3 may be printed either way round."""
    body, pips = style.body, style.pips
    if style.family == "chinese":
        reach = np.array([body.length / 2, body.width / 2])
        side = 1 if half else -1
        every = chinese(*values, style.chinese)
        own = [(u, v) for u, v, _, _ in every if u * side >= -1e-9]
        return [(np.array(own) * reach, pips.radius)]
    spread = np.array([pips.along, pips.across]) * ((1.1, 1.08) if values[half] >= 10 else (1.0, 1.0))
    places = np.array(western(values[half], style.maker)).reshape(-1, 2) * spread - [body.length / 4, 0]
    if half:
        places = -places
    mirrored = places * [1, -1]
    return [(places, pips.radius), (mirrored, pips.radius)] if values[half] in (2, 3) else [(places, pips.radius)]


def _sample(image: NDArray[np.uint8], to_px: Array, points: Array) -> NDArray[np.float32]:
    """Colours (n, 3) at points in tile mm; black outside the picture."""
    q = cv2.perspectiveTransform(points[None].astype(F), to_px.astype(F))[0] - F(0.5)
    found = cv2.remap(image, q[:, None, :1], q[:, None, 1:], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return found[:, 0].astype(F)


def _stands_out(image: NDArray[np.uint8], to_px: Array, places: Array, radius: float) -> int:
    beside = np.full(len(places), radius * 1.7)
    if len(places) > 1:
        apart = np.linalg.norm(places[:, None] - places[None], axis=2) + np.eye(len(places)) * 1e3
        beside = np.minimum(beside, apart.min(1) / 2)
    ring = places[:, None] + _RING[None] * beside[:, None, None]
    middle = _sample(image, to_px, places)
    around = np.median(_sample(image, to_px, ring.reshape(-1, 2)).reshape(len(places), 8, 3), axis=1)
    out = np.abs(middle - around).max(1)
    if len(places) > 1:
        one, halfway = _halfway(places)
        np.minimum.at(out, one, np.abs(middle[one] - _sample(image, to_px, halfway)).max(1))
    return int(np.percentile(out, 40))


def _halfway(places: Array) -> tuple[NDArray[np.intp], Array]:
    """Which pip, and the place halfway to a neighbour of it, for every pip (n, 2) and every neighbour.

    Neighbours are those of the Gabriel graph: no third pip within the circle that has the two as its diameter.
    """
    middles = (places[:, None] + places[None]) / 2
    reach = np.linalg.norm(places[:, None] - places[None], axis=2) / 2
    free = np.linalg.norm(middles[:, :, None] - places, axis=3).min(2) >= reach * 0.99
    one, other = np.nonzero(free & (reach > 0))
    return one, middles[one, other]


def _grid(style: TileStyle, half: int) -> Array:
    u = np.linspace(0.1, 0.4, 6) * style.body.length * (1 if half else -1)
    v = np.linspace(-0.38, 0.38, 7) * style.body.width
    return np.stack(np.meshgrid(u, v), -1).reshape(-1, 2)


def _headroom(image: NDArray[np.uint8], to_px: Array, style: TileStyle, half: int) -> int:
    ground = np.median(_sample(image, to_px, _grid(style, half)), axis=0)
    return int(max(0.0, min(255 - ground.min(), ground.max())))


def _range(image: NDArray[np.uint8], to_px: Array, style: TileStyle, half: int) -> int:
    low, high = np.percentile(_sample(image, to_px, _grid(style, half)), (5, 95), axis=0)
    return int((high - low).max())
