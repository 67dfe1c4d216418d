"""The table under the camera: its place, the seats around it, and the page's view of it.

How the camera is to film, as somebody chose it on the page: kept for the next start.

The camera's picture for the page, and whether the table is still where it was found.

The latter is asked after every absence of the camera, before anything is read.

The table as the camera sees it now, with the readings written over it: people believe an eye that they see at work.

Where the table lies in the camera's picture, as a person said it or by the printed markers; is it fit to play?

Seats: the directions in which the trains start from the hub (Chinese: in which the hands lie).

No picture shows it, so somebody shows it on the page, once; it is kept for all games of the same people.

The demo's camera: the film of an evening, whose players wait for the score before they clear the table.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.evidence.closeups import painted_outside
from companion.evidence.store import TABLE_MARGIN
from companion.geometry.layout import MEXICAN, Point, turn
from companion.log.event_fields import Header
from companion.perception.arm_votes import seats_of, trouble_of
from companion.perception.projection import LEAST_THING_CONFIDENCE, hub_on_table, outline
from companion.perception.setup_file import LEAST_STEP_DEG, GameSetup, SetupError, TableInPicture
from companion.perception.table_reader import first_calibration
from companion.perception.watcher import Watcher
from companion.storage.records import Record
from companion.storage.state_file import read_state, write_state
from companion.supervise.pictures import AwayError, CameraState, KnownView, moved
from hardware.camera import CameraSettings
from hardware.camera.source import FrameSource
from vision.calibration import Calibration, CalibrationError
from vision.eye import Eye
from vision.fiducials import corners_again, find_markers, missing_corners
from vision.frame import Frame, Image, reduced
from vision.inspection import HealthCheck, inspect
from vision.reading import PictureReading

FILMING_FILE = "camera.json"
"""In the data folder."""

MAINS_HZ = (50, 60)
LEAST_PX, MOST_PX = 160, 10_000


class FilmingChoice:
    """The settings of the live camera: the command line's, over which the page's choice goes."""

    def __init__(
        self, file: Path, given: CameraSettings | None = None, damaged: Callable[[Path], None] = lambda aside: None
    ) -> None:
        self._file = file
        self.settings = given or CameraSettings()
        kept = read_state(file, _choice, None, damaged)
        if kept is not None:
            self._take(*kept)

    def choose(self, size_wh: tuple[int, int] | None, mains_hz: int | None) -> CameraSettings:
        """Film like this from now on; None: whatever is best. Raises ValueError, OSError."""
        choice = _choice({"size": None if size_wh is None else list(size_wh), "mains_hz": mains_hz})
        write_state(self._file, {"size": size_wh and list(size_wh), "mains_hz": mains_hz})
        self._take(*choice)
        return self.settings

    def to_json(self) -> dict[str, Any]:
        size = self.settings.size_wh
        return {"size": None if size is None else list(size), "mains": self.settings.mains_hz or "auto"}

    def _take(self, size_wh: tuple[int, int] | None, mains_hz: int | None) -> None:
        self.settings = replace(self.settings, size_wh=size_wh, mains_hz=mains_hz)


def _choice(kept: Any) -> tuple[tuple[int, int] | None, int | None]:
    """Raises ValueError, KeyError or TypeError for anything else than a size and a frequency."""
    size, mains_hz = kept["size"], kept["mains_hz"]
    if size is not None:
        w, h = (int(length) for length in size)
        if not (LEAST_PX <= w <= MOST_PX and LEAST_PX <= h <= MOST_PX):
            raise ValueError(f"expected a size of {LEAST_PX} to {MOST_PX} pixels")
        size = (w, h)
    if mains_hz is not None and mains_hz not in MAINS_HZ:
        raise ValueError("expected mains of 50 or 60 Hz")
    return size, mains_hz


CHECK_CORNERS = CameraState.MOVED.sentence
FOUND_AGAIN = "the camera was moved; the table was found again"

AGREE_SHARE = 0.003
"""Two pictures running must agree on where the table is, to this share of the picture's width: a camera that is still
being moved is waited for."""

STILL_WH = (1280, 960)
"""Size of the picture on the set-up page."""

CornersPx = NDArray[np.float64]


class ViewKeeper:
    """Remembers how the table looked when it was last read. A source that is no live camera is never in doubt."""

    def __init__(self, camera: Any) -> None:
        self._remember_view: Callable[[Image | None], None] | None = getattr(camera, "remember_view", None)
        self._known: KnownView | None = None
        self._before: CornersPx | None = None
        self.in_doubt = False

    def looks_right(self, frame: Frame) -> None:
        """The table was found or read in this picture."""
        if self._remember_view is None:
            return
        self._known, self._before, self.in_doubt = KnownView(frame.image), None, False
        self._remember_view(frame.image)

    def away(self, error: AwayError) -> None:
        """The camera gives no pictures, or says that it was moved: then it has to show them again, to be looked at."""
        if self._remember_view is None or self._known is None:
            return
        self.in_doubt, self._before = True, None
        if error.health.state is CameraState.MOVED:
            self._remember_view(None)

    def corners_now(self, frame: Frame, corners_px: Any) -> CornersPx | None:
        """(4, 2): where the table's corners are in this picture, which were at `corners_px`; None while that cannot be
        told. The printed markers know best; without them it is measured, twice."""
        marked = corners_again(frame.image)
        if marked is not None:
            return np.asarray(marked, np.float64)
        change = None if self._known is None else self._known.change(frame.image)
        before, self._before = self._before, None
        if change is None:
            return None
        now = self._before = moved(change, np.asarray(corners_px, np.float64))
        if before is None or float(np.abs(now - before).max()) > AGREE_SHARE * frame.size_wh[0]:
            return None
        return now


def still_of(frame: Frame) -> bytes | None:
    """The picture for the set-up page, as a JPEG."""
    w, h = frame.size_wh
    share = min(1.0, STILL_WH[0] / w, STILL_WH[1] / h)
    small, _ = reduced(frame.image, (max(1, round(w * share)), max(1, round(h * share))))
    done, jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
    return jpeg.tobytes() if done else None


WIDTH_PX = 1000


def live_view(frame: Frame, watcher: Watcher) -> dict[str, Any]:
    """`jpeg` with everything outside the table painted over, `size` [w, h] of it in px; `tiles`: `quad` of four corners
    in parts of the picture and `values` [a, b] from the end at the first two corners, null where they cannot be read;
    `arms`: `at` in parts of the picture, where the hand is, and the player's `name`, "" where no seat is clear."""
    w, h = frame.size_wh
    width = min(WIDTH_PX, w)
    small, _scale = reduced(frame.image, (width, round(h * width / w)))
    calibration, layout = watcher.calibration, watcher.layout
    shares = calibration.corners_px / np.array([w, h])
    painted = painted_outside(small, shares * (small.shape[1], small.shape[0]), TABLE_MARGIN)
    jpeg = cv2.imencode(".jpg", painted, [cv2.IMWRITE_JPEG_QUALITY, 75])[1].tobytes()

    def seen(points_mm: list[tuple[float, float]]) -> list[list[float]]:
        return [[round(x / w, 4), round(y / h, 4)] for x, y in calibration.to_px(points_mm).tolist()]

    tiles = [
        {"quad": seen([outline(one)[n] for n in (3, 0, 1, 2)]), "values": one.values and list(one.values)}
        for one in (tile.seen for tile in layout or ())
        if one.face_up
    ]
    arms = [{"at": seen([tip])[0], "name": name} for tip, name in watcher.arms.over_now()]
    return {"jpeg": jpeg, "size": [small.shape[1], small.shape[0]], "tiles": tiles, "arms": arms}


