"""Arms over the table: where each comes in, along which line it lies, and what it covers.

A frame is compared with the last still picture of the table, in the logarithm of its three colours and on a picture so
small that a forearm is some fifteen pixels wide. What differs and reaches the border is an arm: the raw component, not
its hull, because two arms near each other must not become one. A soft darkening of one tone is a shadow; it is an
arm's sleeve only where the arm would not reach the border without it.

Two arms that touch are told apart by the strips that run in from where they cross the border. Where these do not
explain what is seen, there is one unclear thing: `Arm.clear` is False, and nobody may be named by it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arm_plane import ArmPlane
from vision.calibration import Calibration
from vision.frame import Frame, halved

Floats = NDArray[np.float32]
Levels = NDArray[np.uint8]
Labels = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Point = tuple[float, float]
Span = tuple[Point, float, Mask]
"""Where a component crosses the border: the middle, how much of it in mm, and the pixels."""

CHANGED, UNCLEAR = 255, 254
"""In `ArmView.labels`: something is not as it was and no arm lies there; an arm, and nobody knows which."""

LEVELS, MIDDLE = 80.0, 128
"""Steps of one unit of the logarithm, and what no difference is."""

MOST_ARMS = 12

TWINS = 0.5
"""Two strips that have more of the smaller one in common are one arm."""

MOVING = 0.2
"""A part of a hand in motion that looks otherwise than in the frame before."""


@dataclass(frozen=True, slots=True)
class ArmSettings:
    """Lengths in millimetres on the table; differences in the logarithm of brightness."""

    width_px: int = 240
    darker: float = 0.11
    tinted: float = 0.1
    shade: float = 0.8
    """No indoor shadow takes more than this of the light, and it is `soft`: its surroundings are nearly as dark."""
    soft: float = 0.09
    least_area: float = 1800.0
    least_reach: float = 35.0
    edge_row: float = 75.0
    """What goes no deeper into the table and is twice as wide is a row laid along its edge."""
    small: float = 8000.0
    """A smaller thing at the border is a hand only where it moves: tiles laid along the edge lie still."""
    least_hand: float = 3500.0
    """A hand that crosses no border covers so much, or it is a tile or two."""
    gap: float = 30.0
    """Openings of the border narrower than this do not part an arm."""
    sleeve: float = 130.0
    """Two thin marks on the border no farther apart are the outlines of one sleeve that looks like the table."""
    thin: float = 45.0
    widest: float = 190.0
    """Mean width beyond which a component is no single arm."""
    explained: float = 0.78
    """Strips that cover less of a component do not tell its arms apart."""
    flooded: float = 0.45
    """Where more of the table than this differs, nothing can be said."""
    most_border: float = 0.25
    """An arm over more of the border than this says nothing about where it comes from."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm in one frame, in millimetres and degrees of the table.

    `entry_mm` is the middle of where it crosses the border, None where it crosses none that is seen; `span_mm` how much
    of the border it takes; `axis_deg` points outwards along it, from the tip to the shoulder; `reach_mm` from the entry
    to the tip. `clear` False: it may be two, or it is not known where it ends.
    """

    entry_mm: Point | None
    span_mm: float
    axis_deg: float
    tip_mm: Point
    reach_mm: float
    area_mm2: float
    clear: bool = True

    def entry_deg(self, center_mm: Point) -> float | None:
        """The direction of the entry from the middle of the table."""
        if self.entry_mm is None:
            return None
        return math.degrees(math.atan2(self.entry_mm[1] - center_mm[1], self.entry_mm[0] - center_mm[0]))


@dataclass(frozen=True, slots=True, eq=False)
class ArmView:
    """The arms of one frame. `labels` (h, w): n + 1 under arm n, CHANGED, UNCLEAR or 0; `flooded`: nothing can be told
    because most of the table differs."""

    plane: ArmPlane
    arms: tuple[Arm, ...]
    labels: Labels
    flooded: bool = False

    def covers(self, place_mm: Point, radius_mm: float) -> dict[int, float]:
        """Which arms lie over the disc around a place on the table, and which part of it: index (or UNCLEAR) ->
        share."""
        there = self._disc(place_mm, radius_mm)
        if not there.size:
            return {}
        found: dict[int, float] = {}
        for label in np.unique(there):
            if 0 < label < CHANGED:
                index = int(label) if label == UNCLEAR else int(label) - 1
                found[index] = float((there == label).mean())
        return found

    def changed(self, place_mm: Point, radius_mm: float) -> float:
        """The part of the disc that differs from the last still picture though no arm lies there."""
        there = self._disc(place_mm, radius_mm)
        return float((there == CHANGED).mean()) if there.size else 0.0

    def _disc(self, place_mm: Point, radius_mm: float) -> Labels:
        x, y = self.plane.to_small([place_mm])[0]
        r = max(1, round(radius_mm / self.plane.px_mm))
        h, w = self.labels.shape
        x0, x1 = max(0, round(x) - r), min(w, round(x) + r + 1)
        y0, y1 = max(0, round(y) - r), min(h, round(y) + r + 1)
        return self.labels[y0:y1, x0:x1] if x1 > x0 and y1 > y0 else self.labels[:0, :0]


@dataclass(slots=True)
class ArmFinder:
    """`still` tells it how the table looks without arms; `see` says what reaches over it now."""

    settings: ArmSettings = field(default_factory=ArmSettings)
    _before: _Still | None = field(init=False, default=None)
    _last: Levels | None = field(init=False, default=None)
    _was: Mask | None = field(init=False, default=None)

    def still(self, frame: Frame) -> None:
        """The table lies like this, and nobody reaches over it."""
        self._before = _Still.of(_small(frame, self.settings.width_px))

    def forget(self) -> None:
        self._before = self._last = None

    def plane(self, known: ArmPlane | None, calibration: Calibration, frame: Frame) -> ArmPlane:
        """The plane for this frame; `known` again where nothing has changed."""
        w, h = frame.size_wh
        wide = min(w, self.settings.width_px)
        size_wh = (wide, max(1, round(h * wide / w)))
        if (
            known is None
            or known.calibration is not calibration
            or (known.full_wh, known.size_wh)
            != (
                frame.size_wh,
                size_wh,
            )
        ):
            return ArmPlane.of(calibration, frame.size_wh, size_wh)
        return known

    def see(self, frame: Frame, plane: ArmPlane) -> ArmView:
        """The arms over the table in this frame; none as long as no still picture of it is known."""
        s = self.settings
        now = _small(frame, s.width_px)
        before, last = self._before, self._last
        self._last = now
        nothing = np.zeros(now.shape[:2], np.uint8)
        if before is None or before.bright.shape != now.shape or plane.inside.shape != now.shape[:2]:
            return ArmView(plane, (), nothing)
        sure, shade = _differing(before, now, plane.inside, s)
        if (sure | shade)[plane.inside].mean() > s.flooded:
            return ArmView(plane, (), nothing, flooded=True)
        view = _Finding(plane, s, sure, shade, now, last, self._was).view()
        self._was = _taken(view.labels)
        return view


def _small(frame: Frame, width_px: int) -> Levels:
    """(h, w, 3): the logarithm of each colour in LEVELS, on a picture `width_px` wide."""
    own = frame.small
    if own is not None and own.shape[1] >= width_px:
        h, w = own.shape[:2]
        least = (width_px, max(1, round(h * width_px / w)))
        small = halved(own, least)[0]
    else:
        w, h = frame.size_wh
        least = (min(w, width_px), max(1, round(h * min(w, width_px) / w)))
        small = frame.halved(least)
    if small.ndim == 2:
        small = np.repeat(small[..., None], 3, axis=2)
    # What is left is less than a half, so that picking is as good as averaging, and much faster.
    picked = cv2.resize(small, least, interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.LUT(cv2.blur(picked, (3, 3)), _LOG), np.uint8)


_LOG = np.round(LEVELS * (np.log(np.arange(256) + 12.0) - math.log(12.0))).astype(np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class _Still:
    """The still table: its logarithm, and the least and the most of it around each pixel."""

    bright: Levels
    least: Levels
    most: Levels

    @classmethod
    def of(cls, bright: Levels) -> _Still:
        near = np.ones((3, 3), np.uint8)
        return cls(bright, np.asarray(cv2.erode(bright, near)), np.asarray(cv2.dilate(bright, near)))


def _differing(before: _Still, now: Levels, inside: Mask, s: ArmSettings) -> tuple[Mask, Mask]:
    """Where the table surely looks otherwise than before, and where it may only lie in a shadow.

    What lies a pixel aside of where it lay is no difference.
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
    even = tint < s.tinted * LEVELS
    differs = ((np.abs(tone.astype(np.int16) - MIDDLE) > s.darker * LEVELS) | ~even) & inside
    shade = differs & even & (tone < MIDDLE) & (tone > MIDDLE - s.shade * LEVELS) & (rough < s.soft * LEVELS)
    return differs & ~shade, shade


