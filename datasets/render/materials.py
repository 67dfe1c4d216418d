"""Plain and woven table tops: wood, parquet, cloth, leather, laminate, stone.

Each maker returns albedo (n, n, 3), slopes (n, n, 2) or None, gloss and roughness of the mirror.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.chance import pick
from datasets.render.colour import from_hsv, household_colour, linear
from datasets.render.noise import fractal

F = np.float32
Image = NDArray[np.float32]


Made = tuple[Image, Image | None, float, float]


def mix(a: Image, b: Image, t: Image) -> Image:
    return (a + (b - a) * t[..., None]).astype(F)


def plain(n: int, colour: Image) -> Image:
    out = np.empty((n, n, 3), F)
    out[:] = colour
    return out


def wood(rng: np.random.Generator, n: int, mm: float) -> Made:
    size = n * mm
    light = from_hsv(rng.uniform(6, 16), rng.uniform(60, 170), 60 + 170 * rng.random())
    dark = light * rng.uniform(0.35, 0.75) * np.array([1, 0.92, 0.85], F)
    y = (np.arange(n, dtype=F) * F(mm))[:, None]
    fibre = fractal(rng, n, n, max(4, int(size / 22)), aspect=rng.uniform(12, 30), octaves=5, gain=0.65)
    wobble = fractal(rng, n, n, max(2, int(size / 220)), aspect=4, octaves=3)
    ring = np.sin((y / rng.uniform(5, 22) + wobble * rng.uniform(0.6, 3.0) + fibre * 0.35) * F(2 * math.pi))
    t = 0.5 + 0.22 * ring * rng.uniform(0.2, 1) + 0.22 * fibre * rng.uniform(0.4, 1.2)
    gain = np.ones((n, 1), F)
    if rng.random() < 0.6:
        gain = _planks(rng, t, y[:, 0], mm)
    image = mix(dark, light, np.clip(t, 0, 1)) * gain[..., None]
    if rng.random() < 0.6:
        pores = fractal(rng, n, n, max(8, int(size / 4)), aspect=18, octaves=2) > rng.uniform(1.3, 2.0)
        image *= (1 - 0.4 * cv2.GaussianBlur(pores.astype(F), (0, 0), 0.7))[..., None]
    if rng.random() < 0.5:
        return image, None, rng.uniform(0.3, 1.1), rng.uniform(0.02, 0.12)
    return image, None, rng.uniform(0.2, 0.6), rng.uniform(0.12, 0.4)


def _planks(rng: np.random.Generator, t: Image, y: Image, mm: float) -> Image:
    """Shifts the figure from plank to plank (in place) and returns the planks' shades with dark seams."""
    n, plank = len(y), rng.uniform(50, 190)
    k = np.floor((y + rng.uniform(0, plank)) / plank).astype(int)
    k -= k.min()
    shade = rng.normal(1, rng.uniform(0.02, 0.16), k.max() + 1).astype(F)
    for i in range(k.max() + 1):
        rows = np.nonzero(k == i)[0]
        t[rows] = np.roll(t[rows], int(rng.integers(0, n)), axis=1)
    seam, wide = np.ones((n, 1), F), max(1, int(rng.uniform(0.5, 2.5) / mm))
    for edge in np.nonzero(np.diff(k))[0]:
        seam[max(0, edge - wide // 2) : edge + wide - wide // 2] = rng.uniform(0.25, 0.7)
    return shade[k][:, None] * seam


def parquet(rng: np.random.Generator, n: int, mm: float) -> Made:
    """Herringbone or basket squares of short planks."""
    image, _, gloss, rough = wood(rng, n, mm)
    cell = max(8, int(rng.uniform(60, 160) / mm))
    strips = int(rng.integers(3, 6))
    turned = np.ascontiguousarray(image.transpose(1, 0, 2))
    x = np.arange(n)
    chess = ((x[None, :] // cell) + (x[:, None] // cell)) % 2 == 0
    image = np.where(chess[..., None], image, turned)
    across = (x * strips // cell).astype(int)
    shades = rng.normal(1, 0.08, across.max() + 2).astype(F)
    line = np.diff(across, prepend=-1) != 0
    line_gain = np.where(line, 0.55, 1.0).astype(F) * shades[across]
    gain = np.where(chess, line_gain[:, None], line_gain[None, :])
    return (image * gain[..., None]).astype(F), None, gloss, rough


def cloth(rng: np.random.Generator, n: int, mm: float) -> Made:
    size, x = n * mm, np.arange(n, dtype=F) * F(mm)
    ground = household_colour(rng, value=rng.integers(30, 245))
    if rng.random() < 0.35:
        ground = linear(np.clip(np.array([0.9, 0.88, 0.84]) * rng.uniform(0.5, 1.05), 0, 1))
    if rng.random() < 0.25:
        ground = from_hsv(rng.integers(45, 75), rng.integers(120, 230), rng.integers(50, 150))  # felt
    if rng.random() < 0.18:
        ground = linear(np.full(3, rng.uniform(0.02, 0.14)))  # black cloth
    second = household_colour(rng) if rng.random() < 0.7 else linear([0.9, 0.9, 0.88])
    pattern = pick(rng, ["plain", "gingham", "stripe", "dots", "weave"], [0.52, 0.15, 0.14, 0.09, 0.1])
    image = plain(n, ground)
    if pattern == "gingham":
        band = ((x / rng.uniform(8, 60)) % 1 < rng.uniform(0.35, 0.65)).astype(F) * F(0.5)
        image = mix(ground, second, band[None, :] + band[:, None])
    elif pattern == "stripe":
        period, t = rng.uniform(6, 90), np.zeros(n, F)
        for _ in range(rng.integers(1, 5)):
            phase, wide = rng.uniform(0, 1), rng.uniform(0.05, 0.35)
            t = np.maximum(t, (((x / period + phase) % 1) < wide) * F(rng.uniform(0.4, 1)))
        image = mix(ground, second, np.broadcast_to(t[None, :], (n, n)))
    elif pattern == "dots":
        image = polka_dots(rng, n, mm, ground, second, rng.uniform(6, 50))
    thread = rng.uniform(0.5, 3.0)
    if thread / mm > 2.5 or pattern == "weave":
        thread = max(thread, 3 * mm)
        wave = np.sin(x / F(thread) * F(2 * math.pi))
        image = image * (1 + F(rng.uniform(0.05, 0.25)) * wave[None, :] * wave[:, None])[..., None]
    image = image * (1 + F(rng.uniform(0.01, 0.07)) * fractal(rng, n, n, max(4, int(size / 6)), octaves=3))[..., None]
    return image, _folds(rng, n, mm), rng.uniform(0, 0.12), 0.4


def polka_dots(rng: np.random.Generator, n: int, mm: float, ground: Image, ink: Image, period: float) -> Image:
    """Dots every `period` mm, straight or offset, sometimes grouped like pips: (n, n, 3) linear, a pixel `mm` wide."""
    x = np.arange(n, dtype=F) * F(mm)
    fx, fy = np.broadcast_arrays(x[None, :], x[:, None])
    row = np.floor(fy / period)
    if rng.random() < 0.5:
        fx = fx + (row % 2) * F(period / 2)
    distance = np.hypot((fx / period) % 1 - 0.5, (fy / period) % 1 - 0.5) * period
    t = np.clip(0.5 - (distance - period * rng.uniform(0.12, 0.35)) / mm, 0, 1)
    if rng.random() < 0.3:
        seed = np.floor(fx / period) * 7 + row * 13
        t = t * (np.sin(seed * 12.9898) > rng.uniform(-0.6, 0.6))
    return mix(ground, ink, t.astype(F))


def _folds(rng: np.random.Generator, n: int, mm: float) -> Image | None:
    if rng.random() < 0.4:
        return None
    height = fractal(rng, 256, 256, int(rng.integers(2, 7)), aspect=rng.uniform(1, 3), octaves=3, gain=0.45)
    height = cv2.resize(height, (n, n), interpolation=cv2.INTER_CUBIC)
    k = F(rng.uniform(1, 9) / mm / 8)
    slope = [np.clip(cv2.Sobel(height, cv2.CV_32F, *d, ksize=3) * k, -0.5, 0.5) for d in ((1, 0), (0, 1))]
    return np.dstack(slope)


def leather(rng: np.random.Generator, n: int, mm: float) -> Made:
    """Wrinkled black or brown leather with seams."""
    ground = pick(
        rng,
        [linear(np.full(3, rng.uniform(0.05, 0.16))), linear([0.3, 0.18, 0.1]), household_colour(rng)],
        [0.6, 0.25, 0.15],
    )
    image = plain(n, ground)
    fine = fractal(rng, n, n, max(8, int(n * mm / 3)), octaves=2)
    image = image * (1 + 0.08 * fine)[..., None]
    for _ in range(rng.integers(0, 3)):
        a, c = rng.uniform(0, math.pi), rng.uniform(0, n, 2)
        d = np.array([math.cos(a), math.sin(a)]) * n * 1.5
        ends = [tuple(int(v) for v in c + s * d) for s in (-1, 1)]
        cv2.line(image, ends[0], ends[1], tuple(float(v) for v in ground * 0.3), max(1, int(2.5 / mm)), cv2.LINE_AA)
    slope = _folds(rng, n, mm)
    return image, slope, rng.uniform(0.4, 1.0), rng.uniform(0.08, 0.25)


def laminate(rng: np.random.Generator, n: int, mm: float) -> Made:
    pale = rng.random() < 0.8
    ground = household_colour(rng, saturation=rng.integers(0, 60)) if pale else household_colour(rng)
    cells = max(2, int(n * mm / 60))
    image = plain(n, ground) * (1 + F(rng.uniform(0, 0.05)) * fractal(rng, n, n, cells, octaves=4))[..., None]
    return image, None, rng.uniform(0.3, 1.2), rng.uniform(0.01, 0.2)


def stone(rng: np.random.Generator, n: int, mm: float) -> Made:
    size = n * mm
    image = plain(n, household_colour(rng, saturation=rng.integers(0, 70), value=rng.integers(40, 240)))
    if rng.random() < 0.5:  # granite
        for _ in range(rng.integers(2, 5)):
            cells = max(8, int(size / rng.uniform(1.5, 9)))
            fleck = (fractal(rng, n, n, cells, octaves=2) > rng.uniform(0.4, 1.4)).astype(F)
            colour = household_colour(rng, saturation=rng.integers(0, 60), value=rng.integers(15, 240))
            image = mix(image, colour, cv2.GaussianBlur(fleck, (0, 0), 0.8) * F(rng.uniform(0.3, 0.9)))
    else:
        vein = np.exp(-np.abs(fractal(rng, n, n, max(3, int(size / 250)), octaves=5, gain=0.6)) * rng.uniform(6, 16))
        colour = household_colour(rng, saturation=rng.integers(0, 60), value=rng.integers(30, 200))
        image = mix(image, colour, vein.astype(F) * F(rng.uniform(0.3, 0.8)))
    if rng.random() < 0.2:
        period, wide = rng.uniform(100, 400) / mm, max(1, int(2 / mm))
        for k in range(int(n / period) + 1):
            p = int(k * period)
            image[p : p + wide] *= 0.5
            image[:, p : p + wide] *= 0.5
    return image, None, rng.uniform(0.3, 1.1), rng.uniform(0.01, 0.15)
