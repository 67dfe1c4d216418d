"""The sets that a person can name for a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from companion.rules.tile import Tile, chinese_set, double_set
from vision.known_set import KnownSet

SETS = ("auto", "double-6", "double-9", "double-12", "double-15", "double-18", "chinese")


def set_name(written: str) -> str:
    """A set by its name, or by its highest double alone: `12` is `double-12`. What is neither stays as it is."""
    return f"double-{written}" if f"double-{written}" in SETS else written


def known_set(name: str) -> KnownSet | None:
    """What lies on the table by the name of its set; None for `auto`, which forces nothing."""
    if name == "auto":
        return None
    copies = chinese_set() if name == "chinese" else dict.fromkeys(double_set(int(name.removeprefix("double-"))), 1)
    return KnownSet(name, {(tile.low, tile.high): n for tile, n in copies.items()})


def set_doubt(tiles: Iterable[Tile]) -> str | None:
    """Why the tiles read in a picture are of no one set, in words; None where some set holds them all."""
    read = Counter(tiles)
    boxes = [known.copies for name in SETS if (known := known_set(name)) is not None]
    if any(all(box.get((tile.low, tile.high), 0) >= n for tile, n in read.items()) for box in boxes):
        return None
    often = [f"{tile} {n} times" for tile, n in sorted(read.items()) if n > 1]
    if often:
        return f"the set cannot be told: no set has {', '.join(often)}; look at those first, then say it with --set"
    return "the set cannot be told: no set has all of these tiles; say it with --set where you know it"
