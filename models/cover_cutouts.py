"""Things that lie on tiles, drawn alone: each as a picture with its own outline and its shadow, to be laid on any tile.

    python -m models.cover_cutouts --out FILE.npz --n 3000 --seed 1

Toy trains, coins, pawns and chips from `datasets.render.markers`, hands, and what else lies on a table.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.camera import Camera
from datasets.render.clutter import draw_clutter
from datasets.render.gbuffer import GBuffer
from datasets.render.hands import draw_hand
from datasets.render.lighting import shade
from datasets.render.lights import make_room
from datasets.render.markers import draw_marker
from datasets.render.spot import Spot
from datasets.render.styles import make_style
from models.crops import UNIT

F = np.float32
Field = NDArray[np.float32]

TILE_WIDTH_MM = 24.0
PX_PER_MM = UNIT / TILE_WIDTH_MM
SIDE = 192
"""Pixels of a cut-out: 92 mm, more than a tile's crop shows."""
KINDS = {
    "marker": 0.56,
    "hand": 0.14,
    "cup": 0.04,
    "cards": 0.04,
    "paper": 0.03,
    "pen": 0.04,
    "sticky": 0.02,
    "block": 0.05,
    "coaster": 0.02,
    "glass": 0.02,
    "crisps": 0.02,
    "dice": 0.02,
}
LEAST_PX = 60
"""A thing of which less is seen is drawn again."""


@dataclass(frozen=True, slots=True)
class Cutouts:
    """`colour` (n, SIDE, SIDE, 3) linear RGB in half precision, `shown` (n, SIDE, SIDE) uint8 how much of each pixel
    the thing hides, `shade` the same how much light its shadow leaves, `kind` (n,) numbers in KINDS."""

    colour: NDArray[np.float16]
    shown: NDArray[np.uint8]
    shade: NDArray[np.uint8]
    kind: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.kind)

    def save(self, path: Path) -> None:
        np.savez(path, **{name: getattr(self, name) for name in Cutouts.__slots__})

    @staticmethod
    def load(path: Path) -> Cutouts:
        with np.load(path) as columns:
            return Cutouts(**columns)


def cutout(
    rng: np.random.Generator, kind: str, px_per_mm: float = PX_PER_MM, side: int = SIDE
) -> tuple[Field, Field, Field] | None:
    """Colour, outline and shadow of one thing from above or up to 40 degrees aside; None where too little shows."""
    style = make_style(rng)
    tilt = math.radians(abs(rng.normal(0, 14)) if rng.random() < 0.7 else rng.uniform(15, 40))
    camera = Camera(
        side, side, rng.uniform(30, 60), side / px_per_mm, (0.0, 0.0), tilt, rng.uniform(0, 2 * math.pi), 0.0
    )
    g = GBuffer(camera)
    g.surface[..., :3] = 0.5
    g.surface[..., 3] = 1
    g.shape[..., 2] = 0.2
    bare = g.copy()
    heading = rng.uniform(0, 2 * math.pi)
    if kind == "marker":
        draw_marker(g, rng, (0.0, 0.0), heading, px_per_mm)
    elif kind == "hand":
        reach = rng.uniform(-15, 25)
        draw_hand(g, rng, (reach * math.cos(heading), reach * math.sin(heading)), heading, rng.uniform(4, 40))
    else:
        away = 0.0 if kind in ("block", "pen", "crisps", "dice") else rng.uniform(20, 70)
        at = (away * math.cos(heading), away * math.sin(heading))
        draw_clutter(g, rng, kind, Spot(*at, rng.uniform(0, 2 * math.pi), px_per_mm, style))
    if (g.body > 0.5).sum() < LEAST_PX:
        return None
    room = make_room(rng)
    light = {
        "tile_roughness": rng.uniform(0.1, 0.5),
        "table_roughness": 0.5,
        "tile_thickness": style.body.thickness,
        "origin": (float(rng.normal(0, 120)), float(rng.normal(0, 120))),
    }
    lit, plain = shade(g, room, **light).image, shade(bare, room, **light).image
    left = lit.mean(2) / np.maximum(plain.mean(2), 1e-4)
    around = cv2.dilate((g.body > 0.01).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    left = cv2.inpaint((left.clip(0, 1) * 255).astype(np.uint8), around.astype(np.uint8), 3, cv2.INPAINT_TELEA)
    # as bright as the light makes a white card, so that it can be laid into any light
    return lit / max(float(plain.mean()) / 0.5, 1e-4), g.body, left.astype(F) / 255


def cutouts(count: int, seed: int) -> Cutouts:
    rng = np.random.default_rng(seed)
    names, weights = list(KINDS), np.array(list(KINDS.values()))
    colours, shown, shades, kinds = [], [], [], []
    while len(kinds) < count:
        kind = int(rng.choice(len(names), p=weights / weights.sum()))
        made = cutout(rng, names[kind])
        if made is None:
            continue
        colours.append(made[0].clip(0, 4).astype(np.float16))
        shown.append((made[1].clip(0, 1) * 255).astype(np.uint8))
        shades.append((made[2].clip(0, 1) * 255).astype(np.uint8))
        kinds.append(kind)
    return Cutouts(np.array(colours), np.array(shown), np.array(shades), np.array(kinds, np.int8))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    cutouts(options.n, options.seed).save(options.out)


if __name__ == "__main__":
    main()
