"""Choose the tiles among many overlapping finds: two tiles cannot lie in one place, and together they explain most.

In a long chain without dividing lines every place half a tile further on reads as well as the right one. The one taken
first then pushes its two neighbours aside. So the finds are chosen together: the set without conflicts that is worth
most in all, exactly for small groups of finds that touch, by steady improvement for large ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.detections import Finds, clear
from vision.known_set import KnownSet
from vision.rotated import areas, near, shared_each, sides

Floats = NDArray[np.float32]

EXACT_UP_TO = 20_000
"""How many steps the exact search spends on one group before it takes the best set found so far."""


def shared_areas(quads: Floats) -> NDArray[np.float64]:
    """(n, n) px of area that each two of n quads have in common; the diagonal is their own area."""
    q = np.asarray(quads, np.float32)
    common = np.diag(areas(q))
    i, j = np.nonzero(np.triu(near(q, q), 1))
    common[i, j] = common[j, i] = shared_each(q[j], q[i])
    return common


OVERLAP = 0.25
"""Two tiles share no more than this of the smaller outline."""
COVERED = 0.4
"""A find that better ones together cover by more than this of itself is no tile of its own."""
WHOLE, PRINTED = 0.75, 0.4
"""A find with clear pips on both halves, at least the first share of a tile's length, is worth at least the second of
1, however faint it is: the two tiles that meet at a seam explain four such halves, a double read across the seam
two."""
THOUGHT = 0.5
"""A blank that was only supposed is worth this share of its value: beside any tile the ground is as blank."""
TOO_OFTEN, READABLE = 0.8, 0.9
"""A find that shows a tile more often than the set has it, each half from the second on, is worth the first share of
it."""
CLEARLY = 2.0
"""To this power counts how clearly a find reads: half a tile off one half is often as clear as the tile beside, the
other only half so."""


def pack_finds(finds: Finds, length: float, known: KnownSet | None = None) -> NDArray[np.intp]:
    """Indices of the finds that lie there, best first, as `pack` does: by how surely each was found and how clearly
    it reads. `length` is that of a tile in px, 0 where tiles may be of any. With a `known` set no tile lies there twice
    where another find can lie in its place."""
    reads = np.maximum(clear(finds), finds.back.min(1))
    whole = (np.maximum(*sides(finds.quads)) >= WHOLE * length) & (length > 0)
    least = PRINTED * finds.values[:, :, 1:].max(2).min(1) * whole
    blank = (finds.values.argmax(2) == 0).any(1)
    found = (least + (1 - least) * np.sqrt(finds.confidence)) * np.where(finds.seen | ~blank, 1.0, THOUGHT)
    worth = np.asarray(found * (1 - finds.none.min(1)) * reads**CLEARLY, np.float64)
    chosen = pack(finds.quads, worth, OVERLAP, COVERED)
    if known is not None and (often := known.too_often(finds.values[chosen], READABLE)).any():
        worth[chosen[often]] *= TOO_OFTEN
        chosen = pack(finds.quads, worth, OVERLAP, COVERED)
    return chosen


def pack(quads: Floats, worth: NDArray[np.floating], overlap: float, covered: float) -> NDArray[np.intp]:
    """Indices of the finds that lie there, best first.

    Two finds exclude each other when they share more than `OVERLAP` of the smaller one. Of all sets without such a pair
    the one with the largest sum of `worth` is taken; what its other members together cover by more than `COVERED` of
    itself goes as well.
    """
    common = shared_areas(quads)
    areas = np.diag(common)
    value = np.asarray(worth, np.float64)
    smaller = np.minimum(areas[:, None], areas[None])
    conflict = common > overlap * smaller
    np.fill_diagonal(conflict, False)
    chosen = np.zeros(len(value), np.bool_)
    for group in groups(conflict):
        chosen[_heaviest(group, value, conflict)] = True
    keep: list[int] = []
    for i in np.argsort(-value, kind="stable"):
        if chosen[i] and common[i, keep].sum() <= covered * areas[i]:
            keep.append(int(i))
    return np.array(keep, np.intp)


def groups(tied: NDArray[np.bool_]) -> list[list[int]]:
    """(n, n) which are tied to which, both ways -> those that are, directly or through others."""
    left = set(range(len(tied)))
    found = []
    while left:
        edge = [left.pop()]
        group = list(edge)
        while edge:
            near = set(np.flatnonzero(tied[edge.pop()]).tolist()) & left
            left -= near
            edge.extend(near)
            group.extend(near)
        found.append(sorted(group))
    return found


def _heaviest(group: list[int], value: NDArray[np.float64], conflict: NDArray[np.bool_]) -> list[int]:
    """The set of a group's members without conflicts that is worth most (branch and bound over the worthiest first)."""
    if len(group) == 1:
        return group
    order = sorted(group, key=lambda i: -value[i])
    foes = [sum(1 << k for k, other in enumerate(order) if conflict[one, other]) for one in order]
    worths = [float(value[one]) for one in order]
    taken = 0
    for k in range(len(order)):
        taken |= 0 if foes[k] & taken else 1 << k
    best = (sum(worths[k] for k in range(len(order)) if taken >> k & 1), taken)
    steps = EXACT_UP_TO
    stack = [((1 << len(order)) - 1, 0, 0.0)]
    while stack and steps:
        steps -= 1
        free, taken, total = stack.pop()
        if not free:
            best = max(best, (total, taken))
            continue
        if total + _bound(free, worths, foes) <= best[0]:
            continue
        # The one with most open conflicts splits the rest soonest.
        k = max(_members(free), key=lambda one: ((foes[one] & free).bit_count(), worths[one]))
        bit = 1 << k
        stack.append((free & ~bit, taken, total))
        stack.append((free & ~bit & ~foes[k], taken | bit, total + worths[k]))
    return [order[k] for k in _members(best[1])]


def _bound(free: int, worths: list[float], foes: list[int]) -> float:
    """No set within `free` is worth more: of members that all exclude one another only one counts."""
    total = 0.0
    while free:
        k = (free & -free).bit_length() - 1  # the worthiest left
        total += worths[k]
        clique = 1 << k
        for other in _members(foes[k] & free):
            if foes[other] & clique == clique:
                clique |= 1 << other
        free &= ~clique
    return total


def _members(bits: int) -> list[int]:
    out = []
    while bits:
        low = bits & -bits
        out.append(low.bit_length() - 1)
        bits ^= low
    return out
