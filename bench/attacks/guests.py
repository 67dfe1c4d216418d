"""A table's loss to guests who ask for everything: `python -m bench.attacks.guests [SECONDS] [--record]`.

The page and the watching thread run as in the product; the eye is a process that works for a quarter of a second a
look, the table changes with each look. Guests without the PIN ask for every page there is, over and over, from one
process of their own. Events recorded with them and without, in turns. Short in tests/box/test_guests.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from flask import Flask

from bench.attacks.results import arguments, command, record
from bench.stand_ins.background import serve_in_background
from bench.stand_ins.telling import TellingTable, telling_table
from companion.supervise.child import Worker
from companion.web.app import PageSettings, create_app

GUESTS = 24
LOOK_S = 0.25
TURNS = 4

EYE_THREADS = {"OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 2) // 2))}
"""As deploy/units/companion.service has it for the four processors of a Raspberry Pi: half of them for the eye."""

GIVES_WAY = 5
"""A guest's own work is done on a guest's phone: here it takes the processor only where the box leaves it."""

FLOOD = """
import http.client, itertools, json, sys, threading
port, guests, addresses = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
def guest(first):
    for n in itertools.count(first):
        try:
            line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            line.request("GET", addresses[n % len(addresses)], headers={"Accept": "text/html"})
            line.getresponse().read()
            line.close()
        except (OSError, http.client.HTTPException):
            pass
for n in range(guests):
    threading.Thread(target=guest, args=(3 * n,), daemon=True).start()
sys.stdin.read()
"""


@dataclass(frozen=True, slots=True)
class GuestReport:
    """Events recorded in `seconds` each, without guests and with them; `share` is the one of the other."""

    seconds: float
    alone: int
    beside: int
    share: float


def open_busy_eye() -> Any:
    """Called in the child: a look is so much work for one core."""

    def look() -> int:
        end, done = time.process_time() + LOOK_S, 0
        block = np.ones((200, 200), np.float32)
        while time.process_time() < end:
            block = block @ block / 200
            done += 1
        return done

    return look


def addresses(app: Flask, game: str) -> list[str]:
    """Every page that can be asked for, with something for its blanks, but not the endless stream."""
    blanks = {"game": game, "seq": 2, "number": 1, "name": "x", "id": "x", "filename": "page.css", "picture": "x.jpg"}
    with app.test_request_context():
        adapter = app.url_map.bind("localhost")
        return [
            adapter.build(rule.endpoint, {name: blanks.get(name, 1) for name in rule.arguments})
            for rule in app.url_map.iter_rules()
            if "GET" in (rule.methods or ()) and rule.endpoint != "stream.events"
        ]


def flood(port: int, asked: list[str]) -> subprocess.Popen[bytes]:
    arguments = [str(port), str(GUESTS), json.dumps(asked)]
    give_way = ["nice", "-n", str(GIVES_WAY)]
    return subprocess.Popen([*give_way, sys.executable, "-c", FLOOD, *arguments], stdin=subprocess.PIPE)


def told_in(table: TellingTable, seconds: float) -> int:
    before = table.told
    threading.Event().wait(seconds)
    return table.told - before


def measure(folder: Path, seconds: float, turns: int = TURNS) -> GuestReport:
    table = telling_table(folder)
    app = create_app(table._app_state, PageSettings(pin="135790"))
    server, port = serve_in_background(app)
    eye = Worker(open_busy_eye)
    try:
        eye.ask()
        table.looks = eye.ask
        asked = addresses(app, table._app_state.game)
        alone = beside = 0
        for _ in range(turns):
            alone += told_in(table, seconds / turns)
            guests = flood(port, asked)
            try:
                threading.Event().wait(1.0)
                beside += told_in(table, seconds / turns)
            finally:
                guests.kill()
                guests.communicate()
        return GuestReport(seconds, alone, beside, round(beside / alone, 3))
    finally:
        server.stop()
        table.close()
        eye.close()


def main() -> None:
    asked = arguments("what a table loses to guests", seconds=60.0)
    os.environ.update(EYE_THREADS)
    with tempfile.TemporaryDirectory() as folder:
        report = measure(Path(folder), asked.seconds)
    print(json.dumps(asdict(report)))
    if asked.record:
        record("guests", {**asdict(report), "command": command("bench.attacks.guests")})


if __name__ == "__main__":
    main()
