"""A journal played again: every ruling and every score made anew, beside what the journal says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.game.ledger import History
from companion.log.corrections import EffectiveEvent
from companion.log.event_fields import EventError, Finding
from companion.log.events import Event, MatchEnded, Passed, RoundScored
from companion.log.journal import JournalError, JournalText, read_journal
from companion.play.scoreboard import Scoreboard, fold_held
from companion.rules.referee import undealt
from companion.rules.ruleset import RuleSet, load_ruleset


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
