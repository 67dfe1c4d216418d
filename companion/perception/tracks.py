"""Did a marker come to lie here? One sum of the evidence of all pictures, for it and against.

Each term is a logarithm of odds: how the eye reads the place, and what happened there when it last changed. None of
them decides alone: a ring looks like the print around it, and a glass is as round as a button.

Finds across the seam of two neighbours: the half of one tile and the half of the next, taken for a tile.

Chinese tiles have no divider, so that 6:2 2:4 may be read as 2:2, and surely. A tile cannot lie half over one that is
known to lie there.

The things on the table, from many readings: none appears by one reading, and none disappears unless it is gone.

Several readings of one half are averaged as log-probabilities: pictures of one still table share their errors, so three
half-sure readings are one half-sure reading, and a wavering one ends unread and not wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from companion.geometry.hub import outside
from companion.geometry.identity import LEANING, SAME_PLACE, identify, turned_like
from companion.geometry.joints import distance
from companion.geometry.layout import PlacedTile, Point, SeenHalf, SeenHub, SeenMarker, SeenTile, leans_from, turn
from companion.perception.projection import LEAST_THING_CONFIDENCE, MOST_OVERLAP, overlap

LEAST_SCORE, MOST_SCORE = 0.1, 0.97
"""The eye's confidence counts between these: what it does not report at all is below its own least."""

PLAIN, MOST_PLAIN = 20.0, 2.0
"""Grey levels (of 255) by which a thing stands out that count once; at most so often."""

BEFORE, SCORE = -2.37, 0.87
"""The odds at a place that has changed where the eye says even, and what the eye says weighs (bench.marker_odds)."""


class Came(NamedTuple):
    """A change at one place since the last still table."""

    stands_out: float = 0.0
    """By how many grey levels more than before a thing of a marker's size stands out there; 0 without one."""
    shade: bool = False
    """It may be the same ground with less light."""
    around: float = 0.0
    """How much of the ground around it changed as well, from 0 to 1."""
    at_train: bool = False
    """It is beside a train, on a tile of one, or where a first tile will lie."""
    several: bool = False
    """Other things came as well."""
    bared: bool = False
    """A marker lay there."""


WEIGHTS = Came(1.92, -0.81, -2.51, 2.92, -3.0, -3.0)  # type: ignore[arg-type]
"""The weight of each, `stands_out` in units of `PLAIN`. `several` and `bared` by judgement: the bench lays one thing at
a time, and light, or a cup with its spoon, brings several; a print under a marker comes to light where it lay. All
others are fitted (docs/belief.md, Markers)."""


def measured(came: Came) -> tuple[float, ...]:
    """The same as it is weighed."""
    return (min(came.stands_out / PLAIN, MOST_PLAIN), *map(float, came[1:]))


def eye_odds(score: float) -> float:
    """The logarithm of the odds of a confidence, 0 where the eye finds nothing."""
    score = min(max(score, LEAST_SCORE), MOST_SCORE)
    return math.log(score / (1.0 - score))


@dataclass(slots=True)
class Weighed:
    """A place where something came, and what the pictures since say of it in the mean: of one still table they share
    their errors, and more of them make nothing surer.

    >>> place = Weighed((0.0, 0.0))
    >>> before = place.odds
    >>> place.add(0.9, None)
    >>> place.odds > before
    True
    """

    place: Point
    _eye: float = 0.0
    _looks: int = 0
    _came: float = 0.0
    _arrivals: int = 0

    def add(self, score: float, came: Came | None) -> None:
        """One more picture; None where the place is as it was when the table lay still last."""
        self._eye += eye_odds(score)
        self._looks += 1
        if came is not None:
            self._came += sum(weight * value for weight, value in zip(WEIGHTS, measured(came), strict=True))
            self._arrivals += 1

    @property
    def odds(self) -> float:
        """The logarithm of the odds that a marker lies here."""
        return BEFORE + SCORE * self._eye / max(1, self._looks) + self._came / max(1, self._arrivals)


