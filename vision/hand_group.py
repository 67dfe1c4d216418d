"""The hand in a photograph: the group of tiles nearest to its middle.

Beside a hand laid open lie the table's trains, another player's tiles, the rest of the box. Tiles that lie nearer to
each other than one and a half are long are one group. A train in it, tiles that touch end to end, is not of the hand
where it lies clear of the others or a row of tiles side by side stands right against it, nor is a group of which all
lie face down. Where a single tile lies in the middle there is no group, and all are the hand.

Where a hand stands in a rack whose lip hides the lower ends, a sentence for people says so and how many tiles it is. It
takes nothing away from what was read, so it costs and saves no reading.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.packing import groups, shared_areas
from vision.reading import PictureReading, TileReading
from vision.rotated import sides

Floats = NDArray[np.float32]

APART = 1.5
"""In tile lengths, from outline to outline."""
TOUCH, CLEAR, TRAIN, LEAST = 0.2, 0.6, 4, 2
"""In tile lengths: nearer than the first two tiles of a train touch, and all of it lies farther than the second from
the others. So many tiles end to end are one at least, and so many others a hand. In the labelled photographs that tells
five tiles below a train of twelve for a hand, and takes no tile from any other. A row against a train is told from it
in one of the 94: seven tiles that stand before a train of nine."""
ALONG_AN_EDGE = np.linspace(0.0, 1.0, 5)[:-1]


def in_hand(tiles: Sequence[TileReading], size_wh: tuple[int, int]) -> NDArray[np.bool_]:
    """(n,) which of n tiles in a picture of that size are of the hand."""
    if not tiles:
        return np.zeros(0, np.bool_)
    q = np.array([tile.quad_px for tile in tiles], np.float32)
    length = float(np.median(np.maximum(*sides(q))))
    gaps = _gaps(q)
    rows = np.isin(np.arange(len(q)), [n for row, _ in _racks(tiles) if len(row) >= A_ROW for n in row])
    there = ~_trains(q, gaps, length, rows)
    from_middle = np.linalg.norm(q.mean(1) - np.array(size_wh, np.float32) / 2, axis=1)
    up = there & np.array([tile.face == "up" for tile in tiles])
    first = int(np.where(up if up.any() else there, from_middle, np.inf).argmin())
    near = (gaps < APART * length) & there & there[:, None]
    hand = np.isin(np.arange(len(q)), next(group for group in groups(near) if first in group))
    return hand if hand.sum() > 1 else there


def _trains(q: Floats, gaps: Floats, length: float, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(n,) which tiles are of trains that lie clear of the others, or against which nothing but tiles of `rows` (n,)
    stands; none where the others are too few for a hand."""
    out = np.zeros(len(q), np.bool_)
    touching = gaps < TOUCH * length
    for group in groups(touching):
        row = np.isin(np.arange(len(q)), group)
        middles = q[row].mean(1)
        ahead = q[row][:, 2] + q[row][:, 3] - q[row][:, 0] - q[row][:, 1]
        apart = middles[None] - middles[:, None]
        length_of = np.linalg.norm(apart, axis=2) * np.linalg.norm(ahead, axis=1)[:, None]
        along = np.abs((apart * ahead[:, None]).sum(2)) > 0.8 * length_of
        ahead_of = along & touching[np.ix_(row, row)] & ~np.eye(len(middles), dtype=np.bool_)
        end_to_end, standing = ahead_of.any(1), rows[row]
        in_line = (ahead_of & ahead_of.T).any(1)
        if standing.sum() >= A_ROW and in_line.sum() >= TRAIN and (in_line ^ standing).all():
            out[np.flatnonzero(row)[in_line]] = True
        elif row.sum() >= TRAIN and end_to_end.mean() > 0.5:
            # A single one that lies a little off it, and nearer to it than to any other, is of it.
            off, alone = gaps[row].min(0), np.where(row | np.eye(len(q), dtype=np.bool_), np.inf, gaps).min(1)
            beside = ~row & (off < CLEAR * length) & (off < alone)
            row |= beside & (beside.sum() == 1)
            if (gaps[row][:, ~row] > CLEAR * length).all():
                out |= row
    return out if (~out).sum() >= LEAST else np.zeros(len(q), np.bool_)


def _gaps(q: Floats) -> Floats:
    """(n, n) px from outline to outline; tiles that overlap are 0 apart or nearly so."""
    ahead = np.roll(q, -1, axis=1)
    rim = np.concatenate([q + (ahead - q) * share for share in ALONG_AN_EDGE], axis=1)
    apart = np.linalg.norm(rim[:, None, :, None] - rim[None, :, None, :], axis=4)
    return np.asarray(apart.min((2, 3)), np.float32)


LIES_ON = 0.15
"""Of the smaller of two outlines: from here on one tile lies on the other. Of 63 labelled photographs with every tile
listed one chain of nineteen has outlines so far off; a heap has, in which a tile is not found."""
A_HEAP = "tiles lie on each other, and others may lie under them: spread them out"

ANOTHER = "there may be another tile that was not found: look for it, or come closer"


def doubts(reading: PictureReading, hand: NDArray[np.bool_]) -> list[str]:
    """Why the tiles of a hand (n,) may not be all of it, in sentences for people: one lies on another, or beside them
    lies one that was not found."""
    quads = np.array([tile.quad_px for tile in reading.tiles], np.float32).reshape(-1, 4, 2)[hand]
    lost = np.array(reading.overlooked, np.float32).reshape(-1, 4, 2)
    length = float(np.median(np.maximum(*sides(quads)))) if len(quads) else 0.0
    apart = _gaps(np.concatenate([quads, lost]))[: len(quads), len(quads) :]
    return [A_HEAP] * heaped(quads) + [ANOTHER] * bool((apart < APART * length).any())


def heaped(quads: NDArray[np.floating]) -> bool:
    """Whether of (n, 4, 2) outlines two lie on each other."""
    common = shared_areas(np.asarray(quads, np.float32))
    sizes = np.diag(common)
    return bool((np.triu(common, 1) > LIES_ON * np.minimum(sizes[:, None], sizes)).any())


A_ROW = 3
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
    if len(tiles) < A_ROW:
        return None
    row, facing = max(_racks(tiles), key=lambda one: len(one[0]))
    if len(row) < A_ROW:
        return None
    unread = np.array([[half.value is None for half in tiles[n].halves or ()] or [True, True] for n in row])
    unread[facing < 0] = unread[facing < 0, ::-1]
    alone = [int((unread[:, end] & ~unread[:, 1 - end]).sum()) for end in (0, 1)]  # that end, and not the other
    at_lip = int(np.argmax(alone))
    hidden = int(unread[:, at_lip].sum())
    if alone[at_lip] < max(A_ROW, ALONE * len(row)) or hidden <= MOSTLY * len(row):
        return None
    q = np.array([tiles[n].quad_px for n in row], np.float64)
    across = (q[:, 1] - q[:, 0] + q[:, 2] - q[:, 3]) / 2 * facing[:, None]
    wide = float(np.median(np.linalg.norm(across, axis=1)))
    along = across.mean(0) / np.linalg.norm(across.mean(0))
    beside = np.sort(q.mean(1) @ along)
    steps = np.diff(beside)
    count = 1 + round(float(np.ptp(beside)) / float(np.median(steps[steps > PITCH[0] * wide])))
    return f"{count} tiles stand in a row and {hidden} of them have an end hidden; lift them out to read those"


def _racks(tiles: Sequence[TileReading]) -> list[tuple[list[int], NDArray[np.float64]]]:
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
