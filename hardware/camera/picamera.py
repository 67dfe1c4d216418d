"""The Raspberry Pi's own camera through picamera2, which is imported only when this class is used."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.flicker import PICTURES, USUAL_HZ, chosen_mains
from hardware.camera.mains import country_here, mains_of_country
from hardware.camera.metering import MOST_GAIN, Exposure, Meter
from hardware.camera.source import (
    CameraError,
    CameraFault,
    CameraSettings,
    FrameSource,
    LiveMode,
    flicker_period_us,
    kind_of,
    without_camera,
)
from hardware.camera.stack import StackError, import_picamera2
from vision.frame import Frame, Image

AF_MANUAL, AF_AUTO = 0, 1
AF_TRIGGER_START = 0
AF_SCANNING = 1
FLICKER_MANUAL = 1
"""libcamera's own numbers (AfModeEnum, AfTriggerEnum, AfStateEnum, AeFlickerModeEnum): plain integers are accepted."""

FOCUS_FRAMES = 60
"""Frames an autofocus run may take before it is taken as it is: two seconds at 30 frames a second."""

CONTROL_DELAY = 5
"""Frames until a control that was set shows."""

COLOUR_ORDER = "RGB888"
"""libcamera names formats by the word, not the bytes: RGB888 lies in memory as B, G, R."""


def open_picamera2() -> Any:
    """A Picamera2, or CameraError in one line: missing, hidden or broken (stack.py), or no camera on the ribbon."""
    try:
        Picamera2 = import_picamera2().Picamera2
    except StackError as error:
        raise without_camera(str(error), CameraFault.SOFTWARE) from None
    if not Picamera2.global_camera_info():
        raise without_camera("no Raspberry Pi camera found: check the ribbon cable and `rpicam-hello --list-cameras`")
    try:
        return Picamera2()
    except (RuntimeError, IndexError, OSError) as error:
        raise _trouble("cannot be opened", error) from None


def _trouble(what: str, error: Exception) -> CameraError:
    """picamera2 does not say who holds a camera that is busy."""
    kind = kind_of(error)
    who = (
        ": another program uses it, such as the companion's own service; end that one"
        if kind is CameraFault.BUSY
        else ""
    )
    return without_camera(f"the Raspberry Pi camera {what} ({error}){who}", kind)


