"""The cheapest one-to-one assignment of rows to columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def assign(cost: NDArray[np.float64]) -> NDArray[np.intp]:
    """(n, m) costs with n <= m -> (n,) the column of each row, least in total, no column twice.

    Shortest augmenting paths with potentials (Kuhn 1955, Jonker and Volgenant 1987): n rounds, each in O(n m).
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
    return out
