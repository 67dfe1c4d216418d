"""The first line of a journal: which game, which set, who plays."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.log.event_fields import EventError, read_change, read_list, read_name, shown
from companion.rules.tile import highest_double

JOURNAL_VERSION = 1
"""Of the header and the events, as they are printed, sent and read."""

FILE_VERSION = 2
"""Of a journal on the disk: version 1 has only events, version 2 also what the camera saw (`Seen`)."""

RESERVED_NAMES = frozenset({"MX", "MX2"})
"""Names of trains that belong to nobody."""

LONGEST_NAME = 60
_SET = re.compile(r"double-([1-9]|1[0-8])|chinese")
_FIELDS = frozenset({"journal", "rules", "set", "players", "options", "sum"})


@dataclass(frozen=True, slots=True)
class Header:
    """Rules, set and players of a game.

    Args:
        rules: the name of a rule set (or the path of a house's own).
        set: "double-6" ... "double-18" or "chinese".
        players: clockwise as they sit; in the Chinese games counter-clockwise.
        options: house rules that differ from the rule set, by field name.
        extra: whatever else the line holds (a set-up file adds the table and the stations); kept as it is, but for the
            line's checksum.
    """

    rules: str
    set: str
    players: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

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
        return {
            "journal": JOURNAL_VERSION,
            "rules": self.rules,
            "set": self.set,
            "players": list(self.players),
            "options": dict(self.options),
            **self.extra,
        }

    @classmethod
    def from_json(cls, line: Any) -> Header:
        """The header of a journal or a set-up file. Raises EventError naming the field."""
        if not isinstance(line, dict):
            raise EventError(f"header: expected an object, not {shown(line)}")
        if "journal" not in line and "event" in line:
            raise EventError('header: missing; the first line must hold {"journal": 1, ...}')
        version = line.get("journal", JOURNAL_VERSION)
        if version not in (JOURNAL_VERSION, FILE_VERSION) or isinstance(version, bool):
            known = f"{JOURNAL_VERSION} and {FILE_VERSION}"
            raise EventError(f"journal: this program reads versions {known}, not {shown(version)}")
        for name in ("rules", "set", "players"):
            if name not in line:
                raise EventError(f"{name}: missing in the header")
        number = highest_double(line["set"])
        tile_set = f"double-{number}" if type(number) is int else read_name(number, "set")
        if not _SET.fullmatch(tile_set):
            raise EventError(f"set: expected double-6 ... double-18 or chinese, not {shown(line['set'])}")
        _check_brought(line.get("brought", {}))
        players = _read_players(line["players"])
        _check_colours(line.get("colours", {}), players)
        return cls(
            rules=read_name(line["rules"], "rules"),
            set=tile_set,
            players=players,
            options=read_change(line.get("options") or {}, "options"),
            extra=read_change({name: value for name, value in line.items() if name not in _FIELDS}, "header"),
        )


def _check_brought(value: Any) -> None:
    """`{"rounds": 3, "totals": {"Ann": 37}, "left": {"Cy": 30}}`: what a match brings along in which the players
    changed."""
    lists = [value.get(name, {}) for name in ("totals", "left")] if isinstance(value, dict) else []
    whole = bool(lists) and set(value) <= {"rounds", "totals", "left"} and all(isinstance(one, dict) for one in lists)
    if not whole or any(
        type(points) is not int for points in (value.get("rounds", 0), *lists[0].values(), *lists[1].values())
    ):
        raise EventError(f"brought: expected rounds and totals in whole numbers, not {shown(value)}")


MOST_COLOURS = 12


def _check_colours(value: Any, players: tuple[str, ...]) -> None:
    """`{"Ann": 2, "Ben": 1}`: a colour of each player's own, all of them or none."""
    numbers = list(value.values()) if isinstance(value, dict) else [0]
    own = all(type(one) is int and 1 <= one <= MOST_COLOURS for one in numbers) and len(set(numbers)) == len(numbers)
    if not own or (numbers and set(value) != set(players)):
        raise EventError(
            f"colours: expected another number from 1 to {MOST_COLOURS} for each player, not {shown(value)}"
        )


JOINERS = "\u200c\u200d"
"""What keyboards type inside words (Bengali, Persian) and between the people of one sign."""


BLANKS = "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Letters by Unicode's word that nobody sees."""


def can_be_shown(name: str) -> bool:
    """Whether a name holds only what a keyboard types and people see: nothing that steers lines, directions or
    devices."""
    seen = any(unicodedata.category(sign)[0] in "LNPS" for sign in name)
    return seen and all((sign.isprintable() or sign in JOINERS) and sign not in BLANKS for sign in name)


def _read_players(value: Any) -> tuple[str, ...]:
    players = tuple(read_name(name, f"players[{n}]") for n, name in enumerate(read_list(value, "players")))
    if len(players) < 2:
        raise EventError(f"players: expected two or more, not {len(players)}")
    for name in players:
        if name in RESERVED_NAMES:
            raise EventError(f"players: {name} is a train's name, not a player's")
        if len(name) > LONGEST_NAME or not can_be_shown(name) or name != name.strip():
            raise EventError(f"players: expected names of up to {LONGEST_NAME} letters, not {shown(name)}")
        if players.count(name) > 1:
            raise EventError(f"players: {name} sits there twice")
    return players
