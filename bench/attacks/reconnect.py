"""Screens of one address that come back again and again beside a phone that taps: `python -m bench.attacks.reconnect`.

The page runs as in the product, with a match in its last round. Each screen asks for the whole evening, reads it, hangs
up and asks anew, as fast as it is answered. Bots play on by another phone. Short in tests/box/test_crowd.py.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.attacks.crowd import ANSWERED_WITHIN_S
from bench.attacks.results import arguments, command, record
from bench.stand_ins.playing import begin, play_out, say
from companion.game.game import Game
from datasets.bots import BotGame, BotRound

PIN = "135790"
SCREENS = 31
PHONE, ROUNDS = "127.0.1.1", 13

SCREEN = """
import socket, sys, threading
port, many = int(sys.argv[1]), int(sys.argv[2])
def screen():
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), 10) as line:
                line.sendall(b"GET /api/stream HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n")
                told = 0
                while told < 20_000 and (piece := line.recv(65536)):
                    told += len(piece)
        except OSError:
            pass
for _ in range(many):
    threading.Thread(target=screen, daemon=True).start()
sys.stdin.read()
"""
"""Leaves once it has begun to hear the evening."""


@dataclass(frozen=True, slots=True)
class ReconnectReport:
    """Seconds from a tap to its answer, alone and beside the screens."""

    taps: int
    alone_median_s: float
    median_s: float
    slowest_s: float


class RemoteSession:
    """A session's commands, each a tap on the page: how long the answers took."""

    phase = "playing"

    def __init__(self, port: int) -> None:
        self._port = port
        self.taps_s: list[float] = []

    def _tap(self, verb: str, **fields: Any) -> tuple[()]:
        line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60, source_address=(PHONE, 0))
        headers = {"Content-Type": "application/json", "X-Companion-Pin": PIN}
        began = time.monotonic()
        with closing(line):
            line.request("POST", f"/api/{verb}", json.dumps(fields), headers)
            answer = line.getresponse()
            told = answer.read()
        self.taps_s.append(time.monotonic() - began)
        assert answer.status == 200, f"{verb}: {answer.status} {told[:200]!r}"
        return ()

    def play(self, tile: Any, train: str, by: str) -> tuple[()]:
        return self._tap("play", tile=list(tile), train=train, by=by)

    def draw(self, by: str) -> tuple[()]:
        return self._tap("draw", by=by)

    def pass_turn(self, by: str) -> tuple[()]:
        return self._tap("pass", by=by)

    def mark(self, train: str, by: str) -> tuple[()]:
        return self._tap("mark", train=train, by=by)

    def unmark(self, train: str, by: str) -> tuple[()]:
        return self._tap("unmark", train=train, by=by)


def last_round(folder: Path, rounds: int) -> BotRound:
    """A match on the table, its last round begun; what is played in it."""
    place = folder / "games" / "game-0001" / "journal.jsonl"
    place.parent.mkdir(parents=True)
    session: Game
    game: BotGame
    session, game = begin(place, "tactic", 4, 7)
    played = iter(game.rounds())
    for _ in range(rounds - 1):
        play_out(session, next(played))
    last = next(played)
    session.start_round(last.engine, last.starter)
    session.close()
    return last


@contextmanager
def serving(folder: Path) -> Iterator[int]:
    asked = [sys.executable, "-m", "companion", "serve", "--port", "0", "--host", "127.0.0.1", "--data", str(folder)]
    environment = {**os.environ, "COMPANION_PIN": PIN, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(asked, stdout=subprocess.PIPE, text=True, env=environment) as program:
        assert program.stdout is not None
        try:
            lines = iter(program.stdout.readline, "")
            port = next(int(found[1]) for line in lines if (found := re.search(r":(\d+)", line)))
            threading.Thread(target=lambda: list(lines), daemon=True).start()
            yield port
        finally:
            program.terminate()


def attack(folder: Path, taps: int, screens: int = SCREENS, rounds: int = ROUNDS) -> ReconnectReport:
    turns = last_round(folder, rounds).turns()
    with serving(folder) as port:
        phone = RemoteSession(port)
        while len(phone.taps_s) < taps:
            list(say(phone, next(turns)))  # type: ignore[arg-type]
        alone, phone.taps_s = sorted(phone.taps_s), []
        crowd = subprocess.Popen([sys.executable, "-c", SCREEN, str(port), str(screens)], stdin=subprocess.PIPE)
        try:
            _answers_the_crowd(port)
            while len(phone.taps_s) < taps and (turn := next(turns, None)) is not None:
                list(say(phone, turn))  # type: ignore[arg-type]
        finally:
            crowd.kill()
            crowd.communicate()
        beside = sorted(phone.taps_s)
        return ReconnectReport(
            len(beside), round(alone[len(alone) // 2], 3), round(beside[len(beside) // 2], 3), round(beside[-1], 3)
        )


def _answers_the_crowd(port: int) -> None:
    """Wait until the screens have begun: another one of their address hears the evening."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 30) as line:
        line.sendall(b"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        line.recv(4096)


def main() -> None:
    asked = arguments("screens of one address that come back again and again", taps=30)
    with tempfile.TemporaryDirectory() as folder:
        report = attack(Path(folder), asked.taps)
    print(json.dumps(asdict(report)))
    if asked.record:
        record("reconnect", {**asdict(report), "command": command("bench.attacks.reconnect")})
    if report.slowest_s > ANSWERED_WITHIN_S:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
