"""A webcam through OpenCV's V4L2 backend."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.mains import Control, follow_mains, set_control
from hardware.camera.metering import Exposure, Meter
from hardware.camera.source import CameraSettings, FrameSource, without_camera
from vision.frame import Frame

DEFAULT_SIZE_WH = (1920, 1080)
V4L2_EXPOSURE_MANUAL = 1.0
"""V4L2_CID_EXPOSURE_AUTO: 1 is manual, 3 is aperture priority (the usual default)."""
V4L2_EXPOSURE_UNIT_US = 100
"""V4L2_CID_EXPOSURE_ABSOLUTE counts in units of 100 us."""

Opener = Callable[[int | str], Any]


def open_v4l2(device: int | str) -> Any:
    return cv2.VideoCapture(device, cv2.CAP_V4L2)


class UsbCamera(FrameSource):
    """A V4L2 camera with exposure, focus and white balance locked after it has settled; from then on the exposure
    follows the light in steps (`metering.py`), where the driver lets it.

    `locked` maps each control, anti-flicker among them, to whether the driver accepted it: cheap webcams refuse some,
    and the page says so.
    An unplugged camera shows in one of two ways, both a CameraError: reading fails, or the last frame comes for ever.
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
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings or CameraSettings()
        self._label = f"usb:{device}" if isinstance(device, int) else device
        self._clock = clock
        self._capture = opener(device)
        if not self._capture.isOpened():
            raise without_camera(f"camera {self._label} cannot be opened: unplugged, or in use by another program")
        w, h = self._settings.size_wh or DEFAULT_SIZE_WH
        # Motion JPEG first: uncompressed 1080p does not fit through USB 2 at a useful rate.
        self._capture.set(cv2.CAP_PROP_FOURCC, float(cv2.VideoWriter.fourcc(*"MJPG")))
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, float(w))
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, float(h))
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1.0)
        self._last: NDArray[np.uint8] | None = None
        self._equal = 0
        self._count = 0
        self._meter, self._exposure = Meter(), 0.0
        # Before the exposure settles: it must be a multiple of the lamps' period.
        flicker = follow_mains(device, self._settings.mains_hz, control)
        self.locked: dict[str, bool] = {**self._settle_and_lock(), "anti_flicker": flicker}

    def read(self) -> Frame | None:
        ok, image = self._capture.read()
        if not ok or image is None:
            raise without_camera(f"camera {self._label} stopped delivering frames: unplugged?")
        self._refuse_frozen(image)
        frame = Frame(image=image, at=self._clock(), name=f"frame-{self._count:07d}")
        self._count += 1
        self._follow_the_light(image)
        return frame

    def _follow_the_light(self, image: NDArray[np.uint8]) -> None:
        factor = self._meter.see(image) if self._exposure > 0 else 1.0
        if factor != 1.0:
            period = self._settings.flicker_period_us
            then = Exposure(self._exposure * V4L2_EXPOSURE_UNIT_US).times(factor, period)
            wanted = max(1.0, float(round(then.time_us / V4L2_EXPOSURE_UNIT_US)))
            if self._set(cv2.CAP_PROP_EXPOSURE, wanted):
                self._exposure = wanted

    def close(self) -> None:
        self._capture.release()

    def _settle_and_lock(self) -> dict[str, bool]:
        """Let the automatics find the room's light, then hold what they found."""
        for _ in range(self._settings.settle_frames):
            self._capture.read()
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
        return locked

    def _set(self, control: int, value: float) -> bool:
        return bool(self._capture.set(control, value))

    def _refuse_frozen(self, image: NDArray[np.uint8]) -> None:
        same = self._last is not None and np.array_equal(self._last, image)
        self._equal = self._equal + 1 if same else 0
        self._last = image
        if self._equal >= self._settings.frozen_after:
            raise without_camera(
                f"camera {self._label} repeats one frame ({self._equal} times): its driver hangs, plug it in again"
            )
