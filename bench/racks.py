"""Hands that stand in a rack whose lip hides their lower edge: `python -m bench.racks --first 9000 --racks 8`.

Six to eleven tiles side by side, seen from above or a little aside, a wooden lip over 5 to 35 % of their length.
Counted are tiles: read exactly, *wrong* (a value claimed that is not there), unread and lost; *phantoms* (finds with a
value that are no tile: the upper halves of two); and how often the number of tiles is right.
`--keep DIR` saves the pictures.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bench.prints import _said, _shown, counted
from companion.rules.tile import double_set
from datasets.render.chance import stream
from datasets.render.styles import make_style, resized
from datasets.render.table import TableCamera, TableScene, TableTile, project, render_table
from vision.eye import Eye, open_eye
from vision.frame import Image

SETS = (6, 9, 12)
HIDDEN = (0.05, 0.35)
PITCH_MM, LONG_MM = 25.8, 50.8
SIZE_WH = (1600, 1200)
WOOD = ((60, 95, 140), (35, 60, 95), (90, 140, 180))
"""BGR."""


def rack(seed: int) -> tuple[TableScene, float]:
    """The tiles without the lip, and which share of their length it hides."""
    rng = random.Random(f"rack {seed}")
    highest = rng.choice(SETS)
    hand = rng.sample(sorted(double_set(highest)), rng.randint(6, 11))
    tiles = tuple(
        TableTile(
            (45.0 + PITCH_MM * n, 60.0 + rng.uniform(-0.4, 0.4)),
            90.0 + rng.uniform(-0.7, 0.7) + rng.choice((0.0, 180.0)),
            (tile.low, tile.high),
        )
        for n, tile in enumerate(hand)
    )
    size = (90.0 + PITCH_MM * (len(hand) - 1), 120.0)
    camera = TableCamera(*SIZE_WH, height_mm=rng.uniform(280, 420), lean_deg=rng.uniform(0, 20))
    scene = TableScene(size, tiles, set_max=highest, camera=camera, soft_light=True)
    style = resized(make_style(stream(seed, "rack"), "western", highest), *scene.tile_size_mm)
    return replace(scene, style=style), rng.uniform(*HIDDEN)


def with_lip(scene: TableScene, image: Image, hidden: float, seed: int) -> Image:
    rng = np.random.default_rng(seed)
    edge = 60.0 + LONG_MM / 2 - hidden * LONG_MM
    lip = project(scene, [(5, edge), (scene.size_mm[0] - 5, edge), (scene.size_mm[0] - 5, edge + 26), (5, edge + 26)])
    shadow = project(
        scene,
        [(5, edge - 2.5), (scene.size_mm[0] - 5, edge - 2.5), *reversed([(5, edge), (scene.size_mm[0] - 5, edge)])],
    )
    dark, cover = np.zeros(image.shape[:2], np.float32), np.zeros(image.shape[:2], np.float32)
    cv2.fillPoly(dark, [np.asarray(shadow).round().astype(np.int32)], 1.0)
    cv2.fillPoly(cover, [np.asarray(lip).round().astype(np.int32)], 1.0)
    grain = cv2.resize(rng.normal(0, 1, (image.shape[0], 8)).astype(np.float32), image.shape[1::-1])
    wood = np.array(WOOD[rng.integers(len(WOOD))], np.float32) * (1 + 0.09 * grain[..., None])
    lit = image * (1 - 0.45 * cv2.GaussianBlur(dark, (0, 0), 3)[..., None])
    cover = cv2.GaussianBlur(cover, (0, 0), 0.8)[..., None]
    return np.asarray((lit * (1 - cover) + wood * cover).clip(0, 255), np.uint8)


def read(eye: Eye, scene: TableScene, image: Image, objects: list[dict[str, Any]]) -> Counter[str]:
    sums: Counter[str] = Counter()
    tiles = [_shown(scene, image, thing) for thing in objects if "index" in thing]
    reading = eye.look(image)
    pairs = counted(reading, tiles)[1]
    mine = {id(found) for _, found in pairs}
    sums["phantoms"] += sum(
        id(one) not in mine and any(half.value is not None for half in one.halves or ()) for one in reading.tiles
    )
    for tile, found in pairs:
        said = [None if found is None else _said(found, tile, half) for half in (0, 1)]
        wrong = any(one not in (None, true) for one, true in zip(said, tile.values, strict=True))
        sums[
            "lost" if found is None else "wrong" if wrong else "exact" if tuple(said) == tile.values else "unread"
        ] += 1
    stand = f"{len(tiles)} tiles stand"
    sums["racks"] += 1
    sums["count said rightly"] += any(stand in one for one in reading.warnings)
    sums["count said wrongly"] += any("tiles stand" in one and stand not in one for one in reading.warnings)
    return sums


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, required=True)
    parser.add_argument("--racks", type=int, default=8)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    eye, sums = open_eye(), Counter[str]()
    for seed in range(options.first, options.first + options.racks):
        scene, hidden = rack(seed)
        image, objects = render_table(scene, seed)
        image = with_lip(scene, image, hidden, seed)
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(options.keep / f"{seed}.png"), image)
        one = read(eye, scene, image, objects)
        print(json.dumps({"seed": seed, "hidden": round(hidden, 2), "highest": scene.set_max} | one), flush=True)
        sums += one
    print(json.dumps(sums))


if __name__ == "__main__":
    main()
