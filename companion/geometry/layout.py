"""The tiles on a table, in millimetres: the view of a camera, and the layout made of it.

Angles in degrees, -180 to 180.

The view, in millimetres: the only thing the game ever learns from the camera.

Table coordinates: corner 0 of the calibrated table is the origin, +x runs towards corner 1, +y towards corner 3;
angles are atan2(dy, dx) in degrees in that frame (clockwise in a picture whose corners were given clockwise).

The set-up: facts about a table that are known before the first picture of it.

Seats: the strip along the table's edge in which a player's own tiles lie.

The results of reconstruction: placed tiles, trains, and problems as values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum

from companion.rules.tile import Laid


def wrapped(degrees: float) -> float:
    """The same direction in -180 up to 180 degrees.

    >>> wrapped(270.0), wrapped(-180.0), wrapped(180.0)
    (-90.0, -180.0, -180.0)
    """
    return (degrees + 180.0) % 360.0 - 180.0


def turn(a: float, b: float) -> float:
    """The smallest turn from `b` to `a`.

    >>> turn(-170.0, 170.0)
    20.0
    """
    return wrapped(a - b)


Point = tuple[float, float]


UNLISTED = 10
"""The rest of a half's odds is spread over about this many values."""

LEAST_ODDS = 0.001
"""The smallest probability of a value that a half may have."""


@dataclass(frozen=True, slots=True)
class SeenHalf:
    """One half as read."""

    value: int | None
    """None is *unreadable*."""
    p: float
    others: tuple[tuple[int, float], ...] = ()
    """Runner-up values with their probability."""

    @property
    def given(self) -> bool:
        """Is its value a guess or the record's, and not what was read? Then the value is among the `others`."""
        return self.value is not None and any(value == self.value for value, _ in self.others)

    def read_as(self, value: int) -> SeenHalf:
        """The half with this value. Where that was not read it is given, and all that was seen is among the others."""
        if value == self.value:
            return self
        odds = self.others if self.value is None or self.given else ((self.value, self.p), *self.others)
        if all(other != value for other, _ in odds):
            left = 1.0 - sum(p for _, p in odds) if odds else 0.0
            odds = (*odds, (value, max(0.0, left) / UNLISTED))
        return SeenHalf(value, self.p, odds)

    def odds(self, values: Set[int]) -> dict[int, float]:
        """Value -> its probability, the unlikely ones left out; of a half that was not read all that the box has: what
        is left to be sure of is anybody's.

        A half under a marker may look a little like a blank and shows nothing for all that.
        """
        found = {value: p for value, p in self.others if p >= LEAST_ODDS}
        if self.value is not None and not self.given:
            found[self.value] = max(self.p, found.get(self.value, 0.0))
            return found
        unlisted, left = values - found.keys(), 1.0 - sum(found.values())
        if unlisted and left > 0.0:
            found.update(dict.fromkeys(unlisted, left / len(unlisted)))
        return found

    def leans_from(self, value: int, times: float) -> bool:
        """Unread, yet another value is so many times likelier than this one."""
        if self.value is not None or not self.others:
            return False
        likelihood = dict(self.others)
        best = max(likelihood, key=lambda other: likelihood[other])
        return best != value and likelihood[best] >= times * likelihood.get(value, 0.0)


@dataclass(frozen=True, slots=True)
class SeenTile:
    """One tile as it lies."""

    center_mm: Point
    heading_deg: float
    """Points from the middle of half 0 to the middle of half 1."""
    length_mm: float
    width_mm: float
    face_up: bool
    halves: tuple[SeenHalf, SeenHalf] | None
    """None for a tile that lies face down."""
    confidence: float
    box_px: tuple[Point, Point, Point, Point] | None = None
    """Where the picture shows it, for evidence only: four corners, clockwise, half 0 at the edge 0-1."""
    track: int | None = None
    """Equal numbers in two views of one table are one tile that was watched lying there. None: nobody watched it, as in
    a single picture."""

    @property
    def values(self) -> tuple[int, int] | None:
        """Both values, or None while either half is unreadable or the tile lies face down."""
        if self.halves is None:
            return None
        a, b = self.halves[0].value, self.halves[1].value
        return None if a is None or b is None else (a, b)

    @property
    def double(self) -> bool:
        """Are both values read, and the same?"""
        return self.values is not None and self.values[0] == self.values[1]

    def end_mm(self, half: int) -> Point:
        """The middle of the short edge of half 0 or 1."""
        sign = -1.0 if half == 0 else 1.0
        a = math.radians(self.heading_deg)
        reach = sign * self.length_mm / 2
        return self.center_mm[0] + reach * math.cos(a), self.center_mm[1] + reach * math.sin(a)

    @property
    def halves_mm(self) -> tuple[Point, Point]:
        """The middles of both halves: a single pip is nowhere else."""
        x, y = self.center_mm
        (ax, ay), (bx, by) = self.end_mm(0), self.end_mm(1)
        return ((x + ax) / 2, (y + ay) / 2), ((x + bx) / 2, (y + by) / 2)


