"""Evidence: one change of the table between two still pictures, as the camera reports it, and as a journal keeps it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from companion.log.event_fields import (
    Certainty,
    EventError,
    read_certainty,
    read_count,
    read_flag,
    read_list,
    read_name,
    read_names,
    read_number,
    read_points,
    read_text,
    read_tiles,
    shown,
)
from companion.log.events import Event, TilePlayed
from companion.rules.notation import Change, Laying, NotationError, Vanishing, parse_change, print_change
from companion.rules.tile import Tile

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class TableChange:
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

    delta: tuple[Change, ...] = ()
    flips: tuple[str, ...] = ()
    discards: Mapping[str, int] = field(default_factory=dict)
    frame: str | None = None
    readings: Mapping[Laying, Certainty] = field(default_factory=dict)
    clouded: bool = False
    two_mexican: bool = False
    guessed: bool = False
    returned: int = 0
    arms: Mapping[Change, Mapping[str, int]] = field(default_factory=dict)
    whose: Mapping[Change, str] = field(default_factory=dict)
    adopted: bool = False
    unread: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    faces: Mapping[str, tuple[Tile, ...]] = field(default_factory=dict)

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

    def to_json(self) -> dict[str, Any]:
        """The change as a journal holds it; what is left out has its default. Probabilities are exact."""
        line: dict[str, Any] = {"delta": [print_change(change) for change in self.delta]}
        if self.frame is not None:
            line["frame"] = self.frame
        plain = {"flips": list(self.flips), "discards": dict(self.discards), "returned": self.returned}
        flags = {"clouded": self.clouded, "guessed": self.guessed, "adopted": self.adopted}
        flags["two_mexican"] = self.two_mexican
        if self.faces:
            line["faces"] = {name: [[tile.low, tile.high] for tile in tiles] for name, tiles in self.faces.items()}
        asked = {"unread": list(self.unread), "again": list(self.again)}
        line |= {name: value for name, value in {**plain, **flags, **asked}.items() if value}
        if self.readings:
            line["readings"] = [[print_change(one), _reading(certainty)] for one, certainty in self.readings.items()]
        if self.arms:
            line["arms"] = [[print_change(change), dict(votes)] for change, votes in self.arms.items()]
        if self.whose:
            line["whose"] = [[print_change(change), player] for change, player in self.whose.items()]
        return line

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> TableChange:
        """The change of a journal's line. Raises EventError naming the field."""
        readings = {}
        for change, certainty in _pairs(line, "readings", read_certainty):
            if not isinstance(change, Laying):
                raise EventError(f"readings: expected laid tiles such as '+5-7@Ann', not {print_change(change)!r}")
            readings[change] = certainty
        frame, back = line.get("frame"), line.get("returned", 0)
        asked = read_list(line.get("again", []), "again")
        discards = read_points(line.get("discards", {}), "discards")
        return cls(
            tuple(_change(text, f"delta[{n}]") for n, text in enumerate(read_list(line.get("delta"), "delta"))),
            flips=read_names(line.get("flips", []), "flips"),
            discards={name: read_count(count, f"discards.{name}") for name, count in discards.items()},
            frame=None if frame is None else read_text(frame, "frame"),
            readings=readings,
            clouded=read_flag(line.get("clouded", False), "clouded"),
            two_mexican=read_flag(line.get("two_mexican", False), "two_mexican"),
            guessed=read_flag(line.get("guessed", False), "guessed"),
            returned=read_count(back, "returned") if back != 0 or isinstance(back, bool) else 0,
            arms=dict(_pairs(line, "arms", read_points)),
            whose=dict(_pairs(line, "whose", read_name)),
            adopted=read_flag(line.get("adopted", False), "adopted"),
            unread=read_names(line.get("unread", []), "unread"),
            faces=_faces(line),
            again=tuple(read_text(why, f"again[{n}]") for n, why in enumerate(asked)),
        )


@dataclass(frozen=True, slots=True)
class Seen:
    """An evidence line of a journal: its number among these, the event's line after which it was written, and when."""

    number: int
    after: int
    at: str
    change: TableChange

    def to_json(self) -> dict[str, Any]:
        return {"seen": self.number, "after": self.after, "at": self.at, **self.change.to_json()}

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Seen:
        """Raises EventError naming the field."""
        number = read_count(line.get("seen"), "seen")
        try:
            after = read_number(line.get("after"), "after")
            return cls(number, after, read_text(line.get("at", ""), "at"), TableChange.from_json(line))
        except EventError as error:
            raise EventError(f"seen {number}: {error}") from None


def is_evidence(line: object) -> bool:
    """Whether a journal's line, parsed, says what the camera saw, and is no event."""
    return isinstance(line, dict) and "seen" in line and "event" not in line


def _faces(line: Mapping[str, Any]) -> dict[str, tuple[Tile, ...]]:
    """What lies put away face up, by player. Raises EventError."""
    found = line.get("faces", {})
    if not isinstance(found, dict):
        raise EventError(f"faces: expected tiles by player, not {shown(found)}")
    return {read_name(name, "faces"): read_tiles(tiles, f"faces.{name}") for name, tiles in found.items()}


def _reading(certainty: Certainty) -> dict[str, Any]:
    """Exactly as it was, for the belief weighs it again."""
    line: dict[str, Any] = {"p": list(certainty.p)}
    if any(certainty.others):
        line["others"] = [[list(one) for one in half] for half in certainty.others]
    return line if certainty.across is None else {**line, "across": certainty.across}


def _change(text: Any, name: str) -> Change:
    try:
        return parse_change(text)
    except NotationError as error:
        raise EventError(f"{name}: {error}") from None


def _pairs(line: Mapping[str, Any], name: str, read: Callable[[Any, str], Value]) -> list[tuple[Change, Value]]:
    found = []
    for n, pair in enumerate(read_list(line.get(name, []), name)):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise EventError(f"{name}[{n}]: expected a change and what is said of it, not {shown(pair)}")
        found.append((_change(pair[0], f"{name}[{n}]"), read(pair[1], f"{name}[{n}]")))
    return found
