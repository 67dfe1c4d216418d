"""Is this a picture of a table, and is the camera well?

How a supervised camera is doing, as a value the page can show.

Where does the camera look now, compared with a picture from when it looked right?

Points of the room and the table that both pictures show are matched; hands and tiles that were laid since are the
minority that does not agree. Pure: pictures in, a transformation or nothing out.

Is this a picture of a table? Black, white, frozen or moved pictures are told from good ones before anybody reads
them.

Pure: the judge sees small pictures and their times, keeps counters, and never looks at a clock.

A film under the same eye as a live camera: what is too dark, black, white or filmed from elsewhere is not read.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.supervise.parts import UnreadReason
from hardware.camera import Camera, CameraError, CameraFault
from hardware.camera.source import FrameSource
from vision.frame import Frame, Image, reduced


class CameraState(StrEnum):
    """How a camera is."""

    sentence: str
    """For the page."""
    seeing: bool
    """It gives pictures, or is about to."""

    def __new__(cls, name: str, sentence: str, seeing: bool = False) -> CameraState:
        state = str.__new__(cls, name)
        state._value_, state.sentence, state.seeing = name, sentence, seeing
        return state

    OPENING = "opening", "the camera is starting", True
    LIVE = "live", "the camera is live", True
    LATE = "late", "the camera gives no picture just now"
    SILENT = "silent", "the camera gives no pictures; it is being restarted"
    GONE = "gone", "the camera is not there; plug it in again, it comes back by itself"
    FROZEN = "frozen", "the camera keeps showing the same picture; it is being restarted"
    BLACK = "black", "the picture is black: is the lens covered, is the light off?", True
    DARK = "dark", "it is too dark to read the table: switch on more light", True
    OVEREXPOSED = "overexposed", "the picture is white: is a lamp shining into the camera?", True
    MOVED = "moved", "the camera was moved: check the four corners", True
    ENDED = "ended", "the recording has ended", True
    SOFTWARE = "software", "the camera's software on this machine does not work"
    BUSY = "busy", "another program uses the camera; end that one, and the camera comes back by itself"
    FORBIDDEN = "forbidden", "the companion may not open the camera"
    MEMORY = "memory", "there is not enough memory for the camera's pictures"
    CRASHED = "crashed", "the camera's driver failed; it is being started again"
    FORMAT = "format", "the camera's pictures are of a kind that cannot be used"
    NETWORK = "network", "the camera cannot be reached over the network; it is being tried again"

    @classmethod
    def of(cls, fault: CameraFault) -> CameraState:
        """The state that the page shows for a camera's trouble."""
        return cls.GONE if fault is CameraFault.UNPLUGGED else cls[fault.name]


@dataclass(frozen=True, slots=True)
class Health:
    """How the camera is now."""

    state: CameraState
    since: float
    """On the monotonic clock."""
    detail: str = ""
    restarts: int = 0
    """How many camera processes had to be given up."""

    @property
    def ok(self) -> bool:
        return self.state in (CameraState.LIVE, CameraState.ENDED)

    @property
    def message(self) -> str:
        """One line for the page."""
        return f"{self.state.sentence} ({self.detail})" if self.detail else self.state.sentence


class AwayError(CameraError):
    """There is no picture to trust just now, and there may be one again: ask again. `health` says why."""

    def __init__(self, health: Health) -> None:
        super().__init__(health.message)
        self.health = health
        self.why = UnreadReason.OTHER if health.state.seeing else UnreadReason.AWAY


Matrix = NDArray[np.float64]


LEAST = 24
"""A transformation counts when so many points agree on it."""
LEAST_SHARE = 0.3
"""And when this share of the matched points agrees on it."""
REACH_PX = 2.5
"""Points agree within this distance."""
CERTAINTY = 0.25
"""The least of a mere shift of the whole picture, which is asked for where there are too few points."""


@dataclass(frozen=True, slots=True)
class ViewSettings:
    """How the view is compared with the one that is known."""

    width_px: int = 640
    """Pixels across of the picture that is compared."""
    points: int = 900
    """How many points are looked for in it."""


