"""The geometry buffer: what is seen at each pixel (albedo, slope, gloss, height, owner), before any light falls."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.camera import Array, Axes, Camera

F = np.float32
_SHIFT = 16  # cv2's polygon fill takes sixteenths of a pixel

TABLE, CLUTTER, HAND = 0, -1, -2


@dataclass(frozen=True, slots=True, eq=False)
class Texture:
    """Painted on the top of a body: `albedo` (h, w, 4) with coverage in the last channel; `relief` (h, w, 4) holds the
    slopes dh/du and dh/dv, gloss, and ambient openness. `px_per_mm`; the middle of the texture is the body's origin."""

    albedo: NDArray[np.float32]
    relief: NDArray[np.float32]
    px_per_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A body as drawn: its outline in undistorted pixels."""

    hull: NDArray[np.float32]


@dataclass(slots=True, eq=False)
class GBuffer:
    """Bodies are drawn from low to high and from far to near; later ones cover earlier ones.

    `surface` (h, w, 4): red, green, blue, ambient openness; `shape` (h, w, 4): world slopes x and y, gloss, height mm;
    `owner` (h, w): the number given to the body seen there; `body` (h, w): 0 on the table, 1 on a body.
    """

    camera: Camera
    surface: NDArray[np.float32] = field(init=False)
    shape: NDArray[np.float32] = field(init=False)
    owner: NDArray[np.int16] = field(init=False)
    body: NDArray[np.float32] = field(init=False)
    casters: list[tuple[Array, Array]] = field(default_factory=list)
    _next_owner: int = 1

    def __post_init__(self) -> None:
        h, w = self.camera.height, self.camera.width
        self.surface = np.zeros((h, w, 4), F)
        self.shape = np.zeros((h, w, 4), F)
        self.owner = np.zeros((h, w), np.int16)
        self.body = np.zeros((h, w), F)

    def copy(self) -> GBuffer:
        twin = GBuffer(self.camera)
        for name in ("surface", "shape", "owner", "body"):
            getattr(twin, name)[:] = getattr(self, name)
        twin.casters = list(self.casters)
        twin._next_owner = self._next_owner
        return twin

    def new_owner(self) -> int:
        self._next_owner += 1
        return self._next_owner - 1

    def blend(
        self,
        x0: int,
        y0: int,
        alpha: NDArray[np.float32],
        surface: NDArray[np.float32],
        shape: NDArray[np.float32],
        owner: int,
    ) -> None:
        h, w = alpha.shape
        at = (slice(y0, y0 + h), slice(x0, x0 + w))
        a = alpha[..., None]
        self.surface[at] += (surface - self.surface[at]) * a
        self.shape[at] += (shape - self.shape[at]) * a
        self.body[at] += (1 - self.body[at]) * alpha
        self.owner[at][alpha > 0.5] = owner

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
        """An upright (or tilted) body over a convex `outline` (n, 2) mm about `base`, the middle of its bottom.

        The sides have `low_colour` up to `split` of the thickness and `high_colour` above.
        """
        cam = self.camera
        e1, e2, e3 = frame
        base = np.asarray(base, float)
        high_colour = low_colour if high_colour is None else high_colour
        bottom = base + outline[:, :1] * e1 + outline[:, 1:] * e2
        top = bottom + thickness * e3
        bottom_px, top_px = cam.project(bottom), cam.project(top)
        every = np.concatenate([bottom_px, top_px])
        hull = cv2.convexHull(every.astype(F))[:, 0]
        if casts:
            self.casters.append((bottom, top))
        x0, y0 = np.maximum(np.floor(every.min(0)).astype(int) - 2, 0)
        x1, y1 = np.minimum(np.ceil(every.max(0)).astype(int) + 3, [cam.width, cam.height])
        if x1 - x0 < 2 or y1 - y0 < 2:
            return Drawn(hull)
        w, h, offset = x1 - x0, y1 - y0, np.array([x0, y0], float)
        mask = np.zeros((h, w), np.uint8)
        cv2.fillConvexPoly(mask, _fixed(hull - offset), 255, cv2.LINE_AA, 4)
        alpha = mask.astype(F) * F(1 / 255)
        surface = np.empty((h, w, 4), F)
        shape = np.empty((h, w, 4), F)
        if thickness > 0:
            surface[:] = (*low_colour, 0.7)
            shape[:] = (0, 0, gloss, base[2] + thickness * 0.5)
            middle_px = cam.project(bottom + thickness * split * e3)
            walls = [_fixed(p - offset) for p in (bottom_px, middle_px, top_px)]
            self._draw_walls(surface, shape, walls, outline, frame, bottom, thickness, low_colour, high_colour, gloss)
        z_top = base[2] + thickness
        lean = (e3[0] / max(e3[2], 0.2), e3[1] / max(e3[2], 0.2))
        if texture is not None:
            cover, painted, relief = self._project_texture(texture, base + thickness * e3, e1, e2, x0, y0, w, h)
            relief[..., 0] -= F(lean[0])
            relief[..., 1] -= F(lean[1])
            relief[..., 3] = z_top
            if thickness > 0:
                surface += (painted - surface) * cover[..., None]
                shape += (relief - shape) * cover[..., None]
                alpha = np.maximum(alpha, cover)
            else:
                surface, shape, alpha = painted, relief, cover
        else:
            lid = np.zeros((h, w), np.uint8)
            cv2.fillConvexPoly(lid, _fixed(top_px - offset), 255, cv2.LINE_AA, 4)
            cover = lid.astype(F) * F(1 / 255)
            colour = high_colour if top_colour is None else top_colour
            flat = np.array([*colour, 1.0], F)
            level = np.array([-lean[0], -lean[1], gloss if top_gloss is None else top_gloss, z_top], F)
            if thickness > 0:
                surface += (flat - surface) * cover[..., None]
                shape += (level - shape) * cover[..., None]
            else:
                surface[:], shape[:], alpha = flat, level, cover
        self.blend(x0, y0, alpha, surface, shape, owner)
        return Drawn(hull)

    def _project_texture(
        self, texture: Texture, origin: Array, e1: Array, e2: Array, x0: int, y0: int, w: int, h: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        th, tw = texture.albedo.shape[:2]
        s = 1 / texture.px_per_mm
        to_mm = np.array([[s, 0, -(tw / 2 - 0.5) * s], [0, s, -(th / 2 - 0.5) * s], [0, 0, 1.0]])
        to_roi = np.array([[1, 0, -x0 - 0.5], [0, 1, -y0 - 0.5], [0, 0, 1.0]])
        m = to_roi @ self.camera.plane(origin, e1, e2) @ to_mm
        painted = cv2.warpPerspective(texture.albedo, m, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        relief = cv2.warpPerspective(texture.relief, m, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        cover = painted[..., 3].copy()
        painted[..., 3] = relief[..., 3]
        gu, gv = relief[..., 0].copy(), relief[..., 1].copy()
        relief[..., 0] = gu * F(e1[0]) + gv * F(e2[0])
        relief[..., 1] = gu * F(e1[1]) + gv * F(e2[1])
        return cover, painted, relief

    def _draw_walls(
        self,
        surface: NDArray[np.float32],
        shape: NDArray[np.float32],
        walls: list[NDArray[np.int32]],
        outline: Array,
        frame: Axes,
        bottom: Array,
        thickness: float,
        low: NDArray[np.float32],
        high: NDArray[np.float32],
        gloss: float,
    ) -> None:
        e1, e2, _ = frame
        following = np.roll(np.arange(len(outline)), -1)
        edge = outline[following] - outline
        normal = np.stack([edge[:, 1], -edge[:, 0]], 1)
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        normal = normal / np.maximum(length, 1e-6)
        outward = ((outline + outline[following]) / 2 - outline.mean(0)) * normal
        normal = normal * np.sign(outward.sum(1))[:, None]
        world = normal[:, :1] * e1 + normal[:, 1:] * e2
        seen = ((self.camera.centre - bottom) * world).sum(1) > 0
        low_px, mid_px, high_px = walls
        z = float(bottom[0, 2])
        for i in np.nonzero(seen & (length[:, 0] > 1e-3))[0]:
            j = following[i]
            # a wall is stored as a steep slope: the buffer has no room for normals that point sideways
            slope = (float(-world[i, 0] * 6), float(-world[i, 1] * 6), float(gloss))
            quad = np.array([low_px[i], low_px[j], mid_px[j], mid_px[i]])
            cv2.fillConvexPoly(surface, quad, (*map(float, low), 0.52), cv2.LINE_8, 4)
            cv2.fillConvexPoly(shape, quad, (*slope, z + thickness * 0.3), cv2.LINE_8, 4)
            quad = np.array([mid_px[i], mid_px[j], high_px[j], high_px[i]])
            cv2.fillConvexPoly(surface, quad, (*map(float, high), 0.85), cv2.LINE_8, 4)
            cv2.fillConvexPoly(shape, quad, (*slope, z + thickness * 0.9), cv2.LINE_8, 4)


def _fixed(points: Array) -> NDArray[np.int32]:
    return np.round(points * _SHIFT - _SHIFT / 2).astype(np.int32)
