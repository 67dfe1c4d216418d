"""A video file as a camera."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import av.error
import numpy as np

from hardware.camera.source import CameraError, FrameSource
from vision.frame import Frame, Image

DEFAULT_FPS = 25.0
"""Assumed where the container does not say."""

MISSED_SHARE = 0.02
"""Where more of the frames that a container claims cannot be read, that is said; its count may be off by a few."""


class VideoCamera(FrameSource):
    """Every frame of a video, upright, timed as the film times it; ends with the file.

    A damaged frame is a CameraError with its number, and the next `read` goes on after it. Interlaced films are
    de-interlaced. Where the film is shorter than its container claims, the last `read` but one says so.
    """

    live = False
    stills = False

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._container = av.open(str(path))
        except (av.error.FFmpegError, OSError):
            raise CameraError(f"{path}: not a video this machine can open") from None
        if not self._container.streams.video:
            self._container.close()
            raise CameraError(f"{path}: no picture in it, only sound or text")
        self._stream = self._container.streams.video[0]
        # Threads over whole frames would tell of a damaged one frames later.
        self._stream.thread_type = "SLICE"
        rate = float(self._stream.average_rate or 0)
        self._fps = rate if 0.1 <= rate <= 1000.0 else DEFAULT_FPS
        self._claimed = int(self._stream.frames)
        self._count = self._damaged = self._packets = 0
        self._first_at: float | None = None
        self._latest_at = float("-inf")
        self._deinterlacer: Any = None
        self._frames = self._decoded()
        self._ended = False

    def read(self) -> Frame | None:
        if self._ended:
            return None
        found = next(self._frames, None)
        if isinstance(found, Frame):
            self._count += 1
            return found
        if isinstance(found, CameraError):
            self._damaged += 1
            raise found
        self._ended = True
        if self._count == 0:
            raise CameraError(f"{self._path}: no frame in this video can be read")
        missed = self._claimed - self._count
        if missed > max(1, self._damaged, MISSED_SHARE * self._claimed):
            raise CameraError(f"{self._path}: {self._count} of {self._claimed} frames could be read; it may be cut off")
        return None

    def close(self) -> None:
        self._container.close()

    def _decoded(self) -> Iterator[Frame | CameraError]:
        """Frames, and one error for each run of damaged ones."""
        bad = False
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets, None)
                self._packets += 1
                pictures = [] if packet is None else packet.decode()
            except (av.error.FFmpegError, OSError):
                if not bad:
                    yield self._damage()
                bad = True
                continue
            if packet is None:
                if self._deinterlacer is not None:
                    yield from (self._frame(whole) for whole in self._whole(None))
                return
            for picture in pictures:
                if picture.is_corrupt and self._count:
                    # The decoder only guesses here: no tile is read in it.
                    if not bad:
                        yield self._damage()
                    bad = True
                    continue
                bad = False
                for whole in self._whole(picture):
                    yield self._frame(whole)

    def _damage(self) -> CameraError:
        return CameraError(f"{self._path}: frame {self._packets} is damaged and was passed over")

    def _whole(self, picture: Any) -> Iterator[Any]:
        """Full pictures: of an interlaced one its two halves, put together. None: whatever is still held back."""
        if self._deinterlacer is None and not picture.interlaced_frame:
            yield picture
            return
        if self._deinterlacer is None:
            graph = av.filter.Graph()
            graph.link_nodes(
                graph.add_buffer(template=self._stream, time_base=self._stream.time_base or Fraction(1, 1000)),
                graph.add("yadif", "mode=send_frame:deint=all"),
                graph.add("buffersink"),
            ).configure()
            self._deinterlacer = graph
        self._deinterlacer.push(picture)
        while True:
            try:
                yield self._deinterlacer.pull()
            except (av.error.BlockingIOError, av.error.EOFError):
                return

    def _frame(self, picture: Any) -> Frame:
        image = upright(picture.to_ndarray(format="bgr24"), picture.rotation)
        at = picture.time if picture.time is not None else self._count / self._fps
        self._first_at = at if self._first_at is None else self._first_at
        # Times begin at nothing and never run backwards, whatever the container holds.
        self._latest_at = max(at - self._first_at, self._latest_at)
        return Frame(image=image, at=self._latest_at, name=f"{self._path.stem}-{self._count:06d}")


def upright(image: Image, turned_deg: float) -> Image:
    """The picture as players show it: a phone writes how it was held beside the film, and not into it."""
    quarters = round(turned_deg / 90) % 4
    return np.ascontiguousarray(np.rot90(image, quarters)) if quarters else image
