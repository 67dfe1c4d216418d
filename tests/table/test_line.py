"""The Chinese line: its two ends, its walls, and what is put away face down."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.stand_ins.seen_tables import back, tile
from companion.geometry import Layout, TableSetup, Trouble, covered, reconstruct, with_history
from companion.geometry.diff import difference
from companion.geometry.layout import Family, SeenHalf, SeenTile, TableView
from companion.perception.understanding import with_given_values
from companion.rules.notation import print_change
from companion.rules.position import SOMEBODY
from companion.rules.tile import Laid, Tile

SETUP = TableSetup(
    family=Family.CHINESE,
    players=("Ann", "Ben", "Cy", "Dee"),
    stations={"Ann": 90.0, "Ben": 0.0, "Cy": -90.0, "Dee": 180.0},
    set_max=None,
)
PITCH = 49.0


def table(*tiles: SeenTile) -> TableView:
    return TableView(tiles, size_mm=(1000.0, 800.0))


def in_row(n: int, left: int, right: int, flip: bool = False) -> SeenTile:
    """A tile in place n of a row in the middle; `flip`: the reader took its right end first."""
    x = 300.0 + n * PITCH
    return tile(x, 400.0, 180.0, right, left) if flip else tile(x, 400.0, 0.0, left, right)


def line(layout: Layout) -> str:
    laid = [placed.laid for placed in layout.line]
    return " ".join("?" if one is None else f"{one.inner}:{one.outer}" for one in laid)


def changes(before: Layout, after: Layout) -> list[str]:
    return [print_change(change) for change in difference(before, after).delta]


def test_a_line_is_read_from_left_to_right() -> None:
    layout = reconstruct(table(in_row(1, 6, 5, flip=True), in_row(0, 4, 6), in_row(2, 5, 5)), SETUP)
    assert line(layout) == "4:6 6:5 5:5"


def test_new_tiles_are_told_by_their_arm() -> None:
    before = reconstruct(table(in_row(1, 4, 6)), SETUP)
    after = reconstruct(table(in_row(0, 2, 4, flip=True), in_row(1, 4, 6), in_row(2, 6, 5)), SETUP, before)
    assert line(after) == "2:4 4:6 6:5"
    assert sorted(changes(before, after)) == ["+2-4@L", "+6-5@R"]


def test_a_line_keeps_its_left_end_when_it_is_read_the_other_way_round() -> None:
    before = reconstruct(table(in_row(0, 4, 6), in_row(1, 6, 5)), SETUP)
    after = reconstruct(table(in_row(1, 6, 5, flip=True), in_row(0, 4, 6, flip=True)), SETUP, before)
    assert line(after) == "4:6 6:5"
    assert changes(before, after) == []


ROW = [(1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (4, 5)]


def test_the_ninth_tile_lies_on_the_eighth() -> None:
    before = reconstruct(table(*(in_row(n, *values) for n, values in enumerate(ROW))), SETUP)
    tiles = [in_row(n, *values) for n, values in enumerate(ROW[:7])]
    turned = in_row(7, 6, 5)
    ninth = reconstruct(table(*tiles, turned), SETUP, before)
    assert line(ninth) == "1:1 1:2 2:2 2:3 3:3 3:4 4:4 4:5 5:6"
    assert changes(before, ninth) == ["+5-6@R"]
    tenth = reconstruct(table(*tiles[:6], in_row(6, 3, 6), turned), SETUP, ninth)
    assert line(tenth).endswith("4:5 5:6 6:3")
    assert changes(ninth, tenth) == ["+6-3@R"]


def test_a_wall_taken_apart_again_gives_its_history_back() -> None:
    first = reconstruct(table(*(in_row(n, *values) for n, values in enumerate(ROW))), SETUP)
    second = reconstruct(
        table(*(in_row(n, *values) for n, values in enumerate(ROW[:7])), in_row(7, 6, 5)), SETUP, first
    )
    assert len(second.walls) == 1
    assert [placed.laid for placed in second.line][-2:] == [(4, 5), (5, 6)]
    third = reconstruct(table(*(in_row(n, *values) for n, values in enumerate(ROW))), SETUP, second)
    assert line(third) == line(first)
    assert third.walls == {}
    assert changes(second, third) == ["-5-6@R"]
    assert not third.has(Trouble.VALUE_CHANGED)


def wall_of(*laid: tuple[int, int]) -> tuple[Layout, list[SeenTile]]:
    """A wall watched as it grew tile by tile, and what is seen of it in the end."""
    tops: dict[int, SeenTile] = {}
    layout: Layout | None = None
    for n, (inner, outer) in enumerate(laid):
        layer, k = divmod(n, 8)
        rightward = layer % 2 == 0
        slot = k if rightward else 7 - k
        tops[slot] = in_row(slot, *((inner, outer) if rightward else (outer, inner)))
        layout = reconstruct(table(*tops.values()), SETUP, layout)
    assert layout is not None
    return layout, [tops[slot] for slot in sorted(tops)]


GROWN = [
    *((6, 6), (6, 5), (5, 5), (5, 3), (3, 3), (3, 3), (3, 6), (6, 6)),
    *((6, 4), (4, 4), (4, 3), (3, 6), (6, 1), (1, 1), (1, 3), (3, 4)),
    (4, 5),
]


def test_a_tile_laid_on_another_under_which_its_equal_lies_takes_nothing_off() -> None:
    """5:6 is laid on 1:3, and the other 6:5 lies under that: the place shows the values of what it covers."""
    before, seen = wall_of(*GROWN)
    assert len(before.line) == 17
    for left, right in ((5, 6), (6, 5)):
        after = reconstruct(table(seen[0], in_row(1, left, right), *seen[2:]), SETUP, before)
        assert changes(before, after) == [f"+{left}-{right}@R"]


TURNED = [
    *((4, 4), (4, 6), (6, 3), (3, 3), (3, 2), (2, 6), (6, 4), (4, 5)),
    *((5, 6), (6, 6), (6, 1), (1, 6), (6, 5), (5, 2), (2, 2), (2, 4)),
]


def test_a_double_laid_where_the_wall_turns_over_its_equal_takes_nothing_off() -> None:
    """The wall's last tile lies on its first, a 4:4: the other 4:4 was laid on it, and it was not taken back."""
    before, seen = wall_of(*TURNED)
    after = reconstruct(table(in_row(0, 4, 4), *seen[1:]), SETUP, before)
    assert changes(before, after) == ["+4-4@R"]
    on = reconstruct(table(in_row(0, 4, 4), in_row(1, 4, 3), *seen[2:]), SETUP, after)
    assert changes(after, on) == ["+4-3@R"]


