"""The same table photographed from another place: the tiles that are known to lie there say where it is now.

Where the table is in the first picture: as the set-up says, else by the printed markers, else the whole picture.

Looks at a table that a hand has just left, begun before anybody knows whether the table lies still.

Two equal readings make a change real, and the next picture is a fifth of a second away: by the time it shows that
nothing moves any more, the first of the two has been made, and the second one is under way: the eye looks at the same
places again while the settler still compares. Where something did move, both are thrown away.

An eye for photographs of still tables: one picture gives one reading, however often it is looked at.

Each picture's finds go into the memory of the table: what lies there, and where it has changed.

Pixels in, millimetres out. It knows nothing of a change that somebody is waiting for, and nothing of a game.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.geometry import Layout, TableSetup, under_the_next
from companion.geometry.layout import Family, Point, SeenHalf, SeenTile, TableView
from companion.perception.background import BackgroundModel, Blobs, SmallPicture, Thumbnails, colours, recoloured
from companion.perception.marker_evidence import OwnMarkersHere, StillLook, in_time, let_go, without_prints
from companion.perception.projection import (
    BoxMm,
    at_edge,
    box_mm,
    grown,
    inside,
    on_table,
    regions_at,
    square_of,
    united,
)
from companion.perception.settings import TableReading
from companion.perception.setup_file import GameSetup, SetupError
from companion.perception.tracks import Looked, TableMemory
from companion.rules.tile import Tile, chinese_set
from vision.calibration import Calibration, CalibrationError, calibration_from_tiles
from vision.eye import Eye, Region
from vision.fiducials import find_markers, missing_corners, table_corners
from vision.frame import Frame, Image
from vision.known_set import KnownSet
from vision.reading import PictureReading, TileReading
from vision.tile_size import TileSize, in_steps

Matrix = NDArray[np.float64]
Thing = TypeVar("Thing")

MOVED_MM = 4.0
"""Where the tiles lie so far beside where they are known to lie (median), the camera was held elsewhere."""
FITS_MM = 7.0
"""A tile may seem to lie so far beside its place all the same: outlines are inexact, and people touch tiles."""
LEAST_TILES, LEAST_SHARE = 4, 0.7
"""At least this many of the tiles that are found again have to lie as they did, and this part of them."""
SIZE_OFF, SIZED = 0.12, 0.6
"""A tile is as long as the set's within this part; the camera may be where it was if such a part of the tiles are."""


def seen_from_elsewhere(
    reading: PictureReading, lying: Sequence[SeenTile], calibration: Calibration
) -> Calibration | None:
    """Where the table is in a picture that shows tiles known to lie there, on the plane of their faces.

    The same `calibration` where the camera has not moved; None where too few tiles are found again to tell.
    """
    px, mm = _ends(reading.tiles, lying)
    if len(px) < 2 * LEAST_TILES:
        return None
    apart = np.linalg.norm(calibration.to_mm(px) - mm, axis=1)
    if np.median(apart) < MOVED_MM:
        return calibration
    rays = calibration.lens.rays(px)
    found, fits = cv2.findHomography(rays, mm, cv2.RANSAC, FITS_MM, maxIters=4000, confidence=0.999)
    if found is None or fits.sum() < max(2 * LEAST_TILES, LEAST_SHARE * len(px)):
        return None
    w, h = calibration.size_mm
    corners = np.array([[0.0, 0.0, 1.0], [w, 0.0, 1.0], [w, h, 1.0], [0.0, h, 1.0]]) @ np.linalg.inv(found).T
    seen = np.column_stack([mm, np.ones(len(mm))]) @ np.linalg.inv(found).T
    if not (corners[:, 2] * np.median(seen[:, 2]) > 0).all():
        return None  # a corner lies behind the camera
    try:
        return Calibration.from_corners(
            calibration.lens.pixels(corners[:, :2] / corners[:, 2:]), (w, h), 0.0, calibration.lens
        )
    except CalibrationError:
        return None


def may_be_where_it_was(reading: PictureReading, calibration: Calibration, length_mm: float) -> bool:
    """Are the tiles as long as the set's where the camera is taken to be?"""
    lengths = [calibration.lie(tile.quad_px).length_mm for tile in reading.tiles if tile.face == "up"]
    alike = sum(abs(length / length_mm - 1) < SIZE_OFF for length in lengths)
    return alike >= SIZED * len(lengths)


