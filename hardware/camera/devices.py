"""Live cameras, opened in the process that calls."""

from __future__ import annotations

from hardware.camera.address import is_address
from hardware.camera.source import Camera, CameraError, CameraSettings


def open_device(source: str, settings: CameraSettings) -> Camera:
    """Open a live device in this process."""
    if source == "picamera":
        from hardware.camera.picamera import PiCamera

        return PiCamera(settings)
    if is_address(source):
        try:
            from hardware.camera.network import NetworkCamera
        except ImportError as error:
            raise CameraError(f"cameras in the network need the package av ({error}): pip install av") from None
        return NetworkCamera(source, settings)
    from hardware.camera.usb import UsbCamera

    return UsbCamera(int(source.removeprefix("usb:")) if source.startswith("usb:") else source, settings)
