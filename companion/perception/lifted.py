"""What is not found any more: was it taken away, or only overlooked where it lies?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.geometry.diff import SURE_TILE
from companion.geometry.joints import distance
from companion.geometry.table_view import Point, SeenTile
from companion.perception.background import BackgroundModel
from companion.perception.blobs import Blobs
from companion.perception.projection import MOST_OVERLAP, free_part, overlap, square_of
from companion.perception.tracks import MARKER_REACH_MM, MarkerTrack, TableMemory, Track
from vision.calibration import Calibration
from vision.frame import Image

READ_SURELY = 0.97
"""A half of which the last look is so sure has no marker on it."""
ALL_OF_IT, HALF_OF_IT, LITTLE = 0.8, 0.5, 0.3
"""A tile that is taken away changes nearly all of its place, half of it where the cloth has its colours, and little of
what lies around it: its shadow, a nudge. A coin on a tile changes up to 0.7 of it, and looks like no cloth."""
LEAST_FREE = 0.3
"""So much of a marker's place has to reach over the tiles' edges before the table there says anything."""


@dataclass(frozen=True, slots=True)
class Places:
    """One look at a still table; `side_mm` is a tile's width, about that of pegs and coins."""

    image: Image
    calibration: Calibration
    side_mm: float
    things: Blobs
    bare: BackgroundModel

    def is_empty(
        self,
        marker: MarkerTrack,
        markers: Sequence[MarkerTrack],
        tiles: Sequence[SeenTile],
        found: Sequence[SeenTile] = (),
    ) -> bool:
        """Is the place of a marker bare, or taken by a tile or by the marker itself, pushed aside?

        One that lies on a tile has left it where that place looks quite different, where the table shows beside it, or
        where the half on which all of it stood is read surely and nothing else changed; without an earlier picture, if
        it was surely a marker.
        So has one that lay between two tiles which are `found` where they lay: what hid it would hide them.
        """
        place = square_of(marker.seen, self.side_mm)
        if not self.things.changed(self.image, place.center_mm, self.calibration):
            return False
        others = (one for one in markers if one is not marker and one.missing == 0)
        if any(distance(one.seen.center_mm, place.center_mm) < self.side_mm * 1.5 for one in others):
            return True
        under = [tile for tile in tiles if overlap(place, tile) > MOST_OVERLAP]
        if any(map(self.things.lay, under)):
            went = self.things.went(self.image, place.center_mm, self.calibration)
            upon = free_part(place, under)[0] < LEAST_FREE
            read = upon and any(_reads(tile, place.center_mm) for tile in under)
            bared = marker.seen.recognised if self.things.forgotten else self._only_here(place, tiles)
            return went or (read and bared) or self._lifted(place, tiles) or self._table_shows(place, under, tiles)
        if under or self.bare.is_bare(self.image, place, tiles, self.calibration, beside=tiles):
            return True
        beside = [tile for tile in found if overlap(place, tile) > 0 and self.things.lay(tile)]
        if len(beside) > 1 and self.things.went(self.image, place.center_mm, self.calibration):
            return True
        return self._only_here(place, tiles)

    def _only_here(self, place: SeenTile, tiles: Sequence[SeenTile]) -> bool:
        fresh = [tile for tile in tiles if not self.things.lay(tile)]
        return self.things.only_here(self.image, place.center_mm, self.calibration, fresh)

    def _lifted(self, place: SeenTile, tiles: Sequence[SeenTile]) -> bool:
        """Was a thing of a marker's size taken away here?"""
        lifted = self.things.lifted(self.image, tiles, self.calibration)
        return any(distance(one, place.center_mm) <= MARKER_REACH_MM for one in lifted)

    def _table_shows(self, place: SeenTile, under: Sequence[SeenTile], tiles: Sequence[SeenTile]) -> bool:
        """Is what of a marker's place reaches over the tiles' edges the table's now, and was not before?"""
        free, middle = free_part(place, under)
        if free < LEAST_FREE:
            return False
        changed = self.things.changed(self.image, middle, self.calibration)
        return changed and self.bare.is_bare(self.image, place, tiles, self.calibration, beside=under)


