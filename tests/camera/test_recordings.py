"""Folders and videos as cameras, and what a source that is not there says."""

from __future__ import annotations

import wave
from pathlib import Path
from tempfile import TemporaryDirectory

import av
import cv2
import numpy as np
import pytest
from PIL import Image

from hardware.camera import Camera, CameraError, open_camera
from hardware.camera.folder import FolderCamera
from hardware.camera.opening import is_live
from hardware.camera.video import upright
from tests.vision.test_pictures import save_picture


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
    Image.new("1", (14000, 14000)).save(tmp_path / "bomb.png")
    with pytest.raises(CameraError, match="more than 64 megapixels"):
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


def test_what_is_passed_over_in_a_folder_is_said(tmp_path: Path) -> None:
    picture(tmp_path / "1.png", 7)
    for name in ("a.txt", "b.txt", "film.mp4", "Thumbs"):
        (tmp_path / name).write_text("no picture", encoding="ascii")
    (tmp_path / "older").mkdir()
    (tmp_path / ".hidden").touch()
    camera = open_camera(str(tmp_path))
    assert isinstance(camera, FolderCamera)
    assert camera.skipped.endswith(
        "5 files are no pictures and were passed over (1 .mp4, 2 .txt, 1 folder, 1 without an ending)"
    )
    picture(tmp_path / "older/1.png", 7)
    alone = open_camera(str(tmp_path / "older"))
    assert isinstance(alone, FolderCamera) and alone.skipped == ""


@pytest.mark.parametrize("name", ["a.heic", "a.avif", "a.webp", "a.tif"])
def test_every_picture_format_is_a_picture_in_a_folder_too(tmp_path: Path, name: str) -> None:
    save_picture(tmp_path / name, (64, 48))
    frame = open_camera(str(tmp_path)).read()
    assert frame is not None and frame.size_wh == (64, 48)


def film(
    path: Path, frames: int, *, size_wh: tuple[int, int] = (160, 128), interlaced: bool = False, turned: int = 0
) -> None:
    """An H.264 film whose frames get brighter."""
    with av.open(str(path), "w") as container:
        options = {"crf": "10", **({"flags": "+ilme+ildct", "x264-params": "interlaced=1"} if interlaced else {})}
        stream = container.add_stream("libx264", rate=5, options=options)
        stream.width, stream.height, stream.pix_fmt = *size_wh, "yuv420p"
        if turned:
            stream.set_display_rotation(turned)
        for number in range(frames):
            image = np.full((size_wh[1], size_wh[0], 3), 40 + 10 * number, np.uint8)
            image[: size_wh[1] // 4] = 250
            frame = av.VideoFrame.from_ndarray(image, format="bgr24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def test_an_interlaced_film_is_read_and_not_black(tmp_path: Path) -> None:
    film(tmp_path / "tv.mp4", 10, interlaced=True)
    frames = list(open_camera(str(tmp_path / "tv.mp4")))
    assert len(frames) == 10
    assert all(frame.image[64:].mean() == pytest.approx(40 + 10 * n, abs=6) for n, frame in enumerate(frames))
    assert [frame.at for frame in frames] == pytest.approx([n / 5 for n in range(10)], abs=0.01)


def motion_jpeg(path: Path, frames: int) -> bytes:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 5.0, (160, 120))
    for number in range(frames):
        writer.write(np.full((120, 160, 3), (10 * number) % 250, np.uint8))
    writer.release()
    return path.read_bytes()


def read_on(path: Path) -> tuple[list[float], list[str]]:
    """How light each frame is, and what was said of those that could not be read."""
    camera, light, told = open_camera(str(path)), [], []
    while True:
        try:
            frame = camera.read()
        except CameraError as error:
            told.append(str(error))
            continue
        if frame is None:
            return light, told
        light.append(float(frame.image.mean()))


def test_a_damaged_frame_is_not_the_end_of_a_film(tmp_path: Path) -> None:
    path = tmp_path / "hole.avi"
    whole = motion_jpeg(path, 20)
    starts = [n for n in range(len(whole)) if whole[n : n + 2] == b"\xff\xd8"]
    hole = bytearray(whole)
    hole[starts[10] : starts[11] - 8] = bytes(starts[11] - 8 - starts[10])
    path.write_bytes(bytes(hole))
    light, told = read_on(path)
    assert len(light) == 19 and light[-1] == pytest.approx(190, abs=4)
    assert told == [f"{path}: frame 11 is damaged and was passed over"]


def test_a_film_that_was_cut_off_says_how_much_of_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "cut.avi"
    whole = motion_jpeg(path, 40)
    path.write_bytes(whole[: len(whole) // 2])
    light, told = read_on(path)
    assert 10 < len(light) < 25
    assert told[-1] == f"{path}: {len(light)} of 40 frames could be read; it may be cut off"


def test_a_film_that_a_phone_took_upright_is_upright(tmp_path: Path) -> None:
    image = np.zeros((4, 6, 3), np.uint8)
    image[0] = 200
    assert upright(image, 90).shape == (6, 4, 3) and upright(image, 90)[:, 0].min() == 200
    assert upright(image, 180)[-1].min() == 200
    assert upright(image, 0) is image


def test_a_sound_file_has_no_picture(tmp_path: Path) -> None:
    with wave.open(str(tmp_path / "voice.wav"), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(16000))
    with pytest.raises(CameraError, match="no picture in it"):
        open_camera(str(tmp_path / "voice.wav"))


def test_a_film_in_memory_is_a_recording_and_an_unplugged_camera_is_none() -> None:
    with TemporaryDirectory(dir="/dev/shm") as folder:
        assert not is_live(folder)
    assert is_live(folder) and is_live("/dev/v4l/by-id/usb-unplugged")
