"""A journal played again, and why its plays are named as they are.

A journal played again: every ruling and every score made anew, beside what the journal says.

Why a play of a journal is named and ruled as it is: the belief run again over the round, up to a lap later.

The evidence is what the journal says that the camera saw, and what people entered, with a price for its being wrong.
Journals of version 1 say nothing of the former; there the camera's events stand for it, those of one picture together.
A round that no camera watched is ruled as it was entered, and so it is explained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.game.ledger import History, Rounds, lines_of, pictured
from companion.game.timeline import Timeline
from companion.game.watched_round import WatchedRound
from companion.log.corrections import EffectiveEvent
from companion.log.event_fields import EventError, Finding
from companion.log.events import Event, MatchEnded, Passed, RoundScored, RoundStarted, SeenLine
from companion.log.journal import JournalError, JournalText, read_journal
from companion.play.event_actions import act_of
from companion.play.match import Scoreboard, fold_held
from companion.rules.referee import undealt
from companion.rules.ruleset import RuleSet, load_ruleset
from companion.tracking.evidence import ITEMS
from companion.tracking.verdict import Alternative, Charge, Verdict, alternatives


@dataclass(frozen=True, slots=True)
class Replayed:
    """One event in force with its ruling now; `written` is the ruling in the journal.

    `event` holds what counts, a score by the tiles for one that the rules had written. `dropped`: it counts no more,
    because the rules do not say so any more, or because the tap that it stood for was told after all.
    """

    event: Event
    findings: tuple[Finding, ...]
    written: tuple[Finding, ...]
    overruled: bool = False
    dropped: bool = False

    @property
    def same(self) -> bool:
        """Whether the journal says what comes out now."""
        return not (self.dropped and self.event.source == "rule") and set(self.findings) == set(self.written)

    def to_json(self) -> dict[str, Any]:
        line = self.event.to_json()
        line["violations"] = [finding.to_json() for finding in self.findings]
        if self.overruled:
            line["overruled"] = True
        if self.dropped:
            line["dropped"] = True
        if not self.same:
            line["written"] = [finding.to_json() for finding in self.written]
        return line


@dataclass(frozen=True, slots=True)
class Replay:
    """A game played again. `board` is folded from the events as they come out now; `torn` a last line cut short."""

    text: JournalText
    rules: RuleSet
    lines: tuple[Replayed, ...]
    board: Scoreboard
    turn: str | None

    @property
    def torn(self) -> bool:
        return bool(self.text.torn)

    @property
    def violations(self) -> Iterator[tuple[Replayed, Finding]]:
        """What stands against somebody, in order."""
        for line in self.lines:
            if not (line.overruled or line.dropped):
                for finding in line.findings:
                    yield line, finding

    def summary(self) -> dict[str, Any]:
        """The scores: the last line of `companion replay --json`."""
        board = self.board
        return {
            "rules": self.text.header.rules,
            "players": list(board.players),
            "events": len(self.text.events),
            "rounds": [
                {
                    "round": sheet.number,
                    "how": sheet.how,
                    "scores": None if sheet.scores is None else dict(sheet.scores),
                }
                for sheet in board.rounds
            ],
            "totals": dict(board.totals),
            "winner": list(board.winners) or None,
            "turn": self.turn,
            "violations": sum(1 for _ in self.violations),
            "same": all(line.same for line in self.lines),
            "torn": self.torn,
        }


def replay(path: str | Path) -> Replay:
    """Play the journal at `path` again. Raises JournalError, RuleSetError."""
    return replay_text(read_journal(path), str(path))


def replay_text(text: JournalText, name: str = "journal") -> Replay:
    """The same for a journal that was read already."""
    rules = load_ruleset(text.header.rules, text.header.options)
    players = len(text.header.players)
    if rules.is_mexican == (text.header.set_max is None):
        raise JournalError(name, f"line 1: set: {text.header.set} is no set for {text.header.rules}")
    fault = undealt(rules, text.header.set_max, players)
    if fault is not None:
        raise JournalError(name, f"line 1: players: {fault}")
    try:
        timeline = History(text.header, rules, text.events, text.seen).timeline
    except EventError as error:
        raise JournalError(name, str(error)) from None
    place = {id(item): n for n, item in enumerate(timeline.taken)}
    lines = []
    for index, act in sorted(enumerate(timeline.acts), key=lambda one: place[id(one[1].held)]):
        event = act.event if act.event is not None else act.held.event
        written = tuple(getattr(act.held.event, "violations", ()))
        findings = timeline.findings(index)
        if isinstance(event, (RoundScored, MatchEnded)) and event != act.held.event:
            written = (*written, Finding("SCORE_ERROR"))
        dropped = act.event is None and not isinstance(event, Passed) and not findings
        lines.append(Replayed(event, findings, written, act.held.overruled, dropped))
    counted = [EffectiveEvent(line.event, overruled=line.overruled) for line in lines if not line.dropped]
    board = fold_held(text.header.players, counted, text.header.brought)
    match = timeline.match
    turn = match.course.mover if match.course is not None and match.phase == "playing" else None
    return Replay(text, rules, tuple(lines), board, turn)


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
    rules = load_ruleset(text.header.rules, text.header.options)
    try:
        history = History(text.header, rules, text.events, text.seen)
    except EventError as error:
        raise JournalError(path, str(error)) from None
    return dispute_in(history.held, history.timeline, text.events, seq, text.seen)


def dispute_in(
    held: Sequence[EffectiveEvent], timeline: Timeline, lines: Sequence[Event], seq: int, seen: Sequence[SeenLine]
) -> Dispute:
    """The same of the events in force of a game with its past, and of what was seen in it."""
    starts = [act for act in timeline.acts if isinstance(act.held.event, RoundStarted) and act.held.event.seq <= seq]
    start = max(starts, key=lambda act: act.held.event.seq, default=None)
    place = next((n for n, one in enumerate(held) if one.event.seq == seq and not one.undone), None)
    if start is None or place is None or act_of(held[place].event) is None:
        raise NoSuchPlayError(f"no. {seq} is no tile, draw, marker or discard that stands in this journal")
    begun, course = start.held.event, start.after.course
    assert course is not None
    row = lines_of(begun.seq, lines)
    rounds = Rounds.of(lines, ())
    looks = [one for one in seen if rounds.of_line(one.after) == begun.seq]
    if not looks:
        looks = list(pictured(row, clouded=False))
    if not looks:
        return _as_entered(held[place].event)
    told = WatchedRound.told(begun, course, row, looks)
    item = next((item for item, line in told.line_of.items() if line == seq), None)
    verdict = None if item is None else told.verdicts.get(item)
    if verdict is None or item is None:
        raise NoSuchPlayError(f"no. {seq} is no tile, draw, marker or discard that stands in this journal")
    lap = WatchedRound.told(begun, course, row, looks, until=item // ITEMS + len(course.players) + 2).tracker
    verdict = next((one for one in lap.verdicts() if one.item == item), verdict)
    again = next((one.change.again for one in reversed(seen) if one.after < seq), ())
    return Dispute(seq, held[place].event, verdict, tuple(alternatives(lap.filter, item)), again)


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
