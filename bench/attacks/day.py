"""A day at the table in half an hour: `python -m bench.attacks.day [MINUTES] [--record]`.

`companion serve` as a family starts it, over a camera in the network: a made-up round is filmed once and shown as
Motion JPEG at four times its speed, game after game, while phones look on. Every process of the program is measured
each half minute: what stays behind of a picture, a game or a phone makes its memory grow.
"""

from __future__ import annotations

import http.client
import http.server
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bench.attacks.results import arguments, command, record
from bench.attacks.soak import resident_mb
from companion.app.table_place import PLACE_FILE, SEATS_FILE, SeatPlan, place_from, write_place, write_seats
from datasets.simulator.camera import FRAME_S, SimCamera, SimSettings
from datasets.simulator.film import FilmSettings
from datasets.simulator.script import Troubles

SPEED = 4.0
PIN = "135790"
PHONES = 3
LYING = 60
"""Frames for which the table lies still after each hand: twelve seconds."""

AS_INSTALLED = {"OMP_NUM_THREADS": "2", "MALLOC_ARENA_MAX": "2"}
"""As in deploy/units/companion.service."""

SIZE_WH = (1280, 960)
EVERY_S = 30.0
PAGES = ("/", "/tv", "/api/state", "/scores", "/games", "/health", "/table", "/statistics")


@dataclass(frozen=True, slots=True)
class Round:
    """One round on disk: JPEGs, which of them follow each other, and what a person would have told the page."""

    folder: Path
    setup: dict[str, Any]
    shown: tuple[int, ...]


def film_round(folder: Path, scenes: int, size_wh: tuple[int, int]) -> None:
    """In a process of its own: a simulated round as JPEGs; the set-up and the order of the frames in `round.json`."""
    troubles = Troubles.none()
    settings = SimSettings(
        "reeves", most_scenes=scenes, troubles=troubles, show_hands=False, film=FilmSettings(size_wh)
    )
    camera = SimCamera(7, settings)
    shown: list[int] = []
    begun = settings.still_frames + 2
    for count, frame in enumerate(iter(camera.read, None)):
        cv2.imwrite(str(folder / f"{count}.jpg"), frame.image, [cv2.IMWRITE_JPEG_QUALITY, 92])
        shown.append(count)
        if count + 1 >= begun and (count + 1 - begun) % (settings.hand_frames + settings.still_frames) == 0:
            shown += [count - (n * 2) % 5 for n in range(1, LYING - settings.still_frames)]
    setup = camera.setup()
    told = {
        "header": setup.header.to_json(),
        "corners": (np.array(setup.table.corners_px) / np.array(size_wh)).tolist(),
        "size_mm": setup.table.size_mm,
        "stations": setup.stations,
        "mexican": setup.mexican_station,
        "seats": setup.seats,
        "engine": setup.round.engine,
        "starter": setup.round.starter,
    }
    (folder / "round.json").write_text(json.dumps({"setup": told, "shown": shown}), encoding="utf-8")


def filmed(folder: Path, scenes: int, size_wh: tuple[int, int]) -> Round:
    folder.mkdir()
    filming = get_context("spawn").Process(target=film_round, args=(folder, scenes, size_wh))
    filming.start()
    filming.join()
    told = json.loads((folder / "round.json").read_text(encoding="utf-8"))
    return Round(folder, told["setup"], tuple(told["shown"]))


class Projector:
    """Shows the round as Motion JPEG on a port; its first picture until `go`."""

    def __init__(self, film: Round) -> None:
        self._film, self._began = film, 0.0
        projector = self

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=film")
                self.end_headers()
                with suppress(OSError):
                    while True:
                        picture = projector.picture()
                        head = f"--film\r\nContent-Type: image/jpeg\r\nContent-Length: {len(picture)}\r\n\r\n"
                        self.wfile.write(head.encode() + picture + b"\r\n")
                        time.sleep(FRAME_S / SPEED)

            def log_message(self, *_given: Any) -> None: ...

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/film"

    @property
    def length_s(self) -> float:
        return len(self._film.shown) * FRAME_S / SPEED

    def rewind(self) -> None:
        self._began = 0.0

    def go(self) -> None:
        self._began = time.monotonic()

    def picture(self) -> bytes:
        """The one of now. No sensor gives the same picture twice, so a table that lies still shows five in turn."""
        shown, passed = self._film.shown, int((time.monotonic() - self._began) * SPEED / FRAME_S)
        if not self._began:
            at = passed % 5
        elif passed >= len(shown):
            at = len(shown) - 1 - passed % 5
        else:
            at = passed
        return (self._film.folder / f"{shown[at]}.jpg").read_bytes()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Page:
    """The program's page, asked and told as phones do."""

    def __init__(self, port: int) -> None:
        self.port = port

    def get(self, path: str) -> bytes:
        return self._ask("GET", path)

    def post(self, path: str, **fields: Any) -> None:
        self._ask("POST", path, json.dumps(fields))

    def state(self) -> dict[str, Any]:
        return dict(json.loads(self.get("/api/state")))

    def camera(self) -> str:
        """The camera as the page describes it."""
        with suppress(OSError, http.client.HTTPException, AssertionError):
            return json.dumps(self.state()["camera"])
        return "no answer"

    def _ask(self, method: str, path: str, body: str | None = None) -> bytes:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            line.request(method, path, body, {"Content-Type": "application/json", "X-Companion-Pin": PIN})
            answer = line.getresponse()
            found = answer.read()
        finally:
            line.close()
        assert answer.status < 400, f"{method} {path}: {answer.status} {found[:200]!r}"
        return found

    def listen(self, over: threading.Event) -> None:
        """A phone that is left lying: it follows the stream, and asks for pages in turn."""
        while not over.is_set():
            with suppress(OSError, http.client.HTTPException, AssertionError):
                line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
                line.request("GET", "/api/stream")
                stream = line.getresponse()
                while not over.is_set() and stream.readline():
                    pass
                line.close()

    def leaf(self, over: threading.Event) -> None:
        while not over.wait(1.0):
            for path in PAGES:
                with suppress(OSError, http.client.HTTPException, AssertionError):
                    self.get(path)


