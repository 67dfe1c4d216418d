"""A folder of photographs as a camera: one still table per picture, in name order."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from hardware.camera.source import CameraError, FrameSource, without_camera
from vision.frame import Frame

IMAGE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})

MAX_PIXELS = 80_000_000
"""Largest picture that is decoded. A small file can unpack to gigabytes; 50 MP phones exist."""


class FolderCamera(FrameSource):
    """The images of a folder (or one image) in name order, numbers in names counted as numbers.

    Frames are one second apart on a made-up clock, so a folder replays the same on every machine. A picture that
    cannot be decoded raises CameraError with its name; the next `read` goes on with the one after it.
    """

    live = False
    stills = True

    def __init__(self, path: Path) -> None:
        if path.is_dir():
            found = [p for p in path.iterdir() if p.suffix.lower() in IMAGE_SUFFIXES and not p.name.startswith(".")]
            self._paths = sorted(found, key=_name_order)
            if not self._paths:
                raise without_camera(f"no images in folder {path}: expected .jpg or .png files")
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
        return Frame(image=_decode(path), at=float(self._next - 1), name=path.name)


def _name_order(path: Path) -> list[tuple[int, int | str]]:
    """`2.jpg` before `10.jpg`: runs of digits compare as numbers."""
    parts = re.split(r"(\d+)", path.name)
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in parts if part]


def _decode(path: Path) -> np.ndarray:
    """(h, w, 3) uint8 BGR as displayed (EXIF turned)."""
    try:
        with warnings.catch_warnings():
            # Pillow's own bomb warning comes at 89 MP; the limit below is the one that counts.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as picture:
                w, h = picture.size
                if w * h > MAX_PIXELS:
                    raise _too_large(path)
                rgb = np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))
    except UnidentifiedImageError:
        raise CameraError(f"{path}: not an image") from None
    except Image.DecompressionBombError:
        raise _too_large(path) from None
    except (OSError, ValueError, SyntaxError) as error:
        raise CameraError(f"{path}: cannot be read as an image ({error})") from None
    return np.ascontiguousarray(rgb[:, :, ::-1])


def _too_large(path: Path) -> CameraError:
    return CameraError(f"{path}: picture too large, expected at most {MAX_PIXELS // 1_000_000} million pixels")
