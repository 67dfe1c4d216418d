"""Rounds in real light: Blender traces each table as it lies, and arms of the project's renderer reach over it.

Sets, hubs and markers are those of `datasets.traced`, and so are lamps of real size, soft shadows and mirrored rooms.
Blender is a package of an environment of its own (`make trace-env`), which draws one picture a process. At 1600 x 1200
a table takes half a minute on one core:

    python -m bench.corpus traced --scenes 20 --seeds 900 901 --out DIR
"""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from datasets.render.arrange import Placed
from datasets.render.camera import axes
from datasets.render.chance import stream
from datasets.render.clutter import draw_clutter
from datasets.render.colour import from_hex
from datasets.render.hubs import PlacedHub, draw_hub
from datasets.render.markers import draw_marker
from datasets.render.scenes import Plan
from datasets.render.sensor import develop
from datasets.render.spot import Spot
from datasets.render.styles import TileStyle, make_style, resized
from datasets.render.surfaces import Surface, make_surface
from datasets.render.table import TableScene, camera_of
from datasets.simulator.film import Film
from datasets.simulator.tabletop import TableTop
from datasets.traced.room import Room, make_room
from datasets.traced.solids import Collector
from datasets.traced.tables import Printer, Table

TRACER = Path(os.environ.get("TRACE_VENV", ".venv-trace")) / "bin" / "python"
SURFACES = ("wood", "cloth", "laminate")
CARD_SHARE, CARD = 0.2, 0.85
"""A card of this part of the picture's width and this albedo, by which the exposure is set before the round."""
ON_HUB = 0.75
"""A share of the hub's radius: a tile nearer to its middle lies on it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    style: TileStyle
    surface: Surface
    reach_mm: float
    room: Room
    metered: NDArray[np.float32]


@dataclass(slots=True)
class TracedFilm(Film):
    """`Film` with tables in real light."""

    _look: _Look | None = field(init=False, default=None)

    def develop(self, table: TableTop) -> None:
        """Trace the table as it lies now."""
        scene = self._scene(table)
        look = self._look = self._look or self._first_look()
        light = traced(self._solid_table(scene, look)) * np.float32(self.lamp)
        sensor, grains = stream(self.seed, "sensor"), stream(self.seed, "grains")
        self._still, _ = develop(light, sensor, noise_rng=grains, calm=True, metered=look.metered)

    def _first_look(self) -> _Look:
        """Set, table top and light, and what the camera meters on the empty table with a card on it."""
        scene = self._scene(None)
        camera = camera_of(scene)
        style = resized(make_style(stream(self.seed, "set"), self.family, self.set_max), *scene.tile_size_mm)
        reach = min(2.2 * camera.view_mm, 1500.0)
        rng = stream(self.seed, "top")
        surface = make_surface(rng, 1000, 2 * reach / 1000, SURFACES[int(rng.integers(len(SURFACES)))])
        look = _Look(
            style, surface, reach, make_room(stream(self.seed, "lamps"), camera), np.zeros((1, 1, 3), np.float32)
        )
        bare = self._solid_table(scene, look)
        side = CARD_SHARE * camera.view_mm / 2 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
        card = Collector(camera)
        card.prism((*camera.target, 0.0), axes(0.0), side, 0.5, np.full(3, CARD, np.float32), gloss=0.0)
        bare.solids.extend(card.solids)
        return _Look(style, surface, reach, look.room, traced(bare))

    def _solid_table(self, scene: TableScene, look: _Look) -> Table:
        camera = camera_of(scene)
        stage, px, style, lift = Collector(camera), camera.scale_at(camera.target), look.style, 0.0
        if (hub := scene.hub) is not None:
            round_mm = PlacedHub(*hub.center_mm, hub.radius_mm, math.radians(hub.heading_deg), hub.slots, hub.shape)
            _, thickness = draw_hub(stage, stream(self.seed, "hub"), round_mm, px, style)
            lift = min(thickness, style.body.thickness / 2)
        for thing in scene.things:
            spot = Spot(*thing.center_mm, math.radians(thing.heading_deg), px, style)
            draw_clutter(stage, stream(self.seed, thing.kind), thing.kind, spot)
        printer, copies = Printer(stream(self.seed, "prints"), style, stage), dict[tuple[int, ...], int]()
        for tile in scene.tiles:
            pips = tuple(sorted(tile.values))
            copies[pips] = copies.get(pips, 0) + 1
            printer.rng = stream(self.seed, f"tile {pips} {copies[pips]}")
            on_hub = hub is not None and math.dist(tile.center_mm, hub.center_mm) < ON_HUB * hub.radius_mm
            heading = math.radians(tile.heading_deg)
            laid = Placed(*tile.center_mm, heading, *tile.values, tile.face_up, tile.z_mm)
            printer.lay(laid, lift if on_hub else 0.0)
        for marker in scene.markers:
            rng, colour = stream(self.seed, f"marker {marker.colour}"), from_hex(marker.colour)
            heading = math.radians(marker.heading_deg)
            draw_marker(stage, rng, marker.center_mm, heading, px, marker.kind, colour, marker.z_mm)
        white = np.ones(3, np.float32)
        plan = Plan("train", style)
        return Table(plan, camera, stage.solids, [], [], look.surface, look.reach_mm, 0.0, look.room, white)


def traced(table: Table) -> NDArray[np.float32]:
    """(h, w, 3) linear RGB, from a process of Blender's; raises FileNotFoundError without it."""
    if not TRACER.is_file():
        raise FileNotFoundError(f"{TRACER}: not found; `make trace-env` makes it")
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "table", Path(folder) / "light.npy"
        given.write_bytes(pickle.dumps(table))
        done = subprocess.run([TRACER, "-m", "datasets.traced.one", given, made], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"Blender did not trace the table: {done.stderr.strip().splitlines()[-1:]}")
        return np.asarray(np.load(made), np.float32)
