"""Pictures of dominoes printed on boards and cloths. They are not tiles and are never labelled.

They differ from tiles as they do in life: no thickness, no shadow, no bevel, the paper's tint.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.chance import pick
from datasets.render.colour import any_colour, household_colour, linear
from datasets.render.materials import Made, plain
from datasets.render.noise import fractal
from datasets.render.pips import Maker, make_maker, western
from datasets.render.prints import scalar, write

F = np.float32
Image = NDArray[np.float32]
_SHIFT = 4


class DominoPrint:
    """One printer's dominoes: colours, corner, bar. Sizes in pixels of the picture they are stamped into."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._maker: Maker = make_maker(rng)
        dark = rng.random() < 0.25
        paper = linear(np.array([0.85, 0.87, 0.88]) * rng.uniform(0.75, 1.05)) * (1 + rng.normal(0, 0.05, 3).astype(F))
        if rng.random() < 0.2:
            paper = household_colour(rng)
        self.ground = linear(np.full(3, rng.uniform(0.08, 0.2))) if dark else paper
        self.inks = [linear([0.88, 0.88, 0.86])] if dark else [linear([0.1, 0.1, 0.11])]
        if rng.random() < 0.2:
            self.inks = [any_colour(rng, (120, 230), (60, 220)) for _ in range(7)]
        self.radius = rng.uniform(0.08, 0.13)
        self.spread = rng.uniform(0.27, 0.34)
        self.bar = rng.random() < 0.9
        self.outline = rng.random() < 0.4

    def stamp(self, image: Image, x: float, y: float, heading: float, length: float, values: tuple[int, int]) -> None:
        width = length / 2
        box = cv2.boxPoints(((x, y), (length, width), math.degrees(heading)))
        points = np.round(box * 2**_SHIFT).astype(np.int32)
        cv2.fillConvexPoly(image, points, scalar(self.ground), cv2.LINE_AA, _SHIFT)
        if self.outline:
            closed = points.reshape(-1, 1, 2)
            cv2.polylines(image, [closed], True, scalar(self.inks[0]), max(1, int(length / 60)), cv2.LINE_AA, _SHIFT)
        c, s = math.cos(heading), math.sin(heading)
        if self.bar:
            a, b = ((int(x - k * s * width * 0.4), int(y + k * c * width * 0.4)) for k in (-1, 1))
            cv2.line(image, a, b, scalar(self.inks[0]), max(1, int(length / 45)), cv2.LINE_AA)
        for side, value in zip((-1, 1), values, strict=True):
            ink = scalar(self.inks[value % len(self.inks)])
            for along, across in western(value, self._maker):
                u = side * length / 4 + along * self.spread * width
                v = across * self.spread * width
                at = (x + u * c - v * s, y + u * s + v * c)
                centre = (int(at[0] * 2**_SHIFT), int(at[1] * 2**_SHIFT))
                radius = max(1, int(self.radius * width * 2**_SHIFT))
                cv2.circle(image, centre, radius, ink, -1, cv2.LINE_AA, _SHIFT)


def _values(rng: np.random.Generator) -> tuple[int, int]:
    top = 7 if rng.random() < 0.8 else 13
    return int(rng.integers(top)), int(rng.integers(top))


def domino_cloth(rng: np.random.Generator, n: int, mm: float) -> Made:
    """A cloth, poster or box lid printed with dominoes, scattered or in rows."""
    ground = household_colour(rng)
    image = plain(n, ground)
    image *= (1 + F(0.04) * fractal(rng, n, n, max(4, int(n * mm / 40)), octaves=3))[..., None]
    printer = DominoPrint(rng)
    length = max(rng.uniform(18, 130) / mm, 14)
    if rng.random() < 0.5:
        # scattered at all angles, full-coloured pictures on a plain ground would be tiles to anybody from far above
        printer.ground = printer.ground + (ground - printer.ground) * F(rng.uniform(0.45, 0.9))
        printer.outline = True
        for _ in range(int(rng.uniform(0.1, 0.4) * n * n / (length * length))):
            x, y = rng.uniform(0, n, 2)
            printer.stamp(image, x, y, rng.uniform(0, 2 * math.pi), length, _values(rng))
    else:
        step_x, step_y = length * rng.uniform(1.02, 1.8), length * rng.uniform(0.55, 1.3)
        for x in np.arange(step_x / 2, n, step_x):
            for y in np.arange(step_y / 2, n, step_y):
                if rng.random() < 0.85:
                    printer.stamp(image, x, y, 0.0, length, _values(rng))
    return image, None, rng.uniform(0, 0.4), rng.uniform(0.1, 0.4)


