"""Work for a guest that takes seconds, in turn: none of it may make a tap at the table slow."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Any

from flask import current_app, request

from companion.web.guard import network_of


class Turns:
    """One at a time in all, and of each network one that waits for that: whoever asks for many looks is slow to nobody
    but themselves. Thread-safe; a turn within a turn is the same one."""

    def __init__(self) -> None:
        self._lock, self._work = threading.Lock(), threading.RLock()
        self._networks: defaultdict[str, threading.RLock] = defaultdict(threading.RLock)
        self._waiting: Counter[str] = Counter()

    @contextmanager
    def turn(self, network: str) -> Iterator[None]:
        with self._lock:
            own = self._networks[network]
            self._waiting[network] += 1
        try:
            with own, self._work:
                yield
        finally:
            with self._lock:
                self._waiting[network] -= 1
                if not self._waiting[network]:
                    del self._waiting[network], self._networks[network]


def my_turn() -> AbstractContextManager[None]:
    """Wait until whoever asks now may go on with something that takes seconds."""
    turns: Turns = current_app.extensions["companion_turns"]
    return turns.turn(network_of(request.remote_addr))


def in_turn(view: Callable[..., Any]) -> Callable[..., Any]:
    """For a view that everybody may open and that may take seconds."""

    @wraps(view)
    def waiting(*args: Any, **kwargs: Any) -> Any:
        with my_turn():
            return view(*args, **kwargs)

    return waiting
