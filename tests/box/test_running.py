"""The loop that keeps watching, whatever camera and eye do."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from companion.log.journal import JournalError
from companion.supervise.eye import EyeAwayError, SlowEyeError, keep_watching
from companion.supervise.pictures import AwayError, CameraState, Health
from hardware.camera import CameraError


class Table:
    """Steps as they are told: an exception is raised, True goes on, False ends."""

    def __init__(self, *steps: bool | Exception) -> None:
        self._steps: Iterator[bool | Exception] = iter(steps)
        self.said: list[str] = []
        self.beats = 0
        self.whys: list[str] = []

    def step(self) -> bool:
        step = next(self._steps)
        if isinstance(step, Exception):
            raise step
        self.said.append("step")
        return step

    def watch(self) -> list[str]:
        keep_watching(
            self.step,
            lost=self._lost,
            back=lambda: self.said.append("back"),
            beat=self._beat,
            broken=lambda: self.said.append("broken"),
            pauses_s=(0.0,),
        )
        return self.said

    def _lost(self, message: str, why: str) -> None:
        self.said.append(message)
        self.whys.append(why)

    def _beat(self) -> None:
        self.beats += 1


GONE = AwayError(Health(CameraState.GONE, 0.0))
SILENT = AwayError(Health(CameraState.SILENT, 0.0))


def test_trouble_is_said_once_and_its_end_is_told_to_the_watcher() -> None:
    table = Table(True, GONE, GONE, GONE, True, True, False)
    assert table.watch() == ["step", str(GONE), "step", "back", "step", "step"]
    assert table.beats == 7


def test_another_trouble_is_said_again() -> None:
    assert Table(SILENT, GONE, SILENT, False).watch() == [str(SILENT), str(GONE), str(SILENT), "step", "back"]


def test_a_reader_that_was_restarted_and_a_bad_picture_cost_one_step_each() -> None:
    said = Table(EyeAwayError("the reader died"), True, CameraError("2.png: not an image"), True, False).watch()
    assert said == ["the reader died", "step", "back", "2.png: not an image", "step", "back", "step"]


def test_what_is_the_matter_is_said_as_a_code_too() -> None:
    dark = AwayError(Health(CameraState.DARK, 0.0))
    table = Table(GONE, dark, SlowEyeError("no answer"), EyeAwayError("it died"), ZeroDivisionError(), False)
    table.watch()
    assert table.whys == ["away", "other", "slow", "other", "other"]


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (ZeroDivisionError(), "ZeroDivisionError"),
        (OSError(28, "No space left on device", "/place"), "No space left on device"),
        (JournalError("/place", "is closed"), "is closed"),
    ],
)
def test_nothing_else_ends_it_either_and_it_is_said(fault: Exception, why: str) -> None:
    table = Table(True, fault, fault, True, False)
    lost = f"nothing is recorded just now ({why})"
    assert table.watch() == ["step", "broken", lost, "broken", "step", "back", "step"]


def test_it_stops_when_it_is_told() -> None:
    stop = threading.Event()
    steps = []

    def step() -> bool:
        steps.append(1)
        if len(steps) == 3:
            stop.set()
        return True

    keep_watching(step, lost=print, back=print, stop=stop)
    assert len(steps) == 3
