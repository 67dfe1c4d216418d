"""All tiles of a picture are rectangles of one size on one plane; what is not is not read."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vision.reading import HalfReading, TileReading
from vision.tile_shape import of_one_shape, shape_of

LENGTH, WIDTH = 48.0, 24.0


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


def read(quads: np.ndarray) -> list[TileReading]:
    return [TileReading(q.astype(np.float32), "up", (HalfReading(4, 0.99), HalfReading(2, 0.99)), 0.9) for q in quads]


@pytest.mark.parametrize("lean", [0, 20, 35, 50, 60])
def test_the_lean_is_told_from_the_outlines(lean: float) -> None:
    shape = shape_of(scattered(12, lean))
    assert shape is not None and abs(shape.lean_deg - lean) < 6
    assert shape.width == pytest.approx(0.5, abs=0.03) and shape.rest < 0.08


def test_too_few_tell_nothing() -> None:
    assert shape_of(scattered(4, 0)) is None
    tiles = read(scattered(4, 60))
    assert of_one_shape(tiles) == (tiles, None)
    assert of_one_shape([]) == ([], None)


@pytest.mark.parametrize("lean", [0, 30])
def test_several_tiles_taken_for_one_are_not_read(lean: float) -> None:
    quads = scattered(12, lean)
    middle = quads[5].mean(0)
    quads[5] = middle + (quads[5] - middle) * 1.6
    tiles, why = of_one_shape(read(quads))
    assert why is None
    assert [tile.values for tile in tiles] == [(4, 2)] * 5 + [None] + [(4, 2)] * 6
    assert tiles[5].face == "up"


def test_from_far_aside_nothing_is_read_and_a_sentence_says_so() -> None:
    tiles, why = of_one_shape(read(scattered(12, 60)))
    assert all(tile.values is None for tile in tiles)
    assert why is not None and "leans" in why and "more from above" in why
    tiles, why = of_one_shape(read(scattered(12, 40)))
    assert why is None and all(tile.values == (4, 2) for tile in tiles)
