"""The hall: subscribes to every table, and asks a table again for whatever the broker lost."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from companion.hall.tables import Table, Tables
from companion.publish.line import Broker, Correspondent, Line, Mail, refused_password
from companion.publish.topics import ONLINE, ROOT, pack, table_of, topic, unpack
from companion.supervise.parts import Parts

log = logging.getLogger(__name__)

ASK_FIRST_S, ASK_AGAIN_S = 0.5, 3.0
"""How long nothing may come from a table that lacks events before it is asked, and before it is asked again."""


@dataclass(slots=True)
class _Lack:
    """Where a table's events stop here, (game, seq), and when to ask for the rest."""

    have: tuple[str, int]
    ask_at: float


class Hall(Correspondent):
    """All tables, live. `changed` is called after every change, from the hall's own thread."""

    def __init__(
        self,
        broker: Broker,
        *,
        changed: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._changed, self._clock = changed, clock
        self._part = Parts().add("hall")
        mail: Mail = queue.SimpleQueue()
        super().__init__(Line(broker, mail), mail, "hall", self._part.loop)
        self._lock = threading.Lock()
        self._tables = Tables()
        self._lacking: dict[str, _Lack] = {}
        self.connected = self.refused = False

    def snapshot(self) -> dict[str, Any]:
        """What the hall page shows."""
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
            if message[0] != "nothing":
                self._changed()
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
            lacking: list[Table] = [table for table in self._tables if table.game and table.missing]
        now = self._clock()
        for table in lacking:
            have = (table.game, len(table.events))
            lack = self._lacking.get(table.id)
            if lack is None or lack.have != have:
                self._lacking[table.id] = _Lack(have, now + ASK_FIRST_S)
            elif now >= lack.ask_at:
                lack.ask_at = now + ASK_AGAIN_S
                self._line.publish(topic(table.id, "resend"), pack({"game": have[0], "after": have[1]}))
