"""Lighting a finished geometry buffer: soft shadows on two planes, ambient contact shade, mirrored room."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.camera import Array
from datasets.render.gbuffer import GBuffer
from datasets.render.lights import Lamp, Room, blurred
from datasets.render.noise import blur

F = np.float32
Image = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Shaded:
    """Linear RGB (h, w, 3), and the fields that it follows from row by row; None where there is no such field."""

    image: Image
    fields: tuple[NDArray[np.float32] | None, ...]


def shade(
    buffer: GBuffer,
    room: Room,
    *,
    tile_roughness: float,
    table_roughness: float,
    tile_thickness: float,
    origin: tuple[float, float],
    earlier: Shaded | None = None,
) -> Shaded:
    """`origin` is the point of the table below which the room is centred.

    `earlier` is the same table in the same room with other things on it: rows that are as they were are not lit again.
    """
    cam = buffer.camera
    thick = max(tile_thickness, 1.0)
    points, view = _coarse_rays(buffer)
    middle = np.array([origin[0], origin[1], 0.0])
    contact = _contact(buffer, thick, origin) if buffer.casters else None
    lamps = [
        _LitLamp(
            _Coarse(_toward(lamp, middle, points), cam.width, cam.height),
            *_shadows(buffer, lamp.position + middle, lamp.size, thick, origin),
            lamp.colour,
        )
        for lamp in room.lamps
    ]
    away = np.dstack([view, (points[..., :2] - middle[:2]) / room.ceiling_mm])
    rays = _Coarse(away, cam.width, cam.height)
    mirrors = (blurred(room.environment, tile_roughness), blurred(room.environment, table_roughness))
    image = np.empty((cam.height, cam.width, 3), F)
    shadows = [field for lamp in lamps for field in (lamp.on_table, lamp.on_tiles)]
    fields = (buffer.surface, buffer.shape, buffer.body, contact, *shadows)
    for y in range(0, cam.height, _STRIP):
        strip = slice(y, min(y + _STRIP, cam.height))
        if earlier is not None and _same_rows(earlier.fields, fields, strip):
            image[strip] = earlier.image[strip]
        else:
            image[strip] = _shade_strip(buffer, strip, room.ambient, thick, contact, lamps, rays, mirrors)
    return Shaded(image, fields)


def _same_rows(
    ones: tuple[NDArray[np.float32] | None, ...], others: tuple[NDArray[np.float32] | None, ...], strip: slice
) -> bool:
    for one, other in zip(ones, others, strict=True):
        if one is None or other is None:
            if one is not other:
                return False
        elif not np.array_equal(one[strip], other[strip]):
            return False
    return True


# Rows lit at a time: the fields of a strip stay in the processor's cache, which is worth a factor of two.
_STRIP = 24


class _Coarse:
    """Fields known on a grid of some 8 px, wanted row by row."""

    def __init__(self, grid: Array, width: int, height: int) -> None:
        self._scale = (grid.shape[0] - 1) / height
        x = (np.arange(width) + 0.5) * (grid.shape[1] - 1) / width
        left = np.minimum(x.astype(int), grid.shape[1] - 2)
        t = (x - left)[None, :, None]
        wide = grid[:, left] * (1 - t) + grid[:, left + 1] * t
        self._fields = np.ascontiguousarray(wide.transpose(2, 0, 1), F)

    def rows(self, strip: slice) -> list[Image]:
        y = (np.arange(strip.start, strip.stop) + 0.5) * self._scale
        above = np.minimum(y.astype(int), self._fields.shape[1] - 2)
        t = (y - above).astype(F)[:, None]
        return [f[above] * (1 - t) + f[above + 1] * t for f in self._fields]


@dataclass(frozen=True, slots=True, eq=False)
class _LitLamp:
    """`toward`: scaled vectors to the lamp; shadows on the table and on the plane of the tiles' tops, 1 is dark."""

    toward: _Coarse
    on_table: Image | None
    on_tiles: Image | None
    colour: NDArray[np.float32]


