"""Gaming mats and cloths in blotches: camouflage, terrazzo, painted ground, stars. Nothing on them repeats.

A thing on such a mat has neighbours of any colour, its own among them; its outline and its shadow show it, not its
contrast.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.colour import Rgb, any_colour, from_hsv, household_colour
from datasets.render.materials import Made, mix, plain
from datasets.render.noise import blur, fractal

F = np.float32
Image = NDArray[np.float32]


def mat(rng: np.random.Generator, n: int, mm: float) -> Made:
    """One of the four, n x n at `mm` a pixel."""
    painter = (camouflage, camouflage, terrazzo, ground, stars)[int(rng.integers(5))]
    image = painter(rng, n, mm)
    image = image * (1 + F(rng.uniform(0, 0.06)) * fractal(rng, n, n, max(2, n // 6), octaves=2))[..., None]
    if rng.random() < 0.3:
        image = np.stack([blur(image[..., k], rng.uniform(0.4, 1.5) / mm) for k in range(3)], -1)
    return image.astype(F), None, rng.uniform(0, 0.4), rng.uniform(0.1, 0.4)


def palette(rng: np.random.Generator, count: int) -> list[Rgb]:
    """Colours that somebody would print together: shades of one or two hues, greys, or any at all."""
    chance = rng.random()
    if chance < 0.3:
        return [any_colour(rng, (20, 230), (25, 250)) for _ in range(count)]
    hues = [float(rng.integers(0, 180)) for _ in range(1 if chance < 0.6 else 2)]
    return [
        from_hsv(hues[k % len(hues)] + rng.normal(0, 9), rng.uniform(10, 190), rng.uniform(25, 245))
        for k in range(count)
    ]


def camouflage(rng: np.random.Generator, n: int, mm: float) -> Image:
    """Blotches of a few colours over each other, crisp or soft."""
    colours = palette(rng, int(rng.integers(3, 7)))
    image = plain(n, colours[0])
    size_mm = rng.uniform(18, 140)
    for colour in colours[1:]:
        cells, aspect = max(2, round(n * mm / size_mm / 2)), rng.uniform(0.7, 2.0)
        field = fractal(rng, n, n, cells, aspect, gain=rng.uniform(0.4, 0.8))
        image = mix(image, colour, _step(field - F(rng.uniform(0.1, 1.1)), rng.uniform(0.02, 0.25)))
    return image


def terrazzo(rng: np.random.Generator, n: int, mm: float) -> Image:
    """Chips of stone in cement, as large as markers and smaller."""
    image = plain(n, household_colour(rng))
    colours = palette(rng, int(rng.integers(2, 6)))
    largest = rng.uniform(4, 26) / mm
    for _ in range(int(min(900, rng.uniform(0.05, 0.35) * n * n / largest**2))):
        x, y = rng.uniform(0, n, 2)
        turns = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(4, 8))))
        radius = largest * rng.uniform(0.2, 1.0) * rng.uniform(0.5, 1.0, len(turns)) / 1.6
        outline = np.stack([x + radius * np.cos(turns), y + radius * np.sin(turns)], 1)
        shade = colours[int(rng.integers(len(colours)))] * rng.uniform(0.75, 1.2)
        cv2.fillPoly(image, [outline.astype(np.int32)], [float(c) for c in shade], cv2.LINE_AA)
    return image


def ground(rng: np.random.Generator, n: int, mm: float) -> Image:
    """Painted earth, grass, water or stone with cracks, as on the mats of war games."""
    low, high = palette(rng, 2)
    cells = max(2, round(n * mm / rng.uniform(60, 400)))
    share = fractal(rng, n, n, cells, octaves=6, gain=rng.uniform(0.5, 0.85))
    image = mix(plain(n, low), high, np.clip(0.5 + 0.3 * share, 0, 1).astype(F))
    if rng.random() < 0.6:
        cracks = np.abs(fractal(rng, n, n, cells * 2, octaves=5)) < rng.uniform(0.01, 0.06)
        image = mix(image, household_colour(rng, value=rng.integers(10, 120)), blur(cracks.astype(F), 0.7))
    return image


def stars(rng: np.random.Generator, n: int, mm: float) -> Image:
    """Clouds and points of light on the dark."""
    image = plain(n, from_hsv(rng.integers(0, 180), rng.uniform(30, 220), rng.uniform(8, 50)))
    for _ in range(int(rng.integers(1, 4))):
        cloud = np.clip(fractal(rng, n, n, max(2, round(n * mm / rng.uniform(150, 500))), octaves=5) - 0.4, 0, 1)
        image = mix(image, any_colour(rng, (60, 255), (60, 220)), (cloud * rng.uniform(0.3, 1.0)).astype(F))
    points = np.zeros((n, n), F)
    for x, y in rng.integers(0, n, (int(rng.integers(40, 500)), 2)):
        radius = max(1, int(rng.uniform(0.3, 2.2) / mm))
        cv2.circle(points, (int(x), int(y)), radius, float(rng.uniform(0.2, 1.0)), -1, cv2.LINE_AA)
    return mix(image, np.ones(3, F), points)


def _step(field: Image, soft: float) -> Image:
    return np.asarray(np.clip(0.5 + field / F(soft), 0, 1), F)