@dataclass(slots=True)
class _Finding:
    """One frame being looked at."""

    plane: ArmPlane
    s: ArmSettings
    sure: Mask
    shade: Mask
    now: Levels
    last: Levels | None
    was: Mask | None
    labels: Labels = field(init=False)
    arms: list[Arm] = field(init=False, default_factory=list)

    def view(self) -> ArmView:
        self.labels = np.where(self.sure, np.uint8(CHANGED), np.uint8(0))
        closed = _closed(self.sure)
        count, parts, areas = _parts(closed)
        at_border = parts.ravel()[self.plane.band]
        touching = set(np.unique(at_border).tolist()) - {0}
        for part in sorted(touching, key=lambda one: -areas[one]):
            area = areas[part] * self.plane.pixel_mm2
            mask = parts == part
            if area >= self.s.small or (area >= self.s.least_area and self._moves(mask) and not self._uncovered(mask)):
                self._component(mask)
        self._without_border(parts, areas, count, touching)
        return ArmView(self.plane, tuple(self.arms), self.labels)

    def _without_border(
        self, parts: NDArray[np.int32], areas: NDArray[np.int64], count: int, touching: set[int]
    ) -> None:
        """A hand whose sleeve looks like a shadow on the table, or one that comes in where nothing is seen."""
        least = self.s.least_hand / self.plane.pixel_mm2
        rest = [n for n in range(1, count) if n not in touching and areas[n] >= least]
        rest = [n for n in rest if self._moves(parts == n) and not self._uncovered(parts == n)]
        if not rest:
            return
        _, both, _ = _parts(_closed(self.sure | self.shade))
        at_border = set(np.unique(both.ravel()[self.plane.band]).tolist()) - {0}
        for part in rest:
            mask = parts == part
            whole = int(np.bincount(both[mask]).argmax())
            before = len(self.arms)
            if whole in at_border:
                self._component((both == whole) & ~_taken(self.labels), sure=False)
            if len(self.arms) == before:
                self._add(mask, None, 0.0)

    def _uncovered(self, mask: Mask) -> bool:
        """Did an arm lie there in the frame before? Then this is what it has laid."""
        return self.was is not None and self.was.shape == mask.shape and bool(self.was[mask].mean() > 0.5)

    def _moves(self, mask: Mask) -> bool:
        """Is much of it not as it was in the frame before?"""
        if self.last is None or self.last.shape != self.now.shape:
            return False
        apart = np.abs(self.now[mask].astype(np.int16) - self.last[mask]).mean(1)
        return bool((apart > self.s.darker * LEVELS).mean() >= MOVING)

    def _component(self, mask: Mask, sure: bool = True) -> None:
        """What reaches the border in one or several places, as one arm or as several."""
        spans = self._spans(mask)
        if not spans:
            return
        mask = _filled(mask, spans, self.plane)
        if len(spans) == 1:
            self._add(mask, *spans[0][:2], clear=sure)
            return
        strips = [self._strip(mask, entry, [other for other, _, _ in spans]) for entry, _, _ in spans]
        spans, strips = self._without_twins(spans, strips)
        if len(spans) == 1:
            self._add(mask, *spans[0][:2], clear=sure)
            return
        covered = np.zeros(mask.shape, np.uint8)
        for strip in strips:
            covered += strip
        if (covered > 0)[mask].mean() < self.s.explained:
            entry, _, _ = max(spans, key=lambda one: one[1])
            self._add(mask, entry, sum(span for _, span, _ in spans), clear=False)
            return
        for (entry, span, _), strip in zip(spans, strips, strict=True):
            self._add(strip & (covered == 1), entry, span, clear=sure)
        self.labels[mask & (covered != 1)] = UNCLEAR

    def _spans(self, mask: Mask) -> list[Span]:
        """Every part of the border that it crosses."""
        plane, s = self.plane, self.s
        on = mask.ravel()[plane.band]
        if not on.any():
            return []
        along = plane.along_mm[on]
        order = np.argsort(along)
        sorted_along = along[order]
        gaps = np.diff(sorted_along, append=sorted_along[0] + plane.length_mm)
        cuts = np.flatnonzero(gaps > s.gap)
        groups = [np.arange(len(order))]
        if len(cuts):
            groups = np.split(np.roll(groups[0], -(cuts[0] + 1)), cuts[1:] - cuts[0])
        groups = self._sleeves(groups, sorted_along)
        found: list[Span] = []
        points = plane.mm.reshape(-1, 2)[plane.band][on][order]
        for group in groups:
            there = points[group]
            first, last = sorted_along[group[0]], sorted_along[group[-1]]
            span = float((last - first) % plane.length_mm) if len(group) > 1 else plane.px_mm
            x, y = there.mean(0)
            pixels = np.zeros(mask.shape, np.bool_)
            pixels.ravel()[plane.band[on][order][group]] = True
            found.append(((float(x), float(y)), max(span, plane.px_mm), pixels))
        return found

    def _without_twins(self, spans: list[Span], strips: list[Mask]) -> tuple[list[Span], list[Mask]]:
        """The same; of two neighbours that run along the same strip one is left: a sleeve that looks like the table has
        two edges."""
        kept: list[int] = []
        for n, strip in sorted(enumerate(strips), key=lambda one: -int(one[1].sum())):
            least = TWINS * max(1, int(strip.sum()))
            twins = [
                other
                for other in kept
                if (strip & strips[other]).sum() >= least
                and math.dist(spans[n][0], spans[other][0]) <= 2 * self.s.sleeve
            ]
            if not twins:
                kept.append(n)
        kept.sort()
        return [spans[n] for n in kept], [strips[n] for n in kept]

    def _sleeves(self, groups: list[NDArray[np.intp]], along: Floats) -> list[NDArray[np.intp]]:
        """The groups of border pixels, the two outlines of a sleeve in the table's colour made one."""
        s, around = self.s, self.plane.length_mm

        def thin(group: NDArray[np.intp]) -> bool:
            return bool((along[group[-1]] - along[group[0]]) % around <= s.thin)

        joined: list[NDArray[np.intp]] = []
        waiting = list(groups)
        while waiting:
            group = waiting.pop(0)
            if waiting and thin(group) and thin(waiting[0]):
                apart = (along[waiting[0][0]] - along[group[-1]]) % around
                if apart <= s.sleeve:
                    joined.append(np.concatenate([group, waiting.pop(0)]))
                    continue
            joined.append(group)
        return joined

    def _strip(self, mask: Mask, entry: Point, entries: list[Point]) -> Mask:
        """The part of a component that runs in from one of the places at the border as one straight arm."""
        plane = self.plane
        ys, xs = np.nonzero(mask)
        points = plane.mm[ys, xs] - np.array(entry, np.float32)
        away = np.hypot(points[:, 0], points[:, 1])
        near = away < 120.0
        for other in entries:
            aside = points - (np.array(other, np.float32) - np.array(entry, np.float32))
            near &= away <= np.hypot(aside[:, 0], aside[:, 1])
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
        filled = np.bincount(np.clip(t[use] / step, 0, None).astype(int))
        missing = np.flatnonzero(filled * plane.pixel_mm2 < 0.25 * step * half)
        if len(missing):
            use &= t < missing[0] * step
        strip = np.zeros(mask.shape, np.bool_)
        strip[ys[use], xs[use]] = True
        return strip

    def _add(self, mask: Mask, entry: Point | None, span: float, clear: bool = True) -> None:
        """One arm of these pixels, if it reaches far enough to be one."""
        s, plane = self.s, self.plane
        ys, xs = np.nonzero(mask)
        area = len(ys) * plane.pixel_mm2
        if area < s.least_area or len(self.arms) >= MOST_ARMS:
            return
        points = plane.mm[ys, xs].astype(np.float64)
        if entry is None:
            self._mark(mask, Arm(None, 0.0, *_loose_axis(points, plane.center_mm), area, clear=False))
            return
        away = np.hypot(*(points - entry).T)
        reach = float(np.quantile(away, 0.995))
        deep = float(plane.deep_mm[ys, xs].max())
        if deep < s.least_reach or (deep < s.edge_row and span > 2 * deep):
            # Tiles along the edge.
            return
        tip = points[away >= 0.97 * reach].mean(0)
        axis = _axis(points, away, np.array(entry), tip)
        single = area / reach <= s.widest and span <= s.most_border * plane.length_mm
        arm = Arm(entry, span, axis, (float(tip[0]), float(tip[1])), reach, area, clear and single)
        self._mark(mask, arm)

    def _mark(self, mask: Mask, arm: Arm) -> None:
        self.arms.append(arm)
        self.labels[mask] = len(self.arms) if arm.clear else UNCLEAR