def board_picture(rng: np.random.Generator, width: int, height: int, px_per_mm: float) -> Image:
    """A folding game board: printed dominoes around the border, a field of squares with printed signs inside."""
    image = np.empty((height, width, 3), F)
    image[:] = household_colour(rng)
    cells = max(4, int(width / px_per_mm / 40))
    image *= (1 + F(rng.uniform(0.02, 0.25)) * fractal(rng, height, width, cells, octaves=4))[..., None]
    printer = DominoPrint(rng)
    length = max(rng.uniform(22, 62) * px_per_mm, 12)
    margin = length * rng.uniform(0.4, 0.8)
    _border(rng, image, printer, length, margin)
    inner = margin + length * rng.uniform(0.9, 1.4)
    _field(rng, image, inner, length / 2 * rng.uniform(0.95, 1.3))
    for share in (0.5,) if rng.random() < 0.7 else ():  # folds
        at = int(height * share)
        image[at : at + max(1, int(px_per_mm))] *= F(rng.uniform(0.6, 1.3))
    return np.clip(image, 0.003, 0.9)


def _border(rng: np.random.Generator, image: Image, printer: DominoPrint, length: float, margin: float) -> None:
    """A zigzag of lying and standing dominoes along all four sides."""
    h, w = image.shape[:2]
    for side in range(4):
        horizontal = side % 2 == 0
        run, depth = (w, h) if horizontal else (h, w)
        at, row = margin, 0
        while at < run - margin - length:
            lying = rng.random() < 0.55
            along = length if lying else length / 2
            off = margin + (row * length / 2 if lying else length * 0.25)
            u, v = at + along / 2, off if side < 2 else depth - off
            heading = (0.0 if lying else math.pi / 2) + (0.0 if horizontal else math.pi / 2)
            x, y = (u, v) if horizontal else (v, u)
            if rng.random() < 0.9:
                printer.stamp(image, x, y, heading, length, _values(rng))
            at += along * 1.03
            row = 1 - row if rng.random() < 0.4 else row


def _field(rng: np.random.Generator, image: Image, inner: float, cell: float) -> None:
    h, w = image.shape[:2]
    x0, y0, x1, y1 = int(inner), int(inner), int(w - inner), int(h - inner)
    if x1 - x0 < cell * 2 or y1 - y0 < cell * 2:
        return
    ground, line = household_colour(rng, saturation=rng.integers(40, 220)), linear([0.1] * 3)
    grain = fractal(rng, y1 - y0, x1 - x0, max(8, (x1 - x0) // 6), octaves=1)
    image[y0:y1, x0:x1] = ground * (1 + F(0.05) * grain)[..., None]
    cv2.rectangle(image, (x0, y0), (x1, y1), scalar(line), max(1, int(cell / 14)))
    for x in np.arange(x0, x1, cell):
        cv2.line(image, (int(x), y0), (int(x), y1), scalar(line), max(1, int(cell / 40)), cv2.LINE_AA)
    for y in np.arange(y0, y1, cell):
        cv2.line(image, (x0, int(y)), (x1, int(y)), scalar(line), max(1, int(cell / 40)), cv2.LINE_AA)
    colours = [any_colour(rng) for _ in range(5)]
    sign = pick(rng, ["diamond", "disc", "square", "word"], [0.4, 0.3, 0.2, 0.1])
    for x in np.arange(x0 + cell / 2, x1 - cell / 2, cell):
        for y in np.arange(y0 + cell / 2, y1 - cell / 2, cell):
            if rng.random() < 0.2:
                _sign(rng, image, sign, int(x), int(y), cell, colours[rng.integers(5)])


def _sign(rng: np.random.Generator, image: Image, sign: str, x: int, y: int, cell: float, colour: Image) -> None:
    radius = max(2, int(cell * 0.42))
    if sign == "diamond":
        corners = np.array([(x - radius, y), (x, y - radius), (x + radius, y), (x, y + radius)], np.int32)
        cv2.fillConvexPoly(image, corners, scalar(colour), cv2.LINE_AA)
    elif sign == "disc":
        cv2.circle(image, (x, y), max(1, int(radius * rng.uniform(0.4, 0.9))), scalar(colour), -1, cv2.LINE_AA)
    elif sign == "square":
        cv2.rectangle(image, (x - radius, y - radius), (x + radius, y + radius), scalar(colour), -1)
    text = str(rng.integers(1, 13))
    scale = cell / 60
    if scale > 0.12:
        pale = linear([0.9] * 3)
        write(
            image,
            text,
            (x - radius // 3, y + radius // 3),
            cv2.FONT_HERSHEY_DUPLEX,
            scale,
            pale,
            max(1, int(scale * 2)),
        )
