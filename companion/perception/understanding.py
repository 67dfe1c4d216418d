"""What lies there, understood: a tile that was not read is weighed against the rest of the table, and a tile laid on
its equal in a wall of stacks leaves nothing to see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from companion.geometry import Layout, TableSetup, Trouble, covered, reconstruct
from companion.geometry.diff import Observation, difference
from companion.geometry.line_places import as_recorded
from companion.geometry.table_view import TableView
from companion.perception.blanks import back_between_blanks, blanks_in_doubt
from companion.perception.half_values import surplus, weigh_unread
from companion.perception.sink import LINE, ObservationSink
from companion.rules.tile import Tile

MOST_UNSEEN = 2
"""So many tiles in a row may have been laid on their equals at most."""


def understood(
    view: TableView,
    setup: TableSetup,
    sink: ObservationSink,
    box: Mapping[Tile, int],
    before: Layout | None,
    held_back: Layout | None,
) -> Layout:
    """The layout, with one more chance for a tile that was not read.

    `before` is the layout on record, `held_back` one that was asked about instead. `box`: tile -> how often the set
    has it, empty where that is not known.
    """
    before, held_back = _as_recorded(before, sink), _as_recorded(held_back, sink)
    layout = reconstruct(view, setup, held_back or before)
    if held_back is not None and layout.has(Trouble.VALUE_CHANGED):
        # What was held back was a misreading.
        layout = reconstruct(view, setup, before)
    doubted = blanks_in_doubt(layout, view.tiles, setup.engine) or back_between_blanks(layout, view.tiles)
    if doubted is not None:
        view = replace(view, tiles=doubted)
        layout = reconstruct(view, setup, held_back or before)
    if not box:
        return layout
    if not layout.has(Trouble.UNREADABLE_TILE) and not surplus(layout, setup.engine, box, sink.recorded()):
        return layout
    tiles = weigh_unread(layout, view.tiles, setup.engine, box, sink.recorded(), sink.guessed())
    return reconstruct(replace(view, tiles=tuple(tiles)), setup, held_back or before)


def _as_recorded(layout: Layout | None, sink: ObservationSink) -> Layout | None:
    """A tile of a line that was not read may lie under others by now: what is on record there is known all the same."""
    return None if layout is None else as_recorded(layout, sink.recorded().get(LINE, ()), sink.guessed())


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
