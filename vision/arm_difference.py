"""How the table differs from its last still picture: surely, or perhaps only by a shadow."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from vision.arm_settings import DARKER, SHADE, SOFT, TINTED
from vision.frame import Frame, halved

Levels = NDArray[np.uint8]
Mask = NDArray[np.bool_]

LEVELS, MIDDLE = 80.0, 128
"""Steps of one unit of the logarithm, and what no difference is."""


def small_picture(frame: Frame, width_px: int) -> Levels:
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
