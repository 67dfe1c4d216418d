"""Train markers: plastic or metal engines, coins, pawns, chips and buttons, and those of `tokens`."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.camera import axes, disc_outline, rounded_outline
from datasets.render.chance import pick
from datasets.render.colour import Rgb, any_colour, linear
from datasets.render.figures import BODIES, figure
from datasets.render.gbuffer import Drawn, GBuffer, Texture
from datasets.render.tokens import block, cone, engine

F = np.float32
KINDS = ("train", "coin", "pawn", "chip", "button", "engine", "block", "cone")
_WEIGHTS = (0.26, 0.13, 0.08, 0.08, 0.06, 0.27, 0.06, 0.06)
ROUND = ("coin", "chip", "pawn", "button")
_TOKENS = {"engine": engine, "block": block, "cone": cone}


@dataclass(frozen=True, slots=True, eq=False)
class DrawnThing:
    """A labelled thing that is no tile: class number, owner in the buffer, outline in undistorted pixels."""

    label: int
    owner: int
    hull: NDArray[np.float32]
    kind: str


def blank(
    width: float, height: float, px_per_mm: float, colour: Rgb, radius: float = 1.0
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Albedo, relief and the coordinates u, v (mm) of a flat coloured lid with round corners."""
    pad = 2
    w, h = round(width * px_per_mm) + 2 * pad, round(height * px_per_mm) + 2 * pad
    u, v = np.meshgrid(
        (np.arange(w, dtype=F) + 0.5 - w / 2) / F(px_per_mm), (np.arange(h, dtype=F) + 0.5 - h / 2) / F(px_per_mm)
    )
    qu, qv = np.abs(u) - (width / 2 - radius), np.abs(v) - (height / 2 - radius)
    distance = np.hypot(np.maximum(qu, 0), np.maximum(qv, 0)) + np.minimum(np.maximum(qu, qv), 0) - radius
    albedo = np.empty((h, w, 4), F)
    albedo[..., :3] = colour
    albedo[..., 3] = np.clip(0.5 - distance * px_per_mm, 0, 1)
    relief = np.zeros((h, w, 4), F)
    relief[..., 3] = 1
    return albedo, relief, u, v


def sharpness(px_per_mm: float, size_mm: float, limit: int = 900) -> float:
    """Texture resolution for a thing of `size_mm`: a little finer than the picture, never more than `limit` px."""
    return float(np.clip(px_per_mm * 1.15, 14 / size_mm, limit / size_mm))


def draw_marker(
    g: GBuffer,
    rng: np.random.Generator,
    at: tuple[float, float],
    heading: float,
    px_per_mm: float,
    kind: str | None = None,
    colour: Rgb | None = None,
    z: float = 0.0,
) -> DrawnThing:
    kind = kind or pick(rng, KINDS, _WEIGHTS)
    owner = g.new_owner()
    if kind == "train":
        parts = _train(g, rng, at, heading, owner, colour, z)
    elif kind in BODIES:
        parts = figure(kind, g, rng, at, heading, owner, colour, z)
    elif kind in _TOKENS:
        parts = _TOKENS[kind](g, rng, at, heading, owner, colour, z)
    elif kind == "pawn":
        parts = _pawn(g, rng, at, owner, any_colour(rng, (120, 255)) if colour is None else colour, z)
    else:
        parts = [_disc(g, rng, at, heading, px_per_mm, kind, owner, colour, z)]
    hull = cv2.convexHull(np.concatenate([p.hull for p in parts]))[:, 0]
    return DrawnThing(2, owner, hull, kind)


def _train(
    g: GBuffer,
    rng: np.random.Generator,
    at: tuple[float, float],
    heading: float,
    owner: int,
    colour: Rgb | None,
    z: float,
) -> list[Drawn]:
    length = rng.uniform(20, 48)
    width = length * rng.uniform(0.32, 0.5)
    if colour is None:
        metal = linear(np.repeat(rng.uniform(0.1, 0.8), 3))
        colour = any_colour(rng, (120, 255)) if rng.random() < 0.8 else metal
    frame, gloss, dark = axes(heading), rng.uniform(0.3, 1.2), colour * 0.75
    base = np.array([at[0], at[1], z])
    floor = length * rng.uniform(0.18, 0.3)

    def point(u: float, up: float) -> NDArray[np.float64]:
        return base + u * frame[0] + up * frame[2]

    def box(u: float, up: float, outline: NDArray[np.float64], tall: float, top: Rgb, casts: bool = True) -> Drawn:
        return g.prism(
            point(u, up), frame, outline, tall, dark, dark, top_colour=top, gloss=gloss, casts=casts, owner=owner
        )

    parts = [box(0, 0, rounded_outline(length, width, width * 0.12, 3), floor, colour)]
    cabin = length * rng.uniform(0.25, 0.4)
    shape = rounded_outline(cabin, width * rng.uniform(0.8, 1.05), 1, 2)
    parts.append(
        box(-length / 2 + cabin / 2 + 0.5, floor, shape, floor * rng.uniform(0.7, 1.3), colour * rng.uniform(0.7, 1.2))
    )
    boiler = length - cabin - 2
    for k, share in ((0, 0.8), (1, 0.55), (2, 0.28)):  # a stack of narrowing boxes looks round from above
        shape = rounded_outline(boiler, width * share, width * 0.1, 2)
        at_u, up = length / 2 - boiler / 2 - 1, floor * (1 + 0.22 * k)
        parts.append(box(at_u, up, shape, floor * 0.22, colour * (0.85 + 0.12 * k), casts=False))
    chimney = disc_outline(width * rng.uniform(0.12, 0.2), 12)
    parts.append(box(length / 2 - boiler * 0.2, floor * 1.5, chimney, floor * rng.uniform(0.4, 0.9), colour * 0.4))
    if rng.random() < 0.6:
        parts.append(box(length / 2 - boiler * 0.6, floor * 1.5, disc_outline(width * 0.14, 12), floor * 0.3, colour))
    return parts


