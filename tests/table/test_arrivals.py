"""A tile that is understood late may have come before tiles that are already on record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bench.stand_ins.seen_tables import SETUP, eastward, tile, view
from companion.geometry import reconstruct
from companion.geometry.diff import Observation, difference
from companion.geometry.layout import SeenHalf, SeenTile
from companion.observing.waiting import Arrivals
from companion.rules.notation import Change, Vanishing
from companion.rules.position import Play
from companion.rules.tile import Laid

TRAIN = eastward([(12, 5), (5, 9), (9, 3)])
WEST = tile(515.0, 450.0, 180.0, 12, 7)
FIRST, SECOND, THIRD = (Play(Laid(*pair), "Ann") for pair in ((12, 5), (5, 9), (9, 3)))
BEN = Play(Laid(12, 7), "Ben")


class Table:
    """Still tables shown one after the other."""

    def __init__(self) -> None:
        self.arrivals = Arrivals()
        self.empty = self.layout = reconstruct(view([]), SETUP)

    def show(self, tiles: Sequence[SeenTile]) -> Observation:
        self.layout = reconstruct(view(tiles), SETUP, self.layout)
        return difference(self.empty, self.layout)


def taken_in_order(table: Table, tiles: Sequence[SeenTile]) -> list[tuple[tuple[Change, ...], bool]]:
    whole = table.show(tiles)
    found = [(one.delta, one.adopted) for one in table.arrivals.in_order(whole, table.layout)]
    table.empty = table.layout
    table.arrivals.saw(table.layout)
    return found


def test_what_is_read_only_when_others_are_on_record_tells_nothing_of_turns() -> None:
    table = Table()
    dark = replace(TRAIN[0], halves=(SeenHalf(None, 0.1), SeenHalf(None, 0.1)))
    table.show([dark])
    table.arrivals.saw(table.layout)
    assert taken_in_order(table, [dark, WEST]) == [((BEN,), False)]
    assert taken_in_order(table, [TRAIN[0], WEST]) == [((FIRST,), True)]


def test_what_is_gone_is_forgotten() -> None:
    """Where the camera is set up anew in the middle of a round, tiles are numbered anew."""
    table = Table()
    table.arrivals.saw(reconstruct(view([WEST]), SETUP))
    table.arrivals.saw(reconstruct(view([]), SETUP))
    table.arrivals.saw(reconstruct(view([]), SETUP))
    assert taken_in_order(table, [WEST]) == [((BEN,), False)]
    table.arrivals.last_recorded = table.arrivals.number
    assert taken_in_order(table, [WEST, TRAIN[0]]) == [((FIRST,), False)]


def test_a_tile_nearer_to_the_engine_came_no_later_than_the_ones_beyond() -> None:
    """The camera overlooked it at first and found it once the next one lay there: both came before Ben's. The tile that
    came with them is told as usual. Where tiles are gone, the change stays in one piece."""
    table = Table()
    table.show([TRAIN[0], TRAIN[2]])
    table.arrivals.saw(table.layout)
    table.arrivals.last_recorded = table.arrivals.number
    table.arrivals.number += 1
    whole = table.show([*TRAIN, WEST])
    assert [(one.delta, one.adopted) for one in table.arrivals.in_order(whole, table.layout)] == [
        ((FIRST, SECOND, THIRD), True),
        ((BEN,), False),
    ]
    gone = replace(whole, delta=(*whole.delta, Vanishing(Laid(1, 2), "MX")))
    assert list(table.arrivals.in_order(gone, table.layout)) == [gone]
