"""A camera that hangs above a scripted table: an act, then frames until the watcher has read what lies there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import cv2
import numpy as np

from companion.geometry import Layout, TableSetup
from companion.geometry.diff import Observation
from companion.geometry.layout import Point
from companion.observing.game_sink import PrintSink
from companion.perception.settings import WHOLE_AFTER, LookAgain, LookReason, Where
from companion.perception.watcher import Watcher
from companion.rules.notation import Drawing
from datasets.simulator.tabletop import TableTop
from vision.calibration import Calibration
from vision.eye import Eye
from vision.frame import Frame, Image
from vision.known_set import KnownSet
from vision.settle import Settler

FRAMES_A_SECOND, LEAST, MOST = 5, 4, 30
"""At least and at most so many frames are shown after an act."""
HAND_FRAMES, SLEEVE, SLEEVE_SHARE = 3, (60, 70, 120), 22
"""In so many frames a hand is seen; its colour, and the picture's width in widths of its sleeve."""
SURE_Z = 1.96
"""Standard deviations of a 95 % interval."""


class Accepting(PrintSink):
    """Takes every change as it is seen, and keeps it. `asked`: somebody answers whose markers those `there` are."""

    def __init__(self, asked: bool = False, backs: int | None = None, ended: bool = False) -> None:
        super().__init__(lambda event: None)
        self.asked, self.backs, self.ended = asked, backs, ended
        self.there: frozenset[str] = frozenset()
        self.answers: dict[str, bool] = {}
        self.seen: list[Observation] = []

    def engine(self) -> int | None:
        return 12

    def face_down(self) -> int | None:
        return None if self.backs is None else self.backs - self.drawn

    @property
    def drawn(self) -> int:
        """How many draws were seen."""
        return sum(change.count for one in self.seen for change in one.delta if isinstance(change, Drawing))

    def over(self) -> bool:
        return self.ended

    def look_again(self, observation: Observation) -> tuple[LookAgain, ...]:
        return (LookAgain(Where.BESIDE_THE_TRAINS, LookReason.MARKER_MAY_BE_DUE),)

    def likeliest(self, ways: Iterable[Observation]) -> int:
        return 0

    def record(self, observation: Observation, layout: Layout, frame: str) -> bool:
        self.seen.append(observation)
        return True

    def ask_about_marker(self, player: str, frame: str) -> bool:
        if not self.asked or player in self.answers:
            return False
        self.answers[player] = player in self.there
        return True

    def own_markers(self) -> Mapping[str, bool]:
        return self.answers

    def first_table(self, layout: Layout, frame: str) -> bool:
        return True


@dataclass(slots=True)
class HangingCamera:
    """Its frames are handed in one by one."""

    stills: bool = False

    def read(self) -> Frame | None:
        return None


@dataclass(slots=True)
class Filming:
    """Shows a watcher what a `film` of a table shows."""

    film: Any
    watcher: Watcher
    news: list[str] = field(default_factory=list)
    count: int = 0

    @classmethod
    def of(cls, film: Any, eye: Eye, setup: TableSetup, known: KnownSet, sink: Accepting) -> Filming:
        plan, size_wh = film.plan, film.settings.size_wh
        corners = np.asarray(film.corners_px(), np.float32)
        calibration = Calibration.from_corners(corners, plan.size_mm, plan.tile_mm[2], size_wh=size_wh)
        camera: Any = HangingCamera()
        found = cls(film, Watcher(camera, eye, Settler(), calibration, setup, sink, known=known))
        found.watcher.publish = lambda one: found.news.append(one.state)
        return found

    def read(self, table: TableTop, hand_mm: Point | None = None) -> Layout:
        """The table as it lies after a hand was at this place, once it is read; where nothing was noticed, as it
        was."""
        if hand_mm is not None:
            for n in range(HAND_FRAMES):
                self._see(_with_hand(self.film.frame(), self._px(hand_mm), n))
        self.film.develop(table)
        return self._shown(LEAST, MOST)

    def wait(self) -> Layout:
        """Nothing happens until the watcher looks at the whole table again."""
        return self._shown(WHOLE_AFTER + LEAST, WHOLE_AFTER + MOST)

    def _shown(self, least: int, most: int) -> Layout:
        for n in range(most):
            self._see(self.film.frame())
            if n >= least and self.news[-1] == "read":
                break
        assert self.watcher.layout is not None
        return self.watcher.layout

    def _see(self, image: Image) -> None:
        self.watcher.see(Frame(image, self.count / FRAMES_A_SECOND, f"{self.film.seed}-{self.count}"))
        self.count += 1

    def _px(self, place: Point) -> tuple[int, int]:
        x, y = self.watcher.calibration.to_px(np.array([place], np.float64))[0]
        return round(float(x)), round(float(y))


def _with_hand(image: Image, at_px: tuple[int, int], wobble: int) -> Image:
    """A plain sleeve from the nearest long edge to this place: only that it moves and leaves counts."""
    h, w = image.shape[:2]
    x, y = at_px[0] + 5 * wobble, at_px[1] + 4 * wobble
    edge = 0 if y < h / 2 else h
    return np.asarray(cv2.line(image.copy(), (x, y), (x + w // 40, edge), SLEEVE, w // SLEEVE_SHARE), np.uint8)


def of_all(count: int, of: int) -> str:
    """`12 of 13 (92.3 %, 66.7 to 98.6)`: the share with its 95 % interval (Wilson)."""
    if not of:
        return "0 of 0"
    share, z = count / of, SURE_Z
    middle, reach = share + z * z / (2 * of), z * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    low, high = ((middle + sign * reach) / (1 + z * z / of) for sign in (-1, 1))
    return f"{count} of {of} ({100 * share:.1f} %, {100 * max(0.0, low):.1f} to {100 * min(1.0, high):.1f})"
