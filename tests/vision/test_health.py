"""A camera that hangs, a cap on the lens, a lens out of focus."""

import cv2
import numpy as np
import pytest

from vision.frame import Frame
from vision.inspection import HealthCheck

RNG = np.random.default_rng(7)
SHARP = np.kron(RNG.integers(60, 180, (60, 80, 3)), np.ones((8, 8, 1))).astype(np.uint8)


def noisy(image):
    return np.clip(image + RNG.normal(0, 1.5, image.shape), 0, 255).astype(np.uint8)


def test_a_sharp_picture_has_no_problems():
    check = HealthCheck()
    assert [check.see(Frame(noisy(SHARP), 0.0, "")).problems for _ in range(12)] == [()] * 12


def test_the_same_picture_again_and_again_is_a_frozen_camera():
    check = HealthCheck()
    seen = ["FROZEN" in check.see(Frame(SHARP.copy(), float(i), "")).causes for i in range(12)]
    assert seen == [False] * 10 + [True] * 2
    assert "FROZEN" not in check.see(Frame(noisy(SHARP), 99.0, "")).causes


@pytest.mark.parametrize(
    ("image", "said"),
    [
        (SHARP // 16, "dark"),
        (np.where(np.arange(640)[None, :, None] < 100, 255, SHARP).astype(np.uint8), "glare"),
        (cv2.GaussianBlur(SHARP, (0, 0), 9), "blurred"),
    ],
)
def test_what_is_wrong_is_said(image, said):
    problems = HealthCheck().see(Frame(image, 0.0, "")).problems
    assert len(problems) >= 1 and said in problems[0]