def _ends(tiles: Sequence[TileReading], lying: Sequence[SeenTile]) -> tuple[Matrix, Matrix]:
    """Both ends of each tile that is read in the picture and known to lie on the table: (n, 2) px and (n, 2) mm. Tiles
    that lie there twice do not tell which is which, and doubles not which end is which."""
    now = _single([(tile.values, tile) for tile in tiles])
    before = _single([(tile.values, tile) for tile in lying])
    px: list[Matrix] = []
    mm: list[tuple[float, float]] = []
    for name in now.keys() & before.keys():
        if name.is_double:
            continue
        found, known = now[name], before[name]
        first = 0 if found.values == known.values else 1
        quad = np.asarray(found.quad_px, np.float64)
        px += [quad[:2].mean(0), quad[2:].mean(0)]
        mm += [known.end_mm(first), known.end_mm(1 - first)]
    return np.array(px).reshape(-1, 2), np.array(mm).reshape(-1, 2)


def _single(things: Sequence[tuple[tuple[int, int] | None, Thing]]) -> dict[Tile, Thing]:
    """Things by their values; a value that several have is left out."""
    named = [(Tile(*values), thing) for values, thing in things if values is not None]
    count = Counter(name for name, _ in named)
    return {name: thing for name, thing in named if count[name] == 1}


LEAST_BACKS = 4
LEAST_MM, MOST_MM = 30.0, 80.0
"""No domino is shorter or longer."""
ALIKE = 0.06
"""Tiles of one set are outlined as long as each other within this part."""

COPIES_ON_A_FREE_BOARD = 4
"""Assumed where a free board's set-up does not say how often each tile exists: board games have several sets."""


def first_calibration(frame: Frame, setup: GameSetup, eye: Eye, photograph: bool = False) -> Calibration:
    """Where nobody says where the table is, a `photograph` is straightened by the tiles that lie on it: how large the
    table is does not matter then. Raises SetupError in one line where the table cannot be found.
    """
    w, h = frame.size_wh
    corners = setup.table.corners_px
    size = setup.table.size_mm
    if corners is not None:
        _refuse_outside(corners, (w, h))
    else:
        markers = find_markers(frame.image)
        if table_corners(markers) is not None:
            try:
                return Calibration.from_markers(markers, size, setup.tile_size_mm[2], size_wh=(w, h))
            except CalibrationError as error:
                raise SetupError(str(error)) from None
        if not setup.free:
            missing = ", ".join(str(k) for k in missing_corners(markers))
            trouble = f"table.corners_px: not given, and corner markers {missing} are not in the picture {frame.name}"
            if not photograph:
                raise SetupError(trouble)
            try:
                return _by_tiles(frame, setup, eye)
            except CalibrationError as error:
                raise SetupError(f"{trouble}; {error}") from None
        corners = ((0.0, 0.0), (float(w), 0.0), (float(w), float(h)), (0.0, float(h)))
    try:
        if size is None:
            size = _measured(frame, corners, setup, eye)
        return Calibration.from_corners(corners, size, setup.tile_size_mm[2], size_wh=(w, h))
    except CalibrationError as error:
        raise SetupError(str(error)) from None


def _by_tiles(frame: Frame, setup: GameSetup, eye: Eye) -> Calibration:
    quads = [tile.quad_px for tile in eye.look(frame.image).tiles if tile.face == "up"]
    return calibration_from_tiles(quads, setup.tile_size_mm[:2], frame.size_wh)


def with_measured_tiles(setup: GameSetup, frame: Frame, calibration: Calibration, eye: Eye) -> GameSetup:
    """The set-up with the tiles as large as they are seen to be, where nobody said it and some lie there.

    Sets are sold from 40 to 60 mm. Tiles that lie face up are measured, else at least `LEAST_BACKS` that do not: their
    thick sides may look like more of them. A size that is not plainly another stays the common one.
    """
    if setup.tile_mm is not None or setup.free:
        return setup
    seen = [
        tile for tile in eye.look(frame.image).tiles if inside(calibration.lie(tile.quad_px).center_mm, calibration)
    ]
    up = [calibration.lie(tile.quad_px) for tile in seen if tile.face == "up"]
    lies = up or [calibration.lie(tile.quad_px) for tile in seen]
    if not up and len(lies) < LEAST_BACKS:
        return setup
    length, width = median(lie.length_mm for lie in lies), median(lie.width_mm for lie in lies)
    alike = sum(abs(lie.length_mm / length - 1) < ALIKE and abs(lie.width_mm / width - 1) < 2 * ALIKE for lie in lies)
    common, _, thick = setup.tile_size_mm
    if alike < 0.7 * len(lies) or not LEAST_MM <= length <= MOST_MM or not 1.6 <= length / width <= 2.8:
        return setup
    return (
        setup
        if abs(length / common - 1) < ALIKE
        else replace(setup, tile_mm=(round(length, 1), round(width, 1), thick))
    )


