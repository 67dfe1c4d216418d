"""Things that are no longer found: taken away, or only overlooked?

Markers over time: one look at a place is one term, the change there since the table lay still is another.

The same button scores .02 in one picture and .79 in the next, and moves in neither. So a marker that was seen to come
lies there until its place changes; a small thing that came to lie beside a train is one until shown otherwise; and one
that is missing where its train has grown stands on the new tile.

The family's own markers at the table: recognised by their looks, learned where somebody says that one is theirs.

Markers that nobody recognised: things beside trains count as markers where that would clear somebody of a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from companion.geometry import Layout, TableSetup, owners_of
from companion.geometry.diff import SURE_TILE
from companion.geometry.hub import outside
from companion.geometry.joints import distance
from companion.geometry.layout import Point, SeenHub, SeenMarker, SeenTile
from companion.geometry.trains import SLOT_DEPTH
from companion.perception.background import BackgroundModel, Blobs, Difference, SmallPicture
from companion.perception.projection import (
    LEAST_KEPT_CONFIDENCE,
    LEAST_THING_CONFIDENCE,
    MOST_OVERLAP,
    free_part,
    inside,
    overlap,
    square_of,
)
from companion.perception.tracks import ABSENT, MARKER_REACH_MM, PLAIN, Came, Looked, MarkerTrack, TableMemory, Track
from vision.own_markers import OF_A_TILE, ColouredPicture, MarkerLook, OwnMarkers

READ_SURELY = 0.97
"""A half that the last look read this surely has no marker on it."""
ALL_OF_IT, HALF_OF_IT, LITTLE = 0.8, 0.5, 0.3
"""A tile that is taken away changes nearly all of its place, half of it where the cloth has its colours, and little of
what lies around it: its shadow, a nudge. A coin on a tile changes up to 0.7 of it, and looks like no cloth."""
LEAST_FREE = 0.3
"""At least this share of a marker's place has to reach over the tiles' edges before the table there says anything."""


@dataclass(frozen=True, slots=True)
class StillLook:
    """One look at a still table."""

    picture: SmallPicture
    side_mm: float
    """A tile's width, which is about that of pegs and coins."""
    things: Blobs
    bare: BackgroundModel

    def px(self, place: Point) -> Point:
        """The point of the small picture, between its pixels, at which a place of the table is seen."""
        x, y = self.picture.calibration.to_px(np.array([place], np.float64))[0] * self.picture.scale
        return float(x), float(y)

    def coloured(self, length_mm: float) -> ColouredPicture:
        """The small picture as markers are looked for in it; `length_mm`: a tile's."""
        return ColouredPicture.of(self.picture.points, self.picture.px_per_mm * length_mm / OF_A_TILE)

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
        if not self.things.changed(self.picture, place.center_mm):
            return False
        others = (one for one in markers if one is not marker and one.missing == 0)
        if any(distance(one.seen.center_mm, place.center_mm) < self.side_mm * 1.5 for one in others):
            return True
        under = [tile for tile in tiles if overlap(place, tile) > MOST_OVERLAP]
        if any(map(self.things.lay, under)):
            went = self.things.went(self.picture, place.center_mm)
            upon = free_part(place, under)[0] < LEAST_FREE
            read = upon and any(_reads(tile, place.center_mm) for tile in under)
            bared = marker.seen.recognised if self.things.forgotten else self._only_here(place, tiles)
            return went or (read and bared) or self._lifted(place, tiles) or self._table_shows(place, under, tiles)
        if under or self.bare.is_bare(self.picture, place, tiles, beside=tiles):
            return True
        beside = [tile for tile in found if overlap(place, tile) > 0 and self.things.lay(tile)]
        if len(beside) > 1 and self.things.went(self.picture, place.center_mm):
            return True
        return self._only_here(place, tiles)

    def _only_here(self, place: SeenTile, tiles: Sequence[SeenTile]) -> bool:
        fresh = [tile for tile in tiles if not self.things.lay(tile)]
        return self.things.only_here(self.picture, place.center_mm, fresh)

    def _lifted(self, place: SeenTile, tiles: Sequence[SeenTile]) -> bool:
        """Was a thing of a marker's size taken away here?"""
        lifted = self.things.lifted(self.picture, tiles)
        return any(distance(one, place.center_mm) <= MARKER_REACH_MM for one in lifted)

    def _table_shows(self, place: SeenTile, under: Sequence[SeenTile], tiles: Sequence[SeenTile]) -> bool:
        """Is what of a marker's place reaches over the tiles' edges the table's now, and was not before?"""
        free, middle = free_part(place, under)
        if free < LEAST_FREE:
            return False
        changed = self.things.changed(self.picture, middle)
        return changed and self.bare.is_bare(self.picture, place, tiles, beside=under)