def test_where_the_wall_turns_a_tile_that_does_not_match_was_there_before() -> None:
    before, seen = wall_of((1, 5), *TURNED[1:-1], (2, 1))
    after = reconstruct(table(in_row(0, 1, 5), *seen[1:]), SETUP, before)
    assert changes(before, after) == ["+1-5@R"], "it matches as it lies"
    before, seen = wall_of((5, 1), *TURNED[1:-1], (2, 1))
    after = reconstruct(table(in_row(0, 5, 1), *seen[1:]), SETUP, before)
    assert changes(before, after) == ["-2-1@R"]


def test_what_comes_to_light_where_a_wall_turns_still_covers_the_row_below() -> None:
    """4:4 lies over the wall's first tile and does not match 3:3; what shows there next would have joined them."""
    before, seen = wall_of((5, 4), *TURNED[1:-2], (3, 3), (4, 4))
    assert before.has(Trouble.COVERED_TILE)
    after = reconstruct(table(in_row(0, 4, 3), *seen[1:]), SETUP, before)
    assert next(placed.laid for placed in after.line) == (5, 4), "nobody took the first tile away"
    assert "-5-4@L" not in changes(before, after)


def test_a_tile_taken_off_shows_the_one_below_as_it_lay() -> None:
    before, seen = wall_of(*GROWN)
    again = reconstruct(table(in_row(0, 4, 3), *seen[1:]), SETUP, before)
    assert changes(before, again) == ["-4-5@R"]
    assert [placed.laid for placed in again.line][-1] == (3, 4)


def test_another_value_before_the_wall_turns_is_a_doubtful_reading() -> None:
    before = reconstruct(table(*(in_row(n, *values) for n, values in enumerate(ROW[:5]))), SETUP)
    tiles = [in_row(n, *values) for n, values in enumerate(ROW[:4])]
    after = reconstruct(table(*tiles, in_row(4, 3, 6)), SETUP, before)
    assert after.has(Trouble.VALUE_CHANGED)
    assert changes(before, after) == []


