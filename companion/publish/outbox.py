"""How far the broker has confirmed each game: one small file beside the games."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from companion.storage.state_file import read_state

KEPT_GAMES = 200


class Outbox:
    """Game -> the last seq that was confirmed. A file that is lost or damaged only means that events are said again."""

    def __init__(self, path: Path, damaged: Callable[[Path], None] = lambda aside: None) -> None:
        self._path = path
        nothing: dict[str, int] = {}
        self._confirmed = read_state(path, _confirmed_of, nothing, damaged)

    def confirmed(self, game: str) -> int:
        return self._confirmed.get(game, 0)

    @property
    def games(self) -> tuple[str, ...]:
        """Every game that was ever published from here, the oldest first."""
        return tuple(self._confirmed)

    def begin(self, game: str) -> None:
        """From now on this game is published."""
        if game not in self._confirmed:
            self._confirmed[game] = 0
            self._write()

    def limit(self, game: str, last: int) -> None:
        """The game has only so many entries: what the broker confirmed beyond is lost here, and was another end."""
        if self.confirmed(game) > last:
            self._confirmed[game] = last
            self._write()

    def confirm(self, game: str, seq: int) -> None:
        if seq > self.confirmed(game):
            self._confirmed[game] = seq
            self._write()

    def _write(self) -> None:
        while len(self._confirmed) > KEPT_GAMES:
            del self._confirmed[next(iter(self._confirmed))]
        fresh = self._path.with_name(f".{self._path.name}.new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_text(json.dumps(self._confirmed), encoding="utf-8")
            fresh.replace(self._path)
        except OSError:
            # A full disk must not stop the game; the worst is that the broker hears something twice.
            return


def _confirmed_of(kept: Any) -> dict[str, int]:
    if not isinstance(kept, dict) or not all(type(seq) is int and seq >= 0 for seq in kept.values()):
        raise ValueError
    return kept
