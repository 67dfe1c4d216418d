"""Things with rows of round or square bits that look like tiles at a glance: remote controls, building bricks, blister
packs, calculators, chocolate, rulers. Hard negatives; never labelled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from datasets.render.camera import axes, disc_outline, rounded_outline
from datasets.render.colour import Rgb, any_colour, linear
from datasets.render.gbuffer import GBuffer, Texture
from datasets.render.markers import blank, sharpness
from datasets.render.spot import Spot

F = np.float32
Image = NDArray[np.float32]


def _keyed_plate(
    g: GBuffer,
    rng: np.random.Generator,
    spot: Spot,
    size: tuple[float, float],
    thickness: float,
    colour: Rgb,
    grid: tuple[int, int],
    key: Callable[[Image, Image], Image],
    inks: list[Rgb],
    raised: float,
) -> None:
    """A plate with `grid` keys; `key` is a key's signed distance (mm) about its own middle."""
    w, h = size
    res = sharpness(spot.px_per_mm, w, 700)
    albedo, relief, u, v = blank(w, h, res, colour, min(4.0, h * 0.15))
    step_u, step_v = w * 0.9 / grid[0], h * 0.86 / grid[1]
    for i in range(grid[0]):
        for j in range(grid[1]):
            if rng.random() < 0.06:
                continue
            du, dv = u - (i - (grid[0] - 1) / 2) * step_u, v - (j - (grid[1] - 1) / 2) * step_v
            cover = np.clip(0.5 - key(du, dv) * res, 0, 1)
            ink = inks[int(rng.integers(len(inks)))]
            albedo[..., :3] += (ink - albedo[..., :3]) * cover[..., None]
            relief[..., 0] -= cover * du * F(raised)
            relief[..., 1] -= cover * dv * F(raised)
            relief[..., 3] *= 1 - 0.3 * np.clip(1 - np.abs(key(du, dv)) / 0.7, 0, 1)
    relief[..., 2] = rng.uniform(0.2, 1.2)
    lid, shape = Texture(albedo, relief, res), rounded_outline(w, h, min(4.0, h * 0.15), 3)
    g.prism(spot.base, axes(spot.heading), shape, thickness, colour * 0.6, colour * 0.8, texture=lid, gloss=0.5)


def _round(radius: float) -> Callable[[Image, Image], Image]:
    return lambda u, v: np.hypot(u, v) - F(radius)


def _square(half_u: float, half_v: float) -> Callable[[Image, Image], Image]:
    return lambda u, v: np.maximum(np.abs(u) - F(half_u), np.abs(v) - F(half_v))


def draw_remote(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    dark = linear(np.full(3, rng.uniform(0.05, 0.2))) if rng.random() < 0.7 else linear([0.8, 0.8, 0.8])
    inks = [linear(np.full(3, rng.uniform(0.1, 0.9))), any_colour(rng), dark * F(1.6) + F(0.02)]
    size, key = (rng.uniform(110, 200), rng.uniform(35, 50)), _round(rng.uniform(2.2, 4.5))
    _keyed_plate(g, rng, spot, size, rng.uniform(9, 18), dark, (int(rng.integers(7, 13)), 3), key, inks, 0.08)


def draw_brick(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    """Toy bricks with studs: 8 mm pitch, 4.8 mm studs."""
    for _ in range(rng.integers(1, 5)):
        colour = (
            any_colour(rng, (120, 255), (70, 250))
            if rng.random() < 0.7
            else linear(np.full(3, rng.uniform(0.05, 0.95)))
        )
        columns, rows = int(rng.integers(2, 9)), int(rng.integers(1, 3))
        frame = axes(rng.uniform(0, 6.3))
        base = spot.base + np.append(rng.normal(0, 25, 2), 0)
        shape, tall = rounded_outline(columns * 8, rows * 8, 0.4, 2), 9.6 if rng.random() < 0.6 else 3.2
        g.prism(base, frame, shape, tall, colour * 0.7, colour * 0.85, top_colour=colour, gloss=1.0)
        for i in range(columns):
            for j in range(rows):
                at = (
                    base
                    + frame[0] * (i - (columns - 1) / 2) * 8
                    + frame[1] * (j - (rows - 1) / 2) * 8
                    + frame[2] * tall
                )
                stud = disc_outline(2.4, 14)
                g.prism(at, frame, stud, 1.7, colour * 0.6, colour * 0.8, top_colour=colour, gloss=1.0, casts=False)


def draw_blister(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    foil = linear(np.full(3, rng.uniform(0.55, 0.85)))
    pill = any_colour(rng, (0, 200), (150, 255)) if rng.random() < 0.6 else linear([0.9] * 3)
    size, key = (rng.uniform(80, 110), rng.uniform(35, 50)), _round(rng.uniform(4, 6.5))
    _keyed_plate(g, rng, spot, size, 0.6, foil, (int(rng.integers(4, 7)), 2), key, [pill, pill * F(0.85)], 0.12)


def draw_calculator(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    colour = linear(np.full(3, rng.uniform(0.05, 0.8)))
    inks = [linear(np.full(3, rng.uniform(0.05, 0.95))), any_colour(rng)]
    half, size = rng.uniform(3, 5.5), (rng.uniform(90, 150), rng.uniform(55, 80))
    grid = (int(rng.integers(4, 8)), int(rng.integers(4, 6)))
    _keyed_plate(g, rng, spot, size, rng.uniform(6, 14), colour, grid, _square(half, half * 0.8), inks, 0.05)


def draw_chocolate(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    brown = linear(np.array([0.33, 0.2, 0.12]) * rng.uniform(0.6, 1.6))
    if rng.random() < 0.2:
        brown = linear([0.88, 0.82, 0.68])
    grid, cell = (int(rng.integers(2, 7)), int(rng.integers(1, 5))), rng.uniform(14, 26)
    size = (grid[0] * cell, grid[1] * cell * 0.8)
    key = _square(cell * 0.4, cell * 0.3)
    _keyed_plate(g, rng, spot, size, rng.uniform(5, 9), brown, grid, key, [brown * F(1.1)], 0.01)


def draw_ruler(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    """A ruler or a strip of wood with ticks and holes."""
    colour = any_colour(rng, (0, 160), (120, 250))
    ink = linear([0.05] * 3) if colour.mean() > 0.15 else linear([0.9] * 3)
    size = (rng.uniform(120, 310), rng.uniform(18, 35))
    ticks = _square(rng.uniform(0.3, 0.8), size[1] * rng.uniform(0.1, 0.25))
    _keyed_plate(
        g, rng, spot, size, rng.uniform(1.5, 4), colour, (int(size[0] / rng.uniform(5, 12)), 1), ticks, [ink], 0
    )
