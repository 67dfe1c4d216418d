"""What happened at the table, one value for each thing, in the past tense: the words of the journal.

A game is a header and a row of events; their JSON forms are the lines of a journal file (docs/api.md, "The
journal"). Reading checks every field and says which one is wrong; it does not judge the game. Fields that the
contract does not name are optional, and left out of the line while they say nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar

from companion.log.event_fields import Candidate, Certainty, Finding, LaidPips, TilePips
from companion.log.header import Header as Header
from companion.log.question import Question
from companion.storage.records import Count, Name, Plain, Record, RecordError, Written, number, one_of, shown, unlike

SOURCES = ("camera", "person", "rule")
"""Who says so: the camera saw it, a person said it, or it follows from the rules."""

ROUND_ENDS = ("out", "blocked_proved", "blocked_declared", "abandoned")


@dataclass(frozen=True, slots=True)
class Event(Record):
    """What every event carries. `seq` 0 and `at` "" mean "not in a journal yet"; `at` is UTC, ISO 8601.

    `frame` names the picture that shows it, a file beside the journal; `author` who entered what a person says: the
    name under which a phone is signed in, or one of log.author's. `piece` is what it is called in the evidence of a
    watched round (game.watched_round): what is believed of that piece now counts, not what its line said at first.
    `turn`: in which turn of its player in this round (from 1) it was tapped, by the phone's screen.
    """

    KIND: ClassVar[str] = ""

    seq: Annotated[int, number(0), "1, 2, 3 ... without a gap."] = 0
    at: Annotated[str, "UTC, ISO 8601."] = ""
    source: Annotated[str, one_of(*SOURCES)] = "person"
    frame: Annotated[str | None, "The picture that shows it, a file beside the journal."] = None
    author: str | None = None
    piece: Annotated[int | None, "What it is called in the evidence of a watched round."] = None
    turn: Annotated[int | None, "In which turn of its player it was tapped, from 1."] = None

    @property
    def who(self) -> str | None:
        """Who did it; None where nobody can be named, or where it is nobody's act."""
        by: str | None = getattr(self, "by", None)
        return by

    @property
    def perhaps(self) -> tuple[str, ...]:
        """Who it may have been, the likeliest first, where that is open."""
        maybe: tuple[str, ...] = getattr(self, "maybe", ())
        return maybe

    def to_json(self) -> dict[str, Any]:
        """The event as a line of the journal holds it: JSON types only, the contract's field names."""
        line: dict[str, Any] = {"seq": self.seq, "at": self.at, "source": self.source, "event": self.KIND}
        return line | Record.to_json(self)

    def to_insert(self) -> dict[str, Any]:
        """The event as a correction puts it in: the same line without its number and time."""
        line = self.to_json()
        del line["seq"], line["at"]
        line.pop("author", None)
        line.pop("piece", None)
        return line


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStarted(Event):
    """A round was dealt. `engine` is None in the Chinese games; `starter` None while nobody was named.

    `draws_seen` False: the boneyard lies stacked or out of sight, so its count is not evidence (`boneyard: null`).
    """

    KIND = "round_started"
    round: Count
    engine: LaidPips | None
    starter: Name | None
    draws_seen: bool = True
    violations: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TilePlayed(Event):
    """A tile was laid; `tile` with the inner end first, `train` a player's name, MX, MX2, or R and L of a line.

    `by` is None while nobody can be named; `maybe` then holds who it may have been, the likeliest first. `reading` is
    how surely the camera read it, `arm` from whose seat the arm clearly came that laid it. `outer_only`: people named
    the outer half alone, and the inner one follows from the order of acts. `end`: the train's end for which it was
    tapped."""

    KIND = "tile_played"
    ALWAYS: ClassVar[frozenset[str]] = frozenset({"violations"})
    by: Name | None
    tile: LaidPips
    train: Name
    violations: tuple[Finding, ...] = ()
    maybe: tuple[Name, ...] = ()
    reading: Annotated[Certainty, Written(Certainty.rounded)] | None = None
    arm: Name | None = None
    outer_only: bool = False
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TileTakenBack(Event):
    """A tile that had been laid was taken away again; `undoes` is the seq of its tile_played where that is known."""

    KIND = "tile_taken_back"
    by: Name | None
    tile: LaidPips
    train: Name
    undoes: int | None = None
    violations: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Drew(Event):
    """A tile was drawn from the boneyard; `tile` only where hands lie open."""

    KIND = "drew"
    by: Name | None
    tile: TilePips | None = None
    violations: tuple[Finding, ...] = ()
    maybe: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed(Event):
    """A player ended a turn that the rules do not call complete.

    `done`: the player says that their own turn is over, and not that no tile was laid in it.
    """

    KIND = "passed"
    by: Name | None
    violations: tuple[Finding, ...] = ()
    maybe: tuple[Name, ...] = ()
    done: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Discarded(Event):
    """A Chinese tile was put away, face down unless `face_up`; `tile` once it is known."""

    KIND = "discarded"
    by: Name | None
    tile: TilePips | None = None
    face_up: bool = False
    violations: tuple[Finding, ...] = ()
    maybe: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerPlaced(Event):
    """A marker appeared on the train of player `train`."""

    KIND = "marker_placed"
    by: Name | None
    train: Name
    violations: tuple[Finding, ...] = ()
    maybe: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerRemoved(Event):
    """The marker vanished from the train of player `train`."""

    KIND = "marker_removed"
    by: Name | None
    train: Name
    violations: tuple[Finding, ...] = ()
    maybe: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubleFlipped(Event):
    """The double at the end of `train` was turned face down."""

    KIND = "double_flipped"
    by: Name | None
    train: Name
    violations: tuple[Finding, ...] = ()
    maybe: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced(Event):
    """Something was said aloud: `what` is last_tile, open_end (with `value`) or mexican_train.

    Or somebody says what `by` did not say (no_last_tile, no_open_end), or how many tiles `by` was dealt (dealt, with
    `value`).
    """

    KIND = "announced"
    by: Name | None
    what: Name = "last_tile"
    value: int | None = None
    violations: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HandShown(Event):
    """A player laid open what was left; empty for the one who went out.

    In the Chinese games `discards` are the face-down tiles; `in_order`: in the order in which they were put away.
    """

    KIND = "hand_shown"
    by: Name
    tiles: tuple[TilePips, ...]
    discards: tuple[TilePips, ...] = ()
    in_order: bool = False
    violations: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear(Event):
    """Something changed that has no single explanation, or could not be read. A person is asked, nobody is accused.

    `about` is the line of the tap that does not fit, where that is asked.
    """

    KIND = "unclear"
    reason: str
    candidates: tuple[Candidate, ...] = ()
    about: int | None = None

    @property
    def question(self) -> Question:
        return Question.of(self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(Event):
    """The event with seq `corrects` is to be read otherwise from now on; that line itself stays as it is.

    `what` holds the change: new values of single fields (`tile`, `train`, `by`, ...), `withdrawn: true`,
    `insert: [event, ...]` (put in before it; `after: true` behind it), `answer: n` (the candidate of an unclear
    event that was meant; null for none of them), `overruled: true` (the table agreed otherwise),
    `violations: [...]` (source rule: what the ruling reads now). `by` is who said so.
    """

    KIND = "corrected"
    corrects: Count
    what: Plain
    by: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnded(Event):
    """The round is over; `how` is one of ROUND_ENDS, `out` who laid the last tile.

    `settled`, of a round that the camera watched: line -> how it reads by now, where that is otherwise than it was
    written, as a correction's `what`. It is for whoever reads the lines alone, and comes out of the evidence as well.
    """

    KIND = "round_ended"
    how: Annotated[str, one_of(*ROUND_ENDS)]
    out: Name | None = None
    violations: tuple[Finding, ...] = ()
    settled: Plain | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundScored(Event):
    """The round's points and the totals after it; what comes next, while there is a next round. `settled` as in
    RoundEnded."""

    KIND = "round_scored"
    scores: Mapping[str, int]
    totals: Mapping[str, int]
    next_engine: LaidPips | None = None
    next_starter: Name | None = None
    violations: tuple[Finding, ...] = ()
    settled: Plain | None = None


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
        Announced, HandShown, Unclear, Corrected, RoundEnded, RoundScored, MatchEnded,
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
