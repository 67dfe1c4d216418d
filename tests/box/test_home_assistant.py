"""A real Home Assistant finds a table through a real broker: .ci/home-assistant installs it for the nightly lane."""

from __future__ import annotations

import json
import queue
import re
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins.club import MOSQUITTO, BrokerProcess, publisher
from bench.stand_ins.settling import confirm
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.publish import Publisher, parse_broker

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-home-assistant" / "bin" / "python"
AUTOMATIONS = ROOT / "docs/examples/home_assistant.yaml"
PATIENCE_S = 120.0

States = Mapping[str, str]


class HomeAssistant:
    """A real Home Assistant: the states of its entities, and the actions that the documented automations ask for."""

    def __init__(self, folder: Path, port: int) -> None:
        folder.mkdir(exist_ok=True)
        program = Path(__file__).with_name("real_home_assistant.py")
        self._process = subprocess.Popen(
            [PYTHON, program, folder, str(port), AUTOMATIONS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._said: queue.Queue[Mapping[str, Any] | None] = queue.Queue()
        self.states: States = {}
        self.asked: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._said.put(json.loads(line))
        self._said.put(None)

    def comes_to(self, wanted: Callable[[States], bool]) -> States:
        """The first states for which `wanted` holds."""
        while not wanted(self.states):
            try:
                said = self._said.get(timeout=PATIENCE_S)
            except queue.Empty:
                raise AssertionError(f"Home Assistant says nothing more; it has {self.states}") from None
            assert said is not None, f"Home Assistant has ended; it had {self.states}"
            self.states = said.get("states", self.states)
            self.asked += [" ".join(said["asked"]).strip()] if "asked" in said else []
        return self.states

    def close(self) -> None:
        """Twice is no error."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE_S)
        self._reader.join()
        while not self._said.empty():
            said = self._said.get() or {}
            self.asked += [" ".join(said["asked"]).strip()] if "asked" in said else []


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    assert MOSQUITTO is not None, "mosquitto is not installed; .ci/broker does it"
    assert PYTHON.is_file(), "Home Assistant is not installed; .ci/home-assistant does it"
    process = BrokerProcess(tmp_path)
    process.start()
    yield process
    process.kill()


def documented() -> set[str]:
    """The entities of a table that docs/mqtt.md and the automations name."""
    pages = (ROOT / "docs/mqtt.md", ROOT / "docs/examples/home_assistant.yaml")
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    return set(re.findall(r"\b(?:sensor|binary_sensor|event|button)\.table_1_\w+", text))


def begin(session: Game) -> None:
    """A round in which the first player has laid a tile."""
    first = session.header.players[0]
    session.start_round((12, 12), first)
    session.play((12, 5), first)


def end(session: Game, left: Mapping[str, tuple[int, int]]) -> None:
    """The round is blocked, with this tile in each hand that has one."""
    session.end_round("blocked_declared")
    for player in session.header.players:
        session.show_hand(player, [left[player]] if player in left else [])


@pytest.mark.nightly
def test_home_assistant_keeps_a_table_right_over_two_games(broker: BrokerProcess, tmp_path: Path) -> None:
    table = publisher(broker.address, tmp_path, "Table 1", commands={"next_round": list, "undo": list})
    table.start()
    home = HomeAssistant(tmp_path / "home-assistant", broker.port)
    first = Game.create(tmp_path / "one.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    second = Game.create(tmp_path / "two.jsonl", Header("tactic", "double-12", ("Zoe", "Ann")))
    try:
        points = {"sensor.table_1_ann", "sensor.table_1_ben"}
        assert len(documented()) > 6
        waiting = dict.fromkeys(documented() - points, "unknown") | {
            "sensor.table_1_phase": "waiting",
            "sensor.table_1_turn": "-",
            "sensor.table_1_leader": "-",
            "sensor.table_1_last_play": "-",
            "event.table_1_play": "unknown",
        }
        states = home.comes_to(lambda said: waiting.items() <= said.items())
        assert points.isdisjoint(states), "nobody has sat down yet"

        table.follow("one", first)
        home.comes_to(lambda said: said.get("sensor.table_1_ann") == said.get("sensor.table_1_ben") == "0")
        begin(first)
        home.comes_to(lambda said: said["sensor.table_1_last_play"] == "Ann 12-5 on Ann")
        home.comes_to(lambda said: said["event.table_1_play"] != "unknown")
        end(first, {"Ben": (9, 9)})
        states = home.comes_to(
            lambda said: said.get("sensor.table_1_ben") == "18" and said["sensor.table_1_leader"] == "Ann"
        )
        assert documented() <= states.keys()
        assert states["sensor.table_1_ann"] == "0"

        table.follow("two", second)
        begin(second)
        end(second, {"Zoe": (4, 4), "Ann": (1, 2)})
        states = home.comes_to(lambda said: said.get("sensor.table_1_zoe") == "8" and said["sensor.table_1_ann"] == "3")
        assert "sensor.table_1_ben" not in states, "nobody else's points are shown as those of who does not play"
        assert [one for one in states if re.search(r"_\d+$", one)] == [], "nobody's sensor is there twice"
    finally:
        home.close()
        table.close()
        first.close()
        second.close()


def at_table_1(broker: BrokerProcess, folder: Path, session: Game) -> Publisher:
    table = publisher(parse_broker(f"mqtt://127.0.0.1:{broker.port}/"), folder, "Table 1")
    table.follow("one", session)
    table.start()
    return table


def break_a_rule(session: Game, tile: tuple[int, int], by: str) -> None:
    """A tile laid where it does not fit."""
    session.play(tile, by, by=by)
    confirm(session)


@pytest.mark.nightly
def test_the_documented_automations_run_once_for_what_is_new(broker: BrokerProcess, tmp_path: Path) -> None:
    session = Game.create(tmp_path / "one.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    home = HomeAssistant(tmp_path / "home-assistant", broker.port)
    table = at_table_1(broker, tmp_path, session)
    lamp = "light.turn_on"
    try:
        home.comes_to(lambda said: said.get("sensor.table_1_leader") == "-")
        begin(session)
        home.comes_to(lambda said: said["event.table_1_play"] != "unknown")
        break_a_rule(session, (7, 6), "Ben")
        home.comes_to(lambda _: bool(home.asked))
        assert home.asked == [lamp]

        # The broker is away while a second rule is broken and the round ends.
        broker.kill()
        home.comes_to(lambda said: said["event.table_1_fault"] == "unavailable")
        break_a_rule(session, (3, 2), "Ann")
        end(session, {"Ben": (9, 9)})
        session.start_round((11, 11), "Ben")
        broker.start()
        home.comes_to(lambda said: said["sensor.table_1_leader"] == "Ann" and home.asked.count(lamp) == 2)
        fault = home.states["event.table_1_fault"]
        assert not any("- leads" in one for one in home.asked)

        # Home Assistant is started again, and then the table.
        home.close()
        assert home.asked.count(lamp) == 2
        home = HomeAssistant(tmp_path / "home-assistant", broker.port)
        home.comes_to(lambda said: said.get("event.table_1_fault") == fault and said["sensor.table_1_leader"] == "Ann")
        table.close()
        home.comes_to(lambda said: said["event.table_1_fault"] == "unavailable")
        table = at_table_1(broker, tmp_path, session)
        home.comes_to(lambda said: said["event.table_1_fault"] == fault and said["sensor.table_1_leader"] == "Ann")
        end(session, {"Ann": (12, 12), "Ben": (1, 1)})
        home.comes_to(lambda said: said["sensor.table_1_leader"] == "Ben" and bool(home.asked))
        assert home.asked == ["notify.persistent_notification Ben leads"]
        session.start_round((10, 10), "Ben")
        break_a_rule(session, (7, 6), "Ben")
        home.comes_to(lambda said: said["event.table_1_fault"] != fault and len(home.asked) > 1)
        assert home.asked[1:] == [lamp]
    finally:
        home.close()
        table.close()
        session.close()
