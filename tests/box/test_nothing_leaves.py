"""Nothing leaves the house: every command, in a namespace without a network, asks for no socket but its own page's."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.__main__ import COMMANDS
from companion.app.games import create_game
from tests.box.namespace import LISTENING, LISTENING_6, LOOPBACK, Watch, Watched, companion, watched
from vision import telemetry

pytestmark = pytest.mark.slow

HEADER = {"journal": 3, "rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"], "options": {}}
QUESTION = b'{"id": 1, "kind": "setup", "rules": "tactic", "set": 12, "players": 4}\n'
FREE = {"layout": "free", "set": "double-6", "tile_mm": [48, 24, 9]}

ENDING: Mapping[str, tuple[list[str], set[int]]] = {
    "read": (["{picture}", "--json"], {0}),
    "score": (["{picture}", "--json"], {0, 1}),
    "watch": (["{pictures}", "--setup", "{setup}", "--json"], {0}),
    "judge": (["--explain"], {0}),
    "replay": (["{journal}"], {0}),
    "explain": (["{journal}", "1"], {0, 1}),
    "convert": (["{journal}", "{data}-new.jsonl"], {0, 1}),
    "report": (["{journal}", "--into", "{data}-report.zip"], {0}),
    "cameras": ([], {0, 1}),
    "calibrate": (["{picture}"], {0, 1}),
    "teach": (["{picture}", "--data", "{data}"], {0, 1}),
    "schema": (["events"], {0}),
    "sheets": (["--out", "{data}/sheets"], {0}),
    "doctor": (["--data", "{data}", "--port", "0"], {0, 1}),
}
"""Commands that end by themselves: arguments, and the statuses that mean that they have run."""

EVERY_DAY = {"watch"}
"""One that reads pictures."""

SERVING = {"serve", "demo", "hall"}
"""Commands with a page."""


def test_every_command_is_watched() -> None:
    assert set(COMMANDS) == {*ENDING, *SERVING}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A picture with things in it, a folder of the same, a set-up file, a journal, and a data folder."""
    root = tmp_path_factory.mktemp("quiet")
    picture = np.full((900, 1200, 3), 70, np.uint8)
    for n in range(6):
        cv2.rectangle(picture, (80 + 180 * n, 300), (170 + 180 * n, 480), (235, 240, 240), -1)
        cv2.circle(picture, (125 + 180 * n, 345), 9, (20, 20, 20), -1)
    for folder in ("pictures", "data"):
        (root / folder).mkdir()
    for name in ("picture.png", "pictures/1.png", "pictures/2.png", "pictures/3.png"):
        cv2.imwrite(str(root / name), picture)
    corners = {"corners_px": [[10, 10], [1190, 10], [1190, 890], [10, 890]], "size_mm": [640, 480]}
    (root / "setup.json").write_text(json.dumps({**FREE, "table": corners}), encoding="utf-8")
    session = create_game(root / "journal.jsonl", HEADER)
    session.start_round((12, 12), "Ann")
    session.journal.close()
    names = {"picture": "picture.png", "setup": "setup.json", "journal": "journal.jsonl"}
    return {name: str(root / names.get(name, name)) for name in (*names, "pictures", "data")}


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """As a family starts it: nothing says beforehand that the runtime must be quiet, and the cache folder is empty."""
    kept = {name: value for name, value in os.environ.items() if name != telemetry.VARIABLE}
    cache = tmp_path / "cache"
    yield {**kept, "XDG_CACHE_HOME": str(cache), "PYTHONUNBUFFERED": "1"}
    left = [path for path in cache.rglob("*") if telemetry.QUEUE.name in path.parts]
    assert left == [], "the inference runtime has queued a report"


@pytest.mark.parametrize(
    "command", [pytest.param(one, marks=() if one in EVERY_DAY else pytest.mark.nightly) for one in sorted(ENDING)]
)
def test_a_command_asks_for_no_socket(command: str, places: dict[str, str], environment: dict[str, str]) -> None:
    arguments, statuses = ENDING[command]
    words = [word.format(**places) for word in arguments]
    allowed = [LISTENING] if command == "doctor" else []  # it tries whether the page's port is free
    given = QUESTION if command == "judge" else b""
    run = watched(companion(command, *words), given, environment=environment, allowed=allowed)
    assert [line.split(": ", 1)[1] for line in run.asked] == allowed, run.err
    assert run.rc in statuses, run.out + run.err
    assert "Traceback" not in run.err


def page_of(watch: Watch, stream: str, before: str) -> str:
    """The address the command prints after `before`, once it has printed it; asked from within its own machine."""
    watch.wait_for(lambda: before in getattr(watch, stream) and "http://" in getattr(watch, stream), 240)
    port = getattr(watch, stream).split(before, 1)[1].split("http://", 1)[1].split(":")[1]
    return f"http://127.0.0.1:{''.join(sign for sign in port.split()[0] if sign.isdigit())}"


