"""The judge of backs' training cuts: which outlines are backs, and that invented ones are what they are said to be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from models.back_crops import BACKS, invented, is_back, verdicts
from models.judge_crops import ROOM, Cuts
from vision.backs import cut_around
from vision.detections import Detections, Kind

BACK = np.array([[100, 140], [100, 100], [180, 100], [180, 140]], np.float32)
THINGS: list[dict[str, Any]] = [
    {"cls": 1, "vis": 1.0, "quad": BACK.tolist()},
    {"cls": 0, "vis": 1.0, "quad": (BACK + np.float32([0, 120])).tolist()},
    {"cls": 2, "vis": 1.0, "quad": (BACK + np.float32([150, 0])).tolist()},
]


@pytest.mark.parametrize(
    ("moved", "verdict"),
    [((2, 2), True), ((25, 0), None), ((40, 0), False), ((0, 120), False), ((150, 0), False), ((300, 300), False)],
)
def test_an_outline_is_a_back_where_it_is_nearly_its_own(moved: tuple[int, int], verdict: bool | None) -> None:
    assert is_back(BACK + np.array(moved, np.float32), THINGS) is verdict


def test_an_outline_may_begin_at_any_corner() -> None:
    assert all(is_back(np.roll(BACK[::way], n, axis=0), THINGS) for n in range(4) for way in (1, -1))


def test_a_back_hardly_seen_teaches_nothing() -> None:
    hidden = [THINGS[0] | {"vis": 0.3}]
    assert is_back(BACK, hidden) is None
    image = np.zeros((400, 400, 3), np.uint8)
    assert not any(wanted for _, wanted, _ in verdicts(image, hidden, Detections.none(), np.random.default_rng(1)))


def test_backs_are_among_the_invented_outlines_and_other_places_too() -> None:
    image = np.zeros((400, 400, 3), np.uint8)
    made = [is_back(quad, THINGS) for n in range(20) for quad in invented(image, THINGS, np.random.default_rng(n))]
    assert made.count(True) >= 30 and made.count(False) >= 30


def test_the_detectors_word_on_faces_is_not_taken_for_its_word_on_backs() -> None:
    finds = Detections(
        np.stack([BACK, BACK + np.float32([0, 120])]),
        np.array([Kind.FACE_DOWN, Kind.FACE_UP], np.int8),
        np.array([0.4, 0.9], np.float32),
    )
    told = verdicts(np.zeros((400, 400, 3), np.uint8), THINGS, finds, np.random.default_rng(3))
    assert [found for _, _, found in told if found > 0] == [pytest.approx(0.4)]
    assert told[0][1] is True and told[1][1] is False


def test_the_products_cut_is_the_middle_of_the_training_cut() -> None:
    rng = np.random.default_rng(5)
    image = np.repeat(np.repeat(rng.integers(0, 255, (40, 40, 3), np.uint8), 10, 0), 10, 1)
    wide = BACKS.cut(image, BACK)
    assert wide.shape == (round(BACKS.size_wh[1] * ROOM), round(BACKS.size_wh[0] * ROOM), 3)
    cuts = Cuts(wide[None], np.array([True]), np.array([0.4], np.float32))
    difference = np.abs(BACKS.plain(cuts)[0].astype(int) - cut_around(image, BACK).astype(int))
    assert np.median(difference) <= 2
