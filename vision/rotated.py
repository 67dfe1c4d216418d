"""Rotated rectangles: overlap, suppression of doubles, and the rectangle behind four corners."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

AT_A_TIME = 512
"""How many outlines are compared with all others at once: the distances of three thousand would be 36 MB."""


def quads_of(boxes: Floats) -> Floats:
    """(n, 5) centre x, centre y, width, height, angle in radians -> (n, 4, 2) corners, clockwise as displayed.

    The edge 0-1 is a short edge.
    """
    b = np.asarray(boxes, np.float32)
    long_side = np.maximum(b[:, 2], b[:, 3]) / 2
    short_side = np.minimum(b[:, 2], b[:, 3]) / 2
    angle = np.where(b[:, 2] >= b[:, 3], b[:, 4], b[:, 4] + np.pi / 2)
    along = np.stack([np.cos(angle), np.sin(angle)], 1) * long_side[:, None]
    across = np.stack([-np.sin(angle), np.cos(angle)], 1) * short_side[:, None]
    centre = b[:, :2]
    corners = [centre - along + across, centre - along - across, centre + along - across, centre + along + across]
    return np.stack(corners, 1).astype(np.float32)


def sides(quads: Floats) -> tuple[Floats, Floats]:
    """(n,) lengths along the tile (edges 1-2 and 3-0) and across it (edges 0-1 and 2-3), each the mean of two edges."""
    q = np.asarray(quads, np.float32)
    edges = np.linalg.norm(np.roll(q, -1, axis=1) - q, axis=2)
    along = (edges[:, 1] + edges[:, 3]) / 2
    across = (edges[:, 0] + edges[:, 2]) / 2
    return along.astype(np.float32), across.astype(np.float32)


def axes(quads: NDArray[np.floating]) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """(n, 4, 2) -> (n, 2) from each outline's edge 0-1 to its edge 2-3, and from its edge 3-0 to its edge 1-2."""
    first, second, third, last = np.moveaxis(np.asarray(quads), -2, 0)
    return (third - second + last - first) / 2, (second - first + third - last) / 2


def area(quad: ArrayLike) -> float:
    return float(areas(quad)[0])


def shared(a: ArrayLike, b: ArrayLike) -> float:
    """The area two convex outlines that turn clockwise as displayed have in common."""
    return float(shared_each(np.asarray(a)[None], np.asarray(b)[None])[0])


def iou(a: ArrayLike, b: ArrayLike) -> float:
    """Intersection over union of two convex quads."""
    common = shared(a, b)
    union = area(a) + area(b) - common
    return common / union if union > 0 else 0.0


def shared_each(a: ArrayLike, b: ArrayLike) -> Doubles:
    """(n, 4, 2) and (n, 4, 2) -> (n,): the area that each two have in common.

    Sutherland and Hodgman's clipping, of all at once. OpenCV's intersectConvexConvex answers 0.6 of the area for two
    quads that differ by rounding only.
    """
    kept, clip = _as_complex(a), _as_complex(b)
    count = np.full(len(kept), 4)
    for edge in range(4 if len(kept) else 0):
        first, along = clip[:, edge, None], (clip[:, edge - 3] - clip[:, edge])[:, None]
        side = (along.conj() * (kept - first)).imag
        inside, there = side >= 0, np.arange(kept.shape[1]) < count[:, None]
        before, side_before = _one_earlier(kept, count), _one_earlier(side, count)
        crosses = inside != (side_before >= 0)
        t = np.divide(side_before, side_before - side, out=np.zeros_like(side), where=crosses)
        # Each corner may bring the place where the outline comes to it over the edge, and itself.
        shape = (len(kept), -1)
        taken = np.stack([crosses & there, inside & there], 2).reshape(shape)
        corners = np.stack([before + t * (kept - before), kept], 2).reshape(shape)
        count = taken.sum(1)
        row, place = np.nonzero(taken)
        kept = np.zeros((len(count), max(3, int(count.max()))), np.complex128)
        kept[row, (taken.cumsum(1) - 1)[row, place]] = corners[row, place]
        count[count < 3] = 0
    there = np.arange(kept.shape[1]) < count[:, None]
    twice = np.where(there, (_one_earlier(kept, count).conj() * kept).imag, 0.0).sum(1)
    return np.asarray(np.abs(twice) / 2, np.float64)


def _as_complex(quads: ArrayLike) -> NDArray[np.complex128]:
    return np.ascontiguousarray(quads, np.float64).view(np.complex128)[..., 0]


def _one_earlier(values: NDArray[Any], count: NDArray[np.intp]) -> NDArray[Any]:
    """(n, k) of outlines with `count` corners each -> that of the corner before, of the first the last's."""
    last = values[np.arange(len(values)), count - 1]
    return np.concatenate([last[:, None], values[:, :-1]], axis=1)


