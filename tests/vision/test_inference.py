"""Several threads, each with answers of its own: the same answers, in the same order, and the same errors."""

from __future__ import annotations

import threading

import cv2
import numpy as np
import pytest

from vision.detector import Detector
from vision.frame import Frame, halved
from vision.inference import Workers
from vision.weights import shipped_weights


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_answers_come_in_the_order_of_the_questions(threads: int) -> None:
    assert Workers(threads).each(lambda n: n * n, list(range(20))) == [n * n for n in range(20)]
    assert Workers(threads).each(lambda n: n, []) == []


def test_two_threads_work_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=10)
    assert sorted(Workers(2).each(lambda n: both.wait() >= 0, [1, 2])) == [True, True]


def test_the_threads_are_there_from_the_start_and_the_same_for_all() -> None:
    Workers(3)
    before = threading.active_count()
    assert Workers(3).each(lambda n: n + 1, list(range(30))) == list(range(1, 31))
    assert threading.active_count() == before


@pytest.mark.parametrize(("count", "sizes"), [(0, []), (3, [3]), (9, [5, 4]), (21, [8, 8, 5])])
def test_batches_share_the_things_among_the_threads_within_limits(count: int, sizes: list[int]) -> None:
    things = np.arange(count)
    parts = Workers(2).batches(things, 4, 8)
    assert [len(part) for part in parts] == sizes
    assert [*(n for part in parts for n in part)] == list(things)


@pytest.mark.parametrize("threads", [1, 2])
def test_what_goes_wrong_in_a_thread_is_raised_here(threads: int) -> None:
    with pytest.raises(ZeroDivisionError):
        Workers(threads).each(lambda n: 1 / n, [1, 0, 2])


@pytest.mark.slow
def test_the_detector_finds_the_same_with_one_thread_and_with_two() -> None:
    rng = np.random.default_rng(5)
    picture = cv2.resize(rng.integers(0, 255, (110, 150, 3), np.uint8), (1500, 1100), interpolation=cv2.INTER_CUBIC)
    for n in range(12):
        x, y = 80 + 110 * n, 150 + 60 * (n % 5)
        cv2.rectangle(picture, (x, y), (x + 45, y + 90), (235, 240, 240), -1)
        cv2.line(picture, (x, y + 45), (x + 45, y + 45), (20, 20, 20), 2)
        cv2.circle(picture, (x + 22, y + 22), 5, (20, 20, 20), -1)
    one, two = (Detector(shipped_weights("tiles"), threads=n) for n in (1, 2))
    for length in (None, 90.0):
        first, second = one.find(picture, length), two.find(picture, length)
        assert len(first.kind) >= 12
        assert np.array_equal(first.quads_px, second.quads_px) and np.array_equal(first.kind, second.kind)
        assert np.array_equal(first.confidence, second.confidence)


def test_a_frames_halves_are_those_of_its_picture_and_made_once() -> None:
    image = np.random.default_rng(3).integers(0, 255, (301, 403, 3), np.uint8)
    frame = Frame(image, 0.0, "frame")
    for least in ((90, 60), (150, 100), (500, 10), (25, 18)):
        assert np.array_equal(frame.halved(least), halved(image, least)[0])
    assert frame.halved((90, 60)) is frame.halved((100, 75))
    assert frame.halved((500, 400)) is image
    assert frame.reduced((97, 70)).shape == (70, 97, 3)
