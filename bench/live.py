"""From the hand leaving to the page, through the whole box: `python -m bench.live --scenes 9`.

A made-up round is filmed first. Then the film is played as a live camera of five pictures a second (or more) to what
`companion serve` starts: the camera in a process of its own, the eye in another, the referee, the page, and a browser's
stream of events, in which the clock is stopped. The game is made as on the page: corners and seats are kept in the data
folder, and somebody has said who starts. `--beside 2` plays it twice with arms looked at and twice without, in turn.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.ruling import MEDIAN, Tick, latencies
from bench.stand_ins.background import serve_in_background
from companion.app.games import make_app_state
from companion.app.table_place import PLACE_FILE, SEATS_FILE, SeatPlan, place_from, write_place, write_seats
from companion.app.table_service import WatchedTable
from companion.perception.setup_file import GameSetup
from companion.supervise.camera import SupervisedCamera
from companion.web.app import PageSettings, create_app
from datasets.simulator.camera import FRAME_S, SimCamera, SimSettings
from datasets.simulator.film import FilmSettings
from datasets.simulator.script import Troubles
from hardware.camera import Camera, CameraSettings
from hardware.camera.source import FrameSource
from vision.frame import Frame

HAND_FRAMES, STILL_FRAMES = 4, 13

AGAIN = 4
"""So many pictures of a table that lies still come again where it does so for longer than `STILL_FRAMES`."""

OFF_BEAT = 1 + 1 / 150
"""The camera is a little slower than its rate, so that hands leave at any moment between two pictures and not at the
same one all evening."""

PATIENCE_S = 90.0


class FilmedLive(FrameSource):
    """The film in FOLDER (of `usb:FOLDER`) as a live camera; its first frame until the file `go` says when it began."""

    live = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._frames = sorted(folder.glob("*.npy"))
        self._noise = np.random.default_rng(1)
        self._count = 0
        self._pace_s = OFF_BEAT / float((folder / "per_s").read_text())

    def read(self) -> Frame:
        threading.Event().wait(self._pace_s - time.time() % self._pace_s)
        go = self._folder / "go"
        at = int((time.time() - float(go.read_text())) / FRAME_S) if go.exists() else 0
        image = np.load(self._frames[min(at, len(self._frames) - 1)])
        # No sensor gives the same picture twice; a few pixels are enough to tell it from a frozen one.
        image[::97, ::89] ^= self._noise.integers(0, 2, image[::97, ::89].shape, dtype=np.uint8)
        self._count += 1
        return Frame(image, time.monotonic(), f"live-{self._count:06d}")


def open_film(source: str, settings: CameraSettings) -> Camera:
    return FilmedLive(Path(source.removeprefix("usb:")))


def listen(port: int, heard: list[float]) -> None:
    """Note when, in seconds on the wall, the page's stream tells each line of the journal."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/stream", timeout=600) as stream:
        for line in stream:
            if line.startswith(b"id:"):
                heard.append(time.time())


def film(folder: Path, settings: SimSettings, seed: int, longer: int = 0) -> SimCamera:
    """The round as files of raw pictures; the camera afterwards, with its truth.

    After each hand the table lies still for `longer` frames more, in which the pictures before them come again.
    """
    camera, still = SimCamera(seed, settings), settings.still_frames
    saved = 0
    for count, frame in enumerate(iter(camera.read, None), 1):
        np.save(folder / f"{saved:05d}.npy", frame.image)
        saved += 1
        if count >= still + 2 and (count - still - 2) % (settings.hand_frames + still) == 0:
            for _ in range(longer):
                (folder / f"{saved:05d}.npy").hardlink_to(folder / f"{saved - AGAIN:05d}.npy")
                saved += 1
    return camera


