"""Tables, a hall and a real broker on the loopback, which is killed and started again."""

from __future__ import annotations

import getpass
import json
import queue
import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import paho.mqtt.client as mqtt
import pytest
import yaml
from click.testing import CliRunner
from jinja2 import Environment
from paho.mqtt.enums import CallbackAPIVersion

import companion.publish.publisher as publishing
from bench.stand_ins import tables
from bench.stand_ins.club import HEADER, MOSQUITTO, BrokerProcess, TableGame, Watched, meet, publisher
from bench.stand_ins.fakes import FakeClock
from bench.stand_ins.settling import confirm
from bench.stand_ins.views import view_of
from companion.cli.serve import own_table_name, serve
from companion.game.game import Game
from companion.hall import Hall
from companion.hall.page import create_hall_app
from companion.log.event_fields import Header
from companion.log.journal import Journal, entering
from companion.publish import Broker, Outbox, parse_broker
from companion.publish.broker import CA_VARIABLE, BrokerLine, table_id
from companion.publish.publisher import NO_GAME, Happenings, TableDevice, discovery, summary, unfinished
from tests.box import home_assistant
from tests.shown import state_of

PATIENCE_S = 90.0


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    if MOSQUITTO is None:
        pytest.skip("mosquitto is not installed")
    process = BrokerProcess(tmp_path)
    process.start()
    yield process
    process.kill()


@pytest.fixture
def new_game(tmp_path: Path) -> Iterator[Callable[[str], TableGame]]:
    journals = []

    def make(name: str) -> TableGame:
        folder = tmp_path / "games" / name
        folder.mkdir(parents=True)
        journals.append(Journal.create(folder / "journal.jsonl", HEADER))
        return TableGame(journals[-1])

    yield make
    for journal in journals:
        journal.close()


def test_four_tables_on_one_broker_that_is_killed_lose_and_double_nothing(tmp_path: Path) -> None:
    if MOSQUITTO is None:
        pytest.skip("mosquitto is not installed")
    report = meet(tmp_path, tables=4, events=90, kills=1)
    assert (report.lost, report.doubled) == (0, 0)


def test_a_hall_that_comes_late_hears_the_whole_evening(
    broker: BrokerProcess, tmp_path: Path, new_game: Callable[[str], TableGame]
) -> None:
    game = new_game("evening")
    game.play(120)
    with publisher(broker.address, tmp_path, "Table 1") as table:
        table.follow("evening", game)
        with Watched(broker.address) as first:
            assert first.wait_for(lambda: len(first.lines("table-1")) == 120)
        with Watched(broker.address) as late:
            assert late.wait_for(lambda: late.lines("table-1") == list(range(1, 121)))


def test_a_box_that_was_switched_off_says_the_rest_when_it_comes_back(
    broker: BrokerProcess, tmp_path: Path, new_game: Callable[[str], TableGame]
) -> None:
    game = new_game("evening")
    game.play(10)
    with Watched(broker.address) as watched:
        with publisher(broker.address, tmp_path, "Table 1") as table:
            table.follow("evening", game)
            assert watched.wait_for(lambda: len(watched.lines("table-1")) == 10)
            assert watched.wait_for(lambda: table.status.behind == 0)
            assert table.status.connected
        game.play(15)
        again = publisher(broker.address, tmp_path, "Table 1")
        [(name, rest)] = unfinished(Outbox(tmp_path / "table-1.json"), tmp_path / "games")
        with again:
            again.catch_up(name, rest)
            assert watched.wait_for(lambda: watched.lines("table-1") == list(range(1, 26)))


def test_a_table_that_vanishes_is_offline_and_a_new_game_starts_a_new_sheet(
    broker: BrokerProcess, tmp_path: Path, new_game: Callable[[str], TableGame]
) -> None:
    first, second = new_game("first"), new_game("second")
    first.play(5)
    second.play(2)

    def shown(watched: Watched) -> dict[str, Any]:
        return next(iter(state_of(watched.hall)["tables"]), {})

    with Watched(broker.address) as watched:
        with publisher(broker.address, tmp_path, "Table 1") as table:
            table.follow("first", first)
            assert watched.wait_for(lambda: watched.lines("table-1") == [1, 2, 3, 4, 5])
            table.follow("second", second)
            assert watched.wait_for(lambda: shown(watched).get("game") == "second" and shown(watched)["complete"])
            assert shown(watched)["online"]
            assert watched.lines("table-1") == [1, 2]
        assert watched.wait_for(lambda: not shown(watched)["online"])


