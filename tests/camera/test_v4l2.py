"""Questions to a driver, in the kernel's own structures, and the reasons why a camera gives no pictures."""

from __future__ import annotations

import errno
import os
import struct
from pathlib import Path

import pytest

from hardware.camera.listing import lasting_name, usb_listed
from hardware.camera.source import CameraFault
from hardware.camera.v4l2 import (
    ENUM_FMT,
    ENUM_FRAMEINTERVALS,
    ENUM_FRAMESIZES,
    QUERYCAP,
    REQBUFS,
    Mode,
    Offer,
    best_mode,
    offer_of,
    users_of,
    why_not,
)

WEBCAM_4K = (
    (b"MJPG", (3840, 2160), (30,)),
    (b"MJPG", (1920, 1080), (60, 30)),
    (b"YUYV", (3840, 2160), (1,)),
    (b"YUYV", (640, 480), (30, 15, 5)),
)


class Driver:
    """Answers as the kernel does: structures filled in, EINVAL after the last entry."""

    def __init__(self, modes: tuple[tuple[bytes, tuple[int, int], tuple[int, ...]], ...], able: int = 1) -> None:
        self.modes, self.able = modes, able
        self.refuses: dict[int, int] = {}

    def __call__(self, _handle: int, request: int, data: bytes) -> bytes:
        if request in self.refuses:
            raise OSError(self.refuses[request], os.strerror(self.refuses[request]))
        if request == QUERYCAP:
            return struct.pack(
                "=16s32s32sIII12x", b"uvcvideo", b"Desk View 4K", b"usb-1", 6, self.able | 1 << 31, self.able
            )
        if request == REQBUFS:
            return data
        index = struct.unpack("=I", data[:4])[0]
        formats = list(dict.fromkeys(code for code, _size, _rates in self.modes))
        if request == ENUM_FMT:
            return struct.pack("=III32s4s16x", index, 1, 0, b"", self._nth(formats, index))
        code = data[4:8]
        if request == ENUM_FRAMESIZES:
            w, h = self._nth([size for one, size, _rates in self.modes if one == code], index)
            return struct.pack("=I4sIII16x8x", index, code, 1, w, h)
        if request == ENUM_FRAMEINTERVALS:
            wh = struct.unpack("=II", data[8:16])
            [rates] = [rates for one, size, rates in self.modes if one == code and size == wh]
            return struct.pack("=I4sIIIII16x8x", index, code, *wh, 1, 1, self._nth(list(rates), index))
        raise AssertionError(hex(request))

    def _nth(self, of: list, index: int):  # type: ignore[no-untyped-def, type-arg]
        if index >= len(of):
            raise OSError(errno.EINVAL, "no more")
        return of[index]


@pytest.fixture
def node(tmp_path: Path) -> Path:
    path = tmp_path / "video0"
    path.write_bytes(b"")
    return path


def test_a_4k_webcam_is_used_at_its_full_size(node: Path) -> None:
    offer = offer_of(str(node), Driver(WEBCAM_4K))
    assert offer is not None and offer.name == "Desk View 4K" and len(offer.modes) == 7
    assert best_mode(offer.modes) == Mode((3840, 2160), 30.0, "MJPG"), "YUYV gives that size once a second"


def test_of_one_size_the_slowest_rate_that_is_quick_enough_is_taken() -> None:
    modes = tuple(Mode((1920, 1080), rate, "MJPG") for rate in (60.0, 30.0, 15.0, 5.0))
    assert best_mode(modes) == Mode((1920, 1080), 15.0, "MJPG")


def test_a_larger_picture_that_comes_too_seldom_is_not_taken() -> None:
    modes = (Mode((4000, 3000), 2.0, "MJPG"), Mode((1280, 720), 30.0, "MJPG"))
    assert best_mode(modes) == modes[1]
    assert best_mode(modes, (4000, 3000)) == modes[0], "unless somebody asks for it"
    assert best_mode(modes, (640, 480)) is None
    assert best_mode(()) is None


def test_the_infrared_twin_is_not_taken_for_its_size() -> None:
    modes = (Mode((1920, 1080), 30.0, "GREY"), Mode((1280, 720), 30.0, "YUYV"), Mode((9999, 9999), 30.0, "H264"))
    assert best_mode(modes) == modes[1]


