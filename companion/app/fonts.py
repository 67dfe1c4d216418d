"""A font of this machine for a piece of text: what a picture of ours is written with."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path

from PIL import ImageFont

FOLDERS = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path(os.environ.get("HOME", "/"), ".local/share/fonts"),
)

LIKED = (
    "DejaVuSans-Bold.ttf", "NotoSans-Bold.ttf", "LiberationSans-Bold.ttf", "Lohit-Bengali.ttf",
    "NotoSansBengali-Bold.ttf", "NotoSansCJK-Bold.ttc", "NanumGothicBold.ttf", "wqy-microhei.ttc",
)  # fmt: skip
"""Files that Debian's font packages bring, the ones we like best first. Every other font comes after them."""

_UNLIKE = re.compile(r"italic|oblique|mono|serif|condensed|coding", re.IGNORECASE)

JOINERS = frozenset("\u200c\u200d\ufe0f")
"""They shape their neighbours and have no picture of their own."""


def in_fonts(text: str, size: int) -> list[tuple[str, ImageFont.FreeTypeFont]]:
    """The text in parts, each with a font that has its letters: a word in one where one has them all. A letter that no
    font of this machine has is left out."""
    parts: list[tuple[str, Path | None]] = []
    for n, letter in enumerate(text):
        follows = letter in JOINERS or letter.isspace()
        if parts and (follows or _has(parts[-1][1], letter)):
            parts[-1] = (parts[-1][0] + letter, parts[-1][1])
            continue
        wanted = (frozenset(word) - JOINERS for word in (text[n:].partition(" ")[0], letter))
        having = (path for letters in wanted for path in _files() if _has_all(path, letters))
        parts += [(letter, path) for path in islice(having, 1)]
    return [(part, _font(path, size)) for part, path in parts]


def is_written(text: str) -> bool:
    """Whether the fonts of this machine have every letter of the text."""
    return "".join(part for part, _font in in_fonts(text, 36)) == text


@cache
def _files() -> Sequence[Path | None]:
    """Fonts, the ones we like best first. None: the Latin letters that Pillow brings, where nothing else has them."""
    found = {path.name: path for folder in FOLDERS if folder.is_dir() for path in sorted(folder.rglob("*.[ot]t[fc]"))}
    others = sorted(found.keys() - set(LIKED), key=lambda name: (bool(_UNLIKE.search(name)), "Bold" not in name, name))
    return [*(found[name] for name in (*LIKED, *others) if name in found), None]


@lru_cache(maxsize=64)
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
    """Whether the font draws this letter otherwise than one that no font has: alone, for shaped with others a letter
    that it lacks may look like one that it has."""
    try:
        font = _font(path, 32).font_variant(layout_engine=ImageFont.Layout.BASIC)
        return bytes(font.getmask(letter)) != bytes(font.getmask("\U0010fffe"))
    except OSError:  # broken, or of pictures in one size
        return False
