"""The shape of one arm from its pixels: where it ends, and along which line it lies."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arm_settings import HAND, LEAST_SLEEVE
from vision.arm_view import Colour, Point

Points = NDArray[np.float64]

SHORT_MM = 320.0
"""An arm that reaches no farther is about as wide as long: where it ends is told from all of where it comes in."""

SLEEVE_SAMPLES = 60
"""How many pixels stand for a sleeve."""

SAMPLES = 9
"""Of the border that an arm crosses so many places stand for all."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The direction and the tip of an arm."""

    axis_deg: float
    """Points outwards."""
    tip_mm: Point
    """The middle of its farthest part."""
    reach_mm: float
    """How far the tip is from the border."""


def shape_from(points: Points, entry: Point, crossed: Points) -> Shape:
    """Of an arm with these (n, 2) points that comes in at `entry`; `crossed` (m, 2) is all of the border there, in its
    order."""
    middle = np.array(entry)
    away = _away(points, middle)
    reach = _most(away)
    far = away
    if reach < SHORT_MM:
        # Over a corner of the table the middle of what it crosses lies far aside.
        some = crossed[np.linspace(0, len(crossed) - 1, min(SAMPLES, len(crossed))).astype(int)]
        far = np.min([_away(points, one) for one in some], axis=0)
    tip = points[far >= 0.97 * _most(far)].mean(0)
    return Shape(_axis(points, away, middle, tip), (float(tip[0]), float(tip[1])), reach)


def _away(points: Points, place: Points) -> Points:
    """How far each of the points is from a place."""
    x, y = (points - place).T
    return np.asarray(np.sqrt(x * x + y * y), np.float64)


def _line(points: Points) -> Points:
    """The direction along which they lie, as (2,) of length 1."""
    x, y = (points - points.mean(0)).T
    angle = 0.5 * math.atan2(2.0 * float(x @ y), float(x @ x) - float(y @ y))
    return np.array([math.cos(angle), math.sin(angle)])


def _most(away: Points) -> float:
    """The largest but for a few that lie apart."""
    place = round(0.995 * (len(away) - 1))
    return float(np.partition(away, place)[place])


def _axis(points: Points, away: Points, entry: Points, tip: Points) -> float:
    """The direction outwards along an arm: the line through the middles of its slices, the nearer part of it."""
    reach = max(float(np.hypot(*(tip - entry))), 1.0)
    far = max(250.0, 0.65 * reach)
    step = 20.0
    use = (away > 20.0) & (away < far)
    slices = (away[use] / step).astype(int)
    counts = np.bincount(slices)
    full = counts > 4
    inwards = tip - entry
    if full.sum() >= 4:
        xs = np.bincount(slices, points[use, 0])[full] / counts[full]
        ys = np.bincount(slices, points[use, 1])[full] / counts[full]
        middles = np.stack([xs, ys], 1)
        line = _line(middles)
        line = line if line @ inwards > 0 else -line
        # A short stump is as wide as long: its own line says little, and the way from the entry to the tip more.
        trust = min(1.0, reach / 300.0)
        inwards = trust * line + (1.0 - trust) * inwards / max(1e-6, float(np.hypot(*inwards)))
    return math.degrees(math.atan2(-inwards[1], -inwards[0]))


def loose_shape(points: Points, center_mm: Point) -> Shape:
    """Of an arm that crosses no border: its own line, away from the table's middle."""
    middle, line = points.mean(0), _line(points)
    if line @ (middle - np.array(center_mm)) < 0:
        line = -line
    t = (points - middle) @ line
    tip = points[t <= np.quantile(t, 0.03)].mean(0)
    return Shape(math.degrees(math.atan2(line[1], line[0])), (float(tip[0]), float(tip[1])), float(t.max() - t.min()))


def sleeve_of(points: Points, colours: NDArray[np.uint8], tip: Point, pixel_mm2: float, table: Points) -> Colour | None:
    """The colour of an arm away from its hand beside the table's usual one; None where too little of it is seen.

    `points` (n, 2) mm and `colours` (n, 3) of its pixels, `table` (3,).
    """
    seen = colours[_away(points, np.array(tip)) > HAND]
    if len(seen) * pixel_mm2 < LEAST_SLEEVE:
        return None
    blue, green, red = np.median(seen[:: max(1, len(seen) // SLEEVE_SAMPLES)], axis=0) - table
    return float(blue), float(green), float(red)
