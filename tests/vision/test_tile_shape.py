"""All tiles of a picture are rectangles of one size on one plane."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vision.reading import HalfReading, TileReading
from vision.tile_shape import cut_short_doubted, shape_of

LENGTH, WIDTH = 48.0, 24.0


def scattered(count: int, lean_deg: float, seed: int = 0) -> np.ndarray:
    """(count, 4, 2) px of tiles lying all ways on a table, seen by a pinhole camera that leans."""
    rng = np.random.default_rng(seed)
    box = np.array([[-LENGTH, WIDTH], [-LENGTH, -WIDTH], [LENGTH, -WIDTH]]) / 2
    box = np.vstack([box, [LENGTH / 2, WIDTH / 2]])
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
    assert [tile.values for tile in cut_short_doubted(read(row))] == [(4, 2), (4, 2), None, (4, 2)]
    across = row.copy()
    across[[0, 3]] = row[[0, 3]][:, :, ::-1]
    assert cut_short_doubted(read(across))[2].values == (4, 2), "one beside it tells too little"


def test_one_of_too_few_that_is_hardly_longer_than_wide_is_not_read() -> None:
    """A rack's lip hides the lower row of a 6-6: what is left shows 4-4."""
    one = np.array([[[0, 24], [0, 0], [33, 0], [33, 24]]], np.float64)
    assert cut_short_doubted(read(one))[0].values is None
    leaning = one * [1.1, 1]
    assert cut_short_doubted(read(leaning))[0].values == (4, 2), "a camera that leans sees it as short"


@pytest.mark.parametrize(("p", "told"), [(0.999, None), (0.9997, 2)])
def test_a_half_in_an_outline_cut_short_has_to_be_read_as_only_a_whole_one_is(p: float, told: int | None) -> None:
    """Where a hand begins, that leaves one row of a 4: as good a 2 as any."""
    quads = scattered(12, 0)
    quads[2, 2:] -= 0.09 * (quads[2, 2:] - quads[2, 1::-1])
    tiles = cut_short_doubted(read(quads, p))
    assert tiles[2].halves[1].value == told
    assert [tile.values for n, tile in enumerate(tiles) if n != 2] == [(4, 2)] * 11


@pytest.mark.parametrize("lean", [0, 40, 60])
def test_tiles_of_one_size_stay_as_they_were_read_however_the_camera_leans(lean: float) -> None:
    tiles = read(scattered(12, lean))
    assert cut_short_doubted(tiles) == tiles


@pytest.mark.parametrize("lean", [0, 20, 35, 50, 60])
def test_the_lean_is_told_from_the_outlines(lean: float) -> None:
    shape = shape_of(scattered(12, lean))
    assert shape is not None and abs(shape.lean_deg - lean) < 6
    assert shape.width == pytest.approx(0.5, abs=0.03) and shape.rest < 0.08


def test_too_few_tell_nothing() -> None:
    assert shape_of(scattered(4, 0)) is None
    tiles = read(scattered(4, 40))
    assert cut_short_doubted(tiles) == tiles
    assert cut_short_doubted([]) == []