PLACE_FILE = "table.json"
"""In the data folder: one table for all games."""

NOBODY = Header("tactic", "double-12", ("?", "??"))
"""A set-up file names its players; looking over an empty table needs none."""


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Where the table lies in the picture."""

    corners: tuple[Point, Point, Point, Point]
    """Clockwise, as shares of the picture's width and height, so they outlive a change of its size."""
    size_mm: tuple[float, float] | None = None
    """None: measured by the tiles that lie there."""

    def in_picture(self, size_wh: tuple[int, int]) -> TableInPicture:
        a, b, c, d = ((x * size_wh[0], y * size_wh[1]) for x, y in self.corners)
        return TableInPicture((a, b, c, d), self.size_mm)

    def to_json(self) -> dict[str, Any]:
        return {
            "corners": [[round(x, 5), round(y, 5)] for x, y in self.corners],
            "size_mm": None if self.size_mm is None else list(self.size_mm),
        }


def same_first_corner(before: TablePlace | None, after: TablePlace | None) -> bool:
    """Directions on the table count from its first corner. None: the printed markers say which that is."""
    if before is None or after is None:
        return before is after
    first = before.corners[0]
    return min(range(4), key=lambda n: math.dist(after.corners[n], first)) == 0


def place_from(corners: Any, size_mm: Any) -> TablePlace:
    """Raises ValueError in one line for anything but four points within or close to the picture."""
    try:
        points = [(float(x), float(y)) for x, y in corners]
        size = None if size_mm is None else (float(size_mm[0]), float(size_mm[1]))
    except (TypeError, ValueError, IndexError):
        raise ValueError("expected four corners [x, y] and a size [width, height]") from None
    if len(points) != 4 or not all(-0.05 <= share <= 1.05 for point in points for share in point):
        raise ValueError("expected four corners within the picture")
    if size is not None and not all(100 <= length <= 10_000 for length in size):
        raise ValueError("expected a table of 100 to 10000 mm")
    return TablePlace((points[0], points[1], points[2], points[3]), size)