def _reads(tile: SeenTile, place: Point) -> bool:
    """Is the half of this tile that is nearest to a place read surely now?"""
    if tile.halves is None:
        return False
    half = tile.halves[min((0, 1), key=lambda n: distance(place, tile.end_mm(n)))]
    return half.value is not None and half.p >= READ_SURELY


def _lay(track: Track, memory: TableMemory) -> bool:
    """Did this lie there when the table was last still? A new thing has changed its place by coming."""
    return memory.known is None or track.born <= memory.known


def _taken(track: Track, missing: Sequence[Track], rest: Sequence[SeenTile], place: StillLook) -> bool:
    """Was this tile, which lay face down, taken away? Every look since shows none there, and nothing else changed:
    nearly all of its place has, whatever its cloth looks like, or half of it, and the rest looks like the table."""
    shares = _shares(track, missing, place)
    if track.seen.face_up or shares is None or shares[1] > LITTLE or shares[0] < HALF_OF_IT:
        return False
    return shares[0] >= ALL_OF_IT or place.bare.among_the_table(place.picture, track.seen, rest) > 0


def _shares(track: Track, missing: Sequence[Track], place: StillLook) -> tuple[float, float] | None:
    others = [one.seen for one in missing if one is not track]
    return place.things.shares(place.picture, track.seen, others)


def _was_none(track: Track, missing: Sequence[Track], place: StillLook) -> bool:
    """Was this no tile? The eye took it faintly for one lying face down, and finds none where nothing has changed."""
    shares = _shares(track, missing, place)
    faint = not track.seen.face_up and track.seen.confidence < SURE_TILE
    return faint and shares is not None and max(shares) <= LITTLE


def without_prints(tiles: Sequence[SeenTile], memory: TableMemory, place: StillLook) -> list[SeenTile]:
    """The tiles of a look, without a print that came to light where a tile lay face down. Such a print passes for an
    unread tile or, faintly, for another back, though the bare table looks like that."""
    lying = [track.seen for track in memory.tracks]
    backs = [one for one in lying if not one.face_up]

    def is_print(tile: SeenTile) -> bool:
        if not _may_be_print(tile):
            return False
        back = next((one for one in (*backs, *memory.bared) if overlap(tile, one) > MOST_OVERLAP), None)
        gave_way = back is not None and _gave_way(tile, back, place)
        if back is None or (not tile.face_up and back in backs and not gave_way):
            return False
        others = [one for one in lying if one is not back]
        bare = place.bare.is_bare(place.picture, back, others)
        return bare or (gave_way and place.bare.among_the_table(place.picture, back, others) > 0)

    return [tile for tile in tiles if not is_print(tile)]


def _may_be_print(tile: SeenTile) -> bool:
    if tile.face_up:
        return all(half.value is None for half in tile.halves or ())
    return tile.confidence < SURE_TILE


