"""What happened at the table, one value for each thing, in the past tense: the words of the journal.

A game is a header and a row of events; their JSON forms are the lines of a journal file (docs/api.md, "The
journal"). Reading checks every field and says which one is wrong; it does not judge the game. Fields that the
contract does not name are optional, and left out of the line while they say nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar

from companion.log.event_fields import (
    Candidate,
    Certainty,
    Codec,
    EventError,
    Finding,
    codec_of,
    read_number,
    read_text,
    shown,
)
from companion.log.header import Header as Header
from companion.log.question import Question
from companion.rules.tile import Laid, Tile

SOURCES = ("camera", "person", "rule")
"""Who says so: the camera saw it, a person said it, or it follows from the rules."""

ROUND_ENDS = ("out", "blocked_proved", "blocked_declared", "abandoned")


@dataclass(frozen=True, slots=True)
class Event:
    """What every event carries. `seq` 0 and `at` "" mean "not in a journal yet"; `at` is UTC, ISO 8601.

    `frame` names the picture that shows it, a file beside the journal; `author` who entered what a person says: the
    name under which a phone is signed in, or one of log.author's. `piece` is what it is called in the evidence of a
    watched round (game.watched_round): what is believed of that piece now counts, not what its line said at first.
    `turn`: in which turn of its player in this round (from 1) it was tapped, by the phone's screen.
    """

    KIND: ClassVar[str] = ""
    ALWAYS: ClassVar[frozenset[str]] = frozenset()
    """Fields with a default that stand in every line all the same."""

    seq: int = 0
    at: str = ""
    source: str = "person"
    frame: str | None = None
    author: str | None = None
    piece: int | None = None
    turn: int | None = None

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
        if self.frame is not None:
            line["frame"] = self.frame
        if self.author is not None:
            line["author"] = self.author
        if self.piece is not None:
            line["piece"] = self.piece
        if self.turn is not None:
            line["turn"] = self.turn
        for name, default, codec in OWN_FIELDS[self.KIND]:
            value = getattr(self, name)
            if default is MISSING or name in self.ALWAYS or value != default:
                line[name] = codec.write(value)
        return line

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
    round: int
    engine: Laid | None
    starter: str | None
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
    ALWAYS = frozenset({"violations"})
    by: str | None
    tile: Laid
    train: str
    violations: tuple[Finding, ...] = ()
    maybe: tuple[str, ...] = ()
    reading: Certainty | None = None
    arm: str | None = None
    outer_only: bool = False
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TileTakenBack(Event):
    """A tile that had been laid was taken away again; `undoes` is the seq of its tile_played where that is known."""

    KIND = "tile_taken_back"
    by: str | None
    tile: Laid
    train: str
    undoes: int | None = None
    violations: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Drew(Event):
    """A tile was drawn from the boneyard; `tile` only where hands lie open."""

    KIND = "drew"
    by: str | None
    tile: Tile | None = None
    violations: tuple[Finding, ...] = ()
    maybe: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed(Event):
    """A player ended a turn that the rules do not call complete.

    `done`: the player says that their own turn is over, and not that no tile was laid in it.
    """

    KIND = "passed"
    by: str | None
    violations: tuple[Finding, ...] = ()
    maybe: tuple[str, ...] = ()
    done: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Discarded(Event):
    """A Chinese tile was put away, face down unless `face_up`; `tile` once it is known."""

    KIND = "discarded"
    by: str | None
    tile: Tile | None = None
    face_up: bool = False
    violations: tuple[Finding, ...] = ()
    maybe: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerPlaced(Event):
    """A marker appeared on the train of player `train`."""

    KIND = "marker_placed"
    by: str | None
    train: str
    violations: tuple[Finding, ...] = ()
    maybe: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerRemoved(Event):
    """The marker vanished from the train of player `train`."""

    KIND = "marker_removed"
    by: str | None
    train: str
    violations: tuple[Finding, ...] = ()
    maybe: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubleFlipped(Event):
    """The double at the end of `train` was turned face down."""

    KIND = "double_flipped"
    by: str | None
    train: str
    violations: tuple[Finding, ...] = ()
    maybe: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced(Event):
    """Something was said aloud: `what` is last_tile, open_end (with `value`) or mexican_train.

    Or somebody says what `by` did not say (no_last_tile, no_open_end), or how many tiles `by` was dealt (dealt, with
    `value`).
    """

    KIND = "announced"
    by: str | None
    what: str = "last_tile"
    value: int | None = None
    violations: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HandShown(Event):
    """A player laid open what was left; empty for the one who went out.

    In the Chinese games `discards` are the face-down tiles; `in_order`: in the order in which they were put away.
    """

    KIND = "hand_shown"
    by: str
    tiles: tuple[Tile, ...]
    discards: tuple[Tile, ...] = ()
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
    corrects: int
    what: Mapping[str, Any]
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnded(Event):
    """The round is over; `how` is one of ROUND_ENDS, `out` who laid the last tile.

    `settled`, of a round that the camera watched: line -> how it reads by now, where that is otherwise than it was
    written, as a correction's `what`. It is for whoever reads the lines alone, and comes out of the evidence as well.
    """

    KIND = "round_ended"
    how: str
    out: str | None = None
    violations: tuple[Finding, ...] = ()
    settled: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundScored(Event):
    """The round's points and the totals after it; what comes next, while there is a next round. `settled` as in
    RoundEnded."""

    KIND = "round_scored"
    scores: Mapping[str, int]
    totals: Mapping[str, int]
    next_engine: Laid | None = None
    next_starter: str | None = None
    violations: tuple[Finding, ...] = ()
    settled: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded(Event):
    """The match is over; more than one winner when the win is shared."""

    KIND = "match_ended"
    ALWAYS = frozenset({"winners", "totals"})
    winners: tuple[str, ...] = ()
    totals: Mapping[str, int] | None = None


EVENT_TYPES: Mapping[str, type[Event]] = {
    kind.KIND: kind
    for kind in (
        RoundStarted, TilePlayed, TileTakenBack, Drew, Passed, Discarded, MarkerPlaced, MarkerRemoved, DoubleFlipped,
        Announced, HandShown, Unclear, Corrected, RoundEnded, RoundScored, MatchEnded,
    )
}  # fmt: skip

COMMON = frozenset(own.name for own in fields(Event))

OWN_FIELDS: Mapping[str, tuple[tuple[str, Any, Codec], ...]] = {
    name: tuple((own.name, own.default, codec_of(name, own.name)) for own in fields(kind) if own.name not in COMMON)
    for name, kind in EVENT_TYPES.items()
}
"""Each kind's own fields: name, default (MISSING where the line must hold one), and how it is read and written."""


