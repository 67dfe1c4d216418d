"""The light of a random room: lamps of real size, and what surrounds the table and is mirrored in the tiles."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.camera import Array, Camera
from datasets.render.chance import pick

F = np.float32
Rng = np.random.Generator
SURROUNDINGS_WH = (64, 32)
"""Pixels of the surroundings all around, the zenith in the top row."""
GLARED = 0.3
"""The share of tables on which a lamp hangs where the tiles mirror it into the camera."""


@dataclass(frozen=True, slots=True, eq=False)
class Lamp:
    """A square of `size` mm at `position` mm that shines at `toward`; `light` (3,) is what it lays on a table that
    faces it at that distance, as linear RGB."""

    position: Array
    toward: Array
    size: float
    light: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """`surroundings` (h, w, 3) linear light from all around, equirectangular."""

    lamps: tuple[Lamp, ...]
    surroundings: NDArray[np.float32]


def make_room(rng: Rng, camera: Camera) -> Room:
    """One to three lamps or windows around what `camera` looks at."""
    tint = warmth(rng.uniform(-1, 1))
    middle = np.array([*camera.target, 0.0])
    lamps = [_lamp(rng, middle, tint) for _ in range(int(rng.choice([1, 2, 3], p=[0.45, 0.37, 0.18])))]
    if rng.random() < GLARED:
        lamps.append(_mirrored(rng, camera, middle, tint))
    return Room(tuple(lamps), _surroundings(rng, tint))


def warmth(warm: float) -> NDArray[np.float32]:
    """(3,) the colour of light from -1 (overcast sky) to 1 (a bulb)."""
    return np.array([1 + 0.22 * warm, 1.0, 1 - 0.3 * warm], F)


def _lamp(rng: Rng, middle: Array, tint: NDArray[np.float32]) -> Lamp:
    kind = pick(rng, ["bulb", "panel", "window"], [0.4, 0.25, 0.35])
    around = rng.uniform(0, 2 * math.pi)
    if kind == "window":
        away, height, size = rng.uniform(900, 2500), rng.uniform(500, 1500), rng.uniform(700, 1600)
        tint = tint * np.array([0.93, 1, 1.1], F)
    else:
        away, height = rng.uniform(0, 1200), rng.uniform(600, 1900)
        size = rng.uniform(30, 220) if kind == "bulb" else rng.uniform(300, 1000)
    place = middle + np.array([away * math.cos(around), away * math.sin(around), height])
    strength = math.exp(rng.normal(0, 0.5))
    return Lamp(place, middle, size, tint * F(strength))


def _mirrored(rng: Rng, camera: Camera, middle: Array, tint: NDArray[np.float32]) -> Lamp:
    """Beyond the table, where a flat tile near the middle sees the camera in it."""
    at = middle + np.array([*rng.normal(0, 0.2 * camera.view_mm, 2), 0.0])
    out = (at - camera.centre) * (1, 1, -1)
    place = at + out / np.linalg.norm(out) * rng.uniform(900, 2200)
    return Lamp(place, at, rng.uniform(80, 700), tint * F(rng.uniform(0.3, 1.2)))


def _surroundings(rng: Rng, tint: NDArray[np.float32]) -> NDArray[np.float32]:
    """A ceiling, walls, dark furniture, and now and then bright windows in the walls."""
    w, h = SURROUNDINGS_WH
    rise = np.linspace(1, -1, h, dtype=F)[:, None]
    few = rng.random((4, 8), np.float32)
    patches = cv2.resize(few, (w, h), interpolation=cv2.INTER_CUBIC)
    light = (
        F(math.exp(rng.uniform(math.log(0.06), math.log(0.5))))
        * (0.55 + 0.45 * np.clip(rise * 2, -1, 1))
        * np.clip(0.4 + patches, 0.1, 1.5)
    )
    out = np.repeat(light[..., None], 3, 2) * tint
    for _ in range(int(rng.integers(0, 3))):
        x, y = int(rng.integers(w)), int(rng.integers(h // 6, h // 2 - 3))
        out[y : y + int(rng.integers(2, 6)), x : x + int(rng.integers(2, 8))] += F(rng.uniform(1, 8))
    return np.ascontiguousarray(out, F)
