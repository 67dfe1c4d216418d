"""What lies face up on the table, as a game is told of it beside the changes."""

from __future__ import annotations

from collections.abc import Iterable

from companion.game.off_record import Lying, Row
from companion.geometry import Layout, PlacedTile
from companion.geometry.diff import SURE_TILE


def lying_on(layout: Layout) -> Lying:
    """Without what is hardly a tile, and without open hands."""
    apart = (tile for tile in layout.loose if tile.laid is not None or tile.seen.confidence >= SURE_TILE)
    trains = {name: _row(train) for name, train in layout.trains.items()}
    return Lying(trains, _row(layout.line), _row(apart))


def _row(tiles: Iterable[PlacedTile]) -> Row:
    return tuple(tile.laid for tile in tiles if tile.face_up)