def known_set(setup: GameSetup) -> KnownSet:
    """The tiles in the box."""
    name, copies = setup.header.set, setup.copies
    if setup.free and copies is None:
        copies = COPIES_ON_A_FREE_BOARD
    highest = setup.header.set_max
    known = chinese_box() if highest is None else KnownSet.double(highest)
    return known if copies is None else replace(known, name=name, copies=dict.fromkeys(known.copies, copies))


def box_of(known: KnownSet) -> dict[Tile, int]:
    """How often each tile is in the box."""
    return {Tile(a, b): count for (a, b), count in known.copies.items()}


def chinese_box() -> KnownSet:
    return KnownSet("chinese", {(tile.low, tile.high): count for tile, count in chinese_set().items()})


def _refuse_outside(corners: tuple[tuple[float, float], ...], size_wh: tuple[int, int]) -> None:
    """A table half out of view is named, not guessed at; a little is allowed, for tables that just fill the picture."""
    w, h = size_wh
    for n, (x, y) in enumerate(corners):
        if not (-0.05 * w <= x <= 1.05 * w and -0.05 * h <= y <= 1.05 * h):
            raise SetupError(f"table.corners_px: corner {n} ({x:.0f}, {y:.0f}) lies outside the picture of {w}x{h}")


def _measured(
    frame: Frame, corners: tuple[tuple[float, float], ...], setup: GameSetup, eye: Eye
) -> tuple[float, float]:
    """The table's size in mm, measured by the tiles that lie on it."""
    tiles = eye.look(frame.image).tiles
    if not tiles:
        raise SetupError("table.size_mm: not given, and no tile lies in the first picture to measure the table by")
    lengths = []
    for tile in tiles:
        quad = np.asarray(tile.quad_px, np.float64)
        lengths.append(float(np.linalg.norm(quad[:2].mean(0) - quad[2:].mean(0))))
    px_per_mm = median(lengths) / setup.tile_size_mm[0]
    a, b, c, d = (np.array(point) for point in corners)
    wide = (np.linalg.norm(b - a) + np.linalg.norm(c - d)) / 2
    high = (np.linalg.norm(d - a) + np.linalg.norm(c - b)) / 2
    return float(wide / px_per_mm), float(high / px_per_mm)


ReadRegions = Callable[[Frame, Sequence[Region]], PictureReading]


MOST_AREA = 0.2
"""Larger regions than this part of the picture together, or at its edge, wait until the table is surely still."""
MARGIN = 0.2
"""The others are read this many tile lengths wider: they may not be quite the ones asked for later."""


@dataclass(frozen=True, slots=True)
class _Ahead:
    frame: Frame
    regions: tuple[Region, ...]
    reading: Future[PictureReading]


