"""Where the camera looks now: measured from the room and the table, whatever hands and new tiles do."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.supervise.pictures import CameraState, KnownView, PictureJudge, PictureLimits, farthest, moved
from vision.frame import Frame, Image

SAMPLE = Path(__file__).parents[2] / "datasets" / "samples" / "trains.jpg"
CORNERS = np.array([[150.0, 120.0], [1100.0, 130.0], [1090.0, 800.0], [160.0, 790.0]])


@pytest.fixture(scope="module")
def table() -> Image:
    image = cv2.imread(str(SAMPLE))
    assert image is not None
    return np.asarray(image, np.uint8)


def turned(
    image: Image, degrees: float = 0.0, scale: float = 1.0, shift: tuple[float, float] = (0.0, 0.0)
) -> tuple[Image, NDArray[np.float64]]:
    """The picture of a camera that was turned, brought nearer and shifted; and where its pixels went, (3, 3)."""
    h, w = image.shape[:2]
    matrix = np.vstack([cv2.getRotationMatrix2D((w / 2, h / 2), degrees, scale), [0, 0, 1]])
    matrix[:2, 2] += shift
    return np.asarray(cv2.warpPerspective(image, matrix, (w, h), borderValue=(60, 80, 90)), np.uint8), matrix


def with_hand(image: Image) -> Image:
    h, w = image.shape[:2]
    arm = np.array([[0, 0.3 * h], [0.55 * w, 0.2 * h], [0.6 * w, 0.5 * h], [0, 0.7 * h]]).astype(np.int32)
    return np.asarray(cv2.fillPoly(image.copy(), [arm], (120, 150, 200)), np.uint8)


@pytest.mark.parametrize("hand", [False, True])
@pytest.mark.parametrize(
    ("degrees", "scale", "shift"),
    [(0, 1, (0, 0)), (0, 1, (20, -9)), (0, 1, (200, 30)), (3, 1, (0, 0)), (15, 1, (4, 4)), (-40, 1.1, (0, 0))],
)
def test_the_table_is_found_again_to_a_few_pixels(
    table: Image, degrees: float, scale: float, shift: tuple[float, float], hand: bool
) -> None:
    now, truth = turned(table, degrees, scale, shift)
    change = KnownView(table).change(with_hand(now) if hand else now)
    assert change is not None
    assert np.abs(moved(change, CORNERS) - moved(truth, CORNERS)).max() < 4.0


def test_what_cannot_be_told_is_not_told(table: Image) -> None:
    known = KnownView(table)
    assert known.change(np.full_like(table, 120)) is None
    assert known.change(table[:480]) is None, "another size"
    rng = np.random.default_rng(5)
    assert known.change(rng.integers(0, 255, table.shape, dtype=np.uint8)) is None
    upside = np.ascontiguousarray(table[:, ::-1])
    assert known.change(upside) is None, "a camera cannot mirror"


def frames(image: Image, count: int, start: int = 0) -> list[Frame]:
    rng = np.random.default_rng(9)
    noisy = [(image + rng.integers(0, 4, image.shape, dtype=np.uint8)).clip(0, 255) for _ in range(count)]
    return [Frame(np.asarray(one, np.uint8), (start + n) * 0.125, str(n)) for n, one in enumerate(noisy)]


@pytest.mark.parametrize(("degrees", "scale"), [(3, 1.0), (20, 1.0), (0, 1.12)])
def test_a_turned_or_lowered_camera_is_noticed_within_3_seconds_at_8_pictures_a_second(
    table: Image, degrees: float, scale: float
) -> None:
    dark = np.asarray(table[::2, ::2] * 0.9, np.uint8)
    judge = PictureJudge()
    judge.remember_view(dark)
    assert {judge.see(frame) for frame in frames(dark, 6)} == {None}
    seen = [judge.see(frame) for frame in frames(turned(dark, degrees, scale)[0], 20, start=6)]
    assert CameraState.MOVED in seen
    assert farthest(np.eye(3), (1280, 960)) == 0.0


def test_an_arm_that_lies_on_the_table_for_long_is_no_movement(table: Image) -> None:
    dark = np.asarray(table[::2, ::2] * 0.9, np.uint8)
    judge = PictureJudge(PictureLimits(points_every=1))
    judge.remember_view(dark)
    assert {judge.see(frame) for frame in frames(with_hand(dark), 12)} == {None}
