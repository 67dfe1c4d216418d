"""Timing that can be compared: contestants take turns, the median of the rounds is quoted."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

Contestants = Mapping[str, tuple[Callable[[], object], int]]
"""Name -> (what is run, how many units of work one run does)."""


def seconds_per_unit(contestants: Contestants, rounds: int = 7) -> dict[str, float]:
    """Median seconds for one unit of work, each contestant measured once per round, in turn."""
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for run, _ in contestants.values():
        run()
    for _ in range(rounds):
        for name, (run, units) in contestants.items():
            start = time.perf_counter()
            run()
            taken[name].append((time.perf_counter() - start) / units)
    return {name: statistics.median(times) for name, times in taken.items()}
