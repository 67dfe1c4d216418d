"""A given table as a camera above it would show it: for simulated cameras and for tests of the whole chain.

Table coordinates are those of `companion.geometry.layout`: corner 0 is the origin, +x runs towards corner 1, +y
towards corner 3, millimetres, z upwards; headings in degrees, atan2(dy, dx), from the middle of half 0 to that of half
1. The picture is not mirrored: with no roll, corner 0 is at its top left.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from datasets.render.arrange import Placed
from datasets.render.camera import Array, Camera
from datasets.render.chance import stream
from datasets.render.clutter import draw_clutter
from datasets.render.colour import from_hex
from datasets.render.gbuffer import GBuffer
from datasets.render.hands import draw_hand, hand_outline
from datasets.render.hubs import PlacedHub, draw_hub
from datasets.render.labels import LabelObject
from datasets.render.lighting import Shaded, shade
from datasets.render.lights import Room, make_room
from datasets.render.markers import DrawnThing, draw_marker
from datasets.render.sensor import develop
from datasets.render.spot import Spot
from datasets.render.stage import DrawnTile, FaceBook, draw_tile, label_all, lay_table
from datasets.render.styles import TileStyle, make_style, resized
from datasets.render.surfaces import Surface, make_surface

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class TableTile:
    """`values[0]` is half 0. `z_mm` lifts the tile (one tile lying on another)."""

    center_mm: Point
    heading_deg: float
    values: tuple[int, int]
    face_up: bool = True
    z_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class TableMarker:
    """`colour` as `#rrggbb`; `kind` one of `markers.KINDS` or of `figures.BODIES`; `z_mm`: how high it stands."""

    center_mm: Point
    colour: str = "#d02020"
    heading_deg: float = 0.0
    kind: str = "train"
    z_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class TableHub:
    """`colour` as `#rrggbb`; it and `made_of` (plastic, card, wood) None: by the seed."""

    center_mm: Point
    radius_mm: float = 70.0
    heading_deg: float = 0.0
    slots: int = 8
    shape: str = "disc"
    colour: str | None = None
    made_of: str | None = None


@dataclass(frozen=True, slots=True)
class TableHand:
    """A hand and arm reaching along `heading_deg` with its finger tips at `tip_mm`."""

    tip_mm: Point
    heading_deg: float
    lift_mm: float = 30.0
    seed: int = 0
    sleeve: str | None = None
    """`#rrggbb`; None: any sleeve or none, by the seed."""


@dataclass(frozen=True, slots=True)
class TableThing:
    """Clutter: `kind` one of `clutter.KINDS`."""

    kind: str
    center_mm: Point
    heading_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class TableCamera:
    """A camera above the table. `height_mm` above the table top; it looks at the table's middle plus `aim_mm`, leaning
    `lean_deg` from the vertical towards `lean_toward_deg`, rolled by `roll_deg`. `distortion` is k1 (see `camera`)."""

    width: int = 1280
    height: int = 960
    field_of_view_deg: float = 66.0
    height_mm: float = 1100.0
    aim_mm: Point = (0.0, 0.0)
    lean_deg: float = 0.0
    lean_toward_deg: float = 0.0
    roll_deg: float = 0.0
    distortion: float = 0.0


@dataclass(frozen=True, slots=True)
class TableScene:
    """The things on the table and how it is seen. `frame` only changes the sensor's noise.

    `family` western or chinese; `background` one of `surfaces.KINDS` or None for a random plain one;
    `soft_light` avoids hard shadows and strong glare; `light` is a factor on the exposure (0.3 is a dim room), `cast`
    factors on its red, green and blue (a wrong white balance). `style` is the set in play, made to `tile_size_mm`;
    None: by the seed.
    """

    size_mm: tuple[float, float] = (1200.0, 900.0)
    tiles: tuple[TableTile, ...] = ()
    markers: tuple[TableMarker, ...] = ()
    hub: TableHub | None = None
    hands: tuple[TableHand, ...] = ()
    things: tuple[TableThing, ...] = ()
    camera: TableCamera = field(default_factory=TableCamera)
    family: str = "western"
    set_max: int = 12
    tile_size_mm: tuple[float, float, float] = (50.8, 25.4, 9.5)
    background: str | None = None
    soft_light: bool = True
    light: float = 1.0
    cast: tuple[float, float, float] = (1.0, 1.0, 1.0)
    style: TileStyle | None = None
    frame: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """The part that stays the same from frame to frame: set, surface, room, and the light on the empty table."""

    style: TileStyle
    surface: Surface
    empty: GBuffer
    room: Room
    metered: NDArray[np.float32]
    faces: FaceBook
    shaded: list[Shaded] = field(default_factory=list)
    """The table as it was lit last, at most one."""


@dataclass(frozen=True, slots=True, eq=False)
class _Laid:
    """A scene without hands as drawn; each tile with its place in the scene."""

    buffer: GBuffer
    tiles: list[tuple[int, DrawnTile]]
    things: list[DrawnThing]


@dataclass(frozen=True, slots=True, eq=False)
class _Lit:
    """The scene in linear light before the sensor."""

    image: NDArray[np.float32]
    objects: list[LabelObject]


Made = TypeVar("Made")


class _Recent(Generic[Made]):
    """The last few things made, by key."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._made: OrderedDict[object, Made] = OrderedDict()

    def get(self, key: object, make: Callable[[], Made]) -> Made:
        if key not in self._made:
            self._made[key] = make()
            while len(self._made) > self._kept:
                self._made.popitem(last=False)
        self._made.move_to_end(key)
        return self._made[key]