def camera_has_read(watch: Watch, page: str) -> bool:
    status, body = watch.get(f"{page}/api/state")
    return status == 200 and json.loads(body)["camera"]["state"] == "read"


def only_listened(run: Watched, sockets: int = 1) -> None:
    # The page listens on IPv6 beside IPv4 where the machine has it.
    asked = [line.split(": ", 1)[1] for line in run.asked]
    assert [one for one in asked if one != LISTENING_6] == [LISTENING] * sockets, run.err
    assert asked.count(LISTENING_6) <= sockets
    assert "Traceback" not in run.err


def test_the_page_without_a_camera_only_listens(places: dict[str, str], environment: dict[str, str]) -> None:
    command = companion("serve", "--port", "0", "--data", places["data"] + "/by-hand")
    with Watch(command, allowed=[LISTENING], environment=environment) as watch:
        page = page_of(watch, "out", "The page:")
        for path in ("/health", "/", "/setup", "/learn", "/games", "/source"):
            assert watch.get(page + path)[0] == 200, path
        only_listened(watch.interrupt())


@pytest.mark.nightly
def test_the_demo_with_its_camera_and_eye_only_listens(environment: dict[str, str]) -> None:
    command = companion("demo", "--port", "0", "--speed", "5")
    with Watch(command, allowed=[LISTENING], environment=environment) as watch:
        page = page_of(watch, "out", "is being filmed")
        watch.wait_for(lambda: camera_has_read(watch, page), 300)
        only_listened(watch.interrupt())


@pytest.mark.nightly
def test_the_hall_speaks_to_its_broker_and_to_nobody_else(environment: dict[str, str]) -> None:
    command = companion("hall", "--broker", "127.0.0.1:1", "--port", "8010")
    # The page listens on IPv6 too, where the machine has it; paho wakes its own thread over sockets on the loopback.
    with Watch(command, allowed=[LISTENING, LOOPBACK], environment=environment) as watch:
        page = page_of(watch, "err", "all tables:")
        assert watch.get(f"{page}/health")[0] == 200
        watch.wait_for(lambda: any(line.endswith(f"{LOOPBACK}1") for line in watch.asked), 60)
        run = watch.interrupt()
    assert all(line.split(": ", 1)[1].startswith((LISTENING, LISTENING_6, LOOPBACK)) for line in run.asked), run.asked


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        ("import socket; socket.socket()", "inet stream"),
        ("import socket; socket.getaddrinfo('example.org', 80)", "inet datagram"),
        ("import os; os.system('python3 -c \"import socket; socket.socket()\"')", "inet stream"),
        ("import ctypes; ctypes.CDLL(None).socket(10, 1, 0)", "inet6 stream"),
        ("import ctypes; ctypes.CDLL(None).socket(17, 3, 0)", "packet raw"),
    ],
    ids=["python", "name", "child", "native", "packet"],
)  # fmt: skip
def test_the_watch_misses_no_socket(code: str, seen: str) -> None:
    run = watched([sys.executable, "-c", code])
    assert seen in {line.split(": ", 1)[1] for line in run.asked}


def test_an_allowed_socket_may_still_not_reach_out() -> None:
    code = "import socket; s = socket.socket(); print(s.connect_ex(('192.0.2.1', 80)))"
    run = watched([sys.executable, "-c", code], allowed=[LISTENING])
    assert [line.split(": ", 1)[1] for line in run.asked] == [LISTENING, "connects to 192.0.2.1:80"]
    assert run.out.strip() != "0"


def test_one_place_imports_the_runtime_and_silences_it_before() -> None:
    root = Path(__file__).parents[2]
    importing = {
        str(path.relative_to(root))
        for room in ("companion", "vision", "hardware", "datasets", "models", "deploy", "bench")
        for path in (root / room).rglob("*.py")
        if "import onnxruntime" in path.read_text(encoding="utf-8")
    }
    assert importing == {"vision/inference.py"}
    code = "from vision.inference import load_runtime; load_runtime(); import os; print(os.environ['{}'])"
    code = code.format(telemetry.VARIABLE)
    assert watched([sys.executable, "-c", code], cwd=root).out.strip() == "1"


def test_what_an_earlier_release_left_to_be_sent_is_deleted(tmp_path: Path) -> None:
    queue = tmp_path / telemetry.QUEUE
    queue.mkdir(parents=True)
    (queue / "onnxruntime.db").write_bytes(b"a device id and what was read")
    other = tmp_path / "other"
    other.mkdir()
    assert telemetry.delete_queue({"XDG_CACHE_HOME": str(tmp_path)})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other"], "nobody else's files are touched"
    assert not telemetry.delete_queue({"XDG_CACHE_HOME": str(tmp_path)})
