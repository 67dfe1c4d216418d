"""Why a play of a journal is named and ruled as it is: the belief run again over the round, up to a lap later.

The journal's camera events are the evidence, those of one picture together; what people entered is evidence as well,
with a price for its being wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from companion.corrections import Held, held_events
from companion.desk.match import Match
from companion.event_fields import EventError
from companion.events import (
    Discarded,
    DoubleFlipped,
    Drew,
    Event,
    Header,
    MarkerPlaced,
    MarkerRemoved,
    RoundStarted,
    TilePlayed,
)
from companion.journal import JournalError, read_journal
from companion.ruleset import load_ruleset
from companion.tracking.costs import PRIORS, Cause
from companion.tracking.dispute import Alternative, alternatives
from companion.tracking.evidence import ITEMS, Evidence, Piece
from companion.tracking.tracker import RoundTracker
from companion.tracking.verdict import Verdict
from companion.turn import Action, Discard, Draw, Flip, Mark, Play, Unmark


class NoSuchPlayError(Exception):
    """The journal has nothing at this number that anybody can have done."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """The belief about event `seq`: the verdict, and the hypotheses, cheapest first (none where it is settled)."""

    seq: int
    event: Event
    verdict: Verdict
    alternatives: tuple[Alternative, ...]

    def to_json(self) -> dict[str, Any]:
        charges = [
            {"code": one.code, "by": one.by, "certain": one.certain, "p": round(one.p, 4)}
            for one in self.verdict.charges
        ]
        rows = [
            {
                "by": one.player,
                "decibans": one.cost,
                "p": round(one.p, 4),
                "codes": [f"{code} by {player}" for code, player in one.codes],
                "assumes": [str(cause) for cause in one.assumes],
            }
            for one in self.alternatives
        ]
        named = {"by": self.verdict.by, "p": round(self.verdict.p, 4), "maybe": list(self.verdict.maybe)}
        return {"seq": self.seq, **named, "violations": charges, "hypotheses": rows}


def dispute(path: Path, seq: int) -> Dispute:
    """What the belief says of event `seq`. Raises JournalError, RuleSetError, NoSuchPlayError."""
    text = read_journal(path)
    try:
        held = held_events(text.events)
    except EventError as error:
        raise JournalError(path, str(error)) from None
    return dispute_in(text.header, held, seq)


def dispute_in(header: Header, held: Sequence[Held], seq: int) -> Dispute:
    """The same of the events in force of a game."""
    start = max(
        (n for n, one in enumerate(held) if isinstance(one.event, RoundStarted) and one.event.seq <= seq), default=None
    )
    place = next((n for n, one in enumerate(held) if one.event.seq == seq and not one.undone), None)
    if start is None or place is None or act_of(held[place].event) is None:
        raise NoSuchPlayError(f"no. {seq} is no tile, draw, marker or discard that stands in this journal")
    begun = held[start].event
    assert isinstance(begun, RoundStarted)
    rest = [one.event for one in held[start + 1 :] if not one.undone]
    until = next((n for n, event in enumerate(rest) if isinstance(event, RoundStarted)), len(rest))
    tracker = _tracker(header, begun)
    item: int | None = None
    later = 0
    for events in changes(rest[:until]):
        number = tracker.number
        if any(event.seq == seq for event in events):
            item = number * ITEMS + next(n for n, event in enumerate(events) if event.seq == seq)
        tracker.observe(_evidence(number, events, header.players))
        later += item is not None
        if later > len(header.players):
            break
    verdict = next(one for one in tracker.verdicts() if one.item == item)
    assert item is not None
    return Dispute(seq, held[place].event, verdict, tuple(alternatives(tracker.filter, item)))


def _tracker(header: Header, begun: RoundStarted) -> RoundTracker:
    rules = load_ruleset(header.rules, header.options)
    match = Match.of(header, rules)
    starter = begun.starter or match.next_starter
    return RoundTracker(rules, match.table_of(begun, starter), starter, starter_known=begun.starter is not None)


def changes(events: Iterable[Event]) -> Iterator[list[Event]]:
    """What came with one picture is one change of the table; what a person entered is one of its own."""
    acts = [event for event in events if act_of(event) is not None]
    for (camera, _, _), group in groupby(acts, key=_picture):
        row = list(group)
        if camera:
            yield row
        else:
            yield from ([event] for event in row)


def _picture(event: Event) -> tuple[bool, str | None, str | None]:
    camera = event.source == "camera"
    return camera, event.frame if camera else None, event.at if camera and event.frame is None else None


def act_of(event: Event) -> Action | None:
    """What somebody must have done for this event; None where nothing shows it."""
    match event:
        case TilePlayed():
            return Play(event.tile, event.train)
        case Drew():
            return Draw()
        case MarkerPlaced():
            return Mark(event.train)
        case MarkerRemoved():
            return Unmark(event.train)
        case DoubleFlipped():
            return Flip(event.train)
        case Discarded():
            return Discard(event.face_up)
    return None


def _evidence(number: int, events: Sequence[Event], players: Sequence[str]) -> Evidence:
    pieces = []
    for n, event in enumerate(events):
        act = act_of(event)
        assert act is not None
        by: str | None = getattr(event, "by", None)
        reading = getattr(event, "reading", None)
        word = PRIORS[Cause.WRONG_WORD].decibans
        entered = by is not None and event.source == "person"
        actors = {player: word for player in players if player != by} if entered else {}
        owner = by if isinstance(act, Discard) else None
        pieces.append(Piece(number * ITEMS + n, act, None if reading is None else reading.p, actors, owner))
    return Evidence(number, tuple(pieces), frame=events[0].frame)
