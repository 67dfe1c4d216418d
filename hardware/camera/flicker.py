"""Which mains frequency the lamps over the table have, measured: lamps pulse at twice that frequency.

A rolling shutter shows a pulse as bands across the picture. An exposure of a whole number of pulses shows none. So of
three exposures, a short one tells whether the lamps pulse at all, and 1/100 s and 1/120 s tell at which rate.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from hardware.camera.mains import country_here, mains_of_country
from vision.frame import Image

USUAL_HZ = 50
"""Where neither the lamps nor the time zone tell: most of the world."""

SHORT_US, FIFTY_US, SIXTY_US = 3000, 10_000, 8333
EXPOSURES_US = (SHORT_US, FIFTY_US, SIXTY_US)

PICTURES = 6
"""Of each exposure, one after the other. Between two, the bands wander; the table does not."""

LEAST_BANDING = 0.012
"""Deviation of a row's light from one picture to the next, as a part of it, from which lamps pulse visibly. A webcam's
noise, over a whole row, stays a fifth of that."""

CLEARLY = 2.5
"""So many times stronger is the banding of the frequency that is not there."""


def banding(pictures: Sequence[Image]) -> float:
    """How strongly bands run through a series of (h, w, 3) pictures of one exposure, as a part of their light."""
    rows = [np.asarray(picture, np.float32).mean(axis=(1, 2)) + 1.0 for picture in pictures]
    changes = []
    for before, after in itertools.pairwise(rows):
        change = np.log(after / before)
        # A change of all rows together is somebody at the switch; single rows are noise.
        smooth = np.convolve(change - np.median(change), np.ones(5) / 5, mode="valid")
        changes.append(float(smooth.std()))
    return float(np.median(changes)) if changes else 0.0


def measured_mains(film: Callable[[int], Sequence[Image] | None]) -> int | None:
    """50 or 60, or None where the lamps do not pulse or it cannot be told.

    `film` exposes so many microseconds and gives `PICTURES` pictures; None where the camera will not.
    """
    found = []
    for exposure_us in EXPOSURES_US:
        pictures = film(exposure_us)
        if pictures is None:
            return None
        found.append(banding(pictures))
    short, fifty, sixty = found
    if short < LEAST_BANDING:
        return None
    if fifty * CLEARLY < sixty:
        return 50
    return 60 if sixty * CLEARLY < fifty else None


def chosen_mains(
    wanted: int | None, film: Callable[[int], Sequence[Image] | None], country: Callable[[], str] = country_here
) -> tuple[int, str]:
    """The frequency to expose by, and a note where what was measured contradicts the country."""
    if wanted is not None:
        return wanted, ""
    measured, usual = measured_mains(film), mains_of_country(country())
    if measured is not None and usual is not None and measured != usual:
        return measured, f"the lamps run on {measured} Hz, though this time zone's country has {usual} Hz"
    return measured or usual or USUAL_HZ, ""
