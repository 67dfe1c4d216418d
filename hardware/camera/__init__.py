"""Where frames come from: one small interface, and every source behind it. Start reading at source.py."""

from hardware.camera.source import Camera, CameraError, CameraSettings, open_camera

__all__ = ["Camera", "CameraError", "CameraSettings", "open_camera"]
