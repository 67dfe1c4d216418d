"""Stamping pips and numerals into a layer that is then laid over the blank face of a tile."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Image_
from PIL import ImageDraw, ImageFont

from datasets.render.colour import Rgb
from datasets.render.styles import TYPESET, Lettering, Pips

F = np.float32
Image = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Pip:
    """A pip at (u, v) mm from the layer's corner; `colour` None is a dimple that was never painted."""

    u: float
    v: float
    radius: float
    colour: Rgb | None


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """`paint` (h, w) coverage, `colour` (h, w, 3) or (3,), `relief` (h, w, 3): slopes u and v and ambient openness."""

    paint: Image
    colour: Image
    relief: Image

    @property
    def width(self) -> int:
        return self.paint.shape[1]

    @property
    def height(self) -> int:
        return self.paint.shape[0]

    def mirrored(self) -> Layer:
        """Left and right of the tile swapped (its ends stay)."""
        relief = self.relief[::-1] * np.array([1, -1, 1], F)
        return Layer(self.paint[::-1], self.colour[::-1] if self.colour.ndim == 3 else self.colour, relief)

    def turned(self) -> Layer:
        """Half a turn, for the tile's other half."""
        relief = self.relief[::-1, ::-1] * np.array([-1, -1, 1], F)
        colour = self.colour[::-1, ::-1] if self.colour.ndim == 3 else self.colour
        return Layer(self.paint[::-1, ::-1], colour, relief)

    def apply(self, albedo: Image, relief: Image, x0: int, y0: int, gloss: float) -> None:
        at = (slice(y0, y0 + self.height), slice(x0, x0 + self.width))
        ground = albedo[at][..., :3]
        ground += (self.colour - ground) * (self.paint * F(0.97))[..., None]
        shape = relief[at]
        shape[..., :2] += self.relief[..., :2]
        shape[..., 3] *= self.relief[..., 2]
        shape[..., 2] *= 1 + F(gloss - 1) * self.paint


def dotted(mark: Pip, by_hand: float, rng: np.random.Generator) -> list[Pip]:
    """The pip as somebody dots it with a pen: off its place, larger or smaller, and no circle."""
    at = np.array([mark.u, mark.v]) + rng.normal(0, by_hand * mark.radius, 2)
    radius = mark.radius * math.exp(rng.normal(0, by_hand / 2))
    blots = [Pip(float(at[0]), float(at[1]), radius * 0.85, mark.colour)]
    for _ in range(3):
        u, v = at + rng.normal(0, by_hand * radius, 2)
        blots.append(Pip(float(u), float(v), radius * rng.uniform(0.4, 0.8), mark.colour))
    return blots


def stamp(marks: list[Pip], width_mm: float, height_mm: float, px_per_mm: float, pips: Pips) -> Layer:
    """All marks of one half (or of a whole Chinese tile), `width_mm` along the tile."""
    w, h = round(width_mm * px_per_mm), round(height_mm * px_per_mm)
    paint = np.zeros((h, w), F)
    relief = np.zeros((h, w, 3), F)
    relief[..., 2] = 1
    inks = {tuple(m.colour.tolist()) for m in marks if m.colour is not None}
    colour = np.zeros((h, w, 3), F) if len(inks) > 1 else np.array(inks.pop() if inks else (0, 0, 0), F)
    for mark in marks:
        _stamp_one(mark, paint, relief, colour, px_per_mm, pips)
    return Layer(paint, colour, relief)