def test_the_last_will_of_a_box_before_a_power_cut_leaves_the_table_online(
    broker: BrokerProcess, tmp_path: Path, new_game: Callable[[str], TableGame]
) -> None:
    """The broker says it once it has missed the old line, when the box has long been back under another name."""
    game = new_game("evening")
    said = queue.SimpleQueue[bytes]()
    before, home = mqtt.Client(CallbackAPIVersion.VERSION2), mqtt.Client(CallbackAPIVersion.VERSION2)
    before.will_set("companion/table-1/status", "offline", qos=1, retain=True)
    home.on_message = lambda client, data, message: said.put(message.payload)
    with publisher(broker.address, tmp_path, "Table 1") as table:
        table.follow("evening", game)
        game.play(1)
        assert _wait(lambda: table.status.connected and table.status.behind == 0)
        before.connect("127.0.0.1", broker.port)
        home.connect("127.0.0.1", broker.port)
        home.loop_start()
        home.subscribe("companion/table-1/status", qos=1)
        assert said.get(timeout=PATIENCE_S) == b"online"
        before.socket().close()
        assert [said.get(timeout=PATIENCE_S) for _ in range(2)] == [b"offline", b"online"]
    assert said.get(timeout=PATIENCE_S) == b"offline"
    home.loop_stop()
    home.disconnect()


def test_a_button_of_home_assistant_reaches_the_game_and_a_refusal_ends_nothing(
    broker: BrokerProcess, tmp_path: Path, new_game: Callable[[str], TableGame]
) -> None:
    pressed: queue.SimpleQueue[str] = queue.SimpleQueue()

    def refuse() -> None:
        pressed.put("next_round")
        raise ValueError("the round is not over")

    def undo() -> None:
        person = entering()
        pressed.put(f"undo by {person.author if person else None}")

    commands = {"next_round": refuse, "undo": undo}
    game = new_game("evening")
    with publisher(broker.address, tmp_path, "Table 1", commands=commands) as table, Watched(broker.address) as watched:
        table.follow("evening", game)
        game.play(2)
        assert watched.wait_for(lambda: len(watched.lines("table-1")) == 2)
        assistant = mqtt.Client(CallbackAPIVersion.VERSION2)
        assistant.connect("127.0.0.1", broker.port)
        assistant.loop_start()
        for payload in (b"next_round", b"\xff", b"delete everything", b"undo"):
            assistant.publish("companion/table-1/command", payload, qos=1).wait_for_publish(PATIENCE_S)
        assert [pressed.get(timeout=PATIENCE_S) for _ in range(2)] == ["next_round", "undo by *assistant"]
        assistant.loop_stop()
        assistant.disconnect()
        game.play(1)
        assert watched.wait_for(lambda: len(watched.lines("table-1")) == 3)


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # paho leaves its sockets to be collected
def test_a_network_thread_that_dies_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: queue.SimpleQueue[int] = queue.SimpleQueue()

    def dies(*_: object, **__: object) -> None:
        begun.put(1)

    monkeypatch.setattr(mqtt.Client, "loop_forever", dies)
    monkeypatch.setattr("companion.publish.publisher.WAIT_S", 0.01)
    with publisher(parse_broker("127.0.0.1:9"), tmp_path, "Table 1"):
        assert [begun.get(timeout=PATIENCE_S) for _ in range(3)] == [1, 1, 1]


