"""The product's watching thread over a made-up camera, whose watcher reports a draw with each picture."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from companion.app.games import make_app_state
from companion.app.state import AppState
from companion.app.table_service import WatchedTable
from companion.rules.notation import Drawing
from companion.web.app import PageSettings, create_app
from datasets.bots.watching import table_change
from vision.calibration import Calibration
from vision.frame import Frame
from vision.settle import Settler

GAME = {"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"], "options": {}}

PATIENCE_S = 30.0
CORNERS = np.array([[0, 0], [120, 0], [120, 90], [0, 90]], np.float64)
"""The table's corners in the picture."""


class LiveCamera:
    """A picture every `every_s`."""

    live = True
    stills = False

    def __init__(self, every_s: float = 0.002) -> None:
        self._every_s, self._count = every_s, 0
        self.size_wh = (120, 90)
        self.before_each: Callable[[], None] = lambda: None

    def read(self) -> Frame | None:
        self.before_each()
        time.sleep(self._every_s)
        self._count += 1
        return Frame(np.full((*self.size_wh[::-1], 3), 90, np.uint8), float(self._count), f"f{self._count}")

    def close(self) -> None: ...


class TellingWatcher:
    """Reports a draw with each picture, to the session that it was begun with, as the product's does: with what it
    brought on record. `told` are the journal's numbers that `observe` has acknowledged."""

    def __init__(self, session: Any, read: Callable[[], None]) -> None:
        self._session, self._read = session, read
        self.told: list[int] = []
        self.sink = None
        self.settler = Settler()
        self.calibration = Calibration.from_corners(CORNERS, (1200, 900), 9.0)
        self.before_each: Callable[[], object] = lambda: None

    def see(self, frame: Frame) -> None:
        self.before_each()
        self.told += [event.seq for event in self._session.observe(table_change([Drawing(1)]))]
        self._read()

    def forget(self) -> None: ...


class TellingTable(WatchedTable):
    """The watching thread, but for what takes eyes: `_begin` puts a TellingWatcher on whatever game is played."""

    def __init__(self, app_state: AppState, folder: Path, camera: LiveCamera) -> None:
        super().__init__(app_state, "none", folder, camera=camera)  # type: ignore[arg-type]
        self.camera = camera
        self.watchers: list[TellingWatcher] = []
        self.looks: Callable[[], object] = lambda: None
        app_state.camera = app_state.table = self
        # Built before the thread starts: Python 3.11.7's parser cannot build routes while another thread's faults
        # are written to the log.
        self.page = create_app(app_state, PageSettings(pin="135790", testing=True)).test_client()

    def _begin(self, frame: Frame, name: str, session: Any) -> Any:
        self._set_state("reading")
        self.watchers.append(TellingWatcher(session, lambda: self._set_state("read")))
        self.watchers[-1].before_each = lambda: self.looks()
        return self.watchers[-1]

    def _other_tiles(self, frame: Frame, session: Any, watcher: Any) -> bool:
        return False

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    @property
    def told(self) -> int:
        return sum(len(watcher.told) for watcher in self.watchers)

    def tells_more(self, patience_s: float = PATIENCE_S) -> bool:
        """Does it go on recording within `patience_s`?"""
        before = self.told
        return until(lambda: self.told > before, patience_s)


def new_game(app_state: AppState) -> None:
    app_state.start_game(GAME)
    app_state.session.start_round((12, 12), "Ann")  # type: ignore[attr-defined]


HASTE = 8
"""The parts' seconds are so much shorter in a test."""


def telling_table(folder: Path, haste: float = HASTE, every_s: float = 0.002) -> TellingTable:
    """Watching already, over a game that is played."""
    app_state = make_app_state(folder)
    app_state.parts._clock = lambda: time.monotonic() * haste
    app_state.parts._pause = lambda seconds: time.sleep(seconds / haste)
    new_game(app_state)
    table = TellingTable(app_state, folder, LiveCamera(every_s))
    table.start()
    return table


def until(done: Callable[[], bool], patience_s: float = PATIENCE_S) -> bool:
    """Wait for it."""
    end = time.monotonic() + patience_s
    while not done():
        if time.monotonic() > end:
            return False
        threading.Event().wait(0.05)
    return True
