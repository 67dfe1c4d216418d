"""Digits instead of pips: a set that nobody has taught is named and not read; a taught one is compared.

The reader was shown numbers in a few letterings and is as sure of others, where it takes a 9 for a 0. A digit is told
from pips by its shape: a half has one piece of ink (two from 10 on), large, in its middle, and far from round. Pips are
round, and where two run together they lie beside others.

Digits that were taught are slid over those of a tile, for an outline is never quite true: they are alike but for thin
strokes, and a half shifted by a stroke's width is more like another digit than like its own. A half with hardly any
print is the blank.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.by_hand import ink_of
from vision.familiar import Appearance
from vision.frame import Image
from vision.reading import TileReading, unread
from vision.rectify import outward_halves

Floats = NDArray[np.float32]

SIDE, REACH = 32, 4
"""Pixels of a half, and by how many a pattern is slid to all sides: an eighth of the half."""
PATTERN = SIDE - 2 * REACH
BARE, PRINTED = 0.2, 0.6
"""Of the usual contrast a blank half shows the first part at most, any digit the second at least."""
BLUR = 1.0


def digit_patterns(crops: Image) -> Floats:
    """(n, side, 2 side, 3) crops of whole tiles -> (n, 2, PATTERN * PATTERN) the middles of their halves, the outer end
    at the left."""
    inner = _greys(crops)[:, :, REACH:-REACH, REACH:-REACH]
    return np.ascontiguousarray(inner.reshape(len(inner), 2, -1))


def digit_likeness(crops: Image, known: Floats) -> Floats:
    """(n, side, 2 side, 3) crops and (m, PATTERN * PATTERN) patterns -> (n, 2, m) how like each half is to each, up to
    1."""
    contrast = known.std(1)
    usual = float(np.median(contrast[contrast >= contrast.max() / 2]))
    drawn = [(one.reshape(PATTERN, PATTERN), bool(c >= usual / 2)) for one, c in zip(known, contrast, strict=True)]
    halves = _greys(crops).reshape(-1, SIDE, SIDE)
    out = np.zeros((len(halves), len(known)), np.float32)
    for n, half in enumerate(halves):
        shown = float(half[REACH:-REACH, REACH:-REACH].std()) / max(usual, 1e-6)
        printed = float(np.clip((shown - BARE) / (PRINTED - BARE), 0, 1))
        for m, (pattern, is_print) in enumerate(drawn):
            out[n, m] = 1 - printed
            if is_print:
                out[n, m] = printed * cv2.matchTemplate(half, pattern, cv2.TM_CCOEFF_NORMED).max()
    return out.reshape(-1, 2, len(known))


def _greys(crops: Image) -> Floats:
    """(n, 2, SIDE, SIDE)"""
    out = np.zeros((2 * len(crops), SIDE, SIDE), np.float32)
    for n, half in enumerate(outward_halves(crops).reshape(2 * len(crops), *(crops.shape[1],) * 2, 3)):
        grey = cv2.GaussianBlur(cv2.cvtColor(half, cv2.COLOR_BGR2GRAY), (0, 0), BLUR)
        out[n] = cv2.resize(grey, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return out.reshape(-1, 2, SIDE, SIDE)


SENTENCE = "these tiles carry digits; teach it your set first"

LEAST_HALVES = 3
"""A set has digits if at least this many halves carry one, and most of those that carry anything."""
MOSTLY = 0.6
MOST_LOOKED_AT = 24
"""Halves of one picture."""
SMALLEST_PX = 24.0
"""Of a half's side: of smaller ones pips run together."""
TALL = 0.28
"""A digit's longer side, in parts of a half's, at least: a single pip is smaller."""
OFF_MIDDLE = 0.2
"""How far from the half's middle that what is printed has its own at most, in parts of its side."""
ROUND = 0.62
"""Of the disc around it a digit covers less, a pip more."""
THIN, LENGTHY, ASIDE = 0.12, 2.5, 0.25
"""A piece no wider than the first and longer than so many of its widths, or at the rim, with its middle farther off the
half's than the last, is no print: a part of the dividing line, or of the tile's edge."""
BESIDE_EACH_OTHER = 0.15
"""The two digits of a number have their middles on one line, by so much of a half's side."""


def refused_by_digits(
    image: Image, tiles: list[TileReading], familiar: Appearance | None = None
) -> tuple[list[TileReading], str | None]:
    """The same tiles; none of them read, and why, where they carry digits. Where one box is watched, all that its last
    pictures showed decides: in a look at three tiles, pips that run together are most of what is printed. No photograph
    of pips counts as digits.

    bench.gates, digits: photographs -, toys -, racks -, traced +11/0/0, tables -.
    """
    up = sorted((tile for tile in tiles if tile.halves is not None), key=lambda tile: -tile.confidence)
    printed = _printed(image, [np.asarray(tile.quad_px, np.float32) for tile in up])
    if familiar is not None:
        printed = familiar.with_printed(printed)
    return ([unread(tile) for tile in tiles], SENTENCE) if up and _mostly_digits(printed) else (tiles, None)


def carry_digits(image: Image, quads: Sequence[Floats]) -> bool:
    """(h, w, 3) uint8 BGR and the outlines (4, 2) of tiles, the surest first -> whether digits are printed on most of
    those that show any print."""
    return _mostly_digits(_printed(image, quads))


def _printed(image: Image, quads: Sequence[Floats]) -> list[bool]:
    """Of the halves on which anything is printed: is it a digit?"""
    asked = [(quad, half) for quad in quads for half in (0, 1)][:MOST_LOOKED_AT]
    told = [is_digit(ink_of(image, quad, half, SMALLEST_PX)) for quad, half in asked]
    return [one for one in told if one is not None]


def _mostly_digits(printed: Sequence[bool]) -> bool:
    return sum(printed) >= max(LEAST_HALVES, MOSTLY * len(printed))


def is_digit(pieces: Floats | None) -> bool | None:
    """(k, 5) pieces of ink, x, y, width, height and area in parts of a half's side -> whether they are a number; None
    for a half without any or too small to tell."""
    pieces = None if pieces is None else pieces[~_edges(pieces)]
    if pieces is None or not len(pieces):
        return None
    if len(pieces) > 2:
        return False
    x, y, w, h, area = pieces.T
    long = np.maximum(w, h)
    if (long < TALL).any() or (area / (np.pi / 4 * long**2) > ROUND).any():
        return False
    across = y + h / 2
    along = x + w / 2
    if len(pieces) == 2 and np.ptp(along) > BESIDE_EACH_OTHER:
        return False
    middle = ((x.min() + (x + w).max()) / 2, (y.min() + (y + h).max()) / 2)
    return bool(np.abs(np.array(middle) - 0.5).max() <= OFF_MIDDLE and np.ptp(across) < 0.6)


def _edges(pieces: Floats) -> NDArray[np.bool_]:
    """Which pieces are no print."""
    x, y, w, h, _ = pieces.T
    thin, at_rim = np.minimum(w, h) <= THIN, (np.minimum(x, y) <= 0) | (np.maximum(x + w, y + h) >= 0.99)
    aside = np.maximum(np.abs(x + w / 2 - 0.5), np.abs(y + h / 2 - 0.5)) > ASIDE
    return np.asarray(thin & aside & (at_rim | (np.maximum(w, h) >= LENGTHY * np.minimum(w, h))))
