"""Putting things on the stage: the table top, tiles with their faces, and the labels of what was drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.arrange import Placed
from datasets.render.camera import Array, Camera, axes, rounded_outline
from datasets.render.faces import FaceMaker
from datasets.render.gbuffer import GBuffer
from datasets.render.hubs import RARER, SHAPES
from datasets.render.labels import LabelObject, clockwise, thing_object, tile_object, tile_quad
from datasets.render.legibility import half_contrast
from datasets.render.markers import ROUND, DrawnThing
from datasets.render.styles import TileStyle
from datasets.render.surfaces import Surface

F = np.float32


@dataclass(frozen=True, slots=True, eq=False)
class DrawnTile:
    """`quad`: the top's corners in undistorted pixels, clockwise, half 0 at the edge 0-1."""

    tile: Placed
    style: TileStyle
    owner: int
    quad: Array


@dataclass(slots=True, eq=False)
class FaceBook:
    """Keeps face makers by style and resolution (in half-octave steps), so that a set is painted once a picture."""

    rng: np.random.Generator
    _makers: dict[tuple[int, float], FaceMaker] = field(default_factory=dict)

    def maker(self, style: TileStyle, px_per_mm: float) -> FaceMaker:
        res = 2 ** (round(math.log2(px_per_mm * 1.25) * 2) / 2)
        res = float(np.clip(res, 20 / style.body.length, 900 / style.body.length))
        key = (id(style), round(res, 4))
        if key not in self._makers:
            self._makers[key] = FaceMaker(style, res, self.rng)
        return self._makers[key]


def lay_table(g: GBuffer, surface: Surface, middle: tuple[float, float], heading: float) -> None:
    """Covers the whole picture with the surface, its texture's middle at `middle`; it is mirrored past its edges."""
    n, mm = surface.albedo.shape[0], surface.mm_per_px
    c, s = math.cos(heading) * mm, math.sin(heading) * mm
    to_mm = np.array([[c, -s, middle[0]], [s, c, middle[1]], [0, 0, 1.0]]) @ np.array(
        [[1, 0, -n / 2], [0, 1, -n / 2], [0, 0, 1.0]]
    )
    m = g.camera.plane((0, 0, 0), (1.0, 0, 0), (0, 1.0, 0)) @ to_mm
    size = (g.camera.width, g.camera.height)
    mirror = cv2.BORDER_REFLECT_101
    g.surface[..., :3] = cv2.warpPerspective(surface.albedo, m, size, flags=cv2.INTER_LINEAR, borderMode=mirror)
    g.surface[..., 3] = 1
    if surface.slope is not None:
        g.shape[..., :2] = cv2.warpPerspective(surface.slope, m, size, flags=cv2.INTER_LINEAR, borderMode=mirror)
    g.shape[..., 2] = surface.gloss


def out_of_sight(camera: Camera, tile: Placed, style: TileStyle) -> bool:
    body = style.body
    reach = 2.2 * body.length * camera.scale_at((tile.x, tile.y), body.thickness)
    x, y = camera.project([[tile.x, tile.y, body.thickness]])[0]
    return bool(x < -reach or y < -reach or x > camera.width + reach or y > camera.height + reach)


def draw_tile(
    g: GBuffer, faces: FaceBook, tile: Placed, style: TileStyle, rng: np.random.Generator, lift: float = 0.0
) -> DrawnTile:
    """`lift` mm above the tile's own height (on a hub, say); `rng` draws the tile's own stains and its slight tilt."""
    body = style.body
    px = g.camera.scale_at((tile.x, tile.y), body.thickness + tile.z)
    maker = faces.maker(style, px)
    texture = maker.face(tile.first, tile.second, rng) if tile.face_up else maker.back(rng)
    tilt = rng.normal(0, 0.006, 2)
    if tile.pitch or tile.roll:
        tilt = np.array([tile.pitch, tile.roll])
    frame = axes(tile.heading, float(tilt[0]), float(tilt[1]))
    base = np.array([tile.x, tile.y, tile.z + lift])
    low, high = body.colour, body.colour
    if body.two_tone:
        low, high = (body.back_colour, body.colour) if tile.face_up else (body.colour, body.back_colour)
    corners = 2 if body.length * px < 40 else 3 if body.length * px < 150 else 6
    outline = rounded_outline(body.length, body.width, min(body.corner, body.width * 0.45), corners)
    owner = g.new_owner()
    g.prism(
        base,
        frame,
        outline,
        body.thickness,
        low,
        high,
        texture=texture,
        gloss=body.gloss,
        split=body.side_split,
        owner=owner,
    )
    quad = g.camera.project(tile_quad(base, frame, body.length, body.width, body.thickness))
    return DrawnTile(tile, style, owner, clockwise(quad))


def label_all(
    camera: Camera,
    tiles: list[DrawnTile],
    things: list[DrawnThing],
    owners: NDArray[np.int16],
    image: NDArray[np.uint8] | None = None,
) -> list[LabelObject]:
    """Labels in the finished picture's pixels; `owners` already carries the lens distortion.

    With the finished `image`, tiles that lie face up also get `half_contrast` (see `legibility`).
    """
    objects: list[LabelObject] = []
    for drawn in tiles:
        tile = drawn.tile
        found = tile_object(
            camera.distort(drawn.quad),
            (tile.first, tile.second),
            tile.face_up,
            drawn.owner,
            owners,
            drawn.style.summary(),
        )
        if found is not None and image is not None and tile.face_up:
            quad, values = np.array(found["quad"]), (tile.first, tile.second)
            found["half_contrast"] = half_contrast(image, quad, drawn.style, values)
        if found is not None:
            objects.append(found)
    for thing in things:
        hull = camera.distort(thing.hull.astype(float))
        is_round = thing.kind in ROUND or thing.kind in (*SHAPES, *RARER)
        objects.append(thing_object(thing.label, thing.kind, hull, thing.owner, owners, is_round))
    return objects
