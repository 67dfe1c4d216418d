"""One table's voice on the broker.

A single thread owns everything; whatever happens (an event was written, the broker confirmed, the connection broke)
comes to it as a message in its mailbox. The network thread of the client never waits for it, nor the game for either.
"""

from __future__ import annotations

import logging
import queue
import secrets
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Protocol

from companion.game.game_view import GameView
from companion.log.author import ASSISTANT, entered_by
from companion.log.events import Event
from companion.log.header import Header
from companion.publish.discovery import TableDevice, discovery, summary
from companion.publish.happenings import Happening, Happenings
from companion.publish.line import Broker, Correspondent, Line, Mail, refused_password
from companion.publish.outbox import Outbox
from companion.publish.topics import OFFLINE, ONLINE, pack, table_id, topic, unpack
from companion.supervise.parts import Loop, plain_loop

log = logging.getLogger(__name__)

WINDOW = 50
"""Events under way at once: enough for the network's delay, few enough to keep nothing in memory."""


MOST_WAITING = 500
"""Plays and faults of an evening without a broker; the oldest go first."""

ANOTHER_S = 120.0
"""So long after another box has used this table's name it is said."""

WAIT_S = 2.0
"""Between two signs of life where nothing happens."""


class Game(Protocol):
    """The part of a session that is published."""

    @property
    def header(self) -> Header: ...

    @property
    def events(self) -> Sequence[Event]: ...

    def snapshot(self) -> GameView | None:
        """The game as it stands; None of a recorded one, of which only the events are published."""
        ...

    def subscribe(self, callback: Callable[..., None]) -> Any: ...


@dataclass(slots=True)
class _Feed:
    game: Game
    sent: int
    happenings: Happenings = field(default_factory=Happenings)
    waiting: deque[Happening] = field(default_factory=lambda: deque(maxlen=MOST_WAITING))

    def collect(self) -> GameView | None:
        """The game as it stands; what has happened since the last time waits until the broker hears it."""
        view = self.game.snapshot()
        if view is not None:
            self.waiting += self.happenings.new(view)
        return view


@dataclass(frozen=True, slots=True)
class PublishStatus:
    """`behind`: events the broker has not confirmed yet."""

    connected: bool
    behind: int
    detail: str = ""

    @property
    def reasons(self) -> list[str]:
        """What `/health` says of it: nothing while the broker hears us."""
        if self.connected:
            return [self.detail] if self.detail else []
        why = "refuses this user or password" if refused_password(self.detail) else "cannot be reached"
        return [f"the broker {why}; {self.behind} events wait for it"]


