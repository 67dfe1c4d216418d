"""Opens picture files that strangers made: EXIF turned, under limits, every failure one line.

The one list of picture formats, and their one decoder, for `read`, `score`, `calibrate`, folders and the page.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
from PIL import ExifTags, ImageOps, UnidentifiedImageError
from PIL import Image as Pillow

from vision.frame import Image

MOST_PIXELS = 64_000_000
"""64 megapixels: the largest camera module for the Pi. A 30000x30000 picture is refused before it is decoded."""
SUFFIXES = {
    "JPEG": (".jpg", ".jpeg"),
    "PNG": (".png",),
    "WEBP": (".webp",),
    "BMP": (".bmp",),
    "TIFF": (".tif", ".tiff"),
    "HEIF": (".heic", ".heif"),
    "AVIF": (".avif",),
}
"""Pillow's name of each format that is read -> how its files are named."""

PICTURE_SUFFIXES = frozenset(suffix for suffixes in SUFFIXES.values() for suffix in suffixes)

KINDS = "JPEG, PNG, WebP, BMP, TIFF, HEIC or AVIF"
"""The same for people."""

UPRIGHT: dict[int, Callable[[Image], object]] = {
    2: lambda pixels: cv2.flip(pixels, 1),
    3: lambda pixels: cv2.rotate(pixels, cv2.ROTATE_180),
    4: lambda pixels: cv2.flip(pixels, 0),
    5: lambda pixels: cv2.transpose(pixels),
    6: lambda pixels: cv2.rotate(pixels, cv2.ROTATE_90_CLOCKWISE),
    7: lambda pixels: cv2.flip(cv2.transpose(pixels), -1),
    8: lambda pixels: cv2.rotate(pixels, cv2.ROTATE_90_COUNTERCLOCKWISE),
}
"""EXIF orientation -> the turn that sets a picture upright."""

_SCAN, _END = b"\xff\xda", b"\xff\xd9"
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""The end of a JPEG's pixels: neither an escaped byte nor a mark to start anew from."""

HEIF_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"})


class PictureError(Exception):
    """A file that cannot be read as a picture; the message is one line without the file's name."""


def open_picture(path: Path, most_pixels: int = MOST_PIXELS) -> Image:
    """(h, w, 3) uint8 BGR as displayed. Raises PictureError; never decodes more than `most_pixels`."""
    try:
        if not path.exists():
            raise PictureError("no such file")
        if path.is_dir():
            raise PictureError("is a folder, expected a picture")
        if path.stat().st_size == 0:
            raise PictureError("the file is empty, expected a picture")
    except (OSError, ValueError) as error:
        raise PictureError(f"cannot be opened ({getattr(error, 'strerror', None) or error})") from None
    return _decoded(path, most_pixels)


def picture_of(data: bytes, most_pixels: int = MOST_PIXELS) -> Image:
    """The same for a picture in memory."""
    return _decoded(io.BytesIO(data), most_pixels)


def _formats() -> tuple[str, ...]:
    """Pillow reads AVIF by itself, and HEIC with pillow-heif. Where that is not installed the refusal says so."""
    if "HEIF" not in Pillow.OPEN:
        try:
            import pillow_heif
        except ImportError:
            return tuple(name for name in SUFFIXES if name != "HEIF")
        pillow_heif.register_heif_opener(thumbnails=False)
    return tuple(SUFFIXES)


def _first_bytes(file: Path | io.BytesIO) -> bytes:
    if not isinstance(file, Path):
        return file.getvalue()[:12]
    with file.open("rb") as opened:
        return opened.read(12)


def is_heif(file: Path | io.BytesIO) -> bool:
    """By its content, whatever it is called: a film's reader would show the first tile of it, 512 pixels wide."""
    try:
        start = _first_bytes(file)
    except OSError:
        return False
    return start[4:8] == b"ftyp" and start[8:12] in HEIF_BRANDS


