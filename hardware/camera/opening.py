"""Opens a camera by name: `picamera`, `usb:N`, `/dev/v4l/by-id/...`, a video, a folder of images, `sim:SEED`."""

from __future__ import annotations

from pathlib import Path

from hardware.camera.devices import open_device
from hardware.camera.source import Camera, CameraError, CameraSettings, without_camera


def open_camera(source: str, settings: CameraSettings | None = None, *, guarded: bool = True) -> Camera:
    """Open what `source` names. Raises CameraError in one line when it is not there or makes no sense.

    Live devices run in a process of their own (`guarded`), because their drivers may block for ever.
    """
    settings = settings or CameraSettings()
    if source.startswith("sim:"):
        return _open_simulated(source.removeprefix("sim:"))
    if source == "picamera" or source.startswith(("usb:", "/dev/")):
        _refuse_nonsense(source)
        if guarded:
            from hardware.camera.guard import GuardedCamera

            return GuardedCamera(source, settings)
        return open_device(source, settings)
    path = Path(source).expanduser()
    if path.is_dir():
        from hardware.camera.folder import FolderCamera

        return FolderCamera(path)
    if path.is_file():
        return _open_file(path)
    if path.suffix or len(path.parts) > 1:
        raise CameraError(f"{source}: there is no such file or folder")
    raise CameraError(
        f"{source}: expected picamera, usb:N, /dev/v4l/by-id/..., sim:SEED, or a video file or a folder of images "
        "that is there"
    )


def _refuse_nonsense(source: str) -> None:
    if source.startswith("usb:") and not source.removeprefix("usb:").isdecimal():
        raise CameraError(f"{source}: expected a number after usb:, for example usb:0")
    device = Path(f"/dev/video{source.removeprefix('usb:')}" if source.startswith("usb:") else source)
    if source != "picamera" and not device.exists():
        raise without_camera(f"camera {source} is not there ({device} does not exist); plug it in and try again")


def _open_simulated(seed: str) -> Camera:
    if not seed.isdecimal():
        raise CameraError(f"sim:{seed}: expected a whole number after sim:, for example sim:7")
    from datasets.simulator.camera import SimCamera

    return SimCamera(int(seed))


def _open_file(path: Path) -> Camera:
    from hardware.camera.folder import IMAGE_SUFFIXES, FolderCamera

    if path.suffix.lower() in IMAGE_SUFFIXES:
        return FolderCamera(path)
    from hardware.camera.video import VideoCamera

    return VideoCamera(path)
