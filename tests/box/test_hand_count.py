"""`score` and the page count the hand in the middle of a photograph, and nothing where the total is not known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flask import Flask

from companion.app.games import hand_of
from companion.cli.photographs import _tile, count, reading_text, score_text, shows_trains
from companion.rules.ruleset import load_ruleset
from companion.web.guests import photo_note
from vision.reading import HalfReading, PictureReading, TileReading

REEVES = load_ruleset("reeves")


def tile(values: tuple[int, int] | None, x: float, y: float, *, down: bool = False, or_blank: bool = False):
    quad = np.array([[x, y + 100], [x, y], [x + 50, y], [x + 50, y + 100]], np.float32)[[1, 2, 3, 0]]
    if down:
        return TileReading(quad, "down", None, 0.9, or_blank)
    halves = (None, None) if values is None else values
    a, b = (HalfReading(value, 0.99 if value is not None else 0.0) for value in halves)
    return TileReading(quad, "up", (a, b), 0.9)


def picture(*tiles) -> PictureReading:
    return PictureReading((1000, 1000), tuple(tiles))


def test_a_back_that_may_be_the_double_blank_leaves_the_total_unknown() -> None:
    hand = picture(tile((6, 4), 450, 450), tile(None, 520, 450, down=True, or_blank=True))
    counted = count(hand, REEVES)
    assert counted["score"] is None and counted["at_least"] == 10 and counted["unread"] == 1
    assert "face down or is the double blank" in score_text("hand.jpg", counted)
    assert _tile(hand.tiles[1])["or"] == [0, 0] and "face down or 0-0" in reading_text("hand.jpg", hand)
    assert hand_of(hand)["unreadable"] == 1 and hand_of(hand)["tiles"] == [[6, 4]]


def row(x: float, *values: tuple[int, int]) -> list[TileReading]:
    """Tiles end to end, from the top down."""
    return [tile(one, x, 100 + 105 * n) for n, one in enumerate(values)]


def test_trains_on_the_table_are_no_hand() -> None:
    one, other = row(100, (12, 5), (5, 7), (7, 3)), row(500, (12, 4), (4, 4), (4, 9))
    assert shows_trains([*one, *other])
    assert not shows_trains([*one, tile((4, 8), 300, 300)]), "a hand laid out as the train that it was to be"
    assert not shows_trains([*one, *row(500, (1, 6), (2, 4), (8, 9), (10, 11), (0, 5))])
    assert shows_trains(row(100, (12, 5), (5, 7), (7, 3), (3, 1), (1, 1), (1, 8)))
    across = replace(tile((4, 4), 0, 0), quad_px=np.array([[450, 205], [450, 255], [550, 255], [550, 205]], np.float32))
    assert shows_trains([*one, tile((12, 4), 475, 100), across, tile((4, 9), 475, 260)])
    assert not shows_trains([]) and not shows_trains([tile(None, 0, 0)])


def test_a_plain_back_is_named_and_not_counted() -> None:
    hand = picture(tile((6, 4), 450, 450), tile(None, 520, 450, down=True))
    assert count(hand, REEVES)["score"] == 10
    assert hand_of(hand)["unreadable"] == 0 and "or" not in _tile(hand.tiles[1])


def test_only_the_group_in_the_middle_is_counted_and_the_rest_is_said() -> None:
    hand = picture(tile((6, 4), 450, 450), tile((1, 2), 520, 450), tile((5, 5), 20, 20), tile(None, 90, 20))
    counted = count(hand, REEVES)
    assert counted["score"] == 13 and counted["elsewhere"] == 2
    assert "2 tiles away from the hand in the middle are not counted" in counted["warnings"]
    found = hand_of(hand)["found"]
    assert [one["counts"] for one in found] == [True, True, False, False]
    assert found[0]["quad"][0] == [0.45, 0.45] and found[0]["values"] == [6, 4] and found[3]["values"] is None


def test_the_page_is_told_which_half_of_an_open_tile_is_known() -> None:
    one = tile((6, 4), 450, 450)
    assert one.halves is not None
    half_read = replace(one, halves=(one.halves[0], HalfReading(None, 0.4)))
    found = hand_of(picture(half_read, tile((1, 2), 520, 450), tile(None, 590, 450, down=True)))["found"]
    assert [one["known"] for one in found] == [[6, None], [1, 2], []] and found[0]["values"] is None


def test_the_page_says_what_it_does_not_count() -> None:
    hand = hand_of(picture(tile((6, 4), 450, 450), tile((1, 2), 520, 450), tile((5, 5), 20, 20), tile(None, 90, 20)))
    app = Flask(__name__)
    with app.test_request_context():
        assert photo_note("Ann", hand, "Check it.") == (
            "Ann: 2 tiles read. 2 tiles lie away from the hand and are not counted. Check it.",
            False,
        )
        without = hand_of(picture(tile((6, 4), 450, 450), tile((1, 2), 520, 450)))
        assert photo_note("Ann", without, "Check it.") == ("Ann: 2 tiles read. Check it.", True)


def test_where_many_tiles_are_unread_teaching_the_set_is_a_way_out() -> None:
    read = [tile((6, 4), 300, 450 + 110 * n) for n in range(3)]
    for unread, told in ((1, False), (3, True)):
        hand = [tile(None, 360, 450 + 110 * n) for n in range(unread)]
        warnings = count(picture(*read, *hand), REEVES)["warnings"]
        assert any("teach it your set" in one for one in warnings) is told
    rack = PictureReading((1000, 1000), (*read, *hand), warnings=("6 tiles stand in a row",))
    assert not any("teach" in one for one in count(rack, REEVES)["warnings"])


def test_where_the_picture_cuts_tiles_off_showing_all_of_them_is_the_way_out() -> None:
    read = [tile((n, 6), 300 + 60 * n, 780) for n in range(6)]
    cut = [tile(None, 300 + 60 * n, 898) for n in range(3)]
    said = count(picture(*read, *cut), REEVES)["warnings"]
    assert said == ["3 of 9 tiles could not be read: add those yourself, or show all of the hand"]
    whole = [tile(None, 300 + 60 * n, 890) for n in range(3)]
    assert count(picture(*read, *whole), REEVES)["warnings"] == [
        "3 of 9 tiles could not be read: add those yourself, or come closer; teach it your set if that looks unusual"
    ]


def test_of_an_open_tile_the_half_that_is_not_known_is_asked_for() -> None:
    quad = tile(None, 520, 450).quad_px
    half = HalfReading(None, 0.6, ((4, 0.6), (2, 0.3), (5, 0.05)))
    hand = picture(
        tile((6, 4), 450, 450),
        TileReading(quad, "up", (HalfReading(3, 0.99), half), 0.9),
        TileReading(quad + np.float32([0, 120]), "up", (half, HalfReading(None, 0.0)), 0.9),
        TileReading(quad + np.float32([0, 240]), "up", (HalfReading(None, 0.0), HalfReading(5, 0.99)), 0.9),
        tile(None, 450, 570),
    )
    counted = count(hand, REEVES)
    assert counted["score"] is None and counted["at_least"] == 10 + 3 + 5
    assert counted["open"] == [
        {"at": [545, 500], "known": [3], "maybe": [[4, 2]]},
        {"at": [545, 620], "known": [], "maybe": [[4, 2], []]},
        {"at": [545, 740], "known": [5], "maybe": [[]]},
        {"at": [475, 620], "known": [], "maybe": [[], []]},
    ]
    assert score_text("hand.jpg", counted).splitlines()[1:5] == [
        "  at 545, 500: one half is 3; what is the other? (4 or 2)",
        "  at 545, 620: what is this tile? (4 or 2 and ?)",
        "  at 545, 740: one half is 5; what is the other?",
        "  at 475, 620: what is this tile?",
    ]


def test_of_a_heap_no_total_is_said() -> None:
    heap = picture(tile((6, 4), 450, 450), tile((1, 2), 520, 450), tile((3, 3), 530, 530))
    counted = count(heap, REEVES)
    assert counted["score"] is None and counted["at_least"] == 19
    assert any("lie on each other" in one for one in counted["warnings"])
    assert any("lie on each other" in one for one in hand_of(heap)["why"])
    assert count(picture(tile((6, 4), 450, 450), tile((1, 2), 498, 450)), REEVES)["score"] == 13, "side by side"


def test_no_total_is_said_where_a_tile_beside_the_hand_was_not_found() -> None:
    hand, near, far = picture(tile((6, 4), 450, 450), tile((1, 2), 520, 450)), tile(None, 590, 450), tile(None, 20, 20)
    beside = replace(hand, overlooked=(near.quad_px,))
    counted = count(beside, REEVES)
    assert counted["score"] is None and counted["at_least"] == 13
    assert any("another tile" in one for one in counted["warnings"])
    assert any("another tile" in one for one in hand_of(beside)["why"])
    away = replace(hand, overlooked=(far.quad_px,))
    assert count(away, REEVES)["score"] == 13 and not hand_of(away)["why"]


def test_where_the_camera_leans_that_is_the_way_out_and_not_teaching() -> None:
    def lying(values: tuple[int, int] | None, n: int) -> TileReading:
        at, across = np.float32([300 + 100 * (n % 4), 300 + 90 * (n // 4)]), n % 2
        corners = [[0, 24], [0, 0], [80, 0], [80, 24]] if across else [[0, 0], [40, 0], [40, 48], [0, 48]]
        return replace(tile(values, 0, 0), quad_px=at + np.float32(corners))

    values = [(1, 2), (3, 4), (5, 6), (1, 1), (2, 2), (3, 3), (0, 4), (0, 5), None, None, None]
    said = count(picture(*(lying(one, n) for n, one in enumerate(values))), REEVES)["warnings"]
    assert any("hold the camera more from above" in one for one in said)
    assert not any("teach" in one for one in said)
