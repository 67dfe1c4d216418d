"""A camera whose troubles are made from outside, and an eye with weak nerves; both live in the children under test.

The camera's source is `usb:FOLDER`; the file FOLDER/mode says how it behaves from the next picture on. A mode that
ends in `-once` is set back to `good` before it strikes, so that the next process finds a good camera.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from hardware.camera import Camera, CameraError, CameraSettings
from hardware.camera.source import FrameSource
from vision.frame import Frame, Image
from vision.reading import HalfReading, PictureReading, TileReading

WIDTH, HEIGHT = 320, 240

SLOW_S = 2.0
"""Processor time of a slow camera's picture."""


def set_mode(folder: Path, mode: str) -> None:
    fresh = folder / "mode.new"
    fresh.write_text(mode, encoding="ascii")
    fresh.replace(folder / "mode")


def table_picture(shift: int = 0) -> Image:
    """A table with things on it, (240, 320, 3), moved `shift` pixels to the right."""
    generator = np.random.default_rng(7)
    picture = np.full((HEIGHT, WIDTH + 80, 3), 110, np.uint8)
    for _ in range(60):
        x, y = int(generator.integers(0, WIDTH + 60)), int(generator.integers(0, HEIGHT - 20))
        picture[y : y + 9, x : x + 18] = generator.integers(20, 230, 3)
    return np.ascontiguousarray(picture[:, 40 - shift : 40 - shift + WIDTH])


class TroubledCamera(FrameSource):
    live = True

    def __init__(self, source: str) -> None:
        self._folder = Path(source.removeprefix("usb:"))
        self._noise = np.random.default_rng(os.getpid())
        self._count = 0
        if self._mode() == "unplugged":
            raise CameraError("camera is not there")

    def _mode(self) -> str:
        mode = (self._folder / "mode").read_text(encoding="ascii")
        if mode.endswith("-once"):
            set_mode(self._folder, "good")
        return mode.removesuffix("-once")

    def read(self) -> Frame | None:
        threading.Event().wait(0.02)
        picture = table_picture()
        match self._mode():
            case "hang":
                signal.pause()
            case "slow":
                until = time.process_time() + SLOW_S
                while time.process_time() < until:
                    pass
            case "crash":
                os.kill(os.getpid(), signal.SIGKILL)
            case "unplugged":
                raise CameraError("camera stopped: unplugged?")
            case "frozen":
                return self._frame(picture)
            case "black":
                return self._frame(self._noise.integers(0, 6, picture.shape, dtype=np.uint8))
            case "white":
                return self._frame(np.full_like(picture, 255))
            case "moved":
                picture = table_picture(shift=17)
        return self._frame(picture + self._noise.integers(0, 4, picture.shape, dtype=np.uint8))

    def _frame(self, picture: Image) -> Frame:
        self._count += 1
        return Frame(picture, time.monotonic(), f"frame-{self._count}", small=picture[::2, ::2].copy())


def open_troubled(source: str, settings: CameraSettings) -> Camera:
    return TroubledCamera(source)


class NervousEye:
    """Reads the picture's top left pixel: 13 hangs, 14 kills the process, 15 raises, 16 to 19 answer what cannot be;
    anything else is the answer."""

    def look(self, image: Image, *arguments: Any) -> PictureReading | None:
        match int(image[0, 0, 0]):
            case 13:
                signal.pause()
            case 14:
                os.kill(os.getpid(), signal.SIGKILL)
            case 15:
                raise ValueError("a picture nobody can read")
            case 16:
                return None
            case 17:
                return _one_tile(HalfReading(40, 0.9))
            case 18:
                return _one_tile(HalfReading(4, math.nan))
            case 19:
                return _one_tile(HalfReading(4, 0.9), math.inf)
        return PictureReading((image.shape[1], image.shape[0]), (), ms=float(image[0, 0, 0]))


def _one_tile(half: HalfReading, x: float = 0.0) -> PictureReading:
    quad = np.array([[x, 0], [0, 9], [9, 9], [9, 0]], np.float32)
    return PictureReading((40, 30), (TileReading(quad, "up", (half, HalfReading(None, 0.2)), 0.9),))


def open_nervous() -> NervousEye:
    return NervousEye()


def open_nothing() -> NervousEye:
    raise ValueError("pips.onnx: truncated")