class KnownView:
    """One picture of the right view. `change` tells what has become of it."""

    def __init__(self, image: Image, settings: ViewSettings | None = None) -> None:
        """`image` (h, w, 3) or grey (h, w), uint8."""
        self._settings = settings or ViewSettings()
        self._size_wh = (image.shape[1], image.shape[0])
        self._scale = (1.0, 1.0)
        self._finder: Any = cv2.ORB.create(self._settings.points, 1.2, 5, 15, 0, 2, cv2.ORB_HARRIS_SCORE, 31, 8)
        self._grey = self._small(image)
        self._points, self._marks = self._finder.detectAndCompute(self._grey, None)

    def change(self, image: Image) -> Matrix | None:
        """(3, 3): where each pixel of the known picture lies in `image` of the same size; None: it cannot be told."""
        if (image.shape[1], image.shape[0]) != self._size_wh:
            return None
        grey = self._small(image)
        found = self._by_points(grey)
        if found is None:
            found = self._by_shift(grey)
        if found is None:
            return None
        grow = np.diag([*self._scale, 1.0])
        return np.asarray(grow @ found @ np.linalg.inv(grow), np.float64)

    def _small(self, image: Image) -> Image:
        w, h = self._size_wh
        width = min(w, self._settings.width_px)
        small, self._scale = reduced(image, (width, max(1, round(h * width / w))))
        return small if small.ndim == 2 else np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)

    def _by_points(self, grey: Image) -> Matrix | None:
        points, marks = self._finder.detectAndCompute(grey, None)
        if marks is None or self._marks is None:
            return None
        pairs = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(self._marks, marks)
        if len(pairs) < LEAST:
            return None
        here = np.array([self._points[pair.queryIdx].pt for pair in pairs], np.float64)
        there = np.array([points[pair.trainIdx].pt for pair in pairs], np.float64)
        # The same chance for the same picture: what comes of a recording must be repeatable.
        cv2.setRNGSeed(1)
        found: tuple[Any, Any] = cv2.findHomography(here, there, cv2.RANSAC, REACH_PX, maxIters=2000, confidence=0.999)
        if found[0] is None:
            return None
        matrix, agreed = np.asarray(found[0], np.float64), int(found[1].sum())
        if agreed < LEAST or agreed < LEAST_SHARE * len(pairs) or not _sensible(matrix, grey.shape):
            return None
        return matrix

    def _by_shift(self, grey: Image) -> Matrix | None:
        """For views with few points: a shift, where the two pictures clearly agree on one."""
        window = cv2.createHanningWindow((grey.shape[1], grey.shape[0]), cv2.CV_32F)
        (dx, dy), certainty = cv2.phaseCorrelate(edges(self._grey) * window, edges(grey) * window)
        if certainty < CERTAINTY:
            return None
        return np.array([[1, 0, dx], [0, 1, dy], [0, 0, 1]], np.float64)


def moved(matrix: Matrix, points_px: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """(n, 2) points of the known picture -> where they lie now."""
    found = cv2.perspectiveTransform(np.asarray(points_px, np.float64).reshape(-1, 1, 2), matrix)
    return np.asarray(found, np.float64).reshape(-1, 2)


def farthest(matrix: Matrix, size_wh: tuple[int, int]) -> float:
    """How far the corners of the picture's middle half have moved at most, in pixels."""
    w, h = size_wh
    corners = np.array([[w, h], [3 * w, h], [3 * w, 3 * h], [w, 3 * h]], np.float64) / 4
    return float(np.linalg.norm(moved(matrix, corners) - corners, axis=1).max())


def _sensible(matrix: Matrix, shape: tuple[int, ...]) -> bool:
    """A camera that was knocked still sees the same table: neither mirrored nor half or twice as large."""
    h, w = shape[0], shape[1]
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float64)
    now = moved(matrix, corners)
    area = float(cv2.contourArea(now.astype(np.float32), oriented=True))
    return cv2.isContourConvex(now.astype(np.float32)) and 0.5 < area / (w * h) < 2.0


def edges(grey: Image) -> NDArray[np.float32]:
    """(h, w) uint8 -> (h, w). Light taken out, so that a lamp is no movement."""
    smooth = cv2.GaussianBlur(grey, (0, 0), 1.2).astype(np.float32)
    rough = cv2.GaussianBlur(grey, (0, 0), 6.0).astype(np.float32)
    return np.asarray(np.clip(smooth - rough, -20, 20), np.float32)


Floats = NDArray[np.float32]

PROBE_WIDTH = 320
"""Pictures are judged at this width: enough for all four faults, a millisecond each."""

SAME_SHAPE = 0.02
"""Width to height of two pictures of one camera differ by less than this part; what is picked of them leaves a rim."""