def _shade_strip(
    buffer: GBuffer,
    strip: slice,
    ambient: NDArray[np.float32],
    thick: float,
    contact: Image | None,
    lamps: list[_LitLamp],
    rays: _Coarse,
    mirrors: tuple[Image, Image],
) -> Image:
    gx, gy, gloss, height = cv2.split(buffer.shape[strip])
    nz = 1 / np.sqrt(gx * gx + gy * gy + 1)
    nx, ny = -gx * nz, -gy * nz
    lift = np.clip(height * F(1 / thick) - F(0.25), 0, F(0.75)) * F(1 / 0.75)  # 0 on the table, 1 on the tops of tiles
    openness = buffer.surface[strip][..., 3]
    if contact is not None:
        openness = openness * (1 - contact[strip] * (1 - lift))
    half_open = F(0.35) + F(0.65) * openness
    sky = openness * (F(0.55) + F(0.45) * nz)
    light = [sky * ambient[channel] for channel in range(3)]
    for lamp in lamps:
        lx, ly, lz = lamp.toward.rows(strip)
        received = np.maximum(nx * lx + ny * ly + nz * lz, 0) * half_open
        if lamp.on_table is not None:
            dark = lamp.on_table[strip] * (1 - lift)
            if lamp.on_tiles is not None:
                dark = np.maximum(dark, lamp.on_tiles[strip] * lift)
            received *= 1 - dark
        elif lamp.on_tiles is not None:
            received *= 1 - lamp.on_tiles[strip] * lift
        for channel in range(3):
            light[channel] += received * lamp.colour[channel]
    image = buffer.surface[strip][..., :3] * cv2.merge(light)
    vx, vy, vz, ox, oy = rays.rows(strip)
    facing = np.maximum(nx * vx + ny * vy + nz * vz, F(0.02))
    rz = np.maximum(2 * facing * nz - vz, F(0.03))
    qx = (2 * facing * nx - vx) / rz + ox
    qy = (2 * facing * ny - vy) / rz + oy
    half = mirrors[0].shape[0] / 2
    scale = F(half) / (1 + np.sqrt(qx * qx + qy * qy))
    mx, my = qx * scale + F(half - 0.5), qy * scale + F(half - 0.5)
    grazing = 1 - np.minimum(facing, 1)
    grazing2 = grazing * grazing
    # rays that leave towards the table meet the darker table instead of the room
    fresnel = (F(0.04) + F(0.7) * grazing2 * grazing2 * grazing) * gloss * half_open
    fresnel *= np.clip(rz * F(2.5), F(0.12), 1)
    body = buffer.body[strip]
    table = cv2.remap(mirrors[1], mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if body.any():
        tiles = cv2.remap(mirrors[0], mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        table += (tiles - table) * body[..., None]
    image += table * fresnel[..., None]
    return image


def _coarse_rays(buffer: GBuffer) -> tuple[Array, Array]:
    """Points of the table and unit vectors towards the camera on a grid of 8 px."""
    cam = buffer.camera
    gw, gh = cam.width // 8 + 1, cam.height // 8 + 1
    px, py = np.meshgrid(np.arange(gw) * (cam.width / (gw - 1)), np.arange(gh) * (cam.height / (gh - 1)))
    flat = cam.on_plane(np.stack([px.ravel(), py.ravel()], 1)).reshape(gh, gw, 2)
    points = np.dstack([np.clip(flat, -1e5, 1e5), np.zeros((gh, gw))])
    view = cam.centre - points
    view /= np.linalg.norm(view, axis=2, keepdims=True)
    return points, view


def _toward(lamp: Lamp, middle: Array, points: Array) -> Array:
    """Vectors to the lamp, scaled by its fall-off relative to the middle of the scene."""
    position = lamp.position + middle
    away = position - points
    squared = (away**2).sum(2)
    reference = position[2] ** 2 + ((position[:2] - middle[:2]) ** 2).sum()
    slant = max(0.35, lamp.position[2] / np.linalg.norm(lamp.position))
    return away / np.sqrt(squared)[..., None] * (reference / squared / slant)[..., None] * 0.9


def _shadows(
    buffer: GBuffer, lamp: Array, lamp_size: float, thick: float, origin: tuple[float, float]
) -> tuple[Image | None, Image | None]:
    """Shadow masks on the table and on the plane of the tiles' tops; 1 is fully dark."""
    cam = buffer.camera
    hh, hw = cam.height // 2, cam.width // 2
    masks: dict[tuple[int, bool], NDArray[np.uint8]] = {}
    tallest = 0.0
    for bottom, top in buffer.casters:
        z_top = float(top[:, 2].max())
        tallest = max(tallest, z_top)
        tall = z_top > 2.2 * thick
        for plane, z in ((0, 0.0), (1, thick)):
            if z_top <= z or (plane == 1 and z_top < 1.35 * thick):
                continue
            cast = np.concatenate([_fall(bottom, lamp, z), _fall(top, lamp, z)])
            q = cam.project(np.column_stack([cast, np.full(len(cast), z)])) * 0.5
            if q[:, 0].max() < -5 or q[:, 1].max() < -5 or q[:, 0].min() > hw + 5 or q[:, 1].min() > hh + 5:
                continue
            mask = masks.setdefault((plane, tall), np.zeros((hh, hw), np.uint8))
            hull = cv2.convexHull(np.clip(q, -2000, 6000).astype(F))[:, 0]
            cv2.fillConvexPoly(mask, np.round(hull * 16 - 8).astype(np.int32), 255, cv2.LINE_AA, 4)
    penumbra = lamp_size * cam.scale_at(origin) * 0.5
    found: list[Image | None] = []
    for plane in (0, 1):
        dark: Image | None = None
        for tall in (False, True):
            mask8 = masks.get((plane, tall))
            if mask8 is None:
                continue
            height = max(thick * 3, min(tallest * 0.6, 60)) if tall else thick
            soft = blur(mask8.astype(F) * F(1 / 255), min(max(0.5, penumbra * height * 0.45), 28.0))
            dark = soft if dark is None else np.maximum(dark, soft)
        size = (cam.width, cam.height)
        found.append(None if dark is None else cv2.resize(dark, size, interpolation=cv2.INTER_LINEAR))
    return found[0], found[1]


def _fall(points: Array, lamp: Array, z: float) -> Array:
    """Where the shadow of points falls on the plane z; points below the plane stay where they are."""
    k = np.clip((points[:, 2] - z) / np.maximum(lamp[2] - points[:, 2], 1e-3), 0, None)[:, None]
    return points[:, :2] + (points[:, :2] - lamp[:2]) * k


def _contact(buffer: GBuffer, thick: float, origin: tuple[float, float]) -> Image:
    """Ambient shade that low bodies leave on the table around them."""
    cam = buffer.camera
    foot = np.zeros((cam.height // 2, cam.width // 2), np.uint8)
    for bottom, _ in buffer.casters:
        if bottom[:, 2].min() >= 0.5:
            continue
        q = cam.project(bottom) * 0.5
        if np.abs(q).max() > 1e4:
            continue
        hull = cv2.convexHull(q.astype(F))[:, 0]
        cv2.fillConvexPoly(foot, np.round(hull * 16 - 8).astype(np.int32), 255, cv2.LINE_AA, 4)
    shape = foot.astype(F) * F(1 / 255)
    px = cam.scale_at(origin) * 0.5
    near, far = blur(shape, max(0.8, thick * px * 0.45)), blur(shape, max(1.5, thick * px * 1.4))
    return cv2.resize(near * 0.45 + far * 0.3, (cam.width, cam.height), interpolation=cv2.INTER_LINEAR)
