"""A random table with everything that lies and stands on it, as solids in millimetres, from one seeded generator."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from datasets.render.arrange import Placed, footprint
from datasets.render.camera import Array, Axes, Camera, axes, rounded_outline
from datasets.render.chance import pick
from datasets.render.clutter import FLAT, any_kind, draw_clutter
from datasets.render.colour import any_colour, linear
from datasets.render.faces import FaceMaker
from datasets.render.gbuffer import CLUTTER, Texture
from datasets.render.hubs import draw_hub
from datasets.render.labels import LabelObject, clockwise, tile_quad
from datasets.render.legibility import pip_places
from datasets.render.markers import DrawnThing, draw_marker
from datasets.render.rare import rare_style
from datasets.render.scenes import Plan, make_plan
from datasets.render.spot import Spot
from datasets.render.stage import DrawnTile, label_all, out_of_sight
from datasets.render.styles import TileStyle, make_style
from datasets.render.surfaces import Surface, make_surface
from datasets.traced.room import Room, make_room
from datasets.traced.solids import Collector, Paint, Solid, paint_of, upright

Rng = np.random.Generator
STEEPEST = 60.0
"""A camera leans no further, degrees."""
HORIZON = 82.0
"""The farthest any ray of the camera leans, degrees: beyond it a table has no end."""
TILE_PX = (34.0, 170.0)
"""How long a tile in the middle is at least and at most, pixels."""
FACE_PX_PER_MM = (2.0, 14.0)
"""How sharp a face is painted at least and at most."""
RARE, UNDIVIDED, NAILED = 0.3, 0.1, 0.06
"""The share of sets that few shops sell, that have no dividing line, and whose pips are metal nails."""
KINDS = {
    "train": 0.34,
    "snake": 0.13,
    "scatter": 0.12,
    "hand": 0.15,
    "pile": 0.08,
    "close": 0.08,
    "mixed": 0.07,
    "neg": 0.03,
}
"""The share of tables on which each thing lies (`datasets.render.scenes`)."""
RACKED, LADEN = 0.18, 0.3
"""The share of tables with tiles that stand in a row, and with things that stand on tiles."""
UNBALANCED = 0.1
"""The share of pictures of a camera board that was told no white balance."""
SHOWING = 0.25
"""A standing face is labelled where it turns to the camera by at least this cosine."""
BRASS, STEEL = Paint((0.78, 0.6, 0.28), 0.28, 1.0), Paint((0.72, 0.72, 0.74), 0.25, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The scene to trace, and the source of its labels. The surface reaches `reach_mm` to every side of the camera's
    target, turned by `heading`. `balance` (3,) is what the camera makes of white light."""

    plan: Plan
    camera: Camera
    solids: list[Solid]
    tiles: list[DrawnTile]
    things: list[DrawnThing]
    surface: Surface
    reach_mm: float
    heading: float
    room: Room
    balance: NDArray[np.float32]

    def labels(self, owners: NDArray[np.int16], image: NDArray[np.uint8]) -> list[LabelObject]:
        """`owners` (h, w) as the lens bends them, `image` as the file holds it."""
        return label_all(self.camera, self.tiles, self.things, owners, image)


def make_table(
    rng: Rng, width: int, height: int, scene: str | None = None, tilt_deg: tuple[float, float] = (0.0, STEEPEST)
) -> Table:
    """A random table; `scene` one of `datasets.render.scenes.SCENES`, `tilt_deg` how far the camera leans."""
    style = make_set(rng)
    plan = make_plan(rng, style, scene or pick(rng, list(KINDS), list(KINDS.values())), height / width)
    camera = hang_camera(rng, plan, width, height, tilt_deg)
    stage = Collector(camera)
    reach = min(2.2 * camera.view_mm, 1500.0) * rng.uniform(0.75, 1.0)
    surface = make_surface(rng, 1000, 2 * reach / 1000, "mat" if rng.random() < 0.06 else None)
    tiles, things = _lay(rng, stage, plan)
    if rng.random() < RACKED and plan.kind != "neg":
        tiles += stand_row(rng, stage, plan)
    heading = pick(rng, [0.0, rng.uniform(0, 2 * math.pi)], [0.6, 0.4])
    room = make_room(rng, camera)
    return Table(plan, camera, stage.solids, tiles, things, surface, reach, heading, room, _balance(rng))


