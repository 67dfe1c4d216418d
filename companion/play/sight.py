"""One change of the table between two still pictures, as the camera reports it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from companion.log.event_fields import Certainty
from companion.log.events import Event, TilePlayed
from companion.rules.notation import Change, Laying, Vanishing

SURE_TO_ACCUSE = 0.98
"""So likely must a half be what it was read as before anything that rests on it is certain."""


@dataclass(frozen=True, slots=True)
class Sight:
    """One change of the table: referee changes, trains flipped, Chinese discards by player, and the picture's name.

    `readings` says how surely each laid tile was read. `clouded`: part of the table is not understood, so that what
    looks like a fault may be none. `guessed`: a tile that was not surely read is on record next to the ones now laid.
    `returned`: so many tiles lie in the boneyard again; they had been drawn where tiles were taken back.
    `arms`: player -> decibans of what was seen being that player's arm, 0 the likeliest; a change that is not in it was
    done by an arm that nobody saw clearly. `whose`: the one player whose arm it clearly was. `adopted`: the table
    lay like this before anybody watched, and not all of it is seen.
    """

    delta: tuple[Change, ...]
    flips: tuple[str, ...] = ()
    discards: Mapping[str, int] = field(default_factory=dict)
    frame: str | None = None
    readings: Mapping[Laying, Certainty] = field(default_factory=dict)
    clouded: bool = False
    guessed: bool = False
    returned: int = 0
    arms: Mapping[Change, Mapping[str, int]] = field(default_factory=dict)
    whose: Mapping[Change, str] = field(default_factory=dict)
    adopted: bool = False

    def shown(self, event: Event) -> Event:
        """The event with the picture that shows it, how surely its tile was read, and whose arm laid it."""
        if isinstance(event, TilePlayed):
            laying = Laying(event.tile, event.train)
            reading, arm = self.readings.get(laying), self.whose.get(laying)
            return replace(event, frame=self.frame, reading=reading, arm=arm)
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
