"""The results of reconstruction: placed tiles, trains, and problems as values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from companion.geometry.table_view import Point, SeenHalf, SeenTile
from companion.rules.tile import Laid


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
