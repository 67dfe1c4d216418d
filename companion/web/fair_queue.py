"""Whose request is served next: no network waits for another one's crowd."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from typing import Protocol


class FromNetwork(Protocol):
    """What waits for a thread. waitress calls `service`, or `cancel` at the end."""

    network: str


class FairQueue:
    """Requests that wait for a thread: each network gets its turn, however many another one has waiting, and at most
    `at_once` threads: they share one interpreter, and whoever keeps all of them busy makes every answer slow. Stands in
    for the dispatcher's deque, under its lock."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._waiting: OrderedDict[str, deque[FromNetwork]] = OrderedDict()
        self._served: Counter[str] = Counter()

    def __len__(self) -> int:
        """How many there are whose turn it may be."""
        return sum(len(waiting) for network, waiting in self._waiting.items() if self._has_room(network))

    def __bool__(self) -> bool:
        return any(map(self._has_room, self._waiting))

    def append(self, channel: FromNetwork) -> None:
        self._waiting.setdefault(channel.network, deque()).append(channel)

    def popleft(self) -> FromNetwork:
        network = next(filter(self._has_room, self._waiting))
        waiting = self._waiting[network]
        channel = waiting.popleft()
        self._served[network] += 1
        if waiting:
            self._waiting.move_to_end(network)
        else:
            del self._waiting[network]
        return channel

    def done(self, network: str) -> None:
        """A thread has served one of this network's."""
        self._served[network] -= 1
        if self._served[network] <= 0:
            del self._served[network]

    def _has_room(self, network: str) -> bool:
        return self._served[network] < self._at_once
