"""A webcam through OpenCV's V4L2 backend."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.flicker import PICTURES, USUAL_HZ, chosen_mains
from hardware.camera.mains import Control, country_here, follow_mains, mains_of_country, set_control
from hardware.camera.metering import Exposure, Meter
from hardware.camera.source import (
    HUNG_MEND,
    CameraError,
    CameraFault,
    CameraSettings,
    FrameSource,
    LiveMode,
    flicker_period_us,
    without_camera,
)
from hardware.camera.v4l2 import LEAST_PER_S, MOTION_JPEG, Mode, Offer, best_mode, offer_of, why_not
from vision.frame import Frame, Image

FALLBACK_WH = (1920, 1080)
"""Asked for where the driver does not say what it offers."""
V4L2_EXPOSURE_MANUAL = 1.0
"""V4L2_CID_EXPOSURE_AUTO: 1 is manual, 3 is aperture priority (the usual default)."""
V4L2_EXPOSURE_UNIT_US = 100
"""V4L2_CID_EXPOSURE_ABSOLUTE counts in units of 100 us."""
CONTROL_DELAY = 4
"""Frames until an exposure that was set shows."""
PAUSE_S = 0.05
"""Between a read that failed and the next one."""

Opener = Callable[[int | str], Any]


def open_v4l2(device: int | str) -> Any:
    return cv2.VideoCapture(device, cv2.CAP_V4L2 if sys.platform == "linux" else cv2.CAP_ANY)


class UsbCamera(FrameSource):
    """A V4L2 camera with exposure, focus and white balance locked after it has settled; from then on the exposure
    follows the light in steps (`metering.py`), where the driver lets it.

    `locked` maps each control, anti-flicker among them, to whether the driver accepted it: cheap webcams refuse some.
    `live_mode` says what it really does, and what is not as it was asked for.
    Reading fails where the camera was unplugged, and where its driver hangs the last frame comes for ever: each is a
    CameraError of its own. One read that fails and a picture that comes twice are neither.
    """

    live = True
    stills = False

    def __init__(
        self,
        device: int | str,
        settings: CameraSettings | None = None,
        *,
        opener: Opener = open_v4l2,
        control: Control = set_control,
        offer: Callable[[int | str], Offer | None] = offer_of,
        refusal: Callable[[int | str], CameraError] = why_not,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings or CameraSettings()
        self._device, self._refusal = device, refusal
        self._label = f"usb:{device}" if isinstance(device, int) else device
        self._clock = clock
        offered = offer(device)
        self._capture = opener(device)
        if not self._capture.isOpened():
            raise refusal(device)
        mode = self._ask_for(() if offered is None else offered.modes)
        self._last: NDArray[np.uint8] | None = None
        self._same_since = 0.0
        self._count = 0
        self._meter, self._exposure = Meter(), 0.0
        # Before the exposure settles: it must be a multiple of the lamps' period.
        self._mains_hz = self._settings.mains_hz or mains_of_country(country_here()) or USUAL_HZ
        flicker = follow_mains(device, self._mains_hz, control)
        locked, first, per_s = self._settle_and_lock()
        self.locked: dict[str, bool] = {**locked, "anti_flicker": flicker}
        note = self._measure_mains(control)
        notes = [*self._notes(mode, first, per_s), *([note] if note else [])]
        size_wh = mode.size_wh if first is None else (first.shape[1], first.shape[0])
        self.live_mode = LiveMode(size_wh, self._mains_hz, round(per_s, 1), notes=tuple(notes))

    def read(self) -> Frame | None:
        image = self._picture()
        self._refuse_frozen(image)
        frame = Frame(image=image, at=self._clock(), name=f"frame-{self._count:07d}")
        self._count += 1
        self._follow_the_light(image)
        return frame

    def _picture(self) -> NDArray[np.uint8]:
        """(h, w, 3) BGR, whatever the driver gives."""
        for failed in range(self._settings.failed_reads):
            ok, image = self._capture.read()
            if ok and image is not None:
                return as_bgr(image)
            if failed + 1 < self._settings.failed_reads:
                time.sleep(PAUSE_S)
        why = self._refusal(self._device)
        raise without_camera(f"camera {self._label} stopped delivering frames ({why.problem})", why.fault)

    def _ask_for(self, modes: tuple[Mode, ...]) -> Mode:
        """Ask the driver for a mode: the wanted size, or its largest that is fast enough."""
        wanted = self._settings.size_wh
        mode = best_mode(modes, wanted) or Mode(wanted or FALLBACK_WH, 0.0, MOTION_JPEG)
        # The format first: uncompressed pictures of this size do not fit through USB 2 at a useful rate.
        self._capture.set(cv2.CAP_PROP_FOURCC, float(cv2.VideoWriter.fourcc(*mode.pixels.ljust(4))))
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, float(mode.size_wh[0]))
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, float(mode.size_wh[1]))
        if mode.per_s:
            self._capture.set(cv2.CAP_PROP_FPS, mode.per_s)
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1.0)
        return mode

    def _notes(self, mode: Mode, first: NDArray[np.uint8] | None, per_s: float) -> list[str]:
        notes = []
        if first is not None:
            h, w = first.shape[:2]
            if self._settings.size_wh is not None and (w, h) != self._settings.size_wh:
                asked = "x".join(map(str, self._settings.size_wh))
                notes.append(f"asked for {asked}, the camera gives {w}x{h}; `companion cameras` lists its sizes")
            if np.array_equal(first[..., 0], first[..., 1]) and np.array_equal(first[..., 0], first[..., 2]):
                notes.append("the camera gives grey pictures: if it has two, this is the infrared one")
        if 0 < per_s < LEAST_PER_S:
            notes.append(f"the camera gives {per_s:.1f} pictures a second: a smaller --camera-size or more light helps")
        return notes

    def _measure_mains(self, control: Control) -> str:
        """Without a frequency that was asked for, look at the lamps; a note where they contradict the country."""
        before, usual = self._exposure, self._mains_hz
        self._mains_hz, note = chosen_mains(self._settings.mains_hz, self._film_exposed)
        if self._mains_hz != usual:
            follow_mains(self._device, self._mains_hz, control)
        if self._settings.mains_hz is None and before > 0:
            self._expose(Exposure(before * V4L2_EXPOSURE_UNIT_US).times(1.0, flicker_period_us(self._mains_hz)))
        return note

    def _film_exposed(self, exposure_us: int) -> list[Image] | None:
        if self._exposure <= 0 or not self._set(cv2.CAP_PROP_EXPOSURE, float(round(exposure_us / 100))):
            return None
        pictures = []
        for number in range(CONTROL_DELAY + PICTURES):
            ok, image = self._capture.read()
            self._settings.goes_on()
            if ok and image is not None and number >= CONTROL_DELAY:
                pictures.append(as_bgr(image)[::2, ::4])
        return pictures

    def _follow_the_light(self, image: NDArray[np.uint8]) -> None:
        factor = self._meter.see(image) if self._exposure > 0 else 1.0
        if factor != 1.0:
            now = Exposure(self._exposure * V4L2_EXPOSURE_UNIT_US)
            self._expose(now.times(factor, flicker_period_us(self._mains_hz)))

    def _expose(self, exposure: Exposure) -> None:
        wanted = max(1.0, float(round(exposure.time_us / V4L2_EXPOSURE_UNIT_US)))
        if self._set(cv2.CAP_PROP_EXPOSURE, wanted):
            self._exposure = wanted

    def close(self) -> None:
        self._capture.release()

    def _settle_and_lock(self) -> tuple[dict[str, bool], NDArray[np.uint8] | None, float]:
        """Let the automatics find the room's light, then hold what they found. Also the last picture, and how many
        came a second."""
        picture, began, fresh = None, 0.0, 0
        for number in range(self._settings.settle_frames):
            ok, image = self._capture.read()
            self._settings.goes_on()
            if number == 0:
                # The first one also waited for the camera to start.
                began = self._clock()
            elif ok and image is not None:
                fresh += picture is None or not np.array_equal(picture, image)
            if ok and image is not None:
                picture = image
        took_s = self._clock() - began
        exposure = self._capture.get(cv2.CAP_PROP_EXPOSURE)
        temperature = self._capture.get(cv2.CAP_PROP_WB_TEMPERATURE)
        focus = self._capture.get(cv2.CAP_PROP_FOCUS)
        locked = {"exposure": self._set(cv2.CAP_PROP_AUTO_EXPOSURE, V4L2_EXPOSURE_MANUAL)}
        if locked["exposure"] and exposure > 0 and self._set(cv2.CAP_PROP_EXPOSURE, exposure):
            self._exposure = exposure
        locked["white_balance"] = self._set(cv2.CAP_PROP_AUTO_WB, 0.0)
        if locked["white_balance"] and temperature > 0:
            self._set(cv2.CAP_PROP_WB_TEMPERATURE, temperature)
        locked["focus"] = self._set(cv2.CAP_PROP_AUTOFOCUS, 0.0)
        if locked["focus"] and focus > 0:
            self._set(cv2.CAP_PROP_FOCUS, focus)
        return locked, None if picture is None else as_bgr(picture), fresh / took_s if took_s > 0 else 0.0

    def _set(self, control: int, value: float) -> bool:
        return bool(self._capture.set(control, value))

    def _refuse_frozen(self, image: NDArray[np.uint8]) -> None:
        now = self._clock()
        if self._last is None or not np.array_equal(self._last, image):
            self._same_since = now
        self._last = image
        lasted_s = now - self._same_since
        if lasted_s >= self._settings.frozen_after_s:
            why = f"repeats one frame (for {lasted_s:.0f} s): its driver hangs"
            raise without_camera(f"camera {self._label} {why}; {HUNG_MEND}", CameraFault.CRASHED)


def as_bgr(image: NDArray[Any]) -> NDArray[np.uint8]:
    """(h, w), (h, w, 1) or (h, w, 3), of 8 or 16 bits a value -> (h, w, 3) uint8."""
    if image.dtype == np.uint16:
        image = image >> 8
    eight = np.asarray(image, np.uint8)
    if eight.ndim == 3 and eight.shape[2] == 3:
        return eight
    return np.asarray(cv2.cvtColor(eight.reshape(eight.shape[:2]), cv2.COLOR_GRAY2BGR), np.uint8)
