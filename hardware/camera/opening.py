"""Opens a camera by name: `picamera`, `usb:N`, `/dev/v4l/by-id/...`, `rtsp://`, `http://`, a video, a folder of images,
`sim:SEED`."""

from __future__ import annotations

import sys
from pathlib import Path

from hardware.camera.address import is_address, refuse_no_address, shown
from hardware.camera.devices import open_device
from hardware.camera.source import Camera, CameraError, CameraSettings, without_camera


def is_live(source: str) -> bool:
    """Does `source` name something that films now: a camera here, or an address? A file or a folder below /dev (as in
    /dev/shm) is a recording."""
    device = source.startswith("/dev/") and not (Path(source).is_file() or Path(source).is_dir())
    return device or source == "picamera" or source.startswith("usb:") or is_address(source)


def refuse_nonsense(source: str) -> None:
    """Raises CameraError in one line where `source` names no camera, no address and no recording that is there. No
    device is asked: a camera may be plugged in later."""
    if source.startswith("sim:"):
        seed = source.removeprefix("sim:")
        if not seed.isdecimal():
            raise CameraError(f"sim:{seed}: expected a whole number after sim:, for example sim:7")
    elif is_address(source):
        refuse_no_address(source)
    elif source.startswith("usb:"):
        if not source.removeprefix("usb:").isdecimal():
            raise CameraError(f"{source}: expected a number after usb:, for example usb:0")
    elif not is_live(source):
        path = Path(source).expanduser()
        if path.is_dir() or path.is_file():
            return
        if path.suffix or len(path.parts) > 1:
            raise CameraError(f"{shown(source)}: there is no such file or folder")
        raise CameraError(
            f"{shown(source)}: expected picamera, usb:N, /dev/v4l/by-id/..., rtsp://..., http://..., sim:SEED, or a "
            "video file or a folder of images that is there"
        )


def open_camera(source: str, settings: CameraSettings | None = None, *, guarded: bool = True) -> Camera:
    """Open what `source` names. Raises CameraError in one line when it is not there or makes no sense.

    Live devices run in a process of their own (`guarded`), because their drivers may block for ever.
    """
    settings = settings or CameraSettings()
    refuse_nonsense(source)
    if source.startswith("sim:"):
        from datasets.simulator.camera import SimCamera

        return SimCamera(int(source.removeprefix("sim:")))
    if is_live(source):
        _refuse_absent(source)
        if guarded:
            from hardware.camera.guard import GuardedCamera

            return GuardedCamera(source, settings)
        return open_device(source, settings)
    path = Path(source).expanduser()
    if path.is_dir():
        from hardware.camera.folder import FolderCamera

        return FolderCamera(path)
    return _open_file(path)


def _refuse_absent(source: str) -> None:
    if source == "picamera" or is_address(source) or (source.startswith("usb:") and sys.platform != "linux"):
        return  # elsewhere cameras have no files
    device = Path(f"/dev/video{source.removeprefix('usb:')}" if source.startswith("usb:") else source)
    if not device.exists():
        raise without_camera(f"camera {source} is not there ({device} does not exist); plug it in and try again")


def _open_file(path: Path) -> Camera:
    from vision.pictures import PICTURE_SUFFIXES, is_heif

    if path.suffix.lower() in PICTURE_SUFFIXES or is_heif(path):
        from hardware.camera.folder import FolderCamera

        return FolderCamera(path)
    try:
        from hardware.camera.video import VideoCamera
    except ImportError as error:
        raise CameraError(f"{path}: films need the package av ({error}): pip install av") from None
    return VideoCamera(path)
