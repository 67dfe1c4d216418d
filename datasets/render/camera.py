"""A pinhole camera with one radial distortion term.

World: millimetres, x to the right and y down as seen from above, z up towards the camera; z = 0 is the table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """Where the camera hangs. `view_mm` is the width of table seen straight below it; angles in radians.

    `tilt` away from the vertical towards `tilt_toward`, `roll` about the optical axis. `distortion` is k1 with radii in
    half widths: positive bends straight lines inwards (pincushion), negative outwards (barrel). `width` and `height`
    are the picture's; when the picture is a cut from a larger one, `sensor_width` is the larger one's width and
    `principal` the optical centre in pixels of the cut (perhaps outside it); `view_mm` and `target` are of the larger.
    """

    width: int
    height: int
    field_of_view_deg: float
    view_mm: float
    target: tuple[float, float] = (0.0, 0.0)
    tilt: float = 0.0
    tilt_toward: float = 0.0
    roll: float = 0.0
    distortion: float = 0.0
    sensor_width: int = 0
    principal: tuple[float, float] | None = None
    focal: float = field(init=False)
    centre: Array = field(init=False)
    _rotation: Array = field(init=False)
    _projection: Array = field(init=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        if not self.sensor_width:
            put(self, "sensor_width", self.width)
        if self.principal is None:
            put(self, "principal", (self.width / 2, self.height / 2))
        focal = self.sensor_width / 2 / math.tan(math.radians(self.field_of_view_deg) / 2)
        put(self, "focal", focal)
        lean = _about_x(self.tilt) @ np.diag([1.0, 1.0, -1.0])
        rotation = _about_z(self.roll - self.tilt_toward) @ lean @ _about_z(self.tilt_toward)
        inner = np.array([[focal, 0, self.principal[0]], [0, focal, self.principal[1]], [0, 0, 1.0]])
        distance = focal * self.view_mm / self.sensor_width
        target = np.array([self.target[0], self.target[1], 0.0])
        put(self, "centre", target - rotation.T @ np.array([0, 0, distance]))
        put(self, "_rotation", rotation)
        put(self, "_projection", inner @ rotation)

    def world_axes(self) -> Array:
        """(3, 3): the picture's right, the picture's down, and the way ahead, each as a direction in the world."""
        return self._rotation

    def project(self, points: ArrayLike) -> Array:
        """(n, 3) mm to (n, 2) pixels, before lens distortion."""
        q = (np.asarray(points, float) - self.centre) @ self._projection.T
        return q[:, :2] / q[:, 2:3]

    def distort(self, points: Array) -> Array:
        """Where undistorted pixels (n, 2) lie in the finished picture."""
        if not self.distortion:
            return points
        middle, scale = np.array(self.principal), self.sensor_width / 2
        straight = (np.asarray(points, float) - middle) / scale
        bent = straight.copy()
        for _ in range(12):
            bent = straight / (1 + self.distortion * (bent**2).sum(-1, keepdims=True))
        return bent * scale + middle

    def undistort_maps(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """For `cv2.remap`: for each finished pixel, where it lies in the undistorted picture."""
        (cx, cy), half = self.principal, self.sensor_width / 2
        x = (np.arange(self.width, dtype=np.float32) + 0.5 - cx) / half
        y = (np.arange(self.height, dtype=np.float32) + 0.5 - cy) / half
        gain = 1 + self.distortion * (x[None, :] ** 2 + y[:, None] ** 2)
        mx = (x[None, :] * gain) * half + cx - 0.5
        my = (y[:, None] * gain) * half + cy - 0.5
        return mx.astype(np.float32), my.astype(np.float32)

    def bent(self, owners: NDArray[np.int16]) -> NDArray[np.int16]:
        """(h, w) whose each pixel is, as the lens bends it. Beyond what was drawn the picture repeats its last pixels:
        they show nobody."""
        if not self.distortion:
            return owners
        maps = self.undistort_maps()
        return np.asarray(cv2.remap(owners, *maps, cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT), np.int16)

    def plane(self, origin: ArrayLike, e1: ArrayLike, e2: ArrayLike) -> Array:
        """Homography of (a, b, 1) to pixels for the plane origin + a e1 + b e2."""
        p = self._projection
        return np.stack([p @ np.asarray(e1), p @ np.asarray(e2), p @ (np.asarray(origin) - self.centre)], 1)

    def on_plane(self, points: ArrayLike, z: float = 0.0) -> Array:
        """Undistorted pixels (n, 2) to mm (n, 2) at the height z."""
        back = np.linalg.inv(self.plane((0, 0, z), (1.0, 0, 0), (0, 1.0, 0)))
        p = np.asarray(points, float)
        q = np.concatenate([p, np.ones((len(p), 1))], 1) @ back.T
        return q[:, :2] / q[:, 2:3]

    def scale_at(self, xy: ArrayLike, z: float = 0.0) -> float:
        """Pixels per millimetre near a point."""
        x, y = float(np.asarray(xy)[0]), float(np.asarray(xy)[1])
        q = self.project([[x, y, z], [x + 1, y, z], [x, y + 1, z]])
        a, b = q[1] - q[0], q[2] - q[0]
        return math.sqrt(max(abs(a[0] * b[1] - a[1] * b[0]), 1e-9))


def _about_z(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def _about_x(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


Axes = tuple[Array, Array, Array]


def axes(heading: float, pitch: float = 0.0, roll: float = 0.0) -> Axes:
    """A body's own axes: along it, across it, out of its top."""
    c, s = math.cos(heading), math.sin(heading)
    e1, e2, e3 = np.array([c, s, 0.0]), np.array([-s, c, 0.0]), np.array([0, 0, 1.0])
    if pitch or roll:
        e1, e3 = _turn(e1, e2, pitch), _turn(e3, e2, pitch)
        e2, e3 = _turn(e2, e1, roll), _turn(e3, e1, roll)
    return e1, e2, e3


