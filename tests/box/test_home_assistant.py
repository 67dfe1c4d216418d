"""A real Home Assistant finds a table through a real broker: .ci/home-assistant installs it for the nightly lane."""

from __future__ import annotations

import json
import queue
import re
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from bench.stand_ins.club import MOSQUITTO, BrokerProcess, publisher
from companion.game.session import Session
from companion.log.event_fields import Header

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-home-assistant" / "bin" / "python"
PATIENCE_S = 120.0

States = Mapping[str, str]


class HomeAssistant:
    """What it says of its entities."""

    def __init__(self, folder: Path, port: int) -> None:
        folder.mkdir()
        program = Path(__file__).with_name("real_home_assistant.py")
        self._process = subprocess.Popen(
            [PYTHON, program, folder, str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._said: queue.Queue[States | None] = queue.Queue()
        self.states: States = {}
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
            self.states = said
        return self.states

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE_S)
        self._reader.join()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    if MOSQUITTO is None:
        pytest.skip("mosquitto is not installed")
    if not PYTHON.is_file():
        pytest.skip("Home Assistant is not installed; .ci/home-assistant does it")
    process = BrokerProcess(tmp_path)
    process.start()
    yield process
    process.kill()


def documented() -> set[str]:
    """The entities of a table that docs/mqtt.md and the automations name."""
    pages = (ROOT / "docs/mqtt.md", ROOT / "docs/examples/home_assistant.yaml")
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    return set(re.findall(r"\b(?:sensor|binary_sensor|event|button)\.table_1_\w+", text))


def begin(session: Session) -> None:
    """A round in which the first player has laid a tile."""
    first = session.header.players[0]
    session.start_round((12, 12), first)
    session.play((12, 5), first)


def end(session: Session, left: Mapping[str, tuple[int, int]]) -> None:
    """The round is blocked, with this tile in each hand that has one."""
    session.end_round("blocked_declared")
    for player in session.header.players:
        session.show_hand(player, [left[player]] if player in left else [])


@pytest.mark.nightly
def test_home_assistant_keeps_a_table_right_over_two_games(broker: BrokerProcess, tmp_path: Path) -> None:
    table = publisher(broker.address, tmp_path, "Table 1", commands={"next_round": list, "undo": list})
    table.start()
    home = HomeAssistant(tmp_path / "home-assistant", broker.port)
    first = Session.create(tmp_path / "one.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    second = Session.create(tmp_path / "two.jsonl", Header("tactic", "double-12", ("Zoe", "Ann")))
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
        states = home.comes_to(lambda said: said.get("sensor.table_1_ben") == "18")
        assert documented() <= states.keys()
        assert (states["sensor.table_1_ann"], states["sensor.table_1_leader"]) == ("0", "Ann")

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
