"""Events at a table, for automations: each play and each fault once, when it comes to stand.

The messages to Home Assistant, so that a table appears there by itself (MQTT discovery, one retained message each).

How far the broker has confirmed each game: one small file beside the games.

Earlier games that were not published to their end, because the box was switched off before the broker heard all.

One table's voice on the broker.

A single thread owns everything; whatever happens (an event was written, the broker confirmed, the connection broke)
comes to it as a message in its mailbox. The network thread of the client never waits for it, nor the game for either.
"""

from __future__ import annotations

import json
import logging
import queue
import secrets
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any

from companion.game.game import Game
from companion.game.game_view import GameView, is_fault, is_misfit, standing_doubts, standing_findings
from companion.game.told import Follower
from companion.log.journal import ASSISTANT, JournalError, entered_by
from companion.publish.broker import (
    OFFLINE,
    ONLINE,
    Broker,
    BrokerLine,
    Correspondent,
    Mail,
    pack,
    refused_password,
    slug_of,
    table_id,
    topic,
    unpack,
)
from companion.rules.reasons import words_of
from companion.rules.ruleset_fields import RuleSetError
from companion.rules.violations import Violation
from companion.storage.state_file import read_state
from companion.supervise.parts import Loop, plain_loop

PLAY, FAULT = "play", "fault"
PLAYS = ("tile_played",)
FAULTS = ("certain", "possible")
"""The types of an event of a play and of a fault."""

Happening = tuple[str, dict[str, Any]]
"""PLAY or FAULT, and the message: `event_type` and what an automation may want to know."""


class Happenings:
    """Compares each view of a game with the one before. Everything in the first one is no news."""

    def __init__(self) -> None:
        self._known: set[tuple[Any, ...]] | None = None

    def new(self, view: GameView) -> list[Happening]:
        """The plays and faults of this view that no earlier view of the game had."""
        found = dict(_all(view))
        known, self._known = self._known, set(found) | (self._known or set())
        return [] if known is None else [happening for key, happening in found.items() if key not in known]


def _all(view: GameView) -> Iterator[tuple[tuple[Any, ...], Happening]]:
    for play in view.plays:
        if play.get("event") != "tile_played":
            continue
        about = {"by": play.get("by"), "tile": play.get("tile"), "train": play.get("train"), "round": view.round}
        place = (view.round, play.get("seq"))
        yield (PLAY, *place), (PLAY, {"event_type": PLAYS[0], **about})
        for finding in standing_findings(play):
            code, by = str(finding["code"]), finding.get("by") or play.get("by")
            yield (FAULT, *place, code, by), (FAULT, {"event_type": FAULTS[0], **about, "by": by, **_named(code)})
        for code in standing_doubts(play):
            # Nobody is named for what is only possible.
            yield (FAULT, *place, code), (FAULT, {"event_type": FAULTS[1], **about, "by": None, **_named(code)})


def _named(code: str) -> Mapping[str, str]:
    return {"code": code, "title": words_of(Violation(code)).title if code in Violation.__members__ else code}


PREFIX = "homeassistant"

SENSORS = (
    ("phase", "Phase", "mdi:table-furniture"),
    ("turn", "Turn", "mdi:account-arrow-right"),
    ("round", "Round", "mdi:counter"),
    ("leader", "Leader", "mdi:trophy"),
    ("last", "Last play", "mdi:cards-outline"),
)
ALARMS = (("question", "Question open", "mdi:help-circle"), ("illegal", "Illegal play", "mdi:gavel"))
EVENTS = ((PLAY, "Play", "mdi:cards-outline", PLAYS), (FAULT, "Fault", "mdi:gavel", FAULTS))
BUTTONS = (("next_round", "Next round", "mdi:skip-next"), ("undo", "Undo", "mdi:undo"))


@dataclass(frozen=True, slots=True)
class TableDevice:
    """A table as a device of Home Assistant.

    Attributes:
        table: its name in topics.
        name: its name for people.
        version: the program's version.
        url: the address of the page, "" where it is not known.
        players: each gets a sensor of points, which stays the same person's wherever they sit in the next game.
        buttons: whether the household lets Home Assistant begin the next round and undo.
    """

    table: str
    name: str
    version: str = ""
    url: str = ""
    players: Sequence[str] = ()
    buttons: bool = False


