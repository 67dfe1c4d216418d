"""A set of tiles as evidence about readings: its values, and that each tile exists once (some twice).

Physics, not rules: two tiles read as the same one in a set that has it once means one reading is wrong, and which one
is weighed over the whole table, by the cheapest one-to-one assignment of finds to tiles. A photograph of an unknown set
is not forced into any: there the readings together only say which sets are likely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """The cheapest assignment of rows to columns. The prices add up to the cost where a row has its column, and to no
    more than the cost elsewhere."""

    columns: NDArray[np.intp]
    """(n,) the column of each row."""
    row_prices: Floats
    """(n,)"""
    column_prices: Floats
    """(m,): 0 for a column that is left over; none is higher."""


def assign(cost: Floats) -> Assignment:
    """(n, m) costs with n <= m -> the assignment least in total, no column twice.

    Shortest augmenting paths with potentials (Kuhn 1955, Jonker and Volgenant 1987): n rounds, each in O(n m).
    ValueError where there are more rows than columns.
    """
    n, m = cost.shape
    if n > m:
        raise ValueError(f"{n} rows cannot have a column each of {m}")
    row_price = np.zeros(n + 1)
    column_price = np.zeros(m + 1)
    row_of = np.zeros(m + 1, np.intp)
    for row in range(1, n + 1):
        row_of[0] = row
        column = 0
        nearest = np.full(m + 1, np.inf)
        came_from = np.zeros(m + 1, np.intp)
        done = np.zeros(m + 1, np.bool_)
        while True:
            done[column] = True
            at = row_of[column]
            reach = cost[at - 1] - row_price[at] - column_price[1:]
            better = ~done[1:] & (reach < nearest[1:])
            nearest[1:][better] = reach[better]
            came_from[1:][better] = column
            open_nearest = np.where(done, np.inf, nearest)
            open_nearest[0] = np.inf
            following = int(open_nearest.argmin())
            step = open_nearest[following]
            row_price[row_of[done]] += step
            column_price[done] -= step
            nearest[~done] -= step
            column = following
            if row_of[column] == 0:
                break
        while column:
            row_of[column] = row_of[came_from[column]]
            column = int(came_from[column])
    out = np.zeros(n, np.intp)
    for column in range(1, m + 1):
        if row_of[column]:
            out[row_of[column] - 1] = column - 1
    return Assignment(out, row_price[1:], column_price[1:])


def dearer_by(cost: Floats, best: Assignment) -> Floats:
    """(n, m) costs and their `assign` -> (n, m) by how much the least total grows where row i must take column j.

    Row i leaves its column and takes j; whoever had j moves on, and so forth until somebody takes the column left
    behind. The cheapest such chains between all columns are shortest paths over the reduced costs (Floyd 1962).
    """
    reduced = np.maximum(cost - best.row_prices[:, None] - best.column_prices, 0.0)
    # A column left over belongs, as it were, to a row which takes any column for nothing.
    on = np.tile(-best.column_prices, (cost.shape[1], 1))
    on[best.columns] = reduced
    np.fill_diagonal(on, 0.0)
    for through in range(cost.shape[1]):
        np.minimum(on, on[:, through, None] + on[through], out=on)
    return np.asarray(reduced + on[:, best.columns].T)


_NO_TILE = 1e-4
"""The probability that a found tile is not of the set at all: a stranger, or two readings in error at once."""
_CANDIDATES = 6
_SURE = 0.98
_LIKELY = 0.3
"""Of more finds than the set has tiles those are weighed whose likeliest tile has this probability."""


@dataclass(frozen=True, slots=True)
class KnownSet:
    """The tiles of a box."""

    name: str
    copies: Mapping[tuple[int, int], int]
    """Tile (low, high) -> how often it is in the box."""

    @staticmethod
    def double(highest: int) -> KnownSet:
        """The set up to `highest`-`highest` pips, each tile once."""
        pairs = {(a, b): 1 for a in range(highest + 1) for b in range(a, highest + 1)}
        return KnownSet(f"double-{highest}", pairs)

    def values(self) -> tuple[int, ...]:
        """The values that a half may show, in pips, ascending."""
        return tuple(sorted({v for pair in self.copies for v in pair}))

    def only_left(self, seen: Iterable[tuple[int, int]], pair: tuple[int, int]) -> bool:
        """Whether all of the box has been `seen` but one tile of this `pair` (low, high)."""
        left = Counter(self.copies)
        left.subtract((min(one), max(one)) for one in seen)
        return {one: n for one, n in left.items() if n} == {pair: 1}

    def too_often(self, p: NDArray[np.floating], least: float) -> NDArray[np.bool_]:
        """(n, 2, v) probabilities of n finds -> (n,) which of them show, each half from `least` on, a tile that more of
        them show than there are: one of these shows something else.

        bench.gates, what shows a tile too often: photographs -, toys -, racks -, traced -, tables -.
        """
        clear = p.max(2).min(1) >= least
        pairs = [(int(a), int(b)) for a, b in np.sort(p.argmax(2), axis=1)]
        shown = Counter(pair for pair, plain in zip(pairs, clear, strict=True) if plain)
        more = [shown[pair] > self.copies.get(pair, 0) for pair in pairs]
        return np.asarray(clear & np.array(more, np.bool_))


def weigh(p: Floats, known: KnownSet) -> Floats:
    """(n, 2, v) probabilities of n tiles read by themselves -> what they are when all are of one set."""
    n, _, count = p.shape
    pairs = [pair for pair in known.copies if pair[1] < count]
    columns = [pair for pair in pairs for _ in range(known.copies[pair])]
    a = np.array([pair[0] for pair in columns])
    b = np.array([pair[1] for pair in columns])
    ab, ba = p[:, 0][:, a] * p[:, 1][:, b], p[:, 0][:, b] * p[:, 1][:, a]
    # A probability of exactly nothing would make an honest conflict unsolvable.
    likely = np.maximum(np.maximum(ab, ba), 1e-12)
    if n > len(columns):
        return _weighed_as_far_as_it_goes(p, known, likely.max(1), len(columns))
    cost = np.concatenate([-np.log(likely), np.full((n, n), -np.log(_NO_TILE))], 1)
    best = assign(cost)
    chosen, dearer = best.columns, dearer_by(cost, best)
    first = np.array([columns.index(pair) for pair in pairs])
    liked = Counter(columns[int(j)] for j in likely.argmax(1))
    # Do more tiles like a pair best than there are copies of it?
    wanted = {pair: n > known.copies[pair] for pair, n in liked.items()}
    out = np.zeros_like(p)
    for i in range(n):
        own = first[np.argsort(-likely[i, first], kind="stable")][:_CANDIDATES]
        best_alone = columns[int(own[0])]
        took = columns[chosen[i]] if chosen[i] < len(columns) else None
        if took == best_alone and likely[i, own[0]] > _SURE * likely[i, own].sum() and not wanted[best_alone]:
            weights = likely[i, own]
        else:
            # How likely the whole table is with this tile forced to be each, the others at their best.
            weights = np.exp(-dearer[i, own] + dearer[i, own].min())
        total = weights.sum()
        # The share left where no tile of the set fits goes to no value at all.
        share = weights / max(total, 1e-12) * (chosen[i] < len(columns))
        for j, weight in zip(own, share, strict=True):
            x, y = columns[int(j)]
            here = weight * ab[i, j] / max(ab[i, j] + (ba[i, j] if x != y else 0), 1e-300)
            out[i, 0, x] += here
            out[i, 1, y] += here
            if x != y:
                out[i, 0, y] += weight - here
                out[i, 1, x] += weight - here
    return out


def _weighed_as_far_as_it_goes(p: Floats, known: KnownSet, best: Floats, most: int) -> Floats:
    """Where more is found than the set has tiles (a cloth full of dots), the likely tiles are weighed and the rest is
    what it seems by itself: the assignment would take minutes and tell nothing of it."""
    order = np.argsort(-best, kind="stable")[:most]
    likely = np.sort(order[best[order] >= _LIKELY])
    out = p.copy()
    out[likely] = weigh(p[likely], known)
    return out


def likely_limits(p: Floats, limits: tuple[int, ...] = (6, 9, 12, 15, 18)) -> Floats:
    """(n, 2, v) readings of one unknown set -> (len(limits),) how likely its highest value is each of the limits.

    A set of few values explains many small readings better than a large one in which they would be chance; a clear
    reading above the limit rules it out but for one error in a thousand.
    """
    halves = p.reshape(-1, p.shape[2])
    total = halves.sum(1)
    logs = []
    for limit in limits:
        inside = halves[:, : limit + 1].sum(1)
        logs.append(np.log(np.maximum(inside, 1e-3 * np.maximum(total, 1e-3)) / (limit + 1)).sum())
    log = np.array(logs) - max(logs) if len(halves) else np.zeros(len(limits))
    share = np.exp(log)
    return np.asarray(share / share.sum(), np.float64)


def softened(p: Floats, limits: tuple[int, ...] = (6, 9, 12, 15, 18)) -> Floats:
    """(n, 2, v) -> the same with values less likely that the other tiles' set would not have; nothing is forced.

    Of 300 halves on traced tables six right ones are read by it, and none is wrong by it there or on photographs.

    bench.gates, values of another set: photographs -3/0/0, toys -9/0/0, racks -5/+1/+2, traced 0/-2/0, tables -.
    """
    share = likely_limits(p, limits)
    prior = np.zeros(p.shape[2])
    for limit, weight in zip(limits, share, strict=True):
        prior[: limit + 1] += weight
    # A value outside the likely set counts against a reading by 200 to 1 at most.
    prior = np.maximum(prior, 0.005)
    out = p * prior
    mass = p.sum(2, keepdims=True)
    return np.asarray(out / np.maximum(out.sum(2, keepdims=True), 1e-12) * mass, np.float64)
