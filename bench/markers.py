"""Markers put on, moved on and taken off, and draws, act by act: `python -m bench.markers --tables 8`.

On a table in play somebody marks a train, takes a marker off, lays a tile (a toy that stands on its train moves on to
it), lays one and takes the marker `off`, draws, or puts something down that is no marker. A camera that hangs above
films the still table after each act. `--toys` films bodies that no network was trained on, `--patterned` the project's
own cloths with a print, `--draws` mostly draws, `--heap` tiles that lie face down in a heap at the table's edge.

Each share is printed with its 95 % interval: acts seen `first`, when the table was read, and `later`, ten seconds on;
of the markers placed and seen those on the right train; of all still tables those with a marker, or a draw, that is
none (`invented`); of the markers that nobody touched those that were lost.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from bench.foreign_film import ForeignFilm
from bench.hanging import Accepting, Filming, of_all
from bench.third_film import ThirdFilm
from bench.toys import ToyFilm
from companion.rules.tile import Laid
from datasets.folder_argument import RENDERER, folder_with
from datasets.render.table import TableThing
from datasets.simulator.film import FilmSettings
from datasets.simulator.lying import Lying
from datasets.simulator.placing import overlap
from datasets.simulator.plan import TablePlan, even_stations
from datasets.simulator.random_tables import PLAYERS, random_trains, setup_for
from datasets.simulator.tabletop import TableFullError, TableTop, lay_out
from vision.eye import Eye, open_eye
from vision.known_set import KnownSet

TILES, BACKS = 8, 20
OTHERS = ("pen", "phone", "glass", "cards", "beads", "coaster", "cup", "crisps", "dice", "sticky", "brick", "chocolate")
AT_THE_EDGE = 0.6
"""Things put down that are no markers; so often at the table's edge, else anywhere."""
MOSTLY_DRAWS = 20
"""So many times as likely as a marker is a draw where most acts are to be draws."""


@dataclass(slots=True)
class Scripted:
    """A table in play and what is done on it next."""

    plan: TablePlan
    table: TableTop
    trains: dict[str, list[Laid]]
    rng: np.random.Generator
    things: list[TableThing] = field(default_factory=list)
    hand_mm: tuple[float, float] = (0.0, 0.0)
    """Where the last step was done."""
    draws: int = 2
    """So much likelier than another act a draw is."""

    @classmethod
    def of(cls, seed: int) -> Scripted:
        rng = np.random.default_rng([seed, 17])
        players = PLAYERS[: 2 + seed % 4]
        plan = TablePlan(players, stations=even_stations(players, float(rng.uniform(-180, 180))))
        plan = replace(plan, hub_radius_mm=62.0 if seed % 3 else 0.0)
        trains = random_trains(rng, players, 12, TILES, wrong=0.0)
        return cls(plan, lay_out(plan, rng, Laid(12, 12), trains, (), boneyard=BACKS), trains, rng)

    def step(self, *, with_things: bool) -> tuple[str, str]:
        """Something that can be done now, and to whose train it is."""
        marked = sorted(self.table.markers)
        others = [name for name in self.plan.players if name not in marked]
        offers = [("mark", name) for name in others] * 2
        offers += [("unmark", name) for name in marked] + [("moved", name) for name in marked if self._fitting(name)]
        offers += [("off", name) for name in marked if self._fitting(name)]
        offers += [("laid", name) for name in others if self._fitting(name)]
        offers += [("draw", "")] * (self.draws if self.table.boneyard else 0)
        offers += [("thing", "")] if with_things and len(self.things) < 3 else []
        what, name = offers[int(self.rng.integers(len(offers)))]
        match what:
            case "mark":
                self.table.mark(name)
                self.hand_mm = self.table.markers[name]
            case "unmark":
                self.hand_mm = self.table.markers[name]
                self.table.unmark(name)
            case "draw":
                self.hand_mm = self.table.draw().center_mm
            case "thing":
                kind = OTHERS[int(self.rng.integers(len(OTHERS)))]
                self.hand_mm = self._anywhere()
                self.things.append(TableThing(kind, self.hand_mm))
            case _:
                if what == "off":
                    self.table.unmark(name)
                tile = self._fitting(name)[0]
                self.trains[name].append(tile)
                self.hand_mm = self.table.lay(tile, name).center_mm
        return what, name

    def _fitting(self, name: str) -> list[Laid]:
        lying = {laid.tile for tiles in self.trains.values() for laid in tiles}
        end = self.trains[name][-1].outer if self.trains[name] else 12
        found = [Laid(end, value) for value in range(13)]
        return [laid for laid in found if laid.tile not in lying and not laid.is_double]

    def _anywhere(self) -> tuple[float, float]:
        """Where something can stand without covering a tile or a marker."""
        w, h = self.plan.size_mm
        lying = [one.center_mm for one in self.table.all_tiles()] + list(self.table.markers.values())
        while True:
            x, y = float(self.rng.uniform(60, w - 60)), float(self.rng.uniform(60, h - 60))
            if self.rng.random() < AT_THE_EDGE:
                y = 60.0 if y < h / 2 else h - 60
            if all(np.hypot(x - a, y - b) > 70 for a, b in lying):
                return x, y