def _reads(tile: SeenTile, place: Point) -> bool:
    """Is the half of this tile that is nearest to a place read surely now?"""
    if tile.halves is None:
        return False
    half = tile.halves[min((0, 1), key=lambda n: distance(place, tile.end_mm(n)))]
    return half.value is not None and half.p >= READ_SURELY


def _lay(track: Track, memory: TableMemory) -> bool:
    """Did this lie there when the table was still last? What has just come has changed its place by coming."""
    return memory.known is None or track.born <= memory.known


def _taken(track: Track, missing: Sequence[Track], rest: Sequence[SeenTile], place: Places) -> bool:
    """Was this tile, which lay face down, taken away? Every look since shows none there, and nothing else changed:
    nearly all of its place has, whatever its cloth looks like, or half of it, and the rest looks like the table."""
    shares = _shares(track, missing, place)
    if track.seen.face_up or shares is None or shares[1] > LITTLE or shares[0] < HALF_OF_IT:
        return False
    where = place.image, track.seen, rest, place.calibration
    return shares[0] >= ALL_OF_IT or place.bare.is_among_the_table(*where)


def _shares(track: Track, missing: Sequence[Track], place: Places) -> tuple[float, float] | None:
    others = [one.seen for one in missing if one is not track]
    return place.things.shares(place.image, track.seen, others, place.calibration)


def _was_none(track: Track, missing: Sequence[Track], place: Places) -> bool:
    """Was this no tile? The eye took it faintly for one lying face down, and finds none where nothing has changed."""
    shares = _shares(track, missing, place)
    faint = not track.seen.face_up and track.seen.confidence < SURE_TILE
    return faint and shares is not None and max(shares) <= LITTLE


def without_prints(tiles: Sequence[SeenTile], memory: TableMemory, place: Places) -> list[SeenTile]:
    """Of what a look finds the tiles without the print that came to light where one lay face down: it passes for a tile
    of which nothing is read, or faintly for another back, and the table looks like that."""
    lying = [track.seen for track in memory.tracks]
    backs = [one for one in lying if not one.face_up]

    def is_print(tile: SeenTile) -> bool:
        if not _may_be_print(tile):
            return False
        back = next((one for one in (*backs, *memory.bared) if overlap(tile, one) > MOST_OVERLAP), None)
        if back is None or (not tile.face_up and back in backs and not _gave_way(tile, back, place)):
            return False
        others = [one for one in lying if one is not back]
        return place.bare.is_bare(place.image, back, others, place.calibration)

    return [tile for tile in tiles if not is_print(tile)]


def _may_be_print(tile: SeenTile) -> bool:
    if tile.face_up:
        return all(half.value is None for half in tile.halves or ())
    return tile.confidence < SURE_TILE


def _gave_way(faint: SeenTile, back: SeenTile, place: Places) -> bool:
    """Is what was surely a tile lying face down only faintly one, now that its place has changed?"""
    shares = place.things.shares(place.image, back, (), place.calibration)
    return back.confidence >= SURE_TILE > faint.confidence and shares is not None and shares[0] >= HALF_OF_IT


def let_go(memory: TableMemory, place: Places) -> int:
    """Of what is not found any more that is gone whose place is bare, or was left by a back that was taken away; the
    rest is hidden and stays. Returns how many of those that lay face down were none."""
    missing, lost = memory.missing(), memory.missing_markers()
    if not missing and not lost:
        return 0
    rest = [track.seen for track in memory.tracks if all(track is not one for one in missing)]
    gone = [
        one
        for one in missing
        if place.bare.is_bare(place.image, one.seen, rest, place.calibration)
        or (_lay(one, memory) and _taken(one, missing, rest, place))
    ]
    none = sum(_was_none(one, missing, place) for one in gone)
    memory.take(gone)
    memory.forgive(missing)
    if lost:
        tiles, markers = [track.seen for track in memory.tracks], memory.markers
        memory.drop_markers([one for one in lost if place.is_empty(one, markers, tiles, rest)])
        memory.forgive(lost)
        for one in lost:
            one.hidden = True
    return none
