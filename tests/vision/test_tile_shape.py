"""All tiles of a picture are rectangles of one size on one plane; what is not is not read."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from vision.dividers import Lines
from vision.reading import HalfReading, TileReading
from vision.tile_shape import of_one_shape, shape_of

LENGTH, WIDTH = 48.0, 24.0
DIVIDED = Lines(dict.fromkeys(range(12), (-60.0, 0.0)), -60.0, straight=True, plain=-60.0)
PLAIN = Lines(dict.fromkeys(range(12), (-6.0, 0.1)), 0.0, straight=False)


def scattered(count: int, lean_deg: float, seed: int = 0, narrow: float = 1.0) -> np.ndarray:
    """(count, 4, 2) px of tiles lying all ways on a table, seen by a pinhole camera that leans."""
    rng = np.random.default_rng(seed)
    box = np.array([[-LENGTH, WIDTH * narrow], [-LENGTH, -WIDTH * narrow], [LENGTH, -WIDTH * narrow]]) / 2
    box = np.vstack([box, [LENGTH / 2, WIDTH * narrow / 2]])
    quads = []
    for n in range(count):
        angle = rng.uniform(0, 2 * math.pi)
        turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        place = np.array([n % 4 * 70 - 105, n // 4 * 70 - 70])
        quads.append(box @ turn.T + place)
    q = np.array(quads)
    lean = math.radians(lean_deg)
    depth = 700 + q[..., 1] * math.sin(lean)
    return np.stack([q[..., 0], q[..., 1] * math.cos(lean)], -1) / depth[..., None] * 1400 + 500


def read(quads: np.ndarray, p: float = 0.99) -> list[TileReading]:
    return [TileReading(q.astype(np.float32), "up", (HalfReading(4, 0.999), HalfReading(2, p)), 0.9) for q in quads]


def test_one_of_a_few_that_is_cut_short_is_not_read() -> None:
    """A hand lies over its lower end; four tiles tell no lean, but how long one is that lies as they do."""
    row = np.array([[[0, 24], [0, 0], [48, 0], [48, 24]]], np.float64) + np.arange(4)[:, None, None] * [0, 30]
    row[2, 2:, 0] = 36
    assert [tile.values for tile in of_one_shape(read(row), DIVIDED)[0]] == [(4, 2), (4, 2), None, (4, 2)]
    assert of_one_shape(read(row), DIVIDED, digits=True)[0][2].values == (4, 2)
    across = row.copy()
    across[[0, 3]] = row[[0, 3]][:, :, ::-1]
    assert of_one_shape(read(across), DIVIDED)[0][2].values == (4, 2), "one beside it tells too little"


def test_a_half_in_a_bent_outline_has_to_be_quite_surely_read() -> None:
    """Two fingers lie along the tile, and the outline between them is a parallelogram."""
    quads = scattered(12, 0)
    quads[5, 2:] += 0.2 * (quads[5, 1] - quads[5, 0])
    tiles = read(quads, p=0.98)
    assert [tile.values for tile in of_one_shape(tiles, DIVIDED)[0]] == [(4, 2)] * 5 + [None] + [(4, 2)] * 6
    assert [half.value for half in of_one_shape(tiles, DIVIDED)[0][5].halves] == [4, None]
    assert of_one_shape(tiles, DIVIDED, digits=True)[0][5].values == (4, 2)
    assert of_one_shape(read(quads, p=0.995), DIVIDED)[0][5].values == (4, 2)
    longer = scattered(12, 0)
    longer[5, 2:] += 0.1 * (longer[5, 2:] - longer[5, 1::-1])
    assert of_one_shape(read(longer, p=0.98), DIVIDED)[0][5].values == (4, 2), "what is too long hides nothing"


@pytest.mark.parametrize("count", [4, 12])
def test_a_half_in_an_outline_cut_short_has_to_be_read_as_only_a_whole_one_is(count: int) -> None:
    """Where a hand begins, that leaves one row of a 4: as good a 2 as any."""
    quads = scattered(12, 0) if count == 12 else scattered(1, 0) + np.arange(4)[:, None, None] * [0, 90]
    quads[2, 2:] -= 0.09 * (quads[2, 2:] - quads[2, 1::-1])
    for p, told in ((0.999, None), (0.9997, 2)):
        halves = of_one_shape(read(quads, p), PLAIN)[0][2].halves
        assert halves[1].value == told


def test_a_half_of_a_few_tiles_wider_than_any_set_has_to_be_quite_surely_read() -> None:
    """All of a rack's tiles end at its lip, so none is shorter than the others."""
    quads = scattered(3, 0, narrow=1.3)
    for p, told in ((0.985, None), (0.995, 2)):
        assert [tile.halves[1].value for tile in of_one_shape(read(quads, p), DIVIDED)[0]] == [told] * 3
    assert [tile.values for tile in of_one_shape(read(scattered(3, 0), 0.985), DIVIDED)[0]] == [(4, 2)] * 3


def test_a_half_of_what_is_found_unsurely_has_to_be_clearly_read() -> None:
    tiles = [replace(tile, confidence=0.5) for tile in read(scattered(3, 0), p=0.96)]
    assert [[half.value for half in tile.halves] for tile in of_one_shape(tiles, DIVIDED)[0]] == [[4, None]] * 3
    surer = [replace(tile, confidence=0.9) for tile in tiles]
    assert [tile.values for tile in of_one_shape(surer, DIVIDED)[0]] == [(4, 2)] * 3


