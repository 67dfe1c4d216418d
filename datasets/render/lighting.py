"""Lighting a finished geometry buffer: soft shadows on two planes, ambient contact shade, mirrored room."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.camera import Array
from datasets.render.gbuffer import GBuffer
from datasets.render.lights import Lamp, Room, blurred
from datasets.render.noise import blur

F = np.float32
Image = NDArray[np.float32]


def shade(
    buffer: GBuffer,
    room: Room,
    *,
    tile_roughness: float,
    table_roughness: float,
    tile_thickness: float,
    origin: tuple[float, float],
) -> Image:
    """Linear RGB (h, w, 3). `origin` is the point of the table below which the room is centred."""
    cam = buffer.camera
    size = (cam.width, cam.height)
    thick = max(tile_thickness, 1.0)
    gx, gy, gloss, height = cv2.split(buffer.shape)
    inverse = 1 / np.sqrt(gx * gx + gy * gy + 1)
    nx, ny, nz = -gx * inverse, -gy * inverse, inverse
    points, view = _coarse_rays(buffer)
    lift = np.clip(height * F(1 / thick) - 0.25, 0, 0.75) * F(1 / 0.75)  # 0 on the table, 1 on the tops of tiles
    openness = buffer.surface[..., 3]
    if buffer.casters:
        openness = openness * (1 - _contact(buffer, thick, origin) * (1 - lift))
    light = np.empty((cam.height, cam.width, 3), F)
    sky = openness * (0.55 + 0.45 * nz)
    for channel in range(3):
        np.multiply(sky, F(room.ambient[channel]), out=light[..., channel])
    middle = np.array([origin[0], origin[1], 0.0])
    half_open = 0.35 + 0.65 * openness
    for lamp in room.lamps:
        toward = _toward(lamp, middle, points)
        lx, ly, lz = (cv2.resize(toward[..., i].astype(F), size, interpolation=cv2.INTER_LINEAR) for i in range(3))
        received = np.maximum(nx * lx + ny * ly + nz * lz, 0)
        on_table, on_tiles = _shadows(buffer, lamp.position + middle, lamp.size, thick, origin)
        if on_table is not None:
            dark = on_table * (1 - lift)
            if on_tiles is not None:
                dark = np.maximum(dark, on_tiles * lift)
            received *= 1 - dark
        elif on_tiles is not None:
            received *= 1 - on_tiles * lift
        received *= half_open
        for channel in range(3):
            light[..., channel] += received * F(lamp.colour[channel])
    image = buffer.surface[..., :3] * light
    vx, vy, vz = (cv2.resize(view[..., i].astype(F), size, interpolation=cv2.INTER_LINEAR) for i in range(3))
    facing = np.maximum(nx * vx + ny * vy + nz * vz, 0.02)
    rz = np.maximum(2 * facing * nz - vz, 0.03)
    offset = (points[..., :2] - middle[:2]) / room.ceiling_mm
    ox, oy = (cv2.resize(offset[..., i].astype(F), size, interpolation=cv2.INTER_LINEAR) for i in range(2))
    qx = (2 * facing * nx - vx) / rz + ox
    qy = (2 * facing * ny - vy) / rz + oy
    scale = 1 / (1 + np.sqrt(qx * qx + qy * qy))
    n = room.environment.shape[0]
    mx, my = (qx * scale * 0.5 + 0.5) * n - 0.5, (qy * scale * 0.5 + 0.5) * n - 0.5
    grazing = 1 - np.minimum(facing, 1)
    grazing2 = grazing * grazing
    # rays that leave towards the table meet the darker table instead of the room
    fresnel = (0.04 + 0.7 * grazing2 * grazing2 * grazing) * gloss * half_open * np.clip(rz * 2.5, 0.12, 1)
    tiles = _mirror(room, tile_roughness, mx, my)
    table = _mirror(room, table_roughness, mx, my)
    image += (table + (tiles - table) * buffer.body[..., None]) * fresnel[..., None]
    return image


def _mirror(room: Room, roughness: float, mx: Image, my: Image) -> Image:
    return cv2.remap(blurred(room.environment, roughness), mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


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
