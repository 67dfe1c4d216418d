"""Where a component crosses the border, and the strips that run in from there: how arms that touch are parted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arm_plane import ArmPlane
from vision.arm_settings import GAP, SLEEVE, THIN
from vision.arm_view import Point

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

TWINS = 0.5
"""Two strips that have more of the smaller one in common are one arm."""

THROUGH = 0.8
"""Two strips that have so much in common and run into each other's entries are one arm across the table."""


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """A part of the border that a component crosses."""

    middle_mm: Point
    span_mm: float
    """How much of the border it takes."""
    pixels: NDArray[np.intp]
    """Flat indices, in order along the border."""


def crossings(mask: Mask, plane: ArmPlane) -> list[Crossing]:
    """Every part of the border that this component crosses."""
    on = mask.ravel()[plane.band]
    if not on.any():
        return []
    along, pixels = plane.along_mm[on], plane.band[on]
    gaps = np.diff(along, append=along[0] + plane.length_mm)
    cuts = np.flatnonzero(gaps > GAP)
    groups = [np.arange(len(along))]
    if len(cuts):
        groups = np.split(np.roll(groups[0], -(cuts[0] + 1)), cuts[1:] - cuts[0])
    points = plane.mm.reshape(-1, 2)[pixels]
    found: list[Crossing] = []
    for group in _sleeves(groups, along, plane.length_mm):
        first, last = along[group[0]], along[group[-1]]
        span = float((last - first) % plane.length_mm) if len(group) > 1 else plane.px_mm
        x, y = points[group].mean(0)
        found.append(Crossing((float(x), float(y)), max(span, plane.px_mm), pixels[group]))
    return found


def _sleeves(groups: Sequence[NDArray[np.intp]], along: Floats, around: float) -> list[NDArray[np.intp]]:
    """The groups of border pixels, the two outlines of a sleeve in the table's colour made one."""

    def thin(group: NDArray[np.intp]) -> bool:
        return bool((along[group[-1]] - along[group[0]]) % around <= THIN)

    joined: list[NDArray[np.intp]] = []
    waiting = list(groups)
    while waiting:
        group = waiting.pop(0)
        if waiting and thin(group) and thin(waiting[0]):
            apart = (along[waiting[0][0]] - along[group[-1]]) % around
            if apart <= SLEEVE:
                joined.append(np.concatenate([group, waiting.pop(0)]))
                continue
        joined.append(group)
    return joined


def filled(mask: Mask, crossed: Sequence[Crossing], plane: ArmPlane) -> Mask:
    """The component with what its outline encloses; at the border each crossing closes it."""
    walls = mask.astype(np.uint8)
    width = mask.shape[1]
    for one in crossed:
        ys, xs = np.divmod(one.pixels, width)
        points = cv2.convexHull(np.stack([xs, ys], 1).astype(np.int32))
        cv2.fillConvexPoly(walls, np.asarray(points, np.int32), 1)
    outlines, _ = cv2.findContours(walls, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    whole = np.zeros(mask.shape, np.uint8)
    cv2.drawContours(whole, outlines, -1, 1, cv2.FILLED)
    return np.asarray((whole > 0) & plane.inside)


def strips(mask: Mask, crossed: Sequence[Crossing], plane: ArmPlane) -> list[Mask]:
    """For each crossing the part of the component that runs in from there as one straight arm."""
    ys, xs = np.nonzero(mask)
    points = plane.mm[ys, xs]
    entries = [np.array(one.middle_mm, np.float32) for one in crossed]
    apart = [points - entry for entry in entries]
    away = np.stack([np.hypot(aside[:, 0], aside[:, 1]) for aside in apart])
    nearest = away.min(0)
    found = []
    for aside, distance in zip(apart, away, strict=True):
        use = _strip(aside, (distance < 120.0) & (distance <= nearest), plane)
        strip = np.zeros(mask.shape, np.bool_)
        strip[ys[use], xs[use]] = True
        found.append(strip)
    return found


def _strip(points: Floats, near: Mask, plane: ArmPlane) -> Mask:
    """Which of the points, in mm from the entry, lie in one straight arm from there; `near` tell where it sets out."""
    direction = points[near].mean(0) if near.any() else points.mean(0)
    half = 60.0
    for within in (200.0, 320.0, 450.0):
        direction = direction / max(1e-6, float(np.hypot(*direction)))
        t = points @ direction
        side = points @ np.array([-direction[1], direction[0]], np.float32)
        use = (np.abs(side) < half) & (t > 0) & (t < within)
        if use.sum() < 8:
            break
        direction = (points[use] * t[use, None]).sum(0)
        near_side = side[use & (t < 150.0)]
        if len(near_side) > 8:
            half = float(np.clip(1.6 * np.abs(near_side).mean() * 2 * 0.75, 35.0, 75.0))
    direction = direction / max(1e-6, float(np.hypot(*direction)))
    t = points @ direction
    side = points @ np.array([-direction[1], direction[0]], np.float32)
    use = (np.abs(side) < half) & (t > -60.0)
    # It ends where a stretch of it is missing.
    step = 4 * plane.px_mm
    full = np.bincount(np.clip(t[use] / step, 0, None).astype(int))
    missing = np.flatnonzero(full * plane.pixel_mm2 < 0.25 * step * half)
    if len(missing):
        use &= t < missing[0] * step
    return np.asarray(use)


def without_twins(crossed: Sequence[Crossing], found: Sequence[Mask]) -> tuple[list[Crossing], list[Mask]]:
    """The same; of two neighbours that run along the same strip one is left: a sleeve that looks like the table has two
    edges."""
    kept: list[int] = []
    sizes = [int(strip.sum()) for strip in found]
    for n in sorted(range(len(found)), key=lambda n: -sizes[n]):
        least = TWINS * max(1, sizes[n])
        twin = any(
            math.dist(crossed[n].middle_mm, crossed[other].middle_mm) <= 2 * SLEEVE
            and (found[n] & found[other]).sum() >= least
            for other in kept
        )
        if not twin:
            kept.append(n)
    kept.sort()
    return [crossed[n] for n in kept], [found[n] for n in kept]


def one_arm(crossed: Sequence[Crossing], found: Sequence[Mask]) -> bool:
    """Whether these two are both ends of one arm: each strip runs on to where the other comes in."""
    one, other = crossed
    first, second = (strip.ravel() for strip in found)
    reach = first[other.pixels].mean() >= TWINS and second[one.pixels].mean() >= TWINS
    both = int((first & second).sum())
    return bool(reach and both >= THROUGH * max(int(first.sum()), int(second.sum())))