PARALLEL_DEG = 15.0
NEAR = 0.35
"""Tile widths within which the middles of two halves are one place."""


@dataclass(frozen=True, slots=True)
class Seam:
    """A find that lies over the seam between tiles."""

    over: tuple[int, ...]
    """Indices of the tiles that it lies on."""
    beyond: SeenTile | None
    """The tile whose near half it shows, if any."""


def seam(find: SeenTile, lying: Sequence[SeenTile]) -> Seam | None:
    """The seam that a find lies over: one of its halves is a half of a tile that lies there already and shows the same.
    None: it lies over no seam.

    The near half of the tile beyond is believed as found; its other half is unread.
    """
    if not find.face_up or find.halves is None:
        return None
    on: dict[int, int] = {}
    for half in (0, 1):
        for n, tile in enumerate(lying):
            if n not in on.values() and _is_a_half_of(find, half, tile):
                on[half] = n
                break
    if not on:
        return None
    if len(on) == 2:
        return Seam(tuple(on.values()), None)
    (near,) = on
    x, y = find.center_mm
    here, there = find.halves_mm[near], find.halves_mm[1 - near]
    beyond = (x + there[0] - here[0], y + there[1] - here[1])
    shown, unread = find.halves[1 - near], SeenHalf(None, 0.0)
    halves = (shown, unread) if near == 0 else (unread, shown)
    return Seam(tuple(on.values()), replace(find, center_mm=beyond, halves=halves, box_px=None))


def _is_a_half_of(find: SeenTile, half: int, tile: SeenTile) -> bool:
    """Does this half of the find lie on one half alone of the tile, and show what that shows?"""
    if not tile.face_up or tile.halves is None or find.halves is None:
        return False
    turned = abs(turn(find.heading_deg, tile.heading_deg))
    if min(turned, 180.0 - turned) > PARALLEL_DEG:
        return False
    near = NEAR * tile.width_mm
    if distance(find.center_mm, tile.center_mm) < near:
        return False
    shown = find.halves[half].value
    return any(
        distance(find.halves_mm[half], middle) <= near and shown is not None and shown == lies.value
        for middle, lies in zip(tile.halves_mm, tile.halves, strict=True)
    )


FLOOR = 1e-3
"""No reading is ever taken to exclude a value altogether."""

UNNAMED_VALUES = 12
"""The rest of a reading's probability is spread over about this many values that it does not name."""

SURE = 0.9
"""From this probability on a half counts as read."""

ABSENT, TURNED = 2, 2
"""A thing has to be missing, or show a tile's other face or another value, in this many readings to be believed."""

MARKER_REACH_MM = 12.0
"""A marker found within this of a known one is that one."""

SURELY_STANDS, PLAINLY_ONE = 3, 0.8
"""A thing that came with its tile counts as a marker once it is found this often and this surely."""

FAINT_TILE, LONE = 0.5, 2.0
"""A tile found less surely than the first, with no other within so many lengths, may be a figure of the cloth."""


