"""Markers of no maker in particular: toy engines and cars put together from boxes, blocks, cones and domes.

A detector that has seen one maker's train knows that maker's train. These have only in common what makes a marker: a
small thing of one colour or two that stands on the table and was never a tile.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from datasets.render.camera import axes, disc_outline, rounded_outline
from datasets.render.colour import Rgb, any_colour, linear
from datasets.render.gbuffer import Drawn, GBuffer

Rng = np.random.Generator
Part = Callable[..., Drawn]


def any_paint(rng: Rng) -> Rgb:
    """Plastic of any colour, wood, or metal from dark to bright."""
    chance = rng.random()
    if chance < 0.55:
        return any_colour(rng, (110, 255))
    if chance < 0.7:
        return any_colour(rng, (30, 140))
    if chance < 0.9:
        return linear(np.repeat(rng.uniform(0.12, 0.92), 3) * rng.uniform(0.92, 1.08, 3))
    return linear(np.array([0.72, 0.55, 0.36]) * rng.uniform(0.6, 1.2))


def engine(
    g: GBuffer, rng: Rng, at: tuple[float, float], heading: float, owner: int, colour: Rgb | None, z: float
) -> list[Drawn]:
    """A chassis and one to three boxes on it, perhaps chimneys and wheels: engines, wagons, cars, boats."""
    length = rng.uniform(16, 50)
    width = length * rng.uniform(0.3, 0.62)
    first = any_paint(rng) if colour is None else colour
    second = any_paint(rng) if rng.random() < 0.3 else first
    tall = length * rng.uniform(0.1, 0.3)
    part = builder(g, rng, at, heading, owner, z)
    parts = [part(0, 0, 0, rounded_outline(length, width, width * rng.uniform(0.05, 0.48), 4), tall, first)]
    for _ in range(rng.integers(1, 4)):
        long = length * rng.uniform(0.18, 0.7)
        shape = rounded_outline(long, width * rng.uniform(0.55, 1.04), width * rng.uniform(0.02, 0.25), 3)
        along = rng.uniform(-0.5, 0.5) * (length - long)
        shade = rng.uniform(0.7, 1.25)
        parts.append(part(along, 0, tall, shape, tall * rng.uniform(0.4, 1.5), (second * shade).clip(0, 1)))
    for _ in range(rng.integers(0, 3)):
        round_ = disc_outline(width * rng.uniform(0.1, 0.22), 12)
        along, shade = rng.uniform(-0.42, 0.42) * length, rng.uniform(0.2, 1.0)
        parts.append(part(along, 0, tall * rng.uniform(1.2, 2.0), round_, tall * rng.uniform(0.3, 1.2), second * shade))
    if rng.random() < 0.4:
        wheel = rounded_outline(length * rng.uniform(0.12, 0.22), width * 0.16, 0.8, 2)
        black = first * rng.uniform(0.05, 0.4)
        for along in np.linspace(-0.34, 0.34, int(rng.integers(2, 4))) * length:
            parts += [part(along, side * width / 2, 0, wheel, tall * 0.8, black) for side in (-1, 1)]
    return parts


def block(
    g: GBuffer, rng: Rng, at: tuple[float, float], heading: float, owner: int, colour: Rgb | None, z: float
) -> list[Drawn]:
    """A cube, a plate, a prism with three to eight sides."""
    paint = any_paint(rng) if colour is None else colour
    part = builder(g, rng, at, heading, owner, z)
    if rng.random() < 0.5:
        long = rng.uniform(9, 22)
        shape = rounded_outline(long, long * rng.uniform(0.5, 1.0), long * rng.uniform(0.02, 0.3), 3)
    else:
        shape = disc_outline(rng.uniform(6, 13), int(rng.integers(3, 9)))
    return [part(0, 0, 0, shape, rng.uniform(3, 16), paint)]


def cone(
    g: GBuffer, rng: Rng, at: tuple[float, float], heading: float, owner: int, colour: Rgb | None, z: float
) -> list[Drawn]:
    """Discs that grow smaller upwards: cones, domes, stacked counters, with a knob or without."""
    paint = any_paint(rng) if colour is None else colour
    part = builder(g, rng, at, heading, owner, z)
    radius, steps = rng.uniform(6, 14), int(rng.integers(3, 7))
    power, top = rng.uniform(0.5, 2.5), rng.uniform(0.0, 0.5)
    height, parts = radius * rng.uniform(0.6, 2.2), []
    for n in range(steps):
        share = top + (1 - top) * (1 - (n / steps) ** power)
        shade = 0.8 + 0.2 * n / steps
        parts.append(part(0, 0, height * n / steps, disc_outline(radius * share, 24), height / steps, paint * shade))
    if rng.random() < 0.4:
        parts.append(part(0, 0, height, disc_outline(radius * rng.uniform(0.25, 0.5), 20), radius * 0.5, paint))
    return parts


def builder(
    g: GBuffer,
    rng: Rng,
    at: tuple[float, float],
    heading: float,
    owner: int,
    z: float,
    gloss: float | None = None,
) -> Part:
    """(along, across, up, outline, height, colour) -> one body of the thing; `gloss` None: plastic's, more or less."""
    frame, gloss = axes(heading), rng.uniform(0.1, 1.5) if gloss is None else gloss
    base = np.array([at[0], at[1], z])
    flank = rng.uniform(0.6, 0.95)

    def part(along: float, across: float, up: float, outline: NDArray[np.float64], tall: float, colour: Rgb) -> Drawn:
        place = base + along * frame[0] + across * frame[1] + up * frame[2]
        side = colour * flank
        return g.prism(place, frame, outline, tall, side, side, top_colour=colour, gloss=gloss, owner=owner)

    return part