def test_strangers_on_the_broker_break_nothing(
    broker: BrokerProcess, tmp_path: Path, new_game: Callable[[str], TableGame]
) -> None:
    game = new_game("evening")
    with Watched(broker.address) as watched, publisher(broker.address, tmp_path, "Table 1") as table:
        table.follow("evening", game)
        game.play(3)
        assert watched.wait_for(lambda: len(watched.lines("table-1")) == 3)
        stranger = mqtt.Client(CallbackAPIVersion.VERSION2)
        stranger.connect("127.0.0.1", broker.port)
        stranger.loop_start()
        nonsense = (
            b"",
            b"{",
            b"[" * 100_000,
            b"\xff\xfe",
            b'{"game": 1}',
            b'{"game": "evening", "event": {"seq": NaN}}',
        )
        for payload in nonsense:
            for what in ("events", "head", "resend", "status", "x/y"):
                stranger.publish(f"companion/table-1/{what}", payload, qos=1)
        stranger.publish("companion/table-1/resend", b'{"game": "evening", "after": -5}', qos=1).wait_for_publish(30)
        game.play(3)
        assert watched.wait_for(lambda: watched.lines("table-1") == [1, 2, 3, 4, 5, 6])
        stranger.disconnect()
        stranger.loop_stop()


def test_without_a_broker_the_game_goes_on_and_the_status_says_why(
    tmp_path: Path, new_game: Callable[[str], TableGame]
) -> None:
    game = new_game("evening")
    with publisher(Broker("127.0.0.1", 1), tmp_path, "Table 1") as table:
        table.follow("evening", game)
        game.play(5)
        assert not table.status.connected
    assert len(game.events) == 5


def test_a_damaged_outbox_only_means_saying_it_again(tmp_path: Path) -> None:
    file = tmp_path / "outbox.json"
    outbox = Outbox(file)
    outbox.begin("a")
    outbox.confirm("a", 7)
    outbox.confirm("a", 3)
    assert Outbox(file).confirmed("a") == 7
    for damage in ("", "{", "[]", '{"a": "x"}', '{"a": -1}'):
        file.write_text(damage, encoding="ascii")
        assert Outbox(file).confirmed("a") == 0


def test_home_assistant_finds_every_sensor_in_the_state_it_is_pointed_to() -> None:
    snapshot = tables.midgame() | {
        "phase": "playing",
        "turn": "Ben",
        "round": 2,
        "players": ["Ann", "Ben"],
        "totals": {"Ann": 12, "Ben": 4},
        "questions": [],
        "plays": [
            {"by": "Ann", "tile": [12, 5], "train": "Ben", "violations": [{"code": "CLOSED_TRAIN", "certain": True}]}
        ],
    }
    state = summary(view_of(snapshot))
    assert state["leader"] == "Ben"
    assert state["last"] == "Ann 12-5 on Ben"
    assert state["illegal"] is True
    configs = discovery(TableDevice("table-1", "Table 1", "1.2", "http://10.0.0.7:8000", ("Ann", "Ben"), buttons=True))
    assert len({config["unique_id"] for config in configs.values()}) == len(configs) == 13
    for where, config in configs.items():
        assert where.startswith("homeassistant/")
        assert config["device"]["sw_version"] == config["origin"]["sw_version"] == "1.2"
        assert config["device"]["configuration_url"] == "http://10.0.0.7:8000"
        if "value_template" in config:
            shown = Environment().from_string(config["value_template"]).render(value_json=state)
            assert shown != "", config["name"]
    points = [one for one in configs.values() if one.get("state_class")]
    shown = {one["name"]: Environment().from_string(one["value_template"]).render(value_json=state) for one in points}
    assert shown == {"Ann": "12", "Ben": "4"}
    shown = {one["name"]: Environment().from_string(one["value_template"]).render(value_json=NO_GAME) for one in points}
    assert shown == {"Ann": "None", "Ben": "None"}, "unknown to Home Assistant"
    assert summary(None)["leader"] == "-"


ROOM_NAMES = (
    "Table 1",
    "Стіл 1",
    "Стол 1",
    "Кухня",
    "Kuchyň",
    "রান্নাঘর",
    "厨房",
    "Tisch 3, Kästner",
    "x" * 45,
    "x" * 44,
    "🦊",
    "\U0001f3f3\ufe0f\u200d\U0001f308",
    "\U0001fae9",
)