@dataclass(slots=True)
class Votes:
    """All readings of one half.

    >>> votes = Votes()
    >>> for p in (0.6, 0.98):
    ...     votes.add(SeenHalf(7, p, ((8, 0.01),)))
    >>> votes.verdict().value, SeenHalf(7, 0.6).p < votes.verdict().p < 0.98
    (7, True)
    """

    sums: dict[int, float] = field(default_factory=dict)
    """Value -> log-probabilities added up."""
    count: int = 0
    """How many readings there were."""
    nothing: float = 1.0
    """How likely the clearest reading takes it to be that no value is seen there at all."""

    def add(self, half: SeenHalf) -> None:
        now: dict[int, float] = dict(half.others)
        if half.value is not None:
            now[half.value] = max(half.p, now.get(half.value, 0.0))
        if not now:
            return
        left_over = max(0.0, 1.0 - sum(now.values()))
        self.nothing = min(self.nothing, left_over)
        rest = max(FLOOR, left_over / UNNAMED_VALUES)
        unseen = self.count * math.log(FLOOR)
        for value in {*self.sums, *now}:
            self.sums[value] = self.sums.get(value, unseen) + math.log(max(now.get(value, rest), FLOOR))
        self.count += 1

    def verdict(self) -> SeenHalf:
        """The likeliest value where it is sure enough, else unread with the candidates."""
        if not self.sums:
            return SeenHalf(None, 0.0)
        means = {value: math.exp(total / self.count) for value, total in self.sums.items()}
        total = sum(means.values()) / max(1.0 - self.nothing, FLOOR)
        ranked = sorted(((mean / total, value) for value, mean in means.items()), reverse=True)
        p, value = ranked[0]
        others = tuple((other, q) for q, other in ranked[1:4] if q > 1e-4)
        return SeenHalf(value, p, others) if p >= SURE else SeenHalf(None, p, ((value, p), *others))


@dataclass(slots=True)
class Track:
    """One tile over time.

    >>> def seen(value, p):
    ...     return SeenTile((90.0, 0.0), 0.0, 56.0, 28.0, True, (SeenHalf(12, p), SeenHalf(value, p)), 1.0)
    >>> track = Track.begun(seen(5, 0.97), 1, 1)
    >>> track.add(seen(5, 0.98))
    >>> track.sightings, track.differs(seen(5, 0.9)), track.differs(seen(6, 0.9))
    (2, False, True)
    """

    seen: SeenTile
    number: int
    """Its own."""
    votes: tuple[Votes, Votes] = field(default_factory=lambda: (Votes(), Votes()))
    sightings: int = 0
    missing: int = 0
    rival: Track | None = None
    """Another tile read in its place, until it is believed or forgotten."""
    born: int = 0
    """The reading that found it first."""

    @staticmethod
    def begun(raw: SeenTile, number: int, born: int) -> Track:
        track = Track(raw, number, born=born)
        track.add(raw)
        return track

    def add(self, raw: SeenTile, *, lay: bool = False) -> None:
        """One more reading of the same tile the same way up. If it `lay` there at an earlier still table, a half that
        is not read any more tells nothing: a toy may stand on it."""
        self.missing = 0
        self.sightings += 1
        raw = turned_like(raw, self.seen)
        if raw.halves is not None:
            for votes, half in zip(self.votes, raw.halves, strict=True):
                if not lay or half.value is not None or votes.verdict().value is None:
                    votes.add(half)
        self.seen = raw

    def differs(self, raw: SeenTile) -> bool:
        """Is this clearly another tile, or this one's other face?"""
        if raw.face_up != self.seen.face_up:
            return True
        now = turned_like(raw, self.seen).halves
        if now is None:
            return False
        return any(
            half.value is not None and (was := votes.verdict().value) is not None and half.value != was
            for half, votes in zip(now, self.votes, strict=True)
        )


@dataclass(slots=True)
class MarkerTrack:
    """One marker over time."""

    seen: SeenMarker
    sightings: int = 0
    missing: int = 0
    hidden: bool = False
    """When it was looked for last it was not found, and its place was not seen empty either."""
    with_its_tile: bool = False
    """It came together with the tile on which it stands."""
    on_unread: bool = False
    """It stands on a half of that tile which is not read."""
    came: bool = False
    """It was seen to come, and did not lie there from the first."""
    born: int = 0
    """The reading that found it first."""


