"""Hidden parts of a tile, and whether its value could be another one because of them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from datasets.render.table import TableCamera, TableMarker, TableScene, TableTile, render_table
from tests.lanes import nightly
from tests.vision.test_tile_shape import read, scattered
from vision.hidden import Covers, may_be, printed, solid
from vision.known_set import KnownSet
from vision.reading import HalfReading, TileReading
from vision.weights import WeightsError, shipped_weights

SIX, NINE, TWELVE = range(7), range(10), range(13)


def cells(*parts: tuple[int, int, int, int]) -> np.ndarray:
    """(10, 10) with these parts hidden: rows from, to, columns from, to."""
    hidden = np.zeros((10, 10), np.bool_)
    for y0, y1, x0, x1 in parts:
        hidden[y0:y1, x0:x1] = True
    return hidden


MIDDLE, CORNER, RIM, SIDE = (4, 6, 4, 6), (1, 4, 1, 4), (0, 10, 9, 10), (1, 9, 1, 4)


@pytest.mark.parametrize(
    ("value", "hidden", "values", "doubtful"),
    [
        (4, cells(), SIX, False),
        (0, cells(MIDDLE), SIX, True),  # a 1
        (4, cells(MIDDLE), SIX, True),  # a 5
        (6, cells(MIDDLE), SIX, False),  # there is no 7 in the box
        (6, cells(MIDDLE), NINE, True),
        (2, cells(CORNER), SIX, False),  # one corner alone is a 2 and nothing else
        (5, cells(CORNER), SIX, False),  # three corners and a middle are a 5 and nothing else
        (3, cells(RIM), TWELVE, False),  # no pip has its middle there
        (4, cells(SIDE), SIX, True),  # a 6 or a 2 from the other side
        (2, cells((0, 10, 0, 10)), SIX, True),
        (4, cells((4, 5, 4, 5)), SIX, False),  # a scratch
    ],
)
def test_a_value_stands_where_no_other_could_look_the_same(value, hidden, values, doubtful) -> None:
    assert (may_be(value, hidden, values) != [value]) is doubtful


def test_what_a_half_may_be_is_what_looks_like_it_with_the_hidden_put_aside() -> None:
    assert may_be(4, cells(MIDDLE), SIX) == [4, 5]
    assert may_be(2, cells(MIDDLE), SIX) == [2, 3]
    assert may_be(5, cells((0, 10, 0, 10)), SIX) == [], "nobody knows"


@pytest.fixture(scope="module")
def covers() -> Covers:
    return Covers(shipped_weights("covers"))


@pytest.fixture(
    scope="module", params=[nightly((4, "train", "#d02020")), (25, "coin", "#d02020"), (12, "train", "#2030a0")]
)
def table(request):
    """(image, quads) of four tiles; a thing stands on one half of the last and another beside the first."""
    seed, kind, colour = request.param
    tiles = tuple(TableTile((120.0 + 110 * n, 220.0), 0.0, (n + 2, 6)) for n in range(4))
    markers = (TableMarker((438.0, 222.0), colour, 75.0, kind), TableMarker((120.0, 300.0), colour, 20.0, kind))
    camera = TableCamera(width=1200, height=900, height_mm=620)
    scene = TableScene((600.0, 450.0), tiles, markers, camera=camera, background="cloth", set_max=6)
    image, labels = render_table(scene, seed)
    quads = [np.array(label["quad"], np.float32) for label in labels if label["cls"] == 0]
    return image, sorted(quads, key=lambda quad: float(quad[:, 0].mean()))


def test_what_was_read_under_a_thing_is_not_claimed_and_all_else_is(covers, table) -> None:
    image, quads = table
    read = [TileReading(quad, "up", (HalfReading(2, 0.99), HalfReading(6, 0.98)), 0.9) for quad in quads]
    told = covers.settled(image, read)
    assert [tile.values for tile in told[:3]] == [(2, 6)] * 3
    hidden, bare = told[3].halves
    assert hidden.value is None and hidden.p == 0 and bare.value == 6


def test_the_large_one_of_a_chinese_tile_is_no_thing_on_it(covers) -> None:
    """Its red spot is nearly half a tile wide. A box with blanks has none so large: there it may be a checker."""
    tiles = tuple(TableTile((120.0 + 110 * n, 220.0), 0.0, (1, value)) for n, value in enumerate((1, 5, 6)))
    camera = TableCamera(width=1200, height=900, height_mm=620)
    scene = TableScene((600.0, 450.0), tiles, camera=camera, background="cloth", set_max=6, family="chinese")
    image, labels = render_table(scene, 12)
    quads = [np.array(label["quad"], np.float32) for label in labels if label["cls"] == 0]
    read = [TileReading(quad, "up", (HalfReading(1, 0.99), HalfReading(5, 0.98)), 0.9) for quad in quads]
    chinese = KnownSet("chinese", {(a, b): 2 for a in range(1, 7) for b in range(a, 7)})
    told = covers.settled(image, read, chinese)
    assert [tile.values for tile in told] == [(1, 5)] * 3
    assert any(tile.values is None for tile in covers.settled(image, read, KnownSet.double(6)))


def drawn(ground: tuple[int, int, int], *spots: tuple[int, int, int], blur: float = 0.0) -> np.ndarray:
    """(64, 104, 3): a dark tile as the network sees it, red discs on it: x and y from the tile's corner, radius."""
    cut = np.full((64, 104, 3), ground, np.uint8)
    cv2.rectangle(cut, (12, 12), (91, 51), (40, 40, 40), -1)
    for x, y, radius in spots:
        cv2.circle(cut, (12 + x, 12 + y), radius, (40, 40, 220), -1, cv2.LINE_AA)
    return cv2.GaussianBlur(cut, (0, 0), blur) if blur else cut


