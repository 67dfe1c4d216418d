"""The events of a game, in the past tense: the words of the journal.

A game is a header and a row of events; their JSON forms are the lines of a journal file (docs/api.md, "The
journal"). Reading checks every field and says which one is wrong; it does not judge the game. Fields that the
contract does not name are optional, and left out of the line while they say nothing.

Evidence: one change of the table between two still pictures, as the camera reports it, and as a journal keeps it.

The lines of a journal as JSON Schema, by the types that read them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any, ClassVar, Self

from companion.log.event_fields import (
    JOURNAL_VERSION,
    LINES_VERSION,
    Candidate,
    Confidence,
    Finding,
    Header,
    LaidPips,
    Question,
    TilePips,
)
from companion.rules.notation import Change, NotationError, Vanishing, parse_change, print_change
from companion.rules.position import Play
from companion.storage.records import (
    INLINE,
    Count,
    Form,
    Name,
    Plain,
    Record,
    RecordError,
    Written,
    number,
    one_of,
    record,
    shown,
    unlike,
)

SOURCES = ("camera", "person", "rule")
"""The camera saw it, a person said it, or it follows from the rules."""

ROUND_ENDS = ("out", "blocked_proved", "blocked_declared", "abandoned")

CONCLUDED: dict[str, Any] = {"violations": ()}
CONCLUDED_OF_A_PIECE: dict[str, Any] = {**CONCLUDED, "by": None, "maybe": ()}
CONCLUDED_BY_THE_RULES: Mapping[str, dict[str, Any]] = {
    "round_scored": {"scores": {}, "totals": {}, "next_engine": None, "next_starter": None},
    "match_ended": {"winners": (), "totals": None},
}
"""Fields that no journal holds, with what stands for nothing there."""


@dataclass(frozen=True, slots=True)
class Event(Record):
    """Fields of every event.

    >>> drew = Drew(seq=3, by="Ann", at="2026-11-20T18:00:06.000Z")
    >>> drew.who, drew.to_json()
    ('Ann', {'seq': 3, 'at': '2026-11-20T18:00:06.000Z', 'source': 'person', 'event': 'drew', 'by': 'Ann'})
    >>> event_from_json(drew.to_json()) == drew
    True
    """

    KIND: ClassVar[str] = ""

    seq: Annotated[int, number(0), "1, 2, 3 ... without a gap; 0: not in a journal yet."] = 0
    at: Annotated[str, "UTC, ISO 8601; empty: not in a journal yet."] = ""
    source: Annotated[str, one_of(*SOURCES)] = "person"
    frame: Annotated[str | None, "The picture that shows it, a file beside the journal."] = None
    author: Annotated[str | None, "Who entered what a person says: a signed-in phone's name, or a device."] = None
    piece: Annotated[int | None, "Its name in the evidence of a watched round; what is believed of it counts."] = None
    turn: Annotated[int | None, "In which turn of its player it was tapped, from 1."] = None

    @property
    def who(self) -> str | None:
        """The player who did it; None where nobody can be named, or where it is nobody's act."""
        by: str | None = getattr(self, "by", None)
        return by

    @property
    def perhaps(self) -> tuple[str, ...]:
        """Players who may have done it, the likeliest first, where that is open."""
        maybe: tuple[str, ...] = getattr(self, "maybe", ())
        return maybe

    def to_json(self) -> dict[str, Any]:
        """The event as a line of the journal holds it: JSON types only, the contract's field names."""
        line: dict[str, Any] = {"seq": self.seq, "at": self.at, "source": self.source, "event": self.KIND}
        return line | Record.to_json(self)

    def fact(self) -> Self:
        """The part of it that a journal holds: what was seen or said. Conclusions are worked out anew."""
        seen = self.piece is not None and hasattr(self, "maybe")
        concluded: dict[str, Any] = CONCLUDED_OF_A_PIECE if seen else CONCLUDED
        if self.source == "rule" or self.KIND == "match_ended":
            concluded = {**concluded, **CONCLUDED_BY_THE_RULES.get(self.KIND, {})}
        there = {name: none for name, none in concluded.items() if getattr(self, name, none) != none}
        return replace(self, **there) if there else self

    def to_fact(self) -> dict[str, Any]:
        """The same as a line of a journal's file."""
        line = self.fact().to_json()
        line.pop("violations", None)
        return line

    def to_insert(self) -> dict[str, Any]:
        """The event as a correction puts it in: the same line without its number and time."""
        line = self.to_json()
        for name in ("seq", "at", "author", "piece", "violations"):
            line.pop(name, None)
        return line


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStarted(Event):
    """A round was dealt."""

    KIND = "round_started"
    round: Count
    engine: Annotated[LaidPips | None, "null in the Chinese games."]
    starter: Annotated[Name | None, "null while nobody was named."]
    draws_seen: Annotated[bool, "false: the boneyard lies stacked or out of sight, so its count is no evidence."] = True
    violations: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TilePlayed(Event):
    """A tile was laid."""

    KIND = "tile_played"
    ALWAYS: ClassVar[frozenset[str]] = frozenset({"violations"})
    by: Annotated[Name | None, "null while nobody can be named."]
    tile: Annotated[LaidPips, "The inner end first."]
    train: Annotated[Name, "A player's name, MX or MX2; R or L of a line."]
    violations: tuple[Finding, ...] = ()
    maybe: Annotated[tuple[Name, ...], "Who may have laid it where `by` is null, the likeliest first."] = ()
    reading: Annotated[Confidence, Written(Confidence.rounded)] | None = None
    arm: Annotated[Name | None, "The player from whose seat the arm that laid it clearly came."] = None
    outer_only: Annotated[bool, "People named the outer half alone; the order of acts tells the inner one."] = False
    end: Annotated[int | None, "The value of the train's end for which it was tapped."] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TileTakenBack(Event):
    """A tile that had been laid was taken away again."""

    KIND = "tile_taken_back"
    by: Name | None
    tile: LaidPips
    train: Name
    undoes: Annotated[int | None, "The seq of its tile_played, where that is known."] = None
    violations: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Drew(Event):
    """A tile was drawn from the boneyard."""

    KIND = "drew"
    by: Name | None
    tile: Annotated[TilePips | None, "Only where hands lie open."] = None
    violations: tuple[Finding, ...] = ()
    maybe: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed(Event):
    """A player ended a turn that the rules do not call complete."""

    KIND = "passed"
    by: Name | None
    violations: tuple[Finding, ...] = ()
    maybe: tuple[Name, ...] = ()
    done: Annotated[bool, "The player says that their own turn is over, and not that no tile was laid in it."] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Discarded(Event):
    """A Chinese tile was put away."""

    KIND = "discarded"
    by: Name | None
    tile: Annotated[TilePips | None, "Once it is known."] = None
    face_up: bool = False
    violations: tuple[Finding, ...] = ()
    maybe: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerPlaced(Event):
    """A marker appeared on a train."""

    KIND = "marker_placed"
    by: Name | None
    train: Annotated[Name, "The player whose train it is."]
    violations: tuple[Finding, ...] = ()
    maybe: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerRemoved(Event):
    """The marker vanished from a train."""

    KIND = "marker_removed"
    by: Name | None
    train: Annotated[Name, "The player whose train it is."]
    violations: tuple[Finding, ...] = ()
    maybe: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubleFlipped(Event):
    """The double at the end of a train was turned face down."""

    KIND = "double_flipped"
    by: Name | None
    train: Name
    violations: tuple[Finding, ...] = ()
    maybe: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced(Event):
    """Something was said aloud; or somebody says what a player did not say, or how many tiles they were dealt."""

    KIND = "announced"
    by: Name | None
    what: Annotated[Name, "last_tile, open_end or mexican_train; no_last_tile or no_open_end; dealt."] = "last_tile"
    value: Annotated[int | None, "The end that was named, or how many tiles were dealt."] = None
    violations: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLeft(Event):
    """A player went away in the middle of the round; the hand lies aside, and the others play on."""

    KIND = "player_left"
    by: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class HandShown(Event):
    """A player laid open what was left."""

    KIND = "hand_shown"
    by: Name
    tiles: Annotated[tuple[TilePips, ...], "Empty for the one who went out."]
    discards: Annotated[tuple[TilePips, ...], "The face-down tiles of the Chinese games."] = ()
    in_order: Annotated[bool, "They are in the order in which they were put away."] = False
    violations: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear(Event):
    """Something changed that has no single explanation, or could not be read. A person is asked, nobody is accused.

    >>> Unclear(reason="unreadable_tile: Ann").question.train
    'Ann'
    """

    KIND = "unclear"
    reason: str
    candidates: tuple[Candidate, ...] = ()
    about: Annotated[int | None, "The line of the tap that does not fit, where that is asked."] = None

    @property
    def question(self) -> Question:
        return Question.of(self.reason)

    @property
    def on_record(self) -> int | None:
        """The line of the tile that is on record and was not read, where that is asked."""
        lines = (line for one in self.candidates for line in one.events if "tile" in line and "event" not in line)
        return next((int(line["seq"]) for line in lines), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(Event):
    """The event with seq `corrects` is to be read otherwise from now on; that line itself stays as it is.

    `by` is who said so. `what` holds the change:

    - a field's name (`tile`, `train`, `by`, ...): its new value.
    - `withdrawn: true`: it did not happen.
    - `insert: [event]`: put in before it; with `after: true` behind it.
    - `answer: n`: the candidate of an unclear event that was meant; null for none of them.
    - `order: [n, ...]`: the lines of acts in the order in which they happened.
    - `so: true`: it was really so.
    - `overruled: true`: the table agreed otherwise.
    - `answers: n`: the question to which this belongs.
    - `note`: why.

    A journal holds what people and the camera put right. Where an event only reads otherwise by now, that is told and
    not written. `source` is rule or camera then, and `seq` the last line. `what` may also hold `violations` and
    `retracts`: findings that stood for certain and no longer do, `because` of what the camera saw or a person entered.
    """

    KIND = "corrected"
    corrects: Count
    what: Plain
    by: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnded(Event):
    """The round is over."""

    KIND = "round_ended"
    how: Annotated[str, one_of(*ROUND_ENDS)]
    out: Annotated[Name | None, "Who laid the last tile."] = None
    violations: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundScored(Event):
    """The round's points and the totals after it; what comes next, while there is a next round."""

    KIND = "round_scored"
    scores: Mapping[str, int] = field(default_factory=dict)
    totals: Mapping[str, int] = field(default_factory=dict)
    next_engine: LaidPips | None = None
    next_starter: Name | None = None
    violations: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded(Event):
    """The match is over; more than one winner when the win is shared."""

    KIND = "match_ended"
    ALWAYS: ClassVar[frozenset[str]] = frozenset({"winners", "totals"})
    winners: tuple[Name, ...] = ()
    totals: Mapping[str, int] | None = None


EVENT_TYPES: Mapping[str, type[Event]] = {
    kind.KIND: kind
    for kind in (
        RoundStarted, TilePlayed, TileTakenBack, Drew, Passed, Discarded, MarkerPlaced, MarkerRemoved, DoubleFlipped,
        Announced, PlayerLeft, HandShown, Unclear, Corrected, RoundEnded, RoundScored, MatchEnded,
    )
}  # fmt: skip

COMMON = frozenset(own.name for own in fields(Event))

OWN_FIELDS: Mapping[str, tuple[str, ...]] = {
    name: tuple(own.name for own in fields(kind) if own.name not in COMMON) for name, kind in EVENT_TYPES.items()
}
"""The fields of each kind that not all events have."""


def event_from_json(line: Any) -> Event:
    """One line of a journal as an event. Raises EventError naming the seq and the field; unknown fields are left out.

    Fields that a later version adds must not make an old game unreadable, so only what is known is checked.
    """
    if not isinstance(line, dict):
        raise unlike("an object with an event", line)
    name, seq = line.get("event"), line.get("seq", 0)
    kind = EVENT_TYPES.get(name) if isinstance(name, str) else None
    if kind in (MarkerPlaced, MarkerRemoved) and "train" not in line:
        line = {**line, "train": line.get("by")}
    try:
        if kind is None:
            raise RecordError(f"expected one of {', '.join(EVENT_TYPES)}, not {shown(name)}", where="event")
        return kind.from_json(line)
    except RecordError as error:
        raise RecordError(f"seq {seq}: {error}") if type(seq) is int and seq > 0 else error from None


def _read_change(text: Any) -> Change:
    try:
        return parse_change(text)
    except NotationError as error:
        raise RecordError(str(error)) from None


def _read_laying(text: Any) -> Play:
    change = _read_change(text)
    if not isinstance(change, Play):
        raise unlike("a laid tile such as '+5-7@Ann'", text)
    return change


CHANGE = Form(_read_change, {"type": "string"}, print_change)
WrittenChange = Annotated[Change, CHANGE]
"""In notation: `+5-7@Ann`."""
LAYING = Form(_read_laying, CHANGE.schema, print_change)


@dataclass(frozen=True, slots=True)
class TableChange(Record):
    """One change of the table, as the camera saw it.

    >>> from companion.rules import Laid
    >>> change = TableChange((Play(Laid(12, 5), "Ann"), Play(Laid(5, 4), "Ann")))
    >>> [one.tile.outer for one in change.laid], change.gone, change.empty
    ([5, 4], (), False)
    """

    ALWAYS: ClassVar[frozenset[str]] = frozenset({"delta"})

    delta: Annotated[tuple[WrittenChange, ...], "What the referee sees; tiles of one train from the inside out."] = ()
    frame: Annotated[str | None, "The picture's name."] = None
    faces: Annotated[Mapping[str, tuple[TilePips, ...]], "Discards that lie face up."] = field(default_factory=dict)
    flips: Annotated[tuple[Name, ...], "Trains whose double was turned face down."] = ()
    discards: Annotated[Mapping[str, Count], "Chinese tiles put away, by player."] = field(default_factory=dict)
    returned: Annotated[int, number(0), "Tiles drawn where some were taken back; they lie in the boneyard again."] = 0
    clouded: Annotated[bool, "Part of the table is not understood: what looks like a fault may be none."] = False
    guessed: Annotated[bool, "A tile on record next to the ones now laid was not surely read."] = False
    adopted: Annotated[bool, "It was not all seen to come, or what came after it is on record already."] = False
    two_mexican: Annotated[bool, "Two trains lie where no player without a train may still begin one."] = False
    stray: Annotated[tuple[Name, ...], "Trains that begin here where no seat is; they may be nobody's."] = ()
    again: Annotated[tuple[str, ...], "Why the game asked for another look before; nothing rests on it."] = ()
    readings: Mapping[Annotated[Play, LAYING], Confidence] = field(default_factory=dict)
    arms: Annotated[
        Mapping[WrittenChange, Mapping[str, int]],
        "Player -> decibans of its being their arm, 0 the likeliest; without one, no arm was seen clearly.",
    ] = field(default_factory=dict)
    whose: Annotated[Mapping[WrittenChange, Name], "The player whose arm it clearly was."] = field(default_factory=dict)

    @property
    def gone(self) -> tuple[Vanishing, ...]:
        return tuple(change for change in self.delta if isinstance(change, Vanishing))

    @property
    def laid(self) -> tuple[Play, ...]:
        return tuple(change for change in self.delta if isinstance(change, Play))

    @property
    def empty(self) -> bool:
        return not (self.delta or self.flips or self.discards)


@dataclass(frozen=True, slots=True)
class SeenLine(Record):
    """A change the camera saw, before the events that it brought: this line's number among its like, the event after
    which it was written, and when.

    >>> from companion.rules import Laid
    >>> look = SeenLine(1, 2, "2026-11-20T18:00:06.000Z", TableChange((Play(Laid(12, 5), "Ann"),)))
    >>> look.to_json()["after"], SeenLine.from_json(look.to_json()) == look
    (2, True)
    """

    ALWAYS: ClassVar[frozenset[str]] = frozenset({"at"})

    seen: Count
    after: Annotated[int, number(0)]
    at: str = ""
    change: Annotated[TableChange, INLINE] = TableChange()

    @classmethod
    def from_json(cls, line: Any) -> SeenLine:
        """Raises RecordError naming the line and the field."""
        try:
            seen: SeenLine = record(cls).read(line)
        except RecordError as error:
            number = line.get("seen")
            raise RecordError(f"seen {number}: {error}") if type(number) is int and number > 0 else error from None
        return seen


def is_evidence(line: object) -> bool:
    """Whether a journal's line, parsed, says what the camera saw, and is no event."""
    return isinstance(line, dict) and "seen" in line and "event" not in line


DRAFT = "https://json-schema.org/draft/2020-12/schema"

EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "round_started": {"round": 1, "engine": [12, 12], "starter": "Ann"},
    "tile_played": {"by": "Ann", "tile": [12, 5], "train": "Ann", "violations": []},
    "tile_taken_back": {"by": "Ann", "tile": [12, 5], "train": "Ann", "undoes": 2},
    "drew": {"by": "Ben"},
    "passed": {"by": "Ben", "done": True},
    "discarded": {"by": "Ben", "tile": [4, 4], "face_up": True},
    "marker_placed": {"by": "Ben", "train": "Ben"},
    "marker_removed": {"by": "Ben", "train": "Ben"},
    "double_flipped": {"by": "Cy", "train": "Cy"},
    "announced": {"by": "Ann", "what": "open_end", "value": 5},
    "player_left": {"by": "Cy"},
    "hand_shown": {"by": "Cy", "tiles": [[0, 1], [3, 3]]},
    "unclear": {"reason": "unreadable_tile: Ann", "candidates": [{"story": "+12-5@Ann", "events": [], "p": 0.5}]},
    "corrected": {"corrects": 2, "what": {"tile": [12, 6]}, "by": "Ben"},
    "round_ended": {"how": "out", "out": "Ann"},
    "round_scored": {"scores": {"Ann": 0, "Ben": 7}, "totals": {"Ann": 12, "Ben": 7}, "next_engine": [11, 11]},
    "match_ended": {"winners": ["Ann"], "totals": {"Ann": 12, "Ben": 47}},
}
"""For each kind, the fields that not all lines have."""


