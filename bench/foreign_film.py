"""Rounds drawn by another renderer: the frames of `sim:SEED` as somebody else's programme shows them.

The eye is trained on this project's own renderer, and its simulator draws with the same one. How well the table is
watched elsewhere is told only by pictures of another hand. `FOLDER` is that of the prototype's renderer (`scene.py`,
`render.py`, `tiles.py`, `background.py`), which is not part of this project:

    python -m bench.table --renderer FOLDER --seeds 3003 3009 --scenes 24 --out FILE
"""

from __future__ import annotations

import importlib
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.drawn_film import UNLIKE_TABLE, DrawnFilm, Image, dimmed
from datasets.simulator.arm_sprite import ArmSprite, cut_out
from datasets.simulator.film import SPRITE_REACH, WOBBLE_MM, FilmSettings
from datasets.simulator.lying import Lying
from datasets.simulator.placing import Rect, overlap
from datasets.simulator.plan import TablePlan
from datasets.simulator.reaching import Arm, ArmLook
from datasets.simulator.tabletop import MARKER_RADIUS_MM, TableTop

F = np.float32
TEXTURE = 1400
"""Pixels along the table top's texture."""
MODULES = ("background", "render", "scene", "tiles")


def other_renderer(folder: Path) -> dict[str, ModuleType]:
    """The modules of the renderer in this folder, which import each other by their bare names."""
    missing = [name for name in MODULES if not (folder / f"{name}.py").is_file()]
    if missing:
        raise FileNotFoundError(f"{folder}: {missing[0]}.py is missing; expected the prototype's renderer")
    sys.path.insert(0, str(folder))
    try:
        return {name: importlib.import_module(name) for name in MODULES}
    finally:
        sys.path.remove(str(folder))


def fit_print(style: dict[str, Any], tile_mm: tuple[float, float, float]) -> None:
    """Makes a set of this size; its pips keep their share of the tile, as if the maker had drawn it so."""
    length, width, thick = tile_mm
    style["spread_u"] *= length / style["L"]
    for name in ("r", "spread", "spin_r", "corner"):
        style[name] *= width / style["W"]
    style["spread_u"] = min(style["spread_u"], length / 4 - style["r"] * 1.45)
    style["L"], style["W"], style["T"] = length, width, thick


class Lifted:
    """The other renderer's buffer; what is drawn through it stands so much higher, in mm: a marker on a tile's face."""

    def __init__(self, buffer: Any, by_mm: float) -> None:
        self.buffer, self.by_mm, self.next_id = buffer, by_mm, buffer.next_id

    def __getattr__(self, name: str) -> Any:
        return getattr(self.buffer, name)

    def prism(self, place: Any, *rest: Any, **looks: Any) -> Any:
        return self.buffer.prism(np.add(place, (0.0, 0.0, self.by_mm)), *rest, **looks)


