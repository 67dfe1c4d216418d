"""The exposure of a locked camera follows the light, seldom and in small steps."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from hardware.camera import CameraSettings
from hardware.camera.metering import LEAST_MEAN, PATIENCE, Exposure, Meter
from hardware.camera.picamera import PiCamera
from hardware.camera.usb import UsbCamera
from tests.camera.test_devices import MODULE_3, QUICK, SETTLED, FakeCapture, RecordedPicamera2, refused


def table(light: float, tiles: bool = True) -> np.ndarray:
    """(120, 160, 3): a dark cloth with a few white tiles, in so much light; 1.0 burns nothing."""
    scene = np.full((120, 160, 3), 60.0)
    if tiles:
        scene[20:40, 20:60] = scene[80:100, 100:140] = 225.0
    return np.clip(scene * light, 0, 255).astype(np.uint8)


def factors(meter: Meter, image: np.ndarray, pictures: int) -> list[float]:
    return [factor for _ in range(pictures) if (factor := meter.see(image)) != 1.0]


def test_a_picture_that_burns_nothing_is_left_as_it_is() -> None:
    assert factors(Meter(), table(1.0), 200) == []


def test_burnt_tiles_are_exposed_less_only_once_they_have_been_burnt_for_a_while() -> None:
    meter = Meter()
    assert factors(meter, table(1.6), PATIENCE - 1) == []
    assert factors(meter, table(1.6), 1) == [0.8]
    assert factors(meter, table(1.6), PATIENCE - 1) == []


def test_a_flash_or_a_hand_that_passes_changes_nothing() -> None:
    meter = Meter()
    for _ in range(10):
        assert factors(meter, table(1.6), PATIENCE - 1) == []
        assert factors(meter, table(1.0), 1) == []


def test_a_lamp_in_a_dark_table_is_no_reason_to_make_all_else_black() -> None:
    image = table(0.9)
    image[50:70, 60:90] = 255
    assert float(image.mean()) * 0.8 > LEAST_MEAN
    assert factors(Meter(), image, PATIENCE) == [0.8]
    assert factors(Meter(), np.where(image == 255, 255, image // 2).astype(np.uint8), 5 * PATIENCE) == []


def test_in_the_evening_it_is_exposed_longer() -> None:
    assert factors(Meter(), table(0.3), PATIENCE) == [1.25]


@pytest.mark.slow
@pytest.mark.parametrize("light", [0.25, 1.0, 1.8, 2.4])
def test_whatever_the_light_tiles_come_to_be_seen_and_it_comes_to_rest(light: float) -> None:
    meter, exposure = Meter(), 1.0
    for _ in range(12 * PATIENCE):
        exposure *= meter.see(table(light * exposure))
    tile = int(table(light * exposure)[30, 40, 0])
    assert 115 <= tile < 250
    assert factors(meter, table(light * exposure), 4 * PATIENCE) == []


@pytest.mark.parametrize(
    ("before", "factor", "after"),
    [
        (Exposure(20_000, 2.0), 0.8, Exposure(30_000, 3.2 / 3)),
        (Exposure(20_000, 1.0), 0.8, Exposure(10_000, 1.6)),
        (Exposure(10_000, 1.0), 0.8, Exposure(8_000, 1.0)),
        (Exposure(8_000, 1.0), 1.25, Exposure(10_000, 1.0)),
        (Exposure(20_000, 1.0), 1.6, Exposure(30_000, 3.2 / 3)),
        (Exposure(40_000, 7.0), 1.25, Exposure(40_000, 8.0)),
    ],
)
def test_light_comes_from_time_first_in_whole_periods_of_the_lamps(
    before: Exposure, factor: float, after: Exposure
) -> None:
    then = before.times(factor, period_us=10_000)
    assert then.time_us == pytest.approx(after.time_us) and then.gain == pytest.approx(after.gain)


def in_the_light_of(capture: FakeCapture, light: float) -> Iterator[np.ndarray]:
    """Pictures of the table at the exposure last set, no two of them alike."""
    rng = np.random.default_rng(2)
    while True:
        seen = table(light * capture.values[cv2.CAP_PROP_EXPOSURE] / 157.0).astype(int)
        yield np.clip(seen + rng.integers(-2, 3, seen.shape), 0, 255).astype(np.uint8)


def webcam(light: float, refuses: tuple[int, ...] = ()) -> tuple[UsbCamera, FakeCapture]:
    capture = FakeCapture(iter(()), refuses)
    capture.frames = in_the_light_of(capture, light)
    return UsbCamera(0, QUICK, opener=lambda _: capture, control=refused), capture


@pytest.mark.slow
def test_a_webcam_that_settled_on_an_empty_dark_cloth_comes_to_see_white_tiles() -> None:
    camera, capture = webcam(2.0)
    for _ in range(10 * PATIENCE):
        frame = camera.read()
    assert frame is not None and int(frame.image[30, 40].max()) < 250
    assert 0 < capture.values[cv2.CAP_PROP_EXPOSURE] < 157


def test_a_webcam_whose_driver_will_not_be_told_is_left_alone() -> None:
    camera, capture = webcam(2.0, refuses=(cv2.CAP_PROP_AUTO_EXPOSURE,))
    for _ in range(4 * PATIENCE):
        assert camera.read() is not None
    assert capture.values[cv2.CAP_PROP_EXPOSURE] == 157.0


def test_the_pi_camera_does_without_gain_before_it_shortens_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    device = RecordedPicamera2(MODULE_3)
    camera = PiCamera(QUICK, opener=lambda: device)
    monkeypatch.setattr("hardware.camera.picamera.yuv420_to_bgr", lambda *_: table(2.0))
    for _ in range(PATIENCE):
        camera.read()
    assert camera.locked["ExposureTime"] == 10_000
    assert camera.locked["AnalogueGain"] == pytest.approx(9900 * 1.5 * 0.8 / 10_000)
    for _ in range(2 * PATIENCE):
        camera.read()
    assert device.controls_set()["ExposureTime"] == pytest.approx(9900 * 1.5 * 0.8**3, abs=2)
    assert device.controls_set()["AnalogueGain"] == 1.0
    assert device.controls_set()["AeEnable"] is False


def test_a_pi_camera_that_does_not_say_how_long_it_exposed_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    device = RecordedPicamera2(MODULE_3)
    device.metadata = iter([{**SETTLED, "ExposureTime": 0}] * QUICK.settle_frames)
    camera = PiCamera(QUICK, opener=lambda: device)
    monkeypatch.setattr("hardware.camera.picamera.yuv420_to_bgr", lambda *_: table(2.0))
    for _ in range(2 * PATIENCE):
        camera.read()
    assert device.controls_set()["ExposureTime"] == 0


def test_a_pi_camera_without_such_a_control_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    device = RecordedPicamera2(("AwbEnable", "ColourGains"))
    camera = PiCamera(CameraSettings(settle_frames=1, small_wh=(64, 48)), opener=lambda: device)
    monkeypatch.setattr("hardware.camera.picamera.yuv420_to_bgr", lambda *_: table(2.0))
    for _ in range(2 * PATIENCE):
        camera.read()
    assert "ExposureTime" not in device.controls_set()
