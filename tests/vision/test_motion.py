"""Differences between two pictures: noise and specks count for nothing, and each real change is found in its place."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.settle import (
    FAINT,
    NOISE_FACTOR,
    SMALLEST,
    THRESHOLD,
    changed_mask,
    noise_of,
    regions_of,
    shift_between,
    without_specks,
)

SHAPE = (360, 480)


def picture(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.0, 0.008, SHAPE).astype(np.float32)


@pytest.mark.parametrize("shape", [(7, 9), (6, 4), (360, 480), (3, 3)])
def test_the_noise_is_taken_from_the_median(shape: tuple[int, int]) -> None:
    apart = np.random.default_rng(1).normal(0.0, 0.3, shape).astype(np.float32)
    apart = np.abs(apart)
    assert noise_of(apart) == pytest.approx(float(np.median(apart)) * 1.4826, rel=1e-6)


@pytest.mark.parametrize("noise", [0.001, 0.004, 0.0055, 0.006, 0.02, 0.04])
def test_what_differs_is_beyond_the_noise_of_every_fourth_point(noise: float) -> None:
    rng = np.random.default_rng(3)
    before, after = (rng.normal(0.0, noise, SHAPE).astype(np.float32) for _ in range(2))
    after[100:140, 200:260] += 0.4
    apart = np.abs(after - before)
    level = max(FAINT, NOISE_FACTOR * float(np.median(apart[::2, ::2])) * 1.4826)
    expected = without_specks((apart > level).astype(np.uint8), max(3, round(SMALLEST * apart.size)))
    assert expected.any()
    assert np.array_equal(changed_mask(before, after, FAINT), expected)


def test_two_pictures_of_one_table_differ_nowhere() -> None:
    assert not changed_mask(picture(1), picture(2), THRESHOLD).any()


def test_specks_are_dropped_and_everything_else_stays_where_it_is() -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        mask = np.zeros(SHAPE, np.uint8)
        for _ in range(5):
            x, y, reach = (int(rng.integers(0, most)) for most in (480, 360, 30))
            cv2.circle(mask, (x, y), reach, 1, -1)
        mask[rng.integers(0, 360, 40), rng.integers(0, 480, 40)] = 1
        count, labels = cv2.connectedComponents(mask, connectivity=8)
        expected = np.zeros(SHAPE, np.bool_)
        for n in range(1, count):
            if (labels == n).sum() >= 20:
                expected |= labels == n
        assert expected.any() and expected.sum() < mask.sum()
        assert np.array_equal(without_specks(mask, 20), expected)


def test_a_speck_alone_is_nothing() -> None:
    mask = np.zeros(SHAPE, np.uint8)
    mask[100:104, 200] = 1
    assert not without_specks(mask, max(3, round(SMALLEST * mask.size))).any()
    assert without_specks(mask, 4).sum() == 4


def test_regions_are_where_the_picture_changed() -> None:
    after = picture(1)
    after[200:240, 300:340] += 0.5
    after[20:40, 10:20] += 0.5
    mask = changed_mask(picture(1), after, THRESHOLD)
    assert regions_of(mask, (960, 720), 5) == ((10, 30, 50, 90), (590, 390, 690, 490))


def test_regions_that_overlap_once_they_are_grown_are_one() -> None:
    mask = np.zeros(SHAPE, np.bool_)
    mask[100:110, 100:110] = mask[100:110, 115:125] = True
    assert regions_of(mask, (480, 360), 5) == ((95, 95, 130, 115),)
    assert len(regions_of(mask, (480, 360), 1)) == 2
    assert regions_of(np.zeros(SHAPE, np.bool_), (480, 360), 5) == ()


def test_a_picture_that_moved_is_followed() -> None:
    before = cv2.GaussianBlur(np.random.default_rng(3).normal(0.0, 1.0, SHAPE).astype(np.float32), (0, 0), 3.0)
    dx, dy, agreement = shift_between(before, np.roll(before, (2, -3), (0, 1)))
    assert (round(dx), round(dy)) == (-3, 2) and agreement > 0.5
