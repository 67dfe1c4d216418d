"""When is the table still and worth reading? Hands are a state of their own.

    hand       something moves, or an arm reaches in from the picture's edge
    settling   nothing moves; a few frames are waited for
    reading    still, and something has changed since the last reading: read it now
    read       the table is as it was last read

A photograph of a still table (one of a folder, a picture a play) is another matter: nothing moves from one to the next,
so each is read whole when it comes, and one into which an arm reaches is passed over.

Everything is counted in frames by their own clock, so a recording replays the same. Where more than five come a second
each counts for less, so that a hand rests no sooner under a faster camera; two still frames are enough under any. No
state can be stuck: whatever lasts longer than `timeout_frames` is read as it is, and `read_now` asks for that at once.

Pictures are compared small and by their local structure: the logarithm of the brightness minus its surroundings. A
lamp, the camera's exposure, mains flicker and the soft edge of a walking shadow change that little; a hand or a tile
changes it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Frame, Image, reduced

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Region = tuple[int, int, int, int]

WIDTH_PX = 480
"""Frames are compared on a picture so wide; lengths below are parts of its width."""

SURROUNDINGS = 0.03
"""A place is compared with its surroundings of this size, so that light as a whole does not count."""

THRESHOLD, FAINT = 0.11, 0.055
"""A change, and one that counts where a hand has been, in units of log brightness."""

NOISE_FACTOR = 5.0
"""A change also has to be so many times the picture's own noise."""

SMALLEST = 1.2e-4
"""A changed spot smaller than this part of the picture's area is noise."""

REACH = 0.02
"""Regions are grown by this part of the width, so a whole tile is inside."""


def small_of(frame: Frame, width_px: int) -> Image:
    """The frame at the working width, from the camera's own small stream where there is one."""
    own = frame.small is not None and frame.small.shape[1] >= width_px
    source = frame.small if frame.small is not None and own else frame.image
    h, w = source.shape[:2]
    if w <= width_px:
        return source
    size_wh = (width_px, max(1, round(h * width_px / w)))
    return reduced(source, size_wh)[0] if own else frame.reduced(size_wh)


def brightness(small: Image) -> Floats:
    """(h, w) float32: the logarithm of the brightness."""
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY) if small.ndim == 3 else small
    return np.asarray(np.log(cv2.GaussianBlur(grey, (3, 3), 0).astype(np.float32) + np.float32(12)), np.float32)


def structure(bright: Floats) -> Floats:
    """(h, w) float32: log brightness less its surroundings, and so nearly free of the light."""
    # Two box means are near enough to a Gaussian and ten times faster.
    side = max(3, 2 * round(SURROUNDINGS * bright.shape[1]) + 1)
    around = cv2.blur(cv2.blur(bright, (side, side)), (side, side))
    return np.asarray(bright - around, np.float32)


def noise_of(apart: Floats) -> float:
    """The standard deviation of the unchanged part, from the median of how far the points differ."""
    apart = apart.flatten()
    # Several times faster than np.median, which also looks for NaN.
    middle = apart.size // 2
    apart.partition(middle)
    above = apart[middle]
    below = above if apart.size % 2 else apart[:middle].max(initial=0.0)
    return float((above + below) / 2 * 1.4826)


def _beyond_noise(apart: Floats, threshold: float) -> float:
    """The threshold, raised to `NOISE_FACTOR` times the noise of every fourth point."""
    some = apart[::2, ::2]
    # Counting the calm points is many times faster than finding the median, and nearly always enough.
    calm = np.float32(threshold / NOISE_FACTOR / 1.4826)
    if 2 * np.count_nonzero(some <= calm) > some.size + 1:
        return threshold
    return max(threshold, NOISE_FACTOR * noise_of(some))


def changed_mask(before: Floats, after: Floats, threshold: float) -> Mask:
    """(h, w) bool: where two structures differ, specks removed."""
    apart = np.asarray(cv2.absdiff(after, before), np.float32)
    raw = (apart > _beyond_noise(apart, threshold)).view(np.uint8)
    return without_specks(raw, max(3, round(SMALLEST * raw.size)))


