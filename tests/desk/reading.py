"""Reading earlier games in the test's own thread, as the program does in one of its own."""

from __future__ import annotations

from companion.app.game_index import GameIndex


def read_all(index: GameIndex | None) -> None:
    """Until every game is known and written down."""
    assert index is not None
    while index.read_next():
        pass
