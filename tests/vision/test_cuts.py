"""The reader cuts each crop of a picture once, exactly as `cut_tile` does."""

from __future__ import annotations

import numpy as np
import pytest

from vision import reader
from vision.inference import Workers
from vision.reader import Cuts
from vision.rectify import cut_tile

IMAGE = np.random.default_rng(1).integers(0, 256, (300, 400, 3), np.uint8)
QUAD = np.array([[50, 40], [50, 20], [90, 20], [90, 40]], np.float32)


def quads(n: int) -> np.ndarray:
    return np.stack([QUAD + np.float32(2.5 * k) for k in range(n)])


def test_the_crops_are_those_of_cut_tile_however_the_work_is_shared() -> None:
    many = quads(20)
    expected = np.stack([cut_tile(IMAGE, quad) for quad in many])
    for threads in (1, 2):
        assert np.array_equal(Cuts(IMAGE, Workers(threads))(many), expected)


def test_no_outline_is_cut_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bytes] = []

    def counted(image: np.ndarray, quad: np.ndarray, *rest: object) -> np.ndarray:
        made.append(quad.tobytes())
        return cut_tile(image, quad, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(reader, "cut_tile", counted)
    cut = Cuts(IMAGE, Workers(1))
    first = cut(quads(4))
    again = cut(np.concatenate([quads(5), quads(2)]))
    assert len(made) == len(set(made)) == 5
    assert np.array_equal(again[:4], first) and np.array_equal(again[5:], first[:2])


def test_a_crop_that_is_written_to_stays_as_it_was_for_the_next() -> None:
    cut = Cuts(IMAGE, Workers(1))
    first = cut(quads(1))
    kept = first.copy()
    first[:] = 0
    assert np.array_equal(cut(quads(1)), kept)


def test_no_outlines_make_no_crops() -> None:
    assert Cuts(IMAGE, Workers(2))(np.zeros((0, 4, 2), np.float32)).shape == (0, 48, 96, 3)
