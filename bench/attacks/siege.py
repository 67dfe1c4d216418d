"""Phones watch while others misbehave and the camera dies: `python -m bench.attacks.siege`; short in test_siege.py.

Every viewer must get every event, in order and once; nothing may answer with a fault of the server; memory must stay.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import selectors
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.attacks.siege_server import PIN
from bench.attacks.soak import resident_mb
from bench.stand_ins.cameras import set_mode

PATIENCE_S = 90.0


def bomb() -> bytes:
    """A PNG of a few kilobytes that unpacks to 30000 x 30000."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", 30000, 30000, 1, 0, 0, 0, 0)
    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(b"\0" * 3751) for _ in range(2000)) + packer.flush()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def upload(picture: bytes) -> bytes:
    return (
        b'--x\r\nContent-Disposition: form-data; name="by"\r\n\r\nAnn\r\n--x\r\n'
        b'Content-Disposition: form-data; name="photo"; filename="hand.png"\r\n\r\n' + picture + b"\r\n--x--\r\n"
    )


def hostile() -> Iterator[tuple[str, str, dict[str, str], bytes | None]]:
    """(method, path, headers, body) of requests nobody should send."""
    signed = {"X-Companion-Pin": PIN, "Content-Type": "application/json"}
    bodies = (
        b"[" * 100_000,
        b'{"a":' * 20_000,
        b'{"tile": [NaN, Infinity], "train": "Ann"}',
        b"\xff\xfe\x00\xd8",
        b'{"tile": [1e999, -1], "train": {"x": []}}',
        b"{}",
        b"",
        b"null",
        b'{"tile": "12-5"}' * 100_000,
    )
    for verb in ("play", "draw", "correct", "answer", "undo", "start-round", "show-hand", "end-round", "nothing"):
        for body in bodies:
            yield "POST", f"/api/{verb}", signed, body
    for path in ("/static/../app.py", "/..%2f..%2fetc/passwd", "/games/..%2f../replay", "/%ff%fe", "/" + "a" * 8000):
        yield "GET", path, {}, None
    for host in ("evil.example", "localhost.evil.example", "[::1", "a" * 5000, ""):
        yield "GET", "/api/state", {"Host": host}, None
    yield "GET", "/api/state", {"X-Huge": "x" * 1_000_000}, None
    yield "GET", "/api/stream", {"Last-Event-ID": "9" * 400}, None
    form = {"Content-Type": "multipart/form-data; boundary=x", "X-Companion-Pin": PIN}
    yield "POST", "/round-end/photo", form, upload(bomb())
    yield "POST", "/round-end/photo", form, upload(zlib.compress(b"\0" * 50_000_000))
    yield "BREW", "/", {}, None


@dataclass(slots=True)
class Viewer:
    """One phone on the stream: the numbers it was told, and what it heard of the camera."""

    connection: socket.socket
    seen: list[int] = field(default_factory=list)
    camera: list[str] = field(default_factory=list)
    rest: bytes = b""

    def take(self, data: bytes) -> None:
        *messages, self.rest = (self.rest + data).split(b"\n\n")
        for message in messages:
            fields = dict(line.split(b": ", 1) for line in message.split(b"\n") if b": " in line)
            if b"id" in fields:
                self.seen.append(int(fields[b"id"].partition(b"@")[0]))
            elif fields.get(b"event") == b"camera":
                self.camera.append(json.loads(fields[b"data"])["state"])