@pytest.mark.parametrize("lean", [0, 20, 35, 50, 60])
def test_the_lean_is_told_from_the_outlines(lean: float) -> None:
    shape = shape_of(scattered(12, lean))
    assert shape is not None and abs(shape.lean_deg - lean) < 6
    assert shape.width == pytest.approx(0.5, abs=0.03) and shape.rest < 0.08


def test_too_few_tell_nothing() -> None:
    assert shape_of(scattered(4, 0)) is None
    tiles = read(scattered(4, 60))
    assert of_one_shape(tiles, DIVIDED) == (tiles, None)
    assert of_one_shape([], DIVIDED) == ([], None)


@pytest.mark.parametrize("lean", [0, 30])
def test_several_tiles_taken_for_one_are_not_read(lean: float) -> None:
    quads = scattered(12, lean)
    middle = quads[5].mean(0)
    quads[5] = middle + (quads[5] - middle) * 1.6
    tiles, why = of_one_shape(read(quads), DIVIDED)
    assert why is None
    assert [tile.values for tile in tiles] == [(4, 2)] * 5 + [None] + [(4, 2)] * 6
    assert tiles[5].face == "up"


@pytest.mark.parametrize(("longer", "wider", "stands"), [(1.7, 1.7, True), (1.0, 2.0, False)])
def test_tiles_on_a_cloth_that_shows_smaller_ones_are_a_set_of_their_own(longer, wider, stands) -> None:
    printed, tiles = scattered(48, 0), scattered(24, 0, seed=1, narrow=wider / longer)[::4]
    for quad in tiles:
        quad[:] = quad.mean(0) + (quad - quad.mean(0)) * longer
    told, why = of_one_shape(read(np.concatenate([printed, tiles])), DIVIDED)
    assert why is None
    assert [tile.values for tile in told] == [(4, 2)] * 48 + [(4, 2) if stands else None] * 6


def test_from_far_aside_nothing_is_read_and_a_sentence_says_so() -> None:
    tiles, why = of_one_shape(read(scattered(12, 60)), DIVIDED)
    assert all(tile.values is None for tile in tiles)
    assert why is not None and "leans" in why and "more from above" in why
    tiles, why = of_one_shape(read(scattered(12, 40)), DIVIDED)
    assert why is None and all(tile.values == (4, 2) for tile in tiles)


def test_beyond_45_degrees_a_tile_is_read_only_where_its_line_shows_that_it_is_one() -> None:
    tiles = read(scattered(12, 49), 0.996)
    told, why = of_one_shape(tiles, DIVIDED)
    assert told == tiles and why is not None and "leans" in why
    seam = Lines({n: (-60.0, 0.0 if n != 3 else 0.25) for n in range(12)}, -60.0, straight=True, plain=-60.0)
    told, why = of_one_shape(tiles, seam)
    assert [n for n, tile in enumerate(told) if tile.values is None] == [3]
    assert why is not None and "only tiles whose middle line shows" in why
    less_sure, _ = of_one_shape([*tiles[:-1], read(scattered(12, 49), 0.994)[-1]], DIVIDED)
    assert [tile.values for tile in less_sure[-2:]] == [(4, 2), None]
    told, why = of_one_shape(tiles, PLAIN)
    assert all(tile.values is None for tile in told)
    assert why is not None and "too far to read tiles by" in why


@pytest.mark.parametrize(("lean", "p", "stands"), [(30, 0.994, True), (40, 0.994, False), (40, 0.996, True)])
def test_from_aside_a_tile_without_its_line_has_to_be_quite_sure(lean: float, p: float, stands: bool) -> None:
    tiles = [*read(scattered(12, lean), 0.996)[:-1], read(scattered(12, lean), p)[-1]]
    assert of_one_shape(tiles, DIVIDED) == (tiles, None)
    told, why = of_one_shape(tiles, PLAIN)
    assert why is None and told[:-1] == tiles[:-1]
    assert (told[-1] == tiles[-1]) is stands


def test_where_hardly_any_of_many_is_sure_a_tile_without_its_line_has_to_be() -> None:
    for count, p, stands in ((8, 0.96, True), (12, 0.96, False), (12, 0.97, True)):
        tiles = read(scattered(count, 10), p)
        assert (of_one_shape(tiles, PLAIN) == (tiles, None)) is stands
        assert of_one_shape(tiles, DIVIDED) == (tiles, None)
        assert of_one_shape(tiles, PLAIN, digits=True) == (tiles, None)


@pytest.mark.parametrize(("long", "wide", "stands"), [(1.0, 1.0, True), (0.85, 1.0, False), (1.0, 0.8, False)])
def test_without_dividing_lines_an_outline_cut_short_is_not_read(long: float, wide: float, stands: bool) -> None:
    quads = scattered(12, 10)
    quads[4, 2:] -= (quads[4, 2:] - quads[4, 1::-1]) * (1 - long)
    quads[4, 1:3] -= (quads[4, 1:3] - quads[4, ::3]) * (1 - wide)
    told, _ = of_one_shape(read(quads), PLAIN)
    assert [tile.values for n, tile in enumerate(told) if n != 4] == [(4, 2)] * 11
    assert (told[4].values == (4, 2)) is stands
    sure = [replace(tile, halves=(HalfReading(4, 0.9997), HalfReading(2, 0.9997))) for tile in read(quads)]
    assert of_one_shape(sure, DIVIDED)[0][4].values == (4, 2), "there the place of the line tells"
    assert (of_one_shape(sure, PLAIN)[0][4].values == (4, 2)) is stands
    assert of_one_shape(read(quads), PLAIN, digits=True)[0][4].values == (4, 2), "there what is like none of them"
