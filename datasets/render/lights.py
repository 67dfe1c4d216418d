"""The room's light: lamps, tubes and windows, and what a glossy tile mirrors of the room."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.chance import pick
from datasets.render.noise import smooth

F = np.float32
_SIZE = 256


@dataclass(frozen=True, slots=True, eq=False)
class Lamp:
    """A light at `position` mm relative to the scene's origin; `size` is its width over its height (soft shadows)."""

    position: NDArray[np.float64]
    colour: NDArray[np.float32]
    size: float


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """`environment` (256, 256, 3) over m = q / (1 + |q|), where q is the horizontal offset over the height of what a
    mirrored ray meets; `ceiling_mm` the height at which it meets it."""

    environment: NDArray[np.float32]
    lamps: tuple[Lamp, ...]
    ceiling_mm: float
    ambient: NDArray[np.float32]


def make_room(rng: np.random.Generator, soft: bool = False) -> Room:
    """One to four lights in a random room. `soft` asks for even light: no hard shadow and no strong glare."""
    axis = (np.arange(_SIZE, dtype=F) + 0.5) / _SIZE * 2 - 1
    mx, my = np.meshgrid(axis, axis)
    radius = np.sqrt(mx * mx + my * my)
    warm = rng.uniform(-1, 1)
    tint = np.array([1 + 0.10 * warm, 1.0, 1 - 0.14 * warm], F)
    environment = np.empty((_SIZE, _SIZE, 3), F)
    base = rng.uniform(0.25, 0.7)
    environment[:] = (base * np.clip(1 + 0.25 * smooth(rng, _SIZE, 3) - 0.35 * radius, 0.15, 2))[..., None] * tint
    furniture = 0.6 * np.sin(np.arctan2(my, mx) * rng.integers(2, 6) + rng.uniform(0, 6))
    environment *= np.clip(1.35 - np.clip(radius - 0.45, 0, 1) * (1 + furniture), 0.2, 1.4)[..., None]
    ceiling = rng.uniform(900, 2000)
    ambient = rng.uniform(0.25, 0.9) if rng.random() < 0.75 else rng.uniform(0.9, 1.8)
    lamps = []
    for i in range(int(rng.choice([1, 2, 3, 4], p=[0.38, 0.32, 0.2, 0.1]))):
        lamp, shine = _lamp(rng, i, tint, ceiling, mx, my, soft)
        lamps.append(lamp)
        environment += shine
    if soft:
        ambient = max(ambient, 0.7)
    return Room(environment, tuple(lamps), ceiling, ambient * tint)


def _lamp(
    rng: np.random.Generator,
    index: int,
    tint: NDArray[np.float32],
    ceiling: float,
    mx: NDArray[np.float32],
    my: NDArray[np.float32],
    soft: bool,
) -> tuple[Lamp, NDArray[np.float32]]:
    kind = pick(rng, ["lamp", "tube", "window"], [0.5, 0.18, 0.32])
    around = rng.uniform(0, 2 * math.pi)
    colour = tint * np.array([1 + rng.normal(0, 0.06), 1, 1 + rng.normal(0, 0.08)], F)
    if kind == "window":
        off = rng.uniform(0.52, 0.8)
        wide, high = rng.uniform(0.08, 0.22), rng.uniform(0.04, 0.12)
        radiance, size = rng.uniform(4, 14), rng.uniform(0.25, 0.6)
        colour = colour * np.array([0.93, 1, 1.12], F)
    elif kind == "tube":
        off = rng.uniform(0, 0.5)
        wide, high = rng.uniform(0.12, 0.3), rng.uniform(0.012, 0.04)
        radiance, size = rng.uniform(10, 40), rng.uniform(0.15, 0.4)
    else:
        off = rng.uniform(0, 0.55)
        wide = high = rng.uniform(0.015, 0.08)
        radiance, size = rng.uniform(15, 90), wide * 2
    if soft:
        off, radiance, size = max(off, 0.45), radiance * 0.2, max(size, 0.35)
    cx, cy = off * math.cos(around), off * math.sin(around)
    turn = around + math.pi / 2 if kind == "window" else rng.uniform(0, math.pi)
    u = (mx - cx) * math.cos(turn) + (my - cy) * math.sin(turn)
    v = -(mx - cx) * math.sin(turn) + (my - cy) * math.cos(turn)
    outside = np.sqrt(u * u + v * v) - wide if kind == "lamp" else np.maximum(np.abs(u) - wide, np.abs(v) - high)
    shape = np.clip(0.5 - outside * _SIZE / 2, 0, 1)
    if kind == "window":
        bars = (np.abs(((u / wide) * 1.5) % 1 - 0.5) < 0.07) | (np.abs(v) < 0.006)
        shape = shape * (1 - 0.85 * bars)
    q = off / max(1 - off, 0.05)
    position = np.array([q * math.cos(around) * ceiling, q * math.sin(around) * ceiling, ceiling])
    strength = rng.uniform(0.35, 1.0) if index == 0 else rng.uniform(0.1, 0.6)
    return Lamp(position, colour * F(strength), size), (shape * F(radiance))[..., None] * colour


