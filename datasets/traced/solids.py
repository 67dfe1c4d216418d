"""Bodies in millimetres, with bevelled edges, and the meshes that are traced.

`Collector` stands where the other renderer has its geometry buffer: what draws hubs, markers and clutter there puts
solids here. The world is that of `datasets.render.camera`: x to the right, y down as seen from above, z up.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.camera import Array, Axes, Camera, axes
from datasets.render.colour import Rgb
from datasets.render.gbuffer import CLUTTER, Drawn, Texture

BEVEL_STEPS = 3
"""Rings of a bevel: enough to catch a lamp along every edge."""
METAL_GLOSS = 2.0
"""A lid at least this glossy is metal: coins are, plastic and card are not."""
LIFT_MM = 0.06
"""How far a lid lies above its body, so that no ray hits both."""


@dataclass(frozen=True, slots=True, eq=False)
class Paint:
    """A surface: linear colour, roughness and metal in 0..1, and how much of the light passes through (0..1)."""

    colour: tuple[float, float, float]
    roughness: float
    metallic: float = 0.0
    clear: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A body over a convex `outline` (n, 2) mm about `base`, the middle of its bottom, `thickness` mm along frame[2].

    Its edges are rounded by `bevel` mm. Its sides are painted `low` up to `split` of the thickness and `high` above;
    the top is `high` too, or shows `texture`. Thickness 0 is a sheet, seen where the texture covers it. Its pixels
    carry the number `owner`.
    """

    base: Array
    frame: Axes
    outline: Array
    thickness: float
    low: Paint
    high: Paint
    split: float
    bevel: float
    texture: Texture | None
    owner: int


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """`vertices` (n, 3) mm, `faces` as indices, counter-clockwise as seen from outside in a right-handed world that
    has y up; `uv` (n, 2) of each vertex over the texture, v from its bottom row; `paint` of each face: 0 low, 1 high,
    2 textured."""

    vertices: Array
    faces: list[tuple[int, ...]]
    uv: Array
    paint: list[int]


def paint_of(colour: Rgb, gloss: float, metallic: float = 0.0) -> Paint:
    """The other renderer's colour and gloss (0 dull, 1 plastic, above `METAL_GLOSS` metal) as a surface."""
    r, g, b = (float(c) for c in np.clip(colour, 0.002, 0.95))
    return Paint((r, g, b), float(np.clip(0.75 - 0.45 * gloss, 0.12, 0.95)), metallic)


def mesh_of(solid: Solid) -> Mesh:
    """The body's mesh: a sheet for thickness 0, else rings from the bottom to the top with two caps."""
    e1, e2, e3 = solid.frame
    outline = _against_the_clock(solid.outline)
    n = len(outline)
    if solid.thickness <= 0:
        rings, paints = [(outline, 0.0)], []
    else:
        rings, paints = _rings(outline, solid)
    points = np.concatenate([np.column_stack([ring, np.full(n, z)]) for ring, z in rings])
    world = solid.base + points[:, :1] * e1 + points[:, 1:2] * e2 + points[:, 2:] * e3
    faces: list[tuple[int, ...]] = []
    paint: list[int] = []
    for k, colour in enumerate(paints):
        for i in range(n):
            j = (i + 1) % n
            faces.append((k * n + i, k * n + j, (k + 1) * n + j, (k + 1) * n + i))
            paint.append(colour)
    last = len(rings) - 1
    faces.append(tuple(range(last * n, (last + 1) * n)))
    paint.append(1 if solid.texture is None else 2)
    if last:
        faces.append(tuple(reversed(range(n))))
        paint.append(0)
    return Mesh(world * (1, -1, 1), faces, _uv(points, solid.texture), paint)


def _rings(outline: Array, solid: Solid) -> tuple[list[tuple[Array, float]], list[int]]:
    """Outlines with their heights from the bottom up, and the paint between each two."""
    tall = solid.thickness
    reach = float(np.abs(outline).max(0).min())
    bevel = min(solid.bevel, tall * 0.45, reach * 0.45)
    turn = np.linspace(0, np.pi / 2, BEVEL_STEPS + 1)
    inset, rise = bevel * (1 - np.sin(turn)), bevel * (1 - np.cos(turn))
    bottom = [(_inset(outline, d), float(z)) for d, z in zip(inset, rise, strict=True)]
    top = [(ring, tall - z) for ring, z in reversed(bottom)]
    rings, paints = list(bottom), [0] * BEVEL_STEPS
    middle = tall * solid.split
    if bevel < middle < tall - bevel:
        rings.append((outline, middle))
        paints.append(0)
        above = 1
    else:
        above = 0 if middle >= tall - bevel else 1
    rings += top
    paints += [above] + [2 if solid.texture is not None else 1] * BEVEL_STEPS
    return rings, paints