def read_place(path: Path, damaged: Callable[[Path], None] = lambda aside: None) -> TablePlace | None:
    """The place that was kept; without one None: then the markers say where the table is. A file that makes no sense is
    set aside."""

    def place_of(kept: Any) -> TablePlace | None:
        return place_from(kept["corners"], kept.get("size_mm"))

    return read_state(path, place_of, None, damaged)


def write_place(path: Path, place: TablePlace | None) -> None:
    """Whole or not at all; None: forget it. Raises OSError."""
    if place is None:
        path.unlink(missing_ok=True)
        return
    write_state(path, place.to_json())


def look_over(frame: Frame, place: TablePlace | None, eye: Eye, known: Calibration | None = None) -> dict[str, Any]:
    """The view for the set-up page: where the table is, how finely it is seen, and what is wrong with the picture.

    `by` is person, markers, setup (`known`, what the game being watched goes by) or None: not found. Then `why` is
    MARKERS (`missing` in the picture), OUTLINE (no four-sided table) or NO_TILES (to measure it by), and `problem` says
    it in one line. `corners` are shares of the picture, `causes` vision.inspection's; `fit`: one can play. The eye is
    asked only for a `place` of unknown size that is not `known`.
    """
    markers = find_markers(frame.image, thorough=place is None and known is None)
    result: dict[str, Any] = {"by": None, "corners": None, "missing": list(missing_corners(markers)), "problem": None}
    try:
        if place is not None and known is not None:
            calibration, by = known, "person"
        elif place is not None:
            setup = GameSetup(NOBODY, place.in_picture(frame.size_wh))
            calibration, by = first_calibration(frame, setup, eye), "person"
        elif result["missing"] and known is not None:
            calibration, by = known, "setup"
        else:
            calibration, by = Calibration.from_markers(markers, None, size_wh=frame.size_wh), "markers"
    except (CalibrationError, SetupError) as fault:
        health = HealthCheck().see(frame)
        shown = None if place is None else place.to_json()["corners"]
        why = "MARKERS" if place is None else "OUTLINE" if place.size_mm is not None else _why_unmeasured(fault)
        problem = {"problem": str(fault), "why": why}
        return {**result, **problem, "corners": shown, "causes": list(health.causes), "fit": False}
    error = calibration.error_mm(markers) if markers else None
    found = inspect(frame.image, calibration, error)
    w, h = frame.size_wh
    return {
        **result,
        "by": by,
        "corners": [[round(float(x) / w, 5), round(float(y) / h, 5)] for x, y in calibration.corners_px],
        "size_mm": [round(length) for length in calibration.size_mm],
        "px_per_mm": round(found.px_per_mm, 2),
        "worst_px_per_mm": round(found.worst_px_per_mm, 2),
        "error_mm": None if error is None else round(error, 2),
        "glare": round(found.glare, 3),
        "causes": list(found.causes),
        "fit": found.fit,
    }


