"""The table top of a picture: one of the materials or prints, with crumbs on it now and then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.chance import pick
from datasets.render.colour import household_colour
from datasets.render.domino_prints import domino_cloth
from datasets.render.materials import Made, cloth, laminate, leather, mix, parquet, stone, wood
from datasets.render.mats import mat
from datasets.render.prints import carpet, flowers, game_board, newspaper, printed_shapes

F = np.float32
Image = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """`albedo` (n, n, 3), `slope` (n, n, 2) or None, gloss and roughness of its mirror, and the texture's scale."""

    kind: str
    albedo: Image
    slope: Image | None
    gloss: float
    roughness: float
    mm_per_px: float


_MAKERS: dict[str, Callable[[np.random.Generator, int, float], Made]] = {
    "wood": wood,
    "cloth": cloth,
    "laminate": laminate,
    "stone": stone,
    "parquet": parquet,
    "leather": leather,
    "carpet": carpet,
    "flowers": flowers,
    "newspaper": newspaper,
    "shapes": printed_shapes,
    "board": game_board,
    "dominoes": domino_cloth,
}
_AT_RANDOM = tuple(_MAKERS)
_MAKERS["mat"] = mat
KINDS = tuple(_MAKERS)
_WEIGHTS = (0.27, 0.2, 0.18, 0.07, 0.04, 0.03, 0.06, 0.05, 0.02, 0.03, 0.04, 0.02)
PATTERNED = ("cloth", "parquet", "carpet", "flowers", "newspaper", "shapes", "board", "dominoes")


def make_surface(rng: np.random.Generator, n: int, mm_per_px: float, kind: str | None = None) -> Surface:
    """An n x n texture. `kind` one of `KINDS`, else a random one; mats come only by their name."""
    kind = kind or pick(rng, _AT_RANDOM, _WEIGHTS)
    albedo, slope, gloss, roughness = _MAKERS[kind](rng, n, mm_per_px)
    if rng.random() < 0.3:  # crumbs and specks
        specks = np.zeros((n, n), F)
        for _ in range(rng.integers(5, 120)):
            at = (int(rng.integers(n)), int(rng.integers(n)))
            cv2.circle(
                specks, at, max(1, int(rng.uniform(0.2, 1.2) / mm_per_px)), rng.uniform(0.2, 0.8), -1, cv2.LINE_AA
            )
        albedo = mix(albedo, household_colour(rng, saturation=60), specks)
    return Surface(kind, np.clip(albedo, 0.003, 0.92).astype(F), slope, gloss, roughness, mm_per_px)
