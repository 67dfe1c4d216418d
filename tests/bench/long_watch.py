"""Half an hour of play at five frames a second, at 12 MP: `python -m tests.bench.long_watch --minutes 30`.

Made-up rounds one after another, each tile lying still for twelve seconds, on the real path with the real eye. Memory
is taken once a minute of film: what stays behind of a frame, a reading or a round would show. The rendering of the
tables happens in the same process and is in the figures; the clock is that of `tests.bench.ruling`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

from companion.ruleset import RULESET_NAMES
from datasets.simulator.camera import FRAME_S, SimSettings
from datasets.simulator.film import FilmSettings
from tests.bench.ruling import Tick, filmed, latencies
from vision.eye import open_eye


def memory_mb() -> float:
    """What this process holds in memory now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def evening(size_wh: tuple[int, int], seed: int) -> Iterator[Tick]:
    """Rounds of all rule sets in turn, for ever. One eye sees them all, as it does on a table that is not switched
    off; with the troubles of a real evening (cups, lamps, nudges, bumps)."""
    eye = open_eye(one_box=True)
    settings = SimSettings(still_frames=60, film=replace(FilmSettings(), size_wh=size_wh))
    for n in count():
        yield from filmed(seed + n, RULESET_NAMES[n % len(RULESET_NAMES)], settings, eye=eye)


def measure(
    minutes: float = 30.0, size_wh: tuple[int, int] = (4056, 3040), seed: int = 7, a_minute: int = 0
) -> dict[str, object]:
    """Memory once a minute of film and the time that frames took; `a_minute` frames, by default as many as at
    FRAME_S."""
    a_minute = a_minute or round(60 / FRAME_S)
    ticks: list[Tick] = []
    memory: list[float] = []
    for tick in islice(evening(size_wh, seed), round(minutes * a_minute)):
        ticks.append(tick)
        if len(ticks) % a_minute == 0:
            memory.append(round(memory_mb(), 1))
            print(f"minute {len(memory)}: {memory[-1]} MB", flush=True)
    busy = sorted(tick.taken for tick in ticks)
    third = max(1, len(memory) // 3)
    return {
        "frames": len(ticks),
        "memory after each minute, MB": memory,
        "memory, mean of the second third, MB": round(statistics.fmean(memory[third : 2 * third] or memory), 1),
        "memory, mean of the last third, MB": round(statistics.fmean(memory[-third:]), 1),
        "one frame, median s": round(statistics.median(busy), 3),
        "one frame, p99 s": round(busy[round(0.99 * (len(busy) - 1))], 3),
        **{name: round(value, 3) for name, value in latencies(ticks).items()},
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