def event_from_json(line: Any) -> Event:
    """One line of a journal as an event. Raises EventError naming the seq and the field; unknown fields are left out.

    Fields that a later version adds must not make an old game unreadable, so only what is known is checked.
    """
    if not isinstance(line, dict):
        raise EventError(f"expected an object with an event, not {shown(line)}")
    seq = line.get("seq", 0)
    if not isinstance(seq, int) or isinstance(seq, bool) or seq < 0:
        raise EventError(f"seq: expected 1, 2, 3 ..., not {shown(seq)}")
    try:
        return _read(line, seq)
    except EventError as error:
        raise EventError(f"seq {seq}: {error}" if seq else str(error)) from None


def _read(line: dict[str, Any], seq: int) -> Event:
    name = line.get("event")
    kind = EVENT_TYPES.get(name) if isinstance(name, str) else None
    if kind is None:
        raise EventError(f"event: expected one of {', '.join(EVENT_TYPES)}, not {shown(name)}")
    source = line.get("source", "person")
    if source not in SOURCES:
        raise EventError(f"source: expected camera, person or rule, not {shown(source)}")
    values: dict[str, Any] = {"seq": seq, "source": source, "at": read_text(line.get("at", ""), "at")}
    if line.get("frame") is not None:
        values["frame"] = read_text(line["frame"], "frame")
    if line.get("author") is not None:
        values["author"] = read_text(line["author"], "author")
    if line.get("piece") is not None:
        values["piece"] = read_number(line["piece"], "piece")
    if line.get("turn") is not None:
        values["turn"] = read_number(line["turn"], "turn")
    if "train" not in line and kind in (MarkerPlaced, MarkerRemoved):
        line = {**line, "train": line.get("by")}
    for own, default, codec in OWN_FIELDS[kind.KIND]:
        if own in line:
            values[own] = codec.read(line[own], own)
        elif default is MISSING:
            needs = ", ".join(must for must, otherwise, _ in OWN_FIELDS[kind.KIND] if otherwise is MISSING)
            raise EventError(f"{own}: missing; {kind.KIND} needs {needs}")
    event = kind(**values)
    if isinstance(event, RoundEnded) and event.how not in ROUND_ENDS:
        raise EventError(f"how: expected one of {', '.join(ROUND_ENDS)}, not {shown(event.how)}")
    return event