BLACK_BELOW = 24
"""99 of 100 pixels are darker than this of 255, and no trace of the known view is left."""
DARK_BELOW = 60
"""So dark that a white tile is grey."""
DARK_SHARE = 0.36
"""Less than this share of the light in which the table was read is dark, too."""
DARK_SURELY_NOT = 90
"""A picture with this light is not dark, however light the table was when it was read."""
TURNED_QUARTERS = 2
"""The camera was turned where so many quarters have gone elsewhere: the picture's middle hardly shifts then."""
WHITE_FROM = 250
"""A pixel this bright is white."""
WHITE_SHARE = 0.6
"""Overexposed from this share of white pixels; a sheet of paper over a tenth of the table is no fault."""
MOVED_SHARE = 0.006
"""The camera was moved where the view has shifted by more than this share of its width."""
MOVED_CERTAINTY = 0.25
"""A shift found less surely than this (0 to 1) explains nothing: points are compared then."""
MOVED_FRAMES = 4
"""And has done so this many times running."""
STEADY_FRAMES = 2
"""How many good pictures pass after a fault before the next one is trusted."""
BLOCKS_WH = (5, 4)
PLAIN_BELOW = 4.0
ALIKE = 0.4
LEAST_BLOCKS = 6
STRANGE_S = 4.0


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """When a picture is at fault."""

    frozen_after_s: float = 2.0
    """Identical to the last bit for so long; a sensor's noise never repeats."""
    frozen_frames: int = 4
    """And at least so many times."""
    points_every: int = 4
    """Where no shift explains the picture (a hand, or a camera that was turned), points and quarters are compared once
    in so many pictures."""


class PictureJudge:
    """Sees each picture once, in order. With `live` False (recordings) every picture is taken as it is."""

    def __init__(
        self, settings: PictureLimits | None = None, *, live: bool = True, after: CameraState | None = None
    ) -> None:
        """`after`: the fault for which the camera was restarted; its first pictures have to prove themselves."""
        self._settings = settings or PictureLimits()
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

    def see(self, frame: Frame) -> CameraState | None:
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
        if self._same == 0 or self._fault is not CameraState.FROZEN:
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

    def _light(self, probe: Image) -> CameraState | None:
        light = float(np.percentile(probe, 99))
        if light < BLACK_BELOW:
            return CameraState.DARK if self._dimly_seen(probe) else CameraState.BLACK
        faded = self._light_then is not None and light < min(DARK_SHARE * self._light_then, DARK_SURELY_NOT)
        if light < DARK_BELOW or faded:
            return CameraState.DARK
        if float((probe >= WHITE_FROM).mean()) >= WHITE_SHARE:
            return CameraState.OVEREXPOSED
        return None

    def _dimly_seen(self, probe: Image) -> bool:
        """Is the known view still there, however faint? A covered lens shows noise alone."""
        before = None if self._remembered is None else _as_large(self._remembered, probe)
        return before is not None and _likeness(before.astype(np.float32), probe.astype(np.float32)) >= ALIKE

    def _frozen(self, probe: Image, at: float) -> CameraState | None:
        if self._last is not None and np.array_equal(probe, self._last):
            self._same += 1
        else:
            self._same, self._same_since = 0, at
        self._last = probe
        since = at if self._same_since is None else self._same_since
        frozen = self._same >= self._settings.frozen_frames and at - since >= self._settings.frozen_after_s
        return CameraState.FROZEN if frozen else None

    def _moved(self, probe: Image, at: float) -> CameraState | None:
        if self._remembered is None:
            return None
        now = _windowed(probe)
        if self._reference is None or now.shape != self._reference.shape:
            # The remembered picture is smaller than the camera's, which may come in another size by now.
            right = _as_large(self._remembered, probe)
            if right is None:
                return CameraState.MOVED
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
        return CameraState.MOVED if strange or max(self._shifted, self._turned) >= MOVED_FRAMES else None

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


NEVER_FROZEN = PictureLimits(frozen_after_s=float("inf"))
"""A film may stand still; nothing hangs behind it."""


class JudgedFilm(FrameSource):
    """Passes on the frames of a recording that can be trusted. Each new fault is an AwayError once; the frames that
    show it are left out."""

    live = False
    stills = False

    def __init__(self, film: Camera) -> None:
        self._film = film
        self._judge = PictureJudge(NEVER_FROZEN)
        self._fault: CameraState | None = None
        self._last: Frame | None = None

    def read(self) -> Frame | None:
        while (frame := self._film.read()) is not None:
            before, self._fault = self._fault, self._judge.see(frame)
            if self._fault is None:
                self._last = frame
                return frame
            if self._fault is not before:
                raise AwayError(Health(self._fault, time.monotonic(), frame.name))
        return None

    def looks_right(self) -> None:
        """The table was read in the latest frame: that is where the camera should look."""
        if self._last is not None:
            self.remember_view(self._last.image)

    def remember_view(self, image: Image | None) -> None:
        """The camera looks as in `image` now; None: do not watch for a shift from it."""
        if image is None:
            self._judge.forget_view()
        else:
            self._judge.remember_view(to_remember(image))

    def close(self) -> None:
        self._film.close()


def judged(camera: Camera, source: str) -> Camera:
    """A film file judged; every other source as it is: live ones are judged in their process, photographs may be taken
    from anywhere, and the simulated table is never dark."""
    is_film = not camera.live and not camera.stills and not source.startswith("sim:")
    return JudgedFilm(camera) if is_film else camera
