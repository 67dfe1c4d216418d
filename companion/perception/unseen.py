"""Tiles laid on their equals in a wall of stacks: they leave nothing to see."""

from __future__ import annotations

from companion.geometry import Layout, TableSetup, covered
from companion.geometry.diff import Observation, difference
from companion.perception.sink import Desk

MOST_UNSEEN = 2
"""So many tiles in a row may have been laid on their equals before somebody is accused."""


def covered_unseen(
    observation: Observation, layout: Layout, before: Layout, setup: TableSetup, desk: Desk
) -> tuple[Observation, Layout]:
    """What would be a fault may be none: the observation and its layout, with as few unseen tiles as excuse it."""
    if not layout.line or observation.empty or not desk.accuses(observation):
        return observation, layout
    hidden = layout
    for _ in range(MOST_UNSEEN):
        more = covered(hidden, setup)
        if more is None:
            break
        hidden = more
        instead = desk.still_new(difference(before, hidden), hidden)
        if not desk.accuses(instead):
            return instead, hidden
    return observation, layout
