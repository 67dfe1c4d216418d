"""Hands and forearms over the table: capsules with a height field, in any skin tone, with or without a sleeve."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.camera import Camera, disc_outline
from datasets.render.chance import pick
from datasets.render.colour import Rgb, any_colour, linear
from datasets.render.gbuffer import HAND, GBuffer

F = np.float32
_SKINS = ((0.92, 0.74, 0.63), (0.85, 0.63, 0.5), (0.72, 0.5, 0.37), (0.5, 0.33, 0.23), (0.32, 0.2, 0.14))


@dataclass(frozen=True, slots=True, eq=False)
class _Capsule:
    """From `start` to `end` (mm on the table) at heights z0, z1 with radii r0, r1; `part` finger, palm or sleeve."""

    start: NDArray[np.float64]
    end: NDArray[np.float64]
    r0: float
    r1: float
    z0: float
    z1: float
    part: str


def draw_hand(
    g: GBuffer,
    rng: np.random.Generator,
    tip: tuple[float, float],
    heading: float,
    lift: float = 25.0,
    sleeve: Rgb | None = None,
) -> None:
    """A hand reaching along `heading` with its finger tips near `tip` (mm), `lift` mm above the table.

    `sleeve` (linear RGB) dresses the arm in this colour; None: in any, or not at all.
    """
    skin, chosen = _colours(rng)
    dress, sleeve = sleeve is not None, chosen if sleeve is None else sleeve
    capsules = _capsules(rng, np.array(tip, float), heading, lift)
    if dress:
        capsules = [*capsules[:-2], *(replace(c, part="sleeve") for c in capsules[-2:])]
    px_per_mm = g.camera.scale_at(tip)
    ends = [(c, *g.camera.project([[*c.start, c.z0], [*c.end, c.z1]])) for c in capsules]
    x0, y0, x1, y1 = _box(ends, px_per_mm, g.camera)
    if x1 - x0 < 8 or y1 - y0 < 8:
        return
    k = max(1, math.ceil(max(x1 - x0, y1 - y0) / 300))
    height, inside, cloth = _height_field(ends, px_per_mm, (x0, y0, x1, y1), k)
    height = cv2.GaussianBlur(np.maximum(height, 0), (0, 0), max(0.8, 1.6 * px_per_mm / k))
    size = (int(x1 - x0), int(y1 - y0))

    def full(field: NDArray[np.float32]) -> NDArray[np.float32]:
        return cv2.resize(field, size, interpolation=cv2.INTER_LINEAR)

    def blotches(cell: int) -> NDArray[np.float32]:
        return full(rng.standard_normal((max(2, size[1] // cell), max(2, size[0] // cell)), np.float32))

    broad, fine = blotches(40), blotches(3)
    mottle = (1 + 0.06 * broad + 0.03 * fine)[..., None]
    surface = np.empty((size[1], size[0], 4), F)
    blush = (0.5 + 0.5 * np.tanh(broad))[..., None] * np.array([0.03, -0.015, -0.015], F) * skin.mean() * 2
    surface[..., :3] = np.clip(skin * mottle + blush, 0.01, 0.95)
    covered = full(cloth)[..., None]
    surface[..., :3] += (sleeve * mottle - surface[..., :3]) * covered
    surface[..., 3] = 0.9
    shape = np.empty((size[1], size[0], 4), F)
    for axis, d in ((0, (1, 0)), (1, (0, 1))):
        slope = cv2.Sobel(height, cv2.CV_32F, *d, ksize=3) / F(8 * k)
        shape[..., axis] = full(slope).clip(-2.2, 2.2)
    shape[..., 2] = 0.18 * (1 - covered[..., 0])
    shape[..., 3] = lift * 1.5
    g.blend(int(x0), int(y0), full(np.clip(inside / k + 0.5, 0, 1).astype(F)), surface, shape, HAND)
    for c in capsules:
        rim = np.concatenate(
            [
                np.column_stack([disc_outline(r, 10) + p, np.full(10, z)])
                for p, r, z in ((c.start, c.r0, c.z0), (c.end, c.r1, c.z1))
            ]
        )
        g.casters.append((rim - [0, 0, 6.0], rim))


def hand_outline(
    camera: Camera, rng: np.random.Generator, tip: tuple[float, float], heading: float, lift: float = 25.0
) -> NDArray[np.float32]:
    """(h, w) in 0..1: which pixels `draw_hand` covers with the same arguments, whatever the arm looks like."""
    _colours(rng)
    px_per_mm = camera.scale_at(tip)
    capsules = _capsules(rng, np.array(tip, float), heading, lift)
    ends = [(c, *camera.project([[*c.start, c.z0], [*c.end, c.z1]])) for c in capsules]
    x0, y0, x1, y1 = _box(ends, px_per_mm, camera)
    covered = np.zeros((camera.height, camera.width), F)
    if x1 - x0 >= 8 and y1 - y0 >= 8:
        k = max(1, math.ceil(max(x1 - x0, y1 - y0) / 300))
        _, inside, _ = _height_field(ends, px_per_mm, (x0, y0, x1, y1), k)
        size = (x1 - x0, y1 - y0)
        covered[y0:y1, x0:x1] = cv2.resize(np.clip(inside / k + 0.5, 0, 1).astype(F), size)
    return covered


def _colours(rng: np.random.Generator) -> tuple[Rgb, Rgb]:
    skin = linear(np.clip(np.array(pick(rng, _SKINS, [0.3, 0.27, 0.18, 0.14, 0.11])) * rng.uniform(0.9, 1.06), 0, 1))
    return skin, any_colour(rng, (0, 220), (20, 230))


def _box(ends: list, px_per_mm: float, camera: Camera) -> tuple[int, int, int, int]:
    every = np.array([p + s * max(c.r0, c.r1) * px_per_mm for c, a, b in ends for p in (a, b) for s in (-1.05, 1.05)])
    x0, y0 = np.maximum(np.floor(every.min(0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(every.max(0)).astype(int), [camera.width, camera.height])
    return int(x0), int(y0), int(x1), int(y1)


def _capsules(rng: np.random.Generator, tip: NDArray[np.float64], heading: float, lift: float) -> list[_Capsule]:
    size = rng.uniform(0.85, 1.12)
    d = np.array([math.cos(heading), math.sin(heading)])
    side = np.array([-d[1], d[0]]) * (1 if rng.random() < 0.5 else -1)
    palm = tip - d * 105 * size
    curl = rng.uniform(0, 0.6)
    out: list[_Capsule] = []

    def add(a: NDArray, b: NDArray, r0: float, r1: float, z0: float, z1: float, part: str) -> None:
        out.append(_Capsule(a, b, r0 * size, r1 * size, z0, z1, part))

    for k, (off, reach) in enumerate(((-30, 72), (-10, 80), (10, 75), (29, 60))):
        reach *= size * (1 - (curl if k else 0) * rng.uniform(0.3, 0.9))
        spread = off / 30 * rng.uniform(0.05, 0.28)
        along = d * math.cos(spread) + side * math.sin(spread)
        root = palm + side * off * size + d * 38 * size
        add(root, root + along * reach * 0.5, 10, 9, lift * 1.1, lift * 1.25, "finger")
        add(root + along * reach * 0.5, root + along * reach, 9, 7.2, lift * 1.25, lift * 0.7, "finger")
    ball = palm - side * 38 * size
    joint = ball - side * 22 * size + d * 30 * size
    thumb = joint + d * rng.uniform(20, 38) * size + side * rng.uniform(-5, 25) * size
    add(ball, joint, 15, 12, lift, lift * 1.1, "finger")
    add(joint, thumb, 11, 8.5, lift * 1.1, lift * 0.8, "finger")
    add(palm - d * 30 * size, palm + d * 34 * size, 36, 40, lift * 1.2, lift * 1.2, "palm")
    wrist = palm - d * 62 * size
    add(palm - d * 30 * size, wrist, 34, 28, lift * 1.2, lift * 1.3, "palm")
    elbow = wrist - d * 420 + side * rng.normal(0, 50)
    dressed = rng.random() < 0.55
    add(wrist, elbow, 28, 42, lift * 1.3, lift * 2, "sleeve" if dressed else "palm")
    upper = "sleeve" if dressed or rng.random() < 0.6 else "palm"
    add(elbow, elbow - d * 900 + side * rng.normal(0, 120), 42, 62, lift * 2, lift * 2.6, upper)
    return out


def _height_field(
    ends: list, px_per_mm: float, box: tuple[int, int, int, int], k: int
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Height (px), distance inside the outline (px) and sleeve share on a grid of k pixels."""
    x0, y0, x1, y1 = box
    w, h = (x1 - x0 + k - 1) // k, (y1 - y0 + k - 1) // k
    gx, gy = np.meshgrid((np.arange(w, dtype=F) + 0.5) * k + x0, (np.arange(h, dtype=F) + 0.5) * k + y0)
    height, inside, cloth = np.full((h, w), -1.0, F), np.full((h, w), -9.0, F), np.zeros((h, w), F)
    for c, a, b in ends:
        ab = b - a
        t = ((gx - a[0]) * F(ab[0]) + (gy - a[1]) * F(ab[1])) / F(max(float(ab @ ab), 1e-3))
        t = np.clip(t, 0, 1)
        distance = np.hypot(gx - a[0] - t * F(ab[0]), gy - a[1] - t * F(ab[1]))
        radius = (c.r0 + (c.r1 - c.r0) * t) * px_per_mm * 1.04
        inside = np.maximum(inside, radius - distance)
        bulge = np.sqrt(np.clip(1 - (distance / radius) ** 2, 0, 1)) * radius
        if c.part == "palm":
            bulge = bulge * 0.45
        elif c.part == "sleeve":
            bulge = bulge + F(0.2 * px_per_mm)
        higher = (bulge > height) & (radius - distance > -1)
        height = np.where(higher, bulge, height)
        cloth = np.where(higher, F(c.part == "sleeve"), cloth)
    return height.astype(F), inside.astype(F), cloth.astype(F)
