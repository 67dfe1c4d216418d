"""Tables on one broker that is killed and started again: nothing may be lost, nothing doubled."""

from __future__ import annotations

import random
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.stand_ins import tables
from bench.stand_ins.views import view_of
from companion.game.game_view import GameView
from companion.hall import Hall
from companion.log.event_fields import Header
from companion.log.events import Corrected, Drew, Event
from companion.log.journal import Journal
from companion.publish import Broker, Outbox, Publisher
from companion.publish.broker import table_id

MOSQUITTO = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin:/opt/homebrew/sbin")
PATIENCE_S = 90.0


class BrokerProcess:
    """A Mosquitto of our own, which keeps nothing: the hardest case when it is killed."""

    def __init__(self, folder: Path, more: str = "", *, anonymous: bool = True) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self._config = folder / "mosquitto.conf"
        self._config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous {str(anonymous).lower()}\npersistence false\n{more}",
            encoding="ascii",
        )
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> Broker:
        return Broker("127.0.0.1", self.port)

    def start(self) -> None:
        assert MOSQUITTO is not None
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen([MOSQUITTO, "-c", str(self._config)], stdout=quiet, stderr=quiet)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@dataclass
class TableGame:
    """A session as far as publishing sees it, over a real journal."""

    journal: Journal
    listeners: list[Callable[..., None]] = field(default_factory=list)

    @property
    def header(self) -> Header:
        return self.journal.header

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(self.journal.events)

    def read_otherwise(self) -> tuple[Corrected, ...]:
        return ()

    def snapshot(self) -> GameView:
        return view_of(
            tables.midgame(players=["Ann", "Ben"], turn="Ann", totals={"Ann": 3, "Ben": 7}, round=1, plays=[])
        )

    def subscribe(self, callback: Callable[..., None]) -> None:
        self.listeners.append(callback)

    def play(self, count: int) -> None:
        for _ in range(count):
            self.journal.append(Drew(by="Ann"))
            for listener in self.listeners:
                listener()


HEADER = Header("tactic", "double-9", ("Ann", "Ben"))


class Watched:
    """A hall that can be waited for."""

    def __init__(self, broker: Broker) -> None:
        self.hall = Hall(broker)

    def wait_for(self, wanted: Callable[[], bool]) -> bool:
        until = time.monotonic() + PATIENCE_S
        while not (there := wanted()) and time.monotonic() < until:
            time.sleep(0.01)
        return there

    def lines(self, table: str) -> list[int]:
        return [line["seq"] for line in self.hall.events(table)]

    def __enter__(self) -> Watched:
        self.hall.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.hall.close()


def publisher(broker: Broker, folder: Path, name: str, **more: Any) -> Publisher:
    return Publisher(broker, name, Outbox(folder / f"{table_id(name)}.json"), **more)


@dataclass(frozen=True, slots=True)
class ClubReport:
    """`events` were recorded at each of the tables while the broker was killed `kills` times."""

    tables: int
    events: int
    kills: int
    lost: int
    doubled: int


def meet(folder: Path, tables: int, events: int, kills: int, seed: int = 1) -> ClubReport:
    """All tables play `events` events in portions; between portions the broker, which remembers nothing, is killed or
    started. At the end the hall must have each table's journal."""
    chance = random.Random(seed)
    broker = BrokerProcess(folder)
    broker.start()
    games, publishers = {}, []
    for number in range(1, tables + 1):
        place = folder / "games" / f"table-{number}"
        place.mkdir(parents=True)
        games[table_id(f"Table {number}")] = TableGame(Journal.create(place / "journal.jsonl", HEADER))
        publishers.append(publisher(broker.address, folder, f"Table {number}"))
    try:
        with Watched(broker.address) as watched:
            for table in publishers:
                table.start()
                table.follow(f"evening-{table.table}", games[table.table])
            portions = 2 * kills + 1
            for portion in range(portions):
                if portion:
                    broker.kill() if portion % 2 else broker.start()
                share = events * (portion + 1) // portions - events * portion // portions
                for game in games.values():
                    game.play(share)
                heard = chance.random() < 0.5
                if heard and portion % 2 == 0:
                    # Sometimes the hall is level before the next kill, sometimes in the middle of catching up.
                    told = len(next(iter(games.values())).events)
                    watched.wait_for(lambda told=told: all(len(watched.lines(table)) >= told for table in games))
            watched.wait_for(lambda: all(len(watched.lines(table)) >= events for table in games))
            lines = {table: watched.lines(table) for table in games}
        lost = sum(len(set(range(1, events + 1)) - set(seen)) for seen in lines.values())
        doubled = sum(len(seen) - len(set(seen)) for seen in lines.values())
        return ClubReport(tables, events, kills, lost, doubled)
    finally:
        for table in publishers:
            table.close()
        broker.kill()
        for game in games.values():
            game.journal.close()
