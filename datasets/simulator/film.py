"""From a table to frames, cheaply: the table is rendered when it changes, hands and noise are laid over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.table import (
    TableCamera,
    TableHand,
    TableHub,
    TableMarker,
    TableScene,
    TableThing,
    TableTile,
    corners_px,
    hand_cover,
    render_table,
)
from datasets.simulator.arm_sprite import ArmSprite, cut_out
from datasets.simulator.plan import TablePlan
from datasets.simulator.reaching import Arm, ArmLook
from datasets.simulator.tabletop import TableTop

Image = NDArray[np.uint8]
COLOURS = ("#c8202a", "#1f6fd0", "#2f9e44", "#e0a800", "#8e44ad", "#e06a1b", "#1aa6a6", "#d04a8f")
NOISE_BANK = 4

SPRITE_REACH = 0.42
"""Of the table's width: how far right of the middle an arm's tips are when it is rendered alone."""

MORE_SLEEVE = 0.5
"""So much of the picture's width is added: from corner to corner an arm is longer than the picture is wide."""

WOBBLE_MM = (4.7, 3.1)
"""How far a hand at work moves from one frame to the next."""

UNLIKE_TABLE = 12
"""Grey levels by which what an arm adds to the picture differs from the table."""


@dataclass(frozen=True, slots=True)
class FilmSettings:
    """`noise` is the standard deviation of a frame's noise in grey levels, `flicker` that of its exposure."""

    size_wh: tuple[int, int] = (1600, 1200)
    noise: float = 1.2
    flicker: float = 0.004
    field_of_view_deg: float = 66.0
    margin: float = 1.05


