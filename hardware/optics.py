"""Will this camera, hung this high, read tiles on this table? Pixels per millimetre, and the verdict.

A camera looks straight down on the middle of the table. Everything is reckoned on the plane of the tiles' faces (the
table's height plus a tile's thickness), because that is what is read: at 1 m height and 0.72 m off the axis the two
planes are 6.9 mm apart in the picture. Pure standard library, so that `companion doctor` can use it on a bare machine.

The lens is r = f t (1 + k t^2) with t the tangent of the angle off the axis; f and k follow from the two angles of view
a maker states. A lens that seems to stretch towards its edge (k > 0) only shows that the stated angles are rounded:
then k is 0 and the smaller f is taken, which errs to the safe side.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources

NOMINAL_PX_PER_MM = 2.0
"""Plan for this in the middle of the table; below it a scratched or glared pip has no reserve."""

WORST_PX_PER_MM = 1.4
"""The least in the worst corner: a 3.2 mm pip is then 4.5 px wide."""

IDEAL_READER_PX_PER_MM = 0.8
"""Below this not even a perfect picture carries the pips of a double-12 tile."""

TILT_DEG = 5.0
"""How far out of the vertical a home-made mount is expected to hang."""

MARGIN = 1.02
"""The picture covers the table and one per cent on every side."""

TILE_HEIGHT_MM = 9.0
TILE_LENGTH_MM = 48.0
PIP_MM = 3.2


class Coverage(StrEnum):
    GOOD = "good"
    TIGHT = "tight"
    POOR = "poor"
    BLIND = "blind"
    CUT_OFF = "cut off"

    @property
    def usable(self) -> bool:
        return self in (Coverage.GOOD, Coverage.TIGHT)


SENTENCES: Mapping[Coverage, str] = {
    Coverage.GOOD: "reads every set",
    Coverage.TIGHT: "reads every set in good light; no reserve",
    Coverage.POOR: "only big tiles with few pips; take a finer camera, a lower mount or a smaller table",
    Coverage.BLIND: "too coarse for pips; take a finer camera, a lower mount or a smaller table",
    Coverage.CUT_OFF: "part of the table is out of the picture; hang the camera higher or take a wider lens",
}


@dataclass(frozen=True, slots=True)
class CameraModel:
    """`fov_deg` (horizontal, vertical) of the full frame of `size_px` (w, h)."""

    name: str
    title: str
    size_px: tuple[int, int]
    fov_deg: tuple[float, float]
    binned_px: tuple[int, int] | None = None

    @property
    def lens(self) -> tuple[float, float]:
        """(f in pixels, k) of the lens model above."""
        tx, ty = (math.tan(math.radians(angle / 2)) for angle in self.fov_deg)
        fx, fy = self.size_px[0] / 2 / tx, self.size_px[1] / 2 / ty
        denominator = fy * tx * tx - fx * ty * ty
        k = (fx - fy) / denominator
        if k >= 0:
            return min(fx, fy), 0.0
        return fx / (1 + k * tx * tx), k

    def binned(self) -> CameraModel:
        """The same camera in its half-resolution mode; itself where it has none."""
        if self.binned_px is None:
            return self
        return CameraModel(self.name, f"{self.title}, binned", self.binned_px, self.fov_deg)

    def view_mm(self, height_mm: float) -> tuple[float, float]:
        """Width and depth of what is seen on a plane `height_mm` below the lens."""
        wide, deep = (2 * height_mm * math.tan(math.radians(angle / 2)) for angle in self.fov_deg)
        return wide, deep


@dataclass(frozen=True, slots=True)
class Outlook:
    """One table as one camera at one height sees it. All `px_per_mm` at the height of the tiles' faces."""

    camera: CameraModel
    height_mm: float
    table_mm: tuple[float, float]
    nominal_px_per_mm: float
    worst_px_per_mm: float
    view_mm: tuple[float, float]
    parallax_mm: float
    verdict: Coverage

    @property
    def tile_px(self) -> float:
        return TILE_LENGTH_MM * self.nominal_px_per_mm

    @property
    def pip_px(self) -> float:
        return PIP_MM * self.nominal_px_per_mm

    @property
    def sentence(self) -> str:
        return SENTENCES[self.verdict]


