"""Timing that can be compared: contestants take turns, the median of the rounds is quoted."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

Contestants = Mapping[str, tuple[Callable[[], object], int]]
"""Name -> (what is run, how many units of work one run does)."""


def seconds_per_unit(
    contestants: Contestants, rounds: int = 7, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Median seconds for one unit of work, each contestant measured once per round, in turn.

    With `time.process_time` as the `clock` what other programs take of a busy machine is left out; only for work that
    neither waits nor runs in threads.
    """
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for run, _ in contestants.values():
        run()
    for _ in range(rounds):
        for name, (run, units) in contestants.items():
            start = clock()
            run()
            taken[name].append((clock() - start) / units)
    return {name: statistics.median(times) for name, times in taken.items()}
