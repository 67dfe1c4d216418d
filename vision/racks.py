"""Tiles that stand side by side in a rack whose lip hides their lower ends: how many, in a sentence for people.

It takes nothing away from what was read, so it costs and saves no reading.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.packing import groups
from vision.reading import TileReading

Floats = NDArray[np.float64]

LEAST = 3
PARALLEL = 0.94
"""The cosine of the angle between two neighbours at least."""
OFF = 0.3
"""In tile lengths: by how much a neighbour may stand higher or lower."""
PITCH = (0.8, 1.35)
"""In tile widths: how far apart the middles of two neighbours are."""
MOSTLY, ALONE = 0.5, 0.33
"""Of the row more than the first have the half unread that is at the rack's edge, and the second that half alone: glare
and digits leave both unread."""


def standing(tiles: Sequence[TileReading]) -> str | None:
    """The sentence for people; None where no row has its lower ends hidden."""
    if len(tiles) < LEAST:
        return None
    row, facing = max(_racks(tiles), key=lambda one: len(one[0]))
    if len(row) < LEAST:
        return None
    unread = np.array([[half.value is None for half in tiles[n].halves or ()] or [True, True] for n in row])
    unread[facing < 0] = unread[facing < 0, ::-1]
    alone = [int((unread[:, end] & ~unread[:, 1 - end]).sum()) for end in (0, 1)]  # that end, and not the other
    at_lip = int(np.argmax(alone))
    hidden = int(unread[:, at_lip].sum())
    if alone[at_lip] < max(LEAST, ALONE * len(row)) or hidden <= MOSTLY * len(row):
        return None
    q = np.array([tiles[n].quad_px for n in row], np.float64)
    across = (q[:, 1] - q[:, 0] + q[:, 2] - q[:, 3]) / 2 * facing[:, None]
    wide = float(np.median(np.linalg.norm(across, axis=1)))
    along = across.mean(0) / np.linalg.norm(across.mean(0))
    beside = np.sort(q.mean(1) @ along)
    steps = np.diff(beside)
    count = 1 + round(float(np.ptp(beside)) / float(np.median(steps[steps > PITCH[0] * wide])))
    return f"{count} tiles stand in a row and {hidden} of them have an end hidden; lift them out to read those"


def _racks(tiles: Sequence[TileReading]) -> list[tuple[list[int], Floats]]:
    """The rows of tiles that stand side by side, and which way round each stands, 1 or -1."""
    q = np.array([tile.quad_px for tile in tiles], np.float64)
    middles, down = q.mean(1), (q[:, 2] + q[:, 3] - q[:, 0] - q[:, 1]) / 2
    long = np.linalg.norm(down, axis=1)
    wide = float(np.median(np.linalg.norm(q[:, 1] - q[:, 0] + q[:, 2] - q[:, 3], axis=1))) / 2
    unit = down / long[:, None]
    apart = middles[None] - middles[:, None]
    along = np.abs((apart * unit[:, None]).sum(2))
    across = np.abs(apart[..., 0] * unit[:, None, 1] - apart[..., 1] * unit[:, None, 0])
    near = (along < OFF * np.median(long)) & (across > PITCH[0] * wide) & (across < PITCH[1] * wide)
    near &= np.abs(unit @ unit.T) > PARALLEL
    return [(row, np.sign(unit[row] @ unit[row[0]])) for row in groups(near | near.T)]
