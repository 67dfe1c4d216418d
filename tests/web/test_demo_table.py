"""The demo's players wait for the score before they clear the table, and begin the next match on the page."""

from __future__ import annotations

import numpy as np

from companion.app.table_place import PATIENCE_S, STILL_S, DemoCamera
from datasets.simulator.evening import place_of
from vision.frame import Frame


class ShortFilm:
    """Frames by name."""

    stills = False

    def __init__(self, *names: str) -> None:
        self._frames = [
            Frame(np.zeros((2, 2, 3), np.uint8), n * STILL_S, f"{name}-{n:06d}") for n, name in enumerate(names)
        ]
        self.closed = False

    def read(self) -> Frame | None:
        return self._frames.pop(0) if self._frames else None

    def close(self) -> None:
        self.closed = True


class Evening:
    def __init__(self, *names: str) -> None:
        self.now = 0.0
        self.phase = "playing"
        self.begun: list[int] = []
        self.camera = DemoCamera(
            ShortFilm(*names), place_of, self.begun.append, lambda: self.phase, clock=lambda: self.now, rest=self.rest
        )

    def rest(self, seconds: float) -> None:
        self.now += seconds

    def read(self) -> str:
        frame = self.camera.read()
        assert frame is not None
        return frame.name.rsplit("-", 1)[0]


def test_the_table_lies_there_until_the_round_is_scored() -> None:
    evening = Evening("match1-round1", "match1-round2")
    assert evening.read() == "match1-round1"
    evening.phase = "round_over"
    assert [evening.read() for _ in range(5)] == ["match1-round1"] * 5
    evening.phase = "waiting"
    assert evening.read() == "match1-round2"


def test_players_who_wait_in_vain_go_on() -> None:
    evening = Evening("match1-round1", "match1-round2")
    waited = 0
    while evening.read() == "match1-round1":
        waited += 1
    assert abs(waited * STILL_S - PATIENCE_S) < 1.0


def test_time_goes_on_while_the_table_lies_there() -> None:
    evening = Evening("match1-round1", "match1-round2")
    times = []
    for n in range(6):
        evening.phase = "playing" if n < 4 else "waiting"
        if (frame := evening.camera.read()) is not None:
            times.append(round(frame.at, 3))
    assert times == sorted(set(times)) and len(times) == 5


def test_every_match_is_begun_on_the_page_before_its_first_frame() -> None:
    evening = Evening("match1-round1", "match1-round1", "match2-round1")
    evening.read()
    assert evening.begun == [1]
    evening.read()
    evening.phase = "match_over"
    assert evening.read() == "match2-round1" and evening.begun == [1, 2]
    assert evening.camera.read() is None
