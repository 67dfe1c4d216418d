"""What `score` and the page count of a photograph: the hand in the middle, and nothing where the total is not known."""

from __future__ import annotations

import numpy as np
from flask import Flask

from companion.app.hands import hand_of
from companion.cli.read import _tile, as_text
from companion.cli.score import as_text as score_text
from companion.cli.score import count
from companion.rules.ruleset import load_ruleset
from companion.web.hand_photo import photo_note
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
    assert _tile(hand.tiles[1])["or"] == [0, 0] and "face down or 0-0" in as_text("hand.jpg", hand)
    assert hand_of(hand)["unreadable"] == 1 and hand_of(hand)["tiles"] == [[6, 4]]


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
