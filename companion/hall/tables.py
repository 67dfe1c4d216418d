"""The state of each table: its journal as far as it has arrived without a gap. Pure; no network, no clock.

The hall: subscribes to every table, and asks a table again for whatever the broker lost.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.game.corrections import EffectiveEvent, effective_events, open_questions
from companion.game.match import fold_held
from companion.log.event_fields import EventError, Header
from companion.log.events import OWN_FIELDS, Corrected, Event, event_from_json
from companion.publish.broker import (
    LONGEST_NAME,
    ONLINE,
    ROOT,
    Broker,
    BrokerLine,
    Correspondent,
    Mail,
    pack,
    refused_password,
    table_of,
    topic,
    unpack,
)
from companion.supervise.parts import Parts

log = logging.getLogger(__name__)

MOST_TABLES = 200
MOST_AHEAD = 2000
MOST_EVENTS = 20_000
MOST_BYTES, MOST_OF_ALL = 4_000_000, 40_000_000
"""Bounds against a stranger on the broker who makes up tables or sequence numbers. A long evening is half a megabyte;
lines made up for it take up to nine times their bytes in memory."""


@dataclass(slots=True)
class HallTable:
    """One table of the hall."""

    id: str
    name: str = ""
    online: bool = False
    game: str = ""
    header: Header | None = None
    last_seq: int = 0
    events: list[Event] = field(default_factory=list)
    """Whole from the first to the last."""
    ahead: dict[int, Event] = field(default_factory=dict)
    """Seq -> event that waits for a gap to be filled."""
    otherwise: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Line -> what of it reads otherwise by now."""
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
            board = fold_held(self.header.players, list(self._held()), self.header.brought)
        except Exception:  # lines that no journal holds, of one table; the others are shown as ever
            log.warning("the events of table %s make no game", self.id, exc_info=True)
            return shown | {"readable": False}
        sheet = board.round
        asked = [one for one in open_questions(self.events) if not self.otherwise.get(one.seq, {}).get("withdrawn")]
        return shown | {
            "rules": self.header.rules,
            "set": self.header.set,
            "players": list(self.header.players),
            "totals": dict(board.totals),
            "round": None if sheet is None else sheet.round,
            "over": board.over,
            "winners": list(board.winners),
            "questions": len(asked),
            "illegal": len(board.faults),
            "rounds": [
                {"round": one.round, "how": one.how, "scores": dict(one.scores) or None} for one in board.rounds
            ],
        }

    def _held(self) -> Iterator[EffectiveEvent]:
        for one in effective_events(self.events):
            what = self.otherwise.get(one.event.seq, {})
            if not what.get("withdrawn"):
                now = {name: value for name, value in what.items() if name in OWN_FIELDS[one.event.KIND]}
                yield replace(one, event=event_from_json({**one.event.to_json(), **now})) if now else one


class Tables:
    """Takes messages as they come, in any order, repeated or torn; keeps each event once."""

    def __init__(self) -> None:
        self._tables: dict[str, HallTable] = {}

    def __iter__(self) -> Any:
        return iter(sorted(self._tables.values(), key=lambda table: table.id))

    def get(self, table: str) -> HallTable | None:
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
            known.events, known.ahead, known.otherwise, known.size = [], {}, {}, 0
        known.header = header
        if seq < len(known.events):
            # The table has lost an end that was heard here: what comes after it is another game than that.
            del known.events[seq:]
            known.ahead, known.otherwise, known.last_seq = {}, {}, seq
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
        if isinstance(event, Corrected) and event.source == "rule" and event.corrects <= len(known.events):
            known.otherwise.setdefault(event.corrects, {}).update(event.what)
        if event.seq <= len(known.events) or len(known.ahead) >= MOST_AHEAD or event.seq > MOST_EVENTS:
            return
        known.last_seq = max(known.last_seq, event.seq)
        if known.size + size > MOST_BYTES or sum(one.size for one in self._tables.values()) + size > MOST_OF_ALL:
            return
        known.size += size
        known.ahead[event.seq] = event
        while (following := known.ahead.pop(len(known.events) + 1, None)) is not None:
            known.events.append(following)

    def _known(self, table: str) -> HallTable | None:
        if table not in self._tables and len(self._tables) < MOST_TABLES and len(table) <= LONGEST_NAME:
            self._tables[table] = HallTable(table)
        return self._tables.get(table)


ASK_FIRST_S, ASK_AGAIN_S = 0.5, 3.0
"""How long nothing may come from a table that lacks events before it is asked, and before it is asked again."""


@dataclass(slots=True)
class _Lack:
    """Where a table's events stop here, (game, seq), and when to ask for the rest."""

    have: tuple[str, int]
    ask_at: float


class Hall(Correspondent):
    """All tables, live."""

    def __init__(
        self,
        broker: Broker,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._part = Parts().add("hall")
        mail: Mail = queue.SimpleQueue()
        super().__init__(BrokerLine(broker, mail), mail, "hall", self._part.loop)
        self._lock = threading.Lock()
        self._tables = Tables()
        self._lacking: dict[str, _Lack] = {}
        self.connected = self.refused = False

    def snapshot(self) -> dict[str, Any]:
        """The tables for the hall page."""
        sign = self._part.sign()
        hears = self.connected and not sign.hangs and not sign.trouble
        with self._lock:
            return {"connected": hears, "refused": self.refused, "tables": [table.as_json() for table in self._tables]}

    def events(self, table: str) -> list[dict[str, Any]]:
        """A table's journal lines, as far as they are here without a gap."""
        with self._lock:
            known = self._tables.get(table)
            return [] if known is None else [event.to_json() for event in known.events]

    def _work(self) -> bool:
        self._line.keep()
        try:
            message = self._mail.get(timeout=ASK_FIRST_S)
        except queue.Empty:
            message = ("nothing",)
        if message[0] == "close":
            return False
        with self._lock:
            try:
                self._handle(message)
            except Exception:  # whatever a stranger has said, the hall goes on listening
                log.exception("a message could not be understood")
        if self._mail.empty():
            self._ask_for_gaps()
        return True

    def _handle(self, message: tuple[Any, ...]) -> None:
        match message:
            case ("connected", ""):
                self.connected, self.refused = True, False
                self._lacking.clear()
                for what in ("status", "head", "events"):
                    self._line.listen(f"{ROOT}/+/{what}")
            case ("connected" | "disconnected", str(why)):
                self.connected = False
                self.refused = self.refused or refused_password(why)
            case ("message" | "kept", str(where), bytes(payload)):
                self._receive(where, payload)

    def _receive(self, where: str, payload: bytes) -> None:
        place = table_of(where)
        if place is None:
            return
        table, what = place
        if what == "status":
            self._tables.status(table, payload == ONLINE.encode())
        elif (message := unpack(payload)) is not None:
            if what == "head":
                self._tables.head(table, message)
            elif what == "events":
                self._tables.event(table, message, len(payload))

    def _ask_for_gaps(self) -> None:
        """Ask each table that we lack events of, once nothing more comes by itself."""
        if not self.connected:
            return
        with self._lock:
            lacking: list[HallTable] = [table for table in self._tables if table.game and table.missing]
        now = self._clock()
        for table in lacking:
            have = (table.game, len(table.events))
            lack = self._lacking.get(table.id)
            if lack is None or lack.have != have:
                self._lacking[table.id] = _Lack(have, now + ASK_FIRST_S)
            elif now >= lack.ask_at:
                lack.ask_at = now + ASK_AGAIN_S
                self._line.publish(topic(table.id, "resend"), pack({"game": have[0], "after": have[1]}))