@pytest.mark.parametrize(
    ("request_number", "number", "fault", "words"),
    [
        (REQBUFS, errno.EBUSY, CameraFault.BUSY, "in use by another program"),
        (REQBUFS, errno.ENOMEM, CameraFault.MEMORY, "no memory for pictures"),
        (QUERYCAP, errno.ENODEV, CameraFault.UNPLUGGED, "unplugged while"),
        (QUERYCAP, errno.ENOTTY, CameraFault.FORMAT, "no camera that gives pictures"),
        (QUERYCAP, errno.EIO, CameraFault.CRASHED, "its driver refuses"),
    ],
)
def test_each_refusal_of_a_driver_has_its_own_words(
    node: Path, tmp_path: Path, request_number: int, number: int, fault: CameraFault, words: str
) -> None:
    driver = Driver(WEBCAM_4K)
    driver.refuses = {request_number: number}
    error = why_not(str(node), driver, tmp_path)
    assert error.fault is fault and words in str(error)
    assert ("plug it in again" in str(error)) is (fault is CameraFault.UNPLUGGED)


def test_a_node_for_metadata_is_no_camera(node: Path, tmp_path: Path) -> None:
    error = why_not(str(node), Driver(WEBCAM_4K, able=0x00800000), tmp_path)
    assert error.fault is CameraFault.FORMAT and "companion cameras" in str(error)


def test_who_holds_the_camera_is_named(node: Path, tmp_path: Path) -> None:
    process = tmp_path / "proc/4711"
    (process / "fd").mkdir(parents=True)
    (process / "comm").write_text("zoom\n", encoding="utf-8")
    (process / "fd/7").symlink_to(node)
    assert users_of(node, tmp_path / "proc") == ["zoom (process 4711)"]
    error = why_not(str(node), Driver(WEBCAM_4K), tmp_path / "proc")
    assert error.fault is CameraFault.BUSY and "zoom (process 4711)" in str(error) and "plug" not in str(error)


def test_a_camera_that_is_not_there_and_one_that_may_not_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert why_not(str(tmp_path / "none")).fault is CameraFault.UNPLUGGED

    def forbidden(*_arguments: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", forbidden)
    error = why_not(str(tmp_path / "none"))
    assert error.fault is CameraFault.FORBIDDEN and "usermod --append --groups video" in str(error)


def plug_in(root: Path, number: int, name: str, links: dict[str, str]) -> None:
    """A USB camera in a made-up /sys and /dev."""
    device = root / f"sys/devices/pci/usb1/1-{number}"
    device.mkdir(parents=True)
    node = root / f"sys/class/video4linux/video{number}"
    node.mkdir(parents=True)
    (node / "device").symlink_to(device)
    (node / "name").write_text(name + "\n", encoding="utf-8")
    (node / "index").write_text("0\n", encoding="ascii")
    (root / "dev").mkdir(exist_ok=True)
    (root / f"dev/video{number}").write_bytes(b"")
    for folder, link in links.items():
        place = root / "dev/v4l" / folder / link
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(root / f"dev/video{number}")


def test_two_cameras_of_one_make_are_told_apart_by_their_plugs(tmp_path: Path) -> None:
    plug_in(tmp_path, 0, "HD Webcam", {"by-id": "usb-HD_Webcam-video-index0", "by-path": "usb-0:1-video-index0"})
    plug_in(tmp_path, 2, "HD Webcam", {"by-id": "usb-HD_Webcam-video-index0", "by-path": "usb-0:2-video-index0"})
    offer = Offer("HD Webcam", (Mode((1280, 720), 30.0, "MJPG"),))
    found = usb_listed(tmp_path, lambda _device: offer, tmp_path / "proc")
    assert [one.source for one in found] == [
        "/dev/v4l/by-path/usb-0:1-video-index0",
        "/dev/v4l/by-id/usb-HD_Webcam-video-index0",
    ]
    assert found[0].words == "1280x720, 30 pictures a second, MJPG" and found[0].sizes == ((1280, 720),)


def test_without_lasting_names_the_node_is_named(tmp_path: Path) -> None:
    plug_in(tmp_path, 4, "Old Cam", {})
    assert lasting_name(tmp_path / "dev/video4", tmp_path) == "/dev/video4"
    [one] = usb_listed(tmp_path, lambda _device: None, tmp_path / "proc")
    assert one.size_wh is None and "does not say" in one.words
