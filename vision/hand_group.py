"""Which of the tiles in a photograph are the hand that it was taken of: the group that lies nearest to its middle.

Beside a hand laid open lie the table's trains, another player's tiles, the rest of the box. Tiles that lie nearer to
each other than one and a half are long are one group. Where a single tile lies in the middle there is no group, and all
are the hand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.rotated import sides

Floats = NDArray[np.float32]

APART = 1.5
"""In tile lengths, from outline to outline."""
ALONG_AN_EDGE = np.linspace(0.0, 1.0, 5)[:-1]


def in_hand(quads: Floats, size_wh: tuple[int, int]) -> NDArray[np.bool_]:
    """(n, 4, 2) outlines in a picture of that size -> (n,) which are of the hand."""
    n = len(quads)
    if not n:
        return np.zeros(0, np.bool_)
    q = np.asarray(quads, np.float32)
    near = _gaps(q) < APART * np.median(np.maximum(*sides(q)))
    reached = near.copy()
    for _ in range(n):
        further = reached @ near
        if (further == reached).all():
            break
        reached = further
    from_middle = np.linalg.norm(q.mean(1) - np.array(size_wh, np.float32) / 2, axis=1)
    hand = reached[int(from_middle.argmin())]
    return np.asarray(hand if hand.sum() > 1 else np.ones(n, np.bool_))


def _gaps(q: Floats) -> Floats:
    """(n, n) px from outline to outline; tiles that overlap are 0 apart or nearly so."""
    ahead = np.roll(q, -1, axis=1)
    rim = np.concatenate([q + (ahead - q) * share for share in ALONG_AN_EDGE], axis=1)
    apart = np.linalg.norm(rim[:, None, :, None] - rim[None, :, None, :], axis=4)
    return np.asarray(apart.min((2, 3)), np.float32)
