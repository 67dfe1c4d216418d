"""Tiles laid on their equals in a wall of stacks: they leave nothing to see."""

from __future__ import annotations

from collections.abc import Iterator

from companion.geometry import Layout, TableSetup, covered
from companion.geometry.diff import Observation, difference
from companion.perception.sink import ObservationSink

MOST_UNSEEN = 2
"""So many tiles in a row may have been laid on their equals at most."""


def with_unseen(
    observation: Observation, layout: Layout, before: Layout, setup: TableSetup, sink: ObservationSink
) -> Iterator[tuple[Observation, Layout]]:
    """What is seen and its layout, then the same with one tile more that nobody saw, and with two."""
    yield observation, layout
    if not layout.line or observation.empty:
        return
    for _ in range(MOST_UNSEEN):
        more = covered(layout, setup)
        if more is None:
            return
        layout = more
        yield sink.still_new(difference(before, layout), layout), layout
