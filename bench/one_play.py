"""How much code lies between a frame and a play: `python -m bench.one_play --scenes 8`.

A simulated round is filmed and watched with the real eye, as `companion watch` does. For each change that brings one
tile and nothing else on record, the files and functions are counted that ran since the change before it, by room:
every frame of it, from the hand over the table to the journal, and nothing of the simulator. Threads that begin
meanwhile count as well; generator expressions, comprehensions and lambdas are part of the function around them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from bench.table import watcher_before
from companion.game.game import Game
from companion.log.journal import Journal
from companion.observing.game_sink import GameSink
from companion.perception.table_reader import box_of, known_set
from companion.rules.ruleset import load_ruleset
from datasets.simulator.camera import SimCamera, SimSettings
from datasets.simulator.film import FilmSettings
from datasets.simulator.script import Troubles
from vision.eye import open_eye

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("companion", "vision")


@dataclass(slots=True)
class Trace:
    """The functions of the product that have run since the last `take`, and how often each did."""

    calls: Counter[CodeType] = field(default_factory=Counter)

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            self.calls[frame.f_code] += 1

    def __enter__(self) -> Trace:
        threading.setprofile(self)
        sys.setprofile(self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def take(self) -> Counter[tuple[str, str]]:
        """(file, function) -> calls, and begin anew."""
        calls, self.calls = self.calls, Counter()
        found: Counter[tuple[str, str]] = Counter()
        for code, count in calls.items():
            file = Path(code.co_filename)
            if file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in PACKAGES and code.co_name[0] != "<":
                found[str(file.relative_to(ROOT)), code.co_qualname] += count
        return found


def plays(seed: int, rules: str, scenes: int) -> Iterator[Counter[tuple[str, str]]]:
    """The functions that ran for each change that put one tile and nothing else on record."""
    settings = SimSettings(
        rules=rules, troubles=Troubles.none(), most_scenes=scenes, film=FilmSettings(size_wh=(1600, 1200))
    )
    camera = SimCamera(seed, settings)
    setup, eye = camera.setup(), open_eye(one_box=True)
    with tempfile.TemporaryDirectory() as folder:
        session = Game(Journal.create(Path(folder) / "game.jsonl", setup.header), load_ruleset(rules))
        watcher = watcher_before(camera, eye, setup, GameSink(session, setup, box_of(known_set(setup))))
        trace, written = Trace(), len(session.events)
        while (frame := camera.read()) is not None:
            with trace:
                watcher.see(frame)
            news = [event.KIND for event in session.events[written:]]
            if news:
                ran = trace.take()
                if news == ["tile_played"]:
                    yield ran
            written += len(news)
        session.close()


def summed_up(ran: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    """By package and by room: files, functions, calls."""
    by: dict[str, list[tuple[str, str]]] = {}
    for file, function in ran:
        parts = file.split("/")
        for room in dict.fromkeys((parts[0], "/".join(parts[:-1]))):
            by.setdefault(room, []).append((file, function))
    return {
        room: {
            "files": len({file for file, _ in there}),
            "functions": len(there),
            "calls": sum(ran[one] for one in there),
        }
        for room, there in sorted(by.items())
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="files and functions between a frame and a play")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--rules", default="reeves")
    parser.add_argument("--scenes", type=int, default=8)
    parser.add_argument("--functions", action="store_true", help="name the functions of the play in the middle too")
    args = parser.parse_args()
    found = sorted(plays(args.seed, args.rules, args.scenes), key=len)
    if not found:
        raise SystemExit("no change of one tile in these scenes; try more --scenes or another --seed")
    middle = found[len(found) // 2]
    totals = [summed_up(one)["companion"] for one in found]
    print(
        json.dumps(
            {
                "plays": len(found),
                "companion, median": {
                    what: statistics.median(one[what] for one in totals) for what in ("files", "functions", "calls")
                },
                "the play in the middle": summed_up(middle),
            },
            indent=1,
        )
    )
    if args.functions:
        for file, function in sorted(middle):
            print(f"{file}: {function}")


if __name__ == "__main__":
    main()
