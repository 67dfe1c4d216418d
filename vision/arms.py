"""Arms over the table: where each comes in, along which line it lies, and what it covers.

A frame is compared with the last still picture of the table, in the logarithm of its three colours and on a picture so
small that a forearm is some fifteen pixels wide. A difference that reaches the border is an arm: the raw component, not
its hull, because two arms near each other must not become one. A soft darkening of one tone is a shadow; it is an arm's
sleeve only where the arm would not reach the border without it.

Two arms that touch are told apart by the strips that run in from where they cross the border. Where these do not
explain what is seen, there is one unclear thing: `Arm.clear` is False, and nobody may be named by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arm_crossings import Crossing, crossings, filled, one_arm, strips, without_twins
from vision.arm_difference import LEVELS, Levels, StillTable, differing, small_picture
from vision.arm_plane import ArmPlane
from vision.arm_settings import (
    DARKER,
    EDGE_ROW,
    EXPLAINED,
    FLOODED,
    LEAST_AREA,
    LEAST_HAND,
    LEAST_REACH,
    MOST_BORDER,
    SMALL,
    WIDEST,
    WIDTH_PX,
)
from vision.arm_shape import loose_shape, shape_from, sleeve_of
from vision.arm_view import CHANGED, UNCLEAR, Arm, ArmView, Labels, Tones
from vision.calibration import Calibration
from vision.frame import Frame

Mask = NDArray[np.bool_]

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
        if known is not None and known.calibration is calibration and known.size_wh == size_wh:
            return known if known.full_wh == frame.size_wh else ArmPlane.of(calibration, frame.size_wh, size_wh)
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
                self._component((both == whole) & ~_taken(self.labels), sure=True)
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

    def _component(self, mask: Mask, sure: bool = True) -> None:
        """The arm or arms of a shape that reaches the border in one place or several."""
        crossed = crossings(mask, self.plane)
        if not crossed:
            return
        mask = filled(mask, crossed, self.plane)
        if len(crossed) == 1:
            self._add(mask, crossed[0], clear=sure)
            return
        crossed, parts = without_twins(crossed, strips(mask, crossed, self.plane))
        if len(crossed) == 1:
            self._add(mask, crossed[0], clear=sure)
            return
        if len(crossed) == 2 and one_arm(crossed, parts):
            self._through(mask, crossed, clear=sure)
            return
        covered = np.zeros(mask.shape, np.uint8)
        for part in parts:
            covered += part
        if (covered > 0)[mask].mean() < EXPLAINED:
            self._add(mask, max(crossed, key=lambda one: one.span_mm), clear=False)
            return
        for one, part in zip(crossed, parts, strict=True):
            self._add(part & (covered == 1), one, clear=sure)
        self.labels[mask & (covered != 1)] = UNCLEAR

    def _through(self, mask: Mask, crossed: Sequence[Crossing], clear: bool) -> None:
        """One arm that reaches across the whole table: nobody can see which of its ends is the hand."""
        one, other = (self._arm(mask, end, clear) for end in crossed)
        if one is not None and other is not None:
            self._mark(mask, replace(one, other=other))

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
        if crossed is not None and self._along_the_edge(crossed, float(plane.deep_mm.ravel()[pixels].max())):
            return None
        if crossed is None or plane.cuts(crossed.pixels):
            shape = loose_shape(points, plane.center_mm)
            return Arm(None, 0.0, shape.axis_deg, shape.tip_mm, shape.reach_mm, area, clear=False)
        span = crossed.span_mm
        shape = shape_from(points, crossed.middle_mm, plane.mm.reshape(-1, 2)[crossed.pixels].astype(np.float64))
        single = area / shape.reach_mm <= WIDEST and span <= MOST_BORDER * plane.length_mm
        sleeve = sleeve_of(points, self.now.reshape(-1, 3)[pixels], shape.tip_mm, plane.pixel_mm2, self.before.usual)
        clear = clear and single
        return Arm(crossed.middle_mm, span, shape.axis_deg, shape.tip_mm, shape.reach_mm, area, clear, sleeve=sleeve)

    @staticmethod
    def _along_the_edge(crossed: Crossing, deep: float) -> bool:
        """Tiles there are no arm."""
        return deep < LEAST_REACH or (deep < EDGE_ROW and crossed.span_mm > 2 * deep)

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
