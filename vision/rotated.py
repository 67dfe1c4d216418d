"""Rotated rectangles: overlap, suppression of doubles, and the rectangle behind four corners."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float32]


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


def area(quad: ArrayLike) -> float:
    return float(cv2.contourArea(np.asarray(quad, np.float32)))


def shared(a: ArrayLike, b: ArrayLike) -> float:
    """The area two convex outlines that turn clockwise as displayed have in common."""
    corners = clipped(a, b)
    twice = sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1], strict=True))
    return abs(twice) / 2


def clipped(a: ArrayLike, b: ArrayLike) -> list[tuple[float, float]]:
    """The corners of what two convex outlines that turn clockwise as displayed have in common; none where nothing.

    Sutherland and Hodgman's clipping. OpenCV's intersectConvexConvex answers 0.6 of the area for two quads that differ
    by rounding only.
    """
    kept = [(float(x), float(y)) for x, y in np.asarray(a, np.float64)]
    clip = [(float(x), float(y)) for x, y in np.asarray(b, np.float64)]
    for (x1, y1), (x2, y2) in zip(clip, clip[1:] + clip[:1], strict=True):
        dx, dy = x2 - x1, y2 - y1
        sides = [dx * (y - y1) - dy * (x - x1) for x, y in kept]
        if min(sides) >= 0:
            continue
        out = []
        for i, (x, y) in enumerate(kept):
            now, before = sides[i], sides[i - 1]
            if (now >= 0) != (before >= 0):
                t = before / (before - now)
                px, py = kept[i - 1]
                out.append((px + t * (x - px), py + t * (y - py)))
            if now >= 0:
                out.append((x, y))
        kept = out
        if len(kept) < 3:
            return []
    return kept


def iou(a: ArrayLike, b: ArrayLike) -> float:
    """Intersection over union of two convex quads."""
    common = shared(a, b)
    union = area(a) + area(b) - common
    return common / union if union > 0 else 0.0


def suppress(quads: Floats, confidence: Floats, iou_above: float, cover_above: float = 1.0) -> NDArray[np.intp]:
    """Indices to keep, most confident first: whatever overlaps a kept quad by more than `iou_above` is dropped.

    So is a quad whose own area lies in a kept one, or a kept one in it, by more than `cover_above` (half a tile found
    inside a whole one has a small IoU and is still no second tile).
    """
    order = np.argsort(-np.asarray(confidence), kind="stable")
    q = np.asarray(quads, np.float32)
    centres = q.mean(1)
    reach = np.linalg.norm(q - centres[:, None], axis=2).max(1) if len(q) else np.zeros(0, np.float32)
    areas = np.array([area(one) for one in q])
    keep: list[int] = []
    while len(order):
        i, order = order[0], order[1:]
        keep.append(int(i))
        apart = np.linalg.norm(centres[order] - centres[i], axis=1)
        # Most of a network's boxes lie nearly on top of one another: no clipping is needed to tell.
        gone = (apart < 0.12 * reach[i]) & (np.abs(np.log(areas[order] / areas[i])) < 0.25)
        gone &= _nearly_parallel(q[order], q[i])
        for k in np.flatnonzero(~gone & (apart < reach[order] + reach[i])):
            j = order[k]
            common = shared(q[i], q[j])
            gone[k] = common > min(iou_above * (areas[i] + areas[j] - common), cover_above * min(areas[i], areas[j]))
        order = order[~gone]
    return np.array(keep, np.intp)


def covered(quads: Floats, others: Floats) -> Floats:
    """How much of each quad (n, 4, 2), 0 to 1, lies in the one of `others` (m, 4, 2) that covers the most of it."""
    q, o = np.asarray(quads, np.float32), np.asarray(others, np.float32)
    most = np.zeros(len(q), np.float32)
    if not len(q) or not len(o):
        return most
    centres, of_others = q.mean(1), o.mean(1)
    reach = np.linalg.norm(q - centres[:, None], axis=2).max(1)
    of_others_reach = np.linalg.norm(o - of_others[:, None], axis=2).max(1)
    apart = np.linalg.norm(centres[:, None] - of_others[None], axis=2)
    for i, j in zip(*np.nonzero(apart < reach[:, None] + of_others_reach[None]), strict=True):
        most[i] = max(most[i], shared(q[i], o[j]) / max(area(q[i]), 1e-6))
    return most


def _nearly_parallel(quads: Floats, quad: Floats) -> NDArray[np.bool_]:
    """Which quads' long sides are within some 10 degrees of this one's."""
    along, mine = quads[:, 2] - quads[:, 1], quad[2] - quad[1]
    lengths = np.linalg.norm(along, axis=1) * np.linalg.norm(mine)
    return np.asarray(np.abs(along @ mine) > 0.985 * lengths)
