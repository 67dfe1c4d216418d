"""What a watcher needs and keeps: its thresholds, where frames come from, what it tells, and the table being read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from companion.geometry import Layout
from companion.geometry.diff import Observation
from companion.perception.sink import LookAgain, Where, wants
from vision.eye import Region
from vision.frame import Frame

EQUAL_READINGS, SURE_READINGS, MOST_READINGS = 2, 4, 6
"""So many equal readings make a change real, and so many one that the game would call a fault; after the last it is
taken as it is, or asked about."""

FOLLOW_PX = 0.7
"""From such a shift of the whole picture on the calibration follows it."""

WHOLE_AFTER = 40
"""After so many frames in which nothing happens the whole table is looked at again: at five pictures a second a play
that changed too little to be noticed is on record within ten seconds."""


class FrameSource(Protocol):
    """What the watcher needs of a camera; `stills`: every frame is a photograph of a still table."""

    stills: bool

    def read(self) -> Frame | None: ...


@dataclass(frozen=True, slots=True)
class CameraNews:
    """What the page shows of the camera: `state` hand, settling, reading, read, moved, lost or ended."""

    state: str
    frame: str
    detail: str = ""


@dataclass(slots=True)
class Reading:
    """One still table being read: where, how often, and what came out so far.

    `overlooked`: nothing was seen to change there; a look at the whole table found something else than is on record.
    `again`: the looks that the game asks for before it takes the change on record; `reasons`: why it asked, after every
    reading. `compared`: the rest of the table was looked at because of one.
    """

    frame: Frame
    regions: tuple[Region, ...] | None
    hidden: tuple[Region, ...]
    count: int = 0
    agreed: int = 0
    last: Observation | None = None
    layout: Layout | None = None
    overlooked: bool = False
    again: Sequence[LookAgain] = ()
    reasons: tuple[str, ...] = ()
    compared: bool = False

    def ask(self, again: Sequence[LookAgain]) -> None:
        """The game asks for these looks after the last reading."""
        self.again = again
        self.reasons = tuple(dict.fromkeys((*self.reasons, *(str(one.reason) for one in again))))

    def needed(self, observation: Observation, again: Sequence[LookAgain]) -> int:
        """How many equal readings this takes: more for what is asked about, or where another look is asked for."""
        if observation.empty and not observation.doubts:
            return EQUAL_READINGS
        if self.overlooked or observation.doubts or wants(again, Where.THE_CHANGE):
            return SURE_READINGS
        return EQUAL_READINGS
