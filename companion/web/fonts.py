"""A font of this machine for a piece of text: what a picture of ours is written with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from PIL import ImageFont

FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".local/share/fonts")

NAMES = (
    "DejaVuSans-Bold.ttf", "NotoSans-Bold.ttf", "LiberationSans-Bold.ttf", "Lohit-Bengali.ttf",
    "NotoSansBengali-Bold.ttf", "NotoSansCJK-Bold.ttc", "DejaVuSans.ttf", "NotoSans-Regular.ttf",
    "NotoSansBengali-Regular.ttf", "NotoSansCJK-Regular.ttc", "FreeSansBold.ttf",
)  # fmt: skip
"""Files that Debian's font packages bring, the ones we like best first."""

JOINERS = frozenset("\u200c\u200d\ufe0f")
"""They shape their neighbours and have no picture of their own."""


class NoFontError(ValueError):
    """No font of this machine has all the letters of `text`."""

    def __init__(self, text: str) -> None:
        super().__init__(f"no font of this machine has all the letters of {text!r}")


def font_for(text: str, size: int) -> ImageFont.FreeTypeFont:
    """The first font that has all the letters. Raises NoFontError."""
    for path in _files():
        if _has_all(path, frozenset(text) - JOINERS):
            return _font(path, size)
    raise NoFontError(text)


@cache
def _files() -> Sequence[Path | None]:
    """None: the Latin letters that Pillow brings, where nothing else has them."""
    found = {path.name: path for folder in FOLDERS if folder.is_dir() for path in sorted(folder.rglob("*.tt[fc]"))}
    return [*(found[name] for name in NAMES if name in found), None]


@cache
def _font(path: Path | None, size: int) -> ImageFont.FreeTypeFont:
    if path is None:
        own = ImageFont.load_default(size)
        assert isinstance(own, ImageFont.FreeTypeFont)
        return own
    return ImageFont.truetype(str(path), size)


def _has_all(path: Path | None, letters: frozenset[str]) -> bool:
    return all(letter.isspace() or _has(path, letter) for letter in letters)


@cache
def _has(path: Path | None, letter: str) -> bool:
    """Whether the font draws this letter otherwise than one that no font has."""
    font = _font(path, 32)
    return bytes(font.getmask(letter)) != bytes(font.getmask("\U0010fffe"))
