"""The demo's camera: the film of an evening, whose players wait for the score before they clear the table."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from hardware.camera.source import FrameSource
from vision.frame import Frame

if TYPE_CHECKING:
    pass

STILL_S = 0.2
"""While the players wait, their table is shown again and again in this pace."""

PATIENCE_S = 40.0
"""Players who wait longer for the points than this clear the table all the same."""

STILL_OPEN = ("playing", "round_over")
"""Phases of a round that is not scored yet, as the page shows them."""


class Film(Protocol):
    """A recording: what `SupervisedCamera` is over the evening's film."""

    stills: bool

    def read(self) -> Frame | None: ...

    def close(self) -> None: ...


class DemoCamera(FrameSource):
    """Frames of an evening, and what people at that table would do on the page: begin the next match there.

    `place_of` tells (match, round) from a frame's name, `begin` puts a match on the page, `phase` is the page's.
    """

    live = False

    def __init__(
        self,
        film: Film,
        place_of: Callable[[str], tuple[int, int]],
        begin: Callable[[int], None],
        phase: Callable[[], str],
        *,
        clock: Callable[[], float] = time.monotonic,
        rest: Callable[[float], None] = time.sleep,
    ) -> None:
        self.stills = film.stills
        self._film, self._place_of, self._begin, self._phase = film, place_of, begin, phase
        self._clock, self._rest = clock, rest
        self._place: tuple[int, int] | None = None
        self._shown: Frame | None = None
        self._next: Frame | None = None
        self._until = 0.0
        self._behind_s = 0.0

    def read(self) -> Frame | None:
        """The next frame, or the last table once more while its round is being scored; None at the film's end."""
        frame = self._next if self._next is not None else self._film.read()
        if frame is None:
            return None
        place = self._place_of(frame.name)
        if self._shown is not None and place != self._place and self._waits_for_points(frame):
            self._rest(STILL_S)
            self._behind_s += STILL_S
            self._shown = replace(self._shown, at=self._shown.at + STILL_S)
            return self._shown
        self._next = None
        if self._place is None or place[0] != self._place[0]:
            self._begin(place[0])
        self._place = place
        self._shown = replace(frame, at=frame.at + self._behind_s)
        return self._shown

    def _waits_for_points(self, frame: Frame) -> bool:
        if self._next is None:
            self._next, self._until = frame, self._clock() + PATIENCE_S
        return self._phase() in STILL_OPEN and self._clock() < self._until

    def close(self) -> None:
        self._film.close()
