"""The `--setup` file: a journal's header plus what the camera needs to know of the table.

Every contradiction is one line that names the field; nothing is guessed silently.

The set-up file as JSON Schema, by the types that read it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from companion.geometry.layout import COMMON_TILE_MM, Family, Point, TableSetup, turn
from companion.log.event_fields import Header, LaidPips
from companion.log.events import DRAFT, header_schema
from companion.storage.records import (
    INLINE,
    Count,
    Form,
    Name,
    Record,
    RecordError,
    number,
    one_of,
    or_null,
    real,
    record,
    row,
    shown,
)

LEAST_STEP_DEG = 8.0
"""Stations nearer to each other than this cannot be told apart: a tile is 24 mm wide on a rim of 60 mm."""
SHORTEST_TILE_MM = 12.0
"""Travel sets are longer; less is a slip of the pen."""

LARGEST_FILE = 1_000_000


class SetupError(ValueError):
    """A set-up file that cannot be used; one line: what, where, what was expected."""


PLACE = real(-1e6, 1e6)
LENGTH = real(0, 1e6, above=True)
_FOUR_POINTS = row(*[row(PLACE, PLACE, what="a point [x, y]")] * 4, what="four points [x, y], clockwise")


def _read_corners(value: Any) -> tuple[Point, Point, Point, Point]:
    a, b, c, d = _FOUR_POINTS.read(value)
    area = sum(p[0] * q[1] - q[0] * p[1] for p, q in ((a, b), (b, c), (c, d), (d, a))) / 2
    if area < 0:
        raise RecordError("counter-clockwise, expected clockwise as seen in the picture")
    if area < 100:
        raise RecordError("the corners enclose no table")
    return a, b, c, d


CORNERS = or_null(Form(_read_corners, _FOUR_POINTS.schema, _FOUR_POINTS.write))
SIZE = or_null(row(LENGTH, LENGTH, what="two numbers: width and height"))
TILE_SIZE = or_null(row(LENGTH, LENGTH, LENGTH, what="three numbers: length, width and thickness"))
BONEYARD = or_null(one_of("spread", "stacked"))
LAYOUT = one_of("trains", "free")
COPIES = or_null(number(1, 20))

Degrees = Mapping[str, Annotated[float, PLACE]]
"""The direction of each player, clockwise in the picture, 0 to the right."""


@dataclass(frozen=True, slots=True)
class TableInPicture(Record):
    """Where the table lies. Left out: the printed markers tell, or the page asks."""

    corners_px: Annotated[
        tuple[Point, Point, Point, Point] | None,
        CORNERS,
        "The table's corners in the picture, in pixels, clockwise; the first is the origin.",
    ] = None
    size_mm: Annotated[tuple[float, float] | None, SIZE, "Width and height of the table, in millimetres."] = None


@dataclass(frozen=True, slots=True)
class RoundLaid(Record):
    """The round on the table. Without its number the engine tells it, as the rules count rounds."""

    engine: Annotated[LaidPips | None, "Such as [12, 12]; the Chinese games have none."] = None
    starter: Name | None = None
    number: Count | None = None


@dataclass(frozen=True, slots=True)
class GameSetup(Record):
    """A game and its table; what is not said is found or asked for. With a free layout `set` is enough.

    >>> setup = GameSetup(Header("jielong", "chinese", ("Ann", "Ben")))
    >>> setup.chinese, setup.free, setup.tile_size_mm
    (True, False, (48.0, 24.0, 9.0))
    """

    header: Annotated[Header, INLINE]
    table: TableInPicture = TableInPicture()
    tile_mm: Annotated[
        tuple[float, float, float] | None, TILE_SIZE, "Length, width and thickness of a tile, in millimetres."
    ] = None
    stations: Annotated[
        Degrees, "Where each train leaves the middle: degrees, clockwise in the picture, 0 to the right."
    ] = field(default_factory=dict)
    mexican_station: Annotated[Annotated[float, PLACE] | None, "The same of the Mexican train."] = None
    round: RoundLaid = RoundLaid()
    seats: Annotated[Degrees, "Where people sit, where that is not behind their own trains."] = field(
        default_factory=dict
    )
    copies: Annotated[int | None, COPIES, "How often each tile exists, where that differs from the set's own."] = None
    boneyard: Annotated[
        str | None, BONEYARD, "Whether the tiles to draw lie side by side, so that they can be counted."
    ] = None
    layout: Annotated[str, LAYOUT, "free: tiles are reported as they appear, and no rules are applied."] = "trains"
    watch_arms: Annotated[bool, "false: nobody is named by an arm."] = True

    @property
    def free(self) -> bool:
        return self.layout == "free"

    @property
    def tile_size_mm(self) -> tuple[float, float, float]:
        """The commonest size, where nobody said how large the tiles are."""
        return self.tile_mm or COMMON_TILE_MM

    @property
    def chinese(self) -> bool:
        return self.header.set == "chinese"

    def table_setup(self) -> TableSetup:
        """The facts that reconstruction needs. A spread boneyard is assumed until the count says otherwise.

        An engine that is no double is against the rules, not against nature: it is found by where it lies alone.
        """
        engine = self.round.engine
        family = Family.FREE if self.free else (Family.CHINESE if self.chinese else Family.MEXICAN)
        return TableSetup(
            family=family,
            players=self.header.players,
            stations=self.stations,
            mexican_station=self.mexican_station,
            engine=engine.inner if engine is not None and engine.is_double else None,
            tile_mm=self.tile_size_mm,
            boneyard_spread=self.boneyard != "stacked",
            arms=int(self.header.options.get("arms", 1)),
            set_max=self.header.set_max,
            copies=self.copies,
        )


def read_setup(path: Path) -> GameSetup:
    """The set-up in a file. Raises SetupError naming file and field."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise SetupError(f"set-up file {path}: larger than {LARGEST_FILE} bytes, expected a short JSON object")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SetupError(f"set-up file {path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise SetupError(f"set-up file {path}: not UTF-8 text, expected a JSON object") from None
    try:
        data = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise SetupError(f"set-up file {path}: nested too deeply, expected a JSON object") from None
    except ValueError as error:
        raise SetupError(f"set-up file {path}: not JSON ({error})") from None
    try:
        return setup_from_json(data)
    except SetupError as error:
        raise SetupError(f"set-up file {path}: {error}") from None


def setup_from_json(data: Any) -> GameSetup:
    """A set-up from its JSON form. Raises SetupError naming the field."""
    if not isinstance(data, dict):
        raise SetupError("expected a JSON object")
    line = {name: value for name, value in data.items() if value is not None}
    if line.get("layout") == "free":
        # A board of its own has no rules and needs no names.
        line = {"rules": "free", "players": ["?", "??"], **line}
    try:
        setup = GameSetup.from_json(line)
        setup = replace(setup, header=replace(setup.header, extra={}))
        _refuse_contradictions(setup)
    except RecordError as error:
        raise SetupError(str(error)) from None
    return setup


def _refuse_contradictions(setup: GameSetup) -> None:
    players, header = setup.header.players, setup.header
    for field_name, angles in (("stations", setup.stations), ("seats", setup.seats)):
        if strangers := [name for name in angles if name not in players]:
            raise RecordError("nobody of that name plays", where=f"{field_name}.{strangers[0]}")
    missing = [name for name in players if setup.stations and name not in setup.stations]
    if missing:
        raise RecordError(f"{', '.join(missing)} has none", where="stations")
    engine, starter = setup.round.engine, setup.round.starter
    if engine is not None and header.set_max is None:
        raise RecordError("the Chinese games have none", where="round.engine")
    if engine is not None and max(engine) > (header.set_max or 0):
        raise RecordError(f"{engine.inner}-{engine.outer} is not in the set {header.set}", where="round.engine")
    if starter is not None and starter not in players:
        raise RecordError(f"{shown(starter)} does not play", where="round.starter")
    places = list(setup.stations.items())
    if setup.mexican_station is not None:
        places.append(("the Mexican train", setup.mexican_station))
    for n, (name, angle) in enumerate(places):
        for other, there in places[n + 1 :]:
            if abs(turn(angle, there)) < LEAST_STEP_DEG:
                why = f"{name} and {other} are on one station ({angle:g} and {there:g} degrees)"
                raise RecordError(why, where="stations")
    length, width, _ = setup.tile_size_mm
    if not 1.5 <= length / width <= 3.0 or length < SHORTEST_TILE_MM:
        raise RecordError(f"{length:g} x {width:g} is no domino, expected length, width, thickness", where="tile_mm")
    size = setup.table.size_mm
    if size is not None and min(size) < 2 * length:
        raise RecordError(f"{size[0]:g} x {size[1]:g} holds no tiles of {length:g} mm", where="table.size_mm")


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON")


EXAMPLE: dict[str, Any] = {
    "rules": "tactic",
    "set": "double-12",
    "players": ["Ann", "Ben"],
    "options": {},
    "table": {"corners_px": [[412, 208], [3620, 221], [3588, 2790], [430, 2771]], "size_mm": [1200, 900]},
    "tile_mm": [48, 24, 9],
    "stations": {"Ann": 90, "Ben": 270},
    "mexican_station": 0,
    "seats": {"Ann": 90},
    "round": {"engine": [12, 12], "starter": "Ann", "number": 1},
    "copies": 1,
    "boneyard": "spread",
    "layout": "trains",
    "watch_arms": True,
}
"""Every field once."""


def schema() -> dict[str, Any]:
    """The schema of the file that `watch --setup` reads. With a free layout `set` alone is needed."""
    free = {"properties": {"layout": {"const": "free"}}, "required": ["layout", "set"]}
    known = record(GameSetup).schema
    return {
        "$schema": DRAFT,
        "title": "A set-up file",
        **known,
        "properties": header_schema()["properties"]
        | {k: one for k, one in known["properties"].items() if k != "extra"},
        "anyOf": [{"required": header_schema()["required"]}, free],
        "examples": [EXAMPLE],
    }
