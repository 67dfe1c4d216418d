"""The `--setup` file: a journal's header plus what the camera needs to know of the table.

Every contradiction is one line that names the field; nothing is guessed silently.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.geometry.angles import turn
from companion.geometry.table_setup import COMMON_TILE_MM, Family, TableSetup
from companion.geometry.table_view import Point
from companion.log.event_fields import EventError
from companion.log.header import Header
from companion.rules.tile import Laid

LEAST_STEP_DEG = 8.0
"""Stations nearer to each other than this cannot be told apart: a tile is 24 mm wide on a rim of 60 mm."""
SHORTEST_TILE_MM = 12.0
"""Travel sets are longer; less is a slip of the pen."""

LARGEST_FILE = 1_000_000
BONEYARDS = ("spread", "stacked")


class SetupError(ValueError):
    """A set-up file that cannot be used; one line: what, where, what was expected."""


@dataclass(frozen=True, slots=True)
class GameSetup:
    """A game and its table. None means: not said, to be found in the picture or asked for.

    `corners_px` are the table's corners in the picture, clockwise, corner 0 the origin. `copies` is how often every
    tile of the set exists where that differs from the set's own; `boneyard` is spread, stacked or None. `free` is a
    board without trains: tiles are reported as they appear, and no rules are applied. `round_number` is that of the
    first round to be watched; where it is not said the engine tells it, as the rules count rounds. `tile_known` False:
    nobody said how large the tiles are, `tile_mm` is the commonest size. `seats` are the directions in which people
    sit, where they are not behind the stations of their own trains; `watch_arms` False: nobody is named by an arm.
    """

    header: Header
    corners_px: tuple[Point, Point, Point, Point] | None = None
    size_mm: tuple[float, float] | None = None
    tile_mm: tuple[float, float, float] = COMMON_TILE_MM
    stations: Mapping[str, float] = field(default_factory=dict)
    mexican_station: float | None = None
    engine: Laid | None = None
    starter: str | None = None
    round_number: int | None = None
    copies: int | None = None
    boneyard: str | None = None
    free: bool = False
    tile_known: bool = True
    seats: Mapping[str, float] = field(default_factory=dict)
    watch_arms: bool = True

    @property
    def chinese(self) -> bool:
        return self.header.set == "chinese"

    def table_setup(self) -> TableSetup:
        """What reconstruction has to know. A spread boneyard is assumed until the count says otherwise.

        An engine that is no double is against the rules, not against nature: it is found by where it lies alone.
        """
        family = Family.FREE if self.free else (Family.CHINESE if self.chinese else Family.MEXICAN)
        return TableSetup(
            family=family,
            players=self.header.players,
            stations=self.stations,
            mexican_station=self.mexican_station,
            engine=self.engine.inner if self.engine is not None and self.engine.is_double else None,
            tile_mm=self.tile_mm,
            boneyard_spread=self.boneyard != "stacked",
            arms=int(self.header.options.get("arms", 1)),
            set_max=self.header.set_max,
            copies=self.copies,
        )

    def to_json(self) -> dict[str, Any]:
        """The file's content; reading it again gives the same set-up."""
        line = Header(self.header.rules, self.header.set, self.header.players, self.header.options).to_json()
        if self.corners_px is not None or self.size_mm is not None:
            table: dict[str, Any] = {}
            if self.corners_px is not None:
                table["corners_px"] = [list(point) for point in self.corners_px]
            if self.size_mm is not None:
                table["size_mm"] = list(self.size_mm)
            line["table"] = table
        if self.tile_known:
            line["tile_mm"] = list(self.tile_mm)
        if self.stations:
            line["stations"] = dict(self.stations)
            line["mexican_station"] = self.mexican_station
        if self.engine is not None or self.starter is not None or self.round_number is not None:
            line["round"] = {"engine": None if self.engine is None else list(self.engine), "starter": self.starter}
            if self.round_number is not None:
                line["round"]["number"] = self.round_number
        if self.seats:
            line["seats"] = dict(self.seats)
        if not self.watch_arms:
            line["watch_arms"] = False
        for name in ("copies", "boneyard"):
            if getattr(self, name) is not None:
                line[name] = getattr(self, name)
        if self.free:
            line["layout"] = "free"
        return line


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
    free = _layout(data)
    header = _header(data, free)
    players = header.players
    table = _object(data, "table")
    setup = GameSetup(
        header=header,
        corners_px=_corners(table),
        size_mm=_lengths(table.get("size_mm"), "table.size_mm", 2),  # type: ignore[arg-type]
        tile_mm=_lengths(data.get("tile_mm"), "tile_mm", 3) or COMMON_TILE_MM,  # type: ignore[arg-type]
        stations=_stations(data, players),
        mexican_station=_optional_angle(data.get("mexican_station"), "mexican_station"),
        copies=_copies(data),
        boneyard=_boneyard(data),
        free=free,
        tile_known=data.get("tile_mm") is not None,
        seats=_seats(data, players),
        watch_arms=_watch_arms(data),
        **_round(data, header),
    )
    _refuse_contradictions(setup)
    return setup


def _layout(data: Mapping[str, Any]) -> bool:
    layout = data.get("layout")
    if layout not in (None, "free", "trains"):
        raise SetupError(f"layout: expected free or trains, not {layout!r}")
    return bool(layout == "free")


