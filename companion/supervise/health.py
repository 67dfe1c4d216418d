"""How a supervised camera is doing, as a value the page can show."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hardware.camera import CameraError, Fault


class State(StrEnum):
    OPENING = "opening"
    LIVE = "live"
    LATE = "late"
    SILENT = "silent"
    GONE = "gone"
    FROZEN = "frozen"
    BLACK = "black"
    DARK = "dark"
    OVEREXPOSED = "overexposed"
    MOVED = "moved"
    ENDED = "ended"
    SOFTWARE = "software"
    BUSY = "busy"
    FORBIDDEN = "forbidden"
    MEMORY = "memory"
    CRASHED = "crashed"
    FORMAT = "format"
    NETWORK = "network"

    @classmethod
    def of(cls, fault: Fault) -> State:
        """What a camera's trouble is for the page."""
        return cls.GONE if fault is Fault.UNPLUGGED else cls(fault.value)


class Why(StrEnum):
    """Why the table is not read, for whoever says it in other words."""

    AWAY = "away"  # no pictures come
    SLOW = "slow"  # the reader takes its time
    OTHER = "other"


SEEING = frozenset({State.OPENING, State.LIVE, State.BLACK, State.DARK, State.OVEREXPOSED, State.MOVED, State.ENDED})
"""The camera gives pictures then, or is about to."""

SENTENCES = {
    State.OPENING: "the camera is starting",
    State.LIVE: "the camera is live",
    State.LATE: "the camera gives no picture just now",
    State.SILENT: "the camera gives no pictures; it is being restarted",
    State.GONE: "the camera is not there; plug it in again, it comes back by itself",
    State.FROZEN: "the camera keeps showing the same picture; it is being restarted",
    State.BLACK: "the picture is black: is the lens covered, is the light off?",
    State.DARK: "it is too dark to read the table: switch on more light",
    State.OVEREXPOSED: "the picture is white: is a lamp shining into the camera?",
    State.MOVED: "the camera was moved: check the four corners",
    State.ENDED: "the recording has ended",
    State.SOFTWARE: "the camera's software on this machine does not work",
    State.BUSY: "another program uses the camera; end that one, and the camera comes back by itself",
    State.FORBIDDEN: "the companion may not open the camera",
    State.MEMORY: "there is not enough memory for the camera's pictures",
    State.CRASHED: "the camera's driver failed; it is being started again",
    State.FORMAT: "the camera's pictures are of a kind that cannot be used",
    State.NETWORK: "the camera cannot be reached over the network; it is being tried again",
}


@dataclass(frozen=True, slots=True)
class Health:
    """`since` is on the monotonic clock; `restarts` counts the camera processes that had to be given up."""

    state: State
    since: float
    detail: str = ""
    restarts: int = 0

    @property
    def ok(self) -> bool:
        return self.state in (State.LIVE, State.ENDED)

    @property
    def message(self) -> str:
        """One line for the page."""
        return f"{SENTENCES[self.state]} ({self.detail})" if self.detail else SENTENCES[self.state]


class AwayError(CameraError):
    """There is no picture to trust just now, and there may be one again: ask again. `health` says why."""

    def __init__(self, health: Health) -> None:
        super().__init__(health.message)
        self.health = health
        self.why = Why.OTHER if health.state in SEEING else Why.AWAY
