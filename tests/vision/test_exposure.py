"""Dark pictures get their shadows back, others stay as they are."""

from __future__ import annotations

import numpy as np
import pytest

from vision.frame import DARK, LIFTED, lifted


def picture(level: int) -> np.ndarray:
    """Mostly of one grey, with a white and a black corner."""
    image = np.full((300, 400, 3), level, np.uint8)
    image[:40, :40], image[:40, -40:] = 255, 0
    return image


@pytest.mark.parametrize("level", [int(DARK), 60, 130, 250])
def test_what_is_not_dark_stays_the_very_same(level: int) -> None:
    image = picture(level)
    assert lifted(image) is image


@pytest.mark.parametrize("level", [12, 20, 29])
def test_a_dark_picture_gets_its_middle_grey_and_keeps_black_and_white(level: int) -> None:
    image = picture(level)
    bright = lifted(image)
    assert abs(float(np.median(bright)) - LIFTED) <= 2
    assert bright[0, 0].tolist() == [255] * 3 and bright[0, -1].tolist() == [0] * 3
    assert (image == picture(level)).all(), "the picture itself is untouched"


def test_lifting_again_changes_nothing() -> None:
    once = lifted(picture(14))
    assert lifted(once) is once


def test_darkness_without_anything_in_it_stays_dark() -> None:
    assert lifted(np.zeros((50, 60, 3), np.uint8)).max() == 0


def test_order_is_kept() -> None:
    ramp = np.repeat(np.arange(256, dtype=np.uint8)[None], 40, 0)
    image = np.dstack([np.concatenate([np.zeros((300, 256), np.uint8), ramp])] * 3)
    after = lifted(image)[-1, :, 0].astype(int)
    assert (np.diff(after) >= 0).all() and after[-1] == 255