class PiCamera(FrameSource):
    """Full-resolution main stream and a small second stream of the same moment (Frame.small).

    Anti-flicker runs from the start; after `settle_frames` exposure, white balance and focus are locked to what they
    settled on. Only controls the camera advertises are set: the HQ and AI cameras have no autofocus. From then on the
    exposure follows the light in steps (`metering.py`). `locked` holds the controls as they are locked.
    """

    live = True
    stills = False

    def __init__(
        self,
        settings: CameraSettings | None = None,
        *,
        opener: Callable[[], Any] = open_picamera2,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings or CameraSettings()
        self._clock = clock
        self._count = 0
        self._camera = opener()
        self._settings.goes_on()
        try:
            self._mains_hz = self._settings.mains_hz or mains_of_country(country_here()) or USUAL_HZ
            size_wh = self._start()
            self.locked: dict[str, Any] = self._settle_and_lock()
            self._meter = Meter()
            note = self._measure_mains()
        except Exception as error:
            with contextlib.suppress(Exception):
                self.close()
            raise _trouble("does not start", error) from error
        self.live_mode = LiveMode(size_wh, self._mains_hz, notes=(note,) if note else ())

    def read(self) -> Frame | None:
        try:
            # flush: a frame whose exposure began after this call, so a queued one from before the move is not read.
            with self._camera.captured_request(flush=True) as request:
                image = request.make_array("main")
                small = request.make_array("lores")
        except (RuntimeError, OSError, TimeoutError) as error:
            raise _trouble("stopped", error) from error
        frame = Frame(
            image=image,
            at=self._clock(),
            name=f"frame-{self._count:07d}",
            small=yuv420_to_bgr(small, self._settings.small_wh),
        )
        self._count += 1
        self._follow_the_light(frame)
        return frame

    def _follow_the_light(self, frame: Frame) -> None:
        if not self.locked.get("ExposureTime") or frame.small is None:
            return
        factor = self._meter.see(frame.small)
        if factor != 1.0:
            now = Exposure(float(self.locked["ExposureTime"]), float(self.locked.get("AnalogueGain", 1.0)))
            then = now.times(factor, flicker_period_us(self._mains_hz))
            wanted = {"ExposureTime": round(then.time_us), "AnalogueGain": then.gain}
            self.locked |= self._set({name: value for name, value in wanted.items() if name in self.locked})

    def close(self) -> None:
        self._camera.stop()
        self._camera.close()

    def _measure_mains(self) -> str:
        """Without a frequency that was asked for, look at the lamps; a note where they contradict the country."""
        before = self._mains_hz
        self._mains_hz, note = chosen_mains(self._settings.mains_hz, self._film_exposed)
        if self._mains_hz != before:
            self._set({"AeFlickerPeriod": flicker_period_us(self._mains_hz)})
        if self._settings.mains_hz is None and self.locked.get("ExposureTime"):
            now = Exposure(float(self.locked["ExposureTime"]), float(self.locked.get("AnalogueGain", 1.0)))
            then = now.times(1.0, flicker_period_us(self._mains_hz))
            self.locked |= self._set({"ExposureTime": round(then.time_us), "AnalogueGain": then.gain})
        return note

    def _film_exposed(self, exposure_us: int) -> list[Image] | None:
        """Small pictures, exposed for so long and as bright as they were."""
        if not self.locked.get("ExposureTime"):
            return None
        light = float(self.locked["ExposureTime"]) * float(self.locked.get("AnalogueGain", 1.0))
        gain = min(max(1.0, light / exposure_us), MOST_GAIN)
        self._set({"ExposureTime": exposure_us, "AnalogueGain": gain})
        pictures = []
        for number in range(CONTROL_DELAY + PICTURES):
            with self._camera.captured_request() as request:
                small = request.make_array("lores")
            self._settings.goes_on()
            if number >= CONTROL_DELAY:
                pictures.append(yuv420_to_bgr(small, self._settings.small_wh))
        return pictures

    def _start(self) -> tuple[int, int]:
        """(width, height) that is filmed."""
        camera, settings = self._camera, self._settings
        size_wh = settings.size_wh or camera.sensor_resolution
        camera.configure(
            camera.create_still_configuration(
                main={"size": size_wh, "format": COLOUR_ORDER},
                lores={"size": settings.small_wh, "format": "YUV420"},
                buffer_count=2,
            )
        )
        self._set({"AeFlickerMode": FLICKER_MANUAL, "AeFlickerPeriod": flicker_period_us(self._mains_hz)})
        camera.start()
        return int(size_wh[0]), int(size_wh[1])

    def _settle_and_lock(self) -> dict[str, Any]:
        self._focus_once()
        seen: Mapping[str, Any] = {}
        for _ in range(max(1, self._settings.settle_frames)):
            seen = self._metadata()
        wanted = {
            "AeEnable": False,
            "ExposureTime": seen.get("ExposureTime"),
            "AnalogueGain": seen.get("AnalogueGain"),
            "AwbEnable": False,
            "ColourGains": seen.get("ColourGains"),
            "AfMode": AF_MANUAL,
            "LensPosition": seen.get("LensPosition"),
        }
        return self._set({name: value for name, value in wanted.items() if value is not None})

    def _focus_once(self) -> None:
        if "AfMode" not in self._camera.camera_controls:
            return
        self._set({"AfMode": AF_AUTO, "AfTrigger": AF_TRIGGER_START})
        scanning = False
        for _ in range(FOCUS_FRAMES):
            state = self._metadata().get("AfState")
            if state != AF_SCANNING and scanning:
                return
            scanning = scanning or state == AF_SCANNING

    def _metadata(self) -> Mapping[str, Any]:
        with self._camera.captured_request() as request:
            metadata: Mapping[str, Any] = request.get_metadata()
        self._settings.goes_on()
        return metadata

    def _set(self, controls: Mapping[str, Any]) -> dict[str, Any]:
        """Set those of `controls` that the camera advertises; returns them."""
        known = {name: value for name, value in controls.items() if name in self._camera.camera_controls}
        if known:
            self._camera.set_controls(known)
        return known


def yuv420_to_bgr(planes: NDArray[np.uint8], size_wh: tuple[int, int]) -> NDArray[np.uint8]:
    """The second stream's planar YUV420 as (h, w, 3) BGR.

    `planes` is (h * 3 / 2, stride): libcamera may pad its rows, and the padding is cut off after conversion.
    """
    w, h = size_wh
    bgr = cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_I420)
    return np.ascontiguousarray(bgr[:h, :w])