def test_face_down_tiles_belong_to_the_player_before_whom_they_lie() -> None:
    before = reconstruct(table(in_row(1, 4, 6)), SETUP)
    after = reconstruct(table(in_row(1, 4, 6), back(500.0, 760.0), back(530.0, 30.0), back(560.0, 30.0)), SETUP, before)
    assert after.discards == {"Ann": 1, "Ben": 0, "Cy": 2, "Dee": 0}
    assert difference(before, after).discards == {"Ann": 1, "Cy": 2}


def test_where_no_places_are_known_face_down_tiles_are_somebodys() -> None:
    nowhere = replace(SETUP, stations={})
    before = reconstruct(table(in_row(1, 4, 6)), nowhere)
    after = reconstruct(table(in_row(1, 4, 6), back(500.0, 760.0), back(530.0, 30.0)), nowhere, before)
    assert difference(before, after).discards == {SOMEBODY: 2}


def test_a_tile_far_from_the_line_is_loose() -> None:
    before = reconstruct(table(in_row(1, 4, 6)), SETUP)
    after = reconstruct(table(in_row(1, 4, 6), tile(500.0, 560.0, 10.0, 1, 3)), SETUP, before)
    assert after.has(Trouble.LOOSE_TILE)
    assert line(after) == "4:6"


def test_a_tile_taken_back_from_the_end() -> None:
    before = reconstruct(table(in_row(0, 4, 6), in_row(1, 6, 5)), SETUP)
    after = reconstruct(table(in_row(0, 4, 6)), SETUP, before)
    assert changes(before, after) == ["-6-5@R"]


DOUBLED = [(1, 3), (3, 3), (3, 2), (2, 2), (2, 4), (4, 4), (4, 6), (6, 6)]


def test_a_tile_laid_on_its_equal_shows_when_the_next_one_comes() -> None:
    row = [in_row(n, *values) for n, values in enumerate(DOUBLED)]
    before = reconstruct(table(*row), SETUP)
    after = reconstruct(table(*row[:6], in_row(6, 5, 6), row[7]), SETUP, before)
    assert line(after).endswith("4:6 6:6 6:6 6:5")
    assert changes(before, after) == ["+6-6@R", "+6-5@R"]


def test_nothing_is_laid_unseen_that_is_not_in_the_box() -> None:
    row = [in_row(n, *values) for n, values in enumerate([*DOUBLED[:-1], (6, 2)])]
    before = reconstruct(table(*row), SETUP)
    after = reconstruct(table(*row[:6], in_row(6, 5, 2), row[7]), SETUP, before)
    assert changes(before, after) == []
    assert after.has(Trouble.VALUE_CHANGED)


def test_a_tile_that_may_lie_on_its_equal_is_offered() -> None:
    before = reconstruct(table(*(in_row(n, *values) for n, values in enumerate(DOUBLED))), SETUP)
    hidden = covered(before, SETUP)
    assert hidden is not None
    assert changes(before, hidden) == ["+6-6@R"]


def test_a_tile_covered_at_the_turn_before_it_was_seen_is_doubtful_until_the_next_one_comes() -> None:
    before = reconstruct(table(*(in_row(n, *values) for n, values in enumerate(ROW[:7]))), SETUP)
    row = [in_row(n, *values) for n, values in enumerate([*ROW[:7], (3, 6)])]
    after = reconstruct(table(*row), SETUP, before)
    assert after.has(Trouble.COVERED_TILE)
    assert reconstruct(table(*row), SETUP, after).has(Trouble.COVERED_TILE)
    beside = reconstruct(table(*row[:6], in_row(6, 5, 3), row[7]), SETUP, after)
    assert line(beside).endswith("4:4 4:6 6:3 3:5")
    assert not beside.has(Trouble.COVERED_TILE)
    on_top = reconstruct(table(*row[:7], in_row(7, 5, 6)), SETUP, after)
    assert line(on_top).endswith("4:4 3:6 6:5")
    assert not on_top.has(Trouble.COVERED_TILE)