class Publisher(Correspondent):
    """Publishes games under a table's name. Never raises into the game, never blocks it. What was not confirmed when it
    is closed is said next time.

    Args:
        commands: what the buttons of Home Assistant do, by their keys in `BUTTONS`; without any there are no buttons.
        address: the page's address, asked whenever the table introduces itself.
        version: the program's.
    """

    def __init__(
        self,
        broker: Broker,
        name: str,
        outbox: Outbox,
        loop: Loop = plain_loop,
        *,
        commands: Mapping[str, Callable[[], object]] | None = None,
        address: Callable[[], str] = lambda: "",
        version: str = "",
    ) -> None:
        self.table, self._name = table_id(name), name
        self._commands, self._address = dict(commands or {}), address
        self._device = TableDevice(self.table, name, version, buttons=bool(commands))
        self._introduced: dict[str, Any] = {}
        self._outbox = outbox
        mail: Mail = queue.SimpleQueue()
        self._feeds: dict[str, _Feed] = {}
        self._on_the_table = ""
        self._under_way: dict[int, tuple[str, int]] = {}
        self._connected = False
        self._detail = "not connected yet"
        self._published_head = ("", -1)
        # Two boxes of one name would else throw each other off the broker for ever.
        self._self, self._other_at = secrets.token_hex(4), float("-inf")
        line = Line(
            broker,
            mail,
            name=f"companion-{self.table}-{self._self}",
            last_will=(topic(self.table, "status"), OFFLINE),
            under_way=WINDOW,
        )
        super().__init__(line, mail, "publisher", loop)

    def follow(self, name: str, game: Game) -> None:
        """Publish this game from its first event that was not confirmed; it is the game on the table from now on."""
        self._mail.put(("follow", name, game, True))
        game.subscribe(lambda *_: self._mail.put(("events",)))

    def catch_up(self, name: str, game: Game) -> None:
        """Publish what is left of an earlier game, which is not on the table any more."""
        self._mail.put(("follow", name, game, False))

    @property
    def status(self) -> PublishStatus:
        behind = sum(
            max(0, len(feed.game.events) - self._outbox.confirmed(name)) for name, feed in list(self._feeds.items())
        )
        if self._connected and monotonic() - self._other_at < ANOTHER_S:
            return PublishStatus(True, behind, f"another box tells the broker of a table called {self._name}, too")
        return PublishStatus(self._connected, behind, self._detail)

    def _work(self) -> bool:
        self._line.keep()
        try:
            message = self._mail.get(timeout=WAIT_S)
        except queue.Empty:
            message = ("nothing",)
        if message[0] == "close":
            if self._connected:
                self._publish("status", OFFLINE.encode(), retain=True)
            return False
        try:
            self._handle(message)
        except Exception:
            if message[0] == "follow":
                self._mail.put(message)
            raise
        if self._connected and self._mail.empty():
            self._push()
        return True

    def _handle(self, message: tuple[Any, ...]) -> None:
        match message:
            case ("follow", str(name), game, bool(on_the_table)):
                self._outbox.begin(name)
                self._outbox.limit(name, len(game.events))
                self._feeds[name] = _Feed(game, self._outbox.confirmed(name))
                if on_the_table:
                    self._on_the_table = name
                    self._feeds[name].collect()
            case ("connected", str(why_not)):
                self._connected, self._detail = not why_not, why_not
                if self._connected:
                    self._introduce()
            case ("events",):
                # A name may have changed, and no line with it. A round may end while the broker is away.
                self._published_head = ("", -1)
                if not self._connected and self._on_the_table:
                    self._feeds[self._on_the_table].collect()
            case ("disconnected", str(why)):
                # A broker that refuses a password also hangs up: the reason is the refusal.
                self._connected = False
                self._detail = self._detail if refused_password(self._detail) else why
            case ("confirmed", int(mid)) if mid in self._under_way:
                name, seq = self._under_way.pop(mid)
                self._confirm(name, seq)
            case ("message", str(where), bytes(payload)) if where == topic(self.table, "head"):
                self._hear_another(unpack(payload) or {})
            case ("message", str(where), bytes(payload)) if where == topic(self.table, "command"):
                self._obey(payload)
            case ("message", _, bytes(payload)):
                self._publish_again(unpack(payload) or {})

    def _confirm(self, name: str, seq: int) -> None:
        """Confirmations may come in any order; only what is confirmed without a gap counts."""
        still_open = [open_seq for game, open_seq in self._under_way.values() if game == name]
        self._outbox.confirm(name, min(still_open) - 1 if still_open and min(still_open) <= seq else seq)

    def _introduce(self) -> None:
        """After every connection, because a broker that was restarted may have forgotten what it retained."""
        self._introduced = {}
        self._publish_entities()
        self._publish("status", ONLINE.encode(), retain=True)
        self._line.listen(topic(self.table, "resend"))
        self._line.listen(topic(self.table, "head"))
        if self._commands:
            self._line.listen(topic(self.table, "command"))
        self._published_head = ("", -1)
        if not self._on_the_table:
            # The hall knows a table by its name before its first game.
            nameless = {"name": self._name, "game": "", "header": None, "seq": 0, "by": self._self}
            self._publish("head", pack(nameless), retain=True)
            self._publish("state", pack(summary(None)), retain=True)

    def _publish_entities(self) -> None:
        """The entities of Home Assistant that are new or other than before; an empty message removes one."""
        feed = self._feeds.get(self._on_the_table)
        players = () if feed is None else feed.game.header.players
        entities = discovery(replace(self._device, url=self._address(), players=players))
        for where in self._introduced.keys() - entities.keys():
            self._line.publish(where, b"", retain=True)
        for where, config in entities.items():
            if self._introduced.get(where) != config:
                self._line.publish(where, pack(config), retain=True)
        self._introduced = entities

    def _obey(self, payload: bytes) -> None:
        """Somebody pressed a button in Home Assistant. What the game refuses changes nothing."""
        command = self._commands.get(payload.decode("utf-8", errors="replace"))
        if command is not None:
            try:
                with entered_by(ASSISTANT):
                    command()
            except (ValueError, LookupError) as refused:
                log.info("a button in Home Assistant did nothing: %s", refused)

    def _push(self) -> None:
        """Say what has not been said, as far as the window allows."""
        for name, feed in self._feeds.items():
            for event in feed.game.events[feed.sent :]:
                if len(self._under_way) >= WINDOW:
                    return
                number = self._publish("events", pack({"game": name, "event": event.to_json()}))
                if number is None:
                    return
                self._under_way[number] = (name, event.seq)
                feed.sent = event.seq
        self._publish_head()

    def _publish_head(self) -> None:
        feed = self._feeds.get(self._on_the_table)
        if feed is None or self._published_head == (self._on_the_table, feed.sent):
            return
        head = {
            "name": self._name,
            "game": self._on_the_table,
            "header": feed.game.header.to_json(),
            "seq": feed.sent,
            "by": self._self,
        }
        self._publish_entities()
        self._publish("head", pack(head), retain=True)
        view = feed.collect()
        self._publish("state", pack(summary(view)), retain=True)
        while feed.waiting:
            what, message = feed.waiting[0]
            if self._publish(what, pack(message)) is None:
                return
            feed.waiting.popleft()
        self._published_head = (self._on_the_table, feed.sent)

    def _hear_another(self, head: Mapping[str, Any]) -> None:
        """A head that is not ours, said while we listen: another box goes by this table's name."""
        if head.get("by") not in (None, self._self):
            if monotonic() - self._other_at > ANOTHER_S:
                # So that the other one hears of us, too.
                self._published_head = ("", -1)
            self._other_at = monotonic()

    def _publish_again(self, request: Mapping[str, Any]) -> None:
        """The hall has missed something: begin again behind the event it names."""
        feed = self._feeds.get(str(request.get("game")))
        after = request.get("after")
        if feed is not None and isinstance(after, int) and not isinstance(after, bool):
            feed.sent = min(feed.sent, max(0, after))

    def _publish(self, what: str, payload: bytes, *, retain: bool = False) -> int | None:
        """The message's number, or None when there is nobody to hear it."""
        return self._line.publish(topic(self.table, what), payload, retain=retain)
