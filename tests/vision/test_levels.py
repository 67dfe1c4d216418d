"""Medians by counting are those by sorting."""

import numpy as np
import pytest

from vision.frame import middle_levels


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 2, 3), (3, 800, 3), (2, 5185, 3), (0, 7, 3), (4, 100, 1)])
def test_the_middle_level_is_the_median(shape: tuple[int, int, int]) -> None:
    for most in (1, 7, 256):
        pixels = np.random.default_rng(sum(shape) + most).integers(0, most, shape, np.uint8)
        pixels[..., :1] = 255 - pixels[..., :1]
        assert np.array_equal(middle_levels(pixels), np.median(pixels, axis=1).reshape(shape[0], shape[2]))


def test_of_no_pixels_there_is_none() -> None:
    with pytest.raises(ValueError, match="no pixels"):
        middle_levels(np.zeros((2, 0, 3), np.uint8))
