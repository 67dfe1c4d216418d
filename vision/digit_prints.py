"""Digits compared with the digits of a set that was taught: slid over each other, for an outline is never quite true.

Printed digits are alike but for thin strokes; a half shifted by a stroke's width is more like another digit than like
its own. So each half is compared in all small shifts. A half with hardly any print is the blank.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.rectify import outward_halves

Floats = NDArray[np.float32]

SIDE, REACH = 32, 4
"""Pixels of a half, and by how many a pattern is slid to all sides: an eighth of the half."""
PATTERN = SIDE - 2 * REACH
BARE, PRINTED = 0.2, 0.6
"""Of the usual contrast a blank half shows the first part at most, any digit the second at least."""
BLUR = 1.0


def patterns(crops: Image) -> Floats:
    """(n, side, 2 side, 3) crops of whole tiles -> (n, 2, PATTERN * PATTERN) the middles of their halves, the outer end
    at the left."""
    inner = _greys(crops)[:, :, REACH:-REACH, REACH:-REACH]
    return np.ascontiguousarray(inner.reshape(len(inner), 2, -1))


def likeness(crops: Image, known: Floats) -> Floats:
    """(n, side, 2 side, 3) crops and (m, PATTERN * PATTERN) patterns -> (n, 2, m) how like each half is to each, up to
    1."""
    contrast = known.std(1)
    usual = float(np.median(contrast[contrast >= contrast.max() / 2]))
    drawn = [(one.reshape(PATTERN, PATTERN), bool(c >= usual / 2)) for one, c in zip(known, contrast, strict=True)]
    halves = _greys(crops).reshape(-1, SIDE, SIDE)
    out = np.zeros((len(halves), len(known)), np.float32)
    for n, half in enumerate(halves):
        shown = float(half[REACH:-REACH, REACH:-REACH].std()) / max(usual, 1e-6)
        printed = float(np.clip((shown - BARE) / (PRINTED - BARE), 0, 1))
        for m, (pattern, is_print) in enumerate(drawn):
            out[n, m] = 1 - printed
            if is_print:
                out[n, m] = printed * cv2.matchTemplate(half, pattern, cv2.TM_CCOEFF_NORMED).max()
    return out.reshape(-1, 2, len(known))


def _greys(crops: Image) -> Floats:
    """(n, 2, SIDE, SIDE)"""
    halves = outward_halves(crops)
    out = np.zeros((len(crops), 2, SIDE, SIDE), np.float32)
    for n, both in enumerate(halves):
        for k, half in enumerate(both):
            grey = cv2.GaussianBlur(cv2.cvtColor(np.ascontiguousarray(half), cv2.COLOR_BGR2GRAY), (0, 0), BLUR)
            out[n, k] = cv2.resize(grey, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return out