def example(kind: str) -> dict[str, Any]:
    """A whole line of this kind."""
    return {"seq": 1, "at": "2026-11-20T19:00:09.000Z", "source": "person", "event": kind, **EXAMPLES[kind]}


def event_schema(kind: str) -> dict[str, Any]:
    """One kind of event. Fields that are not named are left out when it is read."""
    own = record(EVENT_TYPES[kind]).schema
    # A marker lies on its player's own train where nothing else is said.
    needed = [name for name in own["required"] if name != "train" or not kind.startswith("marker_")]
    return {
        **own,
        "properties": {"event": {"const": kind}, **own["properties"]},
        "required": ["event", *needed],
        "examples": [example(kind)],
    }


def header_schema() -> dict[str, Any]:
    """The first line."""
    own = record(Header).schema
    fields = {name: one for name, one in own["properties"].items() if name != "extra"}
    first = {"journal": 3, "rules": "tactic", "set": "double-12", "players": ["Ann", "Ben", "Cy"], "options": {}}
    return {
        **own,
        "properties": {"journal": {"enum": [LINES_VERSION, JOURNAL_VERSION]}, **fields},
        "examples": [first],
    }


def seen_schema() -> dict[str, Any]:
    """A line of what the camera saw; only files have it."""
    line = {"seen": 1, "after": 1, "at": "2026-11-20T19:00:09.000Z", "delta": ["+12-5@Ann"], "frame": "14.jpg"}
    return {**record(SeenLine).schema, "examples": [line]}


def schema() -> dict[str, Any]:
    """A line of a journal, of `watch --json`, of `replay --json` and of the page's stream: the header or an event."""
    return {
        "$schema": DRAFT,
        "title": "A line of a journal",
        "anyOf": [header_schema(), *({"$ref": f"#/$defs/{kind}"} for kind in EVENT_TYPES), seen_schema()],
        "$defs": {kind: event_schema(kind) for kind in EVENT_TYPES},
    }
