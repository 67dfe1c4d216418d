"""Folders and videos as cameras, and what a source that is not there says."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from hardware.camera import Camera, CameraError, open_camera


def picture(path: Path, grey: int, size_wh: tuple[int, int] = (40, 30)) -> None:
    Image.new("RGB", size_wh, (grey, grey, grey)).save(path)


def test_a_folder_is_read_in_name_order_with_numbers_as_numbers(tmp_path: Path) -> None:
    for name, grey in (("10.png", 30), ("2.png", 20), ("1.png", 10), ("notes.txt", 0), (".hidden.png", 0)):
        if name.endswith("png"):
            picture(tmp_path / name, grey)
        else:
            (tmp_path / name).write_text("no picture")
    with open_camera(str(tmp_path)) as camera:
        assert isinstance(camera, Camera)
        assert camera.stills and not camera.live
        frames = list(camera)
    assert [frame.name for frame in frames] == ["1.png", "2.png", "10.png"]
    assert [int(frame.image[0, 0, 0]) for frame in frames] == [10, 20, 30]
    assert [frame.at for frame in frames] == [0.0, 1.0, 2.0]


def test_a_folder_that_has_ended_stays_ended(tmp_path: Path) -> None:
    picture(tmp_path / "a.png", 1)
    camera = open_camera(str(tmp_path))
    assert camera.read() is not None
    assert camera.read() is None
    assert camera.read() is None


def test_a_picture_is_turned_as_its_exif_says_and_stored_as_bgr(tmp_path: Path) -> None:
    red = Image.new("RGB", (40, 30), (250, 0, 0))
    exif = red.getexif()
    exif[0x0112] = 6
    red.save(tmp_path / "turned.png", exif=exif)
    frame = open_camera(str(tmp_path / "turned.png")).read()
    assert frame is not None
    assert frame.size_wh == (30, 40)
    assert frame.image[0, 0].tolist() == [0, 0, 250]


def test_an_empty_folder_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(CameraError, match="no images in folder") as refused:
        open_camera(str(tmp_path))
    assert "\n" not in str(refused.value)


def test_a_broken_picture_is_named_and_the_next_one_still_comes(tmp_path: Path) -> None:
    (tmp_path / "1.jpg").write_bytes(b"\xff\xd8\xff\xe0 not a picture at all")
    picture(tmp_path / "2.png", 7)
    camera = open_camera(str(tmp_path))
    with pytest.raises(CameraError, match=r"1\.jpg"):
        camera.read()
    frame = camera.read()
    assert frame is not None and frame.name == "2.png"


def test_a_decompression_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    Image.new("1", (30000, 30000)).save(tmp_path / "bomb.png")
    with pytest.raises(CameraError, match="too large"):
        open_camera(str(tmp_path)).read()


def test_a_video_is_timed_by_its_own_frame_rate(tmp_path: Path) -> None:
    path = tmp_path / "game.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (64, 48))
    for grey in (0, 120, 240):
        writer.write(np.full((48, 64, 3), grey, np.uint8))
    writer.release()
    with open_camera(str(path)) as camera:
        assert not camera.stills and not camera.live
        frames = list(camera)
    assert [frame.at for frame in frames] == pytest.approx([0.0, 0.1, 0.2])
    assert [frame.name for frame in frames] == ["game-000000", "game-000001", "game-000002"]
    assert [round(float(frame.image.mean()) / 120) for frame in frames] == [0, 1, 2]


def test_a_file_that_is_no_video_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.mp4"
    path.write_bytes(b"nothing of the kind" * 20)
    with pytest.raises(CameraError, match="not a video"):
        open_camera(str(path))


@pytest.mark.parametrize("source", ["usb:99", "/dev/v4l/by-id/nobody"])
def test_a_missing_camera_says_what_works_without_one(source: str) -> None:
    with pytest.raises(CameraError) as refused:
        open_camera(source)
    message = str(refused.value)
    assert "read, score, judge, replay and demo work without a camera" in message
    assert "\n" not in message


@pytest.mark.parametrize("source", ["no-such.mp4", "pictures/last-night", "no-such-folder", "usb:x", "sim:", "sim:abc"])
def test_a_mistyped_source_gets_no_advice_about_cameras(source: str) -> None:
    with pytest.raises(CameraError) as refused:
        open_camera(source)
    message = str(refused.value)
    assert message.startswith(source)
    assert "work without a camera" not in message and "plugged" not in message
