"""The receivers of observations: the session, or on a free board any listener.

A watcher's thresholds, its source of frames, its news, and the table being read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from companion.geometry import Layout
from companion.geometry.diff import Observation
from companion.rules.tile import Laid
from vision.eye import Region
from vision.frame import Frame

LINE = "line"
"""The name of a Chinese line among the trains on record."""


class Where(StrEnum):
    """Where on the table."""

    THE_CHANGE = "the change"
    BESIDE_THE_TRAINS = "beside the trains"
    THE_REST = "the rest"


class LookReason(StrEnum):
    """Why another look is worth it before a change goes on record."""

    NO_LEGAL_PLAY = "no legal play explains it"
    MARKER_MAY_BE_DUE = "a draw may have brought a marker"
    ROUND_MAY_END = "the round may end with it"


@dataclass(frozen=True, slots=True)
class LookAgain:
    """A look that the game asks for, and why."""

    place: Where
    reason: LookReason


def wants(again: Iterable[LookAgain], place: Where) -> bool:
    return any(one.place is place for one in again)


class ObservationSink:
    """Where a watcher's reports go, and what it asks of the game. This one has no game: it takes all and knows nothing.

    >>> ObservationSink().over(), ObservationSink().marked()
    (False, frozenset())
    """

    @property
    def waits_for_starter(self) -> bool:
        """Whether the next round begins only once somebody has said who starts."""
        return False

    @property
    def waits_for_engine(self) -> bool:
        """Whether nobody can say which train is whose before the engine is named."""
        return False

    def first_table(self, layout: Layout, frame: str) -> bool:
        """Report the first still table, or the first one of a new round. False: the game does not take it yet."""
        return True

    def recorded(self) -> Mapping[str, Sequence[Laid]]:
        """The trains as they are on record; of a Chinese game the LINE."""
        return {}

    def engine(self) -> int | None:
        """The value of the round's engine, where the game has one and it is known."""
        return None

    def face_down(self) -> int | None:
        """How many tiles lie face down now, by the rules and the record; None where they do not say."""
        return None

    def marked(self) -> frozenset[str]:
        """The players whose trains carry a marker, as it is on record."""
        return frozenset()

    def still_new(self, observation: Observation, layout: Layout) -> Observation:
        """The part of the observation of this `layout` that is not on record yet: a person may have been quicker than
        the camera."""
        return observation

    def look_again(self, observation: Observation) -> tuple[LookAgain, ...]:
        """Where to look once more before this goes on record."""
        return ()

    def likeliest(self, ways: Iterable[Observation]) -> int:
        """Which of these happened; all of them look the same, and the first is what meets the eye."""
        return 0

    def record(self, observation: Observation, layout: Layout, frame: str) -> bool:
        """Make it part of the game; False where it was asked about instead and is to be looked at again."""
        return True

    def named(self) -> Sequence[tuple[str, str]]:
        """(player, from whose seat the arm came) of the plays that have both."""
        return ()

    def ask_about_seats(self, player: str, seat: str, frame: str) -> None:
        """Ask once whether everybody sits as was said: the arm of `player` comes from the seat of another."""

    def ask_about_marker(self, player: str, frame: str) -> bool:
        """Ask once an evening whether the thing at this player's train is their marker; False: it is not asked now."""
        return False

    def own_markers(self) -> Mapping[str, bool]:
        """Answers so far: player -> whether that was their marker."""
        return {}

    def ask(self, observation: Observation, layout: Layout, frame: str) -> None:
        """Say that something cannot be told, with its candidates. Nobody is accused."""

    def understood(self, layout: Layout, frame: str) -> None:
        """A still table has been read, recorded or held back: ask about the tiles that are still unread."""

    def stirred(self) -> bool:
        """Has a person said anything since the last look that asks for a new reading?"""
        return False

    def is_cleared(self, layout: Layout) -> bool:
        """Is most of the round on record gone, though the round has no score yet? Then no change is a play."""
        return False

    def ask_about_another_round(self, layout: Layout, frame: str) -> None:
        """The table was cleared: ask whether another round has begun, once."""

    def cleared(self) -> bool:
        """Has a round been scored since the last time this was asked? Then another table comes."""
        return False

    def over(self) -> bool:
        """Is the round over? Then hands are laid open."""
        return False


EQUAL_READINGS, SURE_READINGS, MOST_READINGS = 2, 4, 6
"""How many equal readings make a change real, and how many one that the game would call a fault; after the last number
it is taken as it is, or asked about."""

FOLLOW_PX = 0.7
"""From such a shift of the whole picture on the calibration follows it."""

WHOLE_AFTER = 40
"""After this many frames without a change the whole table is looked at again: at five pictures a second a play that
changed too little to be noticed is on record within ten seconds."""


class Frames(Protocol):
    """The part of a camera that the watcher needs."""

    stills: bool
    """Every frame is a photograph of a still table."""

    def read(self) -> Frame | None: ...


@dataclass(frozen=True, slots=True)
class CameraNews:
    """News of the camera for the page."""

    state: str
    """hand, settling, reading, read, moved, lost or ended."""
    frame: str
    detail: str = ""


@dataclass(slots=True)
class TableReading:
    """One still table being read: where, how often, and what came out so far.

    >>> import numpy as np
    >>> from companion.rules.position import Mark
    >>> reading = TableReading(Frame(np.zeros((3, 4, 3), np.uint8), 0.0, "0001.jpg"), None, ())
    >>> reading.ask([LookAgain(Where.THE_CHANGE, LookReason.NO_LEGAL_PLAY)])
    >>> reading.needed(Observation((Mark("Ann"),)), reading.again), reading.reasons
    (4, ('no legal play explains it',))
    """

    frame: Frame
    regions: tuple[Region, ...] | None
    hidden: tuple[Region, ...]
    count: int = 0
    agreed: int = 0
    last: Observation | None = None
    layout: Layout | None = None
    overlooked: bool = False
    """Nothing was seen to change there, but a look at the whole table found something that is not on record."""
    again: Sequence[LookAgain] = ()
    """The looks that the game asks for before it takes the change on record."""
    reasons: tuple[str, ...] = ()
    """Why it asked, after every reading."""
    compared: bool = False
    """The rest of the table was looked at because of such a request."""

    def ask(self, again: Sequence[LookAgain]) -> None:
        """The game asks for these looks after the last reading."""
        self.again = again
        self.reasons = tuple(dict.fromkeys((*self.reasons, *(str(one.reason) for one in again))))

    def needed(self, observation: Observation, again: Sequence[LookAgain]) -> int:
        """How many equal readings this takes: more for what is asked about, or where another look is asked for."""
        if observation.empty and not observation.doubts:
            return EQUAL_READINGS
        if self.overlooked or observation.doubts or observation.given or wants(again, Where.THE_CHANGE):
            return SURE_READINGS
        return EQUAL_READINGS
