"""A journal played again, and why its plays are named and ruled as they are.

The belief runs again over the round, up to a lap later. Its evidence is what the camera saw and what people entered,
each with a price for its being wrong. A round that no camera watched is ruled as it was entered, and so explained.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from companion.game.corrections import EffectiveEvent
from companion.game.course import act_of
from companion.game.match import Scoreboard
from companion.game.round import History
from companion.log.event_fields import EventError, Finding
from companion.log.events import Event, Unclear
from companion.log.journal import JournalError, JournalText, read_journal
from companion.rules.referee import undealt
from companion.rules.ruleset import RuleSet, load_ruleset
from companion.tracking.verdict import Alternative, Verdict


@dataclass(frozen=True, slots=True)
class Replay:
    """A game played again.

    >>> from companion.log.event_fields import Header
    >>> from companion.rules.ruleset import load_ruleset
    >>> text = JournalText(Header("tactic", "double-12", ("Ann", "Ben", "Cy")), (), b"", 0, "")
    >>> game = replay_text(text)
    >>> game.torn, game.board.totals, list(game.violations)
    (False, {'Ann': 0, 'Ben': 0, 'Cy': 0}, [])
    """

    text: JournalText
    rules: RuleSet
    lines: tuple[EffectiveEvent, ...]
    """The events as they count, each with its ruling."""
    board: Scoreboard
    """After `lines`."""
    turn: str | None

    @property
    def torn(self) -> bool:
        """A last line was cut short."""
        return bool(self.text.torn)

    @property
    def violations(self) -> Iterator[tuple[EffectiveEvent, Finding]]:
        """Every finding against somebody, in order."""
        for line in self.lines:
            for finding in line.findings:
                yield line, finding

    def to_json(self) -> Iterator[dict[str, Any]]:
        """The events, each with its ruling."""
        for line in self.lines:
            ruled = {"violations": [], **line.event.to_json()}
            yield {**ruled, "overruled": True} if line.overruled else ruled

    def summary(self) -> dict[str, Any]:
        """The scores: the last line of `companion replay --json`."""
        board = self.board
        return {
            "rules": self.text.header.rules,
            "players": list(board.players),
            "events": len(self.text.events),
            "rounds": [
                {
                    "round": sheet.round,
                    "how": sheet.how,
                    "scores": dict(sheet.scores) or None,
                }
                for sheet in board.rounds
            ],
            "totals": dict(board.totals),
            "winner": list(board.winners) or None,
            "turn": self.turn,
            "violations": sum(1 for _ in self.violations),
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
        history = History(text.header, rules, text.events, text.seen)
    except EventError as error:
        raise JournalError(name, str(error)) from None
    asked = {one.seq for one in history.questions()}
    lines = []
    for held in (held for one in history.rounds.values() for held in one.taken):
        settled = isinstance(held.event, Unclear) and held.event.seq not in asked
        if not settled and not history.acts[held.event.seq].void:
            lines.append(replace(held, event=history.reads(held.event)))
    match = history.match
    turn = match.course.mover if match.course is not None and match.phase == "playing" else None
    return Replay(text, rules, tuple(lines), replace(match.board, lines=tuple(lines)), turn)


class NoSuchPlayError(Exception):
    """The journal has nothing at this number that anybody can have done."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """The belief's explanation of one event.

    >>> from companion.log.events import Drew
    >>> from companion.rules.position import Draw
    >>> verdict = Verdict(1, Draw(), "Ann", 0.97)
    >>> told = Dispute(3, Drew(seq=3, by="Ann"), verdict, (Alternative("Ann", 0, 0.97, (), ()),))
    >>> round(told.rest, 2), told.to_json()["by"]
    (0.03, 'Ann')
    """

    seq: int
    """The line of the event."""
    event: Event
    verdict: Verdict
    alternatives: tuple[Alternative, ...]
    """The hypotheses, cheapest first; none where it is settled. In JSON a hypothesis has a `tile` where that is another
    one than was read."""
    again: tuple[str, ...] = ()
    """Why the game asked for another look before it took the change that shows the event."""
    watched: bool = True
    """False: it was entered in a round that no camera watched, and its ruling is the record's."""

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
    """Explain event `seq` by the belief. Raises JournalError, RuleSetError, NoSuchPlayError."""
    text = read_journal(path)
    rules = load_ruleset(text.header.rules, text.header.options)
    try:
        history = History(text.header, rules, text.events, text.seen)
    except EventError as error:
        raise JournalError(path, str(error)) from None
    return dispute_in(history, seq)


def dispute_in(history: History, seq: int) -> Dispute:
    """The same in a game that was worked out."""
    held = next((one for one in history.held if one.event.seq == seq and not one.undone), None)
    now = history.rounds[history.round_of.get(seq) or 0]
    explained = None
    if held is not None and now.begun is not None and act_of(held.event) is not None:
        explained = now.explained(held.event)
    if held is None or explained is None:
        raise NoSuchPlayError(f"no. {seq} is no tile, draw, marker or discard that stands in this journal")
    again = next((one.change.again for one in reversed(now.seen) if one.after < seq), ())
    return Dispute(seq, now.reads(held.event), explained[0], tuple(explained[1]), again, watched=bool(now.seen))