def make_set(rng: Rng) -> TileStyle:
    """A maker's set: common, rare, without dividing lines, or with nails for pips."""
    style = make_style(rng)
    if rng.random() < RARE:
        style = rare_style(style, rng)
    chance = rng.random()
    if style.family == "western" and chance < UNDIVIDED and not style.pips.moulded:
        divider = replace(style.divider, shown=False, pin_radius=0.0)
        style = replace(style, divider=divider, body=replace(style.body, back_pattern="logo"))
    return style


def hang_camera(rng: Rng, plan: Plan, width: int, height: int, tilt_deg: tuple[float, float]) -> Camera:
    """A camera that leans as told and, mostly, holds the horizon level, as people do."""
    tilt = rng.uniform(*tilt_deg)
    field_of_view = min(rng.uniform(38, 66), 2 * (HORIZON - tilt))
    toward = rng.uniform(0, 2 * math.pi)
    roll = toward + math.pi + rng.normal(0, 0.06)
    if rng.random() < 0.15:
        roll += rng.integers(1, 4) * math.pi / 2
    bent = 0.0 if rng.random() < 0.5 else float(np.clip(rng.normal(0, 0.025), -0.05, 0.05))
    length = width * plan.style.body.length
    view = float(np.clip(plan.view_mm, length / TILE_PX[1], length / TILE_PX[0]))
    return Camera(width, height, field_of_view, view, plan.centre, math.radians(tilt), toward, roll, distortion=bent)


def _balance(rng: Rng) -> NDArray[np.float32]:
    if rng.random() >= UNBALANCED:
        return np.ones(3, np.float32)
    if rng.random() < 0.7:  # the sensor's own green
        return np.array([rng.uniform(0.45, 0.75), 1, rng.uniform(0.5, 0.85)], np.float32)
    return np.array([rng.uniform(1.1, 1.4), 0.85, rng.uniform(1.0, 1.25)], np.float32)  # without an infrared filter


def _lay(rng: Rng, stage: Collector, plan: Plan) -> tuple[list[DrawnTile], list[DrawnThing]]:
    """Hub, tiles, markers and clutter; what lies under tiles first."""
    style, camera = plan.style, stage.camera
    px = camera.scale_at(plan.centre)
    things: list[DrawnThing] = []
    lift = 0.0
    if plan.hub is not None:
        hub, thickness = draw_hub(stage, rng, plan.hub, px, style)
        things.append(hub)
        lift = min(thickness, style.body.thickness * 0.5)
    printer = Printer(rng, style, stage)
    laid = []
    for tile in plan.tiles:
        if not out_of_sight(camera, tile, style):
            laid.append(printer.lay(tile, lift if plan.in_hub(tile) else 0.0))
    for x, y, z, heading in (*plan.markers, *_burdens(rng, plan)):
        things.append(draw_marker(stage, rng, (x, y), heading, px, z=z))
    for _ in range(int(rng.choice([0, 1, 2, 4, 7], p=[0.35, 0.25, 0.2, 0.12, 0.08]))):
        x, y = np.array(plan.centre) + rng.uniform(-0.55, 0.55, 2) * camera.view_mm
        if max(abs(x), abs(y)) < 850 and plan.ground.free(footprint(x, y, 0, 70, 70), 1.0):
            kind = any_kind(rng)
            if kind not in FLAT or plan.kind == "neg":
                draw_clutter(stage, rng, kind, Spot(x, y, rng.uniform(0, 2 * math.pi), px, style))
    return laid, things


