"""Rounds drawn by a third renderer: VTK draws tiles, hub, markers and arms of its own making.

It shares nothing with the project's renderer or the other one: neither prints, bodies, light nor camera. VTK is on the
package index and is not installed with the project; `pip install vtk` first. No graphics card is needed. Nothing
throws a shadow: VTK's come out wrong where it draws by the processor.

    python -m bench.corpus third --scenes 24 --seeds 800 801 --out DIR
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.drawn_film import UNLIKE_TABLE, DrawnFilm, Image, dimmed
from datasets.simulator.arm_sprite import ArmSprite, cut_out
from datasets.simulator.film import SPRITE_REACH, WOBBLE_MM, FilmSettings
from datasets.simulator.lying import Lying
from datasets.simulator.plan import TablePlan
from datasets.simulator.reaching import Arm, ArmLook
from datasets.simulator.tabletop import TableTop

Point = tuple[float, float]
PX_PER_MM = 14
"""The resolution of a tile's printed face."""
THIRD = (-1.0, 0.0, 1.0)
GRID = {
    0: (), 1: ((0, 0),), 2: ((-1, -1), (1, 1)), 3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)), 5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: tuple((a, b) for a in THIRD for b in (-1, 1)), 7: (*((a, b) for a in THIRD for b in (-1, 1)), (0, 0)),
    8: tuple((a, b) for a in THIRD for b in THIRD if (a, b) != (0, 0)), 9: tuple((a, b) for a in THIRD for b in THIRD),
    10: (*((a, b) for a in (-1, -1 / 3, 1 / 3, 1) for b in (-1, 1)), (-1, 0), (1, 0)),
    11: (*((a, b) for a in (-1, -1 / 3, 1 / 3, 1) for b in (-1, 1)), (-1, 0), (0, 0), (1, 0)),
    12: tuple((a, b) for a in (-1, -1 / 3, 1 / 3, 1) for b in THIRD),
}  # fmt: skip
"""Value -> where its pips are in a half: along the tile and across it, -1 to 1."""


