"""A power cut at every byte: every beginning of a journal opens, and is a beginning of the game."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from companion.game.corrections import effective_events
from companion.log.event_fields import Header
from companion.log.events import Event
from companion.log.journal import Clock, Journal
from companion.rules.ruleset import load_ruleset
from datasets.bots import BotGame
from datasets.bots.recording import events_of, opening, reveal


@dataclass(frozen=True, slots=True)
class CutReport:
    """`cuts` beginnings of a journal of `events` events were opened and folded, and went on with another event."""

    events: int
    cuts: int


def evening_clock() -> Clock:
    """A second later each time: a game is the same, byte by byte, in every run."""
    seconds = itertools.count()
    return lambda: datetime(2026, 11, 20, 17, 40, tzinfo=UTC) + timedelta(seconds=next(seconds))


def record_game(path: Path, rounds: int, seed: int = 5) -> list[Event]:
    """A game of bots in a journal at `path`; its events."""
    game = BotGame(load_ruleset("tactic"), 2, seed, set_max=9, rounds=rounds)
    with Journal.create(path, Header("tactic", "double-9", game.players), evening_clock()) as journal:
        for played in game.rounds():
            journal.append(opening(played))
            for turn in played.turns():
                journal.append_all(list(events_of(turn)))
            journal.append_all(list(reveal(played)))
        return list(journal.events)


def cut_everywhere(folder: Path, rounds: int, step: int = 1) -> CutReport:
    """Cut at every `step`-th byte behind the header, which a journal never is without: it is put in place whole."""
    whole = folder / "whole.jsonl"
    events = record_game(whole, rounds)
    content = whole.read_bytes()
    cut = folder / "cut.jsonl"
    first = content.index(b"\n") + 1
    places = range(first, len(content) + 1, step)
    for length in places:
        cut.write_bytes(content[:length])
        with Journal.open(cut) as journal:
            there = list(journal.events)
            # A line that is whole but for its end of line was never acknowledged; it may count or not.
            assert len(there) - content.count(b"\n", first, length) in (0, 1), f"cut at {length}"
            assert there == events[: len(there)], f"cut at {length}"
            effective_events(there)
            if length % 50 == 0 and len(there) < len(events):
                journal.append(events[len(there)])
        if length % 50 == 0:
            with Journal.open(cut) as journal:
                expected = min(len(there) + 1, len(events))
                assert [event.seq for event in journal.events] == list(range(1, expected + 1)), f"cut at {length}"
    return CutReport(len(events), len(places))
