"""How long a live camera exposes once it is locked: for the brightest thing that matters, which is a tile.

A camera's own automatic takes the picture's mean for the measure. Over a dark cloth that burns white tiles out, all the
more so when it settled before the first of them lay there; and what was right at noon is black in the evening. So a
locked exposure is looked after: seldom, in small steps, and only once the light has been wrong for a while.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.frame import Image

BURNT_FROM = 250
BURNT_SHARE = 0.004
LEAST_MEAN = 55.0
BRIGHT_SHARE = 0.005
BRIGHT_FROM = 120
PATIENCE = 24
STEP = 0.8
SAMPLE_PX = 160
"""Levels run from 0 to 255. More than `BURNT_SHARE` of a picture at `BURNT_FROM` or above is too much, unless its
mean is under `LEAST_MEAN` already: a lamp's own mirror image stays burnt at any exposure. `BRIGHT_SHARE` of every
picture should reach `BRIGHT_FROM`. Either has to last for `PATIENCE` pictures; a step is the factor `STEP`.
"""


class Meter:
    """Sees every picture of a camera whose exposure is locked."""

    def __init__(self) -> None:
        self._lasted = 0
        self._last = 1.0

    def see(self, image: Image) -> float:
        """(h, w, 3) uint8 -> the factor by which to expose from now on; 1.0 is as before."""
        wanted = self._wanted(image)
        self._lasted = self._lasted + 1 if wanted == self._last else 1
        self._last = wanted
        if wanted == 1.0 or self._lasted < PATIENCE:
            return 1.0
        self._lasted = 0
        return wanted

    def _wanted(self, image: Image) -> float:
        every = max(1, image.shape[1] // SAMPLE_PX)
        sample = image[::every, ::every]
        brightest = sample.max(axis=2)
        if float((brightest >= BURNT_FROM).mean()) > BURNT_SHARE:
            return STEP if float(sample.mean()) * STEP >= LEAST_MEAN else 1.0
        return 1 / STEP if float(np.quantile(brightest, 1 - BRIGHT_SHARE)) < BRIGHT_FROM else 1.0


LONGEST_US, MOST_GAIN = 40_000.0, 8.0
"""No picture takes longer or is multiplied by more, unless the camera's own setting does already."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """`time_us` of light and the `gain` it is multiplied by."""

    time_us: float
    gain: float = 1.0

    def times(self, factor: float, period_us: int) -> Exposure:
        """So many times the light, with as little gain as there may be: it is noise. A time longer than the lamps'
        period is a multiple of it, or they flicker; no picture takes longer than `LONGEST_US`."""
        total = self.time_us * self.gain * factor
        time_us = min(total, max(LONGEST_US, self.time_us))
        if time_us > period_us:
            time_us -= time_us % period_us
        return Exposure(time_us, float(np.clip(total / time_us, 1.0, max(MOST_GAIN, self.gain))))