class ThirdFilm(DrawnFilm):
    """Drawn by VTK."""

    def __init__(
        self,
        plan: TablePlan,
        seed: int,
        settings: FilmSettings | None = None,
        family: str = "western",
        set_max: int = 12,
    ) -> None:
        super().__init__(plan, seed, settings)
        self.chinese = family == "chinese"
        self._vtk: Any = importlib.import_module("vtk")
        rng = self._chance("style")
        self._ivory = np.array(rng.choice([(236, 236, 232), (214, 228, 236), (40, 40, 44), (70, 110, 60)]), float)
        if self.chinese:
            self._ivory = np.array((36, 34, 34), float)
        pale = self._ivory.mean() < 100
        inks = [tuple(int(v) for v in rng.integers(150 if pale else 0, 256 if pale else 140, 3)) for _ in range(13)]
        self._inks = inks if rng.random() < 0.6 else [(235, 235, 235) if pale else (25, 25, 25)] * 13
        self._pip, self._spread = rng.uniform(1.25, 1.6), (rng.uniform(0.32, 0.36), rng.uniform(0.3, 0.34))
        self._back = tuple(float(v) for v in rng.uniform(0.05, 0.9, 3))
        self._hang_camera()
        self._top = self._table_top()

    # ---- what the simulator asks --------------------------------------------------------------------------------

    def corners_px(self) -> NDArray[np.float64]:
        """The table's corners in the picture, (4, 2), as nobody has bumped the camera yet."""
        w, h = self.plan.size_mm
        return self._project(np.array([[0, 0, 0], [w, 0, 0], [w, h, 0], [0, h, 0]], float))

    # ---- camera -------------------------------------------------------------------------------------------------

    def _hang_camera(self) -> None:
        rng = self._chance("camera")
        self._fov = float(rng.uniform(42, 58))
        self._aside = rng.normal(0, 0.05, 2)
        self._height = 300.0
        w, h = self.settings.size_wh
        while True:
            corners = self.corners_px()
            if (corners > 6).all() and (corners[:, 0] < w - 6).all() and (corners[:, 1] < h - 6).all():
                return
            self._height *= 1.02

    def _place(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Where the camera is, where it looks and what is up in the picture, in VTK's axes: y as in a book."""
        cx, cy = self.plan.center_mm
        aim = np.array([cx + self.bump_mm[0], -(cy + self.bump_mm[1]), 0.0])
        eye = aim + self._height * np.array([self._aside[0], self._aside[1], 1.0])
        return eye, aim, np.array([0.0, 1.0, 0.0])

    def _project(self, points_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        eye, aim, up = self._place()
        ahead = (aim - eye) / np.linalg.norm(aim - eye)
        right = np.cross(ahead, up) / np.linalg.norm(np.cross(ahead, up))
        seen = points_mm * (1, -1, 1) - eye
        depth = seen @ ahead
        w, h = self.settings.size_wh
        focal = h / 2 / math.tan(math.radians(self._fov) / 2)
        x, y = seen @ right / depth, seen @ np.cross(right, ahead) / depth
        return np.stack([w / 2 + focal * x - 0.5, h / 2 - focal * y - 0.5], 1)

    # ---- drawing ------------------------------------------------------------------------------------------------

    def _drawn(self, table: TableTop | None, look: ArmLook | None = None) -> Image:
        vtk = self._vtk
        scene = vtk.vtkRenderer()
        self._lie_flat(
            scene, self._top, self.plan.center_mm, 3.0 * max(self.plan.size_mm), 3.0 * max(self.plan.size_mm)
        )
        if table is not None:
            self._set_table(scene, table)
        if look is not None:
            self._reach(scene, look)
        rng = self._chance("light")
        (cx, cy) = self.plan.center_mm
        for strength in (0.7, 0.35):
            light = vtk.vtkLight()
            x, y = (float(v) for v in rng.uniform(-900, 900, 2))
            light.SetPosition(cx + x, -cy + y, float(rng.uniform(1300, 2200)))
            light.SetFocalPoint(cx, -cy, 0)
            light.SetPositional(True)
            light.SetConeAngle(70)
            light.SetIntensity(strength)
            scene.AddLight(light)
        eye, aim, up = self._place()
        camera = scene.GetActiveCamera()
        camera.SetPosition(*eye)
        camera.SetFocalPoint(*aim)
        camera.SetViewUp(*up)
        camera.SetViewAngle(self._fov)
        scene.ResetCameraClippingRange()
        window = vtk.vtkRenderWindow()
        window.SetOffScreenRendering(1)
        window.SetMultiSamples(4)
        window.SetSize(*self.settings.size_wh)
        window.AddRenderer(scene)
        window.Render()
        grab = vtk.vtkWindowToImageFilter()
        grab.SetInput(window)
        grab.ReadFrontBufferOff()
        grab.Update()
        out = grab.GetOutput()
        w, h, _ = out.GetDimensions()
        numbers = importlib.import_module("vtkmodules.util.numpy_support")
        rgb = numbers.vtk_to_numpy(out.GetPointData().GetScalars()).reshape(h, w, -1)[::-1, :, :3]
        window.Finalize()
        image = np.ascontiguousarray(rgb[:, :, ::-1], np.uint8)
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.7), np.uint8)
        if table is not None and self.lamp != 1.0:
            image = dimmed(image, self.lamp**0.6)
        coded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 88])[1]
        return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)

    def _set_table(self, scene: Any, table: TableTop) -> None:
        plan, (length, width, thick) = self.plan, self.plan.tile_mm
        if plan.hub_radius_mm > 0 and not plan.chinese:
            rng = self._chance("hub")
            colour = tuple(float(v) for v in rng.uniform(0.2, 0.8, 3))
            self._solid(scene, disc(plan.hub_radius_mm, 64), plan.center_mm, 0.0, 0.0, 4.0, colour)
            for degrees in plan.stations.values():
                a = math.radians(degrees)
                reach = plan.hub_radius_mm - width * 0.55
                at = plan.center_mm[0] + reach * math.cos(a), plan.center_mm[1] + reach * math.sin(a)
                dark = tuple(0.4 * v for v in colour)
                self._solid(scene, rounded(width * 0.9, width * 0.9, 2), at, degrees, 4.0, 0.2, dark)
        for lying in table.all_tiles():
            on_hub = math.dist(lying.center_mm, plan.center_mm) < plan.hub_radius_mm * 0.7 and not plan.chinese
            low = lying.layer * thick + (4.0 if on_hub else 0.0)
            body = tuple(self._ivory[::-1] / 255) if lying.face_up else self._back
            outline = rounded(length, width, 2.5)
            self._solid(scene, outline, lying.center_mm, lying.heading_deg, low, thick, body)
            if lying.face_up:
                at = lying.center_mm
                self._lie_flat(
                    scene, self._face(lying), at, length - 2, width - 2, lying.heading_deg, low + thick + 0.05
                )
        for player, place in table.markers.items():
            self._marker(scene, player, place, self._under(table, place))
        if self.cup_mm is not None:
            self._solid(scene, disc(38, 40), self.cup_mm, 0.0, 0.0, 90.0, (0.85, 0.84, 0.8))

    def _under(self, table: TableTop, place: Point) -> float:
        """How high what a marker stands on is."""
        near = [
            one.layer + 1 for one in table.all_tiles() if math.dist(one.center_mm, place) < self.plan.tile_mm[1] / 2
        ]
        return max(near, default=0) * self.plan.tile_mm[2]

    def _marker(self, scene: Any, player: str, at: Point, low: float) -> None:
        """A counter, a cone on a foot, or an engine of three boxes and a funnel."""
        rng = self._chance("marker", self.plan.players.index(player))
        paint = tuple(float(v) for v in rng.permutation([rng.uniform(0.6, 0.95), rng.uniform(0.05, 0.5), 0.08]))
        turn = float(rng.uniform(0, 360))
        kind = int(rng.integers(3))
        if kind == 0:
            self._solid(scene, disc(float(rng.uniform(9, 13)), 40), at, 0.0, low, 4.0, paint)
        elif kind == 1:
            for n in range(8):
                self._solid(scene, disc(9.5 * (1 - n / 11), 24), at, 0.0, low + 2.5 * n, 2.5, paint)
        else:
            along = np.array([math.cos(math.radians(turn)), math.sin(math.radians(turn))])
            for ahead, long, wide, above, tall, shade in (
                (0, 36, 14, 2, 6, 1.0), (-11, 14, 15, 8, 10, 0.8), (7, 20, 10, 8, 8, 1.0), (13, 5, 5, 16, 7, 0.3)
            ):  # fmt: skip
                x, y = np.array(at) + ahead * along
                colour = tuple(shade * v for v in paint)
                self._solid(scene, rounded(long, wide, 2), (float(x), float(y)), turn, low + above, tall, colour)

    def _reach(self, scene: Any, look: ArmLook) -> None:
        """An arm of spheres from the left edge on, its fist where the tip of the sprite is."""
        rng = self._chance("hand", look.seed)
        skin, sleeve = (0.78, 0.58, 0.47), tuple(float(v) for v in rng.uniform(0.1, 0.9, 3))
        tip = SPRITE_REACH * self.plan.size_mm[0] + self.plan.center_mm[0]
        for n in range(90):
            ball = self._vtk.vtkSphereSource()
            ball.SetCenter(tip - 14 * n, -self.plan.center_mm[1], 45.0)
            ball.SetRadius(30.0 if n < 6 else 38.0)
            ball.SetThetaResolution(24)
            self._show(scene, ball, skin if n < 8 else sleeve)

    def _face(self, lying: Lying) -> Image:
        """(h, w, 3) RGB: the print of a tile, its inner half at the left."""
        length, width, _ = self.plan.tile_mm
        w, h = round((length - 2) * PX_PER_MM), round((width - 2) * PX_PER_MM)
        face = np.full((h, w, 3), self._ivory, np.uint8)
        line = tuple(int(v) for v in np.clip(self._ivory * 0.45 + (60 if self._ivory.mean() < 100 else 0), 0, 255))
        cv2.line(face, (w // 2, h // 8), (w // 2, h - h // 8), line, PX_PER_MM // 2, cv2.LINE_AA)
        for half, value in enumerate((lying.laid.inner, lying.laid.outer)):
            for along, across in GRID[value]:
                x = w / 4 + half * w / 2 + along * self._spread[0] * w / 2
                y = h / 2 + across * self._spread[1] * h
                ink, radius = self._inks[value], self._pip
                if self.chinese:
                    ink = (40, 40, 210) if value in (1, 4) else (235, 235, 235)
                    radius = 3.2 if value == 1 else 1.7
                cv2.circle(face, (round(x), round(y)), round(radius * PX_PER_MM), ink, -1, cv2.LINE_AA)
        return np.ascontiguousarray(face[:, :, ::-1])

    def _table_top(self) -> Image:
        """(n, n, 3) RGB: boards, plain cloth or blotched stone."""
        rng, n = self._chance("top"), 1024
        tone = rng.uniform(50, 190, 3) if rng.random() < 0.5 else np.array([150, 105, 65]) * rng.uniform(0.6, 1.3)
        kind = int(rng.integers(3))
        size = ((24, n), (n, n), (40, 40))[kind]
        waves = cv2.resize(rng.normal(0, 1, size).astype(np.float32), (n, n), interpolation=cv2.INTER_CUBIC)
        top = tone + waves[..., None] * (9, 5, 12)[kind]
        return np.ascontiguousarray(np.clip(top, 0, 255), np.uint8)

    # ---- VTK ----------------------------------------------------------------------------------------------------

    def _show(self, scene: Any, source: Any, colour: Sequence[float]) -> Any:
        mapper, actor = self._vtk.vtkPolyDataMapper(), self._vtk.vtkActor()
        mapper.SetInputConnection(source.GetOutputPort())
        actor.SetMapper(mapper)
        looks = actor.GetProperty()
        looks.SetColor(*colour)
        looks.SetAmbient(0.25)
        looks.SetSpecular(0.15)
        looks.SetSpecularPower(25)
        scene.AddActor(actor)
        return actor

    def _solid(
        self, scene: Any, outline: NDArray[np.float64], at: Point, turn_deg: float, low: float, tall: float, colour: Any
    ) -> None:
        """An outline (n, 2) mm pulled up."""
        vtk = self._vtk
        points, face, flat = vtk.vtkPoints(), vtk.vtkCellArray(), vtk.vtkPolyData()
        for x, y in outline:
            points.InsertNextPoint(float(x), float(-y), 0.0)
        face.InsertNextCell(len(outline), list(range(len(outline))))
        flat.SetPoints(points)
        flat.SetPolys(face)
        pulled = vtk.vtkLinearExtrusionFilter()
        pulled.SetInputData(flat)
        pulled.SetExtrusionTypeToVectorExtrusion()
        pulled.SetVector(0, 0, tall)
        normals = vtk.vtkPolyDataNormals()
        normals.SetInputConnection(pulled.GetOutputPort())
        normals.SetFeatureAngle(40)
        normals.AutoOrientNormalsOn()
        actor = self._show(scene, normals, colour)
        actor.SetPosition(at[0], -at[1], low)
        actor.RotateZ(-turn_deg)

    def _lie_flat(
        self, scene: Any, picture: Image, at: Point, w: float, h: float, turn_deg: float = 0.0, low: float = 0.0
    ) -> None:
        """A picture (h, w, 3) RGB, w by h mm large."""
        vtk = self._vtk
        plane, texture, data = vtk.vtkPlaneSource(), vtk.vtkTexture(), vtk.vtkImageData()
        plane.SetOrigin(-w / 2, -h / 2, 0)
        plane.SetPoint1(w / 2, -h / 2, 0)
        plane.SetPoint2(-w / 2, h / 2, 0)
        data.SetDimensions(picture.shape[1], picture.shape[0], 1)
        numbers = importlib.import_module("vtkmodules.util.numpy_support")
        data.GetPointData().SetScalars(numbers.numpy_to_vtk(picture[::-1].reshape(-1, 3), deep=True))
        texture.SetInputData(data)
        texture.InterpolateOn()
        texture.MipmapOn()
        actor = self._show(scene, plane, (1.0, 1.0, 1.0))
        actor.SetTexture(texture)
        actor.SetPosition(at[0], -at[1], low)
        actor.RotateZ(-turn_deg)

    # ---- arms ---------------------------------------------------------------------------------------------------

    def _with_arm(self, image: Image, arm: Arm, wobble: int) -> Image:
        x, y = arm.tip_mm[0] + wobble * WOBBLE_MM[0], arm.tip_mm[1] + wobble * WOBBLE_MM[1]
        tip = self._project(np.array([[x, y, 45.0]]))[0]
        corners = self.corners_px()
        px = float(np.linalg.norm(corners[1] - corners[0])) / self.plan.size_mm[0]
        length_px = None if arm.length_mm is None else arm.length_mm * px
        return self._arm(arm.look).over(image, (tip[0], tip[1]), arm.angle_rad, left=arm.left, length_px=length_px)

    def _arm(self, look: ArmLook) -> ArmSprite:
        if look not in self._arms:
            shown = self._drawn(None, look)
            at = SPRITE_REACH * self.plan.size_mm[0] + self.plan.center_mm[0], self.plan.center_mm[1], 45.0
            x, y = self._project(np.array([at]))[0]
            self._arms[look] = ArmSprite(shown, cut_out(shown, self._drawn(None), UNLIKE_TABLE), (float(x), float(y)))
        return self._arms[look]


def disc(radius: float, corners: int) -> NDArray[np.float64]:
    """(corners, 2): a round outline."""
    a = np.arange(corners) * 2 * np.pi / corners
    return radius * np.stack([np.cos(a), np.sin(a)], 1)


def rounded(long: float, wide: float, radius: float) -> NDArray[np.float64]:
    """(24, 2): a rectangle with round corners."""
    a = np.linspace(0, np.pi / 2, 6)
    parts = []
    for n, (sx, sy) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        middle = np.array([sx * (long / 2 - radius), sy * (wide / 2 - radius)])
        parts.append(middle + radius * np.stack([np.cos(a + n * np.pi / 2), np.sin(a + n * np.pi / 2)], 1))
    return np.concatenate(parts)
