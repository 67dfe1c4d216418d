"""Stand-ins for a game, a table, a camera, a desk and a panel, so that the page and the box are tried alone."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

from bench.stand_ins import tables
from bench.stand_ins.views import view_of
from companion.app.game_index import GameSummary, summary_of
from companion.app.state import GameRepository
from companion.app.table_place import SeatsMiddle, place_from, seats_at
from companion.game.game_view import GameView
from companion.game.match import Scoreboard
from companion.game.replay import Dispute, NoSuchPlayError
from companion.web.access import PinSettings
from hardware.panel import Light, Panel, Press

PIN = "135790"
QUICK = PinSettings(n=2**4)
"""scrypt at its cheapest: the tests are about what is compared, not about how long it takes."""


class FakeLine(dict[str, Any]):
    """An event of a stand-in: whatever fields a test gives it, unchecked."""

    KIND = ""
    at = ""

    @property
    def seq(self) -> int:
        return int(self["seq"])

    @property
    def corrects(self) -> int | None:
        return self.get("corrects")

    def to_json(self) -> dict[str, Any]:
        return dict(self)


class FakeSession:
    """Stands at the page's only seam. `show` puts another table; `record` appends a journal line and notifies."""

    def __init__(self, snapshot: Mapping[str, Any], lines: list[dict[str, Any]] | None = None) -> None:
        self._snapshot = dict(snapshot)
        self.lines: list[dict[str, Any]] = list(lines or [])
        self.journal = SimpleNamespace(path=None)
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.refuses: str | Exception | None = None
        self.answers: dict[str, Any] = {}
        self._callbacks: list[Callable[..., None]] = []
        self._lock = threading.Lock()
        self.held = threading.RLock()
        self.free = True

    @property
    def events(self) -> tuple[FakeLine, ...]:
        with self._lock:
            return tuple(map(FakeLine, self.lines))

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

    def to_undo(self) -> tuple[FakeLine, ...]:
        return self.events[-1:]

    def to_put_back(self) -> tuple[FakeLine, ...]:
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
            callback(FakeLine())

    def close(self) -> None:
        """No file is open."""

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        if verb.startswith("_"):
            raise AttributeError(verb)

        def call(*arguments: Any, **named: Any) -> Any:
            self.calls.append((verb, arguments, named))
            if self.refuses:
                raise self.refuses if isinstance(self.refuses, Exception) else ValueError(self.refuses)
            answer = self.answers.get(verb, [])
            if verb == "what_if":
                return view_of(answer)
            return [FakeLine(line) for line in answer] if isinstance(answer, list) else answer

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


class FakeDesk:
    def __init__(self) -> None:
        self.begun: list[tuple[str, str, bytes | None]] = []
        self.told: dict[str, Any] = {"busy": None, "last": None, "lesson": None, "corrections": 0}
        self.forgotten = 0

    def status(self) -> Mapping[str, Any]:
        return self.told

    def begin(self, task: str, tile_set: str, photograph: bytes | None = None) -> bool:
        self.begun.append((task, tile_set, photograph))
        return self.told["busy"] is None

    def forget(self) -> None:
        self.forgotten += 1

    def write_corrections(self, into: IO[bytes]) -> None:
        into.write(b"PK")


class FakeTable:
    """Says what it is told to say, and remembers the corners it was given."""

    def __init__(self) -> None:
        self.placed: list[tuple[Any, Any]] = []
        self.read = 0
        self.is_film, self.watched_again = False, 0
        self.seated: dict[str, tuple[float, float]] = {}
        self.asks_for_seats = False
        self.seen: Mapping[str, Any] | None = None
        self.arms: list[bool] = []
        self.films: dict[str, Any] | None = None
        self.chosen: tuple[tuple[int, int] | None, int | None] | None = None
        self.around: dict[str, Any] | None = {
            "players": ["Ann", "Ben"], "chinese": False, "known": False, "hub": True, "middle": [0.5, 0.5],
            "places": {"Ann": [0.5, 0.7], "Ben": [0.35, 0.4], "MX": [0.65, 0.4]},
        }  # fmt: skip
        self.answer: dict[str, Any] | None = {
            "by": None, "why": "MARKERS", "missing": [1, 3], "corners": None, "causes": ["GLARE"], "fit": False,
            "problem": "corner marker 1, 3 not found",
        }  # fmt: skip

    def look_over(self, corners: Any = None, size_mm: Any = None) -> Mapping[str, Any] | None:
        if corners is None:
            return self.answer
        place_from(corners, size_mm)
        found = {"by": "person", "size_mm": size_mm or [900, 600], "px_per_mm": 1.9, "worst_px_per_mm": 1.61}
        return {**found, "error_mm": None, "corners": corners, "causes": ["SMALL"], "fit": True, "missing": []}

    def place(self, corners: Any, size_mm: Any = None) -> None:
        self.placed.append((corners, size_mm))

    def watch_again(self) -> None:
        self.watched_again += 1

    def read_now(self) -> None:
        self.read += 1

    def view(self) -> Mapping[str, Any] | None:
        return self.seen

    def unseated(self) -> bool:
        return self.asks_for_seats

    def seats(self) -> Mapping[str, Any] | None:
        if self.answer is None:
            raise ValueError("the table is not found")
        return self.around

    def seat(self, places: Mapping[str, tuple[float, float]]) -> None:
        if set(places) < {"Ann", "Ben"}:
            raise ValueError("expected a place for each")
        seats_at({name: (1000 * x, 1000 * y) for name, (x, y) in places.items()}, SeatsMiddle((500.0, 500.0)))
        self.seated = dict(places)

    def filming(self) -> Mapping[str, Any] | None:
        return self.films

    def film_with(self, size_wh: tuple[int, int] | None, mains_hz: int | None) -> None:
        if size_wh == (1, 1):
            raise ValueError("expected a size of 160 to 10000 pixels")
        self.chosen = (size_wh, mains_hz)

    def watch_arms(self, on: bool) -> None:
        self.arms.append(on)


class FakePanel:
    """Remembers its lights; `press` is a finger."""

    def __init__(self) -> None:
        self.lights: queue.Queue[Light] = queue.Queue()
        self.closed = False
        self.press: Callable[[Press], object] = lambda press: None

    def open(self, pressed: Callable[[Press], object], pins: Path | None) -> Panel:
        self.press = pressed
        return self  # type: ignore[return-value]

    def show(self, light: Light) -> None:
        self.lights.put(light)

    def close(self) -> None:
        self.closed = True

    def wait_for(self, wanted: Light) -> None:
        while self.lights.get(timeout=60.0) is not wanted:
            continue
