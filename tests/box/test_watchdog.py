"""The watchdog: systemd hears of us only while everybody lives."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from companion.supervise.parts import Parts, Watchdog, feed_every_s, systemd_notifier, watchdog_interval_s


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def watched(clock: Clock, said: list[str]) -> tuple[Watchdog, Parts]:
    parts = Parts(clock)
    for name in ("camera", "referee", "page", "lamp"):
        parts.add(name).beat()
    return Watchdog(parts, notify=said.append), parts


def beat(parts: Parts, *names: str) -> None:
    for part in parts._parts.values():
        if part.name in names:
            part.beat()


def test_it_is_fed_while_all_vital_parts_live_and_not_when_one_is_silent() -> None:
    clock, said = Clock(), []
    dog, parts = watched(clock, said)
    assert dog.feed()
    assert said == ["WATCHDOG=1"]
    clock.now = 26.0
    beat(parts, "camera", "page")
    assert not dog.feed()
    assert dog.silent() == ("referee",), "nobody is restarted for a lamp"
    assert said == ["WATCHDOG=1", "STATUS=no sign of life from: referee"]
    beat(parts, "referee")
    assert dog.feed()
    assert said[-2:] == ["WATCHDOG=1", "STATUS=all well"]


def test_the_same_silence_is_said_once() -> None:
    clock, said = Clock(), []
    dog, _ = watched(clock, said)
    clock.now = 60.0
    for _ in range(5):
        dog.feed()
    assert said == ["STATUS=no sign of life from: camera, referee, page"]


def test_the_page_hears_when_a_part_begins_to_hang_and_when_it_goes_on() -> None:
    clock, news = Clock(), []
    dog, parts = watched(clock, [])
    parts.changed = lambda: news.append([one.about["part"] for one in parts.repairs()])
    for now, lives in ((5.0, ""), (8.0, "camera referee page"), (9.0, ""), (10.0, "lamp")):
        clock.now = now
        beat(parts, *lives.split())
        dog.feed()
    assert news == [["lamp"], []]


def test_systemd_hears_it_on_its_socket(tmp_path: Path) -> None:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(address)
        systemd.settimeout(10)
        notify = systemd_notifier({"NOTIFY_SOCKET": address})
        assert notify is not None
        with Watchdog(Parts(), notify=notify, every_s=0.01) as dog:
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
    with Watchdog(Parts()) as dog:
        dog.ready()
        assert dog.feed()


def test_the_interval_is_systemds_and_only_for_this_process() -> None:
    assert watchdog_interval_s({"WATCHDOG_USEC": "30000000"}) == 30.0
    assert watchdog_interval_s({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}) == 30.0
    assert watchdog_interval_s({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}) is None
    assert watchdog_interval_s({"WATCHDOG_USEC": "soon"}) is None
    assert watchdog_interval_s({}) is None


def test_a_short_interval_is_fed_three_times_over() -> None:
    assert feed_every_s({"WATCHDOG_USEC": "1500000"}) == 0.5
    assert feed_every_s({"WATCHDOG_USEC": "30000000"}) == 1.0
    assert feed_every_s({}) == 1.0
