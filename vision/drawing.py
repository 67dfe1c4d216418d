"""A picture with its reading drawn in, for people to look at."""

from __future__ import annotations

import cv2
import numpy as np

from vision.frame import Image
from vision.reading import PictureReading, Quad, TileReading

Colour = tuple[int, int, int]

SURE: Colour = (96, 200, 60)
UNREADABLE: Colour = (0, 165, 255)
FACE_DOWN: Colour = (170, 170, 170)
MARKER: Colour = (230, 120, 220)
HUB: Colour = (240, 190, 60)
_INK: Colour = (20, 20, 20)
_SHIFT = 4
"""cv2 draws at sixteenths of a pixel."""


def draw(image: Image, reading: PictureReading) -> Image:
    """A copy of the picture: every tile outlined, each value written over its own half, "?" where it is unreadable."""
    out = image.copy()
    scale = max(1.0, max(reading.size_wh) / 1400)
    for marker in reading.markers:
        _outline(out, marker.quad_px, MARKER, scale)
    if reading.hub is not None:
        _outline(out, reading.hub.quad_px, HUB, scale)
        _label(out, "hub", reading.hub.quad_px.mean(0), HUB, 0.6 * scale)
    for tile in reading.tiles:
        _tile(out, tile, scale)
    return out


def _tile(out: Image, tile: TileReading, scale: float) -> None:
    colour = FACE_DOWN if tile.halves is None else SURE if tile.values is not None else UNREADABLE
    _outline(out, tile.quad_px, colour, scale)
    q = tile.quad_px
    length = float(np.linalg.norm(q[1] - q[2] + q[0] - q[3]) / 2)
    if tile.halves is None:
        return
    inwards = (q[2] + q[3] - q[0] - q[1]) / 2
    for half, reading in enumerate(tile.halves):
        ends = q[[0, 1]] if half == 0 else q[[2, 3]]
        at = ends.mean(0) + inwards * (0.03 if half == 0 else -0.03)
        text = "?" if reading.value is None else str(reading.value)
        _label(out, text, at, SURE if reading.value is not None else UNREADABLE, min(length / 190, 2.0 * scale))


def _outline(out: Image, quad: Quad, colour: Colour, scale: float) -> None:
    points = np.round(np.asarray(quad, np.float64) * (1 << _SHIFT)).astype(np.int32)[:, None]
    cv2.polylines(out, [points], True, _INK, round(4 * scale), cv2.LINE_AA, _SHIFT)
    cv2.polylines(out, [points], True, colour, round(2 * scale), cv2.LINE_AA, _SHIFT)


def _label(out: Image, text: str, at: Quad, colour: Colour, size: float) -> None:
    """Text on a filled disc (wider for two figures), centred at a point."""
    size = max(size, 0.3)
    thick = max(1, round(size * 2))
    (w, h), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, size, thick)
    x, y = round(float(at[0])), round(float(at[1]))
    disc = round(max(w, h) * 0.5 + 5 * size), round(h * 0.5 + 6 * size)
    cv2.ellipse(out, (x, y), disc, 0, 0, 360, colour, -1, cv2.LINE_AA)
    cv2.putText(out, text, (x - w // 2, y + h // 2), cv2.FONT_HERSHEY_DUPLEX, size, _INK, thick, cv2.LINE_AA)
