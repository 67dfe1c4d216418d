"""The sets that a person can name for a picture."""

from __future__ import annotations

from companion.rules.tile import chinese_set, double_set
from vision.known_set import KnownSet

SETS = ("auto", "double-6", "double-9", "double-12", "double-15", "double-18", "chinese")


def known_set(name: str) -> KnownSet | None:
    """What lies on the table by the name of its set; None for `auto`, which forces nothing."""
    if name == "auto":
        return None
    copies = chinese_set() if name == "chinese" else dict.fromkeys(double_set(int(name.removeprefix("double-"))), 1)
    return KnownSet(name, {(tile.low, tile.high): n for tile, n in copies.items()})
