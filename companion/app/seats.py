"""Who sits where: the directions in which the trains start from the hub (Chinese: in which the hands lie).

No picture shows it, so somebody shows it on the page, once; it is kept for all games of the same people.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from companion.geometry.angles import turn
from companion.geometry.table_setup import MEXICAN
from companion.geometry.table_view import Point
from companion.perception.projection import LEAST_THING_CONFIDENCE, hub_on_table
from companion.perception.seats import seats_of, trouble_of
from companion.play.setup_file import LEAST_STEP_DEG, GameSetup
from companion.storage.records import Record
from companion.storage.state_file import read_state, write_state
from vision.calibration import Calibration
from vision.frame import Frame
from vision.reading import PictureReading

SEATS_FILE = "seats.json"
"""In the data folder: one for all games."""

REACH = 0.36
"""How far from the middle the handles stand, in shorter sides of the table: on a phone they must not cover others."""

ENGINE_WITHIN = 0.25
"""Where no hub lies: an engine is no farther from the middle of the table than this part of its shorter side."""

SITS = "seat:"
"""Before a name: where this player sits, not where the train starts."""

SITTING_REACH = 0.47
"""How far from the table's middle the handles for people stand, in shorter sides of the table."""

NEAREST_MM = 25.0
"""Nearer to the middle than this a place shows no direction."""


class SeatsError(ValueError):
    """`one` and `other` (None: the middle) are where they cannot both be."""

    def __init__(self, one: str, other: str | None) -> None:
        super().__init__(f"{one} and {other} are on one station" if other else f"{one} is in the middle of the table")
        self.one, self.other = one, other


@dataclass(frozen=True, slots=True)
class Seats(Record):
    """`stations` {name: degrees in the table's coordinates}; `mexican` None: that train may begin anywhere.

    `sitting` are the directions of people who do not sit behind their own trains. `arms` False: the players do not want
    their arms looked at.
    """

    ALWAYS: ClassVar[frozenset[str]] = frozenset({"mexican"})

    stations: Mapping[str, float]
    mexican: float | None = None
    sitting: Mapping[str, float] = field(default_factory=dict)
    arms: bool = True

    def known_of(self, players: Iterable[str]) -> bool:
        return all(name in self.stations for name in players)

    def into(self, setup: GameSetup) -> GameSetup:
        """The set-up with these stations where it says none and every player's is known."""
        players = setup.header.players
        if setup.stations or setup.free or not self.known_of(players):
            return setup
        own = {name: self.stations[name] for name in players}
        sitting = setup.seats or {name: self.sitting[name] for name in players if name in self.sitting}
        return replace(setup, stations=own, mexican_station=None if setup.chinese else self.mexican, seats=sitting)


NOBODY_SEATED = Seats({})


@dataclass(frozen=True, slots=True)
class Middle:
    """Around what the stations lie, in mm; `rim_mm` 0: no hub is seen, it is the engine or the table's own middle."""

    place: Point
    rim_mm: float = 0.0


def middle_of(reading: PictureReading | None, calibration: Calibration) -> Middle:
    """The hub where one is seen surely enough, else the double nearest to the middle of the table, else that."""
    w, h = calibration.size_mm
    centre = (w / 2, h / 2)
    if reading is None:
        return Middle(centre)
    hub = hub_on_table(reading.hub, calibration)
    if hub is not None and hub.confidence >= LEAST_THING_CONFIDENCE:
        return Middle(hub.center_mm, hub.radius_mm)
    doubles = [tile for tile in reading.tiles if tile.values is not None and tile.values[0] == tile.values[1]]
    places = [calibration.lie(tile.quad_px).center_mm for tile in doubles]
    nearest = min(places, key=lambda place: math.dist(place, centre), default=centre)
    return Middle(nearest if math.dist(nearest, centre) <= ENGINE_WITHIN * min(w, h) else centre)


def seats_at(places: Mapping[str, Point], middle: Middle, size_mm: Point | None = None) -> Seats:
    """From places on the table in mm, the Mexican train's under its own name, where people sit under SITS and theirs.

    Trains start around `middle`, people sit around the middle of the table. Raises SeatsError.
    """
    angles: dict[str, float] = {}
    sitting: dict[str, float] = {}
    cx, cy = middle.place if size_mm is None else (size_mm[0] / 2, size_mm[1] / 2)
    for name, (x, y) in places.items():
        if name.startswith(SITS):
            sitting[name.removeprefix(SITS)] = round(math.degrees(math.atan2(y - cy, x - cx)), 1)
            continue
        dx, dy = x - middle.place[0], y - middle.place[1]
        if math.hypot(dx, dy) < NEAREST_MM:
            raise SeatsError(name, None)
        angle = math.degrees(math.atan2(dy, dx))
        for other, there in angles.items():
            if abs(turn(angle, there)) < LEAST_STEP_DEG:
                raise SeatsError(other, name)
        angles[name] = round(angle, 1)
    mexican = angles.pop(MEXICAN, None)
    return Seats(angles, mexican, sitting)