def discovery(device: TableDevice) -> dict[str, dict[str, Any]]:
    """Topic -> configuration, for every entity of one table."""
    found: dict[str, dict[str, Any]] = {}

    def add(kind: str, key: str, name: str, icon: str, **more: Any) -> None:
        where = f"{PREFIX}/{kind}/companion_{device.table}/{key}/config"
        found[where] = {
            **_common(device),
            "name": name,
            "icon": icon,
            "unique_id": f"companion_{device.table}_{key}",
            **more,
        }

    state = topic(device.table, "state")
    for key, name, icon in SENSORS:
        add("sensor", key, name, icon, state_topic=state, value_template=f"{{{{ value_json.{key} }}}}")
    for player in device.players:
        template = f"{{{{ value_json.points['{slug_of(player)}'] | default(None) }}}}"
        points = {"state_topic": state, "value_template": template, "unit_of_measurement": "points"}
        add("sensor", f"points_{slug_of(player)}", player, "mdi:scoreboard", state_class="measurement", **points)
    for key, name, icon in ALARMS:
        alarm = {"payload_on": "True", "payload_off": "False", "device_class": "problem"}
        template = f"{{{{ value_json.{key} }}}}"
        add("binary_sensor", key, name, icon, state_topic=state, value_template=template, **alarm)
    for key, name, icon, kinds in EVENTS:
        add("event", key, name, icon, state_topic=topic(device.table, key), event_types=list(kinds))
    for key, name, icon in BUTTONS if device.buttons else ():
        add("button", key, name, icon, command_topic=topic(device.table, "command"), payload_press=key)
    return found


def _common(device: TableDevice) -> dict[str, Any]:
    """The part on the table and this program that every entity has."""
    about: dict[str, Any] = {
        "identifiers": [f"companion_{device.table}"],
        "name": device.name,
        "manufacturer": "Tabletop companion",
        "model": "Domino table",
    }
    origin = {"name": "tabletop-companion"}
    if device.version:
        about["sw_version"] = origin["sw_version"] = device.version
    if device.url:
        about["configuration_url"] = device.url
    return {
        "device": about,
        "origin": origin,
        "availability_topic": topic(device.table, "status"),
        "payload_available": ONLINE,
        "payload_not_available": OFFLINE,
    }


NO_GAME: dict[str, Any] = {
    "phase": "waiting",
    "turn": "-",
    "round": 0,
    "leader": "-",
    "last": "-",
    "question": False,
    "illegal": False,
    "totals": {},
    "points": {},
}
"""Their values while no game is being played."""


def summary(snapshot: GameView | None) -> dict[str, Any]:
    """The state those sensors show, from a session's snapshot. `points` are the totals by what a name is called in
    topics."""
    if snapshot is None:
        return NO_GAME
    totals: Mapping[str, int] = snapshot.totals
    best = (max if snapshot.most_points_win else min)(totals.values(), default=None)
    leaders = [name for name, points in totals.items() if points == best] if any(totals.values()) else []
    plays = [play for play in snapshot.plays if not is_misfit(play)]
    last: Mapping[str, Any] = plays[-1] if plays else {}
    return {
        "phase": snapshot.phase,
        "turn": snapshot.turn or "-",
        "round": snapshot.round or 0,
        "leader": ", ".join(leaders) or "-",
        "last": _text(last),
        "question": bool(snapshot.questions),
        "illegal": is_fault(last),
        "totals": dict(totals),
        "points": {slug_of(name): totals.get(name, 0) for name in snapshot.players},
    }


def _text(play: Mapping[str, Any]) -> str:
    """`Ann 12-5 on Ben`."""
    tile = play.get("tile")
    if not isinstance(tile, list | tuple) or len(tile) != 2:
        return "-"
    return f"{play.get('by') or '?'} {tile[0]}-{tile[1]} on {play.get('train') or '?'}"


KEPT_GAMES = 200


