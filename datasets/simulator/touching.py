"""Where trains begin that touch the engine: at its ends, its long sides and its corners, as most people lay them.

The Ukrainian text has no hub ("lays it to the central double"), the Czech leaflet calls it a decoration.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from companion.geometry.layout import turn
from datasets.simulator.placing import Rect, overlap, step
from datasets.simulator.plan import Begin, TablePlan, polar

LARGEST_OFF_DEG = 20.0
"""So far beside its station nobody begins a train: who finds no place nearer leaves a ring around the engine."""

TRIES = 40
_TOLERANCE_MM = 1.5
"""Tiles laid by hand side by side may seem to overlap so much."""


def at_the_engine(plan: TablePlan, rng: np.random.Generator) -> TablePlan:
    """The same plan without a hub, every train beginning at the engine near its station where all find room there,
    else on a ring around it. The engine lies along the table, across it or askew."""
    bare = replace(plan, hub_radius_mm=0.0)
    for _ in range(TRIES):
        kind = rng.random()
        engine_deg = float(rng.uniform(-90.0, 90.0)) if kind < 0.2 else 0.0 if kind < 0.6 else 90.0
        begins = _matched(_drawn(plan, engine_deg, rng), plan)
        if begins is not None:
            return replace(bare, engine_deg=engine_deg, begins=begins)
    return bare


def _places(plan: TablePlan) -> list[tuple[float, float, float]]:
    """(along, across, heading) in the engine's own frame, mm and degrees."""
    a, b = plan.tile_mm[0] / 2, plan.tile_mm[1] / 2
    ends = [(a, 0.0, 0.0), (-a, 0.0, 180.0)]
    sides = [(x, side * b, side * 90.0) for side in (1, -1) for x in (0.0, a / 2, -a / 2)]
    corners = [(x * a, y * b, math.degrees(math.atan2(y, x))) for x in (1, -1) for y in (1, -1)]
    return [*ends, *sides, *corners]


def _drawn(plan: TablePlan, engine_deg: float, rng: np.random.Generator) -> list[Begin]:
    """Places that are not in each other's way, as many as find room, by chance."""
    length, width, _ = plan.tile_mm
    engine = Rect(plan.center_mm, engine_deg, length / 2, width / 2)
    chosen: list[Begin] = []
    taken = [engine]
    every = _places(plan)
    for n in rng.permutation(len(every)):
        along, across, heading = every[n]
        away, around = math.hypot(along, across), math.degrees(math.atan2(across, along))
        place = polar(plan.center_mm, away, engine_deg + around)
        at_a_corner = along != 0.0 and across != 0.0 and abs(along) == length / 2
        if at_a_corner:  # its inner corners lie beside the engine's
            place = step(place, engine_deg + heading, float(rng.uniform(0.0, 4.0)))
        begin = Begin(place, engine_deg + heading)
        rect = Rect(
            step(place, begin.heading_deg, length / 2), begin.heading_deg, length / 2, width / 2 - _TOLERANCE_MM
        )
        free = [one for one in taken if not (at_a_corner and one is engine)]
        if any(overlap(rect.grown(-_TOLERANCE_MM, 0.0), other) for other in free):
            continue
        chosen.append(begin)
        taken.append(rect)
    return chosen


def _matched(begins: Sequence[Begin], plan: TablePlan) -> Mapping[str, Begin] | None:
    """Every station with its train's place, in order around the engine; None where one would lie too far beside it."""
    if len(begins) < len(plan.stations):
        return None
    length = plan.tile_mm[0]
    x, y = plan.center_mm

    def leaves(begin: Begin) -> float:
        cx, cy = step(begin.place, begin.heading_deg, length / 2)
        return math.degrees(math.atan2(cy - y, cx - x))

    angles = {begin: leaves(begin) for begin in begins}
    around = sorted(begins, key=lambda begin: angles[begin])
    names = sorted(plan.stations, key=lambda name: turn(plan.stations[name], 0.0))
    best: tuple[float, dict[str, Begin]] | None = None
    for chosen in combinations(around, len(names)):
        for first in range(len(names)):
            order = [*names[first:], *names[:first]]
            off = max(abs(turn(angles[begin], plan.stations[name])) for begin, name in zip(chosen, order, strict=True))
            if best is None or off < best[0]:
                best = off, dict(zip(order, chosen, strict=True))
    return None if best is None or best[0] > LARGEST_OFF_DEG else best[1]
