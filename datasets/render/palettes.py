"""Pip colours. Colour never gives a value away: palettes are shuffled, bent and made up, as makers differ."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.chance import aside, pick
from datasets.render.colour import Rgb, any_colour, from_hex, linear, luminance

F = np.float32
Palette = NDArray[np.float32]

DEEP = 0.15
"""The share of sets with light bodies whose ink, or whose many inks, are nearly black."""

# index = value; the first follows the common code for 1 to 12, the others are other makers' or made up
_CODES = (
    "#000000 #4fb3e8 #1f9a46 #d42027 #7a4a21 #1d3f9c #f2c618 #e86aa8 #0f7f78 #6a3390 #f0802a #a31f52 #77797c #8ec63f "
    "#00538a #b05a2a #c23ab0 #2c6e49 #444444",
    "#000000 #2aa0d8 #138a3c #c81e2b #6b3d1a #20318a #e8b400 #d9539c #12695f #56308a #ea6a1f #8a1a1a #2a2a2a #e6398b "
    "#0b9a6d #9a6a10 #4a4aa8 #a03030 #205020",
    "#000000 #d41f2b #1c8a3d #6f3fa8 #2aa5c8 #e0609f #d9851a #707070 #dcb410 #0d8f8f #2c40b8 #6b4214 #6f8f98 #b02060 "
    "#408020 #101010 #8040a0 #c06020 #2060a0",
    "#000000 #101010 #1658a8 #0e7a3a #c01a1a #7a2a8a #8a4a10 #0a7a8a #c87a10 #4a4a4a #b01a60 #2a8a10 #3a2a9a #a04020 "
    "#106060 #802020 #205080 #606010 #303030",
    "#000000 #18a0d0 #2fae44 #e0342c #b5651d #1f56c0 #f5a818 #d42f92 #16b3ac #6d36a6 #ff7f50 #8c2346 #8d9196 #b0c030 "
    "#1070a0 #a06030 #b050c0 #308060 #505050",
)


def make_palette(rng: np.random.Generator, body: Rgb, material: str, set_max: int) -> tuple[Palette, str]:
    """(19, 3) linear colours and "mono" or "colour"."""
    light = luminance(body)
    dark = light < 0.13
    later = aside(rng)
    if material == "moulded":
        return _mono(linear(np.array([0.9, 0.9, 0.87]) * rng.uniform(0.8, 1.05))), "mono"
    if material in ("colour", "pastel", "jade") and (dark or rng.random() < 0.85):
        return _mono(_on_coloured(rng, body, light)), "mono"
    if dark:
        if rng.random() < 0.72:
            gilt = rng.random() < 0.12
            ink = linear([0.85, 0.68, 0.25]) if gilt else linear(np.array([0.92, 0.92, 0.9]) * rng.uniform(0.82, 1.05))
            return _mono(ink), "mono"
    else:
        coloured = 0.28 if set_max <= 6 else 0.6 if set_max <= 9 else 0.86
        if rng.random() > coloured:
            ink = pick(
                rng,
                [np.array([0.06, 0.06, 0.065]) * rng.uniform(0.6, 2.2), (0.55, 0.07, 0.07), (0.08, 0.12, 0.42)],
                [0.78, 0.11, 0.11],
            )
            return _mono(linear(_deep_ink(later) if later.random() < DEEP else ink)), "mono"
    palette = _coloured(rng, dark)
    if not dark and later.random() < DEEP:
        palette = palette * F(later.uniform(0.1, 0.4))
    return _legible(palette, body, dark), "colour"


def _deep_ink(rng: np.random.Generator) -> Rgb:
    """(3,) sRGB of a dark ink with a little colour in it: oxblood more often than bottle green, ink blue, brown."""
    strong, weak = rng.uniform(0.2, 0.42), rng.uniform(0.02, 0.09, 3)
    where = pick(rng, [(0,), (1,), (2,), (0, 2)], [0.55, 0.15, 0.15, 0.15])
    ink = weak.astype(F)
    ink[list(where)] = strong
    return ink


def _legible(palette: Palette, body: Rgb, dark: bool) -> Palette:
    """Pips that nobody could tell from the body become darker (on dark bodies lighter); no maker sells such a set."""
    ground = np.sqrt(body)  # a square root is near enough to how differences are seen
    for i in range(len(palette)):
        for _ in range(8):
            if np.abs(np.sqrt(palette[i]) - ground).sum() > 0.55:
                break
            palette[i] = palette[i] * 1.5 + 0.03 if dark else palette[i] * 0.7
    return np.clip(palette, 0.003, 0.95).astype(np.float32)


def rare_palette(rng: np.random.Generator, body: Rgb, inks: int) -> Palette:
    """(19, 3) linear colours of any kind that can be told from the body: one for all values, or one for each."""
    palette = np.zeros((inks, 3), np.float32)
    ground = np.sqrt(body)
    for i in range(inks):
        for _ in range(40):
            palette[i] = any_colour(rng, (0, 255), (10, 255))
            if np.abs(np.sqrt(palette[i]) - ground).sum() > 0.5:
                break
        else:
            palette[i] = (0.01, 0.01, 0.01) if luminance(body) > 0.2 else (0.9, 0.9, 0.9)
    return np.clip(np.resize(palette, (19, 3)), 0.003, 0.95).astype(np.float32)


def _mono(ink: Rgb) -> Palette:
    return np.tile(np.clip(ink, 0.003, 0.95), (19, 1)).astype(np.float32)


def _on_coloured(rng: np.random.Generator, body: Rgb, light: float) -> Rgb:
    """One ink that stands out on coloured plastic: white, black, yellow, gold."""
    inks = [linear([0.95, 0.95, 0.93]), linear([0.05, 0.05, 0.05]), linear([0.95, 0.82, 0.1]), linear([0.8, 0.62, 0.2])]
    weights = [2.0 if light < 0.5 else 0.2, 1.6 if light > 0.2 else 0.0, 1.0, 0.5]
    apart = [float(np.abs(ink - body).sum()) > 0.55 for ink in inks]
    weights = [w if a else 0.0 for w, a in zip(weights, apart, strict=True)]
    return pick(rng, inks, weights) if sum(weights) else inks[0 if light < 0.35 else 1]


def _coloured(rng: np.random.Generator, on_dark: bool) -> Palette:
    colours = [from_hex(h) for h in _CODES[rng.integers(len(_CODES)) if rng.random() < 0.65 else 0].split()]
    if rng.random() < 0.35:
        colours = [colours[0], *(colours[i] for i in rng.permutation(np.arange(1, 19)))]
    saturation, value = rng.uniform(0.75, 1.15), rng.uniform(0.75, 1.15)
    palette = np.zeros((19, 3), np.float32)
    for i, colour in enumerate(colours):
        code = np.where(colour <= 0.0031308, colour * 12.92, 1.055 * np.maximum(colour, 1e-6) ** (1 / 2.4) - 0.055)
        hsv = cv2.cvtColor(code.astype(np.float32)[None, None], cv2.COLOR_RGB2HSV)[0, 0]
        hsv[0] = (hsv[0] + rng.normal(0, 8)) % 360
        hsv[1] = np.clip(hsv[1] * saturation, 0, 1)
        hsv[2] = np.clip(hsv[2] * value + (0.16 if on_dark else 0), 0, 1)
        palette[i] = linear(cv2.cvtColor(hsv[None, None], cv2.COLOR_HSV2RGB)[0, 0])
    return palette
