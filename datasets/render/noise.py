"""Smooth random fields and fast blurs."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.float32]


def fractal(
    rng: np.random.Generator,
    height: int,
    width: int,
    cells: int,
    aspect: float = 1.0,
    octaves: int = 4,
    gain: float = 0.55,
) -> Field:
    """Zero mean, about unit deviation. `cells` across the width; `aspect` > 1 stretches along x."""
    out = np.zeros((height, width), np.float32)
    amplitude, total = 1.0, 0.0
    for octave in range(octaves):
        k = cells * 2**octave
        cw, ch = max(2, int(k / aspect) + 1), max(2, int(k * height / width) + 1)
        if ch > height * 0.7 or cw > width * 0.7:
            break
        layer = rng.standard_normal((ch, cw), np.float32)
        interpolation = cv2.INTER_CUBIC if max(ch, cw) < 160 else cv2.INTER_LINEAR
        out += np.float32(amplitude) * cv2.resize(layer, (width, height), interpolation=interpolation)
        total += amplitude * amplitude
        amplitude *= gain
    return out / np.float32(math.sqrt(max(total, 1e-6)))


def smooth(rng: np.random.Generator, size: int, cells: int) -> Field:
    """Three octaves on a square."""
    out = np.zeros((size, size), np.float32)
    for multiple, weight in ((1, 1.0), (2, 0.5), (4, 0.25)):
        layer = rng.standard_normal((cells * multiple, cells * multiple), np.float32)
        out += np.float32(weight) * cv2.resize(layer, (size, size), interpolation=cv2.INTER_CUBIC)
    return out


def blur(field: Field, sigma: float) -> Field:
    """Gaussian; at a lower resolution when sigma is large."""
    if sigma <= 5:
        return cv2.GaussianBlur(field, (0, 0), max(sigma, 0.3))
    k = min(2 ** int(math.log2(sigma / 2.0)), 8)
    h, w = field.shape[:2]
    small = cv2.resize(field, (max(8, w // k), max(8, h // k)), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), sigma / k)
    return cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR)


def grain(rng: np.random.Generator, height: int, width: int) -> NDArray[np.float32]:
    """Unit white noise (height, width, 3), cut from a bank made once per process."""
    bank = _bank()
    if height > bank.shape[0] or width > bank.shape[1]:
        bank = np.tile(bank, (-(-height // bank.shape[0]), -(-width // bank.shape[1]), 1))
    y = int(rng.integers(0, bank.shape[0] - height + 1))
    x = int(rng.integers(0, bank.shape[1] - width + 1))
    cut = bank[y : y + height, x : x + width]
    if rng.random() < 0.5:
        cut = cut[:, ::-1]
    if rng.random() < 0.5:
        cut = cut[::-1]
    return cut


_BANK: list[NDArray[np.float32]] = []


def _bank() -> NDArray[np.float32]:
    if not _BANK:
        _BANK.append(np.random.default_rng(12345).standard_normal((1400, 1800, 3), np.float32))
    return _BANK[0]