def _burdens(rng: Rng, plan: Plan) -> list[tuple[float, float, float, float]]:
    """Places on tiles where toys and other things stand."""
    lying = [tile for tile in plan.tiles if not tile.pitch and not tile.roll]
    if not lying or rng.random() >= LADEN:
        return []
    body, out = plan.style.body, []
    for _ in range(int(rng.integers(1, 5))):
        tile = lying[rng.integers(len(lying))]
        along, across = rng.uniform(-0.45, 0.45) * body.length, rng.uniform(-0.35, 0.35) * body.width
        c, s = math.cos(tile.heading), math.sin(tile.heading)
        x, y = tile.x + along * c - across * s, tile.y + along * s + across * c
        out.append((x, y, tile.z + body.thickness, rng.uniform(0, 2 * math.pi)))
    return out


class Printer:
    """Paints and lays the tiles of one set."""

    def __init__(self, rng: Rng, style: TileStyle, stage: Collector) -> None:
        self.rng, self.style, self.stage = rng, style, stage
        body = style.body
        px = stage.camera.scale_at(stage.camera.target) * 1.4
        sharp = float(np.clip(px, *FACE_PX_PER_MM))
        self.sharp = min(sharp, 640 / body.length)
        # The bevel is a shape here, so none is painted.
        plain = replace(style, body=replace(body, bevel=0.0), divider=replace(style.divider, pin_radius=0.0))
        self.faces = FaceMaker(plain, self.sharp, rng)
        self.outline = rounded_outline(body.length, body.width, min(body.corner, body.width * 0.45), 5)
        self.nailed = rng.random() < NAILED and style.family == "western" and not style.pips.numerals
        self.metal = BRASS if rng.random() < 0.6 else STEEL
        self.gloss = float(np.clip(body.gloss, 0.1, 1.3))
        self.clear = rng.uniform(0.1, 0.5) if body.material in ("jade", "pastel") and rng.random() < 0.4 else 0.0

    def lay(self, tile: Placed, lift: float = 0.0) -> DrawnTile:
        tilt = (tile.pitch, tile.roll) if tile.pitch or tile.roll else self.rng.normal(0, 0.005, 2)
        frame = axes(tile.heading, float(tilt[0]), float(tilt[1]))
        return self.place(tile, np.array([tile.x, tile.y, tile.z + lift]), frame)

    def place(self, tile: Placed, base: Array, frame: Axes) -> DrawnTile:
        """A tile whose back's middle is `base`, its face towards frame[2]."""
        style, body, rng = self.style, self.style.body, self.rng
        values = (tile.first, tile.second)
        if not tile.face_up:
            painted = self.faces.back(rng)
        else:
            painted = self.faces.face(*((0, 0) if self.nailed else values), rng)
        low, high = body.colour, body.colour
        if body.two_tone:
            low, high = (body.back_colour, body.colour) if tile.face_up else (body.colour, body.back_colour)
        owner = self.stage.new_owner()
        sides = [replace(paint_of(colour, self.gloss), clear=self.clear) for colour in (low, high)]
        bevel = min(max(body.bevel * body.bevel_slope, 0.25), body.thickness * 0.35)
        self.stage.solids.append(
            Solid(base, frame, self.outline, body.thickness, *sides, body.side_split, bevel, _shaded(painted), owner)
        )
        if tile.face_up:
            self._nail(values, base + frame[2] * body.thickness, frame, owner)
        quad = self.stage.camera.project(tile_quad(base, frame, body.length, body.width, body.thickness))
        return DrawnTile(tile, style, owner, clockwise(quad))

    def _nail(self, values: tuple[int, int], top: Array, frame: Axes, owner: int) -> None:
        """The pin in the middle, and nails for pips where the set has them."""
        pin = self.style.divider.pin_radius
        if pin:
            self.stage.dome(top, frame, pin, pin * 0.5, self.metal, owner)
        for half in (0, 1) if self.nailed else ():
            if not values[half]:
                continue
            places, radius = pip_places(self.style, values, half)[0]
            if len(places) > 1:
                apart = np.linalg.norm(places[:, None] - places[None], axis=2) + np.eye(len(places)) * 1e3
                radius = min(radius, float(apart.min()) * 0.42)
            for u, v in places:
                at = top + frame[0] * u + frame[1] * v
                self.stage.dome(at, frame, radius, radius * 0.35, self.metal, owner)


