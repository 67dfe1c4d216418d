"""Places in chains of tiles where a tile should lie that was not found, or where tiles were found half a tile off.

In a chain of dark tiles without dividing lines the seam between two tiles looks like a divider: a box across 12-7 and
7-1 shows 7-7, and half a tile stays free on either side of it. A gap of half a tile may also hold a double that lies
across. Such gaps are told from geometry alone; what really lies there the reader says.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vision.detections import Finds
from vision.rotated import axes, iou

Floats = NDArray[np.float32]


STRAIGHT, SKEWED = 0.97, 0.24
"""The cosine of the angle to a neighbour in line, at least, and to one that lies across, at most."""
ASIDE = 0.35
"""How far a neighbour's middle may lie beside the tile's axis, in tile widths."""
GROWN = 1.08
"""Outlines count as so much larger."""
STEPS = 3
"""How many tiles of a chain may be out of step together."""
MOST = 60
"""At most this many places are proposed."""
LONGEST = 2.6
"""A find longer than this many widths is more than one tile."""
SHORTEST = 0.75
"""A find shorter than this share of the other tiles' length is a part of a tile."""
SAME = 0.6
"""A place with this intersection over union with a find is that find, read a little beside."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Places worth a look for a tile that was not found."""

    quads: Floats
    """(k, 4, 2)"""
    sources: NDArray[np.intp]
    """(k,) the tile that each was derived from."""
    moved: NDArray[np.bool_]
    """(k,) True: that tile itself, moved by half its length. False: one more tile in a gap."""


def proposals(quads: Floats) -> Places:
    """Places in a picture with tiles at `quads` (n, 4, 2): whole tiles between two tiles in line, tiles across them,
    and tiles out of step moved by half a tile."""
    q = np.asarray(quads, np.float32)
    chain = _Chain(q)
    whole: list[tuple[int, float]] = []
    across: list[tuple[int, float]] = []
    off_step: set[int] = set()
    for i in range(len(q)):
        for sign in (1.0, -1.0):
            if chain.at(i, 0.75 * sign) is not None:
                continue
            behind = chain.at(i, 1.25 * sign)
            if behind is None and chain.at(i, 1.75 * sign) not in (None, i):
                whole.append((i, sign))
            elif behind not in (None, i):
                across.append((i, 0.75 * sign))
                off_step |= chain.run(i, -sign) | {behind}
    moves = [*whole, *((i, half) for i in sorted(off_step) for half in (0.5, -0.5))][:MOST]
    along = np.array([i for i, _ in moves], np.intp)
    shifts = np.array([by for _, by in moves], np.float32)
    moved = q[along] + (chain.along[along] * shifts[:, None])[:, None]
    beside = np.array([i for i, _ in across[:MOST]], np.intp)
    lengths = np.array([by for _, by in across[:MOST]], np.float32)
    turned = chain.turned(beside) + (chain.along[beside] * lengths[:, None])[:, None]
    return Places(
        np.asarray(np.concatenate([moved, turned]), np.float32),
        np.concatenate([along, beside]),
        np.concatenate([np.abs(shifts) == 0.5, np.zeros(len(beside), np.bool_)]),
    )


