"""One random picture with its labels, from one seeded generator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.arrange import footprint
from datasets.render.camera import Array, Camera, axes, distance_to_rounded, rounded_outline
from datasets.render.clutter import FLAT, any_kind, draw_clutter
from datasets.render.colour import any_colour
from datasets.render.domino_prints import board_picture
from datasets.render.gbuffer import TABLE, GBuffer, Texture
from datasets.render.hands import draw_hand
from datasets.render.hubs import draw_hub
from datasets.render.labels import LabelObject
from datasets.render.lighting import shade
from datasets.render.lights import make_room, sun_and_shade
from datasets.render.markers import DrawnThing, blank, draw_marker, sharpness
from datasets.render.noise import smooth
from datasets.render.scenes import Plan, make_plan
from datasets.render.sensor import develop
from datasets.render.spot import Spot
from datasets.render.stage import DrawnTile, FaceBook, draw_tile, label_all, lay_table, out_of_sight
from datasets.render.styles import TileStyle, make_style, resized
from datasets.render.surfaces import PATTERNED, make_surface

F = np.float32
Rng = np.random.Generator


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """`image` (h, w, 3) BGR uint8; `objects` as in `labels`; `meta` about the scene; `quality` for JPEG."""

    image: NDArray[np.uint8]
    objects: list[LabelObject]
    meta: dict[str, Any]
    quality: int


def draw_picture(
    rng: Rng,
    width: int = 1280,
    height: int = 960,
    scene: str | None = None,
    family: str | None = None,
    set_max: int | None = None,
    style: TileStyle | None = None,
    surface: str | None = None,
    tilt_deg: tuple[float, float] | None = None,
) -> Picture:
    """A random table. `scene` one of `scenes.SCENES`; `family` and `set_max` as in `make_style`, or a `style`;
    `surface` one of `surfaces.KINDS`; `tilt_deg` between which angles the camera leans away from the vertical."""
    style = style or make_style(rng, family, set_max)
    plan = make_plan(rng, style, scene, height / width)
    plan.surface, plan.tilt_deg = surface, tilt_deg
    return _draw(rng, plan, _hang_camera(rng, plan, width, height))


def draw_crop(
    rng: Rng,
    width: int = 512,
    height: int = 512,
    tile_px: tuple[float, float] = (26.0, 110.0),
    scene: str | None = None,
    surface: str | None = None,
    tilt_deg: tuple[float, float] | None = None,
) -> Picture:
    """A cut from a larger picture at a scale where tiles are `tile_px` long: much cheaper than the whole picture.

    The cut lies anywhere in the larger picture, so tiles are seen from the side as they are near its edges.
    """
    style = make_style(rng)
    plan = make_plan(rng, style, scene, height / width)
    plan.surface, plan.tilt_deg = surface, tilt_deg
    px_per_mm = math.exp(rng.uniform(*np.log(tile_px))) / style.body.length
    if plan.tiles and rng.random() < 0.93:
        tile = plan.tiles[rng.integers(len(plan.tiles))]
        dx, dy = rng.normal(0, 0.2, 2) * (width / px_per_mm, height / px_per_mm)
        plan.centre = (tile.x + dx, tile.y + dy)
    whole = max(plan.view_mm * px_per_mm * rng.uniform(1.0, 1.4), width * 1.0)
    plan.view_mm = width / px_per_mm
    return _draw(rng, plan, _hang_camera(rng, plan, width, height, int(whole)))


def _draw(rng: Rng, plan: Plan, camera: Camera) -> Picture:
    style, width, height = plan.style, camera.width, camera.height
    g = GBuffer(camera)
    seen = camera.on_plane([(0, 0), (width, 0), (width, height), (0, height), (width / 2, 0), (width / 2, height)])
    table_kind, roughness, printed = _dress_table(rng, g, plan, seen)
    tiles, things = _set_table(rng, g, plan, seen)
    _reach_in(rng, g, plan, height / width)
    origin = (plan.centre[0] + rng.normal(0, 120), plan.centre[1] + rng.normal(0, 120))
    image = shade(
        g,
        make_room(rng),
        tile_roughness=style.body.roughness,
        table_roughness=roughness,
        tile_thickness=style.body.thickness,
        origin=origin,
    ).image
    image = sun_and_shade(rng, image)
    if camera.distortion:
        mx, my = camera.undistort_maps()
        image = cv2.remap(image, mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    out, quality = develop(image, rng)
    meta = {
        "scene": plan.kind,
        "background": table_kind,
        "printed_dominoes": printed,
        "view_mm": round(plan.view_mm, 1),
        "tilt_deg": round(math.degrees(camera.tilt), 1),
        "px_per_mm": round(camera.scale_at(plan.centre), 3),
        "set_kind": style.family,
        "nmax": style.set_max,
        "jpeg_q": quality,
        "width": width,
        "height": height,
    }
    return Picture(out, label_all(camera, tiles, things, camera.bent(g.owner), packed(out, quality)), meta, quality)


def packed(image: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    """The picture as its file keeps it: a reader never sees what was drawn before compression."""
    jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)


def _hang_camera(rng: Rng, plan: Plan, width: int, height: int, whole: int = 0) -> Camera:
    """Mostly straight above as a stand holds it; hand-held photographs lean up to 38 degrees, a few more.

    `whole`: the picture is a cut from one so many pixels wide, around the plan's centre.
    """
    chance = rng.random()
    if plan.kind in ("close", "hand", "pile", "scatter", "neg") and chance < 0.45:
        tilt = rng.uniform(5, 38) if rng.random() < 0.85 else rng.uniform(35, 55)
    else:
        tilt = abs(rng.normal(0, 5)) if chance < 0.85 else rng.uniform(8, 30)
    if plan.tilt_deg is not None:
        tilt = rng.uniform(*plan.tilt_deg)
    roll = rng.normal(0, 0.05)
    if rng.random() < 0.35:  # a person on another side of the table
        roll += rng.integers(4) * math.pi / 2 if rng.random() < 0.6 else rng.uniform(0, 2 * math.pi)
    aim, view, principal = plan.centre, plan.view_mm, None
    if whole > width:
        off = rng.uniform(-0.5, 0.5, 2) * (whole - width, max(whole * 0.75 - height, 0))
        principal = (width / 2 - off[0], height / 2 - off[1])
        turned = np.array([[math.cos(roll), math.sin(roll)], [-math.sin(roll), math.cos(roll)]]) @ off
        aim = (plan.centre[0] - turned[0] * view / width, plan.centre[1] - turned[1] * view / width)
        view = view * whole / width
    return Camera(
        width,
        height,
        rng.uniform(45, 74),
        view,
        aim,
        math.radians(tilt),
        rng.uniform(0, 2 * math.pi),
        roll,
        0.0 if rng.random() < 0.5 else rng.normal(0, 0.035),
        whole if whole > width else 0,
        principal,
    )


def _dress_table(rng: Rng, g: GBuffer, plan: Plan, seen: Array) -> tuple[str, float, bool]:
    """The table top, and now and then its edge or a mat on it.

    Returns the surface's kind and roughness, and whether pictures of dominoes may be printed on anything.
    """
    width = g.camera.width
    extent = min(max(np.ptp(seen[:, 0]), np.ptp(seen[:, 1])) * 1.04, plan.view_mm * 4)
    n = int(np.clip(width * 0.85, 400, 1200))
    # phantoms grow on patterns: where there is no tile, patterns come first
    patterned = plan.kind == "neg" and rng.random() < 0.6
    kind = PATTERNED[rng.integers(len(PATTERNED))] if patterned else None
    surface = make_surface(rng, n, extent / n, plan.surface or kind)
    heading = rng.uniform(0, 2 * math.pi) if rng.random() < 0.35 else rng.choice([0, math.pi / 2]) + rng.normal(0, 0.05)
    middle = (seen.min(0) + seen.max(0)) / 2
    lay_table(g, surface, (middle[0], middle[1]), heading)
    chance = rng.random()
    printed = surface.kind == "dominoes"
    if chance < 0.16 and plan.view_mm > 350:
        _table_edge(rng, g, plan)
    elif chance < (0.3 if plan.kind != "neg" else 0.5):
        printed |= _mat(rng, g, plan)
    return surface.kind, surface.roughness, printed


def _table_edge(rng: Rng, g: GBuffer, plan: Plan) -> None:
    """Past a straight edge lies the floor."""
    away = rng.uniform(0, 2 * math.pi)
    out = np.array([math.cos(away), math.sin(away)])
    along = np.array([-out[1], out[0]])
    edge = np.array(plan.centre) + out * plan.view_mm * rng.uniform(0.3, 0.48)
    corners = np.array(
        [edge - along * 4000, edge + along * 4000, edge + (along + out) * 4000, edge + (out - along) * 4000]
    )
    q = g.camera.project(np.column_stack([corners, np.zeros(4)]))
    if np.abs(q).max() >= 3e4:
        return
    mask = np.zeros(g.owner.shape, np.uint8)
    cv2.fillConvexPoly(mask, q.astype(np.int32), 255, cv2.LINE_AA)
    share = cv2.GaussianBlur(mask, (0, 0), 1.2).astype(F)[..., None] / 255
    extent = 1.5 * plan.view_mm
    floor = GBuffer(g.camera)
    lay_table(floor, make_surface(rng, 400, extent / 400), plan.centre, rng.uniform(0, 2 * math.pi))
    dim = F(rng.uniform(0.25, 0.9))  # it lies lower, often in the table's shade
    g.surface[..., :3] += (floor.surface[..., :3] * dim - g.surface[..., :3]) * share
    g.shape[..., 2] *= 1 - share[..., 0]


def _mat(rng: Rng, g: GBuffer, plan: Plan) -> bool:
    """A flat mat, tray, sheet or printed game board under the game. Returns whether it is a printed board."""
    w, h = rng.uniform(0.3, 1.0) * plan.view_mm, rng.uniform(0.3, 0.9) * plan.view_mm
    colour = any_colour(rng, (0, 230), (30, 250))
    res = sharpness(g.camera.scale_at(plan.centre), max(w, h), 900)
    board = rng.random() < 0.45
    albedo, relief, u, v = blank(w, h, res, colour, 2.0 if board else rng.uniform(0, 30))
    if board:
        albedo[..., :3] = board_picture(rng, u.shape[1], u.shape[0], res)
    else:
        grain = cv2.resize(smooth(rng, 256, 60), u.shape[::-1], interpolation=cv2.INTER_LINEAR)
        albedo[..., :3] *= (1 + F(rng.uniform(0.01, 0.08)) * grain)[..., None]
    if not board and rng.random() < 0.4:
        ring, _, _ = distance_to_rounded(u, v, w / 2 - 12, h / 2 - 12, 4)
        line = np.clip(0.5 - (np.abs(ring) - 2) * res, 0, 1)[..., None]
        albedo[..., :3] += (any_colour(rng) - albedo[..., :3]) * line
    relief[..., 2] = rng.uniform(0, 0.5)
    x, y = plan.centre[0] + rng.normal(0, plan.view_mm * 0.12), plan.centre[1] + rng.normal(0, plan.view_mm * 0.1)
    lid, shape = Texture(albedo, relief, res), rounded_outline(w, h, 5, 3)
    frame, thick = axes(rng.normal(0, 0.3)), rng.uniform(0.2, 3)
    g.prism((x, y, 0), frame, shape, thick, colour * 0.6, texture=lid, gloss=0.2, casts=False, owner=TABLE)
    g.body[:] = 0  # the mat is table from here on
    g.shape[..., 3] = 0
    return board


def _clutter_spots(rng: Rng, plan: Plan, seen: Array) -> list[tuple[float, float]]:
    if plan.kind == "neg":
        count = int(rng.integers(0, 14))
    else:
        count = int(rng.choice([0, 1, 2, 3, 5, 8], p=[0.3, 0.22, 0.2, 0.14, 0.09, 0.05]))
    if plan.kind == "close":
        count = min(count, 2) if plan.view_mm > 160 else int(rng.random() < 0.12)
    lo, hi = seen.min(0), seen.max(0)
    spots = []
    for _ in range(count):
        for _ in range(12):
            x, y = rng.uniform(lo[0], hi[0]), rng.uniform(lo[1], hi[1])
            if (
                abs(x) < 850
                and abs(y) < 850
                and (plan.ground.free(footprint(x, y, 0, 70, 70), 1.0) or rng.random() < 0.05)
            ):
                spots.append((x, y))
                break
    return spots


def _set_table(rng: Rng, g: GBuffer, plan: Plan, seen: Array) -> tuple[list[DrawnTile], list[DrawnThing]]:
    """Draws hub, clutter, markers and tiles: low before high, far from the camera's foot before near."""
    style, camera = plan.style, g.camera
    px = camera.scale_at(plan.centre)
    things: list[DrawnThing] = []
    hub_lift = 0.0
    if plan.hub is not None:
        hub, thickness = draw_hub(g, rng, plan.hub, px, style)
        things.append(hub)
        hub_lift = min(thickness, style.body.thickness * 0.5)
    foot = camera.centre[:2]
    step = max(style.body.thickness * 0.5, 1)

    def order(x: float, y: float, z: float) -> tuple[int, float]:
        return round(z / step), -math.hypot(x - foot[0], y - foot[1])

    queue: list[tuple[tuple[int, float], str, Any]] = [(order(t.x, t.y, t.z), "tile", t) for t in plan.tiles]
    for x, y in _clutter_spots(rng, plan, seen):
        kind = any_kind(rng)
        under = kind in FLAT and rng.random() < 0.93
        spot = Spot(x, y, rng.uniform(0, 2 * math.pi), px, style)
        queue.append((order(x, y, -1000.0 if under else 0.0), kind, spot))
    queue += [(order(*m[:3]), "marker", m) for m in plan.markers]
    queue.sort(key=lambda entry: entry[0])
    guest = _guest_style(rng, plan)
    faces, tiles = FaceBook(rng), []
    for _, kind, item in queue:
        if kind == "marker":
            things.append(draw_marker(g, rng, item[:2], item[3], px, z=item[2]))
        elif kind != "tile":
            draw_clutter(g, rng, kind, item)
        else:
            own = guest if guest is not None and rng.random() < 0.4 else style
            if not out_of_sight(camera, item, own):
                tiles.append(draw_tile(g, faces, item, own, rng, hub_lift if plan.in_hub(item) else 0.0))
    return tiles, things


def _guest_style(rng: Rng, plan: Plan) -> TileStyle | None:
    """Now and then tiles of a second set of the same size lie among the others."""
    if plan.style.family == "chinese" or plan.kind not in ("scatter", "mixed", "close") or rng.random() >= 0.08:
        return None
    own = plan.style.body
    guest = make_style(rng, "western", plan.style.set_max)
    return resized(guest, own.length, own.width, own.thickness)


def _reach_in(rng: Rng, g: GBuffer, plan: Plan, aspect: float) -> None:
    """Hands over the table."""
    if plan.view_mm <= 150 or rng.random() > plan.view_mm / 500:  # near hands would fill every close picture
        return
    share = [0.6, 0.25, 0.15, 0.0] if plan.kind == "neg" else [0.74, 0.17, 0.06, 0.03]
    for _ in range(int(rng.choice(4, p=share))):
        x, y = rng.uniform(-0.42, 0.42, 2) * (plan.view_mm, plan.view_mm * aspect)
        heading = rng.integers(4) * math.pi / 2 + rng.normal(0, 0.4)
        draw_hand(g, rng, (plan.centre[0] + x, plan.centre[1] + y), heading, rng.uniform(14, 60))