def leans_from(unread: SeenTile, read: SeenTile, times: float) -> bool:
    """Whether a half that one look did not read is so many times likelier another value than the one that was read in
    the other look; the tile lies the same way round in both."""
    halves = zip(unread.halves or (), read.halves or (), strict=False)
    return any(known.value is not None and half.leans_from(known.value, times) for half, known in halves)


@dataclass(frozen=True, slots=True)
class SeenMarker:
    """A marker as it lies."""

    center_mm: Point
    confidence: float
    recognised: bool = True
    """It looks like a marker, and is not just something that lies where one would."""
    known: bool = False
    """It looks like a marker that the family has shown or said is theirs."""
    owner: str | None = None
    """The player it belongs to, where that was said."""


@dataclass(frozen=True, slots=True)
class SeenHub:
    center_mm: Point
    radius_mm: float
    confidence: float


@dataclass(frozen=True, slots=True)
class TableView:
    """One still table."""

    tiles: tuple[SeenTile, ...]
    markers: tuple[SeenMarker, ...] = ()
    hub: SeenHub | None = None
    size_mm: tuple[float, float] = (1200.0, 900.0)
    """Width and height of the calibrated table."""
    frame: str | None = None
    """The picture it was read from."""


COMMON_TILE_MM = (48.0, 24.0, 9.0)
"""Length, width and thickness of the commonest tiles (field-notes: 48 x 24)."""

MEXICAN = "MX"
SECOND_MEXICAN = "MX2"


class Family(StrEnum):
    """How tiles lie: trains around an engine, one Chinese line, or a board that follows no such plan."""

    MEXICAN = "mexican"
    CHINESE = "chinese"
    FREE = "free"


@dataclass(frozen=True, slots=True)
class TableSetup:
    """Facts about a table that are known before it is seen."""

    family: Family = Family.MEXICAN
    players: tuple[str, ...] = ()
    stations: Mapping[str, float] = field(default_factory=dict)
    """Where the players' trains begin, in degrees around the hub."""
    mexican_station: float | None = None
    """The same of the Mexican train, the one that nobody owns."""
    engine: int | None = None
    """The value of the round's engine, where it is known."""
    tile_mm: tuple[float, float, float] = COMMON_TILE_MM
    boneyard_spread: bool = True
    """False: the face-down tiles are a pile, and their number says nothing."""
    arms: int = 1
    """1 or 2, for a Chinese line."""
    set_max: int | None = 12
    copies: int | None = None
    """How often every tile exists. None: as the set says (once in a double set; docs/rules.md section 4.1 for the
    Chinese one)."""
    over: bool = False
    """The round is over: tiles laid along the table's edge from now on are the players' hands."""


HAND_STRIP = 2.2
"""Depth of the strip in tile lengths: two rows of an opened hand."""


def seat_of(place: Point, view: TableView, setup: TableSetup) -> str | None:
    """The player in whose strip a place lies, by the direction from the middle of the table; None further inside."""
    w, h = view.size_mm
    edge = min(place[0], place[1], w - place[0], h - place[1])
    if edge > HAND_STRIP * setup.tile_mm[0]:
        return None
    return sector_of(place, view, setup)


def sector_of(place: Point, view: TableView, setup: TableSetup) -> str | None:
    """The player whose station points most nearly to a place; None without stations."""
    w, h = view.size_mm
    angle = math.degrees(math.atan2(place[1] - h / 2, place[0] - w / 2))
    return min(setup.stations, key=lambda name: abs(turn(angle, setup.stations[name])), default=None)