@cache
def cameras() -> Mapping[str, CameraModel]:
    """The known cameras by name, from cameras.toml."""
    table = tomllib.loads(resources.files(__package__).joinpath("cameras.toml").read_text(encoding="utf-8"))
    found: dict[str, CameraModel] = {}
    for name, row in table.items():
        width, height = row["size_px"]
        binned = row.get("binned_px")
        found[name] = CameraModel(
            name,
            row["title"],
            (width, height),
            (row["fov_deg"][0], row["fov_deg"][1]),
            None if binned is None else (binned[0], binned[1]),
        )
    return found


def outlook(
    camera: CameraModel,
    height_mm: float,
    table_mm: tuple[float, float],
    *,
    tile_height_mm: float = TILE_HEIGHT_MM,
    tilt_deg: float = TILT_DEG,
) -> Outlook:
    """Judge one mount: `height_mm` from the table top to the lens, `table_mm` the playing area (w, d).

    Raises ValueError for a height at or below the tiles, or a table without area.
    """
    if min(table_mm) <= 0:
        raise ValueError(f"a table has a width and a depth above 0 mm, not {table_mm[0]:g} x {table_mm[1]:g}")
    above = height_mm - tile_height_mm
    if above <= 0:
        raise ValueError(f"the lens hangs above the tiles ({tile_height_mm:g} mm), not at {height_mm:g} mm")
    view = camera.view_mm(above)
    nominal = camera.lens[0] / above
    corner = math.hypot(table_mm[0] / 2, table_mm[1] / 2)
    worst = worst_corner(camera, above, table_mm, tilt_deg)
    return Outlook(
        camera,
        height_mm,
        table_mm,
        nominal,
        worst,
        view,
        parallax_mm=tile_height_mm * corner / height_mm,
        verdict=_verdict(nominal, worst, covers=view[0] >= table_mm[0] and view[1] >= table_mm[1]),
    )


def _verdict(nominal: float, worst: float, *, covers: bool) -> Coverage:
    if not covers:
        return Coverage.CUT_OFF
    if worst < IDEAL_READER_PX_PER_MM:
        return Coverage.BLIND
    if worst < WORST_PX_PER_MM:
        return Coverage.POOR
    return Coverage.GOOD if nominal >= NOMINAL_PX_PER_MM else Coverage.TIGHT


def worst_corner(camera: CameraModel, above_mm: float, table_mm: tuple[float, float], tilt_deg: float) -> float:
    """The fewest pixels one millimetre gets, in any direction, at any table corner, with the camera `tilt_deg` askew
    about either axis while it still aims at the middle of the table from `above_mm` over the tiles' faces."""
    half_w, half_d = table_mm[0] / 2, table_mm[1] / 2
    scales = []
    for tilt_x, tilt_y in ((0.0, 0.0), (tilt_deg, 0.0), (0.0, tilt_deg)):
        for x, y in ((-half_w, -half_d), (half_w, -half_d), (half_w, half_d), (-half_w, half_d)):
            scales.append(_smallest_scale(camera, above_mm, (x, y), math.radians(tilt_x), math.radians(tilt_y)))
    return min(scales)


def _project(
    camera: CameraModel, above: float, point: tuple[float, float], tilt_x: float, tilt_y: float
) -> tuple[float, float]:
    """A point of the plane (mm, origin in the middle of the table) in pixels from the middle of the picture."""
    x, y, z = point[0], point[1], 0.0
    # Turn the plane instead of the camera: about the y axis, then about the x axis, then push it away to the lens.
    x, z = x * math.cos(tilt_y), x * math.sin(tilt_y)
    y, z = y * math.cos(tilt_x) - z * math.sin(tilt_x), y * math.sin(tilt_x) + z * math.cos(tilt_x)
    z += above / (math.cos(tilt_x) * math.cos(tilt_y))
    f, k = camera.lens
    u, v = x / z, y / z
    stretch = f * (1 + k * (u * u + v * v))
    return u * stretch, v * stretch


