"""One change of the table between two still pictures, as the camera reports it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from companion.event_fields import Certainty
from companion.events import Event, TilePlayed
from companion.notation import Change, Laying, Vanishing


@dataclass(frozen=True, slots=True)
class Sight:
    """One change of the table: referee changes, trains flipped, Chinese discards by player, and the picture's name.

    `readings` says how surely each laid tile was read. `clouded`: part of the table is not understood, so that what
    looks like a fault may be none.
    """

    delta: tuple[Change, ...]
    flips: tuple[str, ...] = ()
    discards: Mapping[str, int] = field(default_factory=dict)
    frame: str | None = None
    readings: Mapping[Laying, Certainty] = field(default_factory=dict)
    clouded: bool = False

    def shown(self, event: Event) -> Event:
        """The event with the picture that shows it, and how surely its tile was read."""
        if isinstance(event, TilePlayed):
            return replace(event, frame=self.frame, reading=self.readings.get(Laying(event.tile, event.train)))
        return replace(event, frame=self.frame)

    @property
    def gone(self) -> tuple[Vanishing, ...]:
        return tuple(change for change in self.delta if isinstance(change, Vanishing))

    @property
    def laid(self) -> tuple[Laying, ...]:
        return tuple(change for change in self.delta if isinstance(change, Laying))

    @property
    def empty(self) -> bool:
        return not (self.delta or self.flips or self.discards)
