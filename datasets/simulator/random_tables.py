"""Whole tables by chance, as bots without manners would leave them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from companion.geometry import TableSetup
from companion.geometry.layout import MEXICAN, Family
from companion.rules.tile import Laid, double_set
from datasets.simulator.plan import Bend, TablePlan, even_stations
from datasets.simulator.tabletop import TableTop, lay_out
from datasets.simulator.touching import at_the_engine

PLAYERS = ("Ann", "Ben", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal")


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