def _header(data: Mapping[str, Any], free: bool) -> Header:
    line = dict(data)
    if free:
        # A board of its own has no rules and needs no names.
        line = {"rules": "free", "players": ["?", "??"], **line}
    try:
        header = Header.from_json(line)
    except EventError as error:
        raise SetupError(str(error)) from None
    return Header(header.rules, header.set, header.players, header.options)


def _object(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = data.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise SetupError(f"{name}: expected an object")
    return value


def _corners(table: Mapping[str, Any]) -> tuple[Point, Point, Point, Point] | None:
    value = table.get("corners_px")
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 4:
        raise SetupError("table.corners_px: expected four points [x, y], clockwise")
    points = [_lengths(point, f"table.corners_px[{n}]", 2, positive=False) for n, point in enumerate(value)]
    if any(point is None for point in points):
        raise SetupError("table.corners_px: expected four points [x, y], not null")
    a, b, c, d = ((float(p[0]), float(p[1])) for p in points if p is not None)
    area = sum(p[0] * q[1] - q[0] * p[1] for p, q in ((a, b), (b, c), (c, d), (d, a))) / 2
    if area < 0:
        raise SetupError("table.corners_px: counter-clockwise, expected clockwise as seen in the picture")
    if area < 100:
        raise SetupError("table.corners_px: the corners enclose no table")
    return a, b, c, d


def _lengths(value: Any, name: str, count: int, *, positive: bool = True) -> tuple[float, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != count:
        raise SetupError(f"{name}: expected {count} numbers")
    numbers = tuple(_number(one, name) for one in value)
    if positive and any(number <= 0 for number in numbers):
        raise SetupError(f"{name}: expected numbers above 0, not {value}")
    return numbers


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or abs(value) > 1e6:
        raise SetupError(f"{name}: expected a number, not {value!r}")
    return float(value)


def _optional_angle(value: Any, name: str) -> float | None:
    return None if value is None else _number(value, name)


def _stations(data: Mapping[str, Any], players: tuple[str, ...]) -> dict[str, float]:
    stations = {name: _number(angle, f"stations.{name}") for name, angle in _object(data, "stations").items()}
    for name in stations:
        if name not in players:
            raise SetupError(f"stations.{name}: nobody of that name plays")
    missing = [name for name in players if stations and name not in stations]
    if missing:
        raise SetupError(f"stations: {', '.join(missing)} has none")
    return stations


def _seats(data: Mapping[str, Any], players: tuple[str, ...]) -> dict[str, float]:
    """Who is left out sits behind their own train; two in one place are no fault of the file (perception.seats)."""
    seats = {name: _number(angle, f"seats.{name}") for name, angle in _object(data, "seats").items()}
    for name in seats:
        if name not in players:
            raise SetupError(f"seats.{name}: nobody of that name plays")
    return seats


def _watch_arms(data: Mapping[str, Any]) -> bool:
    value = data.get("watch_arms", True)
    if not isinstance(value, bool):
        raise SetupError(f"watch_arms: expected true or false, not {value!r}")
    return value


def _round(data: Mapping[str, Any], header: Header) -> dict[str, Any]:
    value = _object(data, "round")
    engine = value.get("engine")
    laid: Laid | None = None
    if engine is not None:
        pips = isinstance(engine, list) and len(engine) == 2 and all(type(pip) is int and pip >= 0 for pip in engine)
        if not pips:
            raise SetupError(f"round.engine: expected two pip numbers such as [12, 12], not {engine!r}")
        laid = Laid(engine[0], engine[1])
        if header.set_max is None:
            raise SetupError("round.engine: the Chinese games have none")
        if max(laid) > header.set_max:
            raise SetupError(f"round.engine: {laid.inner}-{laid.outer} is not in the set {header.set}")
    starter = value.get("starter")
    if starter is not None and starter not in header.players:
        raise SetupError(f"round.starter: {starter!r} does not play")
    number = value.get("number")
    if number is not None and (type(number) is not int or number < 1):
        raise SetupError(f"round.number: expected 1, 2, 3 ..., not {number!r}")
    return {"engine": laid, "starter": starter, "round_number": number}


def _copies(data: Mapping[str, Any]) -> int | None:
    value = data.get("copies")
    if value is not None and (type(value) is not int or not 1 <= value <= 20):
        raise SetupError(f"copies: expected how often each tile exists, 1 to 20, not {value!r}")
    return value


def _boneyard(data: Mapping[str, Any]) -> str | None:
    value = data.get("boneyard")
    if value is not None and value not in BONEYARDS:
        raise SetupError(f"boneyard: expected spread or stacked, not {value!r}")
    return value


def _refuse_contradictions(setup: GameSetup) -> None:
    places = list(setup.stations.items())
    if setup.mexican_station is not None:
        places.append(("the Mexican train", setup.mexican_station))
    for n, (name, angle) in enumerate(places):
        for other, there in places[n + 1 :]:
            if abs(turn(angle, there)) < LEAST_STEP_DEG:
                raise SetupError(f"stations: {name} and {other} are on one station ({angle:g} and {there:g} degrees)")
    length, width, _ = setup.tile_mm
    if not 1.5 <= length / width <= 3.0 or length < SHORTEST_TILE_MM:
        raise SetupError(f"tile_mm: {length:g} x {width:g} is no domino, expected length, width, thickness")
    if setup.size_mm is not None and min(setup.size_mm) < 2 * length:
        raise SetupError(f"table.size_mm: {setup.size_mm[0]:g} x {setup.size_mm[1]:g} holds no tiles of {length:g} mm")


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON")
