"""Arms over the table: where each comes in, along which line it lies, and what it covers.

A frame is compared with the last still picture of the table, in the logarithm of its three colours and on a picture so
small that a forearm is some fifteen pixels wide. A difference that reaches the border is an arm: the raw component, not
its hull, because two arms near each other must not become one. A soft darkening of one tone is a shadow; it is an arm's
sleeve only where the arm would not reach the border without it.

Two arms that touch are told apart by the strips that run in from where they cross the border. Where these do not
explain what is seen, there is one unclear thing: `Arm.clear` is False, and nobody may be named by it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from vision.arm_view import CHANGED, UNCLEAR, Arm, ArmPlane, ArmView, Colour, Labels, Point, Tones
from vision.calibration import Calibration
from vision.frame import Frame, halved

WIDTH_PX = 240
"""Pictures are compared at this width."""
DARKER = 0.11
"""Brighter or darker by more than this is something else than the still table."""
TINTED = 0.1
"""Another colour by more than this is no shade."""
SHADE = 0.8
"""No indoor shadow takes more than this of the light, and it is `SOFT`: its surroundings are nearly as dark."""
SOFT = 0.09
LEAST_AREA = 1800.0
"""A component at the border is an arm from so many square millimetres on."""
LEAST_REACH = 35.0
"""A shape that reaches less deep into the table than this is nobody's arm."""
EDGE_ROW = 75.0
"""A shape that goes no deeper into the table and is twice as wide is a row laid along its edge."""
SMALL = 8000.0
"""A smaller thing at the border is a hand only where it moves: tiles laid along the edge lie still."""
LEAST_HAND = 3500.0
"""A hand that crosses no border covers so much, or it is a tile or two."""
GAP = 30.0
"""Openings of the border narrower than this do not part an arm."""
SLEEVE = 130.0
"""Two thin marks on the border no farther apart are the outlines of one sleeve that looks like the table."""
THIN = 45.0
"""A crossing of the border no wider than this is thin: a finger, or one outline of a sleeve."""
WIDEST = 190.0
"""Mean width beyond which a component is no single arm."""
EXPLAINED = 0.78
"""Strips that cover less of a component do not tell its arms apart."""
FLOODED = 0.45
"""Where more of the table than this differs, nothing can be said."""
MOST_BORDER = 0.25
"""An arm over more of the border than this says nothing about where it comes from."""
HAND = 190.0
"""Nearer to the tips than this is the hand, which wears no sleeve."""
LEAST_SLEEVE = 1500.0
"""Of a sleeve so much has to be seen for its colour to count."""


Levels = NDArray[np.uint8]
Mask = NDArray[np.bool_]

LEVELS, MIDDLE = 80.0, 128
"""Steps of one unit of the logarithm, and what no difference is."""


def small_picture(frame: Frame, width_px: int) -> Levels:
    """(h, w, 3): the logarithm of each colour in LEVELS, on a picture `width_px` wide."""
    own = frame.small if frame.small is not None and frame.small.shape[1] >= width_px else None
    h, w = (frame.image if own is None else own).shape[:2]
    wide = min(w, width_px)
    least = (wide, max(1, round(h * wide / w)))
    small = frame.halved(least) if own is None else halved(own, least)[0]
    if small.ndim == 2:
        small = np.repeat(small[..., None], 3, axis=2)
    # The rest is less than a half, so picking pixels is as good as averaging, and much faster.
    picked = cv2.resize(small, least, interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.LUT(cv2.blur(picked, (3, 3)), _LOG), np.uint8)


