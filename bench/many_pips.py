"""Hands with values from 9 on, read with their set named and without: `python -m bench.many_pips --first 138000`.

Eight tiles of a double-12, double-15 or double-18 set lie in two rows, the camera 420 to 1,200 mm above them. Counted
are tiles: right, wrong and unread.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter

from companion.app.own_set import known_set
from datasets.render.table import TableCamera, TableScene, TableTile, render_table
from vision.eye import open_eye
from vision.frame import Image
from vision.reading import PictureReading

Hand = list[tuple[int, int]]
LEAST = 9


def picture(seed: int) -> tuple[int, Hand, Image]:
    """The highest value of the set, the tiles that lie there, and how they look."""
    rng = random.Random(seed)
    highest = rng.choice((12, 15, 18))
    hand = rng.sample([(a, b) for a in range(highest + 1) for b in range(a, highest + 1) if b >= LEAST], 8)
    tiles = tuple(
        TableTile((60.0 + 64.0 * (n % 4), 70.0 + 75.0 * (n // 4)), 83.0 + rng.uniform(-15, 15), values)
        for n, values in enumerate(hand)
    )
    camera = TableCamera(width=1600, height=1200, height_mm=rng.choice((420, 600, 900, 1200)))
    return highest, hand, render_table(TableScene((320.0, 240.0), tiles, camera=camera, set_max=highest), seed)[0]


def counted(reading: PictureReading, hand: Hand) -> Counter[str]:
    """How many tiles of the hand were read right, wrong, or not."""
    left = Counter(hand)
    found: Counter[str] = Counter()
    for tile in reading.tiles:
        if tile.values is None:
            continue
        values = (min(tile.values), max(tile.values))
        found["right" if left[values] else "wrong"] += 1
        left[values] -= bool(left[values])
    found["unread"] = len(hand) - found["right"] - found["wrong"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="hands with many pips, read with their set named and without")
    parser.add_argument("--first", type=int, required=True, help="the first seed")
    parser.add_argument("--pictures", type=int, default=24)
    args = parser.parse_args()
    eye = open_eye()
    sums: dict[tuple[str, str], Counter[str]] = {}
    for seed in range(args.first, args.first + args.pictures):
        highest, hand, image = picture(seed)
        name = f"double-{highest}"
        for said in ("auto", name):
            sums.setdefault((name, said), Counter()).update(counted(eye.look(image, known=known_set(said)), hand))
    for (name, said), found in sorted(sums.items()):
        print(f"{name}, --set {said}: {found['right']} right, {found['wrong']} wrong, {found['unread']} unread")


if __name__ == "__main__":
    main()
