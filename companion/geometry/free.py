"""A table that follows no plan the program knows: every tile for itself, with its identity."""

from __future__ import annotations

from collections.abc import Sequence

from companion.geometry.identity import Known
from companion.geometry.layout import Layout, PlacedTile, Problem, Trouble


def lay_free(known: Sequence[Known], ids: Sequence[int]) -> Layout:
    """All face-up tiles are loose, all others lie face down; unread and changed ones are reported."""
    tiles = [PlacedTile(tile_id, tile.seen) for tile_id, tile in zip(ids, known, strict=True)]
    problems = [
        Problem(trouble, tile.seen.center_mm, (placed.id,))
        for placed, tile in zip(tiles, known, strict=True)
        for trouble, here in (
            (Trouble.UNREADABLE_TILE, placed.face_up and placed.laid is None),
            (Trouble.VALUE_CHANGED, tile.changed),
        )
        if here
    ]
    return Layout(
        loose=tuple(tile for tile in tiles if tile.face_up),
        face_down=tuple(tile for tile in tiles if not tile.face_up),
        problems=tuple(problems),
    )
