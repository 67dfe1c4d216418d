"""`read --set auto` forces no set, and says where no set holds what it read."""

from __future__ import annotations

import numpy as np
import pytest

from companion.app.own_set import set_doubt
from companion.cli.photographs import count, reading_text, with_set_doubt
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Tile
from vision.reading import HalfReading, PictureReading, TileReading


def tiles(*pairs: tuple[int, int]) -> list[Tile]:
    return [Tile(*pair) for pair in pairs]


@pytest.mark.parametrize(
    "read",
    [
        (),
        ((6, 6), (0, 3)),
        ((18, 2), (0, 0)),
        ((4, 6), (4, 6), (1, 1), (1, 1)),  # twice in the Chinese set
    ],
)
def test_what_some_set_holds_is_no_doubt(read: tuple[tuple[int, int], ...]) -> None:
    assert set_doubt(tiles(*read)) is None


def test_a_tile_too_often_is_named() -> None:
    assert set_doubt(tiles((3, 5), (5, 3), (6, 6))) == (
        "the set cannot be told: no set has 3-5 2 times; look at those first"
    )
    mixed = set_doubt(tiles((4, 6), (4, 6), (0, 1)))
    assert mixed is not None and "4-6 2 times" in mixed, "no set has blanks and this tile twice"


def test_the_doubt_stands_below_the_reading() -> None:
    quad = np.array([[0, 0], [0, 20], [40, 20], [40, 0]], np.float32)
    half = HalfReading(5, 0.99), HalfReading(3, 0.99)
    picture = PictureReading((100, 80), (TileReading(quad, "up", half, 0.9), TileReading(quad + 50, "up", half, 0.9)))
    assert reading_text("a.jpg", with_set_doubt(picture)).splitlines()[-1].startswith("  the set cannot be told")
    one = PictureReading((100, 80), picture.tiles[:1])
    assert with_set_doubt(one) is one


def test_a_hand_that_is_of_no_one_set_is_counted_and_said_so_once() -> None:
    quad = np.array([[0, 0], [0, 20], [40, 20], [40, 0]], np.float32)
    half = HalfReading(5, 0.99), HalfReading(3, 0.99)
    picture = PictureReading((100, 80), (TileReading(quad, "up", half, 0.9), TileReading(quad + 50, "up", half, 0.9)))
    auto, named = (count(one, load_ruleset("tactic")) for one in (with_set_doubt(picture), picture))
    assert auto["score"] == 16 and len(auto["warnings"]) == 1 and "the set cannot be told" in auto["warnings"][0]
    assert named["warnings"] == ["3-5 was read 2 times"]
