"""A wall that is seen for the first time in the middle of the game: which of its eight tiles lie on others?

Eight tiles in a row may be the whole line, or the top of one that has folded back on itself as often as it will. The
next tile tells: it lies beside the wall's last one. What lies under the others nobody has seen, and nobody guesses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from companion.geometry.covering import WALL
from companion.geometry.joints import distance
from companion.geometry.layout import Layout, PlacedTile
from companion.geometry.table_setup import Family, TableSetup


@dataclass(frozen=True, slots=True)
class _Way:
    """One way in which the wall may have come so far: towards the left, or towards the right in a layer above."""

    layout: Layout
    mismatches: int


def may_be_a_wall(layout: Layout, setup: TableSetup) -> bool:
    """Is this a row of eight of which nobody can say how much lies below?"""
    whole = len(layout.line) == WALL and not layout.walls and not layout.buried
    return setup.family is Family.CHINESE and setup.arms == 1 and whole


def before_the_next(row: Layout, now: Layout, width_mm: float) -> Layout | None:
    """The wall as it was in `row`, told by the tiles laid on it since, in `now`; both seen for the first time.

    None where nothing new lies on it, or where two ways are equally likely.
    """
    if len(row.line) != WALL or len(now.line) != WALL:
        return None
    pairs = list(zip(row.line, now.line, strict=True))
    if any(distance(old.seen.center_mm, new.seen.center_mm) > width_mm / 2 for old, new in pairs):
        return None
    new = [n for n, (was, lies) in enumerate(pairs) if None not in (was.laid, lies.laid) and was.laid != lies.laid]
    if not new or new != list(range(new[0], new[-1] + 1)):
        return None
    ways = [way for way in (_leftward(row, now, new), _rightward(row, now, new)) if way is not None]
    ways.sort(key=lambda way: way.mismatches)
    if not ways or (len(ways) == 2 and ways[0].mismatches == ways[1].mismatches):
        return None
    return ways[0].layout


def _leftward(row: Layout, now: Layout, new: Sequence[int]) -> _Way | None:
    """The last layer comes from the right end, and the new tiles go on to the left of it."""
    last = new[-1]
    end = row.line[-1].laid if last == WALL - 1 else row.line[last + 1].laid
    laid = now.line[last].laid
    if end is None or laid is None or laid.outer != (end.outer if last == WALL - 1 else end.inner):
        return None
    below, tops = row.line[: last + 1], [_turned(tile) for tile in reversed(row.line[last + 1 :])]
    buried = tuple(range(last + 1, WALL))
    return _Way(replace(row, line=(*below, *tops), buried=buried), _mismatches(below) + _mismatches(tops))


def _rightward(row: Layout, now: Layout, new: Sequence[int]) -> _Way | None:
    """The layer below came from the right end; the last one turned at the left end and goes on to the right."""
    first = new[0]
    end = row.line[0].laid if first == 0 else row.line[first - 1].laid
    laid = now.line[first].laid
    if end is None or laid is None or laid.inner != (end.inner if first == 0 else end.outer):
        return None
    below, tops = [_turned(tile) for tile in reversed(row.line[first:])], row.line[:first]
    buried = (*range(WALL), *range(2 * WALL - first, 2 * WALL))
    return _Way(replace(row, line=(*below, *tops), buried=buried), _mismatches(below) + _mismatches(tops))


def _turned(tile: PlacedTile) -> PlacedTile:
    return replace(tile, inner_half=1 - tile.inner_half)


def _mismatches(tiles: Sequence[PlacedTile]) -> int:
    laid = [tile.laid for tile in tiles]
    return sum(a is not None and b is not None and a.outer != b.inner for a, b in pairwise(laid))