class Trouble(StrEnum):
    """Things that can be wrong with a table as it lies. None of these accuses anybody."""

    NO_HUB = "NO_HUB"
    NO_STATIONS = "NO_STATIONS"
    UNREADABLE_TILE = "UNREADABLE_TILE"
    VALUE_CHANGED = "VALUE_CHANGED"
    FORKED_TRAIN = "FORKED_TRAIN"
    LOOSE_JOINT = "LOOSE_JOINT"
    LOOSE_TILE = "LOOSE_TILE"
    EITHER_TRAIN = "EITHER_TRAIN"
    CROWDED_STATION = "CROWDED_STATION"
    LONE_MARKER = "LONE_MARKER"
    EITHER_MARKER = "EITHER_MARKER"
    BROKEN_LINE = "BROKEN_LINE"
    COVERED_TILE = "COVERED_TILE"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about the table that is in doubt."""

    trouble: Trouble
    where_mm: Point | None = None
    """Where to look."""
    tiles: tuple[int, ...] = ()
    """Identities of the tiles concerned, the doubtful one first."""

    def __str__(self) -> str:
        place = "" if self.where_mm is None else f" at ({self.where_mm[0]:.0f}, {self.where_mm[1]:.0f}) mm"
        return f"{self.trouble}{place}"


@dataclass(frozen=True, slots=True)
class PlacedTile:
    """A tile with an identity that lasts from one still table to the next. A face-down tile keeps the halves it was
    last seen with, if it was seen."""

    id: int
    seen: SeenTile
    inner_half: int = 0
    """The half nearer the engine; in a line the left half."""
    crosswise: bool = False
    """It lies across its train."""

    @property
    def halves(self) -> tuple[SeenHalf, SeenHalf] | None:
        return self.seen.halves

    @property
    def laid(self) -> Laid | None:
        """The values inner first; None while either is unreadable."""
        values = self.seen.values
        if values is None:
            return None
        return Laid(values[self.inner_half], values[1 - self.inner_half])

    @property
    def face_up(self) -> bool:
        return self.seen.face_up

    @property
    def given(self) -> bool:
        """Has one of its halves not been read, and a value all the same?"""
        return any(half.given for half in self.halves or ())

    def read_as(self, laid: Laid) -> SeenTile:
        """The tile as seen, with these values for its halves; unchanged where no halves are seen."""
        if self.halves is None:
            return self.seen
        values = (laid.inner, laid.outer) if self.inner_half == 0 else (laid.outer, laid.inner)
        first, second = (half.read_as(value) for half, value in zip(self.halves, values, strict=True))
        return replace(self.seen, halves=(first, second))


@dataclass(frozen=True, slots=True)
class Middle:
    """The middle of the table."""

    center_mm: Point
    rim_mm: float
    """The hub's radius, or half the engine's length where there is no hub."""
    has_hub: bool
    engine: int | None
    """Index of the engine in the view, None while it is not seen."""


@dataclass(frozen=True, slots=True)
class Layout:
    """One still table, understood."""

    trains: Mapping[str, tuple[PlacedTile, ...]] = field(default_factory=dict)
    """Every player and MX, in order from the engine outwards; an empty tuple has not begun."""
    engine: PlacedTile | None = None
    line: tuple[PlacedTile, ...] = ()
    """A Chinese line from left to right, with its whole history."""
    walls: Mapping[int, int] = field(default_factory=dict)
    """Tile -> the tile that it covers."""
    buried: tuple[int, ...] = ()
    """Tiles under a wall that nobody saw and that are not in `line`: their places, counted from the first tile."""
    misread: frozenset[int] = frozenset()
    """Tiles of the line that have shown another value since long before they had a wall."""
    markers: frozenset[str] = frozenset()
    supposed: frozenset[str] = frozenset()
    """Those of `markers` that do not look like one."""
    two_mexican: bool = False
    """Both trains that nobody owns lie clear of where a player may still begin a train."""
    stray: frozenset[str] = frozenset()
    """Trains that begin where no seat is: they may as well be nobody's."""
    flipped: frozenset[str] = frozenset()
    boneyard: int | None = None
    """None where it cannot be counted."""
    discards: Mapping[str, int] = field(default_factory=dict)
    shown_discards: Mapping[str, tuple[PlacedTile, ...]] = field(default_factory=dict)
    """Those of `discards` that lie face up."""
    hands: Mapping[str, tuple[PlacedTile, ...]] = field(default_factory=dict)
    face_down: tuple[PlacedTile, ...] = ()
    loose: tuple[PlacedTile, ...] = ()
    """Face-up tiles that belong to nothing yet."""
    problems: tuple[Problem, ...] = ()
    middle: Middle | None = None
    next_id: int = 1
    otherwise: Layout | None = None
    """The other way to understand the same line, until the next tile tells the two apart."""

    def __iter__(self) -> Iterator[PlacedTile]:
        """Every tile that lies on the table now, face-down ones included."""
        if self.engine is not None:
            yield self.engine
        for train in self.trains.values():
            yield from train
        covered = set(self.walls.values())
        yield from (tile for tile in self.line if tile.id not in covered)
        for hand in self.hands.values():
            yield from hand
        for shown in self.shown_discards.values():
            yield from shown
        yield from self.face_down
        yield from self.loose

    def surely(self) -> Iterator[PlacedTile]:
        """Those in trains and lines, and the engine: a stray face-up tile may be a stain on a back."""
        strays = {tile.id for tiles in (self.loose, *self.hands.values()) for tile in tiles}
        return (tile for tile in self if tile.id not in strays)

    def with_values(self, values: Mapping[int, Laid]) -> Layout:
        """The same with these values for unread tiles of its trains and line, and for its engine, by identity."""

        def read(row: Sequence[PlacedTile]) -> tuple[PlacedTile, ...]:
            return tuple(replace(one, seen=one.read_as(values[one.id])) if one.id in values else one for one in row)

        open_still = [
            one
            for one in self.problems
            if one.trouble is not Trouble.UNREADABLE_TILE or values.keys().isdisjoint(one.tiles)
        ]
        return replace(
            self,
            trains={name: read(train) for name, train in self.trains.items()},
            engine=self.engine and read([self.engine])[0],
            line=read(self.line),
            problems=tuple(open_still),
        )

    def has(self, trouble: Trouble) -> bool:
        return any(problem.trouble == trouble for problem in self.problems)

    def train_of(self, tile_id: int) -> str | None:
        """The train a tile lies in, or None."""
        for name, train in self.trains.items():
            if any(tile.id == tile_id for tile in train):
                return name
        return None
