"""Colours are linear light, RGB, float32 in 0..1."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Rgb = NDArray[np.float32]


def linear(srgb: ArrayLike) -> Rgb:
    """sRGB in 0..1 to linear light (IEC 61966-2-1)."""
    c = np.asarray(srgb, np.float32)
    return np.where(c <= 0.04045, c / 12.92, ((np.maximum(c, 0) + 0.055) / 1.055) ** 2.4).astype(np.float32)


def from_hsv(hue: float, saturation: float, value: float) -> Rgb:
    """OpenCV's ranges: hue 0..180, saturation and value 0..255."""
    c = np.array([[[hue % 180, saturation, value]]], np.float32).clip(0, 255).astype(np.uint8)
    return linear(cv2.cvtColor(c, cv2.COLOR_HSV2RGB)[0, 0] / 255.0)


def from_hex(text: str) -> Rgb:
    """`#rrggbb`."""
    return linear([int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def any_colour(
    rng: np.random.Generator, saturation: tuple[float, float] = (60, 230), value: tuple[float, float] = (60, 250)
) -> Rgb:
    """Any hue; saturation and value uniform in the given ranges (0..255)."""
    return from_hsv(rng.integers(0, 180), rng.uniform(*saturation), rng.uniform(*value))


def household_colour(
    rng: np.random.Generator, hue: float | None = None, saturation: float | None = None, value: float | None = None
) -> Rgb:
    """A colour as tables and cloths have it: more often greyish than loud."""
    if saturation is None:
        saturation = rng.integers(0, 90) if rng.random() < 0.55 else rng.integers(0, 220)
    if saturation > 120 and rng.random() < 0.5:
        saturation = saturation * rng.uniform(0.35, 0.8)
    return from_hsv(
        rng.integers(0, 180) if hue is None else hue,
        saturation,
        rng.integers(30, 250) if value is None else value,
    )


def luminance(colour: Rgb) -> float:
    return float(np.asarray(colour) @ np.array([0.3, 0.6, 0.1], np.float32))
