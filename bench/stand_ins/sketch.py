"""The simulated table without rendering and without a network: sketched frames, and an eye that knows the truth.

The settler, the memory, the layout and the observations are the real ones. The eye errs on purpose: positions jitter,
and now and then a half is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.simulator.camera import SimCamera, SimSettings
from datasets.simulator.film import WOBBLE_MM, Film, FilmSettings, Image
from datasets.simulator.lying import Lying
from datasets.simulator.plan import TablePlan
from datasets.simulator.reaching import Arm, ArmLook, shoulder_mm
from datasets.simulator.script import Troubles
from datasets.simulator.tabletop import MARKER_RADIUS_MM, TableTop
from vision.reading import Found, HalfReading, PictureReading, TileReading

SMALL, LARGER = (480, 360), (720, 540)
"""Sketches for tests, as wide as the picture that the settler compares, and for the benches."""

SLEEVE, HAND = 70 / 720, 60 / 720
"""How wide they are, in parts of the picture's width."""

CUP_RADIUS_MM, CUP = 42.0, (90, 40, 120)
TABLE, TILE, BACK, SKIN, MARKER = (62, 88, 70), (225, 228, 230), (150, 60, 40), (140, 170, 215), (30, 30, 200)


class SketchFilm(Film):
    """Frames of flat colours: enough for what moves and what lies where."""

    def develop(self, table: TableTop) -> None:
        w, h = self.settings.size_wh
        image = np.full((h, w, 3), TABLE, np.uint8)
        # A weave, so that the picture has something to be followed by.
        image[:, ::16] = np.array(TABLE) - 12
        image[::16] = np.array(TABLE) - 12
        for lying in sorted(table.all_tiles(), key=lambda one: one.layer):
            corners = self.to_px(corners_mm(lying, table)).astype(np.int32)
            cv2.fillConvexPoly(image, corners, TILE if lying.face_up else BACK)
            cv2.polylines(image, [corners], True, (40, 40, 40), 1)
            if lying.face_up:
                rng = np.random.default_rng(lying.laid.inner * 31 + lying.laid.outer)
                for along, across in rng.uniform(0.15, 0.85, (6, 2)):
                    spot = corners[0] + across * (corners[1] - corners[0]) + along * (corners[3] - corners[0])
                    cv2.circle(image, (int(spot[0]), int(spot[1])), 2, (30, 30, 30), -1)
        for place in table.markers.values():
            x, y = self.to_px(np.array([place]))[0].astype(int)
            cv2.circle(image, (int(x), int(y)), round(MARKER_RADIUS_MM * self.scale), MARKER, -1)
        if self.cup_mm is not None:
            x, y = self.to_px(np.array([self.cup_mm]))[0].astype(int)
            cv2.circle(image, (int(x), int(y)), round(CUP_RADIUS_MM * self.scale), CUP, -1)
        self._still = np.clip(image * self.lamp, 0, 255).astype(np.uint8)

    @property
    def scale(self) -> float:
        """Pixels per millimetre."""
        w, h = self.settings.size_wh
        return w / (max(self.plan.size_mm[0], self.plan.size_mm[1] * w / h) * self.settings.margin)

    def corners_px(self) -> NDArray[np.float64]:
        w, h = self.plan.size_mm
        return self.to_px(np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float64), bumped=False)

    def to_px(self, points: NDArray[np.float64], bumped: bool = True) -> NDArray[np.float64]:
        w, h = self.settings.size_wh
        aim = np.array(self.plan.center_mm) + (np.array(self.bump_mm) if bumped else 0.0)
        return (np.asarray(points, np.float64) - aim) * self.scale + np.array([w / 2, h / 2])

    def _with_arm(self, image: Image, arm: Arm, wobble: int) -> Image:
        tip = self.to_px(np.array([arm.tip_mm]) + wobble * np.array(WOBBLE_MM))[0]
        along = np.array([np.cos(arm.angle_rad), np.sin(arm.angle_rad)])
        length = 2.0 * max(self.settings.size_wh) if arm.length_mm is None else arm.length_mm * self.scale
        out = image.copy()
        shade = np.random.default_rng(arm.look.seed).integers(-40, 40)
        skin = TABLE if arm.look.as_table else tuple(int(level + shade) for level in SKIN)
        far = tip - along * length
        near = tip - along * min(length, 150.0 * self.scale)
        cv2.line(out, [int(v) for v in near], [int(v) for v in far], skin, round(SLEEVE * image.shape[1]))
        cv2.line(out, [int(v) for v in tip], [int(v) for v in near], SKIN, round(HAND * image.shape[1]))
        return out