def test_a_tile_that_equals_a_hidden_one_is_laid_or_comes_to_light_and_the_next_tile_tells() -> None:
    """3:6 does not match 4:4: somebody erred, or it lies on a 4:6. So what shows there next, a 4:6, was laid on it, or
    3:6 was taken back."""
    before = reconstruct(table(*(in_row(n, *values) for n, values in enumerate(ROW[:7]))), SETUP)
    row = [in_row(n, *values) for n, values in enumerate(ROW[:7])]
    doubted = reconstruct(table(*row, in_row(7, 3, 6)), SETUP, before)
    either = reconstruct(table(*row, in_row(7, 4, 6)), SETUP, doubted)
    assert line(either).endswith("4:4 3:6 6:4") and changes(doubted, either) == ["+6-4@R"]
    assert not either.has(Trouble.COVERED_TILE)
    again = reconstruct(table(*row, in_row(7, 4, 6)), SETUP, either)
    assert changes(either, again) == []

    laid_on = reconstruct(table(*row[:6], in_row(6, 5, 4), in_row(7, 4, 6)), SETUP, again)
    assert line(laid_on).endswith("4:4 3:6 6:4 4:5") and changes(again, laid_on) == ["+4-5@R"]
    assert laid_on.otherwise is None and not laid_on.has(Trouble.VALUE_CHANGED)

    taken_back = reconstruct(table(*row, in_row(7, 5, 6)), SETUP, again)
    assert line(taken_back).endswith("4:4 4:6 6:5") and taken_back.otherwise is None
    assert sorted(changes(again, taken_back)) == ["+4-6@R", "+6-5@R", "-3-6@R", "-6-4@R"]
    assert not taken_back.has(Trouble.VALUE_CHANGED)


def test_a_double_over_a_rows_last_tile_is_no_mismatch_with_an_equal_laid_on_it() -> None:
    """Both would explain the next tile, but only one of them needs nobody to have laid wrongly."""
    row = [(1, 1), (1, 2), (2, 2), (2, 3), (3, 1), (1, 4), (4, 4)]
    before = reconstruct(table(*(in_row(n, *values) for n, values in enumerate(row))), SETUP)
    after = reconstruct(table(*(in_row(n, *values) for n, values in enumerate([*row, (3, 3)]))), SETUP, before)
    assert after.has(Trouble.COVERED_TILE)
    seen = [in_row(n, *values) for n, values in enumerate([*row[:6], (5, 3), (3, 3)])]
    for asked in (before, after):
        assert line(reconstruct(table(*seen), SETUP, asked)).endswith("4:4 4:3 3:3 3:5")


def test_no_tile_is_put_under_another_that_is_not_in_the_box() -> None:
    row = [*ROW[:6], (4, 4)]
    before = reconstruct(table(*(in_row(n, *values) for n, values in enumerate(row))), SETUP)
    after = reconstruct(table(*(in_row(n, *values) for n, values in enumerate([*row, (6, 3)]))), SETUP, before)
    assert changes(before, after) == ["+6-3@R"]
    assert not after.has(Trouble.COVERED_TILE)


def test_two_tiles_laid_on_their_equals_show_when_the_next_one_comes() -> None:
    row = [in_row(n, *values) for n, values in enumerate(DOUBLED)]
    before = reconstruct(table(*row), SETUP)
    after = reconstruct(table(*row[:5], in_row(5, 1, 4), *row[6:]), SETUP, before)
    assert line(after).endswith("6:6 6:6 6:4 4:1")


def test_a_wall_seen_for_the_first_time_gets_its_history_from_the_record() -> None:
    recorded = [*(Laid(*values) for values in ROW), Laid(5, 6), Laid(6, 3)]
    row = [in_row(n, *values) for n, values in enumerate(ROW)]
    seen = reconstruct(table(*row[:6], in_row(6, 3, 6), in_row(7, 6, 5)), SETUP)
    known = with_history(seen, recorded)
    assert line(known).endswith("4:4 4:5 5:6 6:3")
    later = reconstruct(table(*row[:5], in_row(5, 2, 3), in_row(6, 3, 6), in_row(7, 6, 5)), SETUP, known)
    assert changes(known, later) == ["+3-2@R"]
    assert with_history(seen, [Laid(1, 1)] * 10) == seen


def unread(n: int, left: int) -> SeenTile:
    return replace(in_row(n, left, 1), halves=(SeenHalf(left, 0.99), SeenHalf(None, 0.6, ((4, 0.6), (6, 0.3)))))


