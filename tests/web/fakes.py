"""A session that shows what it is told to show and remembers what it was asked to do."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from companion.app.game_index import GameSummary, summary_of
from companion.app.state import GameRepository
from companion.game.game_view import GameView
from companion.game.replay import Dispute, NoSuchPlayError
from companion.play.match import Scoreboard
from tests.shown import view_of
from tests.web import tables


class FakeSession:
    """Stands at the page's only seam. `show` puts another table; `record` appends a journal line and notifies."""

    def __init__(self, snapshot: Mapping[str, Any], lines: list[dict[str, Any]] | None = None) -> None:
        self._snapshot = dict(snapshot)
        self.lines: list[dict[str, Any]] = list(lines or [])
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.refuses: str | Exception | None = None
        self.answers: dict[str, Any] = {}
        self._callbacks: list[Callable[..., None]] = []
        self._lock = threading.Lock()
        self.held = threading.RLock()
        self.free = True

    @property
    def events(self) -> tuple[dict[str, Any], ...]:
        with self._lock:
            return tuple(self.lines)

    def is_free(self, within_s: float) -> bool:
        return self.free

    def snapshot(self, at: int | None = None) -> GameView:
        with self._lock:
            return view_of({**self._snapshot, "seq": self._snapshot["seq"] if at is None else at})

    def dispute(self, seq: int) -> Dispute:
        raise NoSuchPlayError(f"no. {seq}")

    def work_ahead(self, change: Callable[..., object], about: int | None = None) -> None:
        """Nothing takes long here."""

    def hands_of(self, number: int) -> dict[str, Any]:
        return {}

    def table_of(self, number: int) -> None:
        return None

    def held_line(self, seq: int) -> None:
        return None

    scoreboard = Scoreboard((), {})
    fallen: tuple[Any, ...] = ()

    def read_otherwise(self) -> list[Any]:
        return []

    def to_undo(self) -> tuple[dict[str, Any], ...]:
        return self.events[-1:]

    def to_put_back(self) -> tuple[dict[str, Any], ...]:
        return ()

    def subscribe(self, callback: Callable[..., None]) -> Callable[[], None]:
        self._callbacks.append(callback)
        return lambda: self._callbacks.remove(callback)

    def on_look(self, callback: Callable[[], None]) -> None:
        """No camera looks."""

    @contextmanager
    def hold(self) -> Iterator[int]:
        with self.held:
            yield self._snapshot["seq"]

    def show(self, snapshot: Mapping[str, Any]) -> None:
        with self._lock:
            self._snapshot = dict(snapshot)
        self._notify()

    def record(self, **line: Any) -> None:
        with self._lock:
            self.lines.append({"seq": len(self.lines) + 1, **line})
        self._notify()

    def _notify(self) -> None:
        for callback in list(self._callbacks):
            callback(())

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        if verb.startswith("_"):
            raise AttributeError(verb)

        def call(*arguments: Any, **named: Any) -> Any:
            self.calls.append((verb, arguments, named))
            if self.refuses:
                raise self.refuses if isinstance(self.refuses, Exception) else ValueError(self.refuses)
            answer = self.answers.get(verb, [])
            return view_of(answer) if verb == "what_if" else answer

        return call


class FakeCamera:
    def __init__(self, state: str = "read", message: str | None = None, why: str = "") -> None:
        self.state = state
        self.message = message
        self.why = why

    def status(self) -> Mapping[str, Any]:
        about = {"state": self.state, "message": self.message, "why": self.why}
        return {name: value for name, value in about.items() if value}

    def still(self) -> bytes | None:
        return None


class FakeClock:
    """Monotonic seconds that move only when told to."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def fake_workshop() -> GameRepository:
    """Makes games that are waiting for their first round, and reads every photograph as the same two tiles."""

    def create(path: Path, header: Mapping[str, Any]) -> FakeSession:
        path.write_text(json.dumps(header) + "\n", encoding="utf-8")
        return open_game(path)

    def open_game(path: Path) -> FakeSession:
        header = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
        return FakeSession(tables.waiting(header["players"], rules=header["rules"], set=header["set"]))

    def read_hand(photograph: bytes, header: Mapping[str, Any]) -> dict[str, Any]:
        if photograph.endswith(b"broken"):
            raise ValueError("it ends too early")
        return {"tiles": [[12, 5], [3, 3]], "unreadable": 1}

    def summarize(path: Path) -> GameSummary:
        return summary_of(open_game(path).snapshot(), "")

    return GameRepository(create=create, open=open_game, look=open_game, summarize=summarize, read_hand=read_hand)