def test_a_table_s_name_in_any_language_becomes_a_topic_of_its_own() -> None:
    assert table_id("Table 1") == table_id("table 1") == "table-1"
    topics = [table_id(name) for name in ROOM_NAMES]
    assert len(set(topics)) == len(ROOM_NAMES)
    assert all(re.fullmatch(r"[a-z0-9-]{1,60}", one) for one in topics)
    assert table_id("Kuchyn\u030c") == table_id("Kuchyň"), "the same letters, written in two ways"


@pytest.mark.parametrize("name", ["//#+", "", "   ", "a" * 61, "Table\x001", "Table \udcff"])
def test_a_table_s_name_that_is_none_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected a name"):
        table_id(name)
    result = CliRunner().invoke(serve, ["--table-name", name, "--data", str(tmp_path / "games"), "--port", "0"])
    assert result.exit_code == 2 and "--table-name" in result.output and "Traceback" not in result.output
    assert not (tmp_path / "games").exists(), "before anything has changed"


def test_a_cloned_card_in_another_box_is_another_table(tmp_path: Path) -> None:
    (tmp_path / "machine-id").write_text("1" * 32, encoding="ascii")
    names = set()
    for serial in ("10000000abcd0001", "10000000abcd0002"):
        (tmp_path / "serial").write_text(serial, encoding="ascii")
        names.add(own_table_name(tmp_path / "machine-id", tmp_path / "serial"))
    names.add(own_table_name(tmp_path / "machine-id", tmp_path / "no board number"))
    assert len(names) == 3


def test_two_boxes_of_one_name_are_named_on_both(
    broker: BrokerProcess, tmp_path: Path, new_game: Callable[[str], TableGame]
) -> None:
    boxes = []
    for number in "12":
        (tmp_path / number).mkdir()
        boxes.append(publisher(broker.address, tmp_path / number, "Table 7"))
    with boxes[0], boxes[1]:
        games = [new_game(f"game-{number}") for number in "12"]
        for box, game in zip(boxes, games, strict=True):
            box.follow("evening", game)
            game.play(1)
        said = "another box tells the broker of a table called Table 7, too"
        assert _wait(lambda: all(box.status.reasons == [said] for box in boxes)), [box.status for box in boxes]


def test_one_box_that_starts_again_is_no_other(
    broker: BrokerProcess, tmp_path: Path, new_game: Callable[[str], TableGame]
) -> None:
    game = new_game("evening")
    for _ in range(2):
        with publisher(broker.address, tmp_path, "Table 7") as box:
            box.follow("evening", game)
            game.play(2)
            assert _wait(lambda box=box: box.status.connected and box.status.behind == 0)  # type: ignore[misc]
            time.sleep(0.5)
            assert box.status.reasons == []


def _wait(true: Callable[[], bool]) -> bool:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if true():
            return True
        time.sleep(0.05)
    return False


def test_a_wrong_password_is_said_as_such(tmp_path: Path) -> None:
    if MOSQUITTO is None:
        pytest.skip("mosquitto is not installed")
    passwords = tmp_path / "passwords"
    secret = MOSQUITTO.replace("sbin/mosquitto", "bin/mosquitto_passwd")
    subprocess.run([secret, "-c", "-b", str(passwords), "companion", "right"], check=True, capture_output=True)
    process = BrokerProcess(tmp_path, more=f"password_file {passwords}\nuser {getpass.getuser()}\n", anonymous=False)
    process.start()
    address = Broker("127.0.0.1", process.port, "companion", "wrong")
    hall = Hall(address)
    try:
        with publisher(address, tmp_path, "Table 7") as box, hall:
            refused = "the broker refuses this user or password; 0 events wait for it"
            assert _wait(lambda: box.status.reasons == [refused]), box.status
            assert _wait(lambda: bool(hall.snapshot()["refused"]))
    finally:
        process.kill()
    page = create_hall_app(hall).test_client().get("/").get_data(as_text=True)
    assert "The broker refuses this user or password." in page