def test_an_unread_tile_of_a_line_counts_as_new_once_it_is_read() -> None:
    first = reconstruct(table(in_row(0, 5, 6), in_row(1, 6, 3)), SETUP)
    second = reconstruct(table(in_row(0, 5, 6), in_row(1, 6, 3), unread(2, 3)), SETUP, first)
    assert changes(first, second) == []
    third = reconstruct(table(in_row(0, 5, 6), in_row(1, 6, 3), unread(2, 3), in_row(3, 4, 1)), SETUP, second)
    assert changes(second, third) == []
    tiles = table(in_row(0, 5, 6), in_row(1, 6, 3), in_row(2, 3, 4), in_row(3, 4, 1))
    fourth = reconstruct(tiles, SETUP, third)
    assert changes(third, fourth) == ["+3-4@R", "+4-1@R"]


def test_an_unread_tile_of_a_line_is_on_record_as_it_looks() -> None:
    """The belief tells what it is."""
    lying = table(in_row(0, 5, 6), in_row(1, 6, 3), unread(2, 3), in_row(3, 4, 1))
    box = {Tile(a, b): 2 for a in range(1, 7) for b in range(a, 7)}
    tile = with_given_values(reconstruct(lying, SETUP), None, box, {}).line[2]
    assert tile.laid is not None and tile.laid.inner == 3 and tile.given


def unread_at(x: float, y: float) -> SeenTile:
    return tile(x, y, 0.0, None, None)


def test_a_tile_of_which_nothing_is_read_is_put_away() -> None:
    """A back with scratches is taken for a face nobody can read."""
    row = [in_row(0, 4, 6), in_row(1, 6, 5)]
    before = reconstruct(table(*row), SETUP)
    after = reconstruct(table(*row, unread_at(350.0, 60.0)), SETUP, before)
    assert dict(difference(before, after).discards) == {"Cy": 1}
    assert not after.problems


def test_an_unread_tile_of_a_hand_laid_open_is_not_put_away() -> None:
    row = [in_row(0, 4, 6), in_row(1, 6, 5)]
    before = reconstruct(table(*row), SETUP)
    opened = [tile(420.0, 60.0, 0.0, 3, 3), unread_at(490.0, 60.0)]
    after = reconstruct(table(*row, *opened), SETUP, before)
    assert not difference(before, after).discards
    assert len(after.hands["Cy"]) == 2


def test_after_the_round_nothing_more_is_put_away() -> None:
    row = [in_row(0, 4, 6), in_row(1, 6, 5)]
    before = reconstruct(table(*row, unread_at(350.0, 60.0)), SETUP)
    over = replace(SETUP, over=True)
    opened = [tile(420.0, 60.0, 0.0, 3, 3), unread_at(940.0, 400.0)]
    after = reconstruct(table(*row, unread_at(350.0, 60.0), *opened), over, before)
    assert not difference(before, after).discards
    assert after.discards["Cy"] == 1
    assert len(after.hands["Cy"]) == len(after.hands["Ben"]) == 1


def test_a_back_that_shows_a_face_after_the_round_was_turned_over_though_nobody_can_read_it() -> None:
    row = [in_row(0, 4, 6), in_row(1, 6, 5)]
    before = reconstruct(table(*row, back(350.0, 60.0)), SETUP)
    turned = table(*row, unread_at(350.0, 60.0))
    playing, after = (reconstruct(turned, replace(SETUP, over=over), before) for over in (False, True))
    assert playing.discards["Cy"] == 1 and not playing.hands
    assert after.discards["Cy"] == 0 and len(after.hands["Cy"]) == 1


def half_read(n: int, left: int | None, right: int | None) -> SeenTile:
    halves = [
        SeenHalf(None, 0.6, ((1, 0.6), (6, 0.3))) if value is None else SeenHalf(value, 0.99) for value in (left, right)
    ]
    return replace(in_row(n, 1, 1), halves=(halves[0], halves[1]))


