"""Hands laid open and photographed by hand, as `companion score` counts them: `python -m bench.held --first 139820`.

Four to fourteen tiles of a double-12 set lie in loose rows on any table top. The phone is held 250 to 500 mm above
them, leans by `--lean` degrees to any side and is turned any way. Printed are the tiles found, read right and wrong,
and the totals that are right, wrong, or open because a tile was found and not read; by how far the phone leans.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from companion.cli.photographs import count, with_set_doubt
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Tile, double_set
from datasets.render.table import TableCamera, TableScene, TableTile, corners_px, render_table
from vision.eye import Eye, open_eye
from vision.frame import Image

RULES = "reeves"
A_ROW = 5
PITCH_MM = (33.0, 64.0)
EDGE_MM = 45.0
STEEP_DEG = 20.0


def hand_photographed(
    seed: int, lean: tuple[float, float], size_wh: tuple[int, int] = (1600, 1200)
) -> tuple[list[Tile], float, Image]:
    """The hand, by how many degrees the phone leans, and the picture, which shows all of it."""
    rng = random.Random(f"held {seed}")
    hand = rng.sample(sorted(double_set(12)), rng.randint(4, 14))
    scene = held_scene(rng, hand, lean, size_wh)
    return hand, scene.camera.lean_deg, render_table(scene, seed)[0]


def held_scene(rng: random.Random, hand: list[Tile], lean: tuple[float, float], size_wh: tuple[int, int]) -> TableScene:
    """The hand in loose rows, half 0 of a tile its lower one, under a phone that shows all of it."""
    rows = -(-len(hand) // A_ROW)
    size = (2 * EDGE_MM + A_ROW * PITCH_MM[0], 2 * EDGE_MM + rows * PITCH_MM[1])
    tiles = tuple(
        TableTile(
            (
                EDGE_MM + PITCH_MM[0] * (n % A_ROW + 0.5) + rng.uniform(-2, 2),
                EDGE_MM + PITCH_MM[1] * (n // A_ROW + 0.5) + rng.uniform(-3, 3),
            ),
            90.0 + rng.uniform(-9, 9) + rng.choice((0.0, 180.0)),
            (tile.low, tile.high),
        )
        for n, tile in enumerate(hand)
    )
    leans = rng.uniform(*lean)
    camera = TableCamera(
        *size_wh,
        height_mm=rng.uniform(250, 500),
        lean_deg=leans,
        lean_toward_deg=rng.uniform(0, 360),
        roll_deg=rng.uniform(-180, 180),
    )
    scene = TableScene(size, tiles, camera=camera)
    while not _shown(scene):
        scene = replace(scene, camera=replace(scene.camera, height_mm=scene.camera.height_mm * 1.05))
    return scene


def _shown(scene: TableScene) -> bool:
    """Is the whole hand in the picture?"""
    seen = corners_px(scene)
    return bool((seen > 0).all() and (seen < np.array([scene.camera.width, scene.camera.height])).all())


def counted(eye: Eye, hand: list[Tile], image: Image) -> Counter[str]:
    """The count by `companion score` of the photograph, beside the truth."""
    reading = with_set_doubt(eye.look(image))
    answer: Mapping[str, Any] = count(reading, load_ruleset(RULES))
    left, found = Counter(hand), Counter[str]()
    for low, high in answer["tiles"]:
        right = left[Tile(low, high)] > 0
        found["right" if right else "wrong"] += 1
        left[Tile(low, high)] -= right
    due = count_of(hand)
    total = "open" if answer["score"] is None else "right" if answer["score"] == due else "wrong"
    return found + Counter({"tiles": len(hand), "unread": answer["unread"], "hands": 1, f"total {total}": 1})


def count_of(hand: list[Tile]) -> int:
    """The pips of a hand by the same rules."""
    rules = load_ruleset(RULES)
    return sum(rules.double_blank if tile == Tile(0, 0) else tile.pips for tile in hand)


def main() -> None:
    parser = argparse.ArgumentParser(description="hands photographed by hand, as `score` counts them")
    parser.add_argument("--first", type=int, required=True, help="the first seed")
    parser.add_argument("--hands", type=int, default=24)
    parser.add_argument("--lean", type=float, nargs=2, default=(0.0, 35.0), metavar=("FROM", "TO"))
    args = parser.parse_args()
    eye = open_eye()
    sums: dict[str, Counter[str]] = {}
    for seed in range(args.first, args.first + args.hands):
        hand, leans, image = hand_photographed(seed, tuple(args.lean))
        found = counted(eye, hand, image)
        steep = f"{'below' if leans < STEEP_DEG else 'from'} {STEEP_DEG:.0f} degrees"
        sums.setdefault(steep, Counter()).update(found)
        if not found["total right"]:
            print(seed, f"{leans:.0f} degrees", dict(found), flush=True)
    print(json.dumps(sums, indent=1))


if __name__ == "__main__":
    main()
