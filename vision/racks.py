"""Tiles that stand side by side in a rack: how many there are, where its edge hides the lower end of most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.reading import TileReading

Floats = NDArray[np.float64]

LEAST = 3
PARALLEL = 0.97
"""The cosine of the angle between two neighbours at least."""
OFF = 0.3
"""In tile lengths: by how much a neighbour may stand higher or lower."""
PITCH = (0.8, 1.35)
"""In tile widths: how far apart the middles of two neighbours are."""
MOSTLY = 0.5
"""Of the row more than this have the half unread that is at the rack's edge."""


def standing(tiles: Sequence[TileReading]) -> str | None:
    """The sentence for people; None where no row has its lower ends hidden."""
    up = [tile for tile in tiles if tile.halves is not None]
    if len(up) < LEAST:
        return None
    q = np.array([tile.quad_px for tile in up], np.float64)
    middles, down = q.mean(1), (q[:, 2] + q[:, 3] - q[:, 0] - q[:, 1]) / 2
    long = np.linalg.norm(down, axis=1)
    wide = float(np.median(np.linalg.norm(q[:, 1] - q[:, 0] + q[:, 2] - q[:, 3], axis=1))) / 2
    unit = down / long[:, None]
    row = max(_rows(middles, unit, float(np.median(long)), wide), key=len)
    if len(row) < LEAST:
        return None
    facing = np.sign(unit[row] @ unit[row[0]])
    unread = np.array([[half.value is None for half in up[n].halves or ()] for n in row])
    first, second = unread[:, 0] & ~unread[:, 1], unread[:, 1] & ~unread[:, 0]
    hidden = max(int(np.where(facing == side, second, first).sum()) for side in (1, -1))
    if hidden <= MOSTLY * len(row):
        return None
    beside = (middles[row] - middles[row[0]]) @ np.array([-unit[row[0], 1], unit[row[0], 0]])
    steps = np.diff(np.sort(beside))
    count = 1 + round(float(np.ptp(beside)) / float(np.median(steps[steps > PITCH[0] * wide])))
    return f"{count} tiles stand in a row and {hidden} of them have an end hidden; lift them out to read those"


def _rows(middles: Floats, unit: Floats, long: float, wide: float) -> list[list[int]]:
    """The groups of tiles that stand side by side."""
    apart = middles[None] - middles[:, None]
    along = np.abs((apart * unit[:, None]).sum(2))
    across = np.abs(apart[..., 0] * unit[:, None, 1] - apart[..., 1] * unit[:, None, 0])
    near = (along < OFF * long) & (across > PITCH[0] * wide) & (across < PITCH[1] * wide)
    near &= np.abs(unit @ unit.T) > PARALLEL
    rows, left = [], set(range(len(middles)))
    while left:
        row, found = [], [left.pop()]
        while found:
            n = found.pop()
            row.append(n)
            new = {int(m) for m in np.flatnonzero(near[n])} & left
            left -= new
            found += new
        rows.append(sorted(row))
    return rows
