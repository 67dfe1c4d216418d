"""The one way in: a view of a still table becomes a layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.geometry.free import lay_free
from companion.geometry.identity import Known, identify
from companion.geometry.layout import Layout
from companion.geometry.line import LineFinder
from companion.geometry.table_setup import Family, TableSetup
from companion.geometry.table_view import TableView
from companion.geometry.trains import TrainFinder


def reconstruct(view: TableView, setup: TableSetup, before: Layout | None = None) -> Layout:
    """What lies on the table, from geometry alone; `before` is the last still table of the same round.

    Never raises for what lies on a table: what cannot be understood is a Problem in the layout.
    """
    known = identify(view.tiles, list(before) if before is not None else [], setup.tile_mm[1])
    ids, next_id = _number(known, before.next_id if before is not None else 1)
    if setup.family is Family.MEXICAN:
        layout = TrainFinder(view, known, setup, before, ids).layout()
    elif setup.family is Family.CHINESE:
        layout = LineFinder(view, known, setup, before, ids).layout()
    else:
        layout = lay_free(known, ids)
    return replace(layout, next_id=max(next_id, layout.next_id))


def _number(known: Sequence[Known], first: int) -> tuple[list[int], int]:
    """Identities: old tiles keep theirs, new ones count on."""
    ids: list[int] = []
    for tile in known:
        if tile.old is not None:
            ids.append(tile.old.id)
        else:
            ids.append(first)
            first += 1
    return ids, first