def places_of(
    seats: Seats, players: tuple[str, ...], middle: Middle, size_mm: Point, chinese: bool
) -> dict[str, Point]:
    """Where the handles stand: at the known stations, else spread evenly in the order of play, the first one below."""
    names = players if chinese else (*players, MEXICAN)
    known = {**seats.stations, MEXICAN: seats.mexican}
    way = -1 if chinese else 1
    angles = {name: 90.0 + way * n * 360.0 / len(names) for n, name in enumerate(names)}
    if seats.known_of(players):
        angles = {name: float(angle) for name in names if (angle := known[name]) is not None}
    return {name: _beside(middle.place, REACH * min(size_mm), angle) for name, angle in angles.items()}


def chairs_of(seats: Seats, players: tuple[str, ...], places: Mapping[str, Point], size_mm: Point) -> dict[str, Point]:
    """Where the handles for people stand: where they were said to sit, else behind the handles of their trains."""
    center = (size_mm[0] / 2, size_mm[1] / 2)
    found = {}
    for name in players:
        x, y = places[name]
        angle = seats.sitting.get(name, math.degrees(math.atan2(y - center[1], x - center[0])))
        found[SITS + name] = _beside(center, SITTING_REACH * min(size_mm), angle)
    return found


def _beside(place: Point, reach: float, angle_deg: float) -> Point:
    angle = math.radians(angle_deg)
    return place[0] + reach * math.cos(angle), place[1] + reach * math.sin(angle)


class Seating:
    """The seats as they are kept, for a page and a camera that run side by side. Thread-safe."""

    def __init__(self, path: Path, damaged: Callable[[Path], None] = lambda aside: None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._seats = read_seats(path, damaged)

    def into(self, setup: GameSetup) -> GameSetup:
        with self._lock:
            return self._seats.into(setup)

    def forget(self) -> None:
        """Raises OSError."""
        self._keep(NOBODY_SEATED)

    @property
    def arms(self) -> bool:
        """Whether arms are looked at."""
        with self._lock:
            return self._seats.arms

    def watch_arms(self, on: bool) -> None:
        """Raises OSError."""
        with self._lock:
            seats = self._seats
        self._write(replace(seats, arms=on))

    def shown(self, setup: GameSetup, frame: Frame, calibration: Calibration, middle: Middle) -> Mapping[str, Any]:
        """Where everybody's handle stands on the picture, as shares of it."""
        players = setup.header.players
        known = Seats(setup.stations, setup.mexican_station, setup.seats)
        places = places_of(known, players, middle, calibration.size_mm, setup.chinese)
        if not setup.chinese:
            places |= chairs_of(known, players, places, calibration.size_mm)
        shares = calibration.table_to_px([middle.place, *places.values()]) / np.array(frame.size_wh)
        rounded = [[round(float(x), 5), round(float(y), 5)] for x, y in shares]
        return {
            "players": list(players),
            "chinese": setup.chinese,
            "known": bool(setup.stations),
            "hub": middle.rim_mm > 0,
            "arms": self.arms,
            "trouble": trouble_of(seats_of(setup.seats, setup.stations, players), players) if setup.stations else None,
            "middle": rounded[0],
            "places": dict(zip(places, rounded[1:], strict=True)),
        }

    def keep(
        self, places: Mapping[str, Point], setup: GameSetup, frame: Frame, calibration: Calibration, middle: Middle
    ) -> None:
        """`places` are shares of the picture by name. Raises ValueError, SeatsError, OSError."""
        players = {*setup.header.players}
        chairs = {SITS + name for name in players}
        if not players <= {*places} <= (players if setup.chinese else players | {MEXICAN} | chairs):
            raise ValueError(f"expected a place for each of {', '.join(setup.header.players)}")
        at = calibration.table_to_mm(np.array(list(places.values())) * np.array(frame.size_wh)).tolist()
        spots = {name: (x, y) for name, (x, y) in zip(places, at, strict=True)}
        self._keep(seats_at(spots, middle, calibration.size_mm))

    def _keep(self, seats: Seats) -> None:
        """These seats; whether arms are looked at stays as it was said."""
        self._write(replace(seats, arms=self.arms))

    def _write(self, seats: Seats) -> None:
        with self._lock:
            write_seats(self._path, seats)
            self._seats = seats


def read_seats(path: Path, damaged: Callable[[Path], None] = lambda aside: None) -> Seats:
    """What was kept; nobody where nothing was. A file that makes no sense is set aside, and the seats are asked for."""
    return read_state(path, Seats.from_json, NOBODY_SEATED, damaged)


def write_seats(path: Path, seats: Seats) -> None:
    """Whole or not at all. Raises OSError."""
    write_state(path, seats.to_json())
