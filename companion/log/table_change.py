"""Evidence: one change of the table between two still pictures, as the camera reports it, and as a journal keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

from companion.log.event_fields import Certainty, TilePips
from companion.log.events import Event, TilePlayed
from companion.rules.notation import Change, Laying, NotationError, Vanishing, parse_change, print_change
from companion.storage.records import INLINE, Count, Form, Name, Record, RecordError, number, record, unlike


def _read_change(text: Any) -> Change:
    try:
        return parse_change(text)
    except NotationError as error:
        raise RecordError(str(error)) from None


def _read_laying(text: Any) -> Laying:
    change = _read_change(text)
    if not isinstance(change, Laying):
        raise unlike("a laid tile such as '+5-7@Ann'", text)
    return change


CHANGE = Form(_read_change, {"type": "string"}, print_change)
Told = Annotated[Change, CHANGE]
"""In notation: `+5-7@Ann`."""
LAYING = Form(_read_laying, CHANGE.schema, print_change)


@dataclass(frozen=True, slots=True)
class TableChange(Record):
    """One change of the table: referee changes (tiles of one train from the inside out), trains flipped, Chinese
    discards by player, and the picture's name. `faces`: what those of the discards show that lie face up.

    `readings` says how surely each laid tile was read. `clouded`: part of the table is not understood, so that what
    looks like a fault may be none. `guessed`: a tile that was not surely read is on record next to the ones now laid.
    `two_mexican`: two trains lie where no player who has none may still begin theirs.
    `returned`: so many tiles lie in the boneyard again; they had been drawn where tiles were taken back.
    `arms`: player -> decibans of what was seen being that player's arm, 0 the likeliest; a change that is not in it was
    done by an arm that nobody saw clearly. `whose`: the one player whose arm it clearly was. `adopted`: the table
    lay like this before anybody watched, and not all of it is seen, or a tile that is not on record came before it.
    `unread`: the trains on which such a tile has come to lie, behind what is on record of them.
    `again`: why the game asked for another look before it took the change; it is shown where the change is explained,
    and nothing rests on it.
    """

    ALWAYS: ClassVar[frozenset[str]] = frozenset({"delta"})

    delta: tuple[Told, ...] = ()
    frame: str | None = None
    faces: Mapping[str, tuple[TilePips, ...]] = field(default_factory=dict)
    flips: tuple[Name, ...] = ()
    discards: Mapping[str, Count] = field(default_factory=dict)
    returned: Annotated[int, number(0)] = 0
    clouded: bool = False
    guessed: bool = False
    adopted: bool = False
    two_mexican: bool = False
    unread: tuple[Name, ...] = ()
    again: tuple[str, ...] = ()
    readings: Mapping[Annotated[Laying, LAYING], Certainty] = field(default_factory=dict)
    arms: Mapping[Told, Mapping[str, int]] = field(default_factory=dict)
    whose: Mapping[Told, Name] = field(default_factory=dict)

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


@dataclass(frozen=True, slots=True)
class Seen(Record):
    """What the camera saw, before the events that it brought: the number of this line among its like, the event's line
    after which it was written, and when."""

    ALWAYS: ClassVar[frozenset[str]] = frozenset({"at"})

    seen: Count
    after: Annotated[int, number(0)]
    at: str = ""
    change: Annotated[TableChange, INLINE] = TableChange()

    @classmethod
    def from_json(cls, line: Any) -> Seen:
        """Raises RecordError naming the line and the field."""
        try:
            seen: Seen = record(cls).read(line)
        except RecordError as error:
            number = line.get("seen")
            raise RecordError(f"seen {number}: {error}") if type(number) is int and number > 0 else error from None
        return seen


def is_evidence(line: object) -> bool:
    """Whether a journal's line, parsed, says what the camera saw, and is no event."""
    return isinstance(line, dict) and "seen" in line and "event" not in line