def _why_unmeasured(fault: Exception) -> str:
    return "NO_TILES" if str(fault).startswith("table.size_mm") else "OUTLINE"


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
class SeatPlan(Record):
    """Where trains begin and people sit, in degrees in the table's coordinates."""

    ALWAYS: ClassVar[frozenset[str]] = frozenset({"mexican"})

    stations: Mapping[str, float]
    """Where each player's train begins."""
    mexican: float | None = None
    """None: that train may begin anywhere."""
    sitting: Mapping[str, float] = field(default_factory=dict)
    """The directions of people who do not sit behind their own trains."""
    arms: bool = True
    """False: the players do not want the camera to look at their arms."""

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


NOBODY_SEATED = SeatPlan({})


@dataclass(frozen=True, slots=True)
class SeatsMiddle:
    """The point that the stations lie around, in mm."""

    place: Point
    rim_mm: float = 0.0
    """0: no hub is seen, the point is the engine or the table's own middle."""


def middle_of(reading: PictureReading | None, calibration: Calibration) -> SeatsMiddle:
    """The hub where one is seen surely enough, else the double nearest to the middle of the table, else that."""
    w, h = calibration.size_mm
    centre = (w / 2, h / 2)
    if reading is None:
        return SeatsMiddle(centre)
    hub = hub_on_table(reading.hub, calibration)
    if hub is not None and hub.confidence >= LEAST_THING_CONFIDENCE:
        return SeatsMiddle(hub.center_mm, hub.radius_mm)
    doubles = [tile for tile in reading.tiles if tile.values is not None and tile.values[0] == tile.values[1]]
    places = [calibration.lie(tile.quad_px).center_mm for tile in doubles]
    nearest = min(places, key=lambda place: math.dist(place, centre), default=centre)
    return SeatsMiddle(nearest if math.dist(nearest, centre) <= ENGINE_WITHIN * min(w, h) else centre)


def seats_at(places: Mapping[str, Point], middle: SeatsMiddle, size_mm: Point | None = None) -> SeatPlan:
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
    return SeatPlan(angles, mexican, sitting)


def places_of(
    seats: SeatPlan, players: tuple[str, ...], middle: SeatsMiddle, size_mm: Point, chinese: bool
) -> dict[str, Point]:
    """Where the handles stand: at the known stations, else spread evenly in the order of play, the first one below."""
    names = players if chinese else (*players, MEXICAN)
    known = {**seats.stations, MEXICAN: seats.mexican}
    way = -1 if chinese else 1
    angles = {name: 90.0 + way * n * 360.0 / len(names) for n, name in enumerate(names)}
    if seats.known_of(players):
        angles = {name: float(angle) for name in names if (angle := known[name]) is not None}
    return {name: _beside(middle.place, REACH * min(size_mm), angle) for name, angle in angles.items()}


