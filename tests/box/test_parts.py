"""No thread that lives as long as the program ends, fails or hangs in silence."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import NoReturn

import pytest

from companion.log.journal import JournalError
from companion.storage.repairs import Repair
from companion.supervise.parts import FAILED, PAUSES_S, SAY_S, SILENT, Parts, line_of


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def fails(fault: Callable[[], NoReturn], times: int) -> tuple[list[list[Repair]], list[float]]:
    """The repairs told, and the pauses made, while a step fails `times` times and then ends."""
    said: list[list[Repair]] = []
    pauses: list[float] = []
    parts = Parts(pause=pauses.append)
    parts.changed = lambda: said.append(parts.repairs())
    left = [fault] * times

    def step() -> bool:
        if left:
            left.pop()()
        return False

    parts.add("copies").loop(step)
    return said, pauses


def full_disk() -> NoReturn:
    raise OSError(28, "No space left on device", "/a/place/that/is/nobodys/business")


def test_what_a_step_raises_is_said_and_it_is_tried_again() -> None:
    said, pauses = fails(full_disk, 6)
    assert said == [[Repair(FAILED, {"part": "copies", "why": "No space left on device"})], []]
    assert pauses == [*PAUSES_S, PAUSES_S[-1], PAUSES_S[-1]]
    assert max(PAUSES_S) < SAY_S, "a pause is no silence"


def test_not_even_an_exit_ends_a_thread() -> None:
    said, _ = fails(sys.exit, 1)
    assert said == [[Repair(FAILED, {"part": "copies", "why": "SystemExit"})], []]


def test_a_step_that_hangs_is_said_while_it_does() -> None:
    clock = Clock()
    parts = Parts(clock)
    steps = iter([False])

    def step() -> bool:
        clock.now += SAY_S - 1
        assert parts.repairs() == []
        clock.now += 2
        assert parts.repairs() == [Repair(SILENT, {"part": "streams"})]
        return next(steps)

    parts.add("streams").loop(step)
    clock.now += 100
    assert parts.repairs() == [], "it has ended as it should"


READ_ONLY = OSError(30, "Read-only file system")


@pytest.mark.parametrize(
    ("fault", "traced"),
    [(READ_ONLY, False), (JournalError.of("game", "could not be written", READ_ONLY), False), (ValueError("x"), True)],
)
def test_a_disk_that_takes_nothing_is_told_in_one_line(
    fault: Exception, traced: bool, caplog: pytest.LogCaptureFixture
) -> None:
    steps = iter([fault, None])

    def step() -> bool:
        if (found := next(steps)) is not None:
            raise found
        return False

    Parts(pause=lambda _: None).add("copies").loop(step)
    [record] = caplog.records
    assert line_of(fault) in record.getMessage() and bool(record.exc_info) is traced


def test_what_is_done_now_and_then_hangs_only_while_it_is_done() -> None:
    clock = Clock()
    parts = Parts(clock)
    reader = parts.add("reader")
    clock.now += 100
    assert parts.repairs() == []
    with reader.busy():
        clock.now += 100
        assert parts.repairs() == [Repair(SILENT, {"part": "reader"})]
    assert parts.repairs() == []


def test_a_thread_that_is_gone_is_silent() -> None:
    """Should one end in a way that no loop catches: it has begun, and gives no sign any more."""
    clock = Clock()
    parts = Parts(clock)
    thread = threading.Thread(target=parts.add("lamp").beat)
    thread.start()
    thread.join()
    clock.now += 10
    assert [one.code for one in parts.repairs()] == [SILENT]


@pytest.mark.parametrize("name", ["lamp", "copies"])
def test_a_new_part_of_the_same_name_takes_the_old_ones_place(name: str) -> None:
    parts = Parts()
    parts.add(name).fail("broken")
    parts.add(name)
    assert parts.repairs() == [] and [one.part for one in parts.signs()] == [name]
