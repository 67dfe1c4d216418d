"""A folder of photographs as a camera: one still table per picture, in name order."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from hardware.camera.source import CameraError, FrameSource, without_camera
from vision.frame import Frame
from vision.pictures import KINDS, PICTURE_SUFFIXES, PictureError, open_picture


class FolderCamera(FrameSource):
    """The images of a folder (or one image) in name order, numbers in names counted as numbers.

    Frames are one second apart on a made-up clock, so a folder replays the same on every machine. A picture that
    cannot be decoded raises CameraError with its name; the next `read` goes on with the one after it. `skipped` says
    which other files the folder holds.
    """

    live = False
    stills = True

    def __init__(self, path: Path) -> None:
        self.skipped = ""
        if path.is_dir():
            visible = [one for one in path.iterdir() if not one.name.startswith(".")]
            found = [one for one in visible if one.suffix.lower() in PICTURE_SUFFIXES]
            self._paths = sorted(found, key=_name_order)
            if not self._paths:
                raise without_camera(f"no images in folder {path}: expected {KINDS}")
            self.skipped = _skipped(path, [one for one in visible if one not in set(found)])
        else:
            self._paths = [path]
        self._next = 0

    def __len__(self) -> int:
        return len(self._paths)

    def read(self) -> Frame | None:
        if self._next >= len(self._paths):
            return None
        path = self._paths[self._next]
        self._next += 1
        try:
            image = open_picture(path)
        except PictureError as error:
            raise CameraError(f"{path}: {error}") from None
        return Frame(image=image, at=float(self._next - 1), name=path.name)


def _skipped(folder: Path, others: list[Path]) -> str:
    """`film: 3 files are no pictures and were passed over (2 .txt, 1 folder)`; "" for none."""
    if not others:
        return ""
    kinds = Counter("folder" if one.is_dir() else one.suffix.lower() or "without an ending" for one in others)
    told = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    many = "1 file is no picture and was" if len(others) == 1 else f"{len(others)} files are no pictures and were"
    return f"{folder}: {many} passed over ({told})"


def _name_order(path: Path) -> list[tuple[int, int | str]]:
    """`2.jpg` before `10.jpg`: runs of digits compare as numbers."""
    parts = re.split(r"(\d+)", path.name)
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in parts if part]