def _pawn(
    g: GBuffer, rng: np.random.Generator, at: tuple[float, float], owner: int, colour: Rgb, z: float
) -> list[Drawn]:
    radius, up, parts = rng.uniform(5, 9), z, []
    for share, tall in ((1, 0.3), (0.8, 0.4), (0.55, 0.7), (0.45, 0.7), (0.6, 0.8)):
        parts.append(
            g.prism(
                (at[0], at[1], up),
                axes(0),
                disc_outline(radius * share, 20),
                radius * tall,
                colour * 0.7,
                colour * 0.9,
                top_colour=colour,
                gloss=1,
                owner=owner,
            )
        )
        up += radius * tall
    return parts


_METALS = ((0.62, 0.38, 0.24), (0.72, 0.72, 0.7), (0.75, 0.62, 0.3))


def _disc(
    g: GBuffer,
    rng: np.random.Generator,
    at: tuple[float, float],
    heading: float,
    px_per_mm: float,
    kind: str,
    owner: int,
    colour: Rgb | None,
    z: float,
) -> Drawn:
    low, high, thick = {"coin": (8.5, 13, 1.6), "chip": (12, 20, 3.2), "button": (6, 14, 2.4)}[kind]
    radius = rng.uniform(low, high)
    if colour is None:
        metal = linear(pick(rng, _METALS, [0.6, 0.25, 0.15])) * rng.uniform(0.5, 1.1)
        colour = metal if kind == "coin" else any_colour(rng, (80, 255))
    res = sharpness(px_per_mm, 2 * radius)
    albedo, relief, u, v = blank(2 * radius, 2 * radius, res, colour, radius)
    d, around = np.hypot(u, v), np.arctan2(v, u)
    if kind == "coin":
        relief[..., 2] = rng.uniform(2, 6)
        albedo[..., :3] *= (1 - 0.35 * np.clip(0.5 - (np.abs(d - radius * 0.92) - 0.4) * res, 0, 1))[..., None]
        figure = cv2.resize(rng.standard_normal((9, 9), np.float32), u.shape[::-1], interpolation=cv2.INTER_CUBIC)
        figure[d > radius * 0.75] = 0
        relief[..., 0] = cv2.Sobel(figure, cv2.CV_32F, 1, 0) * F(0.6)
        relief[..., 1] = cv2.Sobel(figure, cv2.CV_32F, 0, 1) * F(0.6)
        albedo[..., :3] *= (1 - 0.2 * np.clip(figure, 0, 1))[..., None]
    elif kind == "chip":
        albedo[..., :3][(d > radius * 0.72) & (np.cos(around * 6) > 0.2)] = linear([0.9, 0.9, 0.88])
        albedo[..., :3][np.abs(d - radius * 0.62) < radius * 0.03] *= 0.4
        relief[..., 2] = 0.6
    else:
        holes = int(rng.choice([2, 4]))
        for k in range(holes):
            a = (k + 0.5) * 2 * np.pi / holes
            hole = np.hypot(u - radius * 0.28 * np.cos(a), v - radius * 0.28 * np.sin(a)) - radius * 0.12
            albedo[..., :3] *= (1 - 0.85 * np.clip(0.5 - hole * res, 0, 1))[..., None]
        relief[..., 3] *= 1 - 0.3 * np.clip(0.5 - (np.abs(d - radius * 0.7) - 0.5) * res, 0, 1)
        relief[..., 2] = 1.0
    lid = Texture(albedo, relief, res)
    return g.prism(
        (at[0], at[1], z), axes(heading), disc_outline(radius, 28), thick, colour * 0.6, texture=lid, owner=owner
    )
