"""Looks that take seconds come one after the other, and a crowd at one address is one of those who wait."""

from __future__ import annotations

import threading
from pathlib import Path

from flask import Flask

from bench.stand_ins.fakes import FakeSession
from companion.app.state import AppState
from companion.web.guard import MOST_WAITING, Turns
from companion.web.serving import ServingSettings
from companion.web.stream import StreamSettings


def test_of_a_crowd_at_one_address_one_waits_for_the_work() -> None:
    turns, order = Turns(), list[str]()
    begun, go_on = threading.Event(), threading.Event()

    def look(network: str) -> None:
        with turns.turn(network):
            order.append(network)
            begun.set()
            go_on.wait(5)

    first = threading.Thread(target=look, args=("10.0.0.9",))
    first.start()
    assert begun.wait(5)
    crowd = [threading.Thread(target=look, args=("10.0.0.9",)) for _ in range(5)]
    for one in crowd:
        one.start()
    with turns._lock:
        own = turns._networks["10.0.0.9"]
    assert not own.acquire(blocking=False), "the crowd waits at its own door"
    other = threading.Thread(target=look, args=("10.0.0.5",))
    other.start()
    go_on.set()
    for one in (first, other, *crowd):
        one.join(5)
    assert len(order) == 7
    assert not turns._networks


def test_a_turn_within_a_turn_is_the_same_one() -> None:
    turns = Turns()
    with turns.turn("10.0.0.9"), turns.turn("10.0.0.9"):
        assert turns._waiting == {"10.0.0.9": 1}
    assert not turns._waiting


def test_a_crowd_of_many_addresses_keeps_few_threads_waiting(app: Flask) -> None:
    turns, said = app.extensions["companion_turns"], list[int]()
    with turns.turn("10.0.0.9"):
        turns._waiting.update(f"10.0.1.{number}" for number in range(MOST_WAITING - 1))
        look = threading.Thread(
            target=lambda: said.append(app.test_client().get("/games/tonight/scores.png").status_code), daemon=True
        )
        look.start()
        look.join(10)
    assert said == [503]


def test_all_who_may_wait_leave_threads_for_taps() -> None:
    settings = ServingSettings()
    assert settings.threads >= StreamSettings().most + 2 * MOST_WAITING + 2 * settings.answers


def test_the_table_is_shown_while_somebody_looks_back(app: Flask, app_state: AppState, session: FakeSession) -> None:
    """The live page never waits for a slow look at the past."""
    client, done = app.test_client(), list[int]()
    with app.extensions["companion_turns"].turn("127.0.0.1"):
        seen = threading.Thread(target=lambda: done.append(client.get("/").status_code), daemon=True)
        seen.start()
        seen.join(10)
    assert done == [200]


def test_looks_that_take_seconds_wait_for_their_turn(app: Flask, app_state: AppState, tmp_path: Path) -> None:
    client = app.test_client()
    for path in ("/games/tonight/replay?at=1", "/play/31/why"):
        done = list[int]()
        with app.extensions["companion_turns"].turn("10.0.0.9"):
            look = threading.Thread(target=lambda: done.append(client.get(path).status_code), daemon=True)  # noqa: B023
            look.start()
            look.join(0.2)
            assert not done, path
        look.join(10)
        assert done, path
