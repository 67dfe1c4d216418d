"""Why a play of a journal is named and ruled as it is: the belief run again over the round, up to a lap later.

The evidence is what the journal says that the camera saw, and what people entered, with a price for its being wrong.
Journals of version 1 say nothing of the former; there the camera's events stand for it, those of one picture together.
A round that no camera watched is ruled as it was entered, and so it is explained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.game.belief_input import act_of, remember
from companion.game.evidence_run import EvidenceRun
from companion.log.corrections import EffectiveEvent, effective_events
from companion.log.event_fields import EventError
from companion.log.events import Event, Header, RoundStarted
from companion.log.journal import JournalError, read_journal
from companion.log.table_change import Seen
from companion.play.match import Match
from companion.rules.ruleset import load_ruleset
from companion.tracking.dispute import Alternative, alternatives
from companion.tracking.evidence import ITEMS
from companion.tracking.tracker import RoundTracker
from companion.tracking.verdict import Charge, Verdict


class NoSuchPlayError(Exception):
    """The journal has nothing at this number that anybody can have done."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """The belief about event `seq`: the verdict, and the hypotheses, cheapest first (none where it is settled). In JSON
    a hypothesis has a `tile` where it is another one than was read.

    `again`: why the game asked for another look before it took the change that shows it. `watched` False: it was
    entered in a round that no camera watched, and its ruling is the record's.
    """

    seq: int
    event: Event
    verdict: Verdict
    alternatives: tuple[Alternative, ...]
    again: tuple[str, ...] = ()
    watched: bool = True

    @property
    def rest(self) -> float:
        """The share of all that is not among the hypotheses: they are the likeliest ones only."""
        return max(0.0, 1.0 - sum(one.p for one in self.alternatives)) if self.alternatives else 0.0

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
                **({} if one.tile is None else {"tile": list(one.tile)}),
            }
            for one in self.alternatives
        ]
        named = {"by": self.verdict.by, "p": round(self.verdict.p, 4), "maybe": list(self.verdict.maybe)}
        return {"seq": self.seq, **named, "violations": charges, "hypotheses": rows, "rest": round(self.rest, 4)} | {
            "again": list(self.again)
        }


def dispute(path: Path, seq: int) -> Dispute:
    """What the belief says of event `seq`. Raises JournalError, RuleSetError, NoSuchPlayError."""
    text = read_journal(path)
    try:
        held = effective_events(text.events)
    except EventError as error:
        raise JournalError(path, str(error)) from None
    return dispute_in(text.header, held, text.events, seq, text.seen)


def dispute_in(
    header: Header, held: Sequence[EffectiveEvent], lines: Sequence[Event], seq: int, seen: Sequence[Seen] = ()
) -> Dispute:
    """The same of the events in force of a game, and of what was seen in it."""
    start = max(
        (n for n, one in enumerate(held) if isinstance(one.event, RoundStarted) and one.event.seq <= seq), default=None
    )
    place = next((n for n, one in enumerate(held) if one.event.seq == seq and not one.undone), None)
    if start is None or place is None or act_of(held[place].event) is None:
        raise NoSuchPlayError(f"no. {seq} is no tile, draw, marker or discard that stands in this journal")
    following = [n for n in range(start + 1, len(held)) if isinstance(held[n].event, RoundStarted)]
    row = list(held[start : following[0] if following else None])
    last = held[following[0]].event.seq - 1 if following else len(lines)
    if not any(one.event.source == "camera" or lines[one.event.seq - 1].source == "camera" for one in row):
        return _as_entered(held[place].event)
    tracker, item = _from_evidence(header, row, lines[:last], seq, [one for one in seen if one.after <= last])
    if item is None:
        tracker, item = _from_events(header, row, lines, seq)
    verdict = next((one for one in tracker.verdicts() if one.item == item), None)
    if verdict is None or item is None:
        raise NoSuchPlayError(f"no. {seq} is no tile, draw, marker or discard that stands in this journal")
    again = next((one.change.again for one in reversed(seen) if one.after < seq), ())
    return Dispute(seq, held[place].event, verdict, tuple(alternatives(tracker.filter, item)), again)


def _as_entered(event: Event) -> Dispute:
    """What the record says of it, where nothing but the record tells."""
    act = act_of(event)
    assert act is not None
    found = getattr(event, "violations", ())
    charges = tuple(Charge(one.code, one.by or event.who, one.certain, float(one.certain)) for one in found)
    codes = tuple(sorted((one.code, one.by or "") for one in charges if one.certain))
    rows = () if event.who is None else (Alternative(event.who, 0, 1.0, codes, ()),)
    verdict = Verdict(0, act, event.who, float(event.who is not None), event.perhaps, charges)
    return Dispute(event.seq, event, verdict, rows, watched=False)


def _from_evidence(
    header: Header, held: Sequence[EffectiveEvent], lines: Sequence[Event], seq: int, seen: Sequence[Seen]
) -> tuple[RoundTracker, int | None]:
    """The belief a lap after event `seq`, and its item; None where evidence and record do not fit together."""
    run = EvidenceRun(_tracker(header, held[0].event), held, lines, seen)
    item = None
    if run.is_watched and run.run():
        item = next((item for item, line in run.items.items() if line == seq), None)
    if item is None:
        return run.tracker, None
    lap = EvidenceRun(_tracker(header, held[0].event), held, lines, seen)
    lap.run(until=item // ITEMS + len(header.players) + 2)
    return lap.tracker, item


def _from_events(
    header: Header, held: Sequence[EffectiveEvent], lines: Sequence[Event], seq: int
) -> tuple[RoundTracker, int | None]:
    tracker = _tracker(header, held[0].event)
    item: int | None = None
    until = 0
    for known in remember(tracker, held, lines):
        if known.event.seq == seq:
            item, until = known.item, tracker.number + len(header.players)
        if item is not None and tracker.number > until:
            break
    return tracker, item


def _tracker(header: Header, begun: Event) -> RoundTracker:
    assert isinstance(begun, RoundStarted)
    rules = load_ruleset(header.rules, header.options)
    match = Match.of(header, rules)
    starter = begun.starter or match.next_starter
    return RoundTracker(rules, match.table_of(begun, starter), starter, starter_known=begun.starter is not None)