def without_specks(mask: NDArray[np.uint8], smallest: int) -> Mask:
    """(h, w) bool: the parts of a mask, 0 and 1, that have at least so many pixels."""
    large = np.zeros(mask.shape, np.bool_)
    # In most frames nothing differs, and what does is seldom all over the picture.
    if cv2.countNonZero(mask) < smallest:
        return large
    x, y, w, h = cv2.boundingRect(mask)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask[y : y + h, x : x + w], connectivity=8)
    keep = np.zeros(count, np.bool_)
    keep[1:] = np.asarray(stats)[1:, cv2.CC_STAT_AREA] >= smallest
    large[y : y + h, x : x + w] = keep[np.asarray(labels)]
    return large


def grow(mask: Mask, by_px: int) -> Mask:
    """The mask and everything within `by_px` of it."""
    kernel = np.ones((2 * by_px + 1, 2 * by_px + 1), np.uint8)
    return np.asarray(cv2.dilate(mask.astype(np.uint8), kernel) > 0)


def regions_of(mask: Mask, full_wh: tuple[int, int], reach_px: int) -> tuple[Region, ...]:
    """(x0, y0, x1, y1) in full-size pixels of the mask's parts, grown by `reach_px` small ones; none overlap."""
    if not mask.any():
        return ()
    h, w = mask.shape
    sx, sy = full_wh[0] / w, full_wh[1] / h
    grown = grow(mask, reach_px).astype(np.uint8)
    left, top, wide, high = cv2.boundingRect(grown)
    part = grown[top : top + high, left : left + wide]
    _, _, stats, _ = cv2.connectedComponentsWithStats(part, connectivity=8)
    corners = np.asarray(stats)[1:, :4] + (left, top, 0, 0)
    boxes = [(x, y, x + a, y + b) for x, y, a, b in corners.tolist()]
    ends = [(min(full_wh[0], round(x * sx)), min(full_wh[1], round(y * sy))) for _, _, x, y in boxes]
    return joined([(int(x * sx), int(y * sy), *end) for (x, y, _, _), end in zip(boxes, ends, strict=True)])


def joined(regions: list[Region]) -> tuple[Region, ...]:
    """Overlapping regions become one, until none overlap."""
    waiting = list(regions)
    done: list[Region] = []
    while waiting:
        x0, y0, x1, y1 = waiting.pop()
        for other in [r for r in waiting + done if r[0] < x1 and r[2] > x0 and r[1] < y1 and r[3] > y0]:
            (waiting if other in waiting else done).remove(other)
            x0, y0, x1, y1 = min(x0, other[0]), min(y0, other[1]), max(x1, other[2]), max(y1, other[3])
            waiting.append((x0, y0, x1, y1))
            break
        else:
            done.append((x0, y0, x1, y1))
    return tuple(sorted(done))


def shift_between(before: Floats, after: Floats) -> tuple[float, float, float]:
    """(dx, dy, agreement): how far the whole picture moved, in small pixels, and how sure that is (0 to 1)."""
    # OpenCV 5.0 multiplies its inputs by the window in place, so it gets copies.
    (dx, dy), agreement = cv2.phaseCorrelate(before.copy(), after.copy(), _window(before.shape[1], before.shape[0]))
    return float(dx), float(dy), float(agreement)


@lru_cache(maxsize=4)
def _window(width: int, height: int) -> Floats:
    """(h, w) float32: what fades a picture out towards its edges."""
    return np.asarray(cv2.createHanningWindow((width, height), cv2.CV_32F), np.float32)


class TableState(StrEnum):
    HAND = "hand"
    SETTLING = "settling"
    READING = "reading"
    READ = "read"


STILL_FRAMES = 2
"""Once a hand was seen and has gone one is enough to look; before that a pause may be a hand on its way in."""
FRAME_S = 0.2
"""A frame that comes sooner after the last one counts as this part of it."""
RESTING_HAND_FRAMES = 25
"""An arm that lies still this long is read around: what it covers is reported as hidden."""
RESTLESS = 0.05
"""Part of it that may have moved all the same: the picture's noise."""
HAND_AREA = 0.012
"""A change at the border from so large a part of the picture on is an arm."""
STILL_HAND_AREA = 0.006
"""The same of what lies still, its surroundings apart: 80 mm square in a picture 1.2 m wide."""
MOVING_AREA = 4e-4
"""Part of the picture that may differ between two frames of a still table."""
CAMERA_MOVED = 0.006
"""A shift of the whole picture by this part of its width is a bump; smaller ones are followed silently."""