# a look of 1280 x 960 takes some 45 MB, a scene as laid 40 MB, a lit one 15 MB
_LOOKS: _Recent[_Look] = _Recent(2)
_LAID: _Recent[_Laid] = _Recent(2)
_LIT: _Recent[_Lit] = _Recent(2)
_PLAIN = ("wood", "cloth", "laminate")


def camera_of(scene: TableScene) -> Camera:
    """The renderer's camera for a scene."""
    c = scene.camera
    view = 2 * c.height_mm * math.tan(math.radians(c.field_of_view_deg) / 2)
    lean = math.radians(c.lean_deg)
    # the distance to the aim point grows with the lean so that the height stays
    return Camera(
        c.width,
        c.height,
        c.field_of_view_deg,
        view / math.cos(lean),
        (scene.size_mm[0] / 2 + c.aim_mm[0], scene.size_mm[1] / 2 + c.aim_mm[1]),
        lean,
        math.radians(c.lean_toward_deg),
        math.radians(c.roll_deg),
        c.distortion,
    )


def project(scene: TableScene, points_mm: ArrayLike, z_mm: float = 0.0) -> Array:
    """Exact pixels (n, 2) of table points (n, 2) at the height z, lens distortion included."""
    p = np.atleast_2d(np.asarray(points_mm, float))
    camera = camera_of(scene)
    return camera.distort(camera.project(np.column_stack([p[:, :2], np.full(len(p), z_mm)])))


def hand_cover(scene: TableScene, seed: int, hand: TableHand) -> NDArray[np.float32]:
    """(h, w) in 0..1: the pixels that this hand covers, distortion left aside."""
    chance, heading = stream(seed, f"hand {hand.seed}"), math.radians(hand.heading_deg)
    return hand_outline(camera_of(scene), chance, hand.tip_mm, heading, hand.lift_mm)


def corners_px(scene: TableScene) -> Array:
    """The table's four corners (4, 2), clockwise from corner 0."""
    w, h = scene.size_mm
    return project(scene, [(0, 0), (w, 0), (w, h), (0, h)])


def render_table(scene: TableScene, seed: int) -> tuple[NDArray[np.uint8], list[LabelObject]]:
    """The frame (h, w, 3) BGR uint8 and its labels; a tile's label has `index`, its place in `scene.tiles`.

    The same scene and seed give the same bytes. The seed alone decides table top, light and print of the set, so frames
    of one game keep it. Layers unchanged since the last few calls are not drawn again: the bare table, the things on it
    (under a moving hand), the lit picture (under new noise).
    """
    look = _LOOKS.get(_look_key(scene, seed), lambda: _make_look(scene, seed))
    still = replace(scene, frame=0, light=1.0, cast=(1.0, 1.0, 1.0))
    lit = _LIT.get((still, seed), lambda: _light_scene(still, seed, look))
    out, _ = develop(
        lit.image * (np.float32(scene.light) * np.array(scene.cast, np.float32)),
        stream(seed, "sensor"),
        noise_rng=stream(seed, f"noise {scene.frame}"),
        calm=True,
        metered=look.metered,
    )
    return out, [dict(found) for found in lit.objects]


def _light_scene(scene: TableScene, seed: int, look: _Look) -> _Lit:
    bare = replace(scene, hands=())
    laid = _LAID.get((bare, seed), lambda: _lay_scene(bare, seed, look))
    g = laid.buffer
    if scene.hands:
        g = g.copy()
        for hand in scene.hands:
            chance, heading = stream(seed, f"hand {hand.seed}"), math.radians(hand.heading_deg)
            sleeve = None if hand.sleeve is None else from_hex(hand.sleeve)
            draw_hand(g, chance, hand.tip_mm, heading, hand.lift_mm, sleeve)
    return _Lit(_light(scene, look, g), _labels(g.camera, laid.tiles, laid.things, g.camera.bent(g.owner)))