def heap(table: TableTop) -> list[Lying]:
    """The boneyard in one corner: each tile turned some way, close to others and on none."""
    length, width, _ = table.plan.tile_mm
    w, h = table.plan.size_mm
    count, table.boneyard = len(table.boneyard), []
    taken, far = table.rects(), length
    while len(table.boneyard) < count:
        x, y = (float(away) for away in table.rng.uniform(length / 2, far, 2))
        one = Lying(Laid(0, 0), (w - x, h - y), float(table.rng.uniform(0, 360)), False)
        rect = one.rect(length + 1.5, width + 1.5)
        if not any(overlap(rect, other) for other in taken):
            taken.append(rect)
            table.boneyard.append(one)
        far += 0.2
    return table.boneyard


def watch(
    seed: int,
    base: Any,
    eye: Eye,
    size_wh: tuple[int, int],
    steps: int,
    *,
    asked: bool = False,
    draws: int = 2,
    heaped: bool = False,
    told: Callable[[Filming, TableTop], None] = lambda filming, table: None,
) -> Counter[str]:
    """Count the acts seen on one table; `told` hears of each before it is filmed."""
    scripted = Scripted.of(seed)
    scripted.draws = draws
    if heaped:
        scripted.table.boneyard = heap(scripted.table)
    film = base(scripted.plan, seed, FilmSettings(size_wh=size_wh))
    sink = Accepting(asked, BACKS)
    setup = replace(setup_for(scripted.plan), engine=12)
    filming = Filming.of(film, eye, setup, KnownSet.double(12), sink)
    told(filming, scripted.table)
    count: Counter[str] = Counter()
    if scripted.plan.hub_radius_mm:  # without one, trains that come all at once are not told from loose tiles
        begun = scripted.table.copy()
        begun.trains = {name: [] for name in begun.trains}
        filming.read(begun)
    else:
        filming.read(scripted.table)
    before = filming.read(scripted.table, scripted.plan.center_mm).markers
    for _ in range(steps):
        what, name = scripted.step(with_things=isinstance(film, ToyFilm))
        if isinstance(film, ToyFilm):
            film.others = tuple(scripted.things)
        sink.there = there = frozenset(scripted.table.markers)
        told(filming, scripted.table)
        drawn = sink.drawn + (what == "draw")

        def right(seen: frozenset[str], name: str = name, drawn: int = drawn) -> bool:
            return sink.drawn == drawn if not name else (name in seen) == (name in sink.there)

        seen = filming.read(scripted.table, scripted.hand_mm).markers
        count.update({what: 1, f"{what} first": int(right(seen))})
        if not right(seen) or (seen - before) - there:
            seen = filming.wait().markers
        count[f"{what} later"] += right(seen)
        count["tables"] += 1
        count["invented markers"] += bool((seen - before) - there)
        count["invented draws"] += sink.drawn > drawn
        count["elsewhere"] += what == "mark" and bool((seen - before) - there)
        count["stood"] += len((before & there) - {name})
        count["lost"] += len(((before & there) - seen) - {name})
        before = seen
        # A draw missed once is not missed anew with every further one.
        sink.backs = BACKS + sink.drawn - (BACKS - len(scripted.table.boneyard))
    return count


def summary(count: Mapping[str, int]) -> dict[str, str]:
    """Every share with its interval."""
    found = {
        f"{what} {when}": of_all(count.get(f"{what} {when}", 0), count.get(what, 0))
        for what in ("mark", "unmark", "moved", "off", "laid", "draw")
        for when in ("first", "later")
    }
    placed, tables = count.get("mark later", 0), count.get("tables", 0)
    return found | {
        "right train": of_all(placed, placed + count.get("elsewhere", 0)),
        "invented markers": of_all(count.get("invented markers", 0), tables),
        "invented draws": of_all(count.get("invented draws", 0), tables),
        "lost": of_all(count.get("lost", 0), count.get("stood", 0)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--first", type=int, default=7000)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--toys", action="store_true", help="bodies that no network was trained on")
    parser.add_argument("--patterned", action="store_true", help="cloths with a print")
    parser.add_argument("--asked", action="store_true", help="somebody answers once whether that is Ann's marker")
    parser.add_argument("--draws", action="store_true", help="most acts are draws")
    parser.add_argument("--renderer", type=folder_with(RENDERER), help="folder of another renderer")
    parser.add_argument("--third", action="store_true", help="drawn by VTK (bench/third_film.py)")
    parser.add_argument("--size", type=int, nargs=2, default=(1600, 1200), metavar=("W", "H"))
    parser.add_argument("--heap", action="store_true", help="tiles lie face down in a heap in a corner")
    args = parser.parse_args()
    how: dict[str, Any] = {"asked": args.asked} | ({"draws": MOSTLY_DRAWS} if args.draws else {})
    how["heaped"] = args.heap
    base: Any = partial(ToyFilm, toys=args.toys, patterned=args.patterned)
    if args.renderer or args.third:
        base = ThirdFilm if args.third else partial(ForeignFilm, folder=args.renderer)
    total: Counter[str] = Counter()
    for seed in range(args.first, args.first + args.tables):
        start = time.perf_counter()
        try:
            count = watch(seed, base, open_eye(one_box=True), tuple(args.size), args.steps, **how)
        except TableFullError:
            continue
        total += count
        print(seed, round(time.perf_counter() - start), "s", json.dumps(count), flush=True)
    print(json.dumps(summary(total), indent=1))


if __name__ == "__main__":
    main()