def _turn(v: Array, about: Array, angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return v * c + np.cross(about, v) * s + about * (about @ v) * (1 - c)


def rounded_outline(length: float, width: float, radius: float, per_corner: int = 4) -> Array:
    """A rectangle with round corners about the origin, (n, 2) mm."""
    r = max(min(radius, width / 2 * 0.98, length / 2 * 0.98), 1e-3)
    points = []
    for cx, cy, start in (
        (length / 2 - r, width / 2 - r, 0),
        (-length / 2 + r, width / 2 - r, 90),
        (-length / 2 + r, -width / 2 + r, 180),
        (length / 2 - r, -width / 2 + r, 270),
    ):
        for k in range(per_corner):
            a = math.radians(start + 90 * k / max(per_corner - 1, 1))
            points.append((cx + r * math.cos(a), cy + r * math.sin(a)))
    return np.array(points)


def disc_outline(radius: float, n: int = 32) -> Array:
    a = np.arange(n) * 2 * math.pi / n
    return np.stack([radius * np.cos(a), radius * np.sin(a)], 1)


def distance_to_rounded(
    u: NDArray[np.float32], v: NDArray[np.float32], half_u: float, half_v: float, radius: float
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Signed distance to a rounded rectangle (negative inside) and its gradient."""
    qu, qv = np.abs(u) - (half_u - radius), np.abs(v) - (half_v - radius)
    mu, mv = np.maximum(qu, 0), np.maximum(qv, 0)
    out = np.sqrt(mu * mu + mv * mv)
    distance = out + np.minimum(np.maximum(qu, qv), 0) - radius
    inverse = 1 / np.maximum(out, 1e-4)
    inner = out < 1e-4
    gu = np.where(inner, (qu > qv), mu * inverse) * np.sign(u)
    gv = np.where(inner, (qv >= qu), mv * inverse) * np.sign(v)
    return distance, gu.astype(np.float32), gv.astype(np.float32)