def blurred(environment: NDArray[np.float32], roughness: float) -> NDArray[np.float32]:
    """The room as a surface of this roughness mirrors it."""
    sigma = max(0.4, roughness * _SIZE * 0.5)
    if sigma > 8:
        small = cv2.resize(environment, (64, 64), interpolation=cv2.INTER_AREA)
        small = cv2.GaussianBlur(small, (0, 0), sigma / 4)
        return cv2.resize(small, (_SIZE, _SIZE), interpolation=cv2.INTER_LINEAR)
    return cv2.GaussianBlur(environment, (0, 0), sigma)


def sun_and_shade(rng: np.random.Generator, image: NDArray[np.float32]) -> NDArray[np.float32]:
    """Now and then hard-edged patches of sunlight, or large soft shadows of people and lamp stands."""
    h, w = image.shape[0] // 4, image.shape[1] // 4
    chance = rng.random()
    if chance >= 0.3:
        return image
    mask = np.zeros((h, w), np.uint8)
    if chance < 0.09:
        c = rng.uniform(0, 1, 2) * [w, h]
        for _ in range(rng.integers(1, 4)):
            size = (float(rng.uniform(0.15, 0.9) * w), float(rng.uniform(0.1, 0.5) * w))
            patch = cv2.boxPoints(((float(c[0]), float(c[1])), size, float(rng.uniform(0, 180))))
            patch += rng.normal(0, w * 0.05, patch.shape).astype(F)
            cv2.fillConvexPoly(mask, cv2.convexHull(patch.astype(np.int32)), 255, cv2.LINE_AA)
            c = c + rng.normal(0, w * 0.25, 2)
        patch = cv2.GaussianBlur(mask.astype(F) / 255, (0, 0), rng.uniform(0.4, 3))[..., None]
        gain = 1 + patch * np.array([1.05, 1.0, 0.85], F) * F(rng.uniform(0.8, 3.0))
    else:
        from_edge = [(0, rng.random()), (1, rng.random()), (rng.random(), 0), (rng.random(), 1)]
        for _ in range(rng.integers(1, 4)):
            x, y = from_edge[rng.integers(4)]
            radii = (int(w * rng.uniform(0.1, 0.5)), int(w * rng.uniform(0.06, 0.25)))
            middle = (int(x * w), int(y * h))
            cv2.ellipse(mask, middle, radii, float(rng.uniform(0, 180)), 0, 360, 255, -1, cv2.LINE_AA)
        soft = cv2.GaussianBlur(mask.astype(F) / 255, (0, 0), rng.uniform(3, 25))
        gain = np.repeat(1 - soft[..., None] * F(rng.uniform(0.2, 0.65)), 3, axis=2)
    return image * cv2.resize(gain.astype(F), image.shape[1::-1], interpolation=cv2.INTER_LINEAR)