def chairs_of(
    seats: SeatPlan, players: tuple[str, ...], places: Mapping[str, Point], size_mm: Point
) -> dict[str, Point]:
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

    def shown(self, setup: GameSetup, frame: Frame, calibration: Calibration, middle: SeatsMiddle) -> Mapping[str, Any]:
        """Where everybody's handle stands on the picture, as shares of it."""
        players = setup.header.players
        known = SeatPlan(setup.stations, setup.mexican_station, setup.seats)
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
        self, places: Mapping[str, Point], setup: GameSetup, frame: Frame, calibration: Calibration, middle: SeatsMiddle
    ) -> None:
        """`places` are shares of the picture by name. Raises ValueError, SeatsError, OSError."""
        players = {*setup.header.players}
        chairs = {SITS + name for name in players}
        if not players <= {*places} <= (players if setup.chinese else players | {MEXICAN} | chairs):
            raise ValueError(f"expected a place for each of {', '.join(setup.header.players)}")
        at = calibration.table_to_mm(np.array(list(places.values())) * np.array(frame.size_wh)).tolist()
        spots = {name: (x, y) for name, (x, y) in zip(places, at, strict=True)}
        self._keep(seats_at(spots, middle, calibration.size_mm))

    def _keep(self, seats: SeatPlan) -> None:
        """These seats; whether arms are looked at stays as it was said."""
        self._write(replace(seats, arms=self.arms))

    def _write(self, seats: SeatPlan) -> None:
        with self._lock:
            write_seats(self._path, seats)
            self._seats = seats


def read_seats(path: Path, damaged: Callable[[Path], None] = lambda aside: None) -> SeatPlan:
    """The seats that were kept; nobody without a file. A file that makes no sense is set aside, and the seats are asked
    for."""
    return read_state(path, SeatPlan.from_json, NOBODY_SEATED, damaged)


def write_seats(path: Path, seats: SeatPlan) -> None:
    """Whole or not at all. Raises OSError."""
    write_state(path, seats.to_json())


if TYPE_CHECKING:
    pass

STILL_S = 0.2
"""While the players wait, their table is shown again and again in this pace."""

PATIENCE_S = 40.0
"""Players who wait longer for the points than this clear the table all the same."""

STILL_OPEN = ("playing", "round_over")
"""Phases of a round that is not scored yet, as the page shows them."""


class DemoCamera(FrameSource):
    """Frames of an evening, and what people at that table would do on the page: begin the next match there.

    `place_of` tells (match, round) from a frame's name, `begin` puts a match on the page, `phase` is the page's.
    """

    live = False

    def __init__(
        self,
        film: FrameSource,
        place_of: Callable[[str], tuple[int, int]],
        begin: Callable[[int], None],
        phase: Callable[[], str],
        *,
        clock: Callable[[], float] = time.monotonic,
        rest: Callable[[float], None] = time.sleep,
    ) -> None:
        self.stills = film.stills
        self._film, self._place_of, self._begin, self._phase = film, place_of, begin, phase
        self._clock, self._rest = clock, rest
        self._place: tuple[int, int] | None = None
        self._shown: Frame | None = None
        self._next: Frame | None = None
        self._until = 0.0
        self._behind_s = 0.0

    def read(self) -> Frame | None:
        """The next frame, or the last table once more while its round is being scored; None at the film's end."""
        frame = self._next if self._next is not None else self._film.read()
        if frame is None:
            return None
        place = self._place_of(frame.name)
        if self._shown is not None and place != self._place and self._waits_for_points(frame):
            self._rest(STILL_S)
            self._behind_s += STILL_S
            self._shown = replace(self._shown, at=self._shown.at + STILL_S)
            return self._shown
        self._next = None
        if self._place is None or place[0] != self._place[0]:
            self._begin(place[0])
        self._place = place
        self._shown = replace(frame, at=frame.at + self._behind_s)
        return self._shown

    def _waits_for_points(self, frame: Frame) -> bool:
        if self._next is None:
            self._next, self._until = frame, self._clock() + PATIENCE_S
        return self._phase() in STILL_OPEN and self._clock() < self._until

    @property
    def cut_short(self) -> str:
        return str(getattr(self._film, "cut_short", ""))

    def close(self) -> None:
        self._film.close()