@pytest.mark.parametrize("seen", [(3, None), (None, 6), (None, None)])
def test_an_unread_tile_at_the_turn_lies_on_one_that_nobody_saw_once_the_wall_goes_on(
    seen: tuple[int | None, int | None],
) -> None:
    """4-6 and 6-3 were laid before anybody saw the first of them; of 6-3 one half or both cannot be read."""
    before = reconstruct(table(*(in_row(n, *values) for n, values in enumerate(ROW[:7]))), SETUP)
    row = [in_row(n, *values) for n, values in enumerate(ROW[:7])]
    turned = reconstruct(table(*row, half_read(7, *seen)), SETUP, before)
    assert changes(before, turned) == []
    on = reconstruct(table(*row[:6], in_row(6, 5, 3), half_read(7, *seen)), SETUP, turned)
    assert not on.has(Trouble.VALUE_CHANGED) and on.has(Trouble.UNREADABLE_TILE)
    told = ["+4-6@R"] if seen[1] == 6 else []
    assert len(on.line) == 10 and changes(turned, on) == told
    further = reconstruct(table(*row[:5], in_row(5, 1, 5), in_row(6, 5, 3), half_read(7, *seen)), SETUP, on)
    assert not further.has(Trouble.VALUE_CHANGED) and len(further.line) == 11
    read = reconstruct(table(*row[:5], in_row(5, 1, 5), in_row(6, 5, 3), in_row(7, 3, 6)), SETUP, further)
    assert [*told, *changes(further, read)] == ["+4-6@R", "+6-3@R", "+3-5@R", "+5-1@R"]


def hardly(n: int, left: int, right: int, p: float) -> SeenTile:
    """A tile in place n that is not read, though it looks like these values."""
    row = in_row(n, left, right)
    rest = 0.97 - p
    halves = (SeenHalf(None, p, ((left, p), (1, rest))), SeenHalf(None, p, ((right, p), (4, rest))))
    return replace(row, halves=halves)


def test_a_tile_that_nobody_can_read_where_the_wall_turns_lies_on_the_one_below() -> None:
    """6:6 comes on 6:4, the row's first, and is not read; then another 6:4 is laid on that."""
    laid = [(6, 4), *ROW[1:4], (3, 3), (3, 4), (4, 4), (4, 5), (5, 2), (2, 5), (5, 5), (5, 6), (6, 3), (3, 2), (2, 6)]
    before, seen = wall_of(*laid)
    assert len(before.line) == 15
    unread_now = reconstruct(table(hardly(0, 6, 6, 0.8), *seen[1:]), SETUP, before)
    assert len(unread_now.line) == 16 and unread_now.has(Trouble.UNREADABLE_TILE)
    assert changes(before, unread_now) == []
    on = reconstruct(table(in_row(0, 6, 4), *seen[1:]), SETUP, unread_now)
    assert len(on.line) == 17 and not on.has(Trouble.VALUE_CHANGED)
    assert "+4-6@R" not in changes(unread_now, on), "the 6:4 lies on the tile that nobody read, not on 2:6"


def test_a_bad_look_at_the_tile_where_the_wall_turns_lays_nothing_on_it() -> None:
    before, seen = wall_of((6, 4), *ROW[1:4], (3, 3), (3, 4), (4, 4), (4, 5), *TURNED[8:15])
    for p in (0.5, 0.7):
        again = reconstruct(table(hardly(0, 6, 1, p), *seen[1:]), SETUP, before)
        assert len(again.line) == 15


def test_a_tile_misread_before_there_was_a_wall_is_no_play_once_the_wall_comes_to_it() -> None:
    """The fourth tile showed another value while it was the last: it was misread, and nobody has laid it since."""
    row = [in_row(n, *values) for n, values in enumerate(ROW)]
    other = in_row(3, 5, 6)
    layout = reconstruct(table(*row[:4]), SETUP)
    layout = reconstruct(table(*row[:3], other), SETUP, layout)
    assert layout.has(Trouble.VALUE_CHANGED)
    for n in range(4, 8):
        layout = reconstruct(table(*row[:3], other, *row[4 : n + 1]), SETUP, layout)
    wall = {7: (5, 6), 6: (6, 3), 5: (3, 1), 4: (1, 5)}
    for slot, laid in wall.items():
        row[slot] = in_row(slot, *laid[::-1])
        after = reconstruct(table(*row[:3], other, *row[4:]), SETUP, layout)
        assert changes(layout, after) == ["+{}-{}@R".format(*laid)]
        layout = after
    assert len(layout.line) == 12 and layout.has(Trouble.VALUE_CHANGED)
    layout = reconstruct(table(*row), SETUP, layout)
    assert len(layout.line) == 12 and not layout.has(Trouble.VALUE_CHANGED)
    on = reconstruct(table(*row[:3], other, *row[4:]), SETUP, layout)
    assert changes(layout, on) == ["+6-5@R"], "read rightly once more, it is a place like any other"
