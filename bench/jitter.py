"""Does a reading hang on the third digit of a setting? `python -m bench.jitter --tables 4 --first-seed 190400`.

Each table, of trains and of a Chinese line by turns, is drawn once and looked at several times: as it was measured, and
with its scale, its corners and the tiles' size each up to 1 % off, as a family measures them. A half is the same where
it shows the same value, or none, at the same place. Printed are the halves compared, those that were read once and not
the other time, and those that showed two values.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from functools import partial
from typing import Any

import numpy as np

from bench.foreign_film import ForeignFilm
from bench.third_film import ThirdFilm
from companion.app.own_set import known_set
from companion.rules.position import RIGHT
from companion.rules.tile import Laid
from datasets.folder_argument import RENDERER, folder_with
from datasets.simulator.film import Film, FilmSettings
from datasets.simulator.plan import TablePlan, even_stations
from datasets.simulator.random_tables import PLAYERS, random_trains
from datasets.simulator.tabletop import TableFullError, TableTop, lay_out
from vision.calibration import Calibration
from vision.eye import Eye, open_eye
from vision.tile_size import TileSize, in_steps

OFF, LOOKS = 0.01, 4
NEAR_MM = 8.0
IN_LINE = 8


def laid_out(seed: int) -> TableTop:
    """A table in play; every second one a Chinese line."""
    rng = np.random.default_rng([seed, 29])
    players = PLAYERS[:4]
    plan = TablePlan(players, stations=even_stations(players, float(rng.uniform(-180, 180))))
    if seed % 2 == 0:
        return lay_out(plan, rng, Laid(12, 12), random_trains(rng, players, 12, 7, wrong=0.0), (), boneyard=20)
    plan = TablePlan(players, tile_mm=(60.0, 25.0, 11.0), stations=plan.stations, chinese=True, arms=2)
    table = TableTop(plan, rng)
    table.set_up(None, 0)
    end = int(rng.integers(1, 7))
    for _ in range(IN_LINE):
        tile = Laid(end, int(rng.integers(1, 7)))
        table.lay_in_line(tile, RIGHT)
        end = tile.outer
    return table


def read(
    eye: Eye, film: Any, image: Any, off: np.ndarray[Any, Any], chinese: bool
) -> list[tuple[tuple[float, float], int | None]]:
    """The middle (mm, by the true corners) and value of every half that is seen. `off` (10,): by what share the scale,
    each corner's two coordinates and the tile's length are wrong."""
    true, size_wh = np.asarray(film.corners_px(), np.float64), film.settings.size_wh
    plan = film.plan
    exact = Calibration.from_corners(np.asarray(true, np.float32), plan.size_mm, plan.tile_mm[2], size_wh=size_wh)
    extent = true.max(0) - true.min(0)
    corners = true + off[1:9].reshape(4, 2) * extent / 2
    measured = Calibration.from_corners(np.asarray(corners, np.float32), plan.size_mm, plan.tile_mm[2], size_wh=size_wh)
    tile_mm = plan.tile_mm[0] * (1 + off[9]), plan.tile_mm[1] * (1 + off[9])
    length = in_steps(measured.px_per_mm * tile_mm[0] * (1 + off[0]))
    seen = eye.look(image, length, known_set("chinese" if chinese else "double-12"), TileSize(measured, tile_mm))
    found = []
    for tile in seen.tiles:
        if tile.halves is None:
            continue
        a, b, c, d = exact.to_mm(np.asarray(tile.quad_px, np.float64))
        for end, half in (((a + b) / 2, tile.halves[0]), ((c + d) / 2, tile.halves[1])):
            x, y = (3 * end + (a + b + c + d) / 4) / 4
            found.append(((float(x), float(y)), half.value))
    return found


def compared(base: list[Any], other: list[Any]) -> Counter[str]:
    count: Counter[str] = Counter()
    for (x, y), value in base:
        near = [now for (u, v), now in other if np.hypot(x - u, y - v) < NEAR_MM]
        same = value in near if near else value is None
        kind = "same" if same else "unread" if value is None or not near or None in near else "another value"
        count.update(halves=1, **{kind.replace(" ", "_"): 1})
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--first-seed", type=int, default=190400)
    parser.add_argument("--kind", choices=("filmed", "foreign", "third"), default="filmed")
    parser.add_argument("--renderer", type=folder_with(RENDERER), help="folder of another renderer (for `foreign`)")
    args = parser.parse_args()
    base: Any = {"filmed": Film, "third": ThirdFilm}.get(args.kind) or partial(ForeignFilm, folder=args.renderer)
    eye, total = open_eye(one_box=True), Counter[str]()
    for seed in range(args.first_seed, args.first_seed + args.tables):
        try:
            table = laid_out(seed)
        except TableFullError:
            continue
        chinese = table.plan.chinese
        settings = FilmSettings(size_wh=(1600, 1200))
        film = base(table.plan, seed, settings, "chinese" if chinese else "western", 6 if chinese else 12)
        film.develop(table)
        image, rng = film.frame(), np.random.default_rng(seed)
        first = read(eye, film, image, np.zeros(10), chinese)
        for _ in range(LOOKS):
            total += compared(first, read(eye, film, image, rng.uniform(-OFF, OFF, 10), chinese))
        print(seed, json.dumps(total), flush=True)


if __name__ == "__main__":
    main()
