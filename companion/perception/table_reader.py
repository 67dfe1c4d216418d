"""What the eye finds in a picture, taken into the memory of the table: what lies there, where it has changed.

Pixels in, millimetres out. It knows nothing of a change that somebody is waiting for, and nothing of a game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.geometry import Layout, TableSetup, under_the_next
from companion.geometry.table_setup import Family
from companion.geometry.table_view import Point, SeenHalf, SeenTile, TableView
from companion.perception.background import BackgroundModel
from companion.perception.blobs import Blobs
from companion.perception.colour import colours, recoloured
from companion.perception.lifted import Places, let_go, without_prints
from companion.perception.marker_evidence import in_time
from companion.perception.own_markers import OwnMarkersHere
from companion.perception.prefetch import MARGIN, Prefetch
from companion.perception.projection import BoxMm, box_mm, grown, on_table, regions_at, square_of, united
from companion.perception.same_table import may_be_where_it_was, seen_from_elsewhere
from companion.perception.settings import Reading
from companion.perception.thumbnails import Thumbnails
from companion.perception.tracks import Looked, TableMemory
from vision.calibration import Calibration
from vision.eye import Eye, Region
from vision.frame import Frame
from vision.known_set import KnownSet
from vision.reading import PictureReading
from vision.tile_size import TileSize, in_steps


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
        shrunken = Thumbnails()
        self._bare = BackgroundModel(shrunken=shrunken)
        self._things = Blobs(shrunken=shrunken)
        self._ahead = Prefetch(self._look_at)
        self._colours: NDArray[np.float32] | None = None

    def read(self, frame: Frame, reading: Reading, layout: Layout | None) -> list[Point]:
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
            self.memory.read_anew(lambda place: self._things.changed(frame.image, place, self.calibration))
        self.memory.see(tiles, markers, looked, self.setup.tile_mm[1])
        return [marker.center_mm for marker in seen.markers] if boxes is None else []

    def let_go(self, frame: Frame) -> int:
        """Forget what was looked for and is surely gone. Returns how many of those that lay face down were none."""
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
            lambda place: self._things.changed(frame.image, place, self.calibration),
            self.setup.tile_mm[1],
        )
        places = [place for place in places if Looked(hidden=tuple(hidden)).covers(place)]
        return regions_at(places, self.setup.tile_mm[0], self.calibration, frame.size_wh)

    def hidden(self, reading: Reading) -> tuple[BoxMm, ...]:
        """The places that an arm hides, half a tile's length wider, in mm."""
        return tuple(box_mm(region, self.calibration, self.setup.tile_mm[0] / 2) for region in reading.hidden)

    def overlooked_backs(self, frame: Frame) -> int:
        """Tiles lying face down that the last look found where nothing has changed: they were overlooked before."""
        memory = self.memory
        new = [one.seen for one in memory.tracks if one.born == memory.readings and not one.seen.face_up]
        if not new:
            return 0
        return self._things.changes(frame.image, [one.center_mm for one in new], self.calibration).count(False)

    def things(self, frame: Frame) -> tuple[Sequence[Point], Sequence[Point]]:
        """Where something lies that was not recognised, and which of these lay there before what is new was laid."""
        places = self._things.now(frame.image, self._known(), self.calibration)
        return places, [place for place in places if not self._things.recent(place)]

    def ask_about_marker(self, player: str, at: Point, frame: Frame, asks: Callable[[], bool]) -> None:
        """Let `asks` ask whether the thing at a place is this player's marker, and remember how it looks."""
        self.own.ask(player, at, self._places(frame), self.setup.tile_mm[0], asks)

    def unread_at(self, at: Point) -> SeenTile:
        """The place of a thing, as a tile of which nothing is read, to be photographed from close by."""
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
        """What a reading of this picture will need, made beside the look that is under way."""
        self._things.prepare(frame)

    def keep(self, frame: Frame) -> None:
        """The table lies as it is known: this is what later pictures are compared with."""
        self._ahead.forget()
        self._colours = colours(frame)
        known = self._known()
        self._bare.learn(frame.image, known, self.calibration)
        self._things.keep(frame.image, known, self.calibration)

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

    def _places(self, frame: Frame) -> Places:
        return Places(frame.image, self.calibration, self.setup.tile_mm[1], self._things, self._bare)

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
