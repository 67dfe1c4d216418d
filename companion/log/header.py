"""The first line of a journal: which game, which set, who plays."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from companion.rules.tile import highest_double
from companion.storage.records import (
    NAME,
    Form,
    Name,
    Plain,
    Record,
    RecordError,
    by_name,
    list_of,
    number,
    read_at,
    record,
    shown,
    unlike,
)

JOURNAL_VERSION = 1
"""Of the header and the events, as they are printed, sent and read."""

FILE_VERSION = 2
"""Of a journal on the disk: version 1 has only events, version 2 also what the camera saw (`Seen`)."""

RESERVED_NAMES = frozenset({"MX", "MX2"})
"""Names of trains that belong to nobody."""

LONGEST_NAME = 60
_SET = re.compile(r"double-([1-9]|1[0-8])|chinese")
_FIELDS = frozenset({"rules", "set", "players", "options"})

MOST_COLOURS = 12

JOINERS = "\u200c\u200d"
"""What keyboards type inside words (Bengali, Persian) and between the people of one sign."""


BLANKS = "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Letters by Unicode's word that nobody sees."""


def can_be_shown(name: str) -> bool:
    """Whether a name holds only what a keyboard types and people see: nothing that steers lines, directions or
    devices."""
    seen = any(unicodedata.category(sign)[0] in "LNPS" for sign in name)
    return seen and all((sign.isprintable() or sign in JOINERS) and sign not in BLANKS for sign in name)


def _read_set(value: Any) -> str:
    number = highest_double(value)
    tile_set = f"double-{number}" if type(number) is int else number
    if not isinstance(tile_set, str) or not _SET.fullmatch(tile_set):
        raise unlike("double-6 ... double-18 or chinese", value)
    return tile_set


def _read_players(value: Any) -> tuple[str, ...]:
    players: tuple[str, ...] = list_of(NAME).read(value)
    if len(players) < 2:
        raise RecordError(f"expected two or more, not {len(players)}")
    for name in players:
        if name in RESERVED_NAMES:
            raise RecordError(f"{name} is a train's name, not a player's")
        if len(name) > LONGEST_NAME or not can_be_shown(name) or name != name.strip():
            raise unlike(f"names of up to {LONGEST_NAME} letters", name)
        if players.count(name) > 1:
            raise RecordError(f"{name} sits there twice")
    return players


SET = Form(
    _read_set,
    {
        "anyOf": [
            {"type": "string", "pattern": "^((double-)?([1-9]|1[0-8])|chinese)$"},
            {"type": "integer", "minimum": 1, "maximum": 18},
        ]
    },
)
PLAYERS = Form(
    _read_players,
    {
        "type": "array",
        "items": {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME},
        "minItems": 2,
        "uniqueItems": True,
    },
    list,
)


@dataclass(frozen=True, slots=True)
class Brought(Record):
    """What a match brings along in which the players changed: its rounds, their points, and who went home."""

    rounds: int = 0
    totals: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Header(Record):
    """Rules, set and players of a game.

    Args:
        rules: the name of a rule set (or the path of a house's own).
        set: "double-6" ... "double-18" or "chinese".
        players: clockwise as they sit; in the Chinese games counter-clockwise.
        options: house rules that differ from the rule set, by field name.
        extra: whatever else the line holds (a set-up file adds the table and the stations); kept as it is, but for the
            line's checksum.
    """

    ALWAYS: ClassVar[frozenset[str]] = frozenset({"options"})

    rules: Annotated[Name, "The name of a rule set, or the path of a house's own."]
    set: Annotated[str, SET, "`double-12`, or 12 for it; `chinese`. A journal has the name."]
    players: Annotated[tuple[str, ...], PLAYERS, "Clockwise as they sit; in the Chinese games counter-clockwise."]
    options: Annotated[Plain, "Single rules that this table changes, by field name."] = field(default_factory=dict)
    extra: Plain = field(default_factory=dict)

    @property
    def set_max(self) -> int | None:
        """The highest pip of a double set, None for the Chinese tiles."""
        return None if self.set == "chinese" else int(self.set.removeprefix("double-"))

    @property
    def brought(self) -> Mapping[str, int]:
        """The points with which everybody begins: those of the match that this game goes on with, else none."""
        totals = self.extra.get("brought", {}).get("totals", {})
        return {player: totals.get(player, 0) for player in self.players}

    @property
    def left(self) -> Mapping[str, int]:
        """Who went home earlier in this match, with the points won until then."""
        gone = self.extra.get("brought", {}).get("left", {})
        return {player: points for player, points in gone.items() if player not in self.players}

    @property
    def colours(self) -> Mapping[str, int]:
        """The number of each player's colour and shape, from 1: the seat's, where nobody has brought another one."""
        kept = self.extra.get("colours", {})
        return {player: kept.get(player, seat) for seat, player in enumerate(self.players, start=1)}

    @property
    def rounds_before(self) -> int:
        """How many rounds of the same match another game holds."""
        return int(self.extra.get("brought", {}).get("rounds", 0))

    def to_json(self) -> dict[str, Any]:
        line: dict[str, Any] = {"journal": JOURNAL_VERSION, **Record.to_json(self)}
        extra: dict[str, Any] = line.pop("extra", {})
        return line | extra

    @classmethod
    def from_json(cls, line: Any) -> Header:
        """The header of a journal or a set-up file. Raises RecordError naming the field."""
        if not isinstance(line, dict):
            raise RecordError(f"header: expected an object, not {shown(line)}")
        if "journal" not in line and "event" in line:
            raise RecordError('header: missing; the first line must hold {"journal": 1, ...}')
        version = line.get("journal", JOURNAL_VERSION)
        if version not in (JOURNAL_VERSION, FILE_VERSION) or isinstance(version, bool):
            known = f"{JOURNAL_VERSION} and {FILE_VERSION}"
            raise RecordError(f"journal: this program reads versions {known}, not {shown(version)}")
        own = {name: value for name, value in line.items() if name in _FIELDS and (name, value) != ("options", None)}
        rest = {name: value for name, value in line.items() if name not in _FIELDS | {"journal", "sum"}}
        header: Header = record(cls).read({**own, "extra": rest})
        read_at("brought", record(Brought), rest.get("brought", {}))
        header._check_colours(rest.get("colours", {}))
        return header

    def _check_colours(self, value: Any) -> None:
        """`{"Ann": 2, "Ben": 1}`: a colour of each player's own, all of them or none."""
        numbers = read_at("colours", by_name(number(1, MOST_COLOURS)), value)
        if numbers and (set(numbers) != set(self.players) or len(set(numbers.values())) < len(numbers)):
            raise RecordError(f"colours: expected another one for each player, not {shown(value)}")