def _gave_way(faint: SeenTile, back: SeenTile, place: StillLook) -> bool:
    """Is what was surely a tile lying face down only faintly one, now that its place has changed?"""
    if not back.confidence >= SURE_TILE > faint.confidence:
        return False
    shares = place.things.shares(place.picture, back, ())
    return shares is not None and shares[0] >= HALF_OF_IT


def let_go(memory: TableMemory, place: StillLook) -> int:
    """Drop the things that are no longer found and whose place is bare, or was left by a back that was taken away. The
    rest is hidden and stays. Returns how many of the face-down tiles dropped were no tiles."""
    missing, lost = memory.missing(), memory.missing_markers()
    if not missing and not lost:
        return 0
    rest = [track.seen for track in memory.tracks if all(track is not one for one in missing)]
    gone = [
        one
        for one in missing
        if place.bare.is_bare(place.picture, one.seen, rest)
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


BESIDE = 1.5
"""Tile widths from a tile of a train within which a thing that came may be its marker."""

SLOT = 1.0
"""Tile widths inside a hub's rim, and around the place of a first tile outside it, where the marker of a train that has
not begun lies."""

MOVED_MM = 85.0
"""How far a marker moves with its train when a tile is laid: by a tile's length, and from one side to the other."""


def in_time(
    markers: Sequence[SeenMarker],
    tiles: Sequence[SeenTile],
    memory: TableMemory,
    looked: Looked,
    place: StillLook,
) -> list[SeenMarker]:
    """The markers of one look and those that this look missed; what has moved with its train is moved in `memory`.

    `tiles` are all that lie there by this look and by what is known.
    """
    lifted = _lifted(markers, tiles, memory, place)
    # A faint find keeps no marker where a thing was taken away; without any find one look is enough.
    markers = [one for one in markers if one.confidence >= LEAST_THING_CONFIDENCE or not _at_any(one.center_mm, lifted)]
    found = [*markers, *_lying(markers, memory, looked, place)]
    fresh = [tile for tile in tiles if tile.face_up and not place.things.lay(tile)]
    for track in _lost(found, memory, looked, place):
        new = _moved_to(track, found, fresh, memory, place)
        if new is not None:
            track.seen = new
            found = [one for one in found if one is not new] + [new]
        elif _at_any(track.seen.center_mm, lifted):
            track.missing = max(track.missing, ABSENT - 1)
    lie = [track.seen for track in memory.markers if track.born <= (memory.known or 0)]
    stay = [one for one in found if _near(one.center_mm, lie)]
    others = [one for one in found if not _near(one.center_mm, lie)]
    things = place.things.came(place.picture, tiles)
    places = [one.place for one in things if one.now - one.before >= PLAIN]
    # Something stands where one stood: the same one, pushed a little.
    pushed = [one for one in lie if not _near(one.center_mm, stay) and _at_any(one.center_mm, places)]
    return [*stay, *pushed, *_arrived(others, things, tiles, fresh, memory, looked, place)]


def _near(place: Point, markers: Sequence[SeenMarker]) -> bool:
    return any(distance(place, one.center_mm) <= MARKER_REACH_MM for one in markers)


def _lifted(
    markers: Sequence[SeenMarker], tiles: Sequence[SeenTile], memory: TableMemory, place: StillLook
) -> list[Point]:
    """Where a thing was just taken away, where the eye is not sure of every marker that lay there."""
    sure = [one for one in markers if one.confidence >= LEAST_THING_CONFIDENCE]
    if all(_near(track.seen.center_mm, sure) for track in memory.markers):
        return []
    return place.things.lifted(place.picture, tiles)


def _lying(markers: Sequence[SeenMarker], memory: TableMemory, looked: Looked, place: StillLook) -> list[SeenMarker]:
    """Those seen to come that this look has not found, though nothing has changed at their places since."""
    return [
        track.seen
        for track in memory.markers
        if track.came
        and not track.hidden
        and looked.covers(track.seen.center_mm)
        and not _near(track.seen.center_mm, markers)
        and not place.things.changed(place.picture, track.seen.center_mm)
    ]


def _lost(found: Sequence[SeenMarker], memory: TableMemory, looked: Looked, place: StillLook) -> list[MarkerTrack]:
    """Those whose places have changed and show no marker."""
    return [
        track
        for track in memory.markers
        if looked.covers(track.seen.center_mm)
        and not _near(track.seen.center_mm, found)
        and not place.things.forgotten
        and place.things.changed(place.picture, track.seen.center_mm)
    ]


def _moved_to(
    track: MarkerTrack, found: Sequence[SeenMarker], fresh: Sequence[SeenTile], memory: TableMemory, place: StillLook
) -> SeenMarker | None:
    """Where this marker stands now: at the nearest sure find, else at the nearest however faint, that is not another's
    and where something has changed; else on the unread half of a tile that has come. None where neither is near."""
    others = [one.seen for one in memory.markers if one is not track]
    was = track.seen.center_mm
    offers = [
        one
        for one in found
        if distance(one.center_mm, was) <= MOVED_MM
        and one.confidence >= LEAST_KEPT_CONFIDENCE
        and not _near(one.center_mm, others)
        and _changed(one.center_mm, fresh, place)
    ]
    if offers:
        new = min(offers, key=lambda one: (one.confidence < LEAST_THING_CONFIDENCE, distance(one.center_mm, was)))
        return replace(new, confidence=max(new.confidence, LEAST_THING_CONFIDENCE), recognised=track.seen.recognised)
    halves = [middle for tile in fresh for middle in _unread_halves(tile) if distance(middle, was) <= MOVED_MM]
    if not halves:
        return None
    middle = min(halves, key=lambda one: distance(one, was))
    return SeenMarker(middle, LEAST_THING_CONFIDENCE, recognised=False)


def _changed(spot: Point, fresh: Sequence[SeenTile], place: StillLook) -> bool:
    """A pattern on the cloth has not changed because a tile was laid on part of it."""
    return place.things.changed(place.picture, spot) and not place.things.is_print(place.picture, spot, fresh)


def _unread_halves(tile: SeenTile) -> list[Point]:
    """The middles of unread halves, where the other half is read."""
    if tile.halves is None or tile.halves[0].value is tile.halves[1].value is None:
        return []
    return [middle for middle, half in zip(tile.halves_mm, tile.halves, strict=True) if half.value is None]


def _arrived(
    found: Sequence[SeenMarker],
    things: Sequence[Difference],
    tiles: Sequence[SeenTile],
    fresh: Sequence[SeenTile],
    memory: TableMemory,
    looked: Looked,
    place: StillLook,
) -> list[SeenMarker]:
    """Markers among the finds of the eye and the things that came: those whose places, in all pictures, make a marker
    likelier than none."""
    if place.things.forgotten:
        return list(found)
    up = [tile for tile in tiles if tile.face_up]
    lie = [track.seen for track in memory.markers if track.born <= (memory.known or 0)]
    scores = {one.center_mm: one for one in sorted(found, key=lambda one: one.confidence)}
    new: list[SeenMarker] = []
    memory.forget_weighed(lambda spot: place.things.changed(place.picture, spot))
    for spot in [*reversed(scores), *(one.place for one in things)]:
        if not looked.covers(spot) or not inside(spot, place.picture.calibration) or _near(spot, [*lie, *new]):
            continue
        changed = _changed(spot, fresh, place)
        weighed = memory.weighed_at(spot)
        if not changed and weighed is None:
            continue  # nobody put it there
        seen = scores.get(spot)
        came = _what_came(spot, things, up, memory, place) if changed else None
        weighed = weighed or memory.weigh(spot)
        weighed.add(0.0 if seen is None else seen.confidence, came)
        if weighed.odds > 0.0:
            new.append(_believed(spot, seen))
    # A thing that waits there for its owner, or a print, came with nobody's hand.
    memory.parked = tuple(spot for spot in memory.parked if not _at_any(spot, [one.place for one in things]))
    return new


def _believed(spot: Point, seen: SeenMarker | None) -> SeenMarker:
    """The marker to believe in at this place. One that the eye does not surely know counts until shown otherwise."""
    if seen is None or seen.confidence < LEAST_THING_CONFIDENCE:
        return SeenMarker(spot, LEAST_THING_CONFIDENCE, recognised=False)
    return seen


def _what_came(
    spot: Point,
    things: Sequence[Difference],
    up: Sequence[SeenTile],
    memory: TableMemory,
    place: StillLook,
) -> Came:
    here = [one for one in things if distance(one.place, spot) <= MARKER_REACH_MM]
    return Came(
        stands_out=max((one.now - one.before for one in here), default=0.0),
        shade=any(one.shade for one in here),
        around=place.things.around(place.picture, spot),
        at_train=at_a_train(spot, up, memory.hub, place.side_mm),
        several=len(things) > 1,
        bared=place.things.bared(spot),
    )


def _at_any(place: Point, things: Sequence[Point]) -> bool:
    return any(distance(place, thing) <= MARKER_REACH_MM for thing in things)


def at_a_train(thing: Point, up: Sequence[SeenTile], hub: SeenHub | None, width: float) -> bool:
    """Does this lie beside a tile of a train, or where a first one will lie at the hub?"""
    if any(outside(tile, thing) <= BESIDE * width for tile in up):
        return True
    if hub is None:
        return False
    outward = (distance(thing, hub.center_mm) - hub.radius_mm) / width
    return -SLOT <= outward <= SLOT_DEPTH + SLOT


KNOWN = 0.97
"""How surely a place shows a marker that looks like one of the family's."""


@dataclass(slots=True)
class OwnMarkersHere:
    """The family's own markers at this table."""

    own: OwnMarkers = field(default_factory=OwnMarkers)
    """Those that are known."""
    learned: Callable[[OwnMarkers], None] = lambda own: None
    """Called with them after each change."""
    _asked: dict[str, tuple[Point, MarkerLook]] = field(default_factory=dict)
    """Player -> where and how the thing looks that may be theirs, while nobody has said."""

    def knows(self, player: str) -> bool:
        return any(look.owner == player for look in self.own.looks)

    def waits_for(self, player: str) -> bool:
        """Whether somebody has been asked about this player's marker and has not answered."""
        return player in self._asked

    def recognised(
        self,
        markers: Sequence[SeenMarker],
        tiles: Sequence[SeenTile],
        memory: TableMemory,
        looked: Looked,
        place: StillLook,
        length_mm: float,
    ) -> list[SeenMarker]:
        """The markers of one look with those known for what they are, and those that nobody else has found."""
        if not self.own.looks:
            return list(markers)
        coloured, calibration = place.coloured(length_mm), place.picture.calibration
        found = []
        for one in markers:
            shown = self.own.at(coloured, place.px(one.center_mm))
            found.append(one if shown is None else _known(one, shown[0]))
        up = [tile for tile in tiles if tile.face_up]
        for at, look in self.own.search(coloured, place.things.changed_places(place.picture)):
            x, y = calibration.to_mm(np.array([at], np.float64) / place.picture.scale)[0]
            here = float(x), float(y)
            lie = [one.center_mm for one in found if one.confidence >= LEAST_THING_CONFIDENCE]
            if (
                looked.covers(here)
                and inside(here, calibration)
                and all(distance(here, other) > MARKER_REACH_MM for other in (*lie, *memory.parked))
                and at_a_train(here, up, memory.hub, place.side_mm)
            ):
                found.append(_known(SeenMarker(here, KNOWN), look))
        return found

    def ask(
        self, player: str, at: Point, place: StillLook, length_mm: float, asks: Callable[[], bool] = lambda: True
    ) -> None:
        """Let `asks` ask whether the thing at a place is this player's marker, where an answer would tell it from its
        ground: a shadow is not asked about."""
        look = place.coloured(length_mm).learn(place.px(at), player)
        if look.useful and asks():
            self._asked[player] = at, look

    def answered(self, answers: Mapping[str, bool], memory: TableMemory) -> bool:
        """Take in what people have said by now; whether that changes what lies there."""
        heard = False
        for player, theirs in answers.items():
            if player not in self._asked:
                continue
            at, look = self._asked.pop(player)
            near = [one for one in memory.markers if distance(one.seen.center_mm, at) <= MARKER_REACH_MM]
            memory.drop_markers(near)
            if theirs:
                seen = _known(SeenMarker(near[0].seen.center_mm if near else at, KNOWN), look)
                memory.markers.append(MarkerTrack(seen, 1, came=True, born=memory.readings))
                self.own = self.own.with_one(look)
                self.learned(self.own)
            else:
                memory.parked = (*memory.parked, at)
            heard = True
        return heard


def _known(marker: SeenMarker, look: MarkerLook) -> SeenMarker:
    return replace(marker, confidence=max(KNOWN, marker.confidence), recognised=True, known=True, owner=look.owner)


@dataclass(slots=True)
class PresumedMarkers:
    """Things that may be markers, though nobody has said so."""

    perhaps: Mapping[str, Point] = field(default_factory=dict)
    """Player -> the thing beside their train that may be their marker."""
    held: dict[str, MarkerTrack] = field(default_factory=dict)
    """Player -> the thing that stands on record as their marker."""

    def nothing(self) -> frozenset[str]:
        """Nobody's marker is missed."""
        self.perhaps = {}
        return frozenset()

    def look(
        self,
        places: Sequence[Point],
        old: Collection[Point],
        played_on: Collection[str],
        setup: TableSetup,
        before: Layout | None,
        layout: Layout,
    ) -> frozenset[str]:
        """The players whose marker one of the things at `places` may be; those at `old` places only for the owners of
        the trains `played_on`."""
        found: dict[str, Point] = {}
        for place in places:
            marker = SeenMarker(place, LEAST_THING_CONFIDENCE)
            owners = owners_of(marker, layout, setup, before) - layout.markers
            found |= dict.fromkeys(owners if place not in old else owners & set(played_on), place)
        self.perhaps = found
        return frozenset(found)

    def take(self, marked: Collection[str], memory: TableMemory) -> None:
        """Watch the things that are now on record as somebody's marker."""
        for player in self.perhaps.keys() & set(marked):
            track = MarkerTrack(SeenMarker(self.perhaps[player], LEAST_THING_CONFIDENCE, recognised=False), 1)
            memory.markers.append(track)
            self.held[player] = track
        self.perhaps = {}

    def drop_needless(self, memory: TableMemory, setup: TableSetup, before: Layout | None, layout: Layout) -> bool:
        """Drop things that counted as the marker of somebody who has another one after all. Were there any?

        A thing on a tile is dropped only for a recognised marker that still lies there: a missing one may have been
        moved onto the tile.
        """

        def owners(track: MarkerTrack) -> frozenset[str]:
            return owners_of(track.seen, layout, setup, before)

        gone = []
        for player, track in list(self.held.items()):
            if not any(one is track for one in memory.markers):
                del self.held[player]
            elif any(player in owners(one) for one in memory.markers if one is not track):
                del self.held[player]
                gone.append(track)
        unknown = [one for one in memory.markers if not one.seen.recognised]
        if unknown:
            plain = [owners(one) for one in memory.markers if one.seen.recognised and one.missing == 0]
            sure = frozenset[str]().union(*plain)
            held = list(self.held.values())
            gone += [one for one in unknown if owners(one) & sure and not any(one is track for track in [*held, *gone])]
        memory.drop_markers(gone)
        return bool(gone)