@dataclass(slots=True)
class Film:
    """The look of one evening: table top, light and tiles follow from the seed."""

    plan: TablePlan
    seed: int
    settings: FilmSettings = field(default_factory=FilmSettings)
    family: str = "western"
    set_max: int = 12
    lamp: float = 1.0
    bump_mm: tuple[float, float] = (0.0, 0.0)
    cup_mm: tuple[float, float] | None = None
    _rng: np.random.Generator = field(init=False)
    _noise: list[NDArray[np.int16]] = field(init=False, default_factory=list)
    _arms: dict[ArmLook, ArmSprite] = field(init=False, default_factory=dict)
    _still: Image | None = field(init=False, default=None)
    _empty: tuple[TableScene, Image] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed + 977)

    def _bank(self) -> list[NDArray[np.int16]]:
        """A few frames' worth of noise, made when the first frame is wanted."""
        w, h = self.settings.size_wh
        while len(self._noise) < NOISE_BANK:
            self._noise.append(np.round(self._rng.normal(0, self.settings.noise, (h, w, 3))).astype(np.int16))
        return self._noise

    def corners_px(self) -> NDArray[np.float64]:
        """The table's corners in the picture, (4, 2), as nobody has bumped the camera yet."""
        return np.asarray(corners_px(replace(self._scene(None), camera=self._camera((0.0, 0.0)))), np.float64)

    def develop(self, table: TableTop) -> None:
        """Render the table as it lies now; every frame until the next call shows it."""
        self._still, _ = render_table(self._scene(table), self.seed)

    def frame(self, arms: Sequence[Arm] = (), wobble: int = 0) -> Image:
        """A frame of the rendered table with these arms over it; `wobble` is the moment of their movement."""
        assert self._still is not None, "develop comes first"
        image = self._still
        for arm in arms:
            image = self._with_arm(image, arm, wobble)
        bank = self._bank()
        gain = 1.0 + float(self._rng.normal(0, self.settings.flicker))
        noise = bank[int(self._rng.integers(NOISE_BANK))]
        noisy = cv2.add(image, noise, dtype=cv2.CV_8U)
        return np.asarray(cv2.convertScaleAbs(noisy, alpha=gain), np.uint8)

    def _camera(self, bump_mm: tuple[float, float]) -> TableCamera:
        w, h = self.settings.size_wh
        view = max(self.plan.size_mm[0], self.plan.size_mm[1] * w / h) * self.settings.margin
        height = view / 2 / np.tan(np.radians(self.settings.field_of_view_deg) / 2)
        return TableCamera(w, h, self.settings.field_of_view_deg, float(height), aim_mm=bump_mm)

    def _scene(self, table: TableTop | None) -> TableScene:
        plan = self.plan
        scene = TableScene(
            size_mm=plan.size_mm,
            camera=self._camera(self.bump_mm),
            family=self.family,
            set_max=self.set_max,
            tile_size_mm=plan.tile_mm,
            light=self.lamp,
        )
        if table is None:
            return scene
        thick = plan.tile_mm[2]
        tiles = tuple(
            TableTile(
                lying.center_mm,
                lying.heading_deg,
                (lying.laid.inner, lying.laid.outer),
                lying.face_up,
                lying.layer * thick,
            )
            for lying in table.all_tiles()
        )
        markers = tuple(
            TableMarker(place, COLOURS[plan.players.index(player) % len(COLOURS)], kind="coin")
            for player, place in table.markers.items()
        )
        hub = None
        if plan.hub_radius_mm > 0 and not plan.chinese:
            first = min(plan.stations.values(), default=0.0)
            hub = TableHub(plan.center_mm, plan.hub_radius_mm, first, max(3, len(plan.stations)))
        things = () if self.cup_mm is None else (TableThing("cup", self.cup_mm),)
        return replace(scene, tiles=tiles, markers=markers, hub=hub, things=things)

    def _with_arm(self, image: Image, arm: Arm, wobble: int) -> Image:
        (cx, cy), px = self.plan.center_mm, self._px_per_mm
        w, h = self.settings.size_wh
        x, y = arm.tip_mm[0] + wobble * WOBBLE_MM[0] - cx, arm.tip_mm[1] + wobble * WOBBLE_MM[1] - cy
        tip_px = w / 2 + x * px, h / 2 + y * px
        length_px = None if arm.length_mm is None else arm.length_mm * px
        return self._arm(arm.look).over(image, tip_px, arm.angle_rad, left=arm.left, length_px=length_px)

    @property
    def _px_per_mm(self) -> float:
        w, h = self.settings.size_wh
        return w / (max(self.plan.size_mm[0], self.plan.size_mm[1] * w / h) * self.settings.margin)

    def _arm(self, look: ArmLook) -> ArmSprite:
        """The picture of an arm, rendered once."""
        if look not in self._arms:
            bare = replace(self._scene(None), camera=self._camera((0.0, 0.0)), light=1.0)
            if self._empty is None or self._empty[0] != bare:
                self._empty = bare, render_table(bare, self.seed)[0]
            empty = self._empty[1]
            tip_mm = self.plan.center_mm[0] + SPRITE_REACH * self.plan.size_mm[0], self.plan.center_mm[1]
            sleeve = _mean_colour(empty) if look.as_table else None
            hand = TableHand(tip_mm, 0.0, 25.0, seed=look.seed, sleeve=sleeve)
            shown, _ = render_table(replace(bare, hands=(hand,)), self.seed)
            alpha = cut_out(shown, empty, UNLIKE_TABLE, hand_cover(bare, self.seed, hand))
            w, h = self.settings.size_wh
            tip_px = w / 2 + (tip_mm[0] - self.plan.center_mm[0]) * self._px_per_mm, h / 2
            self._arms[look] = ArmSprite(shown, alpha, tip_px).trimmed().lengthened(round(MORE_SLEEVE * w))
        return self._arms[look]


def _mean_colour(picture: Image) -> str:
    """`#rrggbb` of a picture's middle."""
    h, w = picture.shape[:2]
    blue, green, red = picture[h // 4 : 3 * h // 4, w // 4 : 3 * w // 4].reshape(-1, 3).mean(axis=0)
    return f"#{round(red):02x}{round(green):02x}{round(blue):02x}"