def _smallest_scale(
    camera: CameraModel, above: float, point: tuple[float, float], tilt_x: float, tilt_y: float
) -> float:
    """Smallest singular value of the projection's Jacobian at `point`, px per mm, by central differences of 1 mm."""
    x, y = point
    east, west = (_project(camera, above, (x + d, y), tilt_x, tilt_y) for d in (0.5, -0.5))
    south, north = (_project(camera, above, (x, y + d), tilt_x, tilt_y) for d in (0.5, -0.5))
    a, c = east[0] - west[0], east[1] - west[1]
    b, d = south[0] - north[0], south[1] - north[1]
    total = a * a + b * b + c * c + d * d
    determinant = a * d - b * c
    root = math.sqrt(max(0.0, total * total / 4 - determinant * determinant))
    return math.sqrt(max(0.0, total / 2 - root))


def lowest_height(camera: CameraModel, table_mm: tuple[float, float]) -> float:
    """The lowest mount (mm above the table) from which the whole table and a small margin are in the picture."""
    needed = (
        size * MARGIN / 2 / math.tan(math.radians(angle / 2))
        for size, angle in zip(table_mm, camera.fov_deg, strict=True)
    )
    return max(needed) + TILE_HEIGHT_MM


def highest_height(camera: CameraModel, table_mm: tuple[float, float]) -> float | None:
    """The highest mount whose verdict is still usable, to 10 mm; None where no height is."""
    height = math.ceil(lowest_height(camera, table_mm) / 10) * 10.0
    best: float | None = None
    while outlook(camera, height, table_mm).verdict.usable:
        best = height
        height += 10.0
    return best


TABLES_MM: tuple[tuple[float, float], ...] = ((800.0, 600.0), (1000.0, 750.0), (1200.0, 900.0), (1500.0, 1000.0))
"""The playing areas the table of mounts is made for."""


def mounts() -> list[tuple[Outlook, float | None]]:
    """Each known camera over each of TABLES_MM at its lowest height, with the highest height that still serves."""
    rows = []
    for table in TABLES_MM:
        for camera in cameras().values():
            rows.append((outlook(camera, lowest_height(camera, table), table), highest_height(camera, table)))
    return rows


def as_markdown(rows: list[tuple[Outlook, float | None]]) -> str:
    """The table of mounts as it stands in OPTICS.md."""
    lines = [
        "| table (mm) | camera | height (mm) | px/mm middle | px/mm worst corner | tile (px) | pip (px) | verdict |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row, highest in rows:
        heights = f"{row.height_mm:.0f}" if highest is None else f"{row.height_mm:.0f} to {highest:.0f}"
        lines.append(
            f"| {row.table_mm[0]:.0f} x {row.table_mm[1]:.0f} | {row.camera.title} | {heights} "
            f"| {row.nominal_px_per_mm:.2f} | {row.worst_px_per_mm:.2f} | {row.tile_px:.0f} | {row.pip_px:.1f} "
            f"| {row.verdict} |"
        )
    return "\n".join(lines) + "\n"


DOCUMENT = """# How high to hang which camera

![The camera under the ceiling: the height is measured from the table](drawings/ceiling.svg)

Pixels per millimetre at the height of the tiles' faces, camera over the middle of the table, {tilt:g} degrees
out of the vertical allowed for. Heights run from the lowest from which the whole table is seen to the highest
that still reads. *good*: at least {nominal:g} px/mm in the middle and {worst:g} in the worst corner; *tight*:
the corner only; *poor*: big tiles with few pips; *blind*: too coarse. Tile 48 mm long, pip 3.2 mm; the
numbers are those of the lowest height. Reckoned by `hardware/optics.py` from the makers' stated angles of
view (`cameras.toml`), not measured; `companion calibrate` measures your own. Written by `python -m
hardware.optics`.

{table}"""


def document() -> str:
    """OPTICS.md as it must stand beside this module."""
    return DOCUMENT.format(tilt=TILT_DEG, nominal=NOMINAL_PX_PER_MM, worst=WORST_PX_PER_MM, table=as_markdown(mounts()))


if __name__ == "__main__":
    print(document(), end="")