@contextmanager
def serving(film: Round, source: str, data: Path) -> Iterator[tuple[subprocess.Popen[str], Page]]:
    """`companion serve` with corners and seats as a person would have set them on the page."""
    told = film.setup
    (data / "games").mkdir(parents=True)
    write_place(data / PLACE_FILE, place_from(told["corners"], told["size_mm"]))
    write_seats(data / SEATS_FILE, SeatPlan(told["stations"], told["mexican"], told["seats"]))
    asked = [sys.executable, "-m", "companion", "serve", "--camera", source, "--port", "0", "--host", "127.0.0.1"]
    environment = {**os.environ, **AS_INSTALLED, "COMPANION_PIN": PIN, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen([*asked, "--data", str(data)], stdout=subprocess.PIPE, text=True, env=environment) as program:
        assert program.stdout is not None
        try:
            lines = iter(program.stdout.readline, "")
            port = next(int(found[1]) for line in lines if (found := re.search(r":(\d+)", line)))
            threading.Thread(target=lambda: list(lines), daemon=True).start()
            yield program, Page(port)
        finally:
            program.terminate()


def processes(pid: int) -> list[int]:
    """This one and all below it, in the order in which they were started."""
    found = [pid]
    for one in found:
        with suppress(OSError):
            for task in Path(f"/proc/{one}/task").iterdir():
                found += [int(child) for child in (task / "children").read_text(encoding="ascii").split()]
    return found


@dataclass(slots=True)
class Day:
    """`memory_mb`: of each process that lived to the end, by what it does, each half minute. `recorded`: lines of all
    journals that the camera wrote; `restarts`: processes that came and went."""

    minutes: float
    games: int = 0
    recorded: int = 0
    restarts: int = 0
    memory_mb: dict[str, list[float]] = field(default_factory=dict)

    def growth_mb(self) -> dict[str, float]:
        """Mean of the last third less that of the second."""
        third = max(1, min(map(len, self.memory_mb.values())) // 3)
        return {
            name: round(statistics.fmean(taken[-third:]) - statistics.fmean(taken[-2 * third : -third] or taken), 1)
            for name, taken in self.memory_mb.items()
        }


def play(page: Page, film: Round, projector: Projector, until: Callable[[float], bool]) -> None:
    """One game from its beginning to the film's end, or until it is time to stop."""
    told = film.setup
    projector.rewind()
    header = told["header"]
    page.post(
        "/api/games", rules=header["rules"], set=header["set"], players=header["players"], options=header["options"]
    )
    page.post("/api/start-round", engine=told["engine"], starter=told["starter"])
    while not until(0.5) and page.state()["camera"].get("state") != "read":
        pass
    projector.go()
    until(projector.length_s + 2.0)


def measure(folder: Path, minutes: float, scenes: int = 10, size_wh: tuple[int, int] = SIZE_WH) -> Day:
    film = filmed(folder / "film", scenes, size_wh)
    projector = Projector(film)
    over = threading.Event()
    day = Day(minutes)
    taken: dict[int, list[float]] = {}

    def take(program: subprocess.Popen[str]) -> None:
        while not over.wait(min(EVERY_S, minutes * 60 / 12)):
            for pid in processes(program.pid):
                taken.setdefault(pid, []).append(round(resident_mb(pid), 1))
            now = {pid: sizes[-1] for pid, sizes in taken.items()}
            print(f"game {day.games}, {page.camera()}: {now}", file=sys.stderr, flush=True)

    with serving(film, projector.address, folder / "data") as (program, page):
        for _ in range(PHONES):
            threading.Thread(target=page.listen, args=(over,), daemon=True).start()
        threading.Thread(target=page.leaf, args=(over,), daemon=True).start()
        threading.Thread(target=take, args=(program,), daemon=True).start()
        threading.Timer(minutes * 60, over.set).start()
        while not over.is_set():
            play(page, film, projector, over.wait)
            day.games += 1
        assert program.poll() is None, "the program ended"
        living = processes(program.pid)
    projector.close()
    day.restarts = len(taken) - len(living)
    names = ("the program", *(f"child {n}" for n in range(1, len(living))))
    day.memory_mb = {name: taken[pid] for name, pid in zip(names, living, strict=True) if pid in taken}
    for journal in (folder / "data" / "games").glob("*/journal.jsonl"):
        day.recorded += journal.read_text(encoding="utf-8").count('"source": "camera"')
    return day


def main() -> None:
    asked = arguments("a day at the table in so many minutes", minutes=30.0)
    with tempfile.TemporaryDirectory() as folder:
        day = measure(Path(folder), asked.minutes)
    facts = {**asdict(day), "growth_mb": day.growth_mb()}
    print(json.dumps(facts))
    if asked.record:
        record("day", {**facts, "command": command("bench.attacks.day")})


if __name__ == "__main__":
    main()