@dataclass(frozen=True, slots=True)
class SettleState:
    """The state after one frame. Regions are (x0, y0, x1, y1) in pixels of the frame's full picture."""

    state: TableState
    should_read: bool = False
    regions: tuple[Region, ...] = ()
    """To read again where `should_read`. Where an arm has just left: to read if the table stays as it is."""
    hidden: tuple[Region, ...] = ()
    """The regions that an arm covers; nothing there has vanished."""
    moved_px: tuple[float, float] = (0.0, 0.0)
    """How far the whole picture has shifted since the last reading."""
    camera_moved: bool = False
    forced: bool = False
    """A timeout or `read_now` asked, not a still table."""
    still_for: int = 0
    """For so many frames before this one the table lay as it does now."""
    counts: float = 1.0
    """The weight of this frame where frames are counted to tell time."""


class Settler:
    """Sees every frame; `done` tells it that the table was read as it lay in the frame seen last."""

    def __init__(self, timeout_frames: int = 150) -> None:
        self.timeout_frames = timeout_frames
        self._reference: Floats | None = None
        self._last: Floats | None = None
        self._bright_reference: Floats | None = None
        self._bright: Floats | None = None
        self._swept: Mask | None = None
        self._unmoved = np.zeros((0, 0), np.float32)
        self._at: float | None = None
        self._counts = 1.0
        self._earlier: tuple[Floats | None, Floats | None, Mask | None] = (None, None, None)
        self._arm_seen = False
        self._alike = 0
        self._around = False
        self._still = 0
        self._waiting = 0.0
        self._asked = False
        self.state = TableState.SETTLING

    def read_now(self) -> None:
        """The next frame is read as it is, whatever moves."""
        self._asked = True

    def done(self) -> None:
        """The table was read as in the frame seen last: from here on only new changes count."""
        if not self._around:
            self._reference, self._bright_reference = self._last, self._bright
        self._swept = None
        self._arm_seen = False
        self._waiting = 0.0
        self.state = TableState.READ

    def begin(self) -> None:
        """A reading begins, of one frame or several."""
        self._earlier = (self._reference, self._bright_reference, self._swept)

    def not_done(self) -> None:
        """A hand came back before the reading ended and may have been in its pictures: what was read before counts."""
        swept = self._swept
        self._reference, self._bright_reference, self._swept = self._earlier
        if swept is not None:
            self._swept = swept if self._swept is None else self._swept | swept

    def forget(self) -> None:
        """The next still table is read whole (after a new calibration, a new round, another camera)."""
        self._reference = None
        self._swept = None
        self._earlier = (None, None, None)

    def see(self, frame: Frame, still: bool = False) -> SettleState:
        """Take one frame. `still`: it is a photograph of a still table (a folder of them, one a play)."""
        self._around = False
        bright = brightness(small_of(frame, WIDTH_PX))
        now = structure(bright)
        last = self._last
        if last is not None and last.shape != now.shape:
            self.forget()
            last = None
        if still:
            return self._photograph(bright, now, last, frame.size_wh)
        lit = [one for one in (self._bright, self._bright_reference) if one is not None and one.shape == bright.shape]
        self._last, self._bright = now, bright
        since = FRAME_S if self._at is None else frame.at - self._at
        self._at, self._counts = frame.at, min(1.0, since / FRAME_S) if since > 0 else 1.0
        moving = np.zeros(now.shape, np.bool_) if last is None else changed_mask(last, now, THRESHOLD)
        is_moving = moving.mean() > MOVING_AREA
        unmoved = self._unmoved if last is not None and self._unmoved.size else np.zeros(now.shape, np.float32)
        self._unmoved = np.where(moving, np.float32(0), unmoved + np.float32(self._counts))
        self._still = 0 if is_moving or last is None else self._still + 1
        if is_moving:
            self._swept = moving if self._swept is None else self._swept | moving
        answer = self._judge(now, moving, is_moving, bright, lit, frame.size_wh)
        answer = replace(answer, still_for=self._still, counts=self._counts)
        self.state = answer.state
        return answer

    def _photograph(self, bright: Floats, now: Floats, last: Floats | None, full_wh: tuple[int, int]) -> SettleState:
        """Read whole, unless an arm reaches in that did not in the last photograph read.

        Where that does not move from one photograph to the next it is read around, and in the one after that it is the
        table: the arm was in the first picture of all.
        """
        lit, lit_last = self._bright_reference, self._bright
        self._last, self._bright, self._still = now, bright, STILL_FRAMES
        shift, followed, bumped = self._follow(now)
        full_shift = (shift[0] * full_wh[0] / now.shape[1], shift[1] * full_wh[1] / now.shape[0])
        arm = np.zeros(now.shape, np.bool_)
        if followed is not None and lit is not None and not bumped:
            arm = self._reaches_in(followed, now, lit, bright)
        rests = last is not None and lit_last is not None and not self._reaches_in(last, now, lit_last, bright).any()
        self._alike = self._alike + 1 if arm.any() and rests else 0
        self._around = bool(arm.any()) and self._alike < 2
        hidden = regions_of(arm, full_wh, 0) if self._around else ()
        if self._around and not self._alike and not self._asked:
            self.state = TableState.HAND
            return SettleState(self.state, hidden=hidden, moved_px=full_shift)
        self._asked = False
        self.state = TableState.READING
        return SettleState(self.state, True, ((0, 0, *full_wh),), hidden, full_shift, bumped)

    def _reaches_in(self, before: Floats, now: Floats, lit: Floats, bright: Floats) -> Mask:
        """Where an arm differs between two photographs: it has come, gone or moved."""
        edge = _edge_of_change(bright, [lit] if lit.shape == bright.shape else [], THRESHOLD)
        return _arm(changed_mask(before, now, THRESHOLD), edge, HAND_AREA)

    def _judge(
        self, now: Floats, moving: Mask, is_moving: bool, bright: Floats, lit: list[Floats], full_wh: tuple[int, int]
    ) -> SettleState:
        shift, followed, bumped = self._follow(now)
        changed = self._changed(now, followed)
        edge = _edge_of_change(bright, lit, THRESHOLD)
        solid = moving if not lit else moving | (np.abs(bright - lit[-1] - _light(bright, lit[-1])) > THRESHOLD)
        arm = _arm(changed | moving if self._reference is not None else moving, edge, HAND_AREA, (moving, solid))
        if arm.any():
            arm = _arm(self._never_so(changed, now) | moving, edge, HAND_AREA, (moving, solid))
        full_shift = (shift[0] * full_wh[0] / now.shape[1], shift[1] * full_wh[1] / now.shape[0])
        hidden = regions_of(arm, full_wh, 0)
        reach = max(1, round(REACH * now.shape[1]))
        self._arm_seen = self._arm_seen or bool(arm.any())
        quiet = self._still >= (1 if self._arm_seen and not arm.any() else STILL_FRAMES)
        # It has not moved for long, whatever moved elsewhere.
        resting = arm.any() and (self._unmoved[arm] < RESTING_HAND_FRAMES).mean() <= RESTLESS
        nothing_new = self._reference is not None and not changed.any()

        if quiet and nothing_new and not bumped and not self._asked:
            self._waiting = 0.0
            self._swept = None
            return SettleState(TableState.READ, moved_px=full_shift, camera_moved=bumped)
        self._waiting += self._counts
        forced = self._asked or self._waiting > self.timeout_frames
        ready = quiet and (not arm.any() or resting)
        if not ready and not forced:
            state = TableState.HAND if is_moving or arm.any() else TableState.SETTLING
            # Where an arm was in the picture before, something moves as if it were still there.
            left = self._arm_seen and not bumped and not _arm(changed, edge, HAND_AREA, (moving, solid)).any()
            soon = regions_of(changed, full_wh, reach) if left else ()
            return SettleState(state, regions=soon, hidden=hidden, moved_px=full_shift, camera_moved=bumped)
        self._asked = False
        if forced:
            self._waiting = 0.0
        whole: tuple[Region, ...] = ((0, 0, *full_wh),)
        regions = whole if self._reference is None or bumped else regions_of(changed & ~arm, full_wh, reach)
        if forced and not regions:
            regions = whole
        asked = forced and not (quiet and not arm.any())
        return SettleState(TableState.READING, True, regions, hidden, full_shift, bumped, asked)

    def _never_so(self, changed: Mask, now: Floats) -> Mask:
        """The part of `changed` since the last reading that looked otherwise at the one before it, too.

        A hand on its way in may lie still enough to be read as part of the table. Once it has gone, the table looks as
        it did before that, and nothing reaches in.
        """
        before = self._earlier[0]
        if before is None or before is self._reference or before.shape != now.shape:
            return changed
        return np.asarray(changed & changed_mask(before, now, THRESHOLD))

    def _follow(self, now: Floats) -> tuple[tuple[float, float], Floats | None, bool]:
        """How far the picture has shifted since the reference, the reference moved along, and whether it is a bump."""
        reference = self._reference
        if reference is None or self._still < 1:
            return (0.0, 0.0), reference, False
        dx, dy, agreement = shift_between(reference, now)
        apart = float(np.hypot(dx, dy))
        if agreement < 0.25 or apart < 0.15:
            return (0.0, 0.0), reference, False
        h, w = now.shape
        move = np.array([[1, 0, dx], [0, 1, dy]], np.float64)
        along = cv2.warpAffine(reference, move, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        moved = np.asarray(along, np.float32)
        # A tile laid beside the only other one looks as if that one had shifted. The table around shows otherwise.
        tells = cv2.absdiff(moved, reference)
        if _apart(moved, now, tells) >= _apart(reference, now, tells):
            return (0.0, 0.0), reference, False
        return (dx, dy), moved, apart > CAMERA_MOVED * w

    def _changed(self, now: Floats, reference: Floats | None) -> Mask:
        """Where the table differs from the last reading: faint differences count where a hand has been."""
        if reference is None:
            return np.zeros(now.shape, np.bool_)
        clear = changed_mask(reference, now, THRESHOLD)
        if self._swept is None:
            return clear
        faint = changed_mask(reference, now, FAINT)
        return np.asarray(clear | (faint & grow(self._swept, max(1, round(REACH * now.shape[1])))))


def _apart(before: Floats, now: Floats, tells: NDArray[Any]) -> float:
    """How far two structures differ where something `tells` of it, by so much; a change counts no more than faintly."""
    return float((np.minimum(cv2.absdiff(before, now), FAINT) * tells).sum())


def _light(bright: Floats, before: Floats) -> float:
    """How much the light as a whole has changed: some pixels spread over the picture say it well enough."""
    return float(np.median(bright[::8, ::8] - before[::8, ::8]))


def _edge_of_change(bright: Floats, before: list[Floats], threshold: float) -> Mask:
    """(h, w) bool: where the picture's outermost pixels are brighter or darker than before.

    A thing near the edge changes its surroundings' structure too, so that alone does not say that it reaches out of the
    picture: a row of tiles laid along the table's edge is no arm.
    """
    edge = np.zeros(bright.shape, np.bool_)
    for one in before:
        light = _light(bright, one)
        for strip in (np.s_[:3], np.s_[-3:], np.s_[:, :3], np.s_[:, -3:]):
            edge[strip] |= np.abs(bright[strip] - one[strip] - light) > threshold
    return edge


def _arm(mask: Mask, edge: Mask, least_area: float, seen: tuple[Mask, Mask] | None = None) -> Mask:
    """The parts of a mask that are as large as a hand and reach in from the picture's edge.

    A mask of structure is wider than what changed. Where `seen` is given, what moves and what is brighter or darker
    than before, a part in which nothing moves must cover `STILL_HAND_AREA` itself: a tile put away near the edge whose
    shadow reaches it is no hand.
    """
    if not mask.any():
        return mask
    closed = grow(mask, 4)
    if not (closed & edge).any():
        return np.zeros(mask.shape, np.bool_)
    _, labels = cv2.connectedComponents(closed.astype(np.uint8), connectivity=8)
    labels = np.asarray(labels)
    border = labels[edge]
    arm = np.zeros(mask.shape, np.uint8)
    for part in np.unique(border[border > 0]):
        # An arm of one colour differs from its surroundings along its outline only: what the outline encloses counts.
        here = labels == part
        hull = _hull(here)
        if cv2.contourArea(hull) < least_area * mask.size:
            continue
        if seen is not None and not (here & seen[0]).any():
            itself = here & seen[1]
            if not itself.any() or cv2.contourArea(_hull(itself)) < STILL_HAND_AREA * mask.size:
                continue
        cv2.fillConvexPoly(arm, hull, 1)
    return np.asarray(arm > 0)


def _hull(part: Mask) -> NDArray[np.int32]:
    """The convex outline of a part that is not empty: (n, 1, 2), x and y."""
    outlines, _ = cv2.findContours(part.view(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return np.asarray(cv2.convexHull(np.concatenate(outlines)), np.int32)
