"""Where frames come from: one small interface, and every source behind it. Start reading at source.py."""

from hardware.camera.opening import open_camera
from hardware.camera.source import Camera, CameraError, CameraSettings, Fault

__all__ = ["Camera", "CameraError", "CameraSettings", "Fault", "open_camera"]