@dataclass(slots=True)
class TableMemory:
    """Everything seen, with how often. Changes only through `see` and `drop`.

    >>> halves = SeenHalf(12, 0.99), SeenHalf(5, 0.99)
    >>> tile = SeenTile((90.0, 0.0), 0.0, 56.0, 28.0, True, halves, 1.0)
    >>> memory = TableMemory()
    >>> for _ in range(3):
    ...     memory.see([tile], [], Looked(), 28.0)
    >>> [(track.number, track.sightings) for track in memory.tracks]
    [(1, 3)]
    """

    tracks: list[Track] = field(default_factory=list)
    markers: list[MarkerTrack] = field(default_factory=list)
    hub: SeenHub | None = None
    readings: int = 0
    """How many there were."""
    known: int | None = None
    """Tiles found after this reading are new."""
    under: SeenTile | None = None
    """The tile, as it is on record, on which a wall's next tile will lie."""
    parked: tuple[Point, ...] = ()
    """Places of what looked like a marker before anybody had begun."""
    figures: tuple[SeenTile, ...] = ()
    """Things that looked like a tile, faintly and far from all others: a flower of the cloth."""
    bared: tuple[SeenTile, ...] = ()
    """The tiles that lay face down where the table shows now."""
    _weighed: list[Weighed] = field(default_factory=list)
    _glimpsed: tuple[Point, ...] = ()
    _begun: int = 0
    _weighing: int | None = None

    def park(self, engine_mm: Point | None = None) -> bool:
        """Nobody has begun: what looks like a marker, even faintly, waits for its owner or is the hub's print, and what
        looks faintly like a tile and lies alone is the cloth's.

        Was there any that was believed?
        """
        alone = [one for one in self.tracks if one.seen.center_mm != engine_mm and self._may_be_a_figure(one)]
        believed = bool(self.markers or alone)
        self.figures = tuple(track.seen for track in alone)
        self.drop(alone)
        self.parked = (*self._glimpsed, *(marker.seen.center_mm for marker in self.markers))
        self.markers = []
        return believed

    def see(self, tiles: Sequence[SeenTile], markers: Sequence[SeenMarker], looked: Looked, width: float) -> None:
        """One reading. `looked` says which places it covers: only there something can be missing."""
        self.readings += 1
        tiles = [one for one in tiles if not any(self._is(one, figure, width) for figure in self.figures)]
        tiles, met = self._without_seams(tiles, width)
        placed = [PlacedTile(n, track.seen) for n, track in enumerate(self.tracks)]
        found = identify(tiles, placed, width)
        fresh: list[Track] = []
        for raw, known in zip(tiles, found, strict=True):
            if known.old is None:
                # Something solid lies there already: a box over two neighbours' halves.
                if not any(overlap(raw, track.seen) > MOST_OVERLAP for track in self.tracks if track.missing == 0):
                    fresh.append(Track.begun(raw, self._next(), self.readings))
            else:
                met.add(known.old.id)
                self.tracks[known.old.id] = self._again(self.tracks[known.old.id], raw)
        for n, track in enumerate(self.tracks):
            if n not in met and looked.covers(track.seen.center_mm):
                track.missing += 1
        self.tracks += fresh
        self._see_markers(markers, looked)

    def _without_seams(self, tiles: Sequence[SeenTile], width: float) -> tuple[list[SeenTile], set[int]]:
        """The finds without those across a seam, with the tiles beyond instead; and which tracks were met in them."""
        placed = [PlacedTile(n, track.seen) for n, track in enumerate(self.tracks)]
        lying = self.tiles()
        found: list[SeenTile] = []
        met: set[int] = set()
        for raw, known in zip(tiles, identify(tiles, placed, width), strict=True):
            across = seam(raw, lying) if known.old is None else None
            if across is None:
                found.append(raw)
                continue
            met |= set(across.over)
            if across.beyond is not None:
                found.append(across.beyond)
        return found, met

    def differing(
        self, tiles: Sequence[SeenTile], markers: Sequence[SeenMarker], changed: Callable[[Point], bool], width: float
    ) -> list[Point]:
        """Places to look at again: a look at the whole table shows something there that is not known.

        `changed` says whether the picture differs there from the table read last: without that nothing has gone from a
        place and nothing there is another tile. A find beside everything known may have been overlooked before.
        """
        places: list[Point] = []
        placed = [PlacedTile(n, track.seen) for n, track in enumerate(self.tracks)]
        tiles, met = self._without_seams(tiles, width)
        for raw, known in zip(tiles, identify(tiles, placed, width), strict=True):
            if known.old is not None:
                met.add(known.old.id)
                looks_other = self.tracks[known.old.id].differs(raw)
                if looks_other and any(map(changed, _where_print_is(raw))):
                    places.append(raw.center_mm)
            elif not any(self._is(raw, figure, width) for figure in self.figures) and not any(
                overlap(raw, track.seen) > MOST_OVERLAP for track in self.tracks
            ):
                places.append(raw.center_mm)
        lost = [track.seen.center_mm for n, track in enumerate(self.tracks) if n not in met]
        reach = MARKER_REACH_MM
        lie, here = [marker.seen.center_mm for marker in self.markers], [marker.center_mm for marker in markers]
        new = [one.center_mm for one in markers if one.confidence >= LEAST_THING_CONFIDENCE]
        new = [one for one in new if all(distance(one, old) > reach for old in (*lie, *self.parked))]
        lost += [old for old in lie if all(distance(one, old) > reach for one in here)]
        return [*places, *(place for place in (*lost, *new) if changed(place))]

    def tiles(self) -> list[SeenTile]:
        """The tiles as they are believed to lie, with their fused values."""
        return [self.fused(track) for track in self.tracks]

    def seen_markers(self) -> list[SeenMarker]:
        """The markers that are believed, without those in doubt. A thing that stood on an unread half when its tile
        came, and still does at another still table, is no print that misleads the reader: it counts as a marker."""
        plain = [one.seen for one in self.markers if not one.with_its_tile]
        return [*plain, *(replace(one.seen, recognised=False) for one in self.markers if self._stands(one))]

    def doubted_markers(self) -> list[SeenMarker]:
        """Markers that came together with the tile they stand on: they may be its print."""
        return [one.seen for one in self.markers if one.with_its_tile and not self._stands(one)]

    def _stands(self, marker: MarkerTrack) -> bool:
        again = self.known is not None and marker.born <= self.known and marker.sightings >= SURELY_STANDS
        return marker.with_its_tile and marker.on_unread and again and marker.seen.confidence >= PLAINLY_ONE

    def _doubt(self, track: MarkerTrack) -> None:
        """Doubt a marker that has just come with the tile under it: it may be the tile's print, or a half that was seen
        before the whole tile."""
        tile = self._tile_at(track.seen.center_mm)
        track.with_its_tile = (
            tile is not None and not track.seen.known and bool(self.known) and tile.born > (self.known or 0)
        )
        track.on_unread = track.with_its_tile and self._on_unread(track.seen.center_mm)

    def _tile_at(self, place: Point) -> Track | None:
        return next(
            (track for track in self.tracks if track.seen.halves and outside(track.seen, place) <= 0.0),
            None,
        )

    def _on_unread(self, place: Point) -> bool:
        """Is this on the half of a tile that nobody has read?"""
        track = self._tile_at(place)
        if track is None:
            return False
        half = min((0, 1), key=lambda n: distance(place, track.seen.end_mm(n)))
        return track.votes[half].verdict().value is None

    def missing(self) -> list[Track]:
        """Tiles that were looked for and not found often enough."""
        return [track for track in self.tracks if track.missing >= ABSENT]

    def missing_markers(self) -> list[MarkerTrack]:
        """Markers that were looked for and not found often enough."""
        return [track for track in self.markers if track.missing >= ABSENT]

    def unsettled(self) -> bool:
        """Is anything missing or different that has not been looked at often enough?"""
        return any(track.rival is not None or 0 < track.missing < ABSENT for track in self.tracks) or any(
            marker.missing > 0 for marker in self.markers
        )

    def begin(self) -> None:
        """Another still table is to be read: what is found from now on is new."""
        self.known = self.readings

    def weigh(self, place: Point) -> Weighed:
        """A place where something came, to be weighed with every picture from now on."""
        self._weighed.append(Weighed(place))
        return self._weighed[-1]

    def weighed_at(self, place: Point) -> Weighed | None:
        near = [one for one in self._weighed if distance(one.place, place) <= MARKER_REACH_MM]
        return min(near, key=lambda one: distance(one.place, place), default=None)

    def forget_weighed(self, changed: Callable[[Point], bool]) -> None:
        """Places weighed at an earlier still table that have `changed` since are weighed anew."""
        if self._weighing != self.known:
            self._weighed = [one for one in self._weighed if not changed(one.place)]
            self._weighing = self.known

    def read_anew(self, changed: Callable[[Point], bool]) -> None:
        """Halves that nobody has read and whose places have `changed`: what stood on them has gone, and what was read
        of it tells nothing of what they show now."""
        for track in self.tracks:
            known = self.known is not None and track.born <= self.known
            for votes, place in zip(track.votes, track.seen.halves_mm, strict=True):
                if known and votes.count and votes.verdict().value is None and changed(place):
                    votes.sums, votes.count, votes.nothing = {}, 0, 1.0

    def keep_known(self) -> None:
        """The tiles that lay there before keep their values, whatever one reading said."""
        for track in self.tracks:
            track.rival = None

    def take(self, tracks: Sequence[Track]) -> None:
        """These lie there no more, and where they lay the table shows."""
        self.bared = (*self.bared, *(track.seen for track in tracks if not track.seen.face_up))
        self.drop(tracks)

    def drop(self, tracks: Sequence[Track]) -> None:
        self.tracks = [track for track in self.tracks if all(track is not gone for gone in tracks)]

    def drop_markers(self, tracks: Sequence[MarkerTrack]) -> None:
        """Drop things that are no markers, or gone. Evidence of their places no longer counts."""
        self.markers = [track for track in self.markers if all(track is not gone for gone in tracks)]
        places = [gone.seen.center_mm for gone in tracks]
        self._weighed = [
            one for one in self._weighed if all(distance(one.place, at) > MARKER_REACH_MM for at in places)
        ]

    def forgive(self, tracks: Sequence[Track | MarkerTrack]) -> None:
        """These are only hidden."""
        for track in tracks:
            track.missing = 0

    def fused(self, track: Track) -> SeenTile:
        if not track.seen.face_up or track.seen.halves is None:
            return replace(track.seen, track=track.number)
        first, second = (votes.verdict() for votes in track.votes)
        return replace(track.seen, halves=(first, second), track=track.number)

    def _next(self) -> int:
        self._begun += 1
        return self._begun

    def _again(self, track: Track, raw: SeenTile) -> Track:
        """A known place is read again; another tile there has to be read so several times before it is believed."""
        if not track.differs(raw) and not self._covers(track, raw):
            if track.rival is not None and raw.values is None and not track.rival.differs(raw):
                # Half read, it may be either of the two: this look settles nothing.
                track.missing = 0
                return track
            track.rival = None
            track.add(raw, lay=self.known is not None and track.born <= self.known)
            return track
        if self.known is not None and track.born > self.known and raw.face_up == track.seen.face_up:
            # Just laid and read in two ways: one tile that wavers, unread until one value outweighs the other.
            track.add(raw)
            return track
        if track.rival is None or track.rival.differs(raw):
            track.rival = Track.begun(raw, track.number, track.born)
        else:
            track.rival.add(raw)
        track.missing = 0
        return track.rival if track.rival.sightings >= TURNED else track

    def _may_be_a_figure(self, track: Track) -> bool:
        seen = track.seen
        far = LONE * seen.length_mm
        others = [one.seen for one in self.tracks if one is not track]
        faint = seen.face_up and seen.confidence < FAINT_TILE
        return faint and all(distance(other.center_mm, seen.center_mm) > far for other in others)

    def _is(self, tile: SeenTile, figure: SeenTile, width: float) -> bool:
        """Is this what lay on the table before anybody began? A tile laid there is found more surely."""
        near = distance(tile.center_mm, figure.center_mm) <= SAME_PLACE * width
        return near and tile.confidence < FAINT_TILE

    def _covers(self, track: Track, raw: SeenTile) -> bool:
        """Is this a tile laid on another, where a wall's next tile is due, and one of the two is not surely read?"""
        below, known = self.under, self.fused(track)
        reach = SAME_PLACE * raw.width_mm
        if below is None or below.values is None or distance(raw.center_mm, below.center_mm) > reach:
            return False
        if known.values is not None:
            return leans_from(turned_like(raw, known), known, LEANING)
        return raw.values is not None and sorted(raw.values) != sorted(below.values)

    def _see_markers(self, markers: Sequence[SeenMarker], looked: Looked) -> None:
        left, fresh = list(self.markers), list[MarkerTrack]()
        reach = MARKER_REACH_MM
        markers = [one for one in markers if all(distance(place, one.center_mm) > reach for place in self.parked)]
        self._glimpsed = tuple(one.center_mm for one in markers)
        met: list[Point] = []
        for marker in sorted(markers, key=lambda one: -one.confidence):
            if any(distance(place, marker.center_mm) <= reach for place in met):
                continue  # the same one, found twice
            met.append(marker.center_mm)
            near = [m for m in left if distance(m.seen.center_mm, marker.center_mm) <= reach]
            if near:
                track = min(near, key=lambda m: distance(m.seen.center_mm, marker.center_mm))
                left.remove(track)
                # A thing that the last look missed where nothing has changed still lies there, and was not seen again.
                track.sightings += marker is not track.seen
                track.seen, track.missing, track.hidden = marker, 0, False
            elif marker.confidence >= LEAST_THING_CONFIDENCE:
                fresh.append(MarkerTrack(marker, 1, came=bool(self.known), born=self.readings))
        young = [one for one in self.markers if one.born > (self.known or 0) and not one.seen.recognised]
        for track in (*young, *fresh):
            self._doubt(track)
        for track in left:
            if looked.covers(track.seen.center_mm):
                track.missing += 1
        # A tile that is read now has nothing standing on it.
        self.markers = [one for one in self.markers if not one.on_unread or self._on_unread(one.seen.center_mm)]
        self.markers += fresh


