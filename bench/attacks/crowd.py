"""A full house beside one hostile address: `python -m bench.attacks.crowd`; short in tests/box/test_crowd.py.

Two dozen guests follow the game, each with a stream of their own, and tap. Meanwhile one address opens streams, leaves
requests half open, asks as fast as it is answered, reads a byte a second and begins bodies of a gigabyte. A tap is
answered within a second, no guest's screen is hung up on, and the memory stays. All of it on 127.0.0.0/8.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import multiprocessing
import resource
import selectors
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.synchronize import Event
from pathlib import Path

from bench.attacks.siege import Page
from bench.attacks.siege_server import PIN

CROWD = "127.0.0.1"
GIGABYTE = 10**9

ANSWERED_WITHIN_S = 1.0
"""A tap beside all of it, on a machine that does nothing else."""


@dataclass(frozen=True, slots=True)
class CrowdSize:
    guests: int = 24
    streams: int = 300
    half_open: int = 500
    floods: int = 60
    slow_readers: int = 200
    bodies: int = 20
    seconds: float = 30.0


@dataclass(slots=True)
class CrowdReport:
    """Seconds from a guest's tap to the whole answer; guests whose stream ended; memory in MB."""

    taps_s: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    screens_lost: int = 0
    memory_before_mb: float = 0.0
    memory_most_mb: float = 0.0

    @property
    def slowest_s(self) -> float:
        return max(self.taps_s)

    @property
    def median_s(self) -> float:
        return sorted(self.taps_s)[len(self.taps_s) // 2]


def guest(number: int) -> str:
    """The address of a guest."""
    return f"127.0.1.{number + 1}"


class Crowd:
    """Everything that the hostile address does. A connection that is hung up on comes back at once, as an attacker's
    would."""

    def __init__(self, port: int, size: CrowdSize) -> None:
        self._port = port
        self._over = threading.Event()
        self._threads = [
            *(threading.Thread(target=self._streams, args=(n,)) for n in _shares(size.streams)),
            *(threading.Thread(target=self._leave_half_open, args=(n,)) for n in _shares(size.half_open)),
            *(threading.Thread(target=self._flood, args=(n,)) for n in _shares(size.floods)),
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

    def _leave_half_open(self, count: int) -> None:
        self._keep(count, b"POST /api/play HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ", None, b"a", 1.0, 0)

    def _flood(self, count: int) -> None:
        again = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        self._keep(count, again, None, again, 0.02, 65536)

    def _read_slowly(self, count: int) -> None:
        self._keep(count, b"GET /source HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 4096, b"", 1.0, 1)

    def _send_bodies(self, count: int) -> None:
        head = f"POST /round-end/photo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {GIGABYTE}\r\n\r\n".encode()
        self._keep(count, head, None, b"x" * 65536, 0.01, 4096)


def _shares(count: int, parts: int = 1) -> list[int]:
    return [count // parts + (n < count % parts) for n in range(parts) if count]


@contextlib.contextmanager
def misbehaving(port: int, size: CrowdSize) -> Iterator[None]:
    """The crowd in a process of its own: it is the guests' answers that are timed."""
    spawn = multiprocessing.get_context("spawn")
    over = spawn.Event()
    crowd = spawn.Process(target=_misbehave, args=(port, size, over), daemon=True)
    crowd.start()
    try:
        yield
    finally:
        over.set()
        crowd.join()


def _misbehave(port: int, size: CrowdSize, over: Event) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 8192)), hard))
    with Crowd(port, size):
        over.wait()


class Guests:
    """The screens of a full house: each follows the game from an address of its own."""

    def __init__(self, port: int, count: int) -> None:
        self._port, self._turn = port, 0
        self._selector = selectors.DefaultSelector()
        self.screens = [self._open(guest(number)) for number in range(count)]

    def _open(self, address: str) -> socket.socket:
        screen = socket.create_connection(("127.0.0.1", self._port), 30, (address, 0))
        screen.sendall(b"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        screen.setblocking(False)
        self._selector.register(screen, selectors.EVENT_READ)
        return screen

    def lost(self) -> int:
        """Take what the screens were told; how many of them were hung up on or asked to go since the last call."""
        gone = 0
        for key, _ in self._selector.select(0):
            screen = key.fileobj
            assert isinstance(screen, socket.socket)
            with contextlib.suppress(BlockingIOError):
                try:
                    told = screen.recv(1 << 20)
                except ConnectionError:
                    told = b""
                if not told or b"retry: 15000" in told:
                    gone += 1
                    self._selector.unregister(screen)
        return gone

    def tap(self, report: CrowdReport) -> None:
        """The next guest looks at the table and taps."""
        address = guest(self._turn % len(self.screens))
        self._turn += 1
        for method, path, body in (("GET", "/regions", None), ("POST", "/api/draw", b"{}")):
            headers = {"Content-Type": "application/json", "X-Companion-Pin": PIN} if body else {}
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30, source_address=(address, 0))
            began = time.monotonic()
            status = 0
            with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                answer.read()
                status = answer.status
            report.taps_s.append(time.monotonic() - began)
            report.statuses[status] = report.statuses.get(status, 0) + 1

    def close(self) -> None:
        for screen in self.screens:
            screen.close()
        self._selector.close()


def attack(folder: Path, size: CrowdSize) -> CrowdReport:
    report, pause = CrowdReport(), threading.Event()
    page = Page(folder)
    guests = Guests(page.port, size.guests)
    try:
        for _ in range(size.guests):
            guests.tap(CrowdReport())
        page.ask("GET", "/source", {}, None)
        report.memory_before_mb = page.memory_mb
        with misbehaving(page.port, size):
            ends = time.monotonic() + size.seconds
            while time.monotonic() < ends:
                guests.tap(report)
                report.screens_lost += guests.lost()
                report.memory_most_mb = max(report.memory_most_mb, page.memory_mb)
                pause.wait(0.2)
        return report
    finally:
        guests.close()
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
        "asked": len(report.taps_s), "statuses": report.statuses, "median_s": round(report.median_s, 3),
        "slowest_s": round(report.slowest_s, 3), "screens_lost": report.screens_lost,
        "memory_before_mb": round(report.memory_before_mb), "memory_most_mb": round(report.memory_most_mb),
    }))  # fmt: skip
    if set(report.statuses) != {200} or report.screens_lost or report.slowest_s > ANSWERED_WITHIN_S:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
