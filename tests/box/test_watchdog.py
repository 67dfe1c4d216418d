"""The watchdog: systemd hears of us only while everybody lives."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from companion.supervise.watchdog import Watchdog, feed_every_s, systemd_notifier, watchdog_interval_s


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def watched(clock: Clock, said: list[str]) -> Watchdog:
    return Watchdog({"camera": 5.0, "referee": 5.0, "page": 10.0}, notify=said.append, clock=clock)


def test_it_is_fed_while_all_three_live_and_not_when_one_is_silent() -> None:
    clock, said = Clock(), []
    dog = watched(clock, said)
    assert dog.feed()
    assert said == ["WATCHDOG=1"]
    clock.now = 6.0
    dog.beat("camera")
    dog.beat("page")
    assert not dog.feed()
    assert dog.silent() == ("referee",)
    assert said == ["WATCHDOG=1", "STATUS=no sign of life from: referee"]
    dog.beat("referee")
    assert dog.feed()
    assert said[-2:] == ["WATCHDOG=1", "STATUS=all well"]


def test_the_same_silence_is_said_once() -> None:
    clock, said = Clock(), []
    dog = watched(clock, said)
    clock.now = 60.0
    for _ in range(5):
        dog.feed()
    assert said == ["STATUS=no sign of life from: camera, referee, page"]


def test_a_part_nobody_watches_is_a_mistake_of_the_program() -> None:
    with pytest.raises(KeyError, match="kitchen"):
        watched(Clock(), []).beat("kitchen")


def test_systemd_hears_it_on_its_socket(tmp_path: Path) -> None:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(address)
        systemd.settimeout(10)
        notify = systemd_notifier({"NOTIFY_SOCKET": address})
        assert notify is not None
        with Watchdog({"page": 1e9}, notify=notify, every_s=0.01) as dog:
            dog.ready()
            heard = [systemd.recv(200) for _ in range(2)]
    assert b"READY=1\nSTATUS=all well" in heard
    assert b"WATCHDOG=1" in heard


def test_without_systemd_nothing_is_sent_and_nothing_breaks(tmp_path: Path) -> None:
    assert systemd_notifier({}) is None
    assert systemd_notifier({"NOTIFY_SOCKET": "nonsense"}) is None
    gone = systemd_notifier({"NOTIFY_SOCKET": str(tmp_path / "gone")})
    assert gone is not None
    gone("WATCHDOG=1")
    with Watchdog({"page": 1.0}) as dog:
        dog.ready()
        assert dog.feed()


def test_the_interval_is_systemds_and_only_for_this_process() -> None:
    assert watchdog_interval_s({"WATCHDOG_USEC": "30000000"}) == 30.0
    assert watchdog_interval_s({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}) == 30.0
    assert watchdog_interval_s({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}) is None
    assert watchdog_interval_s({"WATCHDOG_USEC": "soon"}) is None
    assert watchdog_interval_s({}) is None


def test_a_short_interval_is_fed_three_times_over() -> None:
    assert feed_every_s({"WATCHDOG_USEC": "6000000"}) == 2.0
    assert feed_every_s({"WATCHDOG_USEC": "30000000"}) == 5.0
    assert feed_every_s({}) == 5.0
