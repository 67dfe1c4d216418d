"""From the hand leaving to the ruling, on the real path with the real eye: `python -m bench.ruling --scenes 6`.

The simulated table is filmed at 12 MP and watched as a camera of five frames a second would be: a frame that comes
while the last one is still being worked on is missed. The clock is made up of the frames' times and the time that
each frame took, so a machine that is busy elsewhere can measure by processor time (`--processor`; with more than one
thread that is more than the time on the wall of an idle machine).
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from bench.table import watcher_before
from companion.game.game import Game
from companion.log.journal import Journal
from companion.observing.game_sink import GameSink
from companion.perception.setup_file import GameSetup
from companion.perception.table_reader import box_of, known_set
from companion.rules.ruleset import load_ruleset
from datasets.simulator.camera import FRAME_S, SimCamera, SimSettings
from datasets.simulator.film import FilmSettings
from datasets.simulator.script import Troubles
from vision.eye import Eye, open_eye
from vision.frame import Frame

MEDIAN = "hand gone to ruling, median s"

RECORDED = ("tile_played", "marker_placed", "marker_removed", "drew", "unclear")


@dataclass(frozen=True, slots=True)
class Tick:
    """One frame that the watcher saw: the seconds it took, and how long after the hand the change was on record."""

    taken: float
    latency: float | None = None


class Filmed(Protocol):
    """A camera over a made-up round; `truth` has one entry for each scene that is over."""

    live: bool
    stills: bool

    @property
    def truth(self) -> Sized: ...

    def setup(self) -> GameSetup: ...

    def read(self) -> Frame | None: ...


def watched(
    camera: Filmed, settings: SimSettings, eye: Eye, clock: Callable[[], float] = time.perf_counter
) -> Iterator[Tick]:
    """One round on the product's own way from the set-up file to the session, at the pace of the camera."""
    setup = camera.setup()
    ruleset = load_ruleset(setup.header.rules)
    with tempfile.TemporaryDirectory() as folder:
        session = Game(Journal.create(Path(folder) / "game.jsonl", setup.header), ruleset)
        heard: list[str] = []
        session.subscribe(lambda event: heard.append(event.KIND))
        watcher = watcher_before(camera, eye, setup, GameSink(session, setup, box_of(known_set(setup))))
        free, told = 0.0, 0
        while (frame := camera.read()) is not None:
            if frame.at + FRAME_S <= free:
                continue
            heard.clear()
            start = clock()
            watcher.see(frame)
            taken = clock() - start
            free = max(frame.at, free) + taken
            # A scene ends with its still frames; its last one is noted when the next scene begins.
            before = settings.still_frames + 2 + len(camera.truth) * (settings.hand_frames + settings.still_frames)
            still = (before + settings.hand_frames) * FRAME_S
            if len(camera.truth) >= told and any(kind in RECORDED for kind in heard):
                told = len(camera.truth) + 1
                yield Tick(taken, free - still)
            else:
                yield Tick(taken)
        session.close()


def measure(
    seed: int = 7,
    rules: str = "reeves",
    scenes: int = 6,
    size_wh: tuple[int, int] = (4056, 3040),
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Seconds from the first frame without a hand to the end of the frame that put the change on record."""
    settings = SimSettings(
        rules=rules,
        most_scenes=scenes,
        troubles=Troubles.none(),
        hand_frames=3,
        show_hands=False,
        film=replace(FilmSettings(), size_wh=size_wh),
    )
    ticks = list(watched(SimCamera(seed, settings), settings, open_eye(one_box=True), clock))
    busy = [tick.taken for tick in ticks]
    return latencies(ticks) | {"one frame, median s": statistics.median(busy), "one frame, longest s": max(busy)}


def latencies(ticks: Sequence[Tick]) -> dict[str, float]:
    """How many changes were put on record, and how long after the hand had gone."""
    ranked = sorted(tick.latency for tick in ticks if tick.latency is not None)
    return {
        "changes": float(len(ranked)),
        MEDIAN: statistics.median(ranked) if ranked else float("nan"),
        "hand gone to ruling, p95 s": ranked[round(0.95 * (len(ranked) - 1))] if ranked else float("nan"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="from the hand leaving to the ruling")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--rules", default="reeves")
    parser.add_argument("--scenes", type=int, default=6)
    parser.add_argument("--size", type=int, nargs=2, default=(4056, 3040), metavar=("W", "H"))
    parser.add_argument("--processor", action="store_true", help="processor time instead of the time on the wall")
    args = parser.parse_args()
    clock = time.process_time if args.processor else time.perf_counter
    print(json.dumps(measure(args.seed, args.rules, args.scenes, tuple(args.size), clock), indent=1))


if __name__ == "__main__":
    main()
