"""How surely halves are read, and how often wrongly, by how wide the picture shows them: `python -m bench.coarse`.

Full tables (those of bench/stills.py), one still frame each. Printed is for each band of the reader's probability how
many halves were read rightly, wrongly, and left open. A wrong reading with nearly 1 may accuse somebody:
`companion.observing.next_round.COARSE_PX` rests on this table.

    python -m bench.coarse --size 1280 960 --first 5100 --tables 60 --renderer FOLDER   halves of 22 to 25 px
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from bench.foreign_film import ForeignFilm
from bench.stills import FOUND
from companion.perception.projection import on_table
from datasets.folder_argument import RENDERER, folder_with
from datasets.simulator.film import Film, FilmSettings
from datasets.simulator.random_tables import random_table
from datasets.simulator.tabletop import TableFullError
from vision.calibration import Calibration
from vision.eye import open_eye
from vision.known_set import KnownSet
from vision.tile_size import TileSize

BANDS = (0.0, 0.9, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999)


def halves(seed: int, size_wh: tuple[int, int], film_of: Any) -> Iterator[tuple[float, str]]:
    """(p, right, wrong or open) of every half of one table that no marker covers."""
    try:
        plan, table, _, _ = random_table(seed, hub=seed % 2 == 0, touching=False)
    except TableFullError:
        return
    film = film_of(plan, seed, FilmSettings(size_wh=size_wh))
    film.develop(table)
    corners = np.asarray(film.corners_px(), np.float32)
    where = Calibration.from_corners(corners, plan.size_mm, plan.tile_mm[2], size_wh=size_wh)
    length, width, _ = plan.tile_mm
    size = TileSize(where, (length, width))
    read = open_eye(one_box=True).look(film.frame(), where.px_per_mm * length, KnownSet.double(12), size)
    tiles = on_table(read, where, plan.tile_mm).tiles
    for lying in table.visible():
        near = [one for one in tiles if one.face_up and math.dist(one.center_mm, lying.center_mm) < FOUND * width]
        if not lying.face_up or not near:
            continue
        seen = min(near, key=lambda one: math.dist(one.center_mm, lying.center_mm))
        turned = math.cos(math.radians(seen.heading_deg - lying.heading_deg)) < 0
        for n, value in enumerate(lying.laid):
            half = 1 - n if turned else n
            if seen.halves is None or any(
                math.dist(seen.end_mm(half), marker) < length / 2 for marker in table.markers.values()
            ):
                continue
            said = seen.halves[half]
            yield said.p, "open" if said.value is None else "right" if said.value == value else "wrong"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=60)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--size", type=int, nargs=2, default=(1280, 960), metavar=("W", "H"))
    parser.add_argument("--renderer", type=folder_with(RENDERER), help="folder of another renderer")
    args = parser.parse_args()
    film_of: Any = partial(ForeignFilm, folder=args.renderer) if args.renderer else Film
    counts: dict[float, Counter[str]] = {band: Counter() for band in BANDS}
    for seed in range(args.first, args.first + args.tables):
        for p, what in halves(seed, tuple(args.size), film_of):
            counts[max(band for band in BANDS if p >= band)][what] += 1
    for band, found in counts.items():
        print(f"from {band}: {found['right']} right, {found['wrong']} wrong, {found['open']} open")


if __name__ == "__main__":
    main()
