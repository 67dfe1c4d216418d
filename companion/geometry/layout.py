"""What lies on a table, in millimetres: the view of a camera, and the layout made of it.

Angles in degrees, -180 to 180.

What lies on the table, in millimetres: the only thing the game ever learns from the camera.

Table coordinates: corner 0 of the calibrated table is the origin, +x runs towards corner 1, +y towards corner 3;
angles are atan2(dy, dx) in degrees in that frame (clockwise in a picture whose corners were given clockwise).

What is known about a table before the first picture of it.

Who sits where: the strip along the table's edge in which a player's own tiles lie.

The results of reconstruction: placed tiles, trains, and problems as values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
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


@dataclass(frozen=True, slots=True)
class SeenHalf:
    """One half as read: `value` None is *unreadable*; `others` are runner-up values with their probability."""

    value: int | None
    p: float
    others: tuple[tuple[int, float], ...] = ()

    def leans_from(self, value: int, times: float) -> bool:
        """Unread, yet another value is so many times likelier than this one."""
        if self.value is not None or not self.others:
            return False
        likelihood = dict(self.others)
        best = max(likelihood, key=lambda other: likelihood[other])
        return best != value and likelihood[best] >= times * likelihood.get(value, 0.0)


@dataclass(frozen=True, slots=True)
class SeenTile:
    """One tile as it lies. `heading_deg` points from the middle of half 0 to the middle of half 1.

    `face_up` False is a tile lying face down (no halves). `box_px` is where the picture shows it (4 corners, clockwise,
    half 0 at the edge 0-1), for evidence only. `track` is who it is for somebody who has watched it lie there: equal
    numbers in two views of one table are one tile. None: nobody has watched it, as in a single picture.
    """

    center_mm: Point
    heading_deg: float
    length_mm: float
    width_mm: float
    face_up: bool
    halves: tuple[SeenHalf, SeenHalf] | None
    confidence: float
    box_px: tuple[Point, Point, Point, Point] | None = None
    track: int | None = None

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
    """`recognised`: it looks like a marker, and is not only something that lies where one would. `known`: like one that
    the family has shown or said is theirs; `owner`: the player whose it is then, where that was said."""

    center_mm: Point
    confidence: float
    recognised: bool = True
    known: bool = False
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class SeenHub:
    center_mm: Point
    radius_mm: float
    confidence: float


@dataclass(frozen=True, slots=True)
class TableView:
    """One still table. `frame` names the picture it was read from, `size_mm` is the calibrated table (w, h)."""

    tiles: tuple[SeenTile, ...]
    markers: tuple[SeenMarker, ...] = ()
    hub: SeenHub | None = None
    size_mm: tuple[float, float] = (1200.0, 900.0)
    frame: str | None = None


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
    """`stations` are degrees around the hub, `mexican_station` too; a train nobody owns is the Mexican train.

    `engine` is the value of the round's engine where it is known. `boneyard_spread` False: the face-down tiles are a
    pile and their number says nothing. `arms` is 1 or 2 for a Chinese line. `copies` is how often every tile exists,
    None where the set itself says so (once in a double set, docs/rules.md section 4.1 for the Chinese one). `over`: the
    round is over, and what is laid along the table's edge from now on are the players' hands.
    """

    family: Family = Family.MEXICAN
    players: tuple[str, ...] = ()
    stations: Mapping[str, float] = field(default_factory=dict)
    mexican_station: float | None = None
    engine: int | None = None
    tile_mm: tuple[float, float, float] = COMMON_TILE_MM
    boneyard_spread: bool = True
    arms: int = 1
    set_max: int | None = 12
    copies: int | None = None
    over: bool = False


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
    """What can be wrong with a table as it lies. None of these accuses anybody."""

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
    """`tiles` are the identities concerned, the doubtful one first; `where_mm` is where to look."""

    trouble: Trouble
    where_mm: Point | None = None
    tiles: tuple[int, ...] = ()

    def __str__(self) -> str:
        place = "" if self.where_mm is None else f" at ({self.where_mm[0]:.0f}, {self.where_mm[1]:.0f}) mm"
        return f"{self.trouble}{place}"


@dataclass(frozen=True, slots=True)
class PlacedTile:
    """A tile with an identity that lasts from one still table to the next.

    `inner_half` is the half nearer the engine (in a line: the left half). `crosswise` lies across its train.
    A face-down tile keeps the halves it was last seen with, if it was seen.
    """

    id: int
    seen: SeenTile
    inner_half: int = 0
    crosswise: bool = False

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

    def read_as(self, laid: Laid) -> SeenTile:
        """What is seen of it, with these values for its halves; as it is where no halves are seen."""
        if self.halves is None:
            return self.seen
        values = (laid.inner, laid.outer) if self.inner_half == 0 else (laid.outer, laid.inner)
        first, second = (replace(half, value=value) for half, value in zip(self.halves, values, strict=True))
        return replace(self.seen, halves=(first, second))


@dataclass(frozen=True, slots=True)
class Middle:
    """Where the middle is; `rim_mm` is the hub's radius, or half the engine's length where there is no hub."""

    center_mm: Point
    rim_mm: float
    has_hub: bool
    engine: int | None
    """Index of the engine in the view, None while it is not seen."""


@dataclass(frozen=True, slots=True)
class Layout:
    """One still table, understood.

    `trains` holds every player and MX, in order from the engine outwards; an empty tuple has not begun.
    `line` is a Chinese line from left to right with its whole history; `walls` maps a tile to the one it covers.
    `buried`: the places, counted from the first tile, of those under a wall that nobody saw; they are not in `line`.
    `misread`: tiles of the line that have shown another value since long before it had a wall.
    `two_mexican`: both trains that are nobody's lie clear of where a player may still begin theirs.
    `supposed`: those of the `markers` that do not look like one. `boneyard` is None where it cannot be counted.
    `loose` are face-up tiles that belong to nothing yet. `shown_discards` are those of the `discards` that lie face up.
    """

    trains: Mapping[str, tuple[PlacedTile, ...]] = field(default_factory=dict)
    engine: PlacedTile | None = None
    line: tuple[PlacedTile, ...] = ()
    walls: Mapping[int, int] = field(default_factory=dict)
    buried: tuple[int, ...] = ()
    misread: frozenset[int] = frozenset()
    markers: frozenset[str] = frozenset()
    supposed: frozenset[str] = frozenset()
    two_mexican: bool = False
    flipped: frozenset[str] = frozenset()
    boneyard: int | None = None
    discards: Mapping[str, int] = field(default_factory=dict)
    shown_discards: Mapping[str, tuple[PlacedTile, ...]] = field(default_factory=dict)
    hands: Mapping[str, tuple[PlacedTile, ...]] = field(default_factory=dict)
    face_down: tuple[PlacedTile, ...] = ()
    loose: tuple[PlacedTile, ...] = ()
    problems: tuple[Problem, ...] = ()
    middle: Middle | None = None
    next_id: int = 1

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

    def has(self, trouble: Trouble) -> bool:
        return any(problem.trouble == trouble for problem in self.problems)

    def train_of(self, tile_id: int) -> str | None:
        """The train a tile lies in, or None."""
        for name, train in self.trains.items():
            if any(tile.id == tile_id for tile in train):
                return name
        return None