def test_home_assistant_gets_buttons_only_where_the_household_says_so() -> None:
    kinds = {where.split("/")[1] for where in discovery(TableDevice("table-1", "Table 1"))}
    assert kinds == {"sensor", "binary_sensor", "event"}


def played(seq: int, *findings: dict[str, object], **more: object) -> dict[str, object]:
    tile = {"seq": seq, "event": "tile_played", "by": "Ann", "tile": [12, seq], "train": "Ben"}
    return {**tile, "violations": list(findings), **more}


def test_home_assistant_takes_every_entity_by_its_own_schema() -> None:
    device = TableDevice("table-1", "Table 1", "1.2", "http://10.0.0.7:8000", ("Ann", "Ben"), buttons=True)
    for where, config in discovery(device).items():
        known = home_assistant.TOPIC.fullmatch(where)
        assert known is not None, where
        jsonschema.validate(config, home_assistant.PLATFORMS[known["component"]])
    for bare in discovery(TableDevice("kuchyn-2f", "Kuchyň")).values():
        assert "configuration_url" not in bare["device"], "what is not known is left out, an empty address is refused"


def test_the_documents_card_and_automation_fit_home_assistant_and_the_table_s_entities() -> None:
    document = (Path(__file__).parents[2] / "docs/mqtt.md").read_text(encoding="utf-8")
    card, automation = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", document, re.S))
    jsonschema.validate(card, home_assistant.CARD)
    jsonschema.validate(automation, home_assistant.AUTOMATION)
    device = TableDevice("table-1", "Table 1", players=("Ann", "Ben"), buttons=True)
    there = {
        home_assistant.entity_id(where.split("/")[1], device.name, config["name"]): config
        for where, config in discovery(device).items()
    }
    assert set(card["entities"]) <= set(there)
    [trigger], [_, condition] = automation["triggers"], automation["conditions"]
    assert trigger["entity_id"] == condition["entity_id"]
    assert condition["attribute"] == "event_type" and condition["state"] in there[trigger["entity_id"]]["event_types"]


def runs(automation: dict[str, Any], before: str | None, after: str, **attributes: str) -> bool:
    """Whether Home Assistant would run an automation for this change of the state that it waits for. None: the entity
    has only just come."""

    def among(names: Any, state: str | None) -> bool:
        return state in ([names] if isinstance(names, str) else names)

    [trigger] = automation["triggers"]
    if among(trigger.get("not_from", []), before) or among(trigger.get("not_to", []), after):
        return False
    for condition in automation["conditions"]:
        states = {"from_state": None if before is None else {"state": before}, "to_state": {"state": after}}
        said = Environment().from_string(condition.get("value_template", "True")).render(trigger=states)
        wrong = "attribute" in condition and attributes.get(condition["attribute"]) != condition["state"]
        if said != "True" or wrong:
            return False
    return True


def test_the_documented_automations_run_for_what_is_new_alone() -> None:
    root = Path(__file__).parents[2]
    lamp, leader = yaml.safe_load((root / "docs/examples/home_assistant.yaml").read_text(encoding="utf-8"))
    blocks = re.findall(r"```yaml\n(.*?)```", (root / "docs/mqtt.md").read_text(encoding="utf-8"), re.S)
    for one in (lamp, yaml.safe_load(blocks[1])):
        assert runs(one, "2026-11-28T18:00:00", "2026-11-28T18:05:00", event_type="certain")
        assert runs(one, "unknown", "2026-11-28T18:05:00", event_type="certain"), "the first fault of all"
        assert not runs(one, "2026-11-28T18:00:00", "2026-11-28T18:05:00", event_type="possible")
        assert not runs(one, "unavailable", "2026-11-28T18:00:00", event_type="certain"), "the table was started again"
        assert not runs(one, None, "2026-11-28T18:00:00", event_type="certain"), "Home Assistant was started again"
        assert not runs(one, "2026-11-28T18:00:00", "unavailable", event_type="certain")
    assert runs(leader, "Ann", "Ben") and runs(leader, "-", "Ann")
    assert not any(runs(leader, before, "-") for before in ("Ann", "unknown", "unavailable"))
    assert not any(runs(leader, before, "Ann") for before in ("unavailable", "unknown", None))


