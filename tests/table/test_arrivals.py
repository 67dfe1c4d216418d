"""What had to wait goes on record table by table, in the order in which it came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.geometry import reconstruct
from companion.geometry.diff import Observation, difference
from companion.geometry.layout import SeenHalf, SeenTile
from companion.observing.waiting import Arrivals
from companion.rules.notation import Change, Drawing, Laying, Vanishing
from companion.rules.position import Mark, Unmark
from companion.rules.tile import Laid
from tests.table.tables import SETUP, eastward, tile, view
from tests.table.test_line import SETUP as LINE
from tests.table.test_line import in_row
from tests.table.test_line import table as in_line

TRAIN = eastward([(12, 5), (5, 9), (9, 3), (3, 1)])
WEST = tile(515.0, 450.0, 180.0, 12, 7)
FIRST, SECOND, THIRD = (Laying(Laid(*pair), "Ann") for pair in ((12, 5), (5, 9), (9, 3)))
BEN = Laying(Laid(12, 7), "Ben")
ARM = {"Ann": 0, "Ben": 13}


class Table:
    """Still tables shown one after the other, of which none can be recorded before the last."""

    def __init__(self) -> None:
        self.arrivals = Arrivals()
        self.empty = self.layout = reconstruct(view([]), SETUP)

    def show(self, tiles: Sequence[SeenTile]) -> Observation:
        self.layout = reconstruct(view(tiles), SETUP, self.layout)
        return difference(self.empty, self.layout)

    def wait(self, tiles: Sequence[SeenTile], *more: Change) -> None:
        observation = self.show(tiles)
        self.arrivals.wait(replace(observation, delta=(*observation.delta, *more)))
        self.arrivals.saw(self.layout)

    def parts(self, tiles: Sequence[SeenTile], *more: Change) -> list[Observation]:
        observation = self.show(tiles)
        whole = replace(observation, delta=(*observation.delta, *more))
        return list(self.arrivals.in_order(whole, self.layout))

    def deltas(self, tiles: Sequence[SeenTile], *more: Change) -> list[tuple[Change, ...]]:
        return [one.delta for one in self.parts(tiles, *more)]


def test_tiles_go_on_record_table_by_table() -> None:
    table = Table()
    table.wait(TRAIN[:1])
    table.wait([*TRAIN[:1], WEST])
    assert table.deltas([*TRAIN[:3], WEST]) == [(FIRST,), (BEN,), (SECOND, THIRD)]


def test_what_did_not_wait_is_one_change() -> None:
    table = Table()
    table.arrivals.saw(table.layout)
    observation = table.show([*TRAIN[:2], WEST])
    assert list(table.arrivals.in_order(observation, table.layout)) == [observation]


def test_a_tile_nearer_to_the_engine_came_no_later_than_the_ones_beyond() -> None:
    """Overlooked at first, it was found once the next one lay there."""
    table = Table()
    table.wait([TRAIN[0], TRAIN[2]])
    assert table.deltas(TRAIN[:3])[0] == (FIRST, SECOND, THIRD)


def test_a_marker_that_came_and_went_while_all_waited_is_told() -> None:
    """On Ben's marked train Ann may lay: without the marker her tile there would look like a fault."""
    table = Table()
    table.wait(TRAIN[:1], Mark("Ben"))
    assert table.deltas([*TRAIN[:1], WEST]) == [(FIRST, Mark("Ben")), (BEN, Unmark("Ben"))]
    table = Table()
    table.wait(TRAIN[:1])
    table.wait(TRAIN[:1], Mark("Ann"))
    assert table.deltas([*TRAIN[:1], WEST], Mark("Ann")) == [(FIRST,), (Mark("Ann"),), (BEN,)]


def test_a_marker_that_somebody_has_entered_meanwhile_neither_comes_nor_goes() -> None:
    table = Table()
    table.wait(TRAIN[:1], Mark("Ben"))
    whole = table.show([*TRAIN[:1], WEST])
    marked = replace(table.layout, markers=frozenset({"Ben"}))
    assert [one.delta for one in table.arrivals.in_order(whole, marked)] == [(FIRST,), (BEN,)]


def test_draws_are_told_one_after_the_other_and_an_arm_speaks_for_the_first_alone() -> None:
    table = Table()
    observation = table.show(TRAIN[:1])
    table.arrivals.wait(replace(observation, delta=(FIRST, Drawing(1)), arms={Drawing(1): ARM}, whose={FIRST: "Ann"}))
    table.arrivals.saw(table.layout)
    first, second = table.parts([*TRAIN[:1], WEST], Drawing(2))
    assert (first.delta, second.delta) == ((FIRST, Drawing(1)), (BEN, Drawing(1)))
    assert first.arms == {Drawing(1): ARM} and not second.arms


def test_draws_of_which_one_was_none_and_tiles_that_are_gone_are_not_told_apart() -> None:
    table = Table()
    table.wait(TRAIN[:1], Drawing(2))
    assert table.deltas([*TRAIN[:1], WEST], Drawing(1)) == [(FIRST,), (BEN, Drawing(1))]
    table = Table()
    table.wait(TRAIN[:1])
    gone = Vanishing(Laid(1, 2), "MX")
    assert table.deltas([*TRAIN[:1], WEST], gone) == [(FIRST, BEN, gone)]


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


def test_in_a_line_too_what_waited_goes_on_record_table_by_table() -> None:
    """With what was put away in between, which is a turn as well."""
    before = layout = reconstruct(in_line(in_row(3, 3, 6)), LINE)
    arrivals = Arrivals()
    arrivals.saw(layout)
    tiles = [in_row(3, 3, 6), in_row(4, 6, 5), in_row(5, 5, 1)]
    for count, away in ((2, {}), (3, {"Cy": 1})):
        layout = reconstruct(in_line(*tiles[:count]), LINE, layout)
        arrivals.wait(replace(difference(before, layout), discards=away))
        arrivals.saw(layout)
    observation = replace(difference(before, layout), discards={"Cy": 1, "Dee": 1})
    first, second = (Laying(Laid(*pair), "R") for pair in ((6, 5), (5, 1)))
    found = [(one.delta, one.discards) for one in arrivals.in_order(observation, layout)]
    assert found == [((first,), {}), ((second,), {"Cy": 1}), ((), {"Dee": 1})]


def test_what_was_put_away_and_taken_up_again_is_told_as_it_is_in_the_end() -> None:
    empty = reconstruct(in_line(), LINE)
    arrivals = Arrivals()
    first = reconstruct(in_line(in_row(3, 3, 6)), LINE, empty)
    arrivals.wait(replace(difference(empty, first), discards={"Cy": 2}))
    arrivals.saw(first)
    second = reconstruct(in_line(in_row(3, 3, 6), in_row(4, 6, 5)), LINE, first)
    observation = replace(difference(empty, second), discards={"Cy": 1})
    assert [dict(one.discards) for one in arrivals.in_order(observation, second)] == [{}, {"Cy": 1}]
