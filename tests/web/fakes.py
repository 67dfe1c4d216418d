"""A session that shows what it is told to show and remembers what it was asked to do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any


class FakeSession:
    """Stands at the page's only seam. `show` puts another table; `record` appends a journal line and rings."""

    def __init__(self, snapshot: Mapping[str, Any], lines: list[dict[str, Any]] | None = None) -> None:
        self._snapshot = dict(snapshot)
        self.lines: list[dict[str, Any]] = list(lines or [])
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.refuses: str | None = None
        self._callbacks: list[Callable[..., None]] = []
        self._lock = threading.Lock()

    @property
    def events(self) -> tuple[dict[str, Any], ...]:
        with self._lock:
            return tuple(self.lines)

    def snapshot(self, at: int | None = None) -> dict[str, Any]:
        with self._lock:
            return {**self._snapshot, "seq": self._snapshot["seq"] if at is None else at}

    def subscribe(self, callback: Callable[..., None]) -> Callable[[], None]:
        self._callbacks.append(callback)
        return lambda: self._callbacks.remove(callback)

    def show(self, snapshot: Mapping[str, Any]) -> None:
        with self._lock:
            self._snapshot = dict(snapshot)
        self._ring()

    def record(self, **line: Any) -> None:
        with self._lock:
            self.lines.append({"seq": len(self.lines) + 1, **line})
        self._ring()

    def _ring(self) -> None:
        for callback in list(self._callbacks):
            callback(())

    def __getattr__(self, verb: str) -> Callable[..., list[dict[str, Any]]]:
        if verb.startswith("_"):
            raise AttributeError(verb)

        def call(*arguments: Any, **named: Any) -> list[dict[str, Any]]:
            self.calls.append((verb, arguments, named))
            if self.refuses:
                raise ValueError(self.refuses)
            return []

        return call


class FakeCamera:
    def __init__(self, state: str = "read", message: str | None = None) -> None:
        self.state = state
        self.message = message

    def status(self) -> Mapping[str, Any]:
        return {"state": self.state, **({"message": self.message} if self.message else {})}

    def still(self) -> bytes | None:
        return None