class ForeignFilm(DrawnFilm):
    """Drawn by the renderer in `folder`."""

    def __init__(
        self,
        plan: TablePlan,
        seed: int,
        settings: FilmSettings | None = None,
        family: str = "western",
        set_max: int = 12,
        *,
        folder: Path,
    ) -> None:
        super().__init__(plan, seed, settings)
        self._of = other_renderer(folder)
        chinese = family == "chinese"
        self.style = self._of["tiles"].make_style(
            self._chance("style"), "chinese" if chinese else "west", 6 if chinese else set_max
        )
        fit_print(self.style, plan.tile_mm)
        self._textures: dict[float, Any] = {}
        self._hang_camera()
        self._top = self._of["background"].make(self._chance("top"), TEXTURE, self._top_mm)

    def corners_px(self) -> NDArray[np.float64]:
        """The table's corners in the picture, (4, 2), as nobody has bumped the camera yet."""
        w, h = self.plan.size_mm
        camera = self._camera((0.0, 0.0))
        flat = np.array([[0, 0, 0], [w, 0, 0], [w, h, 0], [0, h, 0]], float) - [*self.plan.center_mm, 0]
        return np.asarray(camera.distort(camera.project(flat)), np.float64)

    def _hang_camera(self) -> None:
        """A little askew, and as high as the whole table needs."""
        w, h = self.settings.size_wh
        rng = self._chance("camera")
        self._tilt, self._aside = math.radians(abs(rng.normal(0, 4))), rng.uniform(0, 2 * math.pi)
        self._roll, self._fov = rng.normal(0, 0.03) - self._aside, rng.uniform(55, 72)
        self._bent = 0.0 if rng.random() < 0.5 else rng.normal(0, 0.015)
        self._view_mm = max(self.plan.size_mm[0], self.plan.size_mm[1] * w / h)
        while not ((q := self.corners_px()) > 8).all() or (q[:, 0] > w - 8).any() or (q[:, 1] > h - 8).any():
            self._view_mm *= 1.02
        self._top_mm = self._view_mm * 1.35 / TEXTURE

    def _camera(self, bump_mm: tuple[float, float]) -> Any:
        w, h = self.settings.size_wh
        make = self._of["render"].Camera
        return make(w, h, self._fov, self._view_mm, bump_mm, self._tilt, self._aside, self._roll, self._bent)

    def _drawn(self, table: TableTop | None, look: ArmLook | None = None) -> Image:
        render, scene, style = self._of["render"], self._of["scene"], self.style
        camera = self._camera(self.bump_mm if table is not None else (0.0, 0.0))
        g = render.GBuf(camera)
        g.next_id = 1
        g.tile_col, g.tile_dim = style["col"], (style["L"], style["W"], style["T"])
        rough = self._lay_top(g, camera)
        if table is not None:
            self._set_table(g, table, camera.px_per_mm((0, 0)))
        if look is not None:
            tip = np.array([SPRITE_REACH * self.plan.size_mm[0], 0.0])
            scene.draw_hand(g, self._chance("hand", look.seed), tip, 0.0, camera.px_per_mm((0, 0)), zlift=30.0)
        lights = render.make_lights(self._chance("lights"))
        image = render.shade(g, *lights, self._chance("shade"), style["rough"], rough, style["T"], np.zeros(2))
        image = scene.sun_and_shade(self._chance("sun"), image)
        if self._bent:
            image = cv2.remap(image, *camera.distort_maps(), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        out, quality = render.camera_response(image, camera, self._chance("sensor"))
        if table is not None and self.lamp != 1.0:
            out = dimmed(out, self.lamp**0.6)
        coded = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, max(quality, 75)])[1]
        return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)

    def _lay_top(self, g: Any, camera: Any) -> float:
        """The table top's texture in the buffer; returns its roughness."""
        albedo, slope, gloss, rough, _ = self._top
        half = TEXTURE * self._top_mm / 2
        to_mm = np.array([[self._top_mm, 0, -half], [0, self._top_mm, -half], [0, 0, 1.0]])
        to_px = camera.plane_H(np.zeros(3), np.array([1.0, 0, 0]), np.array([0, 1.0, 0])) @ to_mm
        wh = self.settings.size_wh
        g.A[..., :3] = cv2.warpPerspective(albedo, to_px, wh, borderMode=cv2.BORDER_REFLECT_101)
        g.A[..., 3] = 1
        if slope is not None:
            g.B[..., :2] = cv2.warpPerspective(slope, to_px, wh, borderMode=cv2.BORDER_REFLECT_101)
        g.B[..., 2] = gloss
        return float(rough)

    def _set_table(self, g: Any, table: TableTop, px_per_mm: float) -> None:
        """Hub, cup, tiles and markers, what is low and far from under the camera first."""
        scene, plan, thick = self._of["scene"], self.plan, self.style["T"]
        cx, cy = plan.center_mm
        raised = 0.0
        if plan.hub_radius_mm > 0 and not plan.chinese:
            first = math.radians(min(plan.stations.values(), default=0.0))
            slots = max(6, len(plan.stations))
            rim = plan.hub_radius_mm
            _, high = scene.draw_hub(g, self._chance("hub"), 0.0, 0.0, rim, first, px_per_mm, slots, self.style)
            raised = min(high, thick * 0.5)
        if self.cup_mm is not None:
            x, y = self.cup_mm[0] - cx, self.cup_mm[1] - cy
            scene.draw_distractor(g, self._chance("cup"), x, y, px_per_mm, kind="cup", T=thick)
        nx, ny = g.cam.nadir
        things: list[tuple[int, float, str | Lying, float, float]] = []
        rects = [(lying.layer + 1, lying.rect(*plan.tile_mm[:2])) for lying in table.all_tiles()]
        for lying in table.all_tiles():
            x, y = lying.center_mm[0] - cx, lying.center_mm[1] - cy
            things.append((lying.layer, -math.hypot(x - nx, y - ny), lying, x, y))
        for player, (mx, my) in table.markers.items():
            foot = Rect((mx, my), 0.0, MARKER_RADIUS_MM, MARKER_RADIUS_MM)
            layer = max((above for above, rect in rects if overlap(foot, rect)), default=0)
            things.append((layer, -math.hypot(mx - cx - nx, my - cy - ny), player, mx - cx, my - cy))
        for layer, _, thing, x, y in sorted(things, key=lambda one: one[:2]):
            if isinstance(thing, str):
                lifted = Lifted(g, layer * thick)
                self._draw_marker(lifted, thing, x, y, px_per_mm)
                g.next_id = lifted.next_id
            else:
                on_hub = math.hypot(x, y) < plan.hub_radius_mm * 0.75 and not plan.chinese
                self._draw_tile(g, thing, x, y, raised if on_hub else 0.0)

    def _draw_marker(self, g: Any, player: str, x: float, y: float, px_per_mm: float) -> None:
        """A player's marker: a small train engine, a coin or a pawn, the same all round."""
        scene = self._of["scene"]
        rng = self._chance("marker", self.plan.players.index(player))
        if rng.random() < 0.6:
            scene.draw_train(g, rng, x, y, rng.uniform(0, 2 * math.pi), rng.uniform(20, 25), px_per_mm)
            g.next_id += 1
            return
        while True:
            before = rng.bit_generator.state
            kind = scene.pick(rng, ["train", "coin", "pawn", "chip"], [0.62, 0.2, 0.1, 0.08])
            rng.bit_generator.state = before
            if kind in ("coin", "pawn"):
                break
            rng.random()
        scene.draw_marker(g, rng, x, y, 0.0, self.style["T"], px_per_mm)

    def _draw_tile(self, g: Any, lying: Lying, x: float, y: float, raised: float) -> None:
        render, style = self._of["render"], self.style
        sharp = 2 ** (round(math.log2(g.cam.px_per_mm((x, y), style["T"]) * 1.25) * 2) / 2)
        res = round(float(np.clip(sharp, 20 / style["L"], 900 / style["L"])), 4)
        if res not in self._textures:
            self._textures[res] = self._of["tiles"].TileTex(style, res, self._chance("print"))
        texture, up = self._textures[res], lying.face_up
        mark = (lying.laid.inner, lying.laid.outer) if up else tuple(abs(int(v * 10)) for v in lying.center_mm)
        texture.rng, rng = self._chance("tile", *mark), self._chance("askew", *mark)
        side, top = style["col"], style["col"]
        if style["two_tone"]:
            side, top = (style["back_col"], side) if up else (side, style["back_col"])
        frame = render.frame(math.radians(lying.heading_deg), rng.normal(0, 0.006), rng.normal(0, 0.006))
        outline = render.rrect_outline(style["L"], style["W"], min(style["corner"], style["W"] * 0.45), 3)
        place = np.array([x, y, lying.layer * style["T"] + raised])
        printed = texture.tex(lying.laid.inner, lying.laid.outer, up)
        looks = {"tex": printed, "res": res, "oid": g.next_id, "spec": style["gloss"], "split": style["side_mix"]}
        g.next_id += 1
        g.prism(place, frame, outline, style["T"], side, top, **looks)

    def _with_arm(self, image: Image, arm: Arm, wobble: int) -> Image:
        """Laid flat over the picture: how the camera leans is left aside, and a sleeve has any colour."""
        (cx, cy), px = self.plan.center_mm, self.settings.size_wh[0] / self._view_mm
        w, h = self.settings.size_wh
        x, y = arm.tip_mm[0] + wobble * WOBBLE_MM[0] - cx, arm.tip_mm[1] + wobble * WOBBLE_MM[1] - cy
        tip_px = w / 2 + x * px, h / 2 + y * px
        length_px = None if arm.length_mm is None else arm.length_mm * px
        return self._arm(arm.look).over(image, tip_px, arm.angle_rad, left=arm.left, length_px=length_px)

    def _arm(self, look: ArmLook) -> ArmSprite:
        if look not in self._arms:
            shown = self._drawn(None, look)
            camera = self._camera((0.0, 0.0))
            tip = np.array([[SPRITE_REACH * self.plan.size_mm[0], 0.0, 0.0]])
            x, y = np.asarray(camera.distort(camera.project(tip)), float)[0]
            self._arms[look] = ArmSprite(shown, cut_out(shown, self._drawn(None), UNLIKE_TABLE), (float(x), float(y)))
        return self._arms[look]
