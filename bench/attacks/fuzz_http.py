"""The HTTP door: raw bytes of a request through waitress's own parser into the page over real games.

Nothing is faked but the PIN's cost (a real one takes 50 ms) and the eye that counts a photographed hand.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

from flask.testing import FlaskClient
from waitress.adjustments import Adjustments
from waitress.parser import HTTPRequestParser
from waitress.task import WSGITask

from bench.stand_ins.fakes import FakeDesk, FakeTable
from companion.app.games import create_game, look_at_game, open_game
from companion.app.state import AppState, GameRepository
from companion.web.access import PinLock, PinSettings
from companion.web.app import PageSettings, create_app
from vision.pictures import PictureError, open_picture

PIN = "135790"
CHEAP = PinSettings(n=2, r=1, free_tries=10**9, free_tries_for_all=10**9)
FRESH_EVERY = 400
"""Requests to one page: then a new one over an empty folder, or the list of games would grow for ever."""

HEADER = {"journal": 1, "rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"], "options": {}}
GETS = (
    "/", "/tv", "/scores", "/games", "/setup?rules=tactic", "/play?train=Ann", "/pin?next=/tv", "/health", "/api/state",
    "/api/stream?after=3", "/play/2", "/ask", "/?lang=uk&theme=dark", "/regions?tv=1", "/qr.svg", "/round-start",
    "/round-end", "/games/fuzzed/replay?at=3", "/games/fuzzed/export.zip", "/games/fuzzed/pictures/evidence-1.jpg",
    "/camera.jpg", "/static/page.js?v=1",
)  # fmt: skip
BODIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/api/play", {"tile": [12, 5], "train": "Ann", "by": "Ann", "expected_seq": 1}),
    ("/api/draw", {"by": "Ben"}),
    ("/api/mark", {"player": "Ann", "by": "Ann"}),
    ("/api/correct", {"seq": 2, "what": {"tile": [12, 4]}, "by": "Ben"}),
    ("/api/answer", {"seq": 2, "choice": 0, "by": "Ben"}),
    ("/api/start-round", {"engine": [11, 11], "starter": "Ben"}),
    ("/api/show-hand", {"by": "Ann", "tiles": [[1, 2], [3, 3]]}),
    ("/api/end-round", {"how": "out", "out": "Ann"}),
    ("/api/undo", {}),
)


def request_bytes(method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> bytes:
    """One whole request as it comes over the wire."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *(f"{name}: {value}" for name, value in headers.items())]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("utf-8", "surrogatepass") + b"\r\n\r\n" + body


def _samples() -> tuple[bytes, ...]:
    signed = {"X-Companion-Pin": PIN}
    form = {**signed, "Content-Type": "application/x-www-form-urlencoded"}
    parts = (
        b'--x\r\nContent-Disposition: form-data; name="by"\r\n\r\nAnn\r\n'
        b'--x\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\n\r\n\x89PNG\r\n\x1a\n\r\n--x--\r\n'
    )
    return (
        *(request_bytes("GET", path, {"Accept-Language": "cs,en;q=0.5", "Cookie": "lang=ru"}) for path in GETS),
        *(
            request_bytes("POST", path, {**signed, "Content-Type": "application/json"}, json.dumps(body).encode())
            for path, body in BODIES
        ),
        request_bytes("POST", "/api/play", form, b"tile=12-5&train=Ann&by=Ann&next=/"),
        request_bytes("POST", "/pin", form, b"pin=135790&name=Ann&next=/tv"),
        request_bytes("POST", "/setup", form, b"rules=tactic&set=double-9&player_1=Ann&player_2=Ben&option_x=1"),
        request_bytes("POST", "/play/2/preview", form, b"tile=12-4&by=Ann"),
        request_bytes("POST", "/round-end", form, b"how=blocked_declared&hand_0=1-2 3-3&hand_1="),
        request_bytes("POST", "/games/fuzzed/open", form, b"x=1"),
        request_bytes("POST", "/pictures/delete", form, b"x=1"),
        request_bytes("POST", "/round-end/photo", {**signed, "Content-Type": "multipart/form-data; boundary=x"}, parts),
        request_bytes("GET", "/api/state", {"Transfer-Encoding": "chunked"}, b"4\r\nabcd\r\n0\r\n\r\n"),
    )


class HttpDoor:
    """Call it with the bytes of one connection. An answer of 500 or more, or an exception, is what must not be."""

    SAMPLES: ClassVar[tuple[bytes, ...]] = _samples()

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._settings = Adjustments(ident=None, clear_untrusted_proxy_headers=True)
        self._app: Any = None
        self._app_state: AppState | None = None
        self._asked = 0

    def __call__(self, data: bytes) -> int | None:
        """The answer's status; None where the request never became one."""
        parser = HTTPRequestParser(self._settings)
        while data and not parser.completed:
            taken = parser.received(data)
            if taken == 0:
                break
            data = data[taken:]
        if not parser.completed or parser.error or parser.empty:
            return None
        return self._ask(parser)

    def client(self) -> FlaskClient:
        """Somebody who asks the page whole requests, as it is opened for the bytes."""
        self._count()
        found: FlaskClient = self._app.test_client()
        return found

    def _count(self) -> None:
        if self._asked % FRESH_EVERY == 0:
            self._open()
        self._asked += 1

    def _ask(self, parser: HTTPRequestParser) -> int:
        self._count()
        server = SimpleNamespace(adj=self._settings, effective_port=8000, server_name="localhost")
        channel = SimpleNamespace(server=server, addr=("127.0.0.1", 50000), check_client_disconnected=lambda: False)
        environ = WSGITask(channel, parser).get_environment()
        told: list[str] = []
        answer = self._app(environ, lambda status, headers, fault=None: told.append(status))
        try:
            size = sum(len(piece) for piece in answer)
        finally:
            getattr(answer, "close", lambda: None)()
        status = int(told[0].split()[0])
        assert status < 500 or status == 501, f"answered {told[0]} with {size} bytes"
        return status

    def _open(self) -> None:
        if self._app_state is not None and self._app_state.has_game:
            self._app_state.session.close()  # type: ignore[attr-defined]
        shutil.rmtree(self._folder, ignore_errors=True)
        games = self._folder / "games" / "fuzzed"
        games.mkdir(parents=True)
        repository = GameRepository(create=create_game, open=open_game, look=look_at_game, read_hand=_read_hand)
        app_state = AppState(data_dir=self._folder, repository=repository)
        session = create_game(games / "journal.jsonl", HEADER)
        session.start_round()
        app_state.put_on_the_table(session, "fuzzed")
        app_state.table, app_state.learning = FakeTable(), FakeDesk()
        # A closed bell ends each stream of events at once.
        app_state.signal.close()
        self._app_state = app_state
        self._app = create_app(app_state, PageSettings(pin=PIN), PinLock.of(PIN, CHEAP))
        self._app.config["PROPAGATE_EXCEPTIONS"] = True


def _read_hand(photograph: bytes, header: Mapping[str, Any]) -> dict[str, Any]:
    with tempfile.NamedTemporaryFile() as file:
        file.write(photograph)
        file.flush()
        try:
            open_picture(Path(file.name))
        except PictureError as fault:
            raise ValueError(str(fault)) from None
    return {"tiles": [[1, 2]], "unreadable": 0}
