"""Where frames come from: one small interface, and every source behind it. Start reading at source.py."""

from hardware.camera.opening import open_camera
from hardware.camera.source import Camera, CameraError, CameraFault, CameraSettings

__all__ = ["Camera", "CameraError", "CameraFault", "CameraSettings", "open_camera"]
