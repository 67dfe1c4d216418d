"""Half an hour of play at five frames a second, at 12 MP: `python -m bench.long_watch --minutes 30`.

Made-up rounds one after another, each tile lying still for twelve seconds, on the real path with the real eye. The
tables are rendered in a process of their own, so the memory, taken once a minute of film, is the watcher's: what stays
behind of a frame, a reading or a round would show. The clock is that of `bench.ruling`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from collections.abc import Iterator, Sized
from dataclasses import replace
from itertools import count, islice
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory

import numpy as np

from bench.attacks.soak import resident_mb
from bench.ruling import Tick, watched
from companion.perception.setup_file import GameSetup
from companion.rules.ruleset import RULESET_NAMES
from datasets.simulator.camera import FRAME_S, SimCamera, SimSettings
from datasets.simulator.film import FilmSettings
from vision.eye import open_eye
from vision.frame import Frame


def film_for(pipe: Connection, name: str, seed: int, settings: SimSettings) -> None:
    """The filming process: for each request one frame into the shared block, and (time, name, scenes over) back."""
    camera = SimCamera(seed, settings)
    block = SharedMemory(name)
    w, h = settings.film.size_wh
    picture = np.ndarray((h, w, 3), np.uint8, block.buf)
    pipe.send(camera.setup())
    while pipe.recv():
        frame = camera.read()
        if frame is not None:
            picture[:] = frame.image
        pipe.send(None if frame is None else (frame.at, frame.name, len(camera.truth)))
    del picture
    block.close()


class FarCamera:
    """A round that is filmed in another process."""

    live = False
    stills = False

    def __init__(self, seed: int, settings: SimSettings) -> None:
        w, h = settings.film.size_wh
        self.truth: Sized = ()
        self._shape = (h, w, 3)
        self._block = SharedMemory(create=True, size=w * h * 3)
        self._pipe, theirs = Pipe()
        process = get_context("spawn").Process
        self._process = process(target=film_for, args=(theirs, self._block.name, seed, settings), daemon=True)
        self._process.start()
        self._setup: GameSetup = self._pipe.recv()

    def setup(self) -> GameSetup:
        return self._setup

    def read(self) -> Frame | None:
        self._pipe.send(True)
        told = self._pipe.recv()
        if told is None:
            self.close()
            return None
        at, name, over = told
        self.truth = range(over)
        return Frame(np.ndarray(self._shape, np.uint8, self._block.buf).copy(), at, name)

    def close(self) -> None:
        if self._process.is_alive():
            self._pipe.send(False)
            self._process.join()
            self._block.close()
            self._block.unlink()


def evening(size_wh: tuple[int, int], seed: int) -> Iterator[Tick]:
    """Rounds of all rule sets in turn, for ever. One eye sees them all, as it does on a table that is not switched
    off; with the troubles of a real evening (cups, lamps, nudges, bumps)."""
    eye = open_eye(one_box=True)
    for n in count():
        rules = RULESET_NAMES[n % len(RULESET_NAMES)]
        settings = SimSettings(rules=rules, still_frames=60, film=replace(FilmSettings(), size_wh=size_wh))
        camera = FarCamera(seed + n, settings)
        try:
            yield from watched(camera, settings, eye)
        finally:
            camera.close()


def measure(minutes: float = 30.0, size_wh: tuple[int, int] = (4056, 3040), seed: int = 7) -> dict[str, object]:
    """Memory once a minute of film and the time that frames took."""
    a_minute = round(60 / FRAME_S)
    ticks: list[Tick] = []
    memory: list[float] = []
    for tick in islice(evening(size_wh, seed), round(minutes * a_minute)):
        ticks.append(tick)
        if len(ticks) % a_minute == 0:
            memory.append(round(resident_mb(os.getpid()), 1))
            print(f"minute {len(memory)}: {memory[-1]} MB", flush=True)
    memory = memory or [round(resident_mb(os.getpid()), 1)]
    busy = sorted(tick.taken for tick in ticks)
    third = max(1, len(memory) // 3)
    return {
        "frames": len(ticks),
        "memory after each minute, MB": memory,
        "memory, mean of the second third, MB": round(statistics.fmean(memory[third : 2 * third] or memory), 1),
        "memory, mean of the last third, MB": round(statistics.fmean(memory[-third:]), 1),
        "one frame, median s": round(statistics.median(busy), 3),
        "one frame, p99 s": round(busy[round(0.99 * (len(busy) - 1))], 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="memory over a long watch")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--size", type=int, nargs=2, default=(4056, 3040), metavar=("W", "H"))
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    print(json.dumps(measure(args.minutes, tuple(args.size), args.seed), indent=1))


if __name__ == "__main__":
    main()