class Prefetch:
    """Holds a look at one picture, and the same look at the next one. Only one is ever under way: before the eye is
    asked for anything else, wait until this is `idle`.

    >>> ahead = Prefetch(lambda frame, regions: print(f"{frame.name} is looked at") or PictureReading((40, 30), ()))
    >>> frame = Frame(np.zeros((30, 40, 3), np.uint8), 0.0, "0001.jpg")
    >>> ahead.take(frame, [(10, 10, 18, 16)])
    0001.jpg is looked at
    >>> ahead.look(frame, [(11, 11, 17, 15)]).tiles
    ()
    """

    def __init__(self, look: ReadRegions) -> None:
        self._look = look
        self._ahead: list[_Ahead] = []

    def take(self, frame: Frame, regions: Sequence[Region]) -> None:
        """Look at these regions of the picture, if they are small and no arm's. Raises what the look raises."""
        w, h = frame.size_wh
        area = sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in regions)
        if not 0 < area <= MOST_AREA * w * h or at_edge(regions, frame.size_wh):
            return
        if self.at(frame, regions) is not None:
            self._ahead = self._ahead[-1:]
            return
        self.forget()
        self._begin(frame, tuple(regions)).result()

    def again(self, frame: Frame, before: Frame | None) -> None:
        """Begin to look where the picture `before` this one was looked at, if it was, and do not wait for it."""
        if len(self._ahead) == 1 and self._ahead[0].frame is before:
            self._begin(frame, self._ahead[0].regions)

    def at(self, frame: Frame, regions: Sequence[Region]) -> PictureReading | None:
        """The reading of these regions in this very picture; None where they were not all looked at. Raises what the
        look has raised."""
        for one in self._ahead:
            if one.frame is frame and all(any(_holds(outer, inner) for outer in one.regions) for inner in regions):
                return one.reading.result()
        return None

    def look(self, frame: Frame, regions: Sequence[Region]) -> PictureReading:
        """The reading of these regions in this picture; looks now, unless that was done. Raises what the look
        raises."""
        known = self.at(frame, regions)
        if known is not None:
            return known
        self.idle()
        return self._look(frame, regions)

    def idle(self) -> None:
        """Wait until no look is under way."""
        wait([one.reading for one in self._ahead])

    def forget(self) -> None:
        self.idle()
        self._ahead = []

    def _begin(self, frame: Frame, regions: tuple[Region, ...]) -> Future[PictureReading]:
        reading: Future[PictureReading] = Future()
        self._ahead.append(_Ahead(frame, regions, reading))

        def run() -> None:
            try:
                reading.set_result(self._look(frame, regions))
            except BaseException as problem:
                reading.set_exception(problem)

        # Never waited for at the program's end: the eye may hang.
        threading.Thread(target=run, name="glimpse", daemon=True).start()
        return reading


def _holds(outer: Region, inner: Region) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


class StillEye:
    """`look` and `look_again` of an `Eye`; the answers about the picture at hand are kept.

    >>> class Counting:
    ...     looks = 0
    ...
    ...     def look(self, image, *known):
    ...         self.looks += 1
    ...         return PictureReading((4, 3), ())
    >>> counting, image = Counting(), np.zeros((3, 4, 3), np.uint8)
    >>> eye = StillEye(counting)
    >>> [len(eye.look(image).tiles) for _ in range(3)], counting.looks
    ([0, 0, 0], 1)
    """

    def __init__(self, eye: Eye) -> None:
        self._eye = eye
        self._image: Image | None = None
        self._answers: dict[tuple[Any, ...], PictureReading] = {}

    def look(
        self,
        image: Image,
        tile_length_px: float | None = None,
        known: KnownSet | None = None,
        size: TileSize | None = None,
    ) -> PictureReading:
        key = ("whole", tile_length_px)
        answers = self._about(image)
        if key not in answers:
            answers[key] = self._eye.look(image, tile_length_px, known, size)
        return answers[key]

    def look_again(
        self,
        image: Image,
        regions: Sequence[Region],
        tile_length_px: float,
        known: KnownSet | None = None,
        size: TileSize | None = None,
    ) -> PictureReading:
        key = (tuple(regions), tile_length_px)
        answers = self._about(image)
        if key not in answers:
            answers[key] = self._eye.look_again(image, regions, tile_length_px, known, size)
        return answers[key]

    def _about(self, image: Image) -> dict[tuple[Any, ...], PictureReading]:
        if image is not self._image:
            self._image, self._answers = image, {}
        return self._answers