_LOG = np.round(LEVELS * (np.log(np.arange(256) + 12.0) - math.log(12.0))).astype(np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class StillTable:
    """The still table."""

    bright: Levels
    """The logarithm of its brightness."""
    least: Levels
    """Of `bright`, around each pixel."""
    most: Levels
    """Of `bright`, around each pixel."""
    usual: NDArray[np.float64]
    """Its usual colour."""

    @classmethod
    def of(cls, bright: Levels) -> StillTable:
        near = np.ones((3, 3), np.uint8)
        usual = np.median(bright[::6, ::6].reshape(-1, 3), axis=0)
        return cls(bright, np.asarray(cv2.erode(bright, near)), np.asarray(cv2.dilate(bright, near)), usual)


def differing(before: StillTable, now: Levels, inside: Mask) -> tuple[Mask, Mask]:
    """Where the table surely looks otherwise than before, and where it may only lie in a shadow.

    A thing a pixel beside its old place is no difference.
    """
    some = now[::6, ::6].astype(np.int16) - before.bright[::6, ::6]
    light = np.median(some.reshape(-1, 3), axis=0)
    now = np.asarray(cv2.subtract(now, np.append(light, 0.0)), np.uint8)
    above, below = cv2.subtract(now, before.most), cv2.subtract(before.least, now)
    apart = cv2.addWeighted(above, 1.0, below, -1.0, MIDDLE)
    blue, green, red = cv2.split(apart)
    tone = cv2.cvtColor(apart, cv2.COLOR_BGR2GRAY)
    tint = cv2.subtract(cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red))
    rough = cv2.absdiff(tone, cv2.blur(tone, (7, 7)))
    # Masks of 0 and 255: a tenth of what the same costs in truth values.
    even = cv2.inRange(tint, 0.0, _below(TINTED))
    alike = cv2.inRange(tone, MIDDLE - math.floor(DARKER * LEVELS), MIDDLE + math.floor(DARKER * LEVELS))
    differs = cv2.bitwise_not(cv2.bitwise_and(alike, even))
    darker = cv2.inRange(tone, MIDDLE - _below(SHADE), MIDDLE - 1)
    soft = cv2.bitwise_and(cv2.inRange(rough, 0.0, _below(SOFT)), even)
    shade = cv2.bitwise_and(differs, cv2.bitwise_and(darker, soft))
    sure = cv2.bitwise_and(differs, cv2.bitwise_not(shade))
    ones = inside.view(np.uint8)
    return _truth(cv2.bitwise_and(sure, ones)), _truth(cv2.bitwise_and(shade, ones))


def _truth(ones: MatLike) -> Mask:
    """A mask of 0 and 1 as truth values, not copied."""
    return np.asarray(ones, np.uint8).view(np.bool_)


def _below(unit: float) -> int:
    """The most whole steps of the logarithm that are less than this."""
    return math.ceil(unit * LEVELS) - 1


Floats = NDArray[np.float32]

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


MOST_ARMS = 12

MOVING = 0.2
"""A part of a hand in motion that looks otherwise than in the frame before."""

MOST_ALIKE = 3 * DARKER * LEVELS
"""How much all three colours of a pixel together may differ where it looks as before."""


@dataclass(slots=True)
class ArmFinder:
    """`still` tells it how the table looks without arms; `see` says what reaches over it now."""

    _before: StillTable | None = field(init=False, default=None)
    _last: Levels | None = field(init=False, default=None)
    _was: Mask | None = field(init=False, default=None)

    def still(self, frame: Frame) -> None:
        """The table lies like this, and nobody reaches over it."""
        self._before = StillTable.of(small_picture(frame, WIDTH_PX))

    def forget(self) -> None:
        self._before = self._last = None

    def plane(self, known: ArmPlane | None, calibration: Calibration, frame: Frame) -> ArmPlane:
        """The plane for this frame; `known` again where nothing has changed."""
        w, h = frame.size_wh
        wide = min(w, WIDTH_PX)
        size_wh = (wide, max(1, round(h * wide / w)))
        sizes = (size_wh, frame.size_wh)
        if known is not None and known.calibration is calibration and (known.size_wh, known.full_wh) == sizes:
            return known
        return ArmPlane.of(calibration, frame.size_wh, size_wh)

    def see(self, frame: Frame, plane: ArmPlane) -> ArmView:
        """The arms over the table in this frame; none as long as no still picture of it is known."""
        now = small_picture(frame, WIDTH_PX)
        before, last = self._before, self._last
        self._last = now
        tone = np.asarray(cv2.extractChannel(now, 1), np.uint8)
        if before is None or before.bright.shape != now.shape or plane.inside.shape != now.shape[:2]:
            return ArmView(plane, (), np.zeros(tone.shape, np.uint8), tone)
        sure, shade = differing(before, now, plane.inside)
        if np.count_nonzero(sure) + np.count_nonzero(shade) > FLOODED * np.count_nonzero(plane.inside):
            return ArmView(plane, (), np.zeros(tone.shape, np.uint8), tone, flooded=True)
        view = _Finding(plane, sure, shade, before, now, tone, last, self._was).view()
        self._was = _taken(view.labels)
        return view


