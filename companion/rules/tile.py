"""The one exception of the rules.

Tiles and sets: what a box of dominoes contains.

Source: docs/rules.md sections 1 and 4.1. A tile's identity has no orientation, `Tile(6, 4) == Tile(4, 6)`;
how it lies in a train is `Laid`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple


class RulesError(Exception):
    """Raised by every public function of `companion.rules` for input that it cannot use.

    The text is one line: the field, what was expected, and what was given. An illegal play is no such input: it gets a
    ruling. `NotationError`, `RuleSetError` and `ScoringError` are kinds of it.

    >>> from companion.rules import Board
    >>> Board('tactic', ['Ann'])
    Traceback (most recent call last):
        ...
    companion.rules.tile.RulesError: players: expected two or more different names, not ['Ann']
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(" ".join(text.splitlines()))  # what was given may have lines of its own


_DOUBLE_SET = re.compile(r"(?:double-)?([1-9][0-9]?)")


def highest_double(written: Any) -> Any:
    """A set as people name it: 12, "12" or "double-12" is 12. Any other text stays as it is."""
    found = _DOUBLE_SET.fullmatch(written) if isinstance(written, str) else None
    return written if found is None else int(found[1])


CHINESE_TWICE = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (1, 3), (1, 5), (1, 6), (4, 6), (5, 6))
CHINESE_ONCE = ((1, 2), (1, 4), (2, 3), (2, 4), (2, 5), (2, 6), (3, 4), (3, 5), (3, 6), (4, 5))


@dataclass(frozen=True, slots=True, order=True)
class Tile:
    """One domino. The halves are kept in order, so equality and hash ignore how it was written.

    >>> from companion.rules import Tile
    >>> Tile(6, 4) == Tile(4, 6)
    True
    """

    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            low, high = self.high, self.low
            object.__setattr__(self, "low", low)
            object.__setattr__(self, "high", high)

    @property
    def is_double(self) -> bool:
        """Whether both halves have the same value.

        >>> from companion.rules import Tile
        >>> Tile(7, 7).is_double
        True
        """
        return self.low == self.high

    @property
    def pips(self) -> int:
        """The sum of both halves, in pips.

        >>> from companion.rules import Tile
        >>> Tile(12, 5).pips
        17
        """
        return self.low + self.high

    def has(self, value: int) -> bool:
        """Whether one half has this value.

        >>> from companion.rules import Tile
        >>> Tile(12, 5).has(5)
        True
        """
        return value == self.low or value == self.high

    def __str__(self) -> str:
        """The tile in notation, the lower half first.

        >>> from companion.rules import Tile
        >>> str(Tile(12, 5))
        '5-12'
        """
        return f"{self.low}-{self.high}"


class Laid(NamedTuple):
    """A tile as it lies.

    >>> from companion.rules import Laid
    >>> Laid(12, 5) == Laid(5, 12)
    False
    """

    inner: int
    """The half nearer the engine; in a Chinese line the left half."""
    outer: int

    @property
    def tile(self) -> Tile:
        """Which tile it is, however it lies.

        >>> from companion.rules import Laid
        >>> Laid(12, 5).tile
        Tile(low=5, high=12)
        """
        return _tile_of(self)

    @property
    def is_double(self) -> bool:
        """Whether both halves have the same value.

        >>> from companion.rules import Laid
        >>> Laid(12, 5).is_double
        False
        """
        return self.inner == self.outer


@lru_cache(maxsize=4096)
def _tile_of(laid: Laid) -> Tile:
    """One object for one tile: a table asks for its tiles over and over."""
    return Tile(laid.inner, laid.outer)


@lru_cache(maxsize=1024)
def suit_ways(highest: int, value: int) -> tuple[Laid, ...]:
    """Every tile of the set up to `highest` that shows `value`, laid with it inwards; none for a value outside."""
    return tuple(Laid(value, other) for other in range(highest + 1)) if 0 <= value <= highest else ()


@cache
def double_set(highest: int) -> frozenset[Tile]:
    """All tiles of the set up to `highest`-`highest`: (highest + 1)(highest + 2) / 2 of them. Raises RulesError.

    >>> from companion.rules import double_set
    >>> len(double_set(12))
    91
    """
    if highest < 0:
        raise RulesError(f"highest: expected the set's highest pip, 0 or more, not {highest}")
    return frozenset(Tile(a, b) for a in range(highest + 1) for b in range(a, highest + 1))


@cache
def chinese_set(players: int | None = None, *, kkori: bool = False) -> Mapping[Tile, int]:
    """Tile -> copies of the 32-tile Chinese set; Kkori for two or three players leaves out 3:3 to 6:6 (24 tiles).
    Raises RulesError.

    >>> from companion.rules import chinese_set
    >>> sum(chinese_set().values()), sum(chinese_set(3, kkori=True).values())
    (32, 24)
    """
    copies: Counter[Tile] = Counter()
    for a, b in CHINESE_TWICE:
        if kkori and players in (2, 3) and a == b and a >= 3:
            continue
        copies[Tile(a, b)] = 2
    for a, b in CHINESE_ONCE:
        copies[Tile(a, b)] = 1
    return copies