@dataclass(frozen=True, slots=True)
class Shot:
    """The film: `per_s` pictures a second; after each hand the table lies still for `still_frames` of them."""

    seed: int = 7
    rules: str = "reeves"
    scenes: int = 9
    size_wh: tuple[int, int] = (4056, 3040)
    still_frames: int = STILL_FRAMES
    per_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Filmed:
    """A round on disk: its raw pictures, how many scenes it has, and for how many frames the table lies still."""

    folder: Path
    setup: GameSetup
    size_wh: tuple[int, int]
    scenes: int
    still_frames: int

    @classmethod
    def of(cls, folder: Path, shot: Shot) -> Filmed:
        settings = SimSettings(
            rules=shot.rules,
            most_scenes=shot.scenes,
            troubles=Troubles.none(),
            hand_frames=HAND_FRAMES,
            still_frames=min(shot.still_frames, STILL_FRAMES),
            show_hands=False,
            film=FilmSettings(size_wh=shot.size_wh),
        )
        folder.mkdir()
        (folder / "per_s").write_text(str(shot.per_s))
        camera = film(folder, settings, shot.seed, shot.still_frames - settings.still_frames)
        return cls(folder, camera.setup(), shot.size_wh, len(camera.truth), shot.still_frames)

    def played(self, data: Path, *, arms: bool = True) -> list[Tick]:
        """The ticks of a box with this data folder, with a look at arms or without."""
        setup, go = self.setup, self.folder / "go"
        go.unlink(missing_ok=True)
        (data / "games").mkdir(parents=True)
        corners = np.array(setup.table.corners_px) / np.array(self.size_wh)
        write_place(data / PLACE_FILE, place_from(corners.tolist(), setup.table.size_mm))
        write_seats(data / SEATS_FILE, SeatPlan(setup.stations, setup.mexican_station, setup.seats, arms))
        app_state = make_app_state(data)
        watched = WatchedTable(app_state, "live", data, camera=SupervisedCamera(f"usb:{self.folder}", opener=open_film))
        app_state.camera = app_state.table = watched
        server, port = serve_in_background(create_app(app_state, PageSettings(pin="0000")))
        heard: list[float] = []
        try:
            app_state.start_game(setup.header.to_json())
            watched.start()
            threading.Thread(target=listen, args=(port, heard), daemon=True).start()
            app_state.session.start_round(setup.round.engine, setup.round.starter)  # type: ignore[attr-defined]
            _until(watched, "read")
            # The table has been read: all but the last of the frames before the first hand are over.
            begun = time.time() - self.still_frames * FRAME_S
            go.write_text(str(begun))
            over = begun + (len(list(self.folder.glob("*.npy"))) + 2) * FRAME_S
            while time.time() < over and None in [tick.latency for tick in self._ticks(heard, begun)]:
                time.sleep(FRAME_S)
        finally:
            server.stop()
            watched.close()
        return self._ticks(heard, begun)

    def _ticks(self, heard: list[float], begun: float) -> list[Tick]:
        """The first news of each scene, from when its hand had left."""
        ticks, still = [], self.still_frames
        for scene in range(self.scenes):
            gone = begun + (still + 2 + scene * (HAND_FRAMES + still) + HAND_FRAMES) * FRAME_S
            told = [at - gone for at in heard if gone <= at < gone + still * FRAME_S]
            ticks.append(Tick(0.0, told[0] if told else None))
        return ticks


def measure(shot: Shot) -> dict[str, float]:
    """Seconds from the hand's leaving to the change in the browser's stream; what has not been told while the table
    then lies still is not counted."""
    with tempfile.TemporaryDirectory() as made:
        filmed = Filmed.of(Path(made) / "film", shot)
        return latencies(filmed.played(Path(made) / "data"))


def measure_beside(times: int, shot: Shot) -> dict[str, dict[str, float]]:
    """The same with arms looked at and without, of one film, in turn, each played so many `times`; the ratio is that of
    the medians."""
    told: dict[bool, list[Tick]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as made:
        filmed = Filmed.of(Path(made) / "film", shot)
        for n in range(2 * times):
            # Neither is always the first of a pair.
            arms = n % 4 in (0, 3)
            told[arms] += filmed.played(Path(made) / f"data{n}", arms=arms)
    found = {"with arms": latencies(told[True]), "without": latencies(told[False])}
    ratio = found["with arms"][MEDIAN] / found["without"][MEDIAN]
    return {**found, "with arms / without": {MEDIAN.removesuffix(" s"): ratio}}


def _until(watched: WatchedTable, state: str) -> None:
    """Raises TimeoutError, with what the camera says instead."""
    end = time.monotonic() + PATIENCE_S
    while watched.status().get("state") != state:
        if time.monotonic() > end:
            raise TimeoutError(f"the table was not read: {json.dumps(dict(watched.status()))}")
        time.sleep(0.1)


def main() -> None:
    parser = argparse.ArgumentParser(description="from the hand leaving to the page, through the whole box")
    usual = Shot()
    parser.add_argument("--seed", type=int, default=usual.seed)
    parser.add_argument("--rules", default=usual.rules)
    parser.add_argument("--scenes", type=int, default=usual.scenes)
    parser.add_argument(
        "--per-s", type=float, default=usual.per_s, help="pictures a second; `serve` takes eight at most"
    )
    parser.add_argument("--size", type=int, nargs=2, default=usual.size_wh, metavar=("W", "H"))
    parser.add_argument("--beside", type=int, help="play it so often with arms looked at and without, in turn")
    args = parser.parse_args()
    shot = Shot(args.seed, args.rules, args.scenes, tuple(args.size), per_s=args.per_s)
    print(json.dumps(measure(shot) if args.beside is None else measure_beside(args.beside, shot), indent=1))


if __name__ == "__main__":
    main()
