"""Tables with the hubs that people have, one kind a table, for `bench.stills --hubs`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from companion.geometry.layout import Point
from companion.rules.tile import Laid
from datasets.render.table import TableHub, TableScene
from datasets.simulator.film import Film
from datasets.simulator.placing import Rect, overlap
from datasets.simulator.plan import HUB_RADIUS_MM, MEXICAN, TablePlan, even_stations
from datasets.simulator.random_tables import PLAYERS, random_trains
from datasets.simulator.tabletop import TableTop, lay_out

LOOKS: Mapping[str, Mapping[str, str]] = {
    "round": {"shape": "disc"},
    "octagon": {"shape": "octagon"},
    "printed": {"shape": "print"},
    "pale": {"shape": "disc", "colour": "#e9e6dc"},
    "wooden": {"shape": "disc", "made_of": "wood", "colour": "#a8794c"},
    "off centre": {"shape": "disc"},
    "cut": {"shape": "disc"},
    "false": {"shape": "disc"},
}
"""`off centre`: the engine lies beside the hub's middle; `cut`: the picture's edge cuts the hub; `false`: the plate
lies beside the game, and the trains begin around the engine."""

KINDS = tuple(LOOKS)
OFF_CENTRE_MM = (10.0, 24.0)
CUT_DEG = 70.0
"""On a table whose hub is cut, trains leave it so far to either side at most."""
MOST_AT_A_CUT_HUB = 4
CLEAR_MM = 4.0


def hub_table(
    seed: int, kind: str, count: int = 45, boneyard: int = 25
) -> tuple[TablePlan, TableTop, Mapping[str, list[Laid]], list[str]]:
    """A laid-out table for 2 to 8 players, as `bench.stand_ins.seen_tables.random_table`; raises TableFullError."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    players = PLAYERS[: 2 + seed % (MOST_AT_A_CUT_HUB - 1 if kind == "cut" else 7)]
    plan = TablePlan(players, stations=even_stations(players, float(rng.uniform(-180, 180))))
    if kind == "cut":
        angles = np.linspace(-CUT_DEG, CUT_DEG, len(players) + 1) + rng.uniform(-4, 4)
        stations = dict(zip((*players, MEXICAN), map(float, angles), strict=True))
        plan = replace(plan, stations=stations, middle_mm=(float(rng.uniform(0, 25)), 450.0), edge_mm=6.0)
    elif kind == "off centre":
        away, angle = rng.uniform(*OFF_CENTRE_MM), rng.uniform(0, 2 * math.pi)
        off = float(away * math.cos(angle)), float(away * math.sin(angle))
        plan = replace(plan, engine_off_mm=off, engine_deg=float(rng.uniform(-90, 90)))
    elif kind == "false":
        plan = replace(plan, hub_radius_mm=0.0)
    trains = random_trains(rng, players, 12, count)
    marked = [name for name in players if rng.random() < 0.3]
    return plan, lay_out(plan, rng, Laid(12, 12), trains, marked, boneyard=boneyard), trains, marked


@dataclass(slots=True)
class HubFilm(Film):
    """The table with a hub of this kind."""

    kind: str = field(default="round", kw_only=True)

    def _scene(self, table: TableTop | None) -> TableScene:
        scene = super(HubFilm, self)._scene(table)
        if table is None:
            return scene
        if scene.hub is None:
            place = free_place(table, np.random.default_rng(self.seed))
            if place is None:
                return scene
            scene = replace(scene, hub=TableHub(place, HUB_RADIUS_MM))
        assert scene.hub is not None
        return replace(scene, hub=replace(scene.hub, **LOOKS[self.kind]))


def free_place(table: TableTop, rng: np.random.Generator) -> Point | None:
    """Somewhere on the table where a plate as large as a hub touches no tile; None on a full table."""
    reach = HUB_RADIUS_MM + CLEAR_MM
    taken: Sequence[Rect] = table.rects()
    w, h = table.plan.size_mm
    for _ in range(400):
        x, y = float(rng.uniform(reach, w - reach)), float(rng.uniform(reach, h - reach))
        plate = Rect((x, y), 0.0, reach, reach)
        near = any(math.dist(mark, (x, y)) < reach + 12.0 for mark in table.markers.values())
        if not near and not any(overlap(plate, rect) for rect in taken):
            return x, y
    return None
