"""The fields of events, a journal's header, and the questions that people are asked.

The parts of an event: tiles, findings, candidates, and how surely a tile was read.

Questions to people: their kind, and the train, player or place that they are about.

A journal holds a question as one text, its reason: `unreadable_tile: Ann`, or the layout's trouble and its place.

The first line of a journal: the game, the set and the players.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from companion.rules.ruleset import MOST_PLAYERS
from companion.rules.tile import Laid, Tile, highest_double
from companion.storage.records import (
    NAME,
    Form,
    Name,
    Plain,
    Record,
    RecordError,
    Share,
    Written,
    by_name,
    list_of,
    number,
    read_at,
    record,
    shown,
    unlike,
)

EventError = RecordError
"""An event cannot be understood; the message names the field and what was expected."""

HIGHEST_PIP = 99
"""Far above every set: a larger number on a tile is a broken file, not a tile that is not in the set."""


def _read_laid(value: Any) -> Laid:
    if (
        not isinstance(value, (list, tuple))
        or len(value) != 2
        or not all(type(half) is int and 0 <= half <= HIGHEST_PIP for half in value)
    ):
        raise unlike("two numbers such as [12, 5]", value)
    return Laid(value[0], value[1])


_PIPS = number(0, HIGHEST_PIP)
_TWO_PIPS = {"type": "array", "items": _PIPS.schema, "minItems": 2, "maxItems": 2}
LAID = Form(_read_laid, _TWO_PIPS, list)
TILE = Form(lambda value: _read_laid(value).tile, _TWO_PIPS, lambda tile: [tile.low, tile.high])

LaidPips = Annotated[Laid, LAID]
"""The inner half first."""

TilePips = Annotated[Tile, TILE]
Pips = Annotated[int, _PIPS]

RoundedShare = Annotated[Share, Written(lambda share: round(share, 4))]


@dataclass(frozen=True, slots=True)
class Finding(Record):
    """A violation found in an event."""

    ALWAYS: ClassVar[frozenset[str]] = frozenset({"certain"})

    code: Name
    certain: Annotated[bool, "False: one of several that the evidence leaves open."] = True
    by: Annotated[Name | None, "The offender, where that is not the event's own player."] = None
    open: Annotated[bool, "People tapped it, and nobody has said yet whether it was so."] = False
    confirmed_by: Annotated[Name | None, "Who has said that it was so: the name of the phone."] = None
    confirmed_in: Annotated[int | None, "The line that says it."] = None


@dataclass(frozen=True, slots=True)
class Candidate(Record):
    """One way in which it may have happened."""

    ALWAYS: ClassVar[frozenset[str]] = frozenset({"events"})

    story: Annotated[str, "In words or notation."]
    events: Annotated[tuple[Plain, ...], "As they would be recorded."] = ()
    kind: Annotated[Name | None, "What an answer to a tap that does not fit would say."] = None
    p: Annotated[RoundedShare | None, "Its weight, where one is known."] = None
    codes: Annotated[tuple[Name, ...], "What the referee would say about it."] = ()


MOST_ALTERNATIVES = 4
LEAST_ALTERNATIVE = 0.001


@dataclass(frozen=True, slots=True)
class Confidence(Record):
    """How surely the camera read the halves of a laid tile, the inner one first, and what else each may be.

    >>> reading = Confidence((0.99, 0.6), ((), ((4, 0.35),)))
    >>> round(reading.sure, 3), reading.likeliest(Laid(5, 3))
    (0.594, Laid(inner=5, outer=3))
    >>> [(tile, round(p, 2)) for tile, p in reading.alternatives(Laid(5, 3))]
    [(Laid(inner=5, outer=4), 0.35)]
    """

    p: tuple[Share, Share]
    others: tuple[tuple[tuple[Pips, Share], ...], tuple[tuple[Pips, Share], ...]] = ((), ())
    across: Annotated[bool | None, "It lies across its train; null: it lies in none, or nobody knows."] = None

    @property
    def sure(self) -> float:
        """The probability that both halves are right."""
        return self.p[0] * self.p[1]

    def alternatives(self, tile: Laid) -> list[tuple[Laid, float]]:
        """Other tiles it may be, one half at a time, likeliest first."""
        inner = [(Laid(value, tile.outer), p * self.p[1]) for value, p in self.others[0]]
        outer = [(Laid(tile.inner, value), p * self.p[0]) for value, p in self.others[1]]
        likely = [one for one in (*inner, *outer) if one[1] >= LEAST_ALTERNATIVE and one[0] != tile]
        return sorted(likely, key=lambda one: -one[1])[:MOST_ALTERNATIVES]

    def likeliest(self, tile: Laid) -> Laid:
        """The likeliest tile, half by half, where `p` is of this one."""
        halves = zip(tile, self.p, self.others, strict=True)
        inner, outer = (max(((value, p), *others), key=lambda one: one[1])[0] for value, p, others in halves)
        return Laid(inner, outer)

    def of_another(self, read: Laid, other: Laid) -> Confidence:
        """The same reading of a tile that was read as `read` and counts as `other`."""
        pairs = zip(self.p, self.others, read, other, strict=True)
        (p, inner), (q, outer) = (_of_another_value(*one) for one in pairs)
        return Confidence((p, q), (inner, outer), self.across)

    def rounded(self) -> dict[str, Any]:
        """As an event says it: four digits. `to_json` is exact, for the belief weighs it again."""
        line: dict[str, Any] = {"p": [round(p, 4) for p in self.p]}
        if any(self.others):
            line["others"] = [[[value, round(p, 4)] for value, p in half] for half in self.others]
        return line


def _of_another_value(
    p: float, others: tuple[tuple[int, float], ...], read: int, other: int
) -> tuple[float, tuple[tuple[int, float], ...]]:
    if read == other:
        return p, others
    rest = tuple(one for one in others if one[0] != other)
    return dict(others).get(other, 0.0), ((read, p), *rest)


TROUBLE_CODE = re.compile(r"\b[A-Z]+(?:_[A-Z]+)+\b")
PLACE = re.compile(r"\((-?\d+), (-?\d+)\) mm")

ANOTHER_ENGINE = "ANOTHER_ENGINE"
"""The subject of a TABLE question where another double lies in the middle than the round began with."""


class QuestionKind(StrEnum):
    """The word before the colon of a reason; TABLE for what the layout found wrong, in its own words."""

    SEVERAL_EXPLANATIONS = "several_stories"
    UNREADABLE = "unreadable"
    UNREADABLE_TILE = "unreadable_tile"
    NEW_ROUND = "new_round"
    NO_POINTS = "no_points"
    HAND_UNREAD = "hand_unread"
    HAND_COUNT = "hand_count"
    HAND_TWICE = "hand_twice"
    SET_SUM = "set_sum"
    SEATS = "seats"
    MARKER = "marker"
    DOES_NOT_FIT = "does_not_fit"
    TABLE = "table"


ROUNDS = (QuestionKind.NEW_ROUND, QuestionKind.NO_POINTS)
OF_A_HAND = frozenset({QuestionKind.HAND_UNREAD, QuestionKind.HAND_COUNT, QuestionKind.HAND_TWICE})
OF_POINTS = OF_A_HAND | {QuestionKind.SET_SUM, QuestionKind.NO_POINTS}
"""Questions about the points of a round; they are worth an answer even when the next one has begun."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question: its kind and its subject, the train and the player by name.

    >>> question = Question.of("unreadable_tile: Ann")
    >>> question.train, question.reason
    ('Ann', 'unreadable_tile: Ann')
    """

    kind: QuestionKind
    train: str | None = None
    player: str | None = None
    place: tuple[int, int] | None = None
    """In mm."""
    about: str = ""
    """The tiles read, the round's number, the count, whose seat it is (SEATS), or the words of the layout (TABLE)."""

    @classmethod
    def of(cls, reason: str) -> Question:
        """The question of a journal's reason. Any other text is the layout's."""
        kind, colon, rest = reason.partition(": ")
        known = kind in set(QuestionKind) and kind != QuestionKind.TABLE
        if not known or bool(colon) != bool(rest):
            return cls.of_table(reason)
        match asked := QuestionKind(kind):
            case QuestionKind.UNREADABLE_TILE:
                return cls(asked, train=rest or None)
            case QuestionKind.SEATS:
                player, _comma, other = rest.partition(", ")
                return cls(asked, player=player, about=other)
            case _ if asked in OF_A_HAND or asked is QuestionKind.MARKER:
                return cls(asked, player=rest or None)
        return cls(asked, about=rest)

    @classmethod
    def of_table(cls, codes: str) -> Question:
        """Something on the table is not understood: `codes` are the codes of the trouble, with their places in mm."""
        found = PLACE.search(codes)
        return cls(QuestionKind.TABLE, place=None if found is None else (int(found[1]), int(found[2])), about=codes)

    @property
    def reason(self) -> str:
        """The text that a journal holds."""
        if self.kind is QuestionKind.TABLE:
            return self.about
        if self.kind is QuestionKind.SEATS:
            return f"{self.kind}: {self.player}, {self.about}"
        rest = self.train or self.player or self.about
        return f"{self.kind}: {rest}" if rest else str(self.kind)

    def __str__(self) -> str:
        return self.reason

    @property
    def round(self) -> int | None:
        """The number of the round that a question of rounds is about."""
        return int(self.about) if self.about.isdigit() and self.kind in ROUNDS else None

    @property
    def troubles(self) -> tuple[str, ...]:
        """The codes of what the layout found wrong, each once."""
        return tuple(dict.fromkeys(TROUBLE_CODE.findall(self.about))) if self.kind is QuestionKind.TABLE else ()

    @property
    def same(self) -> object:
        """Equal for two questions that ask the same about two places."""
        return self.troubles or self.reason


