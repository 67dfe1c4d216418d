"""A video file as a camera."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from hardware.camera.source import CameraError, FrameSource
from vision.frame import Frame

DEFAULT_FPS = 25.0
"""Assumed where the container does not say."""


class VideoCamera(FrameSource):
    """Every frame of a video, timed by its own frame rate; ends with the file."""

    live = False
    stills = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self._capture = cv2.VideoCapture(str(path))
        if not self._capture.isOpened():
            raise CameraError(f"{path}: not a video this machine can open")
        fps = float(self._capture.get(cv2.CAP_PROP_FPS))
        self._fps = fps if 0.1 <= fps <= 1000.0 else DEFAULT_FPS
        self._count = 0

    def read(self) -> Frame | None:
        ok, image = self._capture.read()
        if not ok or image is None:
            if self._count == 0:
                raise CameraError(f"{self._path}: no frame in this video can be read")
            return None
        frame = Frame(
            image=image.astype(np.uint8, copy=False),
            at=self._count / self._fps,
            name=f"{self._path.stem}-{self._count:06d}",
        )
        self._count += 1
        return frame

    def close(self) -> None:
        self._capture.release()