def test_pips_that_run_together_are_no_thing() -> None:
    red_four = drawn((90, 120, 90), *((x, y, 6) for x in (12, 28) for y in (12, 28)), blur=2.5)
    assert not solid(red_four).any()
    checker = drawn((90, 120, 90), (20, 20, 14), blur=2.5)
    assert (solid(checker) > 0.5).sum() > 20


def test_what_the_other_halves_of_a_value_show_too_is_printed() -> None:
    spot, off = cells((3, 7, 3, 7)), cells((1, 4, 6, 9))
    hidden = np.stack([spot, spot, spot, off, off, spot, cells()])
    assert printed(hidden, [1, 1, 1, 1, 2, 6, 1]).tolist() == [True, True, True, False, False, False, False]
    many = np.stack([spot, spot, *[cells()] * 8])
    assert not printed(many, [1] * 10).any(), "two of ten are two things"
    assert not printed(hidden, [None] * 7).any()
    assert printed(hidden[:0], []).shape == (0,)


def test_a_spot_on_many_halves_is_a_one_only_where_nothing_is_blank(covers, monkeypatch) -> None:
    """Checkers on blanks are read as ones too."""
    spot = np.zeros((3, 2, 10, 10), np.float32)
    spot[:, 0, 3:7, 3:7] = 1.0
    monkeypatch.setattr(covers, "hidden", lambda image, quads, **how: spot[: len(quads)])
    quad = np.array([[10, 30], [10, 10], [50, 10], [50, 30]], np.float32)
    for other, told in ((5, 1), (0, None)):
        read = [TileReading(quad, "up", (HalfReading(1, 0.99), HalfReading(other, 0.99)), 0.9)] * 3
        nothing = np.zeros((60, 60, 3), np.uint8)
        values = [tile.halves[0].value for tile in covers.settled(nothing, read)]
        assert values == [told] * 3
        once = covers.settled(nothing, read, photograph=True)
        assert [tile.halves[0].value for tile in once] == [None] * 3, "a maker's name recurs on backs as well"