def _closed(mask: Mask) -> NDArray[np.uint8]:
    return np.asarray(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)


def _parts(mask: NDArray[np.uint8]) -> tuple[int, NDArray[np.int32], NDArray[np.int64]]:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    return count, np.asarray(labels), np.asarray(stats)[:, cv2.CC_STAT_AREA].astype(np.int64)


def _taken(labels: Labels) -> Mask:
    return np.asarray((labels > 0) & (labels < CHANGED))


def _filled(mask: Mask, spans: list[Span], plane: ArmPlane) -> Mask:
    """The component with what its outline encloses; at the border each span closes it."""
    walls = mask.astype(np.uint8)
    for _, _, pixels in spans:
        ys, xs = np.nonzero(pixels)
        points = cv2.convexHull(np.stack([xs, ys], 1).astype(np.int32))
        cv2.fillConvexPoly(walls, np.asarray(points, np.int32), 1)
    outlines, _ = cv2.findContours(walls, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    whole = np.zeros(mask.shape, np.uint8)
    cv2.drawContours(whole, outlines, -1, 1, cv2.FILLED)
    return np.asarray((whole > 0) & plane.inside)


def _axis(
    points: NDArray[np.float64], away: NDArray[np.float64], entry: NDArray[np.float64], tip: NDArray[np.float64]
) -> float:
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
        _, _, lines = np.linalg.svd(middles - middles.mean(0), full_matrices=False)
        line = lines[0] if lines[0] @ inwards > 0 else -lines[0]
        # A short stump is as wide as long: its own line says little, and the way from the entry to the tip more.
        trust = min(1.0, reach / 300.0)
        inwards = trust * line + (1.0 - trust) * inwards / max(1e-6, float(np.hypot(*inwards)))
    return math.degrees(math.atan2(-inwards[1], -inwards[0]))


def _loose_axis(points: NDArray[np.float64], center_mm: Point) -> tuple[float, Point, float]:
    """(axis outwards, tip, length) of an arm that crosses no border: its own line, away from the table's middle."""
    middle = points.mean(0)
    _, _, lines = np.linalg.svd(points - middle, full_matrices=False)
    line = lines[0]
    if line @ (middle - np.array(center_mm)) < 0:
        line = -line
    t = (points - middle) @ line
    tip = points[t <= np.quantile(t, 0.03)].mean(0)
    return math.degrees(math.atan2(line[1], line[0])), (float(tip[0]), float(tip[1])), float(t.max() - t.min())
