"""Films whose markers are bodies that no network was trained on (datasets/render/figures.py): `bench.corpus toys`.

Those of every second player stand on the last tile of their train, over its outer half, and move on with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from companion.geometry.layout import Point
from datasets.render.figures import BODIES
from datasets.render.surfaces import PATTERNED
from datasets.render.table import TableMarker, TableScene, TableThing
from datasets.simulator.film import Film
from datasets.simulator.tabletop import TableTop

KINDS = tuple(BODIES)
COLOURS = ("#c8281e", "#2346b4", "#1e8c3c", "#e0b020", "#202020", "#e8e4dc", "#8a5a2b", "#7a2a8a")


@dataclass(slots=True)
class ToyFilm(Film):
    """The simulator's film with other markers, and `others` that are no markers. Without `toys` its own coins;
    `patterned`: on a cloth with a print."""

    toys: bool = field(default=True, kw_only=True)
    patterned: bool = field(default=False, kw_only=True)
    others: tuple[TableThing, ...] = field(default=(), kw_only=True)

    def _scene(self, table: TableTop | None) -> TableScene:
        scene = super(ToyFilm, self)._scene(table)
        if self.patterned:
            scene = replace(scene, background=PATTERNED[self.seed % len(PATTERNED)])
        if table is None:
            return scene
        if self.toys:
            scene = replace(scene, markers=tuple(self._toy(table, player) for player in table.markers))
        return replace(scene, things=(*scene.things, *self.others))

    def stand(self, table: TableTop) -> list[Point]:
        """Where the markers stand (mm)."""
        return [one.center_mm for one in self._scene(table).markers]

    def _toy(self, table: TableTop, player: str) -> TableMarker:
        n = self.plan.players.index(player)
        chance = np.random.default_rng([self.seed, n])
        kind, colour = KINDS[int(chance.integers(len(KINDS)))], COLOURS[int(chance.integers(len(COLOURS)))]
        heading, tiles = float(chance.uniform(0, 360)), table.trains.get(player)
        if (self.seed + n) % 2 == 0 or not tiles:
            return TableMarker(table.markers[player], colour, heading, kind)
        last, (length, _, thick) = tiles[-1], self.plan.tile_mm
        along = np.radians(last.heading_deg)
        x, y = last.center_mm[0] + np.cos(along) * length / 4, last.center_mm[1] + np.sin(along) * length / 4
        return TableMarker((float(x), float(y)), colour, heading, kind, thick)
