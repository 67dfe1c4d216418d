"""The camera over the page's table: follows whichever game is being played, and never stops trying."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2

from companion.app.own_set import keep_own_markers, open_taught, own_markers, usable
from companion.app.state import AppState
from companion.app.table_place import (
    CHECK_CORNERS,
    FILMING_FILE,
    FOUND_AGAIN,
    PLACE_FILE,
    SEATS_FILE,
    DemoCamera,
    FilmingChoice,
    Seating,
    SeatsMiddle,
    TablePlace,
    ViewKeeper,
    live_view,
    look_over,
    middle_of,
    place_from,
    read_place,
    same_first_corner,
    still_of,
    write_place,
)
from companion.evidence.store import Deleter, EvidenceStore
from companion.game.game import Game
from companion.game.rejected import CommandRejected
from companion.log.events import Event
from companion.log.journal import JournalError
from companion.observing.game_sink import GameSink
from companion.perception import CameraNews, Watcher
from companion.perception.attributing import attribution_for
from companion.perception.marker_evidence import OwnMarkersHere
from companion.perception.settings import ObservationSink
from companion.perception.setup_file import GameSetup, SetupError, setup_from_json
from companion.perception.table_reader import box_of, first_calibration, known_set, with_measured_tiles
from companion.storage.repairs import ClockTrust
from companion.supervise.camera import SupervisedCamera
from companion.supervise.eye import EyeAwayError, SupervisedEye, keep_watching
from companion.supervise.parts import UnreadReason
from companion.supervise.pictures import AwayError, judged
from hardware.camera import Camera, CameraError, CameraSettings, open_camera
from hardware.camera.opening import is_live
from vision.calibration import Calibration
from vision.frame import Frame
from vision.own_markers import OwnMarkers
from vision.reading import PictureReading
from vision.settle import Settler

log = logging.getLogger(__name__)

TRY_AGAIN_S = 2.0
"""Pause before the table is looked for again: somebody is moving corners or camera."""

GLANCE_S = 5.0
"""How long the pages of table and seats go by one look."""

WAITING_S = 0.2
"""Pause between two looks at a film that waits for its game."""

BEAT_S = 2.0
"""At a film's end nothing is seen, but there are signs of life."""

MOST_TRIES = 4
"""How often at most the reader sees one picture of a film."""

LAYING_S = 300.0
"""A film's next picture may have to be rendered first. The demo's keeper says it where the process that renders them
hangs; one that works may take an hour on a slow machine."""

HANGS = "nothing is recorded just now (the referee gives no sign of life)"
DEMO_OVER = "the demo is over"
FILM_OVER = "the film is over"

SLOW_S = 7.0
"""Where a picture takes longer, people wait for the table to be read after each play."""

MOVED_SHARE = 0.003
"""Corners that moved by more than this share of the picture's width are worth a word."""

ON_THE_WAY = ("looking", "hand", "settling", "reading")
"""States of the camera that end in "read" where all goes well."""

NEW_ROUND = ("round_started", "round_scored", "round_ended")


