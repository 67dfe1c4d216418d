"""Labels: what is where in a finished picture, exactly, in pixels.

A tile's quad runs clockwise and starts at half 0: edge 0-1 is the outer end of the half with the first value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from datasets.render.camera import Array, Axes

F = np.float32
CLASSES = ("tile_face_up", "tile_face_down", "marker", "hub")
# below these visible shares a thing is not asked for; a hub shows little of itself once tiles lie in its slots
MIN_VISIBLE = (0.3, 0.3, 0.3, 0.15)

LabelObject = dict[str, Any]


def tile_quad(base: Array, frame: Axes, length: float, width: float, thickness: float) -> Array:
    """The four top corners (mm, (4, 3)) before they are put in clockwise order."""
    middle, u, v = base + thickness * frame[2], frame[0] * length / 2, frame[1] * width / 2
    return np.array([middle - u - v, middle - u + v, middle + u + v, middle + u - v])


def clockwise(quad: Array) -> Array:
    """Half 0 stays at the edge 0-1."""
    a, b = quad[1] - quad[0], quad[2] - quad[1]
    return quad if a[0] * b[1] - a[1] * b[0] > 0 else quad[[1, 0, 3, 2]]


def tile_visibility(quad: Array, owner: int, owners: NDArray[np.int16]) -> tuple[float, float, list[float]] | None:
    """Visible share, share inside the picture, and visible shares of both halves; None when outside."""
    h, w = owners.shape
    area = abs(cv2.contourArea(quad.astype(F)))
    x0, y0 = np.clip(np.floor(quad.min(0)).astype(int), 0, [w, h])
    x1, y1 = np.clip(np.ceil(quad.max(0)).astype(int) + 1, 0, [w, h])
    if x1 - x0 <= 1 or y1 - y0 <= 1 or area <= 4:
        return None
    seen = owners[y0:y1, x0:x1] == owner
    m1, m2 = (quad[1] + quad[2]) / 2, (quad[0] + quad[3]) / 2
    halves = (np.array([quad[0], quad[1], m1, m2]), np.array([m2, m1, quad[2], quad[3]]))
    shares, inside, visible = [], 0, 0
    for half in halves:
        mask = np.zeros(seen.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round((half - [x0, y0]) * 16 - 8).astype(np.int32), 1, cv2.LINE_8, 4)
        count = int((seen & (mask > 0)).sum())
        inside, visible = inside + int(mask.sum()), visible + count
        shares.append(round(min(1.0, count / max(area / 2, 1)), 3))
    return min(visible / area, 1.0), min(inside / area, 1.0), shares


def tile_object(
    quad: Array, values: tuple[int, int], face_up: bool, owner: int, owners: NDArray[np.int16], style: Mapping[str, Any]
) -> LabelObject | None:
    """The label of one tile, or None when it is out of the picture."""
    seen = tile_visibility(quad, owner, owners)
    if seen is None:
        return None
    visible, inside, halves = seen
    return {
        "cls": 0 if face_up else 1,
        "quad": np.round(quad, 2).tolist(),
        "values": list(values) if face_up else None,
        "vis": round(visible, 3),
        "in_frame": round(inside, 3),
        "half_vis": halves,
        "style": dict(style),
    }


def thing_object(
    label: int, kind: str, hull: Array, owner: int, owners: NDArray[np.int16], upright_box: bool
) -> LabelObject:
    """A marker or hub; round things get an axis-aligned box."""
    outline = hull.astype(F)
    if upright_box:
        (x0, y0), (x1, y1) = outline.min(0), outline.max(0)
        box = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], F)
    else:
        box = cv2.boxPoints(cv2.minAreaRect(outline))
    visible = float((owners == owner).sum()) / max(abs(cv2.contourArea(outline)), 1.0)
    return {
        "cls": label,
        "quad": np.round(box, 2).tolist(),
        "values": None,
        "vis": round(min(visible, 1.0), 3),
        "in_frame": None,
        "kind": kind,
        "style": None,
    }


def yolo_obb(objects: Sequence[LabelObject], width: int, height: int) -> list[str]:
    """Lines `class x0 y0 x1 y1 x2 y2 x3 y3`, coordinates 0..1; boxes that leave the picture are clipped."""
    lines = []
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], F)
    for thing in objects:
        quad = np.array(thing["quad"], F)
        if thing["vis"] < MIN_VISIBLE[thing["cls"]]:
            continue
        if (quad < 0).any() or (quad[:, 0] > width).any() or (quad[:, 1] > height).any():
            within = clipped(clockwise(quad), frame)
            if not within:
                continue
            quad = cv2.boxPoints(cv2.minAreaRect(np.array(within, F)))
        unit = np.clip(quad / np.array([width, height], F), 0, 1)
        lines.append(f"{thing['cls']} " + " ".join(f"{v:.6f}" for v in unit.ravel()))
    return lines


def clipped(a: ArrayLike, b: ArrayLike) -> list[tuple[float, float]]:
    """The corners of what two convex outlines that turn clockwise as displayed have in common; none where nothing.

    Sutherland and Hodgman's clipping.
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