def _inset(outline: Array, by: float) -> Array:
    """The outline about its own middle, each half extent smaller by so much."""
    half = np.maximum(np.abs(outline).max(0), 1e-6)
    return outline * (1 - by / half)


def _against_the_clock(outline: Array) -> Array:
    """Corners in the order that is counter-clockwise once y points up."""
    following = np.roll(outline, -1, 0)
    turned = (outline[:, 0] * following[:, 1] - following[:, 0] * outline[:, 1]).sum()
    return outline[::-1] if turned > 0 else outline


def _uv(points: Array, texture: Texture | None) -> Array:
    if texture is None:
        return np.zeros((len(points), 2))
    high, wide = texture.albedo.shape[:2]
    u = points[:, 0] * texture.px_per_mm / wide + 0.5
    v = 0.5 - points[:, 1] * texture.px_per_mm / high
    return np.column_stack([u, v])


def normals_of(texture: Texture) -> NDArray[np.float32]:
    """(h, w, 3) tangent-space normals in 0..1 of a texture's relief, u along the tile, v up."""
    du, dv = texture.relief[..., 0], texture.relief[..., 1]
    normal = np.dstack([-du, dv, np.ones_like(du)])
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    return (normal * 0.5 + 0.5).astype(np.float32)


@dataclass(slots=True, eq=False)
class Collector:
    """Takes what is drawn on a table as solids, under the numbers of their owners."""

    camera: Camera
    solids: list[Solid] = field(default_factory=list)
    _next_owner: int = 1

    def new_owner(self) -> int:
        self._next_owner += 1
        return self._next_owner - 1

    def prism(
        self,
        base: Array | tuple[float, float, float],
        frame: Axes,
        outline: Array,
        thickness: float,
        low_colour: NDArray[np.float32],
        high_colour: NDArray[np.float32] | None = None,
        *,
        texture: Texture | None = None,
        top_colour: NDArray[np.float32] | None = None,
        gloss: float = 0.5,
        top_gloss: float | None = None,
        split: float = 0.5,
        casts: bool = True,
        owner: int = CLUTTER,
    ) -> Drawn:
        """As `GBuffer.prism`: the same body, to be traced. A painted lid becomes a sheet of its own just above, so that
        it may be of any shape; colours that were darkened by hand where little light comes are not darkened twice."""
        base, outline = np.asarray(base, float), np.asarray(outline, float)
        lid = low_colour if high_colour is None else high_colour
        lid = lid if top_colour is None else top_colour
        if texture is not None:
            lid = np.median(texture.albedo[texture.albedo[..., 3] > 0.5][..., :3], axis=0)
            gloss = max(gloss, float(np.median(texture.relief[..., 2])))
        paint = paint_of(lid, gloss if top_gloss is None else top_gloss, float(gloss >= METAL_GLOSS))
        if thickness > 0:
            bevel = min(0.6, thickness * 0.2)
            self.solids.append(Solid(base, frame, outline, thickness, paint, paint, 1.0, bevel, None, owner))
        if texture is not None:
            half_v, half_u = (n / texture.px_per_mm / 2 for n in texture.albedo.shape[:2])
            sheet = np.array([(-half_u, -half_v), (half_u, -half_v), (half_u, half_v), (-half_u, half_v)])
            above = base + frame[2] * (thickness + LIFT_MM)
            self.solids.append(Solid(above, frame, sheet, 0.0, paint, paint, 1.0, 0.0, texture, owner))
        bottom = base + outline[:, :1] * frame[0] + outline[:, 1:] * frame[1]
        every = self.camera.project(np.concatenate([bottom, bottom + thickness * frame[2]]))
        return Drawn(cv2.convexHull(every.astype(np.float32))[:, 0])

    def dome(self, centre: Array, frame: Axes, radius: float, height: float, paint: Paint, owner: int) -> None:
        """A flat round head of metal, as pins and nails have it."""
        turn = np.arange(14) * 2 * np.pi / 14
        outline = np.stack([np.cos(turn), np.sin(turn)], 1) * radius
        below = centre - frame[2] * height
        self.solids.append(Solid(below, frame, outline, height * 2, paint, paint, 0.5, height * 0.9, None, owner))


def upright(heading: float, lean: float) -> Axes:
    """The axes of a tile that stands on its long edge and leans back by `lean` radians: along it, down its face, out of
    its face. `heading` is where its length points."""
    along, level, up = axes(heading)
    down = -up * np.cos(lean) + level * np.sin(lean)
    return along, down, np.cross(along, down)