def cut_short(quads: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Of outlines (n, 4, 2) longer than `LONGEST` times their width, in a chain without seams: which they are, each
    twice, and what a tile's length of them is, from either end.

    Of the same pictures that saves four tiles of one photograph and finds one in another; it costs none."""
    q = np.asarray(quads, np.float32)
    along, across = axes(q)
    ratio = np.linalg.norm(along, axis=1) / np.maximum(np.linalg.norm(across, axis=1), 1e-6)
    long = np.flatnonzero(ratio > LONGEST)
    kept = (along[long] * (2 / ratio[long])[:, None])[:, None]
    first, last = q[long][:, :2], q[long][:, 2:]
    from_first = np.concatenate([first, first[:, ::-1] + kept], axis=1)
    from_last = np.concatenate([last[:, ::-1] - kept, last], axis=1)
    return np.concatenate([long, long]), np.asarray(np.concatenate([from_first, from_last]), np.float32)


def stretched(quads: Floats, length: float) -> tuple[NDArray[np.intp], Floats]:
    """Outlines (n, 4, 2) of parts of tiles -> which they are, each four times, and tiles of that length that have the
    part as one end: on either side along either axis."""
    q = np.asarray(quads, np.float32)
    grown = []
    for turns in range(4):
        near = np.roll(q, turns, axis=1)
        axis = near[:, 2] - near[:, 1] + near[:, 3] - near[:, 0]
        axis *= length / np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-6)
        tile = np.concatenate([near[:, :2], near[:, 1::-1] + axis[:, None]], axis=1)
        grown.append(tile)
    return np.tile(np.arange(len(q)), 4), np.asarray(np.concatenate(grown), np.float32)


def as_found(finds: Finds) -> Finds:
    """The same; places that were only thought of and lie where a tile was found are that find, face and confidence."""
    finds = finds.copy()
    quads, seen = finds.quads, np.flatnonzero(finds.seen)
    centres = quads.mean(1)
    for i in np.flatnonzero(~finds.seen):
        reach = np.linalg.norm(quads[i] - centres[i], axis=1).max()
        near = seen[np.linalg.norm(centres[seen] - centres[i], axis=1) < 0.5 * reach]
        alike = [int(j) for j in near if iou(quads[i], quads[j]) >= SAME]
        if alike:
            best = max(alike, key=lambda j: finds.confidence[j])
            finds.seen[i], finds.kind[i] = True, finds.kind[best]
            finds.confidence[i] = max(finds.confidence[i], finds.confidence[best])
    return finds


def in_line(quads: Floats) -> NDArray[np.bool_]:
    """(n,) whether a tile has one in line with it close to one of its ends.

    Doubles that have are looked for half a tile off as well. Of 67 labelled photographs that saves one, three tiles and
    a wrong one; it costs none, and changes nothing on 43 rendered hands and ten rendered tables."""
    return np.asarray(_continued(quads).any(1))


def flanked(quads: Floats) -> NDArray[np.bool_]:
    """(n,) whether tiles end at both long sides of a tile: it is a double that lies across their chain."""
    chain = _Chain(np.asarray(quads, np.float32))
    return chain.crossed(1.0) & chain.crossed(-1.0)


def _continued(quads: Floats) -> NDArray[np.bool_]:
    """(n, 2) whether a tile lies in line close to either end of each."""
    chain = _Chain(np.asarray(quads, np.float32))
    ends = [[chain.at(i, way) not in (None, i) for way in (0.75, -0.75)] for i in range(len(quads))]
    return np.array(ends, np.bool_).reshape(-1, 2)


class _Chain:
    """Which tile lies so many tile lengths from another's middle, along its own axis."""

    def __init__(self, quads: Floats) -> None:
        self.centres = np.asarray(quads.mean(1), np.float32)
        self.along, self.across = (np.asarray(axis, np.float32) for axis in axes(quads))
        self._at: dict[float, list[int | None]] = {}

    def turned(self, tiles: NDArray[np.intp]) -> Floats:
        """(k, 4, 2) the outlines of these tiles turned by a quarter about their middles."""
        u, v = self.along[tiles] / 2, self.across[tiles] / 2
        middle = self.centres[tiles]
        half = np.linalg.norm(u, axis=1) / np.maximum(np.linalg.norm(v, axis=1), 1e-6)
        # The long side now runs across: each axis takes the other's length, and the corners stay clockwise.
        long, short = v * half[:, None], -u / np.maximum(half[:, None], 1e-6)
        return np.asarray(
            np.stack([middle - long - short, middle - long + short, middle + long + short, middle + long - short], 1),
            np.float32,
        )

    def at(self, i: int, lengths: float) -> int | None:
        """The tile in line with `i` that covers the place; where only others do, `i` itself: the place is taken."""
        if lengths not in self._at:
            taken = self._covering(self.centres + lengths * self.along)
            there = taken & self._in_line
            self._at[lengths] = [
                int(there[k].argmax()) if there[k].any() else k if taken[k].any() else None for k in range(len(taken))
            ]
        return self._at[lengths][i]

    @cached_property
    def _in_line(self) -> NDArray[np.bool_]:
        """(n, n) whether the second lies straight or across on the first one's axis."""
        cosine = self._cosines
        aside = self._share(self.centres - self.centres[:, None], self.across[:, None])
        return np.asarray(((cosine <= SKEWED) | (cosine >= STRAIGHT)) & (aside <= ASIDE), np.bool_)

    def crossed(self, sign: float) -> NDArray[np.bool_]:
        """(n,) whether a tile that lies across ends at this long side of each, about in its middle."""
        off = self._share(self.centres - self.centres[:, None], self.along[:, None]) <= ASIDE / 2
        return np.asarray(
            (self._covering(self.centres + sign * self.across) & (self._cosines <= SKEWED) & off).any(1), np.bool_
        )

    def _covering(self, places: Floats) -> NDArray[np.bool_]:
        """(n, 2) a place of every tile -> (n, n) which others lie over it."""
        offset = np.asarray(places[:, None] - self.centres, np.float32)
        inside = (self._share(offset, self.along) <= GROWN / 2) & (self._share(offset, self.across) <= GROWN / 2)
        np.fill_diagonal(inside, False)
        return inside

    @cached_property
    def _cosines(self) -> Floats:
        """(n, n) of the angles between the tiles, without their signs."""
        size = np.linalg.norm(self.along, axis=1)
        return np.asarray(np.abs(self.along @ self.along.T) / np.maximum(size[:, None] * size, 1e-6), np.float32)

    def run(self, i: int, sign: float) -> set[int]:
        """`i` and the tiles that lie in line behind it."""
        found = [i]
        for _ in range(STEPS - 1):
            way = sign if float(self.along[found[-1]] @ self.along[i]) >= 0 else -sign
            behind = self.at(found[-1], 0.75 * way)
            if behind is None or behind in found:  # `at` names the tile itself where an askew one lies
                break
            found.append(behind)
        return set(found)

    @staticmethod
    def _share(offset: NDArray[np.floating], axis: Floats) -> NDArray[np.float32]:
        """How many times the length of `axis` the offset reaches along it."""
        return np.asarray(np.abs((offset * axis).sum(-1)) / np.maximum((axis * axis).sum(-1), 1e-6), np.float32)