def test_points_are_a_persons_wherever_they_sit() -> None:
    before, after = (
        {one["unique_id"]: one for one in discovery(TableDevice("table-1", "Table 1", players=players)).values()}
        for players in (("Ann", "Ben"), ("Zoe", "Ann"))
    )
    [mine] = [key for key, one in before.items() if one["name"] == "Ann"]
    assert after[mine] == before[mine]
    state = summary(view_of(tables.waiting(["Zoe", "Ann"], totals={"Zoe": 30, "Ann": 7})))
    assert Environment().from_string(after[mine]["value_template"]).render(value_json=state) == "7"
    odd = ("!!", "O'Neil", "Оля", "x" * 60, '"')
    configs = discovery(TableDevice("table-1", "Table 1", players=odd))
    points = summary(view_of(tables.waiting(odd, totals=dict.fromkeys(odd, 3))))
    shown = [
        Environment().from_string(one["value_template"]).render(value_json=points)
        for one in configs.values()
        if one.get("state_class")
    ]
    assert shown == ["3"] * len(odd) and all(home_assistant.TOPIC.fullmatch(where) for where in configs)


class DeafLine:
    """A line to a broker that is there, or is not."""

    def __init__(self, *_: object, **__: object) -> None:
        self.there = False
        self.said: list[tuple[str, bytes]] = []

    def publish(self, where: str, payload: bytes, *, retain: bool = False) -> int | None:
        if not self.there:
            return None
        self.said.append((where, payload))
        return len(self.said)

    def keep(self) -> None: ...

    def listen(self, _topic: str) -> None: ...

    def happenings(self) -> list[tuple[str, int]]:
        said = [
            (what, payload) for where, payload in self.said if (what := where.rpartition("/")[2]) in ("play", "fault")
        ]
        return [(what, json.loads(payload)["round"]) for what, payload in said]


