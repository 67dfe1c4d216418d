"""Is this a picture of a table? Black, white, frozen or moved pictures are told from good ones before anybody reads
them.

Pure: the judge sees small pictures and their times, keeps counters, and never looks at a clock.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.supervise.health import State
from companion.supervise.view import KnownView, ViewSettings, edges, farthest
from vision.frame import Frame, Image, reduced

Floats = NDArray[np.float32]

PROBE_WIDTH = 320
"""Pictures are judged at this width: enough for all four faults, a millisecond each."""

SAME_SHAPE = 0.02
"""Width to height of two pictures of one camera differ by less than this part; what is picked of them leaves a rim."""


BLACK_BELOW = 24
DARK_BELOW = 60
DARK_SHARE = 0.36
DARK_SURELY_NOT = 90
TURNED_QUARTERS = 2
WHITE_FROM = 250
WHITE_SHARE = 0.6
MOVED_SHARE = 0.006
MOVED_CERTAINTY = 0.25
"""A shift found less surely than this (0 to 1) explains nothing: points are compared then."""
MOVED_FRAMES = 4
STEADY_FRAMES = 2
BLOCKS_WH = (5, 4)
PLAIN_BELOW = 4.0
ALIKE = 0.4
LEAST_BLOCKS = 6
STRANGE_S = 4.0


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """`BLACK_BELOW`: 99 of 100 pixels darker than this of 255, and no trace of the known view; `DARK_BELOW`: so dark
    that a white tile is grey. Where it is known how light the table was when it was read, less than `DARK_SHARE` of
    that is dark, too, unless the picture has light of `DARK_SURELY_NOT`. `WHITE_FROM`: `WHITE_SHARE` of all pixels at
    least this bright (a sheet of paper over a tenth of the table is no fault). `frozen_after_s`: identical to the last
    bit for so long, and at least `frozen_frames` times; a sensor's noise never repeats. `MOVED_SHARE`: the view has
    shifted by more than this share of its width, `MOVED_FRAMES` times running; where no shift explains the picture (a
    hand, or a camera that was turned), points are compared in every `points_every`-th. So are the picture's quarters,
    because about its middle a turn of some degrees is no shift: `TURNED_QUARTERS` of them have gone elsewhere. After
    any fault `STEADY_FRAMES` good pictures pass before the next one is trusted."""

    frozen_after_s: float = 2.0
    frozen_frames: int = 4
    points_every: int = 4


class PictureJudge:
    """Sees each picture once, in order. With `live` False (recordings) every picture is taken as it is."""

    def __init__(self, settings: JudgeSettings | None = None, *, live: bool = True, after: State | None = None) -> None:
        """`after`: the fault for which the camera was restarted; its first pictures have to prove themselves."""
        self._settings = settings or JudgeSettings()
        self._live = live
        self._last: Image | None = None
        self._same_since: float | None = None
        self._same = 0
        self._shifted = 0
        self._remembered: Image | None = None
        self._light_then: float | None = None
        self._turned = 0
        self._reference: Floats | None = None
        self._view: KnownView | None = None
        self._unexplained = 0
        self._strange_since: float | None = None
        self._good = STEADY_FRAMES if after is None else 0
        self._fault = after

    def see(self, frame: Frame) -> State | None:
        """The fault this picture shows, or None for one that can be trusted."""
        if not self._live:
            return None
        probe = as_probe(frame.image)
        frozen = self._frozen(probe, frame.at)
        # Light first: a covered lens gives the same black picture for ever, and restarting it would not help.
        fault = self._light(probe) or frozen or self._moved(probe, frame.at)
        if fault is not None:
            self._fault, self._good = fault, 0
            return fault
        if self._same == 0 or self._fault is not State.FROZEN:
            # Only a picture unlike the one before shows that a frozen camera has thawed.
            self._good += 1
        if self._good < STEADY_FRAMES:
            return self._fault
        self._fault = None
        return None

    def remember_view(self, image: Image) -> None:
        """From now on `image`, of any size and in grey or colour, is where the camera should look: called when the
        table was calibrated."""
        self._remembered = image
        grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        self._light_then = float(np.percentile(grey, 99))
        self._reference = self._view = self._strange_since = None
        self._shifted = self._unexplained = self._turned = 0

    def forget_view(self) -> None:
        self._remembered = self._reference = self._view = self._light_then = self._strange_since = None
        self._shifted = self._unexplained = self._turned = 0

    def _light(self, probe: Image) -> State | None:
        light = float(np.percentile(probe, 99))
        if light < BLACK_BELOW:
            return State.DARK if self._dimly_seen(probe) else State.BLACK
        faded = self._light_then is not None and light < min(DARK_SHARE * self._light_then, DARK_SURELY_NOT)
        if light < DARK_BELOW or faded:
            return State.DARK
        if float((probe >= WHITE_FROM).mean()) >= WHITE_SHARE:
            return State.OVEREXPOSED
        return None

    def _dimly_seen(self, probe: Image) -> bool:
        """Is the known view still there, however faint? A covered lens shows noise alone."""
        before = None if self._remembered is None else _as_large(self._remembered, probe)
        return before is not None and _likeness(before.astype(np.float32), probe.astype(np.float32)) >= ALIKE

    def _frozen(self, probe: Image, at: float) -> State | None:
        if self._last is not None and np.array_equal(probe, self._last):
            self._same += 1
        else:
            self._same, self._same_since = 0, at
        self._last = probe
        since = at if self._same_since is None else self._same_since
        frozen = self._same >= self._settings.frozen_frames and at - since >= self._settings.frozen_after_s
        return State.FROZEN if frozen else None

    def _moved(self, probe: Image, at: float) -> State | None:
        if self._remembered is None:
            return None
        now = _windowed(probe)
        if self._reference is None or now.shape != self._reference.shape:
            # What is remembered came smaller than the camera's pictures, and they may come in another size by now.
            right = _as_large(self._remembered, probe)
            if right is None:
                return State.MOVED
            self._reference = _windowed(right)
            self._view = KnownView(right, ViewSettings(width_px=PROBE_WIDTH, points=500))
        (dx, dy), certainty = cv2.phaseCorrelate(self._reference, now)
        limit = MOVED_SHARE * PROBE_WIDTH
        if certainty >= MOVED_CERTAINTY:
            self._shifted = self._shifted + 1 if float(np.hypot(dx, dy)) > limit else 0
            self._strange_since = None
            self._compare_quarters(probe, limit)
        else:
            self._compare_points(probe, limit, at)
        strange = self._strange_since is not None and at - self._strange_since >= STRANGE_S
        return State.MOVED if strange or max(self._shifted, self._turned) >= MOVED_FRAMES else None

    def _compare_quarters(self, probe: Image, limit: float) -> None:
        """Turned about its middle by some degrees? Then the quarters have gone different ways. Counts as two."""
        self._unexplained += 1
        if self._remembered is None or self._unexplained % self._settings.points_every:
            return
        before = _as_large(self._remembered, probe)
        if before is None:
            return
        gone = 0
        for then, now in zip(_quarters(before), _quarters(probe), strict=True):
            (dx, dy), certainty = cv2.phaseCorrelate(_windowed(then), _windowed(now))
            gone += certainty >= MOVED_CERTAINTY and float(np.hypot(dx, dy)) > limit
        self._turned = self._turned + 2 if gone >= TURNED_QUARTERS else 0

    def _compare_points(self, probe: Image, limit: float, at: float) -> None:
        """Turned, tilted or come nearer? Costs more than a shift, and counts as two. Or is nothing there as it was?"""
        self._unexplained += 1
        if self._view is None or self._remembered is None or self._unexplained % self._settings.points_every:
            return
        change = self._view.change(probe)
        if change is not None:
            far = farthest(change, (probe.shape[1], probe.shape[0])) > limit
            self._shifted = self._shifted + 2 if far else 0
        before = _as_large(self._remembered, probe)
        if change is not None or before is None or not _nothing_alike(before, probe):
            self._strange_since = None
        elif self._strange_since is None:
            self._strange_since = at


def as_probe(image: Image) -> Image:
    """(h, 320 or a little more) grey. Single pixels are picked, because averaging would hide the noise."""
    step = max(1, image.shape[1] // PROBE_WIDTH)
    picked = np.ascontiguousarray(image[step // 2 :: step, step // 2 :: step])
    return np.asarray(cv2.cvtColor(picked, cv2.COLOR_BGR2GRAY), np.uint8)


def to_remember(image: Image) -> Image:
    """(h, w, 3) -> grey and as large as its probe: all that is compared of a view, and little to send anybody."""
    step = max(1, image.shape[1] // PROBE_WIDTH)
    high, wide = image[step // 2 :: step, step // 2 :: step].shape[:2]
    return np.asarray(cv2.cvtColor(reduced(image, (wide, high))[0], cv2.COLOR_BGR2GRAY), np.uint8)


def _as_large(image: Image, probe: Image) -> Image | None:
    """The picture in grey and of the probe's size; None where it has another shape: it shows something else."""
    (h, w), (high, wide) = image.shape[:2], probe.shape
    if abs(w * high / (h * wide) - 1) > SAME_SHAPE:
        return None
    small, _ = reduced(image, (wide, high))
    return small if small.ndim == 2 else np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)


