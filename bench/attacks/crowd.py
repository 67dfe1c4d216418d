"""Everything at once: `python -m bench.attacks.crowd`; the short version is tests/box/test_crowd.py.

Open streams, connections that trickle, readers that do not read and bodies of a gigabyte, all from one address, while
other phones use the page. It answers them within a second, its memory stays, and when the crowd has gone every seat is
free again. All of it on 127.0.0.1, ended by itself.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import resource
import socket
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench.attacks.siege import Page
from bench.attacks.siege_server import PIN

CROWD, PHONES = "127.0.0.1", ("127.0.0.2", "127.0.0.3", "127.0.0.4")
GIGABYTE = 10**9


@dataclass(frozen=True, slots=True)
class CrowdSize:
    streams: int = 300
    trickling: int = 500
    slow_readers: int = 200
    bodies: int = 20
    seconds: float = 30.0
    seats: int = 24


@dataclass(slots=True)
class CrowdReport:
    """Seconds from asking to the whole answer, of other phones; memory in MB; how long until `seats` streams were
    served after the crowd had gone."""

    answers_s: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    memory_before_mb: float = 0.0
    memory_most_mb: float = 0.0
    seats_back_s: float = 0.0

    @property
    def slowest_s(self) -> float:
        return max(self.answers_s)

    @property
    def median_s(self) -> float:
        return sorted(self.answers_s)[len(self.answers_s) // 2]


class Crowd:
    """The hostile guests. Who is hung up on comes back at once, as an attacker would."""

    def __init__(self, port: int, size: CrowdSize) -> None:
        self._port, self._size = port, size
        self._over = threading.Event()
        self._threads = [
            *(threading.Thread(target=self._streams, args=(n,)) for n in _shares(size.streams)),
            *(threading.Thread(target=self._trickle, args=(n,)) for n in _shares(size.trickling)),
            *(threading.Thread(target=self._read_slowly, args=(n,)) for n in _shares(size.slow_readers)),
            *(threading.Thread(target=self._send_bodies, args=(n,)) for n in _shares(size.bodies, 2)),
        ]

    def __enter__(self) -> Crowd:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _connect(self, buffer: int | None = None) -> socket.socket:
        made = socket.socket()
        if buffer is not None:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        made.settimeout(5)
        with contextlib.suppress(OSError):
            made.bind((CROWD, 0))
            made.connect((CROWD, self._port))
        made.setblocking(False)
        return made

    def _keep(self, count: int, hello: bytes, buffer: int | None, again: bytes, pause_s: float, most: int) -> None:
        """`count` connections that say hello; each says `again` and reads up to `most` bytes every now and then."""
        held: list[socket.socket] = []
        while not self._over.is_set():
            while len(held) < count and not self._over.is_set():
                one = self._connect(buffer)
                with contextlib.suppress(OSError):
                    one.send(hello)
                held.append(one)
            for one in list(held):
                try:
                    if again:
                        one.send(again)
                    gone = most > 0 and one.recv(most) == b""
                except BlockingIOError:
                    gone = False
                except OSError:
                    gone = True
                if gone:
                    one.close()
                    held.remove(one)
            self._over.wait(pause_s)
        for one in held:
            one.close()

    def _streams(self, count: int) -> None:
        self._keep(count, b"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", None, b"", 0.5, 65536)

    def _trickle(self, count: int) -> None:
        self._keep(count, b"POST /api/play HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ", None, b"a", 1.0, 0)

    def _read_slowly(self, count: int) -> None:
        self._keep(count, b"GET /source HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 4096, b"", 1.0, 1)

    def _send_bodies(self, count: int) -> None:
        head = f"POST /round-end/photo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {GIGABYTE}\r\n\r\n".encode()
        self._keep(count, head, None, b"x" * 65536, 0.01, 4096)


def _shares(count: int, parts: int = 1) -> list[int]:
    return [count // parts + (n < count % parts) for n in range(parts) if count]


def _ask(port: int, address: str, report: CrowdReport) -> None:
    """One phone looks at the page and enters a play."""
    for method, path, body in (("GET", "/", None), ("GET", "/regions", None), ("POST", "/api/draw", b"{}")):
        headers = {"Content-Type": "application/json", "X-Companion-Pin": PIN} if body else {}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30, source_address=(address, 0))
        began = time.monotonic()
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            answer.read()
        report.answers_s.append(time.monotonic() - began)
        report.statuses[answer.status] = report.statuses.get(answer.status, 0) + 1


def _seats_back(port: int, count: int) -> float:
    """How long until so many new screens are served."""
    began = time.monotonic()
    screens = []
    try:
        for number in range(count):
            one = socket.create_connection(("127.0.0.1", port), 30, (PHONES[number % len(PHONES)], 0))
            one.sendall(b"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            screens.append(one)
        for one in screens:
            heard = b""
            while b"event: game" not in heard:
                part = one.recv(65536)
                assert part, "a screen was hung up on"
                heard += part
        return time.monotonic() - began
    finally:
        for one in screens:
            one.close()


def attack(folder: Path, size: CrowdSize) -> CrowdReport:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 8192)), hard))
    report, pause = CrowdReport(), threading.Event()
    page = Page(folder)
    try:
        for address in PHONES:
            _ask(page.port, address, CrowdReport())
        page.ask("GET", "/source", {}, None)
        report.memory_before_mb = page.memory_mb
        with Crowd(page.port, size):
            ends = time.monotonic() + size.seconds
            turn = 0
            while time.monotonic() < ends:
                _ask(page.port, PHONES[turn % len(PHONES)], report)
                report.memory_most_mb = max(report.memory_most_mb, page.memory_mb)
                turn += 1
                pause.wait(0.2)
        report.seats_back_s = _seats_back(page.port, size.seats)
        return report
    finally:
        page.close()


def main() -> None:
    size = CrowdSize()
    parser = argparse.ArgumentParser(description=__doc__)
    for name in size.__slots__:
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(getattr(size, name)), default=getattr(size, name))
    size = CrowdSize(**vars(parser.parse_args()))
    with tempfile.TemporaryDirectory() as folder:
        report = attack(Path(folder), size)
    print(json.dumps({
        "asked": len(report.answers_s), "statuses": report.statuses, "median_s": round(report.median_s, 3),
        "slowest_s": round(report.slowest_s, 3), "memory_before_mb": round(report.memory_before_mb),
        "memory_most_mb": round(report.memory_most_mb), "seats_back_s": round(report.seats_back_s, 2),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
