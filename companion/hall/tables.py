"""What is known of each table: its journal as far as it has arrived without a gap. Pure; no network, no clock."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.log.event_fields import EventError
from companion.log.events import Event, event_from_json
from companion.log.header import Header
from companion.play.scoreboard import fold

log = logging.getLogger(__name__)

MOST_TABLES = 200
MOST_AHEAD = 2000
MOST_EVENTS = 20_000
MOST_BYTES, MOST_OF_ALL = 4_000_000, 40_000_000
"""Bounds against a stranger on the broker who makes up tables or sequence numbers. A long evening is half a megabyte;
lines made up for it take up to nine times their bytes in memory."""


@dataclass(slots=True)
class Table:
    """One table. `events` are whole from the first to the last; `ahead` waits for a gap to be filled."""

    id: str
    name: str = ""
    online: bool = False
    game: str = ""
    header: Header | None = None
    last_seq: int = 0
    events: list[Event] = field(default_factory=list)
    ahead: dict[int, Event] = field(default_factory=dict)
    by: str = ""
    """Which start of the table's program told of the game."""
    size: int = 0
    """Bytes of the lines that were taken."""

    @property
    def missing(self) -> bool:
        return self.header is None or len(self.events) < self.last_seq

    def as_json(self) -> dict[str, Any]:
        """One table as the hall page shows it."""
        shown: dict[str, Any] = {
            "table": self.id,
            "name": self.name or self.id,
            "online": self.online,
            "game": self.game,
            "seq": len(self.events),
            "complete": not self.missing,
            "readable": True,
        }
        if self.header is None:
            return shown
        try:
            board = fold(self.header, self.events)
        except Exception:  # lines that no journal holds, of one table; the others are shown as ever
            log.warning("the events of table %s make no game", self.id, exc_info=True)
            return shown | {"readable": False}
        sheet = board.round
        return shown | {
            "rules": self.header.rules,
            "set": self.header.set,
            "players": list(self.header.players),
            "totals": dict(board.totals),
            "round": None if sheet is None else sheet.number,
            "over": board.over,
            "winners": list(board.winners),
            "questions": len(board.questions),
            "illegal": len(board.faults),
            "rounds": [
                {"round": one.number, "how": one.how, "scores": None if one.scores is None else dict(one.scores)}
                for one in board.rounds
            ],
        }


class Tables:
    """Takes messages as they come, in any order, repeated or torn; keeps each event once."""

    def __init__(self) -> None:
        self._tables: dict[str, Table] = {}

    def __iter__(self) -> Any:
        return iter(sorted(self._tables.values(), key=lambda table: table.id))

    def get(self, table: str) -> Table | None:
        return self._tables.get(table)

    def status(self, table: str, online: bool) -> None:
        if (known := self._known(table)) is not None:
            known.online = online

    def head(self, table: str, message: Mapping[str, Any]) -> None:
        """The game on a table and how far it has come; before the first one, its name. A message that makes no sense is
        passed over."""
        known = self._known(table)
        game, seq = message.get("game"), message.get("seq")
        if known is None or not isinstance(game, str) or not isinstance(seq, int) or isinstance(seq, bool):
            return
        known.name = str(message.get("name") or "")[:60]
        if not game:
            return
        try:
            header = Header.from_json(message.get("header"))
        except EventError:
            return
        by = str(message.get("by") or "")
        if (game, by) != (known.game, known.by):
            # A table that was started anew may have lost an end that was heard here, and be past it by now.
            known.game, known.by, known.last_seq = game, by, 0
            known.events, known.ahead, known.size = [], {}, 0
        known.header = header
        if seq < len(known.events):
            # The table has lost an end that was heard here: what comes after it is another game than that.
            del known.events[seq:]
            known.ahead, known.last_seq = {}, seq
        known.last_seq = max(known.last_seq, seq)

    def event(self, table: str, message: Mapping[str, Any], size: int = 0) -> None:
        """One line of a journal, of `size` bytes. One heard before, or of another game, changes nothing."""
        known = self._known(table)
        if known is None or message.get("game") != known.game or known.header is None:
            return
        try:
            event = event_from_json(message.get("event"))
        except EventError:
            return
        if event.seq <= len(known.events) or len(known.ahead) >= MOST_AHEAD or event.seq > MOST_EVENTS:
            return
        known.last_seq = max(known.last_seq, event.seq)
        if known.size + size > MOST_BYTES or sum(one.size for one in self._tables.values()) + size > MOST_OF_ALL:
            return
        known.size += size
        known.ahead[event.seq] = event
        while (following := known.ahead.pop(len(known.events) + 1, None)) is not None:
            known.events.append(following)

    def _known(self, table: str) -> Table | None:
        if table not in self._tables and len(self._tables) < MOST_TABLES:
            self._tables[table] = Table(table)
        return self._tables.get(table)