def _decoded(file: Path | io.BytesIO, most_pixels: int) -> Image:
    try:
        with warnings.catch_warnings():
            # A fault of the file comes out as one PictureError; Pillow's remarks on the way are noise.
            warnings.simplefilter("ignore")
            with Pillow.open(file, formats=_formats()) as picture:
                w, h = picture.size
                if w * h > most_pixels:
                    raise PictureError(f"{w}x{h} pixels, at most {most_pixels // 1_000_000} megapixels are opened")
                if min(w, h) < 16:
                    raise PictureError(f"{w}x{h} pixels, expected at least 16x16")
                quick = _quickly(picture, file)
                if quick is not None:
                    return quick
                with _libtiff_muted() if picture.format == "TIFF" else contextlib.nullcontext():
                    ImageOps.exif_transpose(picture, in_place=True)  # elsewhere it copies what lies upright, too
                    pixels = np.asarray(_flat(picture), np.uint8)
    except PictureError:
        raise
    except UnidentifiedImageError:
        if is_heif(file) and "HEIF" not in Pillow.OPEN:
            raise PictureError("a HEIC picture, and pillow-heif is not installed: pip install pillow-heif") from None
        raise PictureError(f"not a picture ({KINDS.replace(' or ', ' and ')} are read)") from None
    except Pillow.DecompressionBombError:
        raise PictureError(f"more than {most_pixels // 1_000_000} megapixels") from None
    except MemoryError:
        raise PictureError("too large for this machine's memory") from None
    except Exception as error:  # Pillow's decoders raise OSError, ValueError, SyntaxError, struct.error ...
        if isinstance(error, OSError) and error.strerror:  # the system's own: the file is out of reach
            raise PictureError(f"cannot be opened ({error.strerror})") from None
        text = " ".join(str(error).split())
        raise PictureError(f"damaged picture ({text[:120] or type(error).__name__})") from None
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), np.uint8)


def _quickly(picture: Pillow.Image, file: Path | io.BytesIO) -> Image | None:
    """The same pixels of an opened colour JPEG that is whole, in half the time; None of any other."""
    if picture.format not in ("JPEG", "MPO") or picture.mode != "RGB":
        return None
    data = file.read_bytes() if isinstance(file, Path) else file.getvalue()
    if not is_one_scan(data):
        return None
    turn = UPRIGHT.get(picture.getexif().get(ExifTags.Base.Orientation, 1))
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    if pixels is None or pixels.shape != (picture.height, picture.width, 3):
        return None
    upright = np.asarray(pixels, np.uint8)
    return upright if turn is None else np.asarray(turn(upright), np.uint8)


def is_one_scan(data: bytes) -> bool:
    """Whether a JPEG's pixels follow its header in one piece up to the picture's end. OpenCV makes a picture even of a
    file that is cut off or garbled, where Pillow says what is wrong."""
    at = 2
    while data[at : at + 1] == b"\xff" and data[at : at + 2] != _SCAN:
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    end = _MARKER.search(data, at + 2 + int.from_bytes(data[at + 2 : at + 4], "big"))
    return data[at : at + 2] == _SCAN and end is not None and end.group() == _END


@contextlib.contextmanager
def _libtiff_muted() -> Iterator[None]:
    """libtiff writes its errors to file descriptor 2 by itself, whatever Python does with stderr."""
    try:
        kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except OSError:
        # No stderr at all, or no descriptor left: then there is nothing to mute.
        yield
        return
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _flat(picture: Pillow.Image) -> Pillow.Image:
    """RGB whatever it was: 16-bit grey and grey in shares of white are scaled, transparency lies on white."""
    if picture.mode.startswith(("I", "F")):
        grey = np.asarray(picture, np.float32)
        top = 65535.0 if grey.max() > 255 else 1.0 if picture.mode == "F" and grey.max() <= 1 else 255.0
        return Pillow.fromarray((grey / top * 255).clip(0, 255).astype(np.uint8)).convert("RGB")
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        over = picture.convert("RGBA")
        flat = Pillow.new("RGB", over.size, (255, 255, 255))
        flat.paste(over, mask=over.getchannel("A"))
        return flat
    return picture if picture.mode == "RGB" else picture.convert("RGB")
