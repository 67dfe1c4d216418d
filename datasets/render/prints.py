"""Printed and woven patterns: what phantom tiles are made of. Nothing drawn here is ever labelled."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.colour import household_colour, linear
from datasets.render.materials import Made, plain
from datasets.render.noise import fractal

F = np.float32
Image = NDArray[np.float32]

WORDS = (
    "the",
    "of",
    "table",
    "score",
    "round",
    "total",
    "player",
    "train",
    "domino",
    "and",
    "game",
    "double",
    "hub",
    "draw",
    "play",
    "open",
    "station",
    "engine",
    "north",
    "east",
    "12",
    "45",
    "7",
    "sheet",
    "start",
    "finish",
)


def write(image: Image, text: str, at: tuple[int, int], font: int, scale: float, colour: Image, thick: int) -> None:
    """`cv2.putText` for float images (OpenCV draws text on 8-bit images only)."""
    (w, h), below = cv2.getTextSize(text, font, scale, thick)
    pad = thick + 2
    x0, y0 = max(at[0] - pad, 0), max(at[1] - h - pad, 0)
    x1, y1 = min(at[0] + w + pad, image.shape[1]), min(at[1] + below + pad, image.shape[0])
    if x1 - x0 < 2 or y1 - y0 < 2:
        return
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.putText(mask, text, (at[0] - x0, at[1] - y0), font, scale, 255, thick, cv2.LINE_AA)
    region = image[y0:y1, x0:x1]
    region += (np.asarray(colour, F) - region) * (mask.astype(F) / 255)[..., None]


def scalar(colour: Image) -> tuple[float, float, float]:
    r, g, b = (float(v) for v in colour)
    return r, g, b


def _finish(rng: np.random.Generator, image: Image) -> Made:
    n = image.shape[0]
    image = image * (1 + 0.02 * fractal(rng, n, n, 40, octaves=3))[..., None]
    return image, None, rng.uniform(0, 0.6), rng.uniform(0.05, 0.3)


def newspaper(rng: np.random.Generator, n: int, mm: float) -> Made:
    paper = household_colour(rng, saturation=rng.integers(0, 40), value=rng.integers(170, 250))
    image = plain(n, paper)
    ink = scalar(paper * 0.15)
    column, line = rng.uniform(35, 70) / mm, max(3.0, rng.uniform(2.5, 6) / mm)
    y = 0.0
    while y < n:
        for k in range(int(n / column) + 1):
            x, end = k * column + column * 0.05, (k + 0.9) * column
            while x < end:
                length = rng.uniform(0.06, 0.25) * column
                cv2.rectangle(image, (int(x), int(y)), (int(min(x + length, end)), int(y + line * 0.45)), ink, -1)
                x += length + line * 0.5
        y += line
    for _ in range(rng.integers(1, 6)):
        x, y = (int(v) for v in rng.integers(0, n, 2))
        far = (x + int(rng.uniform(30, 120) / mm), y + int(rng.uniform(30, 90) / mm))
        cv2.rectangle(image, (x, y), far, scalar(household_colour(rng)), -1)
    return _finish(rng, image)


def printed_shapes(rng: np.random.Generator, n: int, mm: float) -> Made:
    image = plain(n, household_colour(rng))
    for _ in range(rng.integers(5, 70)):
        x, y = rng.uniform(0, n, 2)
        size = rng.uniform(5, 120) / mm
        colour = household_colour(rng)
        shape = int(rng.integers(5))
        if shape == 0:
            thick = -1 if rng.random() < 0.5 else max(1, int(2 / mm))
            cv2.circle(image, (int(x), int(y)), int(size), scalar(colour), thick, cv2.LINE_AA)
        elif shape == 1:
            box = cv2.boxPoints(((x, y), (size, size * rng.uniform(0.3, 1)), rng.uniform(0, 180)))
            cv2.fillConvexPoly(image, box.astype(np.int32), scalar(colour), cv2.LINE_AA)
        elif shape == 2:
            scale = float(np.clip(size / 30, 0.3, 12))
            word = str(rng.choice(WORDS)).upper()
            write(image, word, (int(x), int(y)), cv2.FONT_HERSHEY_DUPLEX, scale, colour, max(1, int(size / 25)))
        elif shape == 3:
            end = (int(x + rng.normal(0, size * 2)), int(y + rng.normal(0, size * 2)))
            cv2.line(image, (int(x), int(y)), end, scalar(colour), max(1, int(size / 12)), cv2.LINE_AA)
        else:
            _blob_rows(rng, image, x, y, size, colour)
    return _finish(rng, image)


def _blob_rows(rng: np.random.Generator, image: Image, x: float, y: float, size: float, colour: Image) -> None:
    """Rows of dots like pips, without a tile around them."""
    rows, columns, step = int(rng.integers(1, 5)), int(rng.integers(1, 6)), size * rng.uniform(0.15, 0.3)
    radius = max(1, int(step * rng.uniform(0.2, 0.4)))
    for i in range(rows):
        for j in range(columns):
            cv2.circle(image, (int(x + j * step), int(y + i * step)), radius, scalar(colour), -1, cv2.LINE_AA)


def game_board(rng: np.random.Generator, n: int, mm: float) -> Made:
    """A play mat with squares, dots, words, and often a printed border."""
    image = plain(n, household_colour(rng))
    period = rng.uniform(18, 90) / mm
    style = [household_colour(rng) for _ in range(5)]
    cells = int(n / period) + 1
    for k in range(cells):
        p = int(k * period)
        line = scalar(style[0])
        cv2.line(image, (p, 0), (p, n), line, max(1, int(1.5 / mm)), cv2.LINE_AA)
        cv2.line(image, (0, p), (n, p), line, max(1, int(1.5 / mm)), cv2.LINE_AA)
    for _ in range(rng.integers(5, 80)):
        x, y = rng.integers(0, cells, 2) * period
        colour = scalar(style[rng.integers(5)])
        cv2.rectangle(image, (int(x), int(y)), (int(x + period), int(y + period)), colour, -1)
        middle = (int(x + period / 2), int(y + period / 2))
        chance = rng.random()
        if chance < 0.4:
            cv2.circle(image, middle, max(1, int(period * rng.uniform(0.1, 0.4))), scalar(style[1]), -1, cv2.LINE_AA)
        elif chance < 0.6:
            text = str(rng.integers(0, 20))
            write(image, text, (int(x), int(y + period * 0.8)), cv2.FONT_HERSHEY_DUPLEX, period / 40, style[2], 2)
    return _finish(rng, image)


def flowers(rng: np.random.Generator, n: int, mm: float) -> Made:
    """Printed cloth with blossoms or rectangles."""
    image = plain(n, household_colour(rng, value=rng.integers(30, 245)))
    colours = [household_colour(rng, saturation=rng.integers(60, 230), value=rng.integers(60, 250)) for _ in range(4)]
    blossoms = rng.random() < 0.7
    for _ in range(rng.integers(30, 220)):
        radius = rng.uniform(5, 45) / mm
        cx, cy = rng.uniform(0, n, 2)
        colour = scalar(colours[rng.integers(4)])
        if blossoms:
            blossom(image, cx, cy, radius, int(rng.integers(4, 8)), colour, scalar(colours[0]))
        else:
            corner, far = (int(cx - radius), int(cy - radius * 0.6)), (int(cx + radius), int(cy + radius * 0.6))
            cv2.rectangle(image, corner, far, colour, -1 if rng.random() < 0.5 else 2)
    return _finish(rng, image)


def blossom(
    image: Image, cx: float, cy: float, radius: float, petals: int, colour: tuple, heart: tuple, share: float = 0.22
) -> None:
    for k in range(petals):
        a = k * 2 * math.pi / petals
        at = (int(cx + radius * 0.6 * math.cos(a)), int(cy + radius * 0.6 * math.sin(a)))
        size = (max(1, int(radius * 0.45)), max(1, int(radius * 0.25)))
        cv2.ellipse(image, at, size, math.degrees(a), 0, 360, colour, -1, cv2.LINE_AA)
    cv2.circle(image, (int(cx), int(cy)), max(1, int(radius * share)), heart, -1, cv2.LINE_AA)


def carpet(rng: np.random.Generator, n: int, mm: float) -> Made:
    """Oriental rug: mirrored motifs in a small palette, vines, blossoms, ragged pile."""
    size, k, h = n * mm, int(rng.integers(4, 7)), n // 2 + 1
    palette = np.stack(
        [household_colour(rng, saturation=rng.integers(30, 190), value=rng.integers(20, 220)) for _ in range(k)]
    ).astype(F)
    field = fractal(rng, h, h, max(3, int(size / rng.uniform(40, 160))), octaves=3)
    index = np.clip(((field + 1.6) / 3.2 * k).astype(int), 0, k - 1)
    quarter = np.ascontiguousarray(palette[index] if rng.random() < 0.6 else plain(h, palette[0]))

    def any_ink() -> tuple[float, float, float]:
        return scalar(palette[rng.integers(k)])

    for _ in range(rng.integers(4, 16)):
        vine = np.cumsum(rng.normal(0, 25 / mm, (14, 2)), 0) + rng.uniform(0, h, 2)
        thick = max(1, int(rng.uniform(1.5, 5) / mm))
        cv2.polylines(quarter, [vine.astype(np.int32).reshape(-1, 1, 2)], False, any_ink(), thick, cv2.LINE_AA)
    for _ in range(min(700, int(rng.uniform(0.5, 2.5) * (size / 2 / 45) ** 2) + 3)):
        x, y = rng.uniform(0, h, 2)
        radius = rng.uniform(6, 38) / mm
        blossom(quarter, x, y, radius, int(rng.integers(5, 11)), any_ink(), any_ink(), 0.5)
        cv2.circle(quarter, (int(x), int(y)), max(1, int(radius * 0.22)), any_ink(), -1, cv2.LINE_AA)
    half = np.hstack([quarter, quarter[:, ::-1]])
    image = np.vstack([half, half[::-1]])[:n, :n]
    if rng.random() < 0.5:
        image = np.roll(image, (int(rng.integers(n)), int(rng.integers(n))), axis=(0, 1))
    ragged = rng.uniform(0.6, 2.2) / mm
    if ragged > 0.5:
        mx, my = np.meshgrid(np.arange(n, dtype=F), np.arange(n, dtype=F))
        cells = max(8, int(size / 2.5))
        mx += F(ragged) * fractal(rng, n, n, cells, octaves=1)
        my += F(ragged) * fractal(rng, n, n, cells, octaves=1)
        image = cv2.remap(np.ascontiguousarray(image), mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
    pile = fractal(rng, n, n, min(max(8, int(size / 1.6)), int(n * 0.6)), octaves=2)
    image = image * (1 + 0.16 * pile + 0.07 * fractal(rng, n, n, max(2, int(size / 90)), octaves=2))[..., None]
    return image, None, 0.0, 0.4


PAPER = linear([0.93, 0.93, 0.91])
