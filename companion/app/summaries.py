"""What a list of games says of each: read off its journal, without playing the game again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.game.game_view import GameView
from companion.log.event_fields import EventError
from companion.log.journal import JournalError, JournalText, read_journal
from companion.play.scoreboard import Scoreboard, fold
from companion.rules.ruleset import RuleSet, RuleSetError, load_ruleset


@dataclass(frozen=True, slots=True)
class GameSummary:
    """`round` is the last one begun, None before the first; `begun` the moment of the first entry as the journal has
    it, "" where it does not say; `winners` is empty until the match is over."""

    rules: str
    set: str
    players: tuple[str, ...]
    options: Mapping[str, Any]
    round: int | None = None
    winners: tuple[str, ...] = ()
    begun: str = ""


def read_board(path: Path) -> tuple[JournalText, RuleSet, Scoreboard]:
    """A journal, its rules and its scoreboard. Raises OSError, JournalError, ValueError in one line."""
    journal = read_journal(path)
    try:
        rules = load_ruleset(journal.header.rules, journal.header.options)
        return journal, rules, fold(journal.header, journal.events)
    except RuleSetError as fault:
        raise ValueError(str(fault)) from None
    except EventError as fault:
        raise JournalError(path, str(fault)) from None


def summarize(path: Path) -> GameSummary:
    """The summary of a journal. Raises as `read_board`."""
    journal, _, board = read_board(path)
    header = journal.header
    return GameSummary(
        rules=header.rules,
        set=header.set,
        players=header.players,
        options=dict(header.options),
        round=board.round.number if board.round else None,
        winners=board.winners,
        begun=journal.events[0].at or "" if journal.events else "",
    )


def summary_of(view: GameView, begun: str) -> GameSummary:
    """The summary of a game that is being played, from what it shows."""
    return GameSummary(view.rules, view.set, view.players, view.options, view.round, view.winners, begun)