def _stamp_one(mark: Pip, paint: Image, relief: Image, colour: Image, px_per_mm: float, pips: Pips) -> None:
    h, w = paint.shape
    cx, cy = mark.u * px_per_mm, mark.v * px_per_mm
    radius = max(mark.radius, 0.7 / px_per_mm)
    reach = radius * px_per_mm * 1.05 + 2
    x0, x1 = max(int(cx - reach), 0), min(int(cx + reach) + 2, w)
    y0, y1 = max(int(cy - reach), 0), min(int(cy + reach) + 2, h)
    if x1 <= x0 or y1 <= y0:
        return
    at = (slice(y0, y1), slice(x0, x1))
    du = ((np.arange(x0, x1, dtype=F) + 0.5 - F(cx)) / F(px_per_mm))[None, :]
    dv = ((np.arange(y0, y1, dtype=F) + 0.5 - F(cy)) / F(px_per_mm))[:, None]
    distance = np.sqrt(du * du + dv * dv)
    cover = np.clip(0.5 - (distance - radius) * px_per_mm, 0, 1)
    if mark.colour is not None:
        shifted = np.sqrt((du - pips.paint_offset * radius) ** 2 + dv * dv)
        painted = np.clip(0.5 - (shifted - radius * pips.paint_share) * px_per_mm, 0, 1)
        if colour.ndim == 3:
            colour[at][painted > paint[at]] = mark.colour
        paint[at] = np.maximum(paint[at], painted)
    q = np.clip(distance / radius, 0, 1.2)
    outward, open_ = relief[at][..., :2], relief[at][..., 2]
    made = "dome" if pips.painted_dome and mark.colour is not None else pips.relief
    if made == "dimple":
        slope = pips.slope * q * cover
        # paint fills a dimple and brightens it; an empty one is a dark hole
        open_ *= 1 - cover * ((0.30 if mark.colour is not None else 0.5) * np.maximum(1 - q * q, 0) + 0.08)
    elif made == "flat":
        slope = pips.slope * 1.5 * np.clip((q - 0.72) / 0.2, 0, 1) * cover
        open_ *= 1 - cover * (0.12 + 0.22 * np.clip((q - 0.6) / 0.4, 0, 1))
    elif made == "dome":
        slope = -pips.slope * 0.8 * q * cover
    else:
        slope = 0 * cover
    unit = slope / np.maximum(distance, 1e-3)
    outward[..., 0] += unit * du
    outward[..., 1] += unit * dv
    if pips.drill_mark and made in ("dimple", "flat"):
        tip = np.clip(0.5 - (distance - radius * pips.drill_mark) * px_per_mm, 0, 1)
        open_ *= 1 - 0.45 * tip
    if pips.rim:
        edge = np.clip(1 - np.abs(distance - radius * 0.93) / max(radius * 0.16, 0.6 / px_per_mm), 0, 1)
        open_ *= 1 - pips.rim * edge * (cover > 0)


def numeral(
    value: int, width_mm: float, height_mm: float, px_per_mm: float, colour: Rgb, lettering: Lettering
) -> Layer:
    """A printed number, upright when the tile stands on end with this half at the top."""
    w, h = round(width_mm * px_per_mm), round(height_mm * px_per_mm)
    upright = np.zeros((w, h), np.uint8)
    if value:
        text = str(value)
        tall = lettering.height * min(w, h)
        thick = max(1, round(lettering.weight * tall))
        drawn = _written(text, lettering.font, tall, thick)
        if lettering.underlined and value in (6, 9):
            bar = np.full((max(1, round(tall * 0.1)), drawn.shape[1]), 255, np.uint8)
            drawn = np.vstack([drawn, np.zeros_like(bar), bar])
        wide = min(drawn.shape[1] * lettering.narrow, 0.92 * h)
        high = min(drawn.shape[0], int(0.92 * w))
        drawn = np.asarray(cv2.resize(drawn, (max(1, round(wide)), high), interpolation=cv2.INTER_AREA))
        y, x = (w - drawn.shape[0]) // 2, (h - drawn.shape[1]) // 2
        upright[y : y + drawn.shape[0], x : x + drawn.shape[1]] = drawn
    paint = cv2.rotate(upright, cv2.ROTATE_90_COUNTERCLOCKWISE).astype(F) / 255
    relief = np.zeros((h, w, 3), F)
    relief[..., 2] = 1
    return Layer(paint, np.asarray(colour, F), relief)


def _written(text: str, font: int, tall: float, thick: int) -> NDArray[np.uint8]:
    """White on black, cropped to the ink, `tall` pixels high whatever the font's own measure."""
    if font == TYPESET:
        return _typeset(text, tall, thick)
    scale = tall / 22.0
    (w, h), below = cv2.getTextSize(text, font, scale, thick)
    room = np.zeros((h + below + 4 * thick, w + 4 * thick), np.uint8)
    cv2.putText(room, text, (2 * thick, h + 2 * thick), font, scale, 255, thick, cv2.LINE_AA)
    x, y, w, h = cv2.boundingRect(room)
    return room[y : y + h, x : x + w]


def _typeset(text: str, tall: float, thick: int) -> NDArray[np.uint8]:
    """The same in Pillow's own typeface, as heavy as `thick` makes it beyond its own strokes."""
    size = max(8, round(tall * 1.4))
    room = Image_.new("L", (size * (1 + len(text)), 2 * size))
    letters = ImageFont.load_default(size)
    ImageDraw.Draw(room).text((size // 2, size // 3), text, 255, letters, stroke_width=max(0, thick // 2 - size // 24))
    drawn = np.asarray(room, np.uint8)
    x, y, w, h = cv2.boundingRect(drawn)
    return drawn[y : y + h, x : x + w]