def areas(quads: ArrayLike) -> Doubles:
    """(n, 4, 2) -> (n,) the area of each."""
    x, y = np.moveaxis(np.asarray(quads, np.float64).reshape(-1, 4, 2), 2, 0)
    return np.asarray(np.abs((x * np.roll(y, -1, 1) - np.roll(x, -1, 1) * y).sum(1)) / 2, np.float64)


def near(quads: Floats, others: Floats) -> NDArray[np.bool_]:
    """(n, 4, 2) and (m, 4, 2) -> (n, m) which may have anything in common: the circles around them meet."""
    (x, y, reach), (x_other, y_other, reach_other) = circles(quads), circles(others)
    across, down = x[:, None] - x_other, y[:, None] - y_other
    return np.asarray(across * across + down * down < (reach[:, None] + reach_other) ** 2, np.bool_)


def circles(quads: Floats) -> tuple[Floats, Floats, Floats]:
    """(n, 4, 2) -> x, y, radius (n,) of the circle around each one's middle that holds its corners."""
    corners = np.asarray(quads, np.float32).reshape(-1, 4, 2)
    x, y = corners[:, :, 0], corners[:, :, 1]
    middle_x, middle_y = x.sum(1) / 4, y.sum(1) / 4
    off = np.hypot(x - middle_x[:, None], y - middle_y[:, None])
    return middle_x, middle_y, np.asarray(off.max(1), np.float32)


def suppress(quads: Floats, confidence: Floats, iou_above: float, cover_above: float = 1.0) -> NDArray[np.intp]:
    """Indices to keep, most confident first: whatever overlaps a kept quad by more than `iou_above` is dropped.

    So is a quad whose own area lies in a kept one, or a kept one in it, by more than `cover_above` (half a tile found
    inside a whole one has a small IoU and is still no second tile).
    """
    order = np.argsort(-np.asarray(confidence), kind="stable")
    q = np.asarray(quads, np.float32)[order]
    one, other = _neighbours(q)
    size, (x, y, reach) = areas(q), circles(q)
    kept, waiting = np.zeros(len(q), np.bool_), np.ones(len(q), np.bool_)
    while waiting.any():
        # Keep an outline if all those near and before it are settled; find all that it drops together.
        fresh = waiting.copy()
        fresh[other] = False
        kept |= fresh
        waiting &= ~fresh
        by = fresh[one]
        i, j = one[by], other[by]
        apart = np.hypot(x[j] - x[i], y[j] - y[i])
        # Most of a network's boxes lie nearly on top of one another: no clipping is needed to tell.
        gone = (apart < 0.12 * reach[i]) & (np.abs(np.log(size[j] / size[i])) < 0.25)
        gone &= _nearly_parallel(q[j], q[i])
        waiting[j[gone]] = False
        left = waiting[j]
        if cover_above >= 1:  # what two share is no more than the smaller one
            smaller, larger = np.minimum(size[i], size[j]), np.maximum(size[i], size[j])
            left &= smaller > iou_above * larger
        i, j = i[left], j[left]
        common = shared_each(q[i], q[j])
        most = iou_above * (size[i] + size[j] - common)
        if cover_above < 1:  # rounding must not have a quad lie in another by more than all of itself
            most = np.minimum(most, cover_above * np.minimum(size[i], size[j]))
        waiting[j[common > most]] = False
        left = waiting[one] & waiting[other]
        one, other = one[left], other[left]
    return np.asarray(order[kept], np.intp)


def _neighbours(quads: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(n, 4, 2) -> all (i), (j), i before j, that may have anything in common."""
    pairs = []
    for start in range(0, len(quads), AT_A_TIME):
        i, j = np.nonzero(near(quads[start : start + AT_A_TIME], quads[start:]))
        pairs.append(np.stack([i, j])[:, i < j] + start)
    one, other = np.concatenate([np.zeros((2, 0), np.intp), *pairs], axis=1)
    return one, other


def covered(quads: Floats, others: Floats) -> Floats:
    """How much of each quad (n, 4, 2), 0 to 1, lies in the one of `others` (m, 4, 2) that covers the most of it."""
    q, o = np.asarray(quads, np.float32), np.asarray(others, np.float32)
    most = np.zeros(len(q), np.float32)
    if not len(q) or not len(o):
        return most
    i, j = np.nonzero(near(q, o))
    np.maximum.at(most, i, (shared_each(q[i], o[j]) / np.maximum(areas(q), 1e-6)[i]).astype(np.float32))
    return most


def _nearly_parallel(quads: Floats, others: Floats) -> NDArray[np.bool_]:
    """(n, 4, 2) and (n, 4, 2) -> (n,) which two's long sides are within some 10 degrees of each other."""
    (x, y), (x_other, y_other) = ((one[:, 2] - one[:, 1]).T for one in (quads, others))
    lengths = np.hypot(x, y) * np.hypot(x_other, y_other)
    return np.asarray(np.abs(x * x_other + y * y_other) > 0.985 * lengths)