def an_arm(tip_mm: tuple[float, float], plan: TablePlan) -> Arm:
    """An arm from the bottom edge of the picture."""
    return Arm(tip_mm, shoulder_mm(plan, 90.0), ArmLook(1))


def corners_mm(lying: Lying, table: TableTop) -> NDArray[np.float64]:
    """Clockwise as displayed, the inner half at the edge 0-1."""
    length, width, _ = table.plan.tile_mm
    angle = np.radians(lying.heading_deg)
    u, v = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    c = np.array(lying.center_mm)
    a, b = u * length / 2, v * width / 2
    return np.array([c - a + b, c - a - b, c + a - b, c + a + b])


class KnowingEye:
    """Reads the truth off the simulated table, with the errors it is told to make."""

    def __init__(
        self, camera: SimCamera, *, jitter_mm: float = 0.6, unread: float = 0.01, missed: float = 0.002, seed: int = 1
    ) -> None:
        self.camera = camera
        self.rng = np.random.default_rng(seed)
        self.jitter_mm, self.unread, self.missed = jitter_mm, unread, missed
        self.looks = 0

    def look(self, image: Image, tile_length_px: float | None = None, *_: object) -> PictureReading:
        h, w = image.shape[:2]
        return self.look_again(image, [(0, 0, w, h)], tile_length_px or 0.0)

    def look_again(
        self, image: Image, regions: Sequence[tuple[int, int, int, int]], tile_length_px: float, *_: object
    ) -> PictureReading:
        self.looks += 1
        film, table = self.camera.film, self.camera.table
        assert isinstance(film, SketchFilm)
        tiles = []
        for lying in table.visible():
            if self.rng.random() < self.missed or self._under_the_cup(lying.center_mm):
                continue
            moved = corners_mm(lying, table) + self.rng.normal(0, self.jitter_mm, 2)
            quad = film.to_px(moved).astype(np.float32)
            if _inside(quad, regions):
                tiles.append(self._read(quad, lying))
        markers = []
        for place in table.markers.values():
            r = MARKER_RADIUS_MM
            box = np.array(place) + np.array([[-r, -r], [r, -r], [r, r], [-r, r]])
            quad = film.to_px(box).astype(np.float32)
            if _inside(quad, regions):
                markers.append(Found(quad, 0.9))
        hub = None
        plan = table.plan
        if plan.hub_radius_mm > 0 and not plan.chinese:
            r = plan.hub_radius_mm
            box = np.array(plan.center_mm) + np.array([[-r, -r], [r, -r], [r, r], [-r, r]])
            hub = Found(film.to_px(box).astype(np.float32), 0.9)
        return PictureReading((image.shape[1], image.shape[0]), tuple(tiles), tuple(markers), hub)

    def _under_the_cup(self, place: tuple[float, float]) -> bool:
        cup = self.camera.film.cup_mm
        return cup is not None and float(np.hypot(place[0] - cup[0], place[1] - cup[1])) < CUP_RADIUS_MM + 14.0

    def _read(self, quad: NDArray[np.float32], lying: Lying) -> TileReading:
        if not lying.face_up:
            return TileReading(quad, "down", None, 0.95)
        halves = [self._half(lying.laid.inner), self._half(lying.laid.outer)]
        if self.rng.random() < 0.5:
            quad, halves = np.roll(quad, 2, axis=0), halves[::-1]
        return TileReading(quad, "up", (halves[0], halves[1]), 0.95)

    def _half(self, value: int) -> HalfReading:
        if self.rng.random() < self.unread:
            return HalfReading(None, 0.6, ((value, 0.6), ((value + 1) % 7, 0.3)))
        return HalfReading(value, 0.9995, (((value + 1) % 7, 0.0004),))


def _inside(quad: NDArray[np.float32], regions: Sequence[tuple[int, int, int, int]]) -> bool:
    x, y = quad.mean(0)
    return any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in regions)


def sketched(seed: int, settings: SimSettings, size_wh: tuple[int, int] = SMALL) -> SimCamera:
    """A simulated camera whose frames are small sketches."""
    small = FilmSettings(size_wh=size_wh, noise=1.0, flicker=0.002)
    return SimCamera(seed, SimSettings(**{**_fields(settings), "film": small}), film=SketchFilm)


def in_play(seed: int, rules: str, **more: Any) -> SimCamera:
    """A sketched round without troubles, all but its last twenty changes over before the first picture.

    `more` are settings of the simulator.
    """
    settings = SimSettings(
        rules=rules,
        troubles=Troubles.none(),
        hand_frames=3,
        still_frames=7,
        show_hands=False,
        last_scenes=20,
    )
    return sketched(seed, replace(settings, **more))


def _fields(settings: SimSettings) -> dict[str, object]:
    return {name: getattr(settings, name) for name in settings.__slots__}
