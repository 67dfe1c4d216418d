"""Made-up tables without a hub, on which trains touch the engine."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bench.stand_ins.sketch import sketched
from companion.geometry import reconstruct
from companion.geometry.layout import turn
from datasets.simulator.camera import SimSettings
from datasets.simulator.plan import TablePlan, even_stations
from datasets.simulator.random_tables import PLAYERS, random_table, setup_for
from datasets.simulator.tabletop import TableFullError
from datasets.simulator.touching import LARGEST_OFF_DEG, at_the_engine


def plan(players: int, seed: int) -> TablePlan:
    rng = np.random.default_rng(seed)
    stations = even_stations(PLAYERS[:players], float(rng.uniform(-180, 180)))
    return at_the_engine(TablePlan(PLAYERS[:players], stations=stations), rng)


def test_trains_begin_at_the_engines_outline_near_their_stations() -> None:
    kinds = set()
    for seed in range(60):
        touching = plan(2 + seed % 6, seed)
        x, y = touching.center_mm
        u = math.radians(touching.engine_deg)
        for name, begin in touching.begins.items():
            dx, dy = begin.place[0] - x, begin.place[1] - y
            along, across = dx * math.cos(u) + dy * math.sin(u), dy * math.cos(u) - dx * math.sin(u)
            outside = math.hypot(max(0.0, abs(along) - 24.0), max(0.0, abs(across) - 12.0))
            assert outside < 4.1 and (abs(along) > 23.9 or abs(across) > 11.9)
            first = (
                dx + 24.0 * math.cos(math.radians(begin.heading_deg)),
                dy + 24.0 * math.sin(math.radians(begin.heading_deg)),
            )
            leaves = math.degrees(math.atan2(first[1], first[0]))
            assert abs(turn(leaves, touching.stations[name])) <= LARGEST_OFF_DEG
            at = (abs(along) > 23.9, abs(across) > 11.9)
            kinds.add({(True, False): "end", (False, True): "side", (True, True): "corner"}[at])
    assert kinds == {"end", "side", "corner"}


@pytest.mark.parametrize(("players", "least"), [(2, 16), (3, 16), (5, 14), (8, 0)])
def test_few_players_touch_the_engine_and_many_leave_a_ring(players: int, least: int) -> None:
    plans = [plan(players, seed) for seed in range(20)]
    assert sum(bool(one.begins) for one in plans) >= least
    assert players < 8 or not any(one.begins for one in plans)
    assert all(one.hub_radius_mm == 0.0 for one in plans)
    assert all(len(one.begins) in (0, players + 1) for one in plans)


def test_what_lies_there_is_laid_out_right() -> None:
    tried = wrong = 0
    for seed in range(60):
        try:
            plan, table, trains, _ = random_table(seed, 40, hub=False, touching=True)
        except TableFullError:
            continue
        if not plan.begins:
            continue
        tried += 1
        layout = reconstruct(table.view(0.6, 0.5), setup_for(plan))
        wrong += {name: [one.laid for one in layout.trains[name]] for name in trains} != trains
    assert tried >= 25
    assert wrong <= tried * 0.02


def test_every_second_round_without_a_hub_touches_the_engine() -> None:
    plans = {seed: sketched(seed, SimSettings(rules="reeves", players=3, hub=False)).plan for seed in (6, 7)}
    assert plans[6].begins and not plans[7].begins
    assert not sketched(6, SimSettings(rules="reeves", players=3)).plan.begins