LINES_VERSION = 1
"""The version of the header and the events, as they are printed, sent and read."""

JOURNAL_VERSION = 3
"""The version of a journal on the disk. It holds facts alone; versions 1 and 2 also held conclusions."""

RESERVED_NAMES = frozenset({"MX", "MX2"})
"""Names of trains that belong to nobody."""

LONGEST_NAME = 60
_SET = re.compile(r"double-([1-9]|1[0-8])|chinese")
_FIELDS = frozenset({"rules", "set", "players", "options"})

MOST_COLOURS = 12

JOINERS = "\u200c\u200d"
"""Signs that keyboards type inside words (Bengali, Persian) and between the people of one sign."""


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
    if not 2 <= len(players) <= MOST_PLAYERS:
        raise RecordError(f"expected 2 to {MOST_PLAYERS}, not {len(players)}")
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
        "maxItems": MOST_PLAYERS,
        "uniqueItems": True,
    },
    list,
)


@dataclass(frozen=True, slots=True)
class Brought(Record):
    """The state that a match carries over when its players change: its rounds, their points, who went home, and who
    starts the next round."""

    rounds: int = 0
    totals: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[str, int] = field(default_factory=dict)
    starter: str = ""


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

    >>> header = Header.from_json({"rules": "tactic", "set": "double-9", "players": ["Ann", "Ben"]})
    >>> header.set_max, header.brought
    (9, {'Ann': 0, 'Ben': 0})
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
        """Players who went home earlier in this match, with their points."""
        gone = self.extra.get("brought", {}).get("left", {})
        return {player: points for player, points in gone.items() if player not in self.players}

    @property
    def starter(self) -> str | None:
        """The player whom the match that this game goes on with named to start the next round."""
        named = self.extra.get("brought", {}).get("starter")
        return named if named in self.players else None

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
        line: dict[str, Any] = {"journal": LINES_VERSION, **Record.to_json(self)}
        extra: dict[str, Any] = line.pop("extra", {})
        return line | extra

    @classmethod
    def from_json(cls, line: Any) -> Header:
        """The header of a journal or a set-up file. Raises RecordError naming the field."""
        if not isinstance(line, dict):
            raise RecordError(f"header: expected an object, not {shown(line)}")
        if "journal" not in line and "event" in line:
            raise RecordError('header: missing; the first line must hold {"journal": 3, ...}')
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