def _quarters(probe: Image) -> list[Image]:
    h, w = probe.shape[0] // 2, probe.shape[1] // 2
    return [np.ascontiguousarray(probe[y : y + h, x : x + w]) for y in (0, h) for x in (0, w)]


def _nothing_alike(before: Image, probe: Image) -> bool:
    """Shows no block of the picture what it showed? Plain ones, which noise alone fills, do not say."""
    alike = []
    for then, now in zip(_blocks(edges(before)), _blocks(edges(probe)), strict=True):
        if then.std() >= PLAIN_BELOW:
            alike.append(_likeness(then, now))
    return len(alike) >= LEAST_BLOCKS and max(alike) < ALIKE


def _likeness(then: Floats, now: Floats) -> float:
    """How the two pictures correlate, -1 to 1; 0 where one of them is plain."""
    spread = float(now.std() * then.std())
    return float(((then - then.mean()) * (now - now.mean())).mean()) / spread if spread > 0 else 0.0


def _blocks(picture: Floats) -> list[Floats]:
    across, down = BLOCKS_WH
    h, w = picture.shape[0] // down, picture.shape[1] // across
    return [picture[y * h : (y + 1) * h, x * w : (x + 1) * w] for y in range(down) for x in range(across)]


def _windowed(probe: Image) -> Floats:
    """Edges, faded out towards the picture's rim, which is no movement."""
    window = cv2.createHanningWindow((probe.shape[1], probe.shape[0]), cv2.CV_32F)
    return np.asarray(edges(probe) * window, np.float32)