class WatchedTable:
    """One camera for the whole evening. `status` and `still` are what the page shows of it."""

    def __init__(
        self,
        app_state: AppState,
        source: str,
        data_dir: Path,
        *,
        camera: Camera | None = None,
        deleter: Deleter | None = None,
        trust: ClockTrust | None = None,
        reopen: Callable[[], Camera] | None = None,
        settings: CameraSettings | None = None,
    ) -> None:
        """`camera` stands in for the one that `source` names: the demo films its own table. `reopen` opens it anew.
        `settings` are a live camera's, until somebody chooses others on the page."""
        self._app_state = app_state
        self._part = app_state.parts.add("referee")
        self._reader_part = app_state.parts.add("reader")
        self._evidence = EvidenceStore(
            data_dir / "games", deleter=deleter, trust=trust, part=app_state.parts.add("pictures")
        )
        self._place_file = data_dir / PLACE_FILE
        self._place = read_place(self._place_file, app_state.repairs.report_damaged)
        self._seating = Seating(data_dir / SEATS_FILE, app_state.repairs.report_damaged)
        self._glanced: tuple[float, PictureReading] | None = None
        self._looked_over: tuple[float, TablePlace | None, Mapping[str, Any]] | None = None
        self._looking_over = threading.Lock()
        self._not_found = ""
        self._filming = FilmingChoice(data_dir / FILMING_FILE, settings, app_state.repairs.report_damaged)
        if camera is None and is_live(source):
            camera = SupervisedCamera(source, self._filming.settings, part=app_state.parts.add("camera"))
        self._camera: Camera = judged(open_camera(source), source) if camera is None else camera
        self._reopen = reopen if reopen is not None else lambda: judged(open_camera(source), source)
        self._is_demo = source.startswith("sim:")
        self._view = ViewKeeper(self._camera)
        self._own_setup: Callable[[], Any] | None = getattr(self._camera, "setup", None)
        self._data_dir = data_dir
        self._taught: Path | None = None
        self._taught_anew = False
        self._untaught = ""
        reader = self._reader_part
        self._limits: dict[str, Any] = {"beat": self._wait_for_the_eye, "busy": reader.busy, "works": reader.beat}
        self._eye = SupervisedEye(**self._limits)
        self._lock = threading.Lock()
        self._state: dict[str, Any] = {"state": "looking"}
        self._frame: Frame | None = None
        self._viewed: tuple[Frame, Mapping[str, Any]] | None = None
        self._frame_wh: tuple[int, int] | None = None
        self._game: tuple[str, Game] | None = None
        self._watcher: Watcher | None = None
        self._fresh = threading.Event()
        self._forget = threading.Event()
        self._measure = threading.Event()
        self._stop = threading.Event()
        self._again = threading.Event()
        self._film_frame: Frame | None = None
        self._over = False
        self._failed = False
        self._held = False
        self._unread = 0
        self._unseen = False
        self._thread = threading.Thread(target=self._part.loop, args=(self._run,), name="watching", daemon=True)

    def start(self) -> None:
        """Begin to watch. A source that brings its own game (the simulated table) puts it on an empty table."""
        if self._own_setup is not None and not self._app_state.has_game:
            self._app_state.start_game(self._own_setup().header.to_json())
        self._app_state.follow(self._play)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._camera.close()
        self._eye.close()
        if self._thread.is_alive():
            self._thread.join(timeout=10)
        self._evidence.close()

    def status(self) -> Mapping[str, Any]:
        """As the page shows it: `state` hand, settling, reading, read, looking or lost, and perhaps `message`.

        Facts from before the referee began to hang say nothing about now.
        """
        sign = self._part.sign()
        if sign.hangs:
            return {"state": "lost", "message": HANGS}
        with self._lock:
            return dict(self._state)

    def delete_pictures(self) -> int:
        """Every picture of every game, on disk and in memory; how many there were."""
        with self._lock:
            watcher = self._watcher
        if watcher is not None:
            watcher.arms.forget_pictures()
        return self._evidence.delete_all()

    def troubles(self) -> list[str]:
        """Why no pictures are kept just now (the game is), or the learned set is not used."""
        notes = self._camera.notes if isinstance(self._camera, SupervisedCamera) else ()
        took_s = self._eye.took_s
        slow = f"this machine needs {took_s:.0f} s for a picture: play slowly" if took_s > SLOW_S else ""
        return [trouble for trouble in (self._evidence.status.trouble, self._untaught, slow, *notes) if trouble]

    def filming(self) -> Mapping[str, Any] | None:
        """How a live camera films: `size` and `mains` as chosen, `films` as it does, `notes`. None for a recording."""
        camera = self._camera
        if not isinstance(camera, SupervisedCamera):
            return None
        mode = camera.live_mode
        return {
            **self._filming.to_json(),
            "films": None if mode is None else {"size": list(mode.size_wh), "mains_hz": mode.mains_hz},
            "notes": list(camera.notes),
        }

    def film_with(self, size_wh: tuple[int, int] | None, mains_hz: int | None) -> None:
        """From now on the camera films like this. Raises ValueError, OSError."""
        if not isinstance(self._camera, SupervisedCamera):
            raise ValueError("a recording is as it is")
        self._camera.use(self._filming.choose(size_wh, mains_hz))

    def still(self) -> bytes | None:
        with self._lock:
            frame = self._frame
        return None if frame is None else still_of(frame)

    def view(self) -> Mapping[str, Any] | None:
        """The latest picture with what was read in it (`live_view`), however many phones ask; None before there is one
        and while the table is not known in it."""
        with self._lock:
            frame, watcher, known = self._frame, self._watcher, self._viewed
        if frame is None or watcher is None or self._view.in_doubt:
            return None
        if known is None or known[0] is not frame:
            known = (frame, live_view(frame, watcher))
            with self._lock:
                self._viewed = known
        return known[1]

    def photograph(self) -> bytes | None:
        """The latest picture as it is, at full resolution, as a PNG."""
        with self._lock:
            frame = self._frame
        if frame is None:
            return None
        done, png = cv2.imencode(".png", frame.image, [cv2.IMWRITE_PNG_COMPRESSION, 1])
        return png.tobytes() if done else None

    def learned(self) -> None:
        """Read the table with the learned set, which has changed."""
        self._taught_anew = True
        self._fresh.set()

    def look_over(self, corners: Any = None, size_mm: Any = None) -> Mapping[str, Any] | None:
        """Whether table and picture are fit to play, with these corners instead of the present ones if there are any;
        None while there is no picture. Raises ValueError.

        Without corners anybody may ask: then it is looked once in a while however many do, and the eye belongs to the
        game that is watched.
        """
        with self._lock:
            frame, place, watcher = self._frame, self._place, self._watcher
        if frame is None:
            return None
        known = None if watcher is None else watcher.calibration
        if corners is not None:
            return look_over(frame, place_from(corners, size_mm), self._eye)  # type: ignore[arg-type]
        with self._looking_over:
            now, last = time.monotonic(), self._looked_over
            if last is None or last[1] is not place or now - last[0] > GLANCE_S:
                found = look_over(frame, place, self._eye, known)  # type: ignore[arg-type]
                self._looked_over = last = (time.monotonic(), place, found)
            return last[2]

    def place(self, corners: Any, size_mm: Any = None) -> None:
        """From now on the table lies there; None: where the printed markers are. Raises ValueError, OSError."""
        place: TablePlace | None = None if corners is None else place_from(corners, size_mm)
        write_place(self._place_file, place)
        with self._lock:
            before, self._place, self._not_found = self._place, place, ""
        if not same_first_corner(before, place):
            self._seating.forget()
        self._fresh.set()

    def unseated(self) -> bool:
        """Is nobody known to sit anywhere in this game? Trains cannot be told apart then."""
        with self._lock:
            game = self._game
        return game is not None and not self._setup_for(game[1]).stations

    def seats(self) -> Mapping[str, Any] | None:
        """`players`, `chinese`, `known`, `hub`, and as shares of the picture `middle` and `places` by name ("MX" is the
        Mexican train). None while there is no picture or game.

        Raises ValueError in one line while the table is not found.
        """
        around = self._around()
        return None if around is None else self._seating.shown(*around)

    def seat(self, places: Mapping[str, tuple[float, float]]) -> None:
        """From now on the trains start there: shares of the picture by name. Raises ValueError, SeatsError, OSError."""
        around = self._around()
        if around is None:
            raise ValueError("there is no picture yet")
        self._seating.keep(places, *around)
        self._fresh.set()

    def watch_arms(self, on: bool) -> None:
        """From now on arms say who laid a tile, or nobody looks at them. Raises OSError."""
        self._seating.watch_arms(on)
        with self._lock:
            watcher = self._watcher
        if watcher is not None:
            watcher.arms.switch(on)

    def _around(self) -> tuple[GameSetup, Frame, Calibration, SeatsMiddle] | None:
        """The present game's set-up, the latest picture, where the table is in it, and what the trains start from."""
        with self._lock:
            frame, game, watcher = self._frame, self._game, self._watcher
        if frame is None or game is None:
            return None
        if watcher is None and self._not_found:  # the camera's own thread has just looked for it, and goes on looking
            raise ValueError(self._not_found)
        setup = self._placed(self._setup_for(game[1]), frame)
        try:
            found = first_calibration(frame, setup, self._eye) if watcher is None else watcher.calibration  # type: ignore[arg-type]
            reading = None if setup.chinese else self._glance(frame, found.px_per_mm * setup.tile_size_mm[0])
        except (SetupError, EyeAwayError) as fault:
            raise ValueError(str(fault)) from None
        return setup, frame, found, middle_of(reading, found)

    def _glance(self, frame: Frame, length_px: float) -> PictureReading:
        """The tiles on the table, looked for once in a while however many phones ask: the watcher needs the same
        eye."""
        now = time.monotonic()
        if self._glanced is None or now - self._glanced[0] > GLANCE_S:
            self._glanced = (now, self._eye.look(frame.image, length_px))
        return self._glanced[1]

    def read_now(self) -> None:
        """Read the table as it is: somebody pressed the button."""
        watcher = self._watcher
        if watcher is not None:
            watcher.read_now()

    @property
    def is_film(self) -> bool:
        """Does the camera show a recording, which can be watched again?"""
        return not self._camera.live

    def watch_again(self) -> None:
        """Show the film from its beginning, with a new game of the same players. Raises ValueError for a live camera,
        CameraError where the film cannot be opened any more."""
        if not self.is_film:
            raise ValueError("a live camera cannot be watched again")
        self._again.set()

    def _play(self, name: str, session: Game) -> None:
        """Another game is on the table."""
        with self._lock:
            self._game, self._failed = (name, session), False
        session.subscribe(self._follow_events)
        self._fresh.set()

    def _follow_events(self, event: Event) -> None:
        if event.KIND in NEW_ROUND:
            self._forget.set()
        if event.KIND == "round_started":
            self._measure.set()

    def _run(self) -> bool:
        """The thread's step: the table until it is over, or the wait for another showing of the film."""
        if not self._over:
            keep_watching(
                self._step,
                lost=self._lost,
                back=self._back,
                beat=self._part.beat,
                broken=self._begin_anew,
                stop=self._stop,
            )
            self._over = True
            if not self._again.is_set() and not self._stop.is_set():
                over, why = DEMO_OVER if self._is_demo else FILM_OVER, getattr(self._camera, "cut_short", "")
                if why:
                    log.error("%s: %s", over, why)  # in the terminal too, where the page may not be open
                self._set_state("ended", f"{over} ({why})" if why else over)
        if self._stop.is_set():
            self._set_state("looking")
            return False
        self._again.wait(BEAT_S)
        if self._again.is_set():
            self._over = False
            self._rewind()
        return True

    def _begin_anew(self) -> None:
        """Nothing half done is gone on with: the table is found again, and what lies there compared with the record.
        Until it is read to its end the page goes on saying what was wrong."""
        self._watcher, self._held, self._failed = None, False, True

    def _rewind(self) -> None:
        """The film from its beginning; the game that was played to it stays among the earlier ones."""
        self._again.clear()
        self._camera.close()
        try:
            self._camera = self._reopen()
        except CameraError as fault:
            self._set_state("lost", str(fault))
            return
        self._view, self._watcher, self._film_frame, self._held = ViewKeeper(self._camera), None, None, False
        self._own_setup = getattr(self._camera, "setup", None)
        with self._lock:
            game = self._game
        self._set_state("looking")
        if game is not None and any(event.source == "camera" for event in game[1].events):
            self._app_state.start_game(game[1].header.to_json())

    def _step(self) -> bool:
        if self._fresh.is_set():
            self._fresh.clear()
            self._watcher = None
        if self._forget.is_set() and self._watcher is not None:
            self._forget.clear()
            self._watcher.forget()
        if self._again.is_set():
            return False
        try:
            frame = self._next_frame()
        except CameraError as away:
            self._unseen = True
            if isinstance(away, AwayError):
                self._view.away(away)
            raise
        if frame is None:
            return False
        with self._lock:
            self._frame = frame
            game = self._game
        try:
            going_on = self._see(frame, game)
        except EyeAwayError:
            # A hand in the next picture, which is not read, mends nothing.
            self._unread += 1
            self._failed = True
            raise
        except (JournalError, CommandRejected):
            if not self._fresh.is_set():
                raise
            return True  # another game was put on the table meanwhile; this one's journal is closed
        self._unread = 0
        self._evidence.tidy()
        return going_on

    def _next_frame(self) -> Frame | None:
        """The next picture. A film stands still until its table is found and somebody has said who starts (of
        photographs: which tile is the engine, too), and while the reader is away; a picture that the reader fails at
        again and again is passed over."""
        again = 0 < self._unread < MOST_TRIES and not self._camera.live
        if self._film_frame is None or not (self._film_waits() or again):
            self._unread = 0
            if not self._camera.live:
                self._part.beat(math.inf if isinstance(self._camera, DemoCamera) else LAYING_S)
            self._film_frame = self._camera.read()
            self._part.beat()
        return self._film_frame

    def _film_waits(self) -> bool:
        if self._camera.live:
            return False
        sink = ObservationSink() if self._watcher is None else self._watcher.sink
        held, self._held = self._held, self._camera.stills and sink.waits_for_engine
        if self._watcher is not None and not (sink.waits_for_starter or self._held):
            return held  # once it is answered, the same photograph is read again
        if self._watcher is not None or self._game is None:
            self._stop.wait(WAITING_S)
        return True

    def _see(self, frame: Frame, game: tuple[str, Game] | None) -> bool:
        """One picture of this game's table; False when it is time to stop."""
        if self._camera.live and self._frame_wh not in (None, frame.size_wh):
            self._watcher = None  # filmed larger or smaller than before: nothing lies where it lay
        self._frame_wh = frame.size_wh
        if self._watcher is not None and self._measure.is_set():
            self._measure.clear()
            try:
                if game is not None and self._other_tiles(frame, game[1], self._watcher):
                    self._watcher = None
            except EyeAwayError:
                self._measure.set()
                raise
        if self._watcher is None:
            if game is None:
                self._failed = False
                self._set_state("looking")
                return True
            self._watcher = self._begin(frame, *game)
            if self._watcher is None:
                return not self._stop.wait(TRY_AGAIN_S)
            self._view.looks_right(frame)
        if not self._held and (not self._view.in_doubt or self._found_again(frame, self._watcher)):
            self._watcher.see(frame)
        return True

    def _other_tiles(self, frame: Frame, session: Any, watcher: Watcher) -> bool:
        """Does the engine that lies there now show that the set is larger or smaller than was assumed?"""
        setup = self._setup_for(session)
        measured = with_measured_tiles(setup, frame, watcher.calibration, self._eye)  # type: ignore[arg-type]
        return measured.tile_size_mm not in (setup.tile_size_mm, watcher.setup.tile_mm)

    def _found_again(self, frame: Frame, watcher: Watcher) -> bool:
        """After an absence: where is the table now? Nothing is read before that is known."""
        was = watcher.calibration.corners_px
        corners = self._view.corners_now(frame, was)
        if corners is None:
            self._set_state("lost", CHECK_CORNERS)
            return False
        watcher.relocate(corners)
        self._evidence.forget_before()
        self._view.looks_right(frame)
        if float(abs(corners - was).max()) > MOVED_SHARE * frame.size_wh[0]:
            self._set_state("moved", FOUND_AGAIN)
        return True

    def _begin(self, frame: Frame, name: str, session: Any) -> Watcher | None:
        """Find the table in the picture; None, with the reason on the page, while it cannot be found."""
        self._read_with(session.header.set)
        place = self._place
        try:
            setup = self._placed(self._setup_for(session), frame)
            calibration = first_calibration(frame, setup, self._eye)  # type: ignore[arg-type]
            setup = with_measured_tiles(setup, frame, calibration, self._eye)  # type: ignore[arg-type]
        except SetupError as fault:
            if self._place is place:  # else somebody has shown meanwhile where the table is
                self._not_found = str(fault)
            self._set_state("lost", str(fault))
            return None
        self._not_found = ""
        if not setup.stations and not setup.chinese and not setup.free:
            self._set_state("unseated")
            return None
        known = known_set(setup)
        box = box_of(known)

        def keep(_frame: str) -> str | None:
            shown, watcher = self._frame, self._watcher
            if shown is None or watcher is None:
                return None
            tiles, players = [*watcher.memory.tiles(), *watcher.asked_about], session.header.players
            arms = {players.index(player): picture for player, picture in watcher.arms.pictures().items()}
            return self._evidence.keep(name, shown, _corners_of(watcher), before=True, tiles=tiles, arms=arms)

        sink = GameSink(session, setup, box, keep=keep, asks=True, stills=self._camera.stills)
        return Watcher(
            self._camera,
            self._eye,  # type: ignore[arg-type]
            Settler(),
            calibration,
            setup.table_setup(),
            sink,
            known=known,
            publish=self._news,
            arms=attribution_for(setup, off=not self._seating.arms),
            own=OwnMarkersHere(own_markers(self._data_dir), self._keep_own_markers),
        )

    def _keep_own_markers(self, own: OwnMarkers) -> None:
        """For the next evening; this one knows them anyway."""
        try:
            keep_own_markers(self._data_dir, own)
        except OSError as fault:
            log.warning("the markers that were learned are not kept: %s", fault)

    def _read_with(self, tile_set: str) -> None:
        """Open the eye anew where another learned set belongs to this game."""
        taught, self._untaught = usable(self._data_dir, tile_set)
        if taught == self._taught and not self._taught_anew:
            return
        self._taught, self._taught_anew = taught, False
        opener = partial(open_taught, taught)
        fresh = SupervisedEye(opener, **self._limits)
        earlier, self._eye = self._eye, fresh
        earlier.close()

    def _setup_for(self, session: Any) -> GameSetup:
        """The source's own set-up where it is this very game's, else what the journal's header says of the table.

        A game that was made on the page begins with its first round, and who sits where was shown on the page.
        """
        if self._own_setup is not None:
            own: GameSetup = self._own_setup()
            if own.header.players == session.header.players and own.header.rules == session.header.rules:
                return own
        setup = setup_from_json(session.header.to_json())
        if setup.round.number is None and setup.round.engine is None:
            setup = replace(setup, round=replace(setup.round, number=1))
        return self._seating.into(setup)

    def _placed(self, setup: GameSetup, frame: Frame) -> GameSetup:
        """The set-up with the corners that a person has set on the page."""
        with self._lock:
            place = self._place
        if place is None:
            return setup
        return replace(setup, table=place.in_picture(frame.size_wh))

    def _news(self, news: CameraNews) -> None:
        shown, watcher = self._frame, self._watcher
        if news.state == "read" and shown is not None and watcher is not None:
            self._view.looks_right(shown)
            self._evidence.settled(shown, watcher.memory.tiles(), _corners_of(watcher))
        self._set_state(news.state, news.detail)

    def _wait_for_the_eye(self) -> None:
        """The eye opens in up to a minute on a busy board: the referee and all others who wait live meanwhile."""
        if threading.current_thread() is self._thread:
            self._part.beat()

    def _lost(self, message: str, why: UnreadReason) -> None:
        failed = self._failed
        if why is UnreadReason.AWAY:
            log.error("%s", message)  # in the terminal too, where somebody types the camera's name
        self._set_state("lost", message, why)
        self._failed = failed

    def _back(self) -> None:
        """The table is read whole where it was out of sight; after a reader's fault only what is due, since a look at
        the whole takes so long that the next hand would come first, again and again."""
        if self._watcher is not None and self._unseen:
            self._watcher.settler.forget()
        self._unseen = False
        self._set_state("looking")

    def _set_state(self, state: str, message: str = "", why: UnreadReason = UnreadReason.OTHER) -> None:
        """Tell all phones, when it is news."""
        if self._failed and state in ON_THE_WAY:
            return
        self._failed = False
        new = {"state": state, "message": message, "why": why if why is not UnreadReason.OTHER else ""}
        new = {name: value for name, value in new.items() if value}
        with self._lock:
            if new == self._state:
                return
            self._state = new
        self._app_state.signal.notify()


def _corners_of(watcher: Watcher) -> list[list[float]]:
    """The table's corners in the picture as it is now."""
    w, h = watcher.calibration.size_mm
    corners: list[list[float]] = watcher.calibration.to_px([[0.0, 0.0], [w, 0.0], [w, h], [0.0, h]]).tolist()
    return corners
