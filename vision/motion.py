"""Movement and changes, on a small picture, whatever the light does.

A picture is compared by its local structure: the logarithm of the brightness minus its surroundings. A lamp, the
camera's exposure, mains flicker and the soft edge of a walking shadow change that little; a hand or a tile changes it.
"""

from __future__ import annotations

from functools import lru_cache

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
    # Several times faster than np.median, which looks for numbers that are none besides.
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
    boxes = [(int(x), int(y), int(x + a), int(y + b)) for x, y, a, b in corners]
    scaled = [
        (int(x0 * sx), int(y0 * sy), min(full_wh[0], round(x1 * sx)), min(full_wh[1], round(y1 * sy)))
        for x0, y0, x1, y1 in boxes
    ]
    return joined(scaled)


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
