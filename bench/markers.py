"""Markers put on, moved on and taken off, picture by picture: `python -m bench.markers --tables 8`.

On a table in play somebody marks a train, takes a marker off, lays a tile (a toy that stands on its train moves on to
it), or puts something down that is no marker. Every change is shown in two still pictures, and after each one the
markers of the layout are compared with those that stand there. `--toys` films bodies that no network was trained on.
Printed are, by the second picture, the markers found, those seen to go, those that stay with their trains when these
grow, and how many are seen that are none; `first` the same by the first picture.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from bench.foreign_film import ForeignFilm
from bench.third_film import ThirdFilm
from bench.toys import ToyFilm
from companion.geometry import Layout
from companion.geometry.diff import Observation
from companion.observing.print_sink import PrintSink
from companion.perception.sink import LookAgain, Where, Why
from companion.perception.watcher import Watcher
from companion.rules.tile import Laid
from datasets.folder_argument import RENDERER, folder_with
from datasets.render.table import TableThing
from datasets.simulator.film import FilmSettings
from datasets.simulator.plan import TablePlan, even_stations
from datasets.simulator.tabletop import TableFullError, TableTop, lay_out
from tests.table.tables import PLAYERS, random_trains, setup_for
from vision.calibration import Calibration
from vision.eye import Eye, open_eye
from vision.frame import Frame
from vision.known_set import KnownSet
from vision.settle import Settler

TILES, BACKS = 8, 12
OTHERS = ("pen", "phone", "glass", "cards", "beads", "coaster", "cup", "crisps", "dice", "sticky", "brick", "chocolate")
AT_THE_EDGE = 0.6
"""What is put down that is no marker; so often at the table's edge, else anywhere."""


class Accepting(PrintSink):
    """Takes every change as it is seen. `asked`: somebody answers whose markers those `there` are."""

    def __init__(self, asked: bool) -> None:
        super().__init__(lambda event: None)
        self.asked = asked
        self.there: frozenset[str] = frozenset()
        self.answers: dict[str, bool] = {}

    def engine(self) -> int | None:
        return 12

    def look_again(self, observation: Observation) -> tuple[LookAgain, ...]:
        return (LookAgain(Where.BESIDE_THE_TRAINS, Why.MARKER_MAY_BE_DUE),)

    def likeliest(self, ways: Iterable[Observation]) -> int:
        return 0

    def ask_about_marker(self, player: str, frame: str) -> bool:
        if not self.asked or player in self.answers:
            return False
        self.answers[player] = player in self.there
        return True

    def own_markers(self) -> Mapping[str, bool]:
        return self.answers

    def first_table(self, layout: Layout, frame: str) -> bool:
        return True


@dataclass(slots=True)
class StillCamera:
    """Photographs that are handed in one by one."""

    stills: bool = True

    def read(self) -> Frame | None:
        return None


@dataclass(slots=True)
class Scripted:
    """A table in play and what is done on it next."""

    plan: TablePlan
    table: TableTop
    trains: dict[str, list[Laid]]
    rng: np.random.Generator
    things: list[TableThing] = field(default_factory=list)

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
        offers += [("laid", name) for name in others if self._fitting(name)]
        offers += [("thing", "")] if with_things and len(self.things) < 3 else []
        what, name = offers[int(self.rng.integers(len(offers)))]
        match what:
            case "mark":
                self.table.mark(name)
            case "unmark":
                self.table.unmark(name)
            case "thing":
                self.things.append(TableThing(OTHERS[int(self.rng.integers(len(OTHERS)))], self._anywhere()))
            case _:
                tile = self._fitting(name)[0]
                self.trains[name].append(tile)
                self.table.lay(tile, name)
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


def watch(seed: int, base: Any, eye: Eye, size_wh: tuple[int, int], steps: int, *, asked: bool = False) -> Counter[str]:
    scripted = Scripted.of(seed)
    film = base(scripted.plan, seed, FilmSettings(size_wh=size_wh))
    film.develop(scripted.table)
    calibration = Calibration.from_corners(
        np.asarray(film.corners_px(), np.float32), scripted.plan.size_mm, scripted.plan.tile_mm[2], size_wh=size_wh
    )
    camera: Any = StillCamera()
    setup = replace(setup_for(scripted.plan), engine=12)
    sink = Accepting(asked)
    watcher = Watcher(camera, eye, Settler(), calibration, setup, sink, known=KnownSet.double(12))
    shown = 0

    def picture() -> frozenset[str]:
        nonlocal shown
        watcher.see(Frame(film.frame(), float(shown), f"{seed}-{shown}"))
        shown += 1
        return watcher.layout.markers if watcher.layout is not None else frozenset()

    count: Counter[str] = Counter()
    picture()
    before = picture()
    for _ in range(steps):
        what, name = scripted.step(with_things=isinstance(film, ToyFilm))
        if isinstance(film, ToyFilm):
            film.others = tuple(scripted.things)
        film.develop(scripted.table)
        sink.there = there = frozenset(scripted.table.markers)
        for which in ("first", "second"):
            seen = picture()
            right = (name in seen) == (name in there)
            count[f"{what} {which} {'right' if right else 'wrong'}"] += 1
            count[f"invented {which}"] += len((seen - before) - there)
            count[f"lost {which}"] += len(((before & there) - seen) - {name})
        before = seen
    return count


def summary(count: Mapping[str, int]) -> dict[str, Any]:
    """Share right by the first and the second picture, of each kind of change."""
    found: dict[str, Any] = {}
    for what in ("mark", "unmark", "moved", "laid"):
        for which in ("first", "second"):
            right, wrong = count.get(f"{what} {which} right", 0), count.get(f"{what} {which} wrong", 0)
            found[f"{what} {which}"] = f"{right} of {right + wrong}"
    return found | {name: count[name] for name in sorted(count) if name.startswith(("invented", "lost"))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--first", type=int, default=7000)
    parser.add_argument("--steps", type=int, default=14)
    parser.add_argument("--toys", action="store_true", help="bodies that no network was trained on")
    parser.add_argument("--asked", action="store_true", help="somebody answers once whether that is Ann's marker")
    parser.add_argument("--renderer", type=folder_with(RENDERER), help="folder of another renderer")
    parser.add_argument("--third", action="store_true", help="drawn by VTK (bench/third_film.py)")
    parser.add_argument("--size", type=int, nargs=2, default=(1600, 1200), metavar=("W", "H"))
    args = parser.parse_args()
    base: Any = partial(ForeignFilm, folder=args.renderer) if args.renderer else partial(ToyFilm, toys=args.toys)
    base = ThirdFilm if args.third else base
    total: Counter[str] = Counter()
    for seed in range(args.first, args.first + args.tables):
        start = time.perf_counter()
        try:
            total += watch(seed, base, open_eye(one_box=True), tuple(args.size), args.steps, asked=args.asked)
        except TableFullError:
            continue
        print(seed, round(time.perf_counter() - start), "s", json.dumps(summary(total)), flush=True)


if __name__ == "__main__":
    main()