@dataclass(slots=True)
class _Finding:
    """One frame being looked at."""

    plane: ArmPlane
    sure: Mask
    shade: Mask
    before: StillTable
    now: Levels
    tone: Tones
    last: Levels | None
    was: Mask | None
    moved: Mask | None = field(init=False, default=None)
    labels: Labels = field(init=False)
    arms: list[Arm] = field(init=False, default_factory=list)

    def view(self) -> ArmView:
        self.labels = self.sure.view(np.uint8) * np.uint8(CHANGED)
        closed = _closed(self.sure)
        if cv2.countNonZero(closed) * self.plane.pixel_mm2 < min(LEAST_AREA, LEAST_HAND):
            return ArmView(self.plane, (), self.labels, self.tone)
        count, parts, areas = _parts(closed)
        touching = _numbers(parts.ravel()[self.plane.band])
        for part in sorted(touching, key=lambda one: -areas[one]):
            area = areas[part] * self.plane.pixel_mm2
            mask = parts == part
            if area >= SMALL or (area >= LEAST_AREA and self._moves(mask) and not self._uncovered(mask)):
                self._component(mask)
        self._without_border(parts, areas, count, touching)
        return ArmView(self.plane, tuple(self.arms), self.labels, self.tone)

    def _without_border(
        self, parts: NDArray[np.int32], areas: NDArray[np.int64], count: int, touching: set[int]
    ) -> None:
        """A hand whose sleeve looks like a shadow on the table, or one that comes in where nothing is seen."""
        least = LEAST_HAND / self.plane.pixel_mm2
        large = {n: parts == n for n in range(1, count) if n not in touching and areas[n] >= least}
        rest = [mask for mask in large.values() if self._moves(mask) and not self._uncovered(mask)]
        if not rest:
            return
        _, both, _ = _parts(_closed(self.sure | self.shade))
        at_border = _numbers(both.ravel()[self.plane.band])
        for mask in rest:
            whole = int(np.bincount(both[mask]).argmax())
            before = len(self.arms)
            if whole in at_border:
                self._component((both == whole) & ~_taken(self.labels))
            if len(self.arms) == before:
                self._add(mask, None)

    def _uncovered(self, mask: Mask) -> bool:
        """Did an arm lie there in the frame before? Then this is what it has laid."""
        return self.was is not None and self.was.shape == mask.shape and bool(self.was[mask].mean() > 0.5)

    def _moves(self, mask: Mask) -> bool:
        """Is much of it not as it was in the frame before?"""
        if self.last is None or self.last.shape != self.now.shape:
            return False
        if self.moved is None:
            # The sum of three colours; more than 255 is 255.
            self.moved = np.asarray(cv2.transform(cv2.absdiff(self.now, self.last), np.ones((1, 3)))) > MOST_ALIKE
        return bool(np.count_nonzero(self.moved[mask]) >= MOVING * np.count_nonzero(mask))

    def _component(self, mask: Mask) -> None:
        """The arm or arms of a shape that reaches the border in one place or several."""
        crossed = crossings(mask, self.plane)
        if not crossed:
            return
        mask = filled(mask, crossed, self.plane)
        parts: list[Mask] = []
        if len(crossed) > 1:
            crossed, parts = without_twins(crossed, strips(mask, crossed, self.plane))
        if len(crossed) == 1:
            self._add(mask, crossed[0])
            return
        if len(crossed) == 2 and one_arm(crossed, parts):
            # It reaches across the whole table: nobody can see which of its ends is the hand.
            arm, other = (self._arm(mask, end, clear=True) for end in crossed)
            if arm is not None and other is not None:
                self._mark(mask, replace(arm, other=other))
            return
        covered = np.zeros(mask.shape, np.uint8)
        for part in parts:
            covered += part
        if (covered > 0)[mask].mean() < EXPLAINED:
            self._add(mask, max(crossed, key=lambda one: one.span_mm), clear=False)
            return
        for one, part in zip(crossed, parts, strict=True):
            self._add(part & (covered == 1), one)
        self.labels[mask & (covered != 1)] = UNCLEAR

    def _add(self, mask: Mask, crossed: Crossing | None, clear: bool = True) -> None:
        """One arm of these pixels, if it reaches far enough to be one."""
        arm = self._arm(mask, crossed, clear)
        if arm is not None:
            self._mark(mask, arm)

    def _arm(self, mask: Mask, crossed: Crossing | None, clear: bool) -> Arm | None:
        plane = self.plane
        pixels = np.flatnonzero(mask)
        area = len(pixels) * plane.pixel_mm2
        if area < LEAST_AREA or len(self.arms) >= MOST_ARMS:
            return None
        points = plane.mm.reshape(-1, 2)[pixels].astype(np.float64)
        deep = float(plane.deep_mm.ravel()[pixels].max())
        if crossed is not None and (deep < LEAST_REACH or (deep < EDGE_ROW and crossed.span_mm > 2 * deep)):
            return None  # tiles along the edge are no arm
        if crossed is None or plane.cuts(crossed.pixels):
            shape = loose_shape(points, plane.center_mm)
            return Arm(None, 0.0, shape.axis_deg, shape.tip_mm, shape.reach_mm, area, clear=False)
        span = crossed.span_mm
        shape = shape_from(points, crossed.middle_mm, plane.mm.reshape(-1, 2)[crossed.pixels].astype(np.float64))
        single = area / shape.reach_mm <= WIDEST and span <= MOST_BORDER * plane.length_mm
        sleeve = sleeve_of(points, self.now.reshape(-1, 3)[pixels], shape.tip_mm, plane.pixel_mm2, self.before.usual)
        clear = clear and single
        return Arm(crossed.middle_mm, span, shape.axis_deg, shape.tip_mm, shape.reach_mm, area, clear, sleeve=sleeve)

    def _mark(self, mask: Mask, arm: Arm) -> None:
        self.arms.append(arm)
        self.labels[mask] = len(self.arms) if arm.clear else UNCLEAR


def _closed(mask: Mask) -> NDArray[np.uint8]:
    return np.asarray(cv2.morphologyEx(mask.view(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)


def _parts(mask: NDArray[np.uint8]) -> tuple[int, NDArray[np.int32], NDArray[np.int64]]:
    """How many components there are with the background, which pixel belongs to which, and how many each has."""
    x, y, w, h = cv2.boundingRect(mask)
    count, inner, stats, _ = cv2.connectedComponentsWithStats(mask[y : y + h, x : x + w], connectivity=8)
    labels = np.zeros(mask.shape, np.int32)
    labels[y : y + h, x : x + w] = inner
    return count, labels, np.asarray(stats)[:, cv2.CC_STAT_AREA].astype(np.int64)


def _numbers(parts: NDArray[np.int32]) -> set[int]:
    """Which components there are among these pixels."""
    return set(np.flatnonzero(np.bincount(parts)).tolist()) - {0}


def _taken(labels: Labels) -> Mask:
    return np.asarray((labels > 0) & (labels < CHANGED))
