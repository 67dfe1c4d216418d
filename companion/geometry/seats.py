"""Who sits where: the strip along the table's edge in which a player's own tiles lie."""

from __future__ import annotations

import math

from companion.geometry.angles import turn
from companion.geometry.table_setup import TableSetup
from companion.geometry.table_view import Point, TableView

HAND_STRIP = 2.2
"""Depth of the strip in tile lengths: two rows of an opened hand."""


def seat_of(place: Point, view: TableView, setup: TableSetup) -> str | None:
    """The player in whose strip a place lies, by the direction from the middle of the table; None further inside."""
    w, h = view.size_mm
    edge = min(place[0], place[1], w - place[0], h - place[1])
    if edge > HAND_STRIP * setup.tile_mm[0]:
        return None
    return sector_of(place, view, setup)


def sector_of(place: Point, view: TableView, setup: TableSetup) -> str | None:
    """The player whose station points most nearly to a place; None without stations."""
    w, h = view.size_mm
    angle = math.degrees(math.atan2(place[1] - h / 2, place[0] - w / 2))
    return min(setup.stations, key=lambda name: abs(turn(angle, setup.stations[name])), default=None)