def test_what_is_read_as_only_a_whole_half_is_stands_where_nothing_is_plainly_hidden(covers, monkeypatch) -> None:
    quad = np.array([[10, 30], [10, 10], [50, 10], [50, 30]], np.float32)
    hidden = np.zeros((1, 2, 10, 10), np.float32)
    monkeypatch.setattr(covers, "hidden", lambda image, quads, **how: hidden)
    for p, seen, told in ((0.999, 0.8, None), (0.9999, 0.8, 2), (0.9999, 0.95, None)):
        hidden[0, 0, 2:6, 2:6] = seen
        read = [TileReading(quad, "up", (HalfReading(2, p), HalfReading(6, 0.99)), 0.9)]
        halves = covers.settled(np.zeros((60, 60, 3), np.uint8), read)[0].halves
        assert [half.value for half in halves] == [told, 6]


def test_in_a_photograph_a_half_under_something_has_to_be_quite_surely_read(covers, monkeypatch) -> None:
    """A 2 whose other corner is hidden shows one pip: nothing else does, but what ends an outline may hide more."""
    quad = np.array([[10, 30], [10, 10], [50, 10], [50, 30]], np.float32)
    hidden = np.zeros((1, 2, 10, 10), np.float32)
    hidden[0, 0, 1:4, 1:4] = 1.0
    monkeypatch.setattr(covers, "hidden", lambda image, quads, **how: hidden)
    for p, photograph, told in ((0.98, True, None), (0.995, True, 2), (0.98, False, 2)):
        read = [TileReading(quad, "up", (HalfReading(2, p), HalfReading(6, 0.98)), 0.9)]
        halves = covers.settled(np.zeros((60, 60, 3), np.uint8), read, KnownSet.double(6), photograph=photograph)
        assert [half.value for half in halves[0].halves] == [told, 6]


def test_a_toy_over_a_whole_tile_is_not_the_tile_itself(covers, monkeypatch) -> None:
    """Pips that run together are as large as a thing; only what the network sees everywhere is a tile askew."""
    quad = np.array([[10, 30], [10, 10], [50, 10], [50, 30]], np.float32)
    read = [TileReading(quad, "up", (HalfReading(1, 0.99), HalfReading(6, 0.99)), 0.9)]
    for share, told in ((0.3, (None, None)), (0.9, (1, 6))):
        network = np.zeros((1, 2, 10, 10), np.float32)
        network[:, :, :, : round(10 * share)] = 1.0
        monkeypatch.setattr(
            covers, "hidden", lambda image, quads, *, by_size=True, seen=network, **how: np.maximum(seen, 0.8 * by_size)
        )
        halves = covers.settled(np.zeros((60, 60, 3), np.uint8), read)[0].halves
        assert tuple(half.value for half in halves) == told


def test_nothing_is_asked_about_what_was_not_read(covers, table) -> None:
    image, quads = table
    unread = [TileReading(quads[3], "up", (HalfReading(None, 0.3), HalfReading(None, 0.2)), 0.9)]
    assert covers.settled(image, unread) == unread
    assert covers.settled(image, []) == []
    down = [TileReading(quads[3], "down", None, 0.9)]
    assert covers.settled(image, down) == down


def test_a_tile_that_lies_askew_in_its_outline_does_not_hide_itself(covers, monkeypatch) -> None:
    quad = np.array([[0, 20], [0, 0], [40, 0], [40, 20]], np.float32)
    for share, p, told in ((0.9, 0.98, (2, 6)), (0.5, 0.98, None), (0.9, 0.97, None)):
        read = [TileReading(quad, "up", (HalfReading(2, 0.99), HalfReading(6, p)), 0.9)]
        hidden = np.zeros((1, 2, 10, 10), np.float32)
        hidden[:, :, :, : round(10 * share)] = 1.0
        monkeypatch.setattr(covers, "hidden", lambda image, quads, hidden=hidden, **how: hidden)
        assert covers.settled(np.zeros((40, 40, 3), np.uint8), read)[0].values == told


