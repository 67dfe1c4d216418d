"""The state that a game shows, as in `/api/state`, and its outcome."""

from __future__ import annotations

from typing import Any

from companion.game.game_view import as_json
from companion.game.match import Scoreboard
from companion.log.events import TileTakenBack


def state_of(session: Any, at: int | None = None) -> dict[str, Any]:
    """The state of a game, now or after that journal line."""
    found: dict[str, Any] = as_json(session.snapshot() if at is None else session.snapshot(at=at))
    return found


def outcome(board: Scoreboard) -> tuple[object, ...]:
    """Every finding by its line, and the points. A replay has to come to the same."""
    return [(line.seq, one) for line, one in board.violations], board.rounds, board.totals, board.winners, board.over


def take_back(session: Any, seq: int) -> None:
    """Take the tile of that line back from the table, as a line of the journal says it."""
    play = session.events[seq - 1]
    session._add(TileTakenBack(by=play.by, tile=play.tile, train=play.train, undoes=seq))
