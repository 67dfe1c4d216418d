"""`companion cameras`: what to type after --camera, how it would be filmed with, and a small picture of each."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import companion.cli.cameras as command
from companion.cli.cameras import cameras
from hardware.camera import CameraError, CameraFault, CameraSettings
from hardware.camera.listing import Listed
from hardware.camera.source import FrameSource, LiveMode
from vision.frame import Frame

DESK = Listed(
    "/dev/v4l/by-id/usb-Desk-video-index0", "Desk View", (3840, 2160), "3840x2160, 30 pictures a second, MJPG",
    sizes=((3840, 2160), (1280, 720)), users=("zoom (process 4711)",),
)  # fmt: skip


class StillCamera(FrameSource):
    live = True
    live_mode = LiveMode((1280, 720), 60, 30.0)

    def read(self) -> Frame:
        return Frame(np.full((720, 1280, 3), 90, np.uint8), 0.0, "frame-0")


@pytest.fixture(autouse=True)
def one_camera(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "ribbon_cameras", list)
    monkeypatch.setattr(command, "usb_listed", lambda: [DESK])


def test_each_camera_is_listed_with_its_lasting_name_its_mode_and_who_holds_it() -> None:
    result = CliRunner().invoke(cameras)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        DESK.source,
        "  Desk View: 3840x2160, 30 pictures a second, MJPG",
        "  in use by zoom (process 4711)",
        "  sizes: 3840x2160, 1280x720",
    ]
    [told] = [json.loads(line) for line in CliRunner().invoke(cameras, ["--json"]).stdout.splitlines()]
    assert told["source"] == DESK.source and told["size_wh"] == [3840, 2160]


def test_a_small_picture_of_each_shows_where_it_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[CameraSettings] = []

    def opened(_source: str, settings: CameraSettings) -> StillCamera:
        asked.append(settings)
        return StillCamera()

    monkeypatch.setattr("hardware.camera.open_camera", opened)
    arguments = ["--thumbnails", str(tmp_path / "small"), "--camera-size", "1280x720", "--mains", "60", "--json"]
    told = json.loads(CliRunner().invoke(cameras, arguments).stdout)
    assert told["words"] == "1280x720, 30 pictures a second, for lamps on 60 Hz"
    assert Path(told["thumbnail"]).stat().st_size > 0
    assert asked == [CameraSettings(size_wh=(1280, 720), mains_hz=60)]


def test_a_camera_that_gives_no_picture_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_source: str, _settings: CameraSettings) -> StillCamera:
        raise CameraError("camera is in use by zoom; read works", CameraFault.BUSY, "camera is in use by zoom")

    monkeypatch.setattr("hardware.camera.open_camera", refused)
    result = CliRunner().invoke(cameras, ["--thumbnails", str(tmp_path)])
    assert result.exit_code == 0 and result.stdout.splitlines()[-1] == "  camera is in use by zoom"


def test_without_a_camera_it_says_what_else_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "usb_listed", list)
    result = CliRunner().invoke(cameras)
    assert result.exit_code == 1 and "rtsp://" in result.stdout
    assert CliRunner().invoke(cameras, ["--json"]).stdout == ""
