"""Small tables for tests, written down tile by tile, and whole random ones from the simulator."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from companion.geometry import Layout, TableSetup
from companion.geometry.layout import MEXICAN, Family, Point, SeenHalf, SeenHub, SeenMarker, SeenTile, TableView
from companion.rules.tile import Laid, double_set
from datasets.simulator.plan import Bend, TablePlan, even_stations
from datasets.simulator.tabletop import TableTop, lay_out
from datasets.simulator.touching import at_the_engine

PLAYERS = ("Ann", "Ben", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal")
LENGTH, WIDTH = 48.0, 24.0
HUB = SeenHub((600.0, 450.0), 60.0, 0.9)
SETUP = TableSetup(
    family=Family.MEXICAN,
    players=("Ann", "Ben"),
    stations={"Ann": 0.0, "Ben": 180.0},
    mexican_station=90.0,
    engine=12,
)


def half(value: int | None) -> SeenHalf:
    return SeenHalf(value, 0.99) if value is not None else SeenHalf(None, 0.4, ((3, 0.4), (5, 0.3)))


def tile(x: float, y: float, heading_deg: float, first: int | None, second: int | None) -> SeenTile:
    """A face-up tile; the heading points from `first` to `second`."""
    return SeenTile((x, y), heading_deg, LENGTH, WIDTH, True, (half(first), half(second)), 0.99)


def back(x: float, y: float, heading_deg: float = 0.0) -> SeenTile:
    return SeenTile((x, y), heading_deg, LENGTH, WIDTH, False, None, 0.99)


def view(
    tiles: Iterable[SeenTile],
    markers: Iterable[Point] = (),
    hub: SeenHub | None = HUB,
    engine: tuple[int, int] = (12, 12),
) -> TableView:
    """A table with the engine in its middle."""
    middle = [tile(600.0, 450.0, 0.0, *engine)]
    return TableView((*middle, *tiles), tuple(SeenMarker(place, 0.9) for place in markers), hub)


def eastward(values: Sequence[tuple[int, int]], gap: float = 1.0, y: float = 450.0) -> list[SeenTile]:
    """A straight train from the hub to the right: Ann's."""
    start = 660.0
    tiles = []
    for n, (inner, outer) in enumerate(values):
        tiles.append(tile(start + LENGTH / 2 + gap + n * (LENGTH + gap), y, 0.0, inner, outer))
    return tiles


def train(layout: Layout, name: str) -> str:
    """A train in notation; `?` for a tile that is not read."""
    laid = [placed.laid for placed in layout.trains.get(name, ())]
    return " ".join("?" if values is None else f"{values.inner}-{values.outer}" for values in laid)


def ids(layout: Layout, name: str) -> list[int]:
    return [placed.id for placed in layout.trains[name]]


def random_trains(
    rng: np.random.Generator, players: Sequence[str], engine: int, count: int, wrong: float = 0.03
) -> dict[str, list[Laid]]:
    """Trains of a double-12 set as bots without manners would lay them, some tiles not matching."""
    pool = sorted(t for t in double_set(12) if (t.low, t.high) != (engine, engine))
    trains: dict[str, list[Laid]] = {name: [] for name in (*players, MEXICAN)}
    names = list(trains)
    while sum(map(len, trains.values())) < count:
        name = names[int(rng.integers(len(names)))]
        due = trains[name][-1].outer if trains[name] else engine
        fitting = [t for t in pool if t.has(due)]
        if rng.random() < wrong:
            fitting = pool
        if not fitting:
            continue
        chosen = fitting[int(rng.integers(len(fitting)))]
        pool.remove(chosen)
        inner = due if chosen.has(due) else chosen.low
        trains[name].append(Laid(inner, chosen.high if chosen.low == inner else chosen.low))
    return trains


def random_table(
    seed: int, count: int = 45, hub: bool = True, touching: bool = False, bent: bool = False
) -> tuple[TablePlan, TableTop, Mapping[str, list[Laid]], list[str]]:
    """A laid-out table for 2 to 8 players; raises TableFullError where the trains do not fit.

    Without a `hub` trains begin on a ring around the engine, or `touching` it where all find room there. `bent` trains
    turn a corner after two or three tiles; half of them turn once more and run back beside themselves.
    """
    rng = np.random.default_rng(seed)
    players = PLAYERS[: 2 + seed % 7]
    stations = even_stations(players, float(rng.uniform(-180, 180)))
    plan = TablePlan(players, stations=stations, hub_radius_mm=62.0 if hub else 0.0)
    if touching:
        plan = at_the_engine(plan, np.random.default_rng([seed, 1]))
    if bent:
        plan = replace(plan, bends=corners_of((*players, MEXICAN), np.random.default_rng([seed, 2])))
    trains = random_trains(rng, players, 12, count)
    marked = [name for name in players if rng.random() < 0.3]
    return plan, lay_out(plan, rng, Laid(12, 12), trains, marked, boneyard=25), trains, marked


def corners_of(trains: Sequence[str], rng: np.random.Generator) -> dict[tuple[str, int], Bend]:
    """Where trains turn though they could go straight on: after two or three tiles, and half of them again."""
    bends = {}
    for name in trains:
        first, side, back = int(rng.integers(2, 4)), bool(rng.random() < 0.5), rng.random() < 0.5
        bends[name, first] = Bend(early=True, right=side)
        if back:
            bends[name, first + int(rng.integers(1, 3))] = Bend(early=True, right=side)
    return bends


def setup_for(plan: TablePlan) -> TableSetup:
    stations = {name: angle for name, angle in plan.stations.items() if name != MEXICAN}
    return TableSetup(
        Family.MEXICAN, plan.players, stations, plan.stations.get(MEXICAN), 12, plan.tile_mm, plan.boneyard_spread
    )


def moved(seen: SeenTile, dx: float, dy: float, turn_deg: float = 0.0) -> SeenTile:
    x, y = seen.center_mm
    return SeenTile(
        (x + dx, y + dy), seen.heading_deg + turn_deg, seen.length_mm, seen.width_mm, seen.face_up, seen.halves, 0.99
    )


def direction(angle_deg: float, radius: float, center: Point = HUB.center_mm) -> Point:
    angle = math.radians(angle_deg)
    return center[0] + radius * math.cos(angle), center[1] + radius * math.sin(angle)