class Page:
    """The server under siege and the viewers it must not disturb."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        set_mode(folder, "good")
        port_file = folder / "port"
        command = [sys.executable, "-m", "bench.attacks.siege_server", str(port_file), str(folder)]
        # As the service runs it (deploy/units): on a busy machine the allocator otherwise takes an arena a thread.
        environment = {**os.environ, "MALLOC_ARENA_MAX": "2"}
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
        deadline = time.monotonic() + PATIENCE_S
        nothing = threading.Event()
        while not port_file.exists():
            assert time.monotonic() < deadline, "the page did not start"
            nothing.wait(0.05)
        self.port = int(port_file.read_text(encoding="ascii"))
        self.viewers: list[Viewer] = []
        self._selector = selectors.DefaultSelector()
        self.recorded = 0

    @property
    def memory_mb(self) -> float:
        return resident_mb(self._process.pid)

    def open_viewers(self, count: int) -> None:
        """Each from an address of its own."""
        for number in range(1, count + 1):
            connection = socket.create_connection(("127.0.0.1", self.port), PATIENCE_S, (f"127.0.1.{number}", 0))
            connection.sendall(b"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            connection.setblocking(False)
            viewer = Viewer(connection)
            self._selector.register(connection, selectors.EVENT_READ, viewer)
            self.viewers.append(viewer)

    def record(self, count: int) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(b"record\n" * count)
        self._process.stdin.flush()
        self.recorded += count

    def listen_until_all_have_everything(self) -> None:
        self._listen(lambda: all(viewer.seen[-1:] == [self.recorded] for viewer in self.viewers))

    def listen_until_camera_is(self, state: str) -> None:
        self._listen(lambda: all(viewer.camera[-1:] == [state] for viewer in self.viewers))

    def _listen(self, done: object) -> None:
        assert callable(done)
        deadline = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < deadline, "a viewer was left without news"
            for key, _ in self._selector.select(0.2):
                data = key.fileobj.recv(65536)  # type: ignore[union-attr]
                assert data, "a viewer was cut off"
                key.data.take(data)

    def ask(self, method: str, path: str, headers: dict[str, str], body: bytes | None) -> int | None:
        """The status of the answer; None where the server hung up instead."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
            connection.putrequest(method, path, skip_host="Host" in headers)
            for name, value in headers.items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            return connection.getresponse().status
        return None

    def close(self) -> None:
        for viewer in self.viewers:
            viewer.connection.close()
        self._selector.close()
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@dataclass(frozen=True, slots=True)
class SiegeReport:
    viewers: int
    events: int
    statuses: dict[int | None, int]
    memory_before_mb: float
    memory_after_mb: float


def lay_siege(folder: Path, viewers: int, connects: int, slow: int, events: int) -> SiegeReport:
    """Viewers first, then everything at once; returns when every viewer has every event."""
    page = Page(folder)
    sockets = []
    try:
        page.open_viewers(viewers)
        page.record(events)
        page.listen_until_all_have_everything()
        page.listen_until_camera_is("read")
        # Somebody has signed in, as on every evening: checking a PIN takes 16 MB, once.
        page.ask("POST", "/api/undo", {"X-Companion-Pin": PIN, "Content-Type": "application/json"}, b"{}")
        before = page.memory_mb
        for _ in range(slow):
            connection = socket.create_connection(("127.0.0.1", page.port), timeout=30)
            connection.sendall(b"POST /api/play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le")
            sockets.append(connection)
        for _ in range(connects):
            socket.create_connection(("127.0.0.1", page.port), timeout=30).close()
        set_mode(folder, "unplugged")
        statuses: dict[int | None, int] = {}
        for number, request in enumerate(hostile()):
            status = page.ask(*request)
            statuses[status] = statuses.get(status, 0) + 1
            if number % 10 == 0:
                page.record(1)
        page.listen_until_camera_is("lost")
        set_mode(folder, "good")
        page.listen_until_camera_is("read")
        page.listen_until_all_have_everything()
        for viewer in page.viewers:
            assert viewer.seen == list(range(1, page.recorded + 1)), "every event once and in order"
        return SiegeReport(viewers, page.recorded, statuses, before, page.memory_mb)
    finally:
        for connection in sockets:
            connection.close()
        page.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        report = lay_siege(Path(folder), viewers=24, connects=500, slow=100, events=200)
    print(
        f"{report.viewers} viewers, {report.events} events each, answers {report.statuses}; "
        f"memory {report.memory_before_mb:.0f} -> {report.memory_after_mb:.0f} MB"
    )


if __name__ == "__main__":
    main()