def test_what_happened_while_the_broker_was_away_is_said_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "BrokerLine", DeafLine)
    clock = FakeClock()
    monkeypatch.setattr(publishing, "monotonic", clock)
    told = publishing.Publisher(Broker("box.local"), "Table 1", Outbox(tmp_path / "published.json"))
    line: Any = told._line

    def work() -> None:
        while not told._mail.empty():
            told._work()

    told._mail.put(("connected", ""))
    line.there = True
    work()
    states = [json.loads(payload) for where, payload in line.said if where.endswith("/state")]
    assert states == [NO_GAME], "known before the first game"
    session = Game.create(tmp_path / "g.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    told.follow("g", session)
    work()
    session.start_round((12, 12), "Ann")
    session.play((12, 5), "Ann")
    clock.now_s += publishing.COME_BACK_S
    work()
    assert line.happenings() == [("play", 1)]
    line.there = False
    told._mail.put(("disconnected", "gone"))
    work()
    for act in (
        lambda: session.play((12, 9), "Ben"),
        lambda: session.play((7, 7), "Ann"),
        lambda: confirm(session),
        lambda: session.end_round("blocked_declared"),
        lambda: session.show_hand("Ann", []),
        lambda: session.show_hand("Ben", [(9, 9)]),
        lambda: session.start_round(),
        lambda: session.play((11, 1), "Ben", by="Ben"),
    ):
        act()
        work()
    assert line.happenings() == [("play", 1)]
    line.there = True
    told._mail.put(("connected", ""))
    work()
    assert line.happenings() == [("play", 1)], "others that lost the broker are not back yet"
    clock.now_s += publishing.COME_BACK_S
    told._mail.put(("nothing",))
    work()
    said = line.happenings()
    assert [what for what, number in said if number == 1].count("play") == 3 and ("play", 2) in said
    assert [what for what, number in said if number == 1].count("fault") >= 1
    told._mail.put(("events",))
    work()
    assert line.happenings() == said, "nothing is said twice"
    session.close()


def test_each_play_and_each_fault_happens_once() -> None:
    happenings = Happenings()
    closed, late = {"code": "CLOSED_TRAIN", "certain": True}, {"code": "NO_DRAW", "certain": False}
    assert happenings.new(view_of(tables.midgame(round=1, plays=[played(2, closed)]))) == []
    news = happenings.new(view_of(tables.midgame(round=1, plays=[played(2, closed), played(3, late)])))
    assert [(what, message["event_type"], message["by"]) for what, message in news] == [
        ("play", "tile_played", "Ann"),
        ("fault", "possible", None),
    ]
    surer = {"code": "NO_DRAW", "certain": True, "by": "Ben"}
    news = happenings.new(view_of(tables.midgame(round=1, plays=[played(2, closed), played(3, surer)])))
    assert [(what, message["code"], message["event_type"], message["by"]) for what, message in news] == [
        ("fault", "NO_DRAW", "certain", "Ben")
    ]
    assert happenings.new(view_of(tables.midgame(round=1, plays=[played(2, closed), played(3, surer)]))) == []


def test_a_fault_that_was_taken_back_is_no_news() -> None:
    happenings = Happenings()
    happenings.new(view_of(tables.midgame(round=1, plays=[])))
    closed = {"code": "CLOSED_TRAIN", "certain": True}
    news = happenings.new(view_of(tables.midgame(round=1, plays=[played(2, closed, overruled=True)])))
    assert [what for what, _ in news] == ["play"]


def test_a_broker_s_address_is_read_or_refused() -> None:
    assert parse_broker("box.local") == Broker("box.local", 1883)
    assert parse_broker("ann:s:cret@10.0.0.7:8883") == Broker("10.0.0.7", 8883, "ann", "s:cret")
    assert parse_broker("mqtts://ann:x@box.local") == Broker("box.local", 8883, "ann", "x", tls=True)
    assert "s:cret" not in repr(parse_broker("ann:s:cret@10.0.0.7"))
    assert parse_broker("mqtt://10.0.0.7:1883/") == Broker("10.0.0.7", 1883)
    assert parse_broker("mqtts://ann:x@[fd00::7]:8884/") == Broker("fd00::7", 8884, "ann", "x", tls=True)
    assert parse_broker("[::1]") == Broker("::1", 1883)
    for wrong in (
        "",
        "host:",
        "host:0",
        "host:x",
        "host:99999",
        "a b",
        ":1883",
        "::1",
        "host/base",
        "[::1",
        "http://h",
    ):
        with pytest.raises(ValueError, match="broker"):
            parse_broker(wrong)


def test_two_machines_are_two_tables_without_being_told(tmp_path: Path) -> None:
    names = []
    for number in "12":
        (tmp_path / number).write_text(number * 32, encoding="ascii")
        names.append(own_table_name(tmp_path / number))
    assert len(set(names)) == 2 and own_table_name(tmp_path / "1") == names[0]
    assert own_table_name(tmp_path / "missing").startswith("Table ")


def test_the_line_to_a_broker_may_be_encrypted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if MOSQUITTO is None:
        pytest.skip("mosquitto is not installed")
    key, certificate, settings = tmp_path / "key.pem", tmp_path / "own.pem", tmp_path / "broker.conf"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    lines = [
        f"user {getpass.getuser()}",
        f"listener {port} 127.0.0.1",
        "allow_anonymous true",
        f"certfile {certificate}",
        f"keyfile {key}",
    ]
    settings.write_text("\n".join(lines) + "\n", encoding="ascii")
    heard: dict[str, tuple[object, ...]] = {}
    with subprocess.Popen([MOSQUITTO, "-c", str(settings)], stderr=subprocess.DEVNULL) as broker:
        try:
            monkeypatch.setenv(CA_VARIABLE, str(certificate))
            mail: queue.SimpleQueue[tuple[object, ...]] = queue.SimpleQueue()
            line = BrokerLine(parse_broker(f"mqtts://localhost:{port}"), mail)
            line.start()
            heard["known"] = mail.get(timeout=60)
            line.close()
        finally:
            broker.terminate()
    assert heard["known"] == ("connected", "")