class TableReader:
    """The eye and what it has seen so far. `memory` is the table as it is believed to lie, `known` the set, where one
    is given, `own` the family's markers. Every method raises what the eye raises."""

    def __init__(
        self,
        eye: Eye,
        calibration: Calibration,
        setup: TableSetup,
        known: KnownSet | None,
        own: OwnMarkersHere | None = None,
    ) -> None:
        self.own = own or OwnMarkersHere()
        self.eye = eye
        self.calibration = calibration
        self.setup = setup
        self.known = known
        self.memory = TableMemory()
        self._shrunken = Thumbnails()
        self._bare = BackgroundModel()
        self._things = Blobs()
        self._ahead = Prefetch(self._look_at)
        self._colours: NDArray[np.float32] | None = None

    def read(self, frame: Frame, reading: TableReading, layout: Layout | None) -> list[Point]:
        """Look once more, at the whole table or where it changed, and remember what was seen. `layout` is the table on
        record. Returns where the markers lie that a look at the whole table shows."""
        boxes: tuple[BoxMm, ...] | None = None
        if reading.regions is None:
            self._ahead.idle()
            picture = self.eye.look(frame.image, self._length_px(), self.known, self._size())
        else:
            # Tiles cut by a region's edge read wrongly, so the eye gets more than is believed.
            picture = self._ahead.look(frame, self._wide(reading.regions, frame))
            boxes = tuple(box_mm(region, self.calibration) for region in reading.regions)
        looked = Looked(boxes, self.hidden(reading))
        seen = on_table(picture, self.calibration, self.setup.tile_mm, self.memory.hub)
        if seen.hub is not None and (self.memory.hub is None or boxes is None):
            self.memory.hub = seen.hub
        tiles = [tile for tile in seen.tiles if looked.covers(tile.center_mm)]
        tiles = without_prints(tiles, self.memory, self._places(frame))
        trains = self.setup.family is Family.MEXICAN
        lying = [*self._tiles(), *seen.tiles] if trains else []
        markers = [marker for marker in seen.markers if trains and looked.covers(marker.center_mm)]
        self.memory.under = under_the_next(layout)
        here = self._places(frame)
        if lying:
            markers = self.own.recognised(markers, lying, self.memory, looked, here, self.setup.tile_mm[0])
            markers = in_time(markers, lying, self.memory, looked, here)
        if reading.count == 1 and not self._things.forgotten:
            self.memory.read_anew(lambda place: self._things.changed(here.picture, place))
        self.memory.see(tiles, markers, looked, self.setup.tile_mm[1])
        return [marker.center_mm for marker in seen.markers] if boxes is None else []

    def let_go(self, frame: Frame) -> int:
        """Forget things that were looked for and are surely gone. Returns how many of the face-down tiles among them
        were no tiles."""
        return let_go(self.memory, self._places(frame))

    def backs(self) -> int:
        """How many tiles are believed to lie face down."""
        return sum(not track.seen.face_up for track in self.memory.tracks)

    def differing(self, frame: Frame, hidden: Sequence[BoxMm] = ()) -> tuple[Region, ...]:
        """Where a look at the whole table shows something else than is known to lie there; not in `hidden`."""
        self._ahead.idle()
        picture = self.eye.look(frame.image, self._length_px(), self.known, self._size())
        seen = on_table(picture, self.calibration, self.setup.tile_mm, self.memory.hub)
        places = self.memory.differing(
            seen.tiles,
            seen.markers,
            lambda place: self._things.changed(self._small(frame), place),
            self.setup.tile_mm[1],
        )
        places = [place for place in places if Looked(hidden=tuple(hidden)).covers(place)]
        return regions_at(places, self.setup.tile_mm[0], self.calibration, frame.size_wh)

    def hidden(self, reading: TableReading) -> tuple[BoxMm, ...]:
        """The places that an arm hides, half a tile's length wider, in mm."""
        return tuple(box_mm(region, self.calibration, self.setup.tile_mm[0] / 2) for region in reading.hidden)

    def overlooked_backs(self, frame: Frame) -> list[Point]:
        """Where the last look found tiles lying face down though nothing has changed: they were overlooked before."""
        memory = self.memory
        new = [one.seen for one in memory.tracks if one.born == memory.readings and not one.seen.face_up]
        places = [one.center_mm for one in new]
        changed = self._things.changes(self._small(frame), places) if places else ()
        return [place for place, other in zip(places, changed, strict=True) if not other]

    def things(self, frame: Frame) -> tuple[Sequence[Point], Sequence[Point]]:
        """Where something lies that was not recognised, and which of these lay there before what is new was laid."""
        places = self._things.now(self._small(frame), self._known())
        return places, [place for place in places if not self._things.recent(place)]

    def ask_about_marker(self, player: str, at: Point, frame: Frame, asks: Callable[[], bool]) -> None:
        """Let `asks` ask whether the thing at a place is this player's marker, and remember how it looks."""
        self.own.ask(player, at, self._places(frame), self.setup.tile_mm[0], asks)

    def unread_at(self, at: Point) -> SeenTile:
        """The place of a thing as an unread tile, to be photographed from close by."""
        side, (x, y) = self.setup.tile_mm[1], at
        corners = [(x - side / 2, y - side / 2), (x + side / 2, y - side / 2)]
        corners += [(x + side / 2, y + side / 2), (x - side / 2, y + side / 2)]
        a, b, c, d = ((float(u), float(v)) for u, v in self.calibration.to_px(np.array(corners, np.float64)))
        nothing = SeenHalf(None, 0.0)
        return SeenTile(at, 0.0, side, side, True, (nothing, nothing), 0.0, (a, b, c, d))

    def recoloured(self, frame: Frame) -> tuple[Region, ...]:
        """Where the picture has another colour, though it is no brighter or darker, since `keep`."""
        return () if self._colours is None else recoloured(self._colours, colours(frame), frame.size_wh)

    def view(self, frame: Frame) -> TableView:
        """The table as it is believed to lie now."""
        tiles, markers = tuple(self.memory.tiles()), tuple(self.memory.seen_markers())
        return TableView(tiles, markers, self.memory.hub, self.calibration.size_mm, frame.name)

    def begin_ahead(self, frame: Frame, regions: Sequence[Region]) -> None:
        """A hand has just left these regions: look there while nobody knows yet whether the table lies still."""
        self._ahead.take(frame, self._wide(regions, frame, MARGIN))
        self.prepare(frame)

    def ahead_again(self, frame: Frame, before: Frame | None) -> None:
        """The same look once more, where the picture `before` this one was looked at ahead."""
        self._ahead.again(frame, before)

    def prepare(self, frame: Frame) -> None:
        """Prepare the next reading of this picture, beside the look that is under way."""
        self._things.change(self._small(frame))

    def keep(self, frame: Frame) -> None:
        """The table lies as it is known: this is what later pictures are compared with."""
        self._ahead.forget()
        self._colours = colours(frame)
        picture, known = self._small(frame), self._known()
        self._bare.learn(picture, known)
        self._things.keep(picture, known)

    def forget(self) -> None:
        """Nothing that lay there counts any more."""
        self.memory = TableMemory()

    def moved(self, corners_px: NDArray[np.floating[Any]]) -> None:
        """The table's corners, (4, 2), are there now; the pictures kept may still be compared with."""
        known = self.calibration
        corners = np.asarray(corners_px, np.float32)
        self.calibration = Calibration.from_corners(corners, known.size_mm, known.tile_height_mm, known.lens)
        self._colours = None

    def find_again(self, frame: Frame) -> bool | None:
        """A photograph may be taken from another place than the one before: the tiles that lie there say where the
        table is in it. False where it was, True elsewhere; None: too few of them are found again to tell."""
        picture = self.eye.look(frame.image, self._length_px(), self.known, self._size())
        found = seen_from_elsewhere(picture, self.memory.tiles(), self.calibration)
        if found is None:
            return False if may_be_where_it_was(picture, self.calibration, self.setup.tile_mm[0]) else None
        moved, self.calibration = found is not self.calibration, found
        if moved:
            self._colours = None
            self.forget_pictures()
        return moved

    def forget_pictures(self) -> None:
        """The camera was moved: no earlier picture can be compared with a later one."""
        self._bare.forget()
        self._things.forget()

    def _small(self, frame: Frame) -> SmallPicture:
        return self._shrunken.of(frame, self.calibration)

    def _places(self, frame: Frame) -> StillLook:
        return StillLook(self._small(frame), self.setup.tile_mm[1], self._things, self._bare)

    def _wide(self, regions: Sequence[Region], frame: Frame, more: float = 0.0) -> tuple[Region, ...]:
        """The regions and what lies around them, `more` tile lengths more than is needed."""
        return united([grown(region, (0.8 + more) * self._length_px(), frame.size_wh) for region in regions])

    def _look_at(self, frame: Frame, wide: Sequence[Region]) -> PictureReading:
        return self.eye.look_again(frame.image, wide, self._length_px(), self.known, self._size())

    def _length_px(self) -> float:
        return in_steps(self.calibration.px_per_mm * self.setup.tile_mm[0])

    def _size(self) -> TileSize:
        return TileSize(self.calibration, self.setup.tile_mm[:2])

    def _known(self) -> list[SeenTile]:
        side = self.setup.tile_mm[1]
        return [*self._tiles(), *(square_of(marker.seen, side) for marker in self.memory.markers)]

    def _tiles(self) -> list[SeenTile]:
        return [track.seen for track in self.memory.tracks]
