"""Dots of a cloth recur all around; a coin does not."""

from __future__ import annotations

import cv2
import numpy as np

from vision.detections import Detections, Kind
from vision.judging import JudgeSettings
from vision.markers import BELIEVED, MANY_ALIKE, NO_MARKER, MarkerJudge, lookalikes

SPACING, RADIUS = 90, 24
NOWHERE = np.zeros((0, 2), np.float32)


def cloth(dots: bool) -> np.ndarray:
    """(900, 1200, 3) of a woven ground, with light dots or without."""
    rng = np.random.default_rng(3)
    image = np.full((900, 1200, 3), (90, 120, 60), np.float32)
    for x in range(45, 1200, SPACING) if dots else ():
        for y in range(45, 900, SPACING):
            cv2.circle(image, (x, y), RADIUS, (190, 200, 180), -1, cv2.LINE_AA)
    return np.clip(image + rng.normal(0, 6, image.shape), 0, 255).astype(np.uint8)


def square(x: float, y: float, half: float = RADIUS) -> np.ndarray:
    return np.array([[-half, -half], [half, -half], [half, half], [-half, half]], np.float32) + np.float32([x, y])


class Believing(MarkerJudge):
    """Takes everything for a marker that the detector takes for one, as surely as that does."""

    def __init__(self) -> None:
        self.settings = JudgeSettings(judged=0.0, found=1.0)

    def logits(self, image, quads_px) -> np.ndarray:
        return np.zeros(len(quads_px), np.float32)


def judged(image: np.ndarray, confidence: float, *others: np.ndarray) -> float:
    """The confidence that the judge leaves to the dot in the middle, found with `confidence` beside tiles."""
    quads = np.stack([square(585, 405), *others])
    kinds = np.array([Kind.MARKER, *[Kind.FACE_UP] * len(others)], np.int8)
    found = Detections(quads, kinds, np.array([confidence, *[0.9] * len(others)], np.float32))
    out = Believing().judge(image, found)
    return float(out.confidence[out.kind == Kind.MARKER][0])


def test_a_dot_among_dots_is_seen_all_around() -> None:
    assert lookalikes(cloth(dots=True), square(585, 405), [], NOWHERE) > 20


def test_a_coin_on_a_cloth_has_no_likes() -> None:
    image = cloth(dots=False)
    cv2.circle(image, (585, 405), RADIUS, (60, 110, 170), -1, cv2.LINE_AA)
    assert lookalikes(image, square(585, 405), [], NOWHERE) == 0


def test_a_coin_on_a_cloth_of_dots_has_none_either() -> None:
    image = cloth(dots=True)
    cv2.circle(image, (540, 450), RADIUS, (20, 30, 140), -1, cv2.LINE_AA)
    assert lookalikes(image, square(540, 450), [], NOWHERE) < MANY_ALIKE


def test_other_markers_that_look_the_same_are_none_of_the_pattern() -> None:
    image, places = cloth(dots=False), np.float32([[300, 300], [585, 405], [700, 250], [450, 560], [640, 600]])
    for x, y in places:
        cv2.circle(image, (int(x), int(y)), RADIUS, (60, 110, 170), -1, cv2.LINE_AA)
    quad = square(585, 405)
    assert lookalikes(image, quad, [], NOWHERE) >= MANY_ALIKE
    assert lookalikes(image, quad, [], places) == 0


def test_under_tiles_nothing_is_compared() -> None:
    image = cloth(dots=True)
    everywhere = [square(600, 450, 700)]
    assert lookalikes(image, square(585, 405), everywhere, NOWHERE) == 0


def test_at_the_edge_of_the_picture_it_is_compared_with_what_there_is() -> None:
    assert lookalikes(cloth(dots=True), square(2, 2), [], NOWHERE) >= 0


def test_a_faint_marker_that_recurs_is_none_and_a_plain_one_stays() -> None:
    assert judged(cloth(dots=True), 0.8) <= NO_MARKER + 1e-6
    assert judged(cloth(dots=True), 0.99) > BELIEVED
    tile = square(720, 405, 60)
    assert judged(cloth(dots=True), 0.8, tile) <= NO_MARKER + 1e-6


def test_a_faint_marker_on_plain_cloth_stays() -> None:
    image = cloth(dots=False)
    cv2.circle(image, (585, 405), RADIUS, (60, 110, 170), -1, cv2.LINE_AA)
    assert judged(image, 0.8) > BELIEVED