class Outbox:
    """Game -> the last seq that was confirmed. A file that is lost or damaged only means that events are said again."""

    def __init__(self, path: Path, damaged: Callable[[Path], None] = lambda aside: None) -> None:
        self._path = path
        nothing: dict[str, int] = {}
        self._confirmed = read_state(path, _confirmed_of, nothing, damaged)

    def confirmed(self, game: str) -> int:
        return self._confirmed.get(game, 0)

    @property
    def games(self) -> tuple[str, ...]:
        """Every game that was ever published from here, the oldest first."""
        return tuple(self._confirmed)

    def begin(self, game: str) -> None:
        """From now on this game is published."""
        if game not in self._confirmed:
            self._confirmed[game] = 0
            self._write()

    def limit(self, game: str, last: int) -> None:
        """The game has only so many entries: what the broker confirmed beyond is lost here, and was another end."""
        if self.confirmed(game) > last:
            self._confirmed[game] = last
            self._write()

    def confirm(self, game: str, seq: int) -> None:
        if seq > self.confirmed(game):
            self._confirmed[game] = seq
            self._write()

    def _write(self) -> None:
        while len(self._confirmed) > KEPT_GAMES:
            del self._confirmed[next(iter(self._confirmed))]
        fresh = self._path.with_name(f".{self._path.name}.new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_text(json.dumps(self._confirmed), encoding="utf-8")
            fresh.replace(self._path)
        except OSError:
            # A full disk must not stop the game; the worst is that the broker hears something twice.
            return


def _confirmed_of(kept: Any) -> dict[str, int]:
    if not isinstance(kept, dict) or not all(type(seq) is int and seq >= 0 for seq in kept.values()):
        raise ValueError
    return kept


def unfinished(outbox: Outbox, games: Path) -> Iterator[tuple[str, Game]]:
    """(name, game) of every game in the folder `games` (games/NAME/journal.jsonl) that was published in part."""
    for name in outbox.games:
        with suppress(JournalError, RuleSetError, OSError):
            game = Game.read_only(games / name / "journal.jsonl")
            if len(game.events) > outbox.confirmed(name):
                yield name, game


log = logging.getLogger(__name__)

WINDOW = 50
"""Events under way at once: enough for the network's delay, few enough to keep nothing in memory."""


MOST_WAITING = 500
"""Plays and faults of an evening without a broker; the oldest go first."""

ANOTHER_S = 120.0
"""How long the page mentions another box that has used this table's name."""

COME_BACK_S = 20.0
"""How long after the broker has come back nothing is sent to automations: Home Assistant lost it too, tries again every
ten seconds, takes a few more to listen, and nobody keeps what it misses."""

WAIT_S = 2.0
"""Between two signs of life where nothing happens."""


@dataclass(slots=True)
class _Feed:
    game: Game
    sent: int
    happenings: Happenings = field(default_factory=Happenings)
    follower: Follower = field(default_factory=Follower)
    waiting: deque[Happening] = field(default_factory=lambda: deque(maxlen=MOST_WAITING))

    def collect(self) -> GameView | None:
        """The game as it stands; what has happened since the last time waits until the broker hears it."""
        view = self.game.snapshot()
        if view is not None:
            self.waiting += self.happenings.new(view)
        return view


@dataclass(frozen=True, slots=True)
class PublishStatus:
    """How the connection to the broker is."""

    connected: bool
    behind: int
    """Events that the broker has not confirmed yet."""
    detail: str = ""

    @property
    def reasons(self) -> list[str]:
        """The reasons for `/health`: none while the broker hears us."""
        if self.connected:
            return [self.detail] if self.detail else []
        why = "refuses this user or password" if refused_password(self.detail) else "cannot be reached"
        return [f"the broker {why}; {self.behind} events wait for it"]


class Publisher(Correspondent):
    """Publishes games under a table's name. Never raises into the game, never blocks it. Events that were not confirmed
    when it is closed are sent next time.

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
        self._connected, self._connected_at = False, float("-inf")
        self._detail = "not connected yet"
        self._published_head = ("", -1)
        # Two boxes of one name would else throw each other off the broker for ever.
        self._self, self._other_at = secrets.token_hex(4), float("-inf")
        line = BrokerLine(
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
                    self._connected_at = monotonic()
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
            case ("message" | "kept", str(where), bytes(payload)) if where == topic(self.table, "status"):
                # The last will of a line from before a power cut comes up to half a minute late.
                if payload == OFFLINE.encode():
                    self._publish("status", ONLINE.encode(), retain=True)
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
        self._line.listen(topic(self.table, "status"))
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
        """Obey a button pressed in Home Assistant. A press that the game refuses changes nothing."""
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
            for one in feed.follower.news(feed.game.events, feed.game.read_otherwise(), feed.sent):
                self._publish("events", pack({"game": name, "event": one.to_json()}))
        self._publish_head()
        self._tell()

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
        self._published_head = (self._on_the_table, feed.sent)

    def _tell(self) -> None:
        """The plays and faults that wait, once others who lost the broker have had time to come back to it."""
        feed = self._feeds.get(self._on_the_table)
        while feed is not None and feed.waiting and monotonic() - self._connected_at >= COME_BACK_S:
            what, message = feed.waiting[0]
            if self._publish(what, pack(message)) is None:
                return
            feed.waiting.popleft()

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
            feed.follower.forget()

    def _publish(self, what: str, payload: bytes, *, retain: bool = False) -> int | None:
        """The message's number, or None when there is nobody to hear it."""
        return self._line.publish(topic(self.table, what), payload, retain=retain)