def _lay_scene(scene: TableScene, seed: int, look: _Look) -> _Laid:
    """Everything but hands, drawn on a copy of the empty table."""
    g = look.empty.copy()
    px = g.camera.scale_at((scene.size_mm[0] / 2, scene.size_mm[1] / 2))
    things, lift = [], 0.0
    if scene.hub is not None:
        h = scene.hub
        hub = PlacedHub(*h.center_mm, h.radius_mm, math.radians(h.heading_deg), h.slots, h.shape, h.made_of)
        colour = None if h.colour is None else from_hex(h.colour)
        drawn, thickness = draw_hub(g, stream(seed, "hub"), hub, px, look.style, colour)
        things.append(drawn)
        lift = min(thickness, look.style.body.thickness * 0.5)
    for i, thing in enumerate(scene.things):
        spot = Spot(*thing.center_mm, math.radians(thing.heading_deg), px, look.style)
        draw_clutter(g, stream(seed, f"thing {i} {thing.kind}"), thing.kind, spot)
    tiles = _draw_tiles(g, scene, seed, look, lift)
    for marker in scene.markers:
        rng = stream(seed, f"marker {marker.colour} {marker.kind}")
        heading = math.radians(marker.heading_deg)
        things.append(
            draw_marker(g, rng, marker.center_mm, heading, px, marker.kind, from_hex(marker.colour), marker.z_mm)
        )
    return _Laid(g, tiles, things)


def _draw_tiles(g: GBuffer, scene: TableScene, seed: int, look: _Look, lift: float) -> list[tuple[int, DrawnTile]]:
    foot, hub = g.camera.centre[:2], scene.hub
    seen: dict[tuple[int, int], int] = {}
    named = []
    for i, tile in enumerate(scene.tiles):
        key = (min(tile.values), max(tile.values))
        seen[key] = seen.get(key, 0) + 1
        named.append((i, tile, f"tile {key} {seen[key]}"))
    named.sort(key=lambda n: (n[1].z_mm, -math.dist(n[1].center_mm, foot)))
    drawn = []
    for i, tile, name in named:
        placed = Placed(*tile.center_mm, math.radians(tile.heading_deg), *tile.values, tile.face_up, tile.z_mm)
        on_hub = hub is not None and math.dist(tile.center_mm, hub.center_mm) < hub.radius_mm * 0.75
        drawn.append((i, draw_tile(g, look.faces, placed, look.style, stream(seed, name), lift if on_hub else 0.0)))
    return drawn


def _labels(
    camera: Camera, tiles: list[tuple[int, DrawnTile]], things: list, owners: NDArray[np.int16]
) -> list[LabelObject]:
    objects = []
    for i, tile in tiles:
        objects += [{**found, "index": i} for found in label_all(camera, [tile], [], owners)]
    return objects + label_all(camera, [], things, owners)


def _light(scene: TableScene, look: _Look, g: GBuffer) -> NDArray[np.float32]:
    body = look.style.body
    shaded = shade(
        g,
        look.room,
        tile_roughness=body.roughness,
        table_roughness=look.surface.roughness,
        tile_thickness=body.thickness,
        origin=(scene.size_mm[0] / 2, scene.size_mm[1] / 2),
        earlier=look.shaded[0] if look.shaded else None,
    )
    look.shaded[:] = [shaded]
    image = shaded.image
    if g.camera.distortion:
        mx, my = g.camera.undistort_maps()
        image = cv2.remap(image, mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return image


def _look_key(scene: TableScene, seed: int) -> tuple[object, ...]:
    what = (scene.size_mm, scene.camera, scene.family, scene.set_max, scene.tile_size_mm)
    return (seed, *what, scene.background, scene.soft_light, scene.style)


def _make_look(scene: TableScene, seed: int) -> _Look:
    style = scene.style or make_style(stream(seed, "style"), scene.family, scene.set_max)
    style = resized(style, *scene.tile_size_mm)
    camera = camera_of(scene)
    w, h = camera.width, camera.height
    seen = camera.on_plane([(0, 0), (w, 0), (w, h), (0, h)])
    extent = float(max(np.ptp(seen[:, 0]), np.ptp(seen[:, 1]))) * 1.04
    rng = stream(seed, "surface")
    kind = scene.background or _PLAIN[int(rng.integers(len(_PLAIN)))]
    n = int(np.clip(w * 1.1, 420, 1600))
    surface = make_surface(rng, n, extent / n, kind)
    empty = GBuffer(camera)
    middle = (seen.min(0) + seen.max(0)) / 2
    lay_table(empty, surface, (float(middle[0]), float(middle[1])), rng.normal(0, 0.03))
    room = make_room(stream(seed, "light"), scene.soft_light)
    look = _Look(style, surface, empty, room, np.zeros((1, 1, 3), np.float32), FaceBook(stream(seed, "faces")))
    card = empty.copy()  # the exposure is set with a white card in the middle, so that pale tiles do not burn out
    card.surface[h * 2 // 5 : h * 3 // 5, w * 2 // 5 : w * 3 // 5, :3] = 0.85
    metered = cv2.resize(_light(scene, look, card), (80, 60), interpolation=cv2.INTER_AREA)
    return replace(look, metered=metered)
