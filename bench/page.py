"""The page under a whole party: two dozen phones on the event stream, while other people load pages."""

from __future__ import annotations

import socket
import statistics
import threading
import time
import urllib.request
from urllib.parse import urlsplit

from bench.stand_ins import tables
from bench.stand_ins.background import serve_in_background
from bench.stand_ins.fakes import FakeSession
from companion.app.state import AppState
from companion.web.app import PageSettings, create_app

PHONES = 24
"""Each has an address of its own: the page keeps only so many lines of one (`web.serving`), and 32 screens in all."""

EVENTS = 40
PAUSE_S = 0.1
PLAIN = ("/", "/scores", "/health", "/ask")
"""Asked for in turn while the phones listen."""


class Phone(threading.Thread):
    """One listener on `/api/stream`; `heard` maps seq to the moment its message arrived."""

    def __init__(self, address: str, own: str, after: int) -> None:
        super().__init__(daemon=True)
        self._address, self._own = urlsplit(address), own
        self._after = after
        self.ready = threading.Event()
        self.heard: dict[int, float] = {}

    def run(self) -> None:
        with socket.create_connection((self._address.hostname, self._address.port), None, (self._own, 0)) as line:
            request = (
                f"GET /api/stream HTTP/1.1\r\nHost: {self._address.netloc}\r\nLast-Event-ID: {self._after}\r\n\r\n"
            )
            line.sendall(request.encode())
            kept = b""
            while chunk := line.recv(65536):
                now = time.perf_counter()
                kept += chunk
                self.ready.set()
                while b"\nid: " in kept and b"\n" in kept.split(b"\nid: ", 1)[1]:
                    number, kept = kept.split(b"\nid: ", 1)[1].split(b"\n", 1)
                    self.heard.setdefault(int(number.partition(b"@")[0]), now)


def measure() -> dict[str, float]:
    """Milliseconds from the journal to a phone, and of an ordinary page meanwhile."""
    session = FakeSession(tables.illegal(), lines=tables.lines())
    app = create_app(AppState(session, game="bench"), PageSettings(pin="1"))
    server, port = serve_in_background(app)
    address = f"http://127.0.0.1:{port}"
    phones = [Phone(address, f"127.0.1.{number}", len(session.lines)) for number in range(1, PHONES + 1)]
    for phone in phones:
        phone.start()
    for phone in phones:
        if not phone.ready.wait(30):
            raise RuntimeError("a phone could not connect")
    sent: dict[int, float] = {}
    pages: list[float] = []
    for _ in range(EVENTS):
        sent[len(session.lines) + 1] = time.perf_counter()
        session.record(event="passed", by="Cyril", source="camera", violations=[])
        begun = time.perf_counter()
        with urllib.request.urlopen(address + PLAIN[len(pages) % len(PLAIN)], timeout=10) as answer:
            answer.read()
        pages.append(time.perf_counter() - begun)
        time.sleep(PAUSE_S)
    time.sleep(1.0)
    late = sorted(phone.heard[seq] - at for phone in phones for seq, at in sent.items() if seq in phone.heard)
    missed = len(phones) * len(sent) - len(late)
    server.stop()
    return {
        f"event to {PHONES} phones, median, ms": statistics.median(late) * 1000,
        f"event to {PHONES} phones, p99, ms": late[int(len(late) * 0.99) - 1] * 1000,
        "events that did not arrive": float(missed),
        "plain page meanwhile, median, ms": statistics.median(pages) * 1000,
        "plain page meanwhile, p95, ms": sorted(pages)[int(len(pages) * 0.95) - 1] * 1000,
    }
