"""The painted faces and backs of tiles as textures (albedo and relief).

A texture's x axis runs along the tile: half 0 of a tile is at its left.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.camera import distance_to_rounded
from datasets.render.gbuffer import Texture
from datasets.render.pips import chinese, western
from datasets.render.printing import Layer, Pip, dotted, numeral, stamp
from datasets.render.styles import Specks, TileStyle

F = np.float32
Image = NDArray[np.float32]
_PAD = 2
_SPECK_MM, _SCRATCH_MM = 0.4, 0.2


@dataclass(slots=True, eq=False)
class FaceMaker:
    """Makes and keeps the textures of one style at one resolution (px per mm)."""

    style: TileStyle
    px_per_mm: float
    rng: np.random.Generator
    _base: dict[bool, tuple[Image, Image]] = field(default_factory=dict)
    _layers: dict[tuple[int, int], Layer] = field(default_factory=dict)
    _stains: Image = field(init=False)
    _grain: Image | None = field(init=False)

    def __post_init__(self) -> None:
        n = 512 if self.px_per_mm > 2 else 256
        stains = np.zeros((n, n), F)
        for cells, weight in ((4, 1.0), (12, 0.6), (40, 0.35), (128, 0.25)):
            layer = self.rng.standard_normal((cells, cells), np.float32)
            stains += F(weight) * cv2.resize(layer, (n, n), interpolation=cv2.INTER_LINEAR)
        self._stains = stains / F(1.3)
        self._grain = None
        if self.style.body.grained:
            self._grain = np.zeros((n, n), F)
            for cells, weight in ((20, 0.7), (60, 0.6), (200, 0.4)):
                layer = self.rng.standard_normal((cells, max(2, cells // 14)), np.float32)
                self._grain += F(weight) * cv2.resize(layer, (n, n), interpolation=cv2.INTER_CUBIC)

    def face(self, first: int, second: int, rng: np.random.Generator) -> Texture:
        """A face-up tile; `rng` draws this tile's own stains and shade."""
        albedo, relief = self._blank(False, rng)
        h, w = albedo.shape[:2]
        if self.style.family == "chinese":
            layer = self._layer((first, second))
            layer.apply(albedo, relief, (w - layer.width) // 2, (h - layer.height) // 2, self.style.pips.gloss)
        else:
            for side, value in ((0, first), (1, second)):
                if value == 0 and not self.style.pips.moulded:
                    continue
                layer = self._half_layer(value, rng) if self.style.pips.by_hand else self._layer((value, -1))
                if value in (2, 3) and rng.random() < 0.25 and not self.style.pips.numerals:
                    layer = layer.mirrored()
                layer = layer.turned() if side else layer
                x0 = w - _PAD - layer.width if side else _PAD
                layer.apply(albedo, relief, x0, (h - layer.height) // 2, self.style.pips.gloss)
        return Texture(albedo, relief, self.px_per_mm)

    def back(self, rng: np.random.Generator) -> Texture:
        albedo, relief = self._blank(True, rng)
        return Texture(albedo, relief, self.px_per_mm)

    def _blank(self, back: bool, rng: np.random.Generator) -> tuple[Image, Image]:
        if back not in self._base:
            self._base[back] = _blank_face(self.style, self.px_per_mm, back)
        albedo, relief = (a.copy() for a in self._base[back])
        h, w = albedo.shape[:2]
        body = self.style.body
        stains = self._cut(self._stains, h, w, rng)
        gain = 1 + F(body.dirt) * np.minimum(stains, 0.4)
        if body.swirl:
            gain += F(body.swirl) * np.abs(np.sin(stains * 3))
        if self._grain is not None:
            gain *= 1 + 0.11 * self._cut(self._grain, h, w, rng)
        gain *= 1 + rng.normal(0, body.tile_spread)
        albedo[..., :3] *= np.clip(gain, 0.3, 1.6)[..., None]
        if body.film:
            thick = np.clip(0.6 + 0.5 * self._cut(self._stains, h, w, rng), 0, 1.5)
            albedo[..., :3] += F(body.film) * thick[..., None]
        if body.speckled:
            albedo[..., :3] *= (1 - 0.5 * _specks(h, w, self.px_per_mm, rng))[..., None]
        if body.specks is not None:
            _strew(albedo, body.specks, self.px_per_mm, rng)
        if body.scratches:
            _scratch(albedo, self.px_per_mm, rng, body.scratches, light=body.dark)
        return albedo, relief

    def _cut(self, field_: Image, h: int, w: int, rng: np.random.Generator) -> Image:
        n, zoom = field_.shape[0], rng.uniform(1.0, 2.5) * self.px_per_mm
        ch, cw = min(n, max(8, int(h * 6 / zoom))), min(n, max(8, int(w * 6 / zoom)))
        y, x = rng.integers(0, n - ch + 1), rng.integers(0, n - cw + 1)
        return cv2.resize(field_[y : y + ch, x : x + cw], (w, h), interpolation=cv2.INTER_LINEAR)

    def _layer(self, key: tuple[int, int]) -> Layer:
        if key not in self._layers:
            if self.style.family == "chinese":
                self._layers[key] = self._chinese_layer(*key)
            else:
                self._layers[key] = self._half_layer(key[0])
        return self._layers[key]

    def _half_layer(self, value: int, rng: np.random.Generator | None = None) -> Layer:
        """The print of one half with its outer end at the left; where pips are dotted by hand, as `rng` dots them."""
        body, pips = self.style.body, self.style.pips
        if pips.numerals:
            ink = pips.palette[value]
            return numeral(value, body.length / 2, body.width, self.px_per_mm, ink, pips.lettering)
        spread = np.array([pips.along, pips.across])
        if value >= 10:  # denser patterns reach a little further out
            spread = spread * (1.1, 1.08)
        middle = np.array([body.length / 4, body.width / 2])
        places = np.array(western(value, self.style.maker)).reshape(-1, 2) * spread
        radius = pips.radius
        if len(places) > 1:
            apart = np.linalg.norm(places[:, None] - places[None], axis=2) + np.eye(len(places)) * 1e3
            radius = min(radius, float(apart.min()) * 0.42)
        marks = [Pip(*(middle + p), radius, pips.palette[value]) for p in places]
        if rng is not None:
            marks = [blot for mark in marks for blot in dotted(mark, pips.by_hand, rng)]
        if pips.moulded:
            taken = {(round(float(p[0]), 3), round(float(p[1]), 3)) for p in places}
            for a in (-1, 0, 1):
                for b in (-1, 0, 1):
                    p = np.array([a, b]) * spread
                    if (round(float(p[0]), 3), round(float(p[1]), 3)) not in taken:
                        marks.append(Pip(*(middle + p), radius, None))
        return stamp(marks, body.length / 2, body.width, self.px_per_mm, pips)

    def _chinese_layer(self, first: int, second: int) -> Layer:
        body, pips = self.style.body, self.style.pips
        places = chinese(first, second, self.style.chinese)
        reach = np.array([body.length / 2, body.width / 2])
        at = np.array([[a, b] for a, b, _, _ in places]) * reach
        apart = np.linalg.norm(at[:, None] - at[None], axis=2) + np.eye(len(at)) * 1e3
        radius = min(pips.radius, float(apart.min()) * 0.47)
        marks = [
            Pip(*(reach + p), radius * scale, pips.red if red else pips.palette[1])
            for p, (_, _, red, scale) in zip(at, places, strict=True)
        ]
        return stamp(marks, body.length, body.width, self.px_per_mm, pips)


def _specks(h: int, w: int, px_per_mm: float, rng: np.random.Generator) -> Image:
    """Dark grains in the body, (h, w), 1 on a grain; far away they melt into the colour."""
    cells = [max(2, round(n / px_per_mm / _SPECK_MM)) for n in (h, w)]
    grains = (rng.random(cells) < 0.06).astype(F)
    shrink = cells[0] > h
    return cv2.resize(grains, (w, h), interpolation=cv2.INTER_AREA if shrink else cv2.INTER_LINEAR)


def _scratch(albedo: Image, px_per_mm: float, rng: np.random.Generator, mean: float, light: bool) -> None:
    """Fine scratches of use: pale on dark tiles, dark on pale ones; as wide in mm however far the camera is."""
    h, w = albedo.shape[:2]
    fine = max(1, round(2 / (_SCRATCH_MM * px_per_mm)))
    mask = np.zeros((h * fine, w * fine), np.uint8)
    for _ in range(int(rng.poisson(mean))):
        x, y, a = rng.uniform(0, w), rng.uniform(0, h), rng.uniform(0, np.pi)
        reach = rng.uniform(0.03, 0.3) * w
        ends = np.array([(x, y), (x + reach * np.cos(a), y + reach * np.sin(a))]) * fine
        thick = max(1, round(_SCRATCH_MM * rng.uniform(0.6, 1.6) * px_per_mm * fine))
        start, end = np.round(ends).astype(int).tolist()
        cv2.line(mask, start, end, int(rng.integers(40, 200)), thick, cv2.LINE_AA)
    if fine > 1:
        mask = np.asarray(cv2.resize(mask, (w, h), interpolation=cv2.INTER_AREA))
    share = mask.astype(F)[..., None] / 255
    albedo[..., :3] += ((F(0.35) if light else albedo[..., :3] * F(0.45)) - albedo[..., :3]) * share * F(0.6)


def _grid(length: float, width: float, px_per_mm: float) -> tuple[Image, Image]:
    w, h = round(length * px_per_mm) + 2 * _PAD, round(width * px_per_mm) + 2 * _PAD
    u = (np.arange(w, dtype=F) + 0.5 - w / 2) / F(px_per_mm)
    v = (np.arange(h, dtype=F) + 0.5 - h / 2) / F(px_per_mm)
    gu, gv = np.meshgrid(u, v)
    return gu, gv


def _blank_face(style: TileStyle, px_per_mm: float, back: bool) -> tuple[Image, Image]:
    """Body colour, bevel, divider and pin, or the print of the back; no pips, no stains."""
    body = style.body
    u, v = _grid(body.length, body.width, px_per_mm)
    distance, gu, gv = distance_to_rounded(u, v, body.length / 2, body.width / 2, min(body.corner, body.width * 0.45))
    albedo = np.empty((*u.shape, 4), F)
    relief = np.zeros((*u.shape, 4), F)
    albedo[..., :3] = body.back_colour if back else body.colour
    albedo[..., 3] = np.clip(0.5 - distance * px_per_mm, 0, 1)
    bevel = max(body.bevel, 0.8 / px_per_mm)
    t = np.clip((distance + bevel) / bevel, 0, 1)
    slope = body.bevel_slope * min(1.0, body.bevel * px_per_mm / 0.8)
    relief[..., 0] = -gu * t * slope
    relief[..., 1] = -gv * t * slope
    relief[..., 2] = body.gloss
    relief[..., 3] = 1 - 0.12 * t * t
    if back:
        _print_back(style, albedo, relief, u, v, px_per_mm)
    else:
        _print_divider(style, albedo, relief, u, v, px_per_mm)
        if body.framed:
            ring, _, _ = distance_to_rounded(u, v, body.length / 2 - 1.4, body.width / 2 - 1.4, body.corner * 0.7)
            line = np.clip(0.5 - (np.abs(ring) - 0.3) * px_per_mm, 0, 1)
            if style.pips.moulded:  # a raised rim
                relief[..., 3] *= 1 - 0.35 * line
            else:
                albedo[..., :3] += (style.divider.colour - albedo[..., :3]) * line[..., None]
    return albedo, relief


def _print_divider(style: TileStyle, albedo: Image, relief: Image, u: Image, v: Image, px_per_mm: float) -> None:
    divider, body = style.divider, style.body
    if divider.shown:
        half = max(divider.width, 0.6 / px_per_mm) / 2
        bar = np.clip(0.5 - (np.abs(u) - half) * px_per_mm, 0, 1)
        bar *= np.clip(0.5 - (np.abs(v) - divider.length * body.width / 2) * px_per_mm, 0, 1)
        albedo[..., :3] += (divider.colour - albedo[..., :3]) * bar[..., None] * 0.95
        if divider.engraved:
            relief[..., 0] += bar * np.clip(u / half, -1, 1) * 0.9
            relief[..., 3] *= 1 - 0.3 * bar
    if divider.pin_radius:
        radius = np.hypot(u, v)
        pin = np.clip(0.5 - (radius - divider.pin_radius) * px_per_mm, 0, 1)
        albedo[..., :3] += (divider.pin_colour * 0.7 - albedo[..., :3]) * pin[..., None]
        dome = np.clip(radius / divider.pin_radius, 0, 1) * 0.6 * pin / np.maximum(radius, 1e-3)
        relief[..., 0] = relief[..., 0] * (1 - pin) - u * dome
        relief[..., 1] = relief[..., 1] * (1 - pin) - v * dome
        relief[..., 2] += (5.0 - relief[..., 2]) * pin
        ring = np.clip(0.5 - (np.abs(radius - divider.pin_radius) - 0.25) * px_per_mm, 0, 1)
        relief[..., 3] *= 1 - 0.35 * ring


_BRANDS = ("DOMINO", "STATION", "Mexican", "PRO 12", "CLUB", "TRAIN", "DOUBLE SIX")


def _print_back(style: TileStyle, albedo: Image, relief: Image, u: Image, v: Image, px_per_mm: float) -> None:
    """Embossed or printed logos, lines, frames and brand names."""
    body, pattern = style.body, style.body.back_pattern
    width, length = body.width, body.length
    h, w = u.shape
    if pattern == "plain":
        return
    if pattern == "frame":
        ring, _, _ = distance_to_rounded(u, v, length / 2 * 0.84, width / 2 * 0.72, width * 0.06)
        ink = np.clip(0.5 - (np.abs(ring) - 0.35) * px_per_mm, 0, 1)
    elif pattern == "lines":
        period = width * 0.16
        inside, _, _ = distance_to_rounded(u, v, length / 2 * 0.86, width / 2 * 0.76, width * 0.06)
        ink = np.zeros_like(u)
        for diagonal in (u + v, u - v):
            gap = np.abs((diagonal / period) % 1 - 0.5) * period
            ink = np.maximum(ink, np.clip(0.5 - (gap - period * 0.14) * px_per_mm, 0, 1) * (inside < 0))
    elif pattern == "text":
        ink8 = np.zeros((h, w), np.uint8)
        text = _BRANDS[int(length * 13) % len(_BRANDS)]
        scale, thick = w / (22.0 * len(text)), max(1, int(px_per_mm * 0.6))
        (tw, th), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, scale, thick)
        at = ((w - tw) // 2, (h + th) // 2)
        cv2.putText(ink8, text, at, cv2.FONT_HERSHEY_DUPLEX, scale, 255, thick, cv2.LINE_AA)
        ink = ink8.astype(F) / 255
    else:
        radius, around = np.hypot(u, v), np.arctan2(v, u)
        petals = 5 + int(length * 7) % 5
        rim = width * (0.3 if pattern == "logo" else 0.38) * (0.72 + 0.28 * np.cos(petals * around))
        ink = np.clip(0.5 - (np.abs(radius - rim) - 0.5) * px_per_mm, 0, 1)
        ink = np.maximum(ink, np.clip(0.5 - (radius - width * 0.1) * px_per_mm, 0, 1))
    if pattern == "emblem":  # embossed, without ink
        relief[..., 0] += cv2.Sobel(ink, cv2.CV_32F, 1, 0) * F(0.25)
        relief[..., 1] += cv2.Sobel(ink, cv2.CV_32F, 0, 1) * F(0.25)
        relief[..., 3] *= 1 - 0.15 * ink
        return
    base = body.back_colour
    colour = base * 0.45 if base.mean() > 0.12 else base * 2.5 + 0.04
    if style.pips.palette_name != "mono" and pattern in ("logo", "text"):
        colour = style.pips.palette[3]
    albedo[..., :3] += (colour - albedo[..., :3]) * ink[..., None] * 0.85
    relief[..., 3] *= 1 - 0.12 * ink


def _strew(albedo: Image, specks: Specks, px_per_mm: float, rng: np.random.Generator) -> None:
    """Blots of uneven shape and size all over the face, in place."""
    h, w = albedo.shape[:2]
    cell = max(1.0, specks.size * px_per_mm)
    grains = rng.normal(size=(int(h / cell) + 3, int(w / cell) + 3)).astype(F)
    field = cv2.resize(grains, (w, h), interpolation=cv2.INTER_CUBIC)
    cut = float(np.quantile(field, 1 - specks.share))
    soft = np.clip((field - cut) / 0.25 + 0.5, 0, 1) * F(specks.strength)
    albedo[..., :3] += (specks.colour - albedo[..., :3]) * soft[..., None]