def _where_print_is(tile: SeenTile) -> list[Point]:
    """In mm: the middles of the tile and its halves, and where the single pip of a Chinese one is, farther out."""
    middles = tile.halves_mm
    ends = (tile.end_mm(half) for half in (0, 1))
    farther = [((x + u) / 2, (y + v) / 2) for (x, y), (u, v) in zip(middles, ends, strict=True)]
    return [tile.center_mm, *middles, *farther]


@dataclass(frozen=True, slots=True)
class Looked:
    """The part of the table that a reading covers. Boxes are (x0, y0, x1, y1) in mm.

    >>> looked = Looked(boxes=((0.0, 0.0, 300.0, 200.0),), hidden=((0.0, 0.0, 50.0, 50.0),))
    >>> looked.covers((100.0, 100.0)), looked.covers((20.0, 20.0)), looked.covers((400.0, 100.0))
    (True, False, False)
    """

    boxes: tuple[tuple[float, float, float, float], ...] | None = None
    """None: the whole table."""
    hidden: tuple[tuple[float, float, float, float], ...] = ()
    """Boxes that it does not cover."""

    def covers(self, place: Point) -> bool:
        if any(_in(place, box) for box in self.hidden):
            return False
        return self.boxes is None or any(_in(place, box) for box in self.boxes)


def _in(place: Point, box: tuple[float, float, float, float]) -> bool:
    return box[0] <= place[0] <= box[2] and box[1] <= place[1] <= box[3]
