"""The cheapest one-to-one assignment of rows to columns, and what any other choice for a row would cost more."""

from __future__ import annotations

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
