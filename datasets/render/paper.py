"""Flat printed things on a table: playing cards, score sheets, sticky notes, printed boxes."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.camera import axes, rounded_outline
from datasets.render.colour import any_colour, linear
from datasets.render.gbuffer import GBuffer, Texture
from datasets.render.markers import blank, sharpness
from datasets.render.prints import PAPER, WORDS, scalar, write
from datasets.render.spot import Spot

F = np.float32
Image = NDArray[np.float32]


def draw_cards(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    """Playing cards, faces with two to ten diamond pips or patterned backs."""
    many = int(rng.integers(1, 6))
    back = any_colour(rng)
    w, h = 88.0, 63.0
    res = sharpness(spot.px_per_mm, w, 500)
    for i in range(many):
        at = spot.base + np.array((rng.normal(0, 12 + 25 * (many > 2)), rng.normal(0, 25), 0.25 * i))
        albedo, relief, u, v = blank(w, h, res, PAPER, 3.5)
        if rng.random() < 0.6:
            ink = linear([0.75, 0.05, 0.08]) if rng.random() < 0.5 else linear([0.05, 0.05, 0.06])
            n = int(rng.integers(1, 11))
            round_pips = rng.random() < 0.4
            for p, q in zip(rng.choice([-26, -9, 9, 26], n), rng.choice([-15, 0, 15], n), strict=True):
                far = np.hypot(u - p, v - q) - 4 if round_pips else np.abs(u - p) * 0.8 + np.abs(v - q) - 5.2
                albedo[..., :3] += (ink - albedo[..., :3]) * np.clip(0.5 - far * res, 0, 1)[..., None]
        else:
            field = np.clip(0.5 - np.maximum(np.abs(u) - 40, np.abs(v) - 28) * res, 0, 1)
            field = field * (0.6 + 0.4 * np.sign(np.sin((u + v) * 1.2) * np.sin((u - v) * 1.2)))
            albedo[..., :3] += (back - albedo[..., :3]) * field[..., None]
        relief[..., 2] = 0.5
        frame = axes(spot.heading + rng.normal(0, 0.5))
        lid = Texture(albedo, relief, res)
        g.prism(at, frame, rounded_outline(w, h, 3.5, 3), 0.4, linear([0.8] * 3), texture=lid)


def draw_paper(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    colour = PAPER * F(rng.uniform(0.8, 1))
    _sheet(g, rng, spot, (rng.uniform(120, 297), rng.uniform(90, 210)), rng.uniform(0.2, 6), colour, ruled=True)


def draw_sticky_note(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    _sheet(g, rng, spot, (75.0, 75.0), rng.uniform(0.2, 4), any_colour(rng, (30, 240), (80, 250)))


def draw_box(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    size = (rng.uniform(60, 260), rng.uniform(50, 180))
    _sheet(g, rng, spot, size, rng.uniform(15, 60), any_colour(rng, (30, 240), (80, 250)), spots=True)


def _sheet(
    g: GBuffer,
    rng: np.random.Generator,
    spot: Spot,
    size: tuple[float, float],
    thickness: float,
    colour: Image,
    ruled: bool = False,
    spots: bool = False,
) -> None:
    w, h = size
    res = sharpness(spot.px_per_mm, w, 700)
    albedo, relief, u, _ = blank(w, h, res, colour, 0.3)
    rows, columns = u.shape
    image = np.ascontiguousarray(albedo[..., :3])
    ink = linear([0.1, 0.1, 0.3]) if rng.random() < 0.6 else any_colour(rng) * F(0.6)
    if ruled and rng.random() < 0.6:
        for y in np.arange(-h / 2 + 12, h / 2, rng.uniform(6, 9)):
            at = int((y + h / 2) * res)
            cv2.line(image, (0, at), (columns, at), scalar(colour * F(0.75)), 1)
    line = rng.uniform(5, 11)
    for y in np.arange(-h / 2 + line, h / 2 - 3, line * 1.3):
        if rng.random() >= 0.75 or line * res <= 5:
            continue
        words = [
            str(rng.choice(WORDS)) if rng.random() < 0.5 else str(rng.integers(0, 180))
            for _ in range(rng.integers(1, 7))
        ]
        at = (int(rng.uniform(4, 25) * res), int((y + h / 2) * res))
        font, thick = int(rng.choice([0, 2, 3, 6])), max(1, int(line * res / 22))
        write(image, " ".join(words), at, font, float(line * res / 30), ink, thick)
    if spots:
        for _ in range(rng.integers(1, 10)):
            x, y = rng.uniform(0.05, 0.95, 2)
            radii = (int(columns * rng.uniform(0.03, 0.2)), int(rows * rng.uniform(0.03, 0.2)))
            middle = (int(x * columns), int(y * rows))
            cv2.ellipse(image, middle, radii, rng.uniform(0, 180), 0, 360, scalar(any_colour(rng)), -1, cv2.LINE_AA)
    albedo[..., :3] = image
    relief[..., 2] = rng.uniform(0.1, 0.7) if spots else 0.15
    lid = Texture(albedo, relief, res)
    shape = rounded_outline(w, h, 0.5, 2)
    g.prism(spot.base, axes(spot.heading), shape, thickness, colour * 0.6, colour * 0.8, texture=lid, gloss=0.2)
