"""A film in place of a camera: it waits for its game, ends without a fault, and can be watched again."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from bench.stand_ins.fakes import FakeTable
from companion.app.games import make_app_state
from companion.app.state import AppState
from companion.app.table_place import DemoCamera
from companion.app.table_service import DEMO_OVER, FILM_OVER, WatchedTable
from companion.perception.settings import ObservationSink
from companion.storage.repairs import Repair
from companion.supervise.eye import EyeAwayError
from companion.supervise.parts import Parts, UnreadReason
from companion.supervise.pictures import AwayError, CameraState, Health
from vision.frame import Frame


class ShortFilm:
    live = False
    stills = False

    def __init__(self, frames: int, cut_short: str = "") -> None:
        self.left, self.cut_short = frames, cut_short
        self.shown = 0
        self.closed = False

    def read(self) -> Frame | None:
        if self.shown >= self.left:
            return None
        self.shown += 1
        return Frame(np.full((90, 120, 3), 90, np.uint8), float(self.shown), f"f{self.shown}")

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def films() -> list[ShortFilm]:
    return []


@pytest.fixture
def watched(tmp_path: Path, films: list[ShortFilm]) -> Iterator[WatchedTable]:
    def film() -> ShortFilm:
        films.append(ShortFilm(0 if films else 3))
        return films[-1]

    table = WatchedTable(make_app_state(tmp_path), "evening.mp4", tmp_path, camera=film(), reopen=film)  # type: ignore[arg-type]
    yield table
    table._eye.close()
    table._evidence.close()


def test_a_film_stands_still_until_there_is_a_game(watched: WatchedTable, films: list[ShortFilm]) -> None:
    watched._stop.set()  # nobody waits in a test
    for _ in range(5):
        assert watched._step()
    assert films[0].shown == 1 and watched.still() is not None


def test_a_film_runs_once_its_round_has_begun(watched: WatchedTable, films: list[ShortFilm]) -> None:
    class Desk:
        waits_for_starter, waits_for_engine = True, False

    class Watcher:
        sink = Desk()
        seen = 0

        def see(self, frame: Frame) -> None:
            self.seen += 1

    watched._stop.set()
    watched._watcher = Watcher()  # type: ignore[assignment]
    assert watched._step() and watched._step() and films[0].shown == 1
    watched._watcher.sink.waits_for_starter = False  # type: ignore[union-attr]
    assert watched._step() and watched._step() and films[0].shown == 3
    assert not watched._step()


@pytest.mark.parametrize("stills", [True, False])
def test_a_photograph_waits_for_the_engine_and_is_read_again(
    watched: WatchedTable, films: list[ShortFilm], stills: bool
) -> None:
    class Desk:
        waits_for_starter = waits_for_engine = False

    class Watcher:
        sink = Desk()
        seen: ClassVar[list[str]] = []

        def see(self, frame: Frame) -> None:
            self.seen.append(frame.name)
            self.sink.waits_for_engine = len(self.seen) == 1

    Watcher.seen.clear()
    films[0].stills = stills
    watched._stop.set()
    watched._watcher = Watcher()  # type: ignore[assignment]
    for _ in range(3):
        assert watched._step()
    if not stills:
        assert Watcher.seen == ["f1", "f2", "f3"], "of a film other pictures of the same table come"
        return
    assert Watcher.seen == ["f1"], "nothing more is read until somebody has answered"
    Watcher.sink.waits_for_engine = False
    while watched._step():
        pass
    assert Watcher.seen == ["f1", "f1", "f2", "f3"]


def test_a_film_stands_still_while_the_reader_is_away(watched: WatchedTable, films: list[ShortFilm]) -> None:
    class Watcher:
        sink = ObservationSink()
        seen: ClassVar[list[str]] = []

        def see(self, frame: Frame) -> None:
            self.seen.append(frame.name)
            if len(self.seen) in (1, 3, 4, 5, 6):
                raise EyeAwayError("the reader did not answer")

    watched._watcher = Watcher()  # type: ignore[assignment]
    for _ in range(8):
        with suppress(EyeAwayError):
            watched._step()
    assert Watcher.seen == ["f1", "f1", "f2", "f2", "f2", "f2", "f3"], "no picture stops the film for ever"


CUT = "it gives no pictures"


@pytest.mark.parametrize(
    ("source", "cut", "words"),
    [("evening.mp4", "", FILM_OVER), ("sim:3", "", DEMO_OVER), ("sim:3", CUT, f"{DEMO_OVER} ({CUT})")],
)
def test_a_film_that_ends_is_over_and_no_camera_is_gone(
    source: str, cut: str, words: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    news: queue.Queue[object] = queue.Queue()
    app_state = make_app_state(tmp_path)
    films = [ShortFilm(0, cut)]

    def reopen() -> ShortFilm:
        films.append(ShortFilm(0, cut))
        return films[-1]

    table = WatchedTable(app_state, source, tmp_path, camera=films[0], reopen=reopen)  # type: ignore[arg-type]
    set_state = table._set_state
    table._set_state = lambda state, message="": (set_state(state, message), news.put((state, message)))[0]  # type: ignore[method-assign]
    table._thread.start()
    try:
        assert news.get(timeout=30) == ("ended", words)
        assert table.status() == {"state": "ended", "message": words}
        table.watch_again()
        assert news.get(timeout=30) == ("looking", "")
        assert news.get(timeout=30) == ("ended", words)
        assert len(films) == 2 and films[0].closed and not films[1].closed
        assert caplog.messages == [f"{DEMO_OVER}: {cut}"] * 2 if cut else caplog.messages == []
    finally:
        table.close()


def test_a_slow_machine_renders_the_demos_picture_for_an_hour_without_a_fault(tmp_path: Path) -> None:
    app_state, now = make_app_state(tmp_path), [0.0]
    app_state.parts = Parts(lambda: now[0])

    class SlowFilm(ShortFilm):
        faults: ClassVar[list[Repair]] = []

        def read(self) -> Frame | None:
            now[0] += 3600
            self.faults += app_state.parts.repairs()
            return super().read()

    camera = DemoCamera(SlowFilm(1), lambda name: (1, 1), lambda match: None, lambda: "playing")
    table = WatchedTable(app_state, "sim:1", tmp_path, camera=camera)
    try:
        assert table._next_frame() is not None and SlowFilm.faults == []
    finally:
        table._eye.close()
        table._evidence.close()


def test_a_camera_that_is_not_there_is_said_in_the_terminal_too(
    watched: WatchedTable, caplog: pytest.LogCaptureFixture
) -> None:
    gone = AwayError(Health(CameraState.GONE, 0.0))
    watched._lost(str(gone), gone.why)
    watched._lost("the reader takes its time", UnreadReason.SLOW)
    assert [record.getMessage() for record in caplog.records] == [str(gone)]


def test_a_live_camera_is_not_watched_again(watched: WatchedTable) -> None:
    watched._camera.live = True
    with pytest.raises(ValueError, match="live"):
        watched.watch_again()


@pytest.fixture
def shown(app: Flask, app_state: AppState) -> FakeTable:
    table = FakeTable()
    app_state.table = table
    app_state.camera = type("Film", (), {"status": lambda self: {"state": "ended", "message": DEMO_OVER}})()  # type: ignore[assignment]
    return table


def test_the_page_offers_to_watch_the_film_again(anyone: FlaskClient, shown: FakeTable) -> None:
    page = anyone.get("/").text
    assert "The demo is over" in page and "Watch again" in page and "camera is gone" not in page
    assert anyone.get("/health").json["status"] == "ok"  # type: ignore[index]


def test_watching_again_needs_the_pin_and_a_film(anyone: FlaskClient, keeper: FlaskClient, shown: FakeTable) -> None:
    assert anyone.post("/api/watch-again", json={}).status_code in (401, 403)
    assert keeper.post("/api/watch-again", json={}).status_code == 409 and shown.watched_again == 0
    shown.is_film = True
    assert keeper.post("/api/watch-again", json={}).status_code == 200 and shown.watched_again == 1
