"""Changes of colour alone: a red marker as bright as the green cloth leaves no trace in a picture's brightness.

The settler looks at brightness, because light must not disturb it. What a hand has left behind is looked for here once
more, in the colour channels, which shadows and lamps of one colour change little.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Frame
from vision.motion import Region, regions_of, without_specks

WIDTH_PX = 640
"""The picture is compared at this width."""
THRESHOLD = 14.0
SMALLEST = 8e-5
REACH = 0.02
"""`THRESHOLD` in units of CIE a*, b* (0 to 255 in OpenCV); `SMALLEST` and `REACH` are parts of area and width."""


def colours(frame: Frame) -> NDArray[np.float32]:
    """(h, w, 2) a* and b* of the picture at the working width."""
    w, h = frame.size_wh
    scale = min(1.0, WIDTH_PX / w)
    size = (max(1, round(w * scale)), max(1, round(h * scale)))
    small = cv2.resize(frame.halved(size), size, interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (3, 3), 0), cv2.COLOR_BGR2LAB)
    return np.asarray(lab[..., 1:], np.float32)


def recoloured(before: NDArray[np.float32], now: NDArray[np.float32], full_wh: tuple[int, int]) -> tuple[Region, ...]:
    """Regions (px of the full picture) whose colour has changed; a change of the light's own colour is taken out."""
    if before.shape != now.shape:
        return ()
    apart = now - before
    # Some points spread over the picture say well enough how the light has changed.
    apart -= np.median(apart[::4, ::4], axis=(0, 1))
    raw = (apart[..., 0] ** 2 + apart[..., 1] ** 2 > THRESHOLD**2).astype(np.uint8)
    mask = without_specks(raw, max(3, round(SMALLEST * raw.size)))
    return regions_of(mask, full_wh, max(1, round(REACH * raw.shape[1])))