def _shaded(face: Texture) -> Texture:
    """A face whose dimples are darker inside: their walls are painted, not cut, and shade nothing themselves."""
    albedo = face.albedo.copy()
    albedo[..., :3] *= face.relief[..., 3:] ** 0.7
    albedo[..., 3] = 1
    return Texture(albedo, face.relief, face.px_per_mm)


def stand_row(rng: Rng, stage: Collector, plan: Plan) -> list[DrawnTile]:
    """Tiles on their edge, in a rack or free, near the picture's rim; those that show their face are labelled."""
    style, body, camera = plan.style, plan.style.body, stage.camera
    printer = Printer(rng, style, stage)
    away = rng.uniform(0, 2 * math.pi)
    reach = camera.view_mm * rng.uniform(0.25, 0.42)
    at = np.array([plan.centre[0] + reach * math.cos(away), plan.centre[1] + reach * math.sin(away), 0.0])
    foot = camera.centre - at
    to_camera = math.atan2(foot[1], foot[0])
    # A hand shows its face to one side of the table; half of the photographs are taken from there.
    faces = (to_camera if rng.random() < 0.5 else away) + rng.normal(0, 0.25)
    heading, lean = faces - math.pi / 2, rng.uniform(0.05, 0.5)
    frame = upright(heading, lean)
    upended = rng.random() < 0.5
    step = (body.width if upended else body.length) + rng.uniform(0.2, 3)
    tall = body.length if upended else body.width
    count = int(rng.integers(3, 10))
    up, low = np.array([0, 0, 1.0]), 0.0
    if rng.random() < 0.6:
        low = rng.uniform(2, 6)
        _rack(rng, stage, at, heading, count * step + 8, low, tall, body.thickness)
    # A tile that leans back stands on the lower edge of its back.
    high = low + tall / 2 * math.cos(lean) + body.thickness * math.sin(lean) + 0.3
    laid = []
    for k in range(count):
        first, second = sorted(rng.integers(1 if style.family == "chinese" else 0, style.set_max + 1, 2))
        middle = at + frame[0] * (k - (count - 1) / 2) * step + up * high
        turned = (frame[1], -frame[0], frame[2]) if upended else frame
        tile = Placed(middle[0], middle[1], heading, int(first), int(second), z=low)
        if not plan.ground.free(footprint(middle[0], middle[1], heading, step, body.thickness * 2), 0.9):
            continue
        drawn = printer.place(tile, middle - turned[2] * body.thickness, turned)
        seen = camera.centre - middle
        if frame[2] @ seen / np.linalg.norm(seen) >= SHOWING:
            laid.append(drawn)
    return laid


def _rack(
    rng: Rng, stage: Collector, at: Array, heading: float, long: float, low: float, tall: float, thick: float
) -> None:
    """A foot, a lip before the tiles and perhaps a wall behind them."""
    wooden = linear(np.array([0.6, 0.42, 0.25]) * rng.uniform(0.4, 1.2))
    colour = wooden if rng.random() < 0.6 else any_colour(rng)
    frame = axes(heading)
    deep = thick * rng.uniform(2.2, 3.5)
    stage.prism(at, frame, rounded_outline(long, deep, 1.5, 2), low, colour, gloss=0.4, owner=CLUTTER)
    lip = at + frame[1] * (deep / 2 - 1.5)
    stage.prism(lip, frame, rounded_outline(long, 3, 1, 2), low + rng.uniform(0, 0.12) * tall, colour, gloss=0.4)
    if rng.random() < 0.6:
        wall = at - frame[1] * (deep / 2 - 1.5)
        stage.prism(wall, frame, rounded_outline(long, 3, 1, 2), low + 0.7 * tall, colour, gloss=0.4)
