"""Live cameras against fakes of their drivers: what is asked for, what is locked, and how a failure shows."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import cv2
import numpy as np
import pytest

from hardware.camera import CameraError, CameraFault, CameraSettings
from hardware.camera.flicker import EXPOSURES_US, PICTURES
from hardware.camera.guard import GOES_ON, GuardedCamera
from hardware.camera.mains import set_control
from hardware.camera.picamera import PiCamera, open_picamera2, yuv420_to_bgr
from hardware.camera.source import Camera, FrameSource, LiveMode
from hardware.camera.usb import UsbCamera
from hardware.camera.v4l2 import Mode, Offer
from tests.camera import real_picamera2
from vision.frame import Frame

SIGNATURES = json.loads((Path(__file__).parent / "picamera2_signatures.json").read_text())["classes"]
QUICK = CameraSettings(settle_frames=3, small_wh=(64, 48), frozen_after_s=4.0, failed_reads=3, mains_hz=50)


class FakeCapture:
    """Stands for cv2.VideoCapture: frames from a script, a driver that refuses some controls."""

    def __init__(self, frames: Iterator[np.ndarray | None], refuses: tuple[int, ...] = (), opened: bool = True) -> None:
        self.frames, self.refuses, self.opened = frames, refuses, opened
        self.values: dict[int, float] = {cv2.CAP_PROP_EXPOSURE: 157.0, cv2.CAP_PROP_WB_TEMPERATURE: 4600.0}

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return self.opened

    def read(self) -> tuple[bool, np.ndarray | None]:
        frame = next(self.frames)
        return frame is not None, frame

    def set(self, control: int, value: float) -> bool:
        if control in self.refuses:
            return False
        self.values[control] = value
        return True

    def get(self, control: int) -> float:
        return self.values.get(control, 0.0)

    def release(self) -> None:
        self.opened = False


def refused(_device: int | str, _control: int, _value: int) -> bool:
    """A driver without the control that was asked for."""
    return False


def noise() -> Iterator[np.ndarray]:
    rng = np.random.default_rng(1)
    while True:
        yield rng.integers(0, 255, (48, 64, 3), np.uint8)


def test_a_webcam_settles_and_then_holds_exposure_focus_and_white_balance() -> None:
    capture = FakeCapture(noise())
    camera = UsbCamera(0, QUICK, opener=lambda _: capture, control=refused)
    assert camera.locked == {"exposure": True, "white_balance": True, "focus": True, "anti_flicker": False}
    assert capture.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 1.0
    assert capture.values[cv2.CAP_PROP_EXPOSURE] == 157.0
    assert capture.values[cv2.CAP_PROP_AUTO_WB] == 0.0
    assert capture.values[cv2.CAP_PROP_AUTOFOCUS] == 0.0
    frame = camera.read()
    assert frame is not None and frame.size_wh == (64, 48)


def test_a_webcam_says_which_controls_its_driver_refused() -> None:
    capture = FakeCapture(noise(), refuses=(cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_AUTO_EXPOSURE))
    camera = UsbCamera("/dev/v4l/by-id/cam", QUICK, opener=lambda _: capture, control=refused)
    assert camera.locked == {"exposure": False, "white_balance": True, "focus": False, "anti_flicker": False}


@pytest.mark.parametrize(("mains_hz", "menu"), [(50, 1), (60, 2)])
def test_a_webcam_is_told_the_mains_frequency_before_its_exposure_settles(mains_hz: int, menu: int) -> None:
    capture = FakeCapture(noise())
    told: list[tuple[int | str, int, int, bool]] = []

    def control(device: int | str, number: int, value: int) -> bool:
        told.append((device, number, value, cv2.CAP_PROP_AUTO_EXPOSURE in capture.values))
        return True

    camera = UsbCamera(2, replace(QUICK, mains_hz=mains_hz), opener=lambda _: capture, control=control)
    assert told == [(2, 0x00980918, menu, False)]
    assert camera.locked["anti_flicker"]


def test_a_device_without_that_control_is_no_error(tmp_path: Path) -> None:
    plain = tmp_path / "video0"
    plain.write_bytes(b"")
    assert not set_control(str(plain), 0x00980918, 1)
    assert not set_control(str(tmp_path / "none"), 0x00980918, 1)


def test_the_control_is_sent_as_the_kernel_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    sent: list[tuple[int, bytes]] = []
    monkeypatch.setattr(fcntl, "ioctl", lambda _handle, request, data: sent.append((request, data)))
    plain = tmp_path / "video0"
    plain.write_bytes(b"")
    assert set_control(str(plain), 0x00980918, 2)
    assert sent == [(0xC008561C, bytes.fromhex("1809980002000000"))]


def test_an_unplugged_webcam_that_fails_to_read_is_an_error() -> None:
    def frames() -> Iterator[np.ndarray | None]:
        source = noise()
        for _ in range(4):
            yield next(source)
        yield from itertools.repeat(None)

    camera = UsbCamera(0, QUICK, opener=lambda _: FakeCapture(frames()), offer=lambda _: None)
    assert camera.read() is not None
    with pytest.raises(CameraError, match="stopped delivering"):
        camera.read()


def test_one_read_that_fails_is_a_disturbance_and_no_end() -> None:
    def frames() -> Iterator[np.ndarray | None]:
        for number, frame in enumerate(noise()):
            if number % 5 == 4:
                yield None
            yield frame

    camera = UsbCamera(0, QUICK, opener=lambda _: FakeCapture(frames()), offer=lambda _: None)
    assert all(camera.read() is not None for _ in range(30))


def test_a_phone_that_repeats_each_picture_for_a_second_is_no_hang() -> None:
    seconds = itertools.count(step=1 / 30)
    frames = (frame for fresh in noise() for frame in [fresh] * 30)
    camera = UsbCamera(
        0, QUICK, opener=lambda _: FakeCapture(frames), offer=lambda _: None, clock=lambda: next(seconds)
    )
    assert all(camera.read() is not None for _ in range(120))


def test_a_4k_webcam_is_asked_for_its_full_size_unless_somebody_wants_another() -> None:
    modes = (Mode((3840, 2160), 30.0, "MJPG"), Mode((1280, 720), 30.0, "MJPG"))
    for wanted, expected in ((None, (3840, 2160)), ((1280, 720), (1280, 720))):
        capture = FakeCapture(noise())
        settings = replace(QUICK, size_wh=wanted)
        UsbCamera(0, settings, opener=lambda _, c=capture: c, offer=lambda _: Offer("4K", modes))  # type: ignore[misc]
        asked = (capture.values[cv2.CAP_PROP_FRAME_WIDTH], capture.values[cv2.CAP_PROP_FRAME_HEIGHT])
        assert asked == expected


def test_another_size_than_the_one_asked_for_is_said() -> None:
    settings = replace(QUICK, size_wh=(1920, 1080))
    camera = UsbCamera(0, settings, opener=lambda _: FakeCapture(noise()), offer=lambda _: None)
    assert camera.live_mode is not None and camera.live_mode.size_wh == (64, 48)
    [note] = camera.live_mode.notes
    assert note == "asked for 1920x1080, the camera gives 64x48; `companion cameras` lists its sizes"


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_grey_and_sixteen_bit_pictures_are_made_colour_pictures_and_said(kind: type) -> None:
    def frames() -> Iterator[np.ndarray]:
        for colour in noise():
            yield colour[..., 0].astype(kind) << (0 if kind is np.uint8 else 8)

    camera = UsbCamera(0, QUICK, opener=lambda _: FakeCapture(frames()), offer=lambda _: None)
    frame = camera.read()
    assert frame is not None and frame.image.shape == (48, 64, 3) and frame.image.dtype == np.uint8
    assert frame.image.mean() > 100
    assert camera.live_mode is not None and "infrared" in camera.live_mode.notes[0]


def test_a_camera_that_is_too_slow_says_so() -> None:
    seconds = itertools.count(step=1.0)
    camera = UsbCamera(
        0, QUICK, opener=lambda _: FakeCapture(noise()), offer=lambda _: None, clock=lambda: next(seconds)
    )
    assert camera.live_mode is not None and "pictures a second" in camera.live_mode.notes[0]


def test_an_unplugged_webcam_that_repeats_its_last_frame_is_an_error() -> None:
    still = np.zeros((48, 64, 3), np.uint8)
    seconds = itertools.count()
    camera = UsbCamera(
        0,
        QUICK,
        opener=lambda _: FakeCapture(itertools.repeat(still)),
        offer=lambda _: None,
        clock=lambda: float(next(seconds)),
    )
    with pytest.raises(CameraError, match="repeats one frame"):
        for _ in range(20):
            camera.read()


def test_a_webcam_that_cannot_be_opened_says_why() -> None:
    busy = CameraError("camera usb:0 is in use by zoom (process 4711): end it", CameraFault.BUSY)
    with pytest.raises(CameraError, match="in use by zoom") as caught:
        UsbCamera(0, QUICK, opener=lambda _: FakeCapture(noise(), opened=False), refusal=lambda _: busy)
    assert caught.value.fault is CameraFault.BUSY


class FakeRequest:
    """Stands for CompletedRequest; its methods refuse what the real signatures refuse."""

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        self.metadata = metadata

    def make_array(self, *args: Any, **kwargs: Any) -> np.ndarray:
        stream = _bind("CompletedRequest", "make_array", args, kwargs)["name"]
        if stream == "main":
            return np.full((96, 128, 3), 80, np.uint8)
        return np.full((48 * 3 // 2, 64), 128, np.uint8)

    def get_metadata(self, *args: Any, **kwargs: Any) -> Mapping[str, Any]:
        _bind("CompletedRequest", "get_metadata", args, kwargs)
        return self.metadata


class RecordedPicamera2:
    """A Picamera2 whose every call is checked against the recorded signatures of the real class, and noted."""

    sensor_resolution = (4056, 3040)

    def __init__(self, controls: tuple[str, ...]) -> None:
        self.camera_controls = dict.fromkeys(controls, (0, 1, 0))
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.metadata: Iterator[Mapping[str, Any]] = iter(())

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in SIGNATURES["Picamera2"]:
            raise AttributeError(f"Picamera2 has no {name}")

        def call(*args: Any, **kwargs: Any) -> Any:
            bound = _bind("Picamera2", name, args, kwargs)
            self.calls.append((name, bound))
            if name == "captured_request":
                return contextlib.nullcontext(FakeRequest(next(self.metadata, SETTLED)))
            return {"configuration": bound} if name == "create_still_configuration" else None

        return call

    def controls_set(self) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        for name, bound in self.calls:
            if name == "set_controls":
                merged |= bound["controls"]
        return merged


def _bind(cls: str, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    parameters = [
        inspect.Parameter(
            name.rstrip("="),
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=None if name.endswith("=") else inspect.Parameter.empty,
        )
        for name in SIGNATURES[cls][method]
    ]
    return dict(inspect.Signature(parameters).bind(*args, **kwargs).arguments)


SETTLED = {
    "ExposureTime": 9900,
    "AnalogueGain": 1.5,
    "ColourGains": (1.6, 1.9),
    "LensPosition": 1.02,
    "AfState": 2,
}
MODULE_3 = ("AeEnable", "AwbEnable", "ExposureTime", "AnalogueGain", "ColourGains", "AeFlickerMode", "AeFlickerPeriod")
AUTOFOCUS = ("AfMode", "AfTrigger", "LensPosition")


def test_the_pi_camera_delivers_the_full_picture_and_a_small_one_of_the_same_moment() -> None:
    device = RecordedPicamera2(MODULE_3 + AUTOFOCUS)
    frame = PiCamera(QUICK, opener=lambda: device).read()
    assert frame is not None and frame.small is not None
    assert frame.image.shape == (96, 128, 3)
    assert frame.small.shape == (48, 64, 3)
    configuration = dict(device.calls)["create_still_configuration"]
    assert configuration["main"] == {"size": (4056, 3040), "format": "RGB888"}
    assert configuration["lores"] == {"size": (64, 48), "format": "YUV420"}
    assert configuration["buffer_count"] == 2
    assert device.calls[-1] == ("captured_request", {"flush": True})


def test_the_pi_camera_locks_what_it_settled_on() -> None:
    device = RecordedPicamera2(MODULE_3 + AUTOFOCUS)
    device.metadata = iter([{"AfState": 1}, {"AfState": 1}, {"AfState": 2}])
    camera = PiCamera(QUICK, opener=lambda: device)
    assert camera.locked == {
        "AeEnable": False,
        "AwbEnable": False,
        "ExposureTime": 9900,
        "AnalogueGain": 1.5,
        "ColourGains": (1.6, 1.9),
        "AfMode": 0,
        "LensPosition": 1.02,
    }
    assert device.controls_set()["AeFlickerMode"] == 1
    assert device.controls_set()["AeFlickerPeriod"] == 10_000


def test_sixty_hertz_mains_set_the_other_flicker_period() -> None:
    device = RecordedPicamera2(MODULE_3)
    PiCamera(CameraSettings(mains_hz=60, settle_frames=1), opener=lambda: device)
    assert device.controls_set()["AeFlickerPeriod"] == 8333


def test_a_camera_without_autofocus_is_never_asked_to_focus() -> None:
    device = RecordedPicamera2(MODULE_3)
    camera = PiCamera(QUICK, opener=lambda: device)
    assert not set(device.controls_set()) & set(AUTOFOCUS)
    assert "LensPosition" not in camera.locked


def test_the_adapter_meets_the_real_class() -> None:
    try:
        module = real_picamera2.import_picamera2()
    except ImportError as missing:
        pytest.skip(f"{missing}; the adapter is held to the recorded signatures instead")
    assert real_picamera2.signatures() == SIGNATURES
    device = create_autospec(module.Picamera2, instance=True)
    device.sensor_resolution = (4608, 2592)
    device.camera_controls = dict.fromkeys(MODULE_3 + AUTOFOCUS)
    device.captured_request.side_effect = lambda *_, **__: contextlib.nullcontext(FakeRequest(SETTLED))
    with PiCamera(QUICK, opener=lambda: device) as camera:
        assert camera.read() is not None
    device.close.assert_called_once_with()


def test_without_picamera2_the_message_says_how_to_get_it() -> None:
    try:
        real_picamera2.import_picamera2()
    except ImportError:
        with pytest.raises(CameraError, match="python3-picamera2"):
            open_picamera2()
    else:
        pytest.skip("picamera2 is installed here")


def test_a_pi_camera_that_fails_to_start_is_given_back() -> None:
    device = RecordedPicamera2(MODULE_3)
    device.metadata = _raises(RuntimeError("Camera frontend has timed out"))
    with pytest.raises(CameraError, match="timed out"):
        PiCamera(QUICK, opener=lambda: device)
    assert [name for name, _ in device.calls][-2:] == ["stop", "close"]


def _raises(error: Exception) -> Iterator[Mapping[str, Any]]:
    raise error
    yield {}


def test_the_padding_of_the_small_stream_is_cut_off() -> None:
    padded = np.full((48 * 3 // 2, 128), 128, np.uint8)
    padded[:48, :64] = 200
    small = yuv420_to_bgr(padded, (64, 48))
    assert small.shape == (48, 64, 3)
    assert int(small.min()) > 180


class ScriptedCamera(FrameSource):
    """Answers, ends, fails, or hangs for ever, by its name."""

    live = True

    def __init__(self, script: str) -> None:
        self.script = script
        self.count = 0

    def read(self) -> Frame | None:
        self.count += 1
        if self.count == 1:
            return Frame(np.zeros((8, 8, 3), np.uint8), 0.0, "first")
        if self.script == "hangs":
            time.sleep(600)
        if self.script == "fails":
            raise CameraError("the cable is out")
        if self.script == "dies":
            raise SystemExit(3)
        return None


def open_scripted(source: str, settings: CameraSettings) -> Camera:
    if source == "missing":
        raise CameraError("no such camera")
    return ScriptedCamera(source)


def guarded(script: str) -> GuardedCamera:
    return GuardedCamera(script, CameraSettings(answer_within_s=0.3 if script == "hangs" else 20), opener=open_scripted)


class SlowChild:
    """The pipe to a child that needs 40 s for each step."""

    def __init__(self, steps: list[object]) -> None:
        self.steps = steps

    def poll(self, within_s: float) -> bool:
        return within_s >= 40 and bool(self.steps)

    def recv(self) -> object:
        return self.steps.pop(0)


def test_a_camera_that_opens_slowly_is_waited_for_while_it_goes_on() -> None:
    camera = GuardedCamera.__new__(GuardedCamera)
    opened = LiveMode((64, 48), 50)
    camera._ask = SlowChild([GOES_ON] * 9 + [opened])  # type: ignore[assignment]
    assert camera._answer(60) is opened


def test_a_device_tells_of_every_step_of_its_opening() -> None:
    steps: list[str] = []
    usb = replace(QUICK, mains_hz=None, goes_on=lambda: steps.append("usb"))
    UsbCamera(0, usb, opener=lambda _: FakeCapture(noise()), offer=lambda _: None, control=refused)
    pi = replace(QUICK, mains_hz=None, goes_on=lambda: steps.append("pi"))
    PiCamera(pi, opener=lambda: RecordedPicamera2(MODULE_3))
    assert min(steps.count("usb"), steps.count("pi")) >= QUICK.settle_frames + len(EXPOSURES_US) * PICTURES


@pytest.mark.slow
def test_a_camera_that_hangs_is_killed_and_named() -> None:
    camera = guarded("hangs")
    assert camera.read() is not None
    with pytest.raises(CameraError, match="did not answer"):
        camera.read()
    with pytest.raises(CameraError, match="was closed"):
        camera.read()


@pytest.mark.slow
def test_errors_and_the_end_pass_through_the_guard() -> None:
    with pytest.raises(CameraError, match="no such camera"):
        guarded("missing")
    with guarded("fails") as camera:
        assert camera.read() is not None
        with pytest.raises(CameraError, match="the cable is out"):
            camera.read()
    with guarded("ends") as camera:
        frame = camera.read()
        assert frame is not None and frame.name == "first"
        assert camera.read() is None


@pytest.mark.slow
def test_a_driver_that_dies_is_an_error() -> None:
    camera = guarded("dies")
    assert camera.read() is not None
    with pytest.raises(CameraError, match="driver process ended"):
        camera.read()