def test_what_the_pictures_edge_cuts_off_is_hidden(covers, monkeypatch) -> None:
    """A 2 of which one pip shows may be a 3 or a 6, and two halves of neighbours look like one tile that is cut."""
    monkeypatch.setattr(covers, "hidden", lambda image, quads, **how: np.zeros((len(quads), 2, 10, 10), np.float32))
    picture = np.zeros((40, 60, 3), np.uint8)
    for above, told in ((0, (2, 6)), (1, (2, 6)), (8, None), (14, None)):
        quad = np.array([[0, 20], [0, 0], [40, 0], [40, 20]], np.float32) - np.array([0, above], np.float32)
        read = [TileReading(quad, "up", (HalfReading(2, 0.99), HalfReading(6, 0.98)), 0.9)]
        assert covers.settled(picture, read)[0].values == told
    # An outline that ends at the edge, and is too short or too narrow, ends there because the tile goes on.
    for long, wide, told in ((40, 20, (2, 6)), (28, 20, None), (40, 14, None)):
        quad = np.array([[0, 40], [0, 40 - wide], [long, 40 - wide], [long, 40]], np.float32)
        read = [TileReading(quad, "up", (HalfReading(2, 0.99), HalfReading(6, 0.98)), 0.9)]
        assert covers.settled(picture, read)[0].values == told
        clear = [
            TileReading(quad + np.array([5, -5], np.float32), "up", (HalfReading(2, 0.99), HalfReading(6, 0.98)), 0.9)
        ]
        assert covers.settled(picture, clear) == clear
    end_cut = np.array([[-14, 20], [-14, 0], [26, 0], [26, 20]], np.float32)
    read = [TileReading(end_cut, "up", (HalfReading(2, 0.99), HalfReading(6, 0.98)), 0.9)]
    assert [half.value for half in covers.settled(picture, read)[0].halves or ()] == [None, 6]


def test_a_camera_that_leans_cuts_off_no_tile_at_the_edge(covers, monkeypatch) -> None:
    """From aside a tile that lies one way is shorter for its width than one that lies the other, wherever it lies."""
    monkeypatch.setattr(covers, "hidden", lambda image, quads, **how: np.zeros((len(quads), 2, 10, 10), np.float32))
    quads = scattered(12, 37)
    lowest = int(quads[:, :, 1].max(1).argmax())
    height = int(np.ceil(quads[lowest, :, 1].max()))
    picture = np.zeros((height, 1200, 3), np.uint8)
    told = covers.settled(picture, read(quads))
    assert [tile.values for tile in told] == [(4, 2)] * 12


@pytest.mark.parametrize(
    ("long", "wide", "turned", "values"),
    [
        (40, 20, 0, (4, 2)),
        (52, 20, 0, (4, 2)),  # nothing at its end is cut off: it would be shorter
        (30, 20, 0, None),
        (30, 20, 40, (4, 2)),  # one corner lies there, and no end of it
        (40, 14, 90, None),
        (40, 26, 90, (4, 2)),
    ],
)
def test_only_what_ends_along_the_edge_goes_on_beyond_it(covers, monkeypatch, long, wide, turned, values) -> None:
    monkeypatch.setattr(covers, "hidden", lambda image, quads, **how: np.zeros((len(quads), 2, 10, 10), np.float32))
    angle = np.radians(turned)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    quad = np.array([[-long, wide], [-long, -wide], [long, -wide], [long, wide]]) / 2 @ turn.T
    quad += [-quad[:, 0].min(), 90.0]
    told = covers.settled(np.zeros((200, 200, 3), np.uint8), read(quad[None]))
    assert told[0].values == values


def test_where_no_tile_has_a_dividing_line_nothing_may_be_hidden(covers, monkeypatch) -> None:
    quad = np.array([[0, 20], [0, 0], [40, 0], [40, 20]], np.float32)
    read = [TileReading(quad, "up", (HalfReading(1, 0.99), HalfReading(6, 0.99)), 0.9)]
    corner = np.zeros((1, 2, 10, 10), np.float32)
    corner[:, 0, :2] = 1.0
    monkeypatch.setattr(covers, "hidden", lambda image, quads, **how: corner)
    for divided, told in ((True, 1), (False, None)):
        halves = covers.settled(np.zeros((40, 40, 3), np.uint8), read, divided=divided)[0].halves
        assert [half.value for half in halves] == [told, 6]


def test_another_network_is_refused() -> None:
    with pytest.raises(WeightsError, match=r"expected \(n, 3, 64, 104\)"):
        Covers(shipped_weights("pips"))
