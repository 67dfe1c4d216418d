"""A face without pips or a back? A face shows a dividing line or a pin in its middle, a back shows neither.

What is called a back by its looks is laid beside the faces that were read: where these show a line or a pin, this tile
shows the same or it is a back. Where they show none themselves (moulded black tiles in poor light), and the tile has
their colour, the question cannot be settled from a picture.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.known_set import KnownSet
from vision.plausibility import alike_in_colour
from vision.reading import HalfReading, TileReading
from vision.rectify import cut_tile

Floats = NDArray[np.float32]

CUT_WH = (128, 64)
MIDDLE = slice(56, 72)
"""Columns of a cut in which a line or a pin may be, give or take an outline a little off."""
BESIDE = (slice(46, 54), slice(74, 82))
"""Columns beside them that show the bare face, between the line and the innermost pips."""
ROWS = slice(10, 54)
PIN_ROWS = slice(26, 38)
LINE_PX = 3
LEAST_SHOWN = 5.0
"""Levels of 255 by which a line or a pin has to stand out from what is beside it, and from the grain by `GRAIN`."""
GRAIN = 4.0
FACES, LEAST_FACES = 12, 3
"""So many of the nearest faces are asked, so many have to be there."""
MOSTLY = 0.7
"""Faces of which so many show one have dividers."""
AS_CLEAR, NOT_THERE = 0.5, 0.2
"""Of what the faces show a face without pips shows the first part at least, a back the second at most."""
MANY_ALIKE = 3
"""So many finds of one colour without pips are backs: there is one double blank in a set."""


class Side(Enum):
    FACE = "face"
    BACK = "back"
    UNSETTLED = "unsettled"


def shown_in_the_middle(image: Image, quad: Floats) -> tuple[float, float]:
    """By how many levels a line across a tile's middle, or a pin in it, stands out at most (darker below 0), and how
    many are grain."""
    cut = cut_tile(image, quad, CUT_WH, 0.0).astype(np.float32).mean(2)
    line, line_grain = _stands_out(cut[ROWS])
    pin, pin_grain = _stands_out(cut[PIN_ROWS])
    return (line, line_grain) if abs(line) / line_grain >= abs(pin) / pin_grain else (pin, pin_grain)


def _stands_out(rows: Floats) -> tuple[float, float]:
    columns = np.convolve(np.median(rows, axis=0), np.ones(LINE_PX) / LINE_PX, "same")
    beside = np.concatenate([columns[part] for part in BESIDE])
    usual, grain = float(np.median(beside)), max(float(np.ptp(beside)) / 4, 0.5)
    middle = columns[MIDDLE] - usual
    return float(middle[np.abs(middle).argmax()]), grain


def usual_divider(image: Image, faces: Floats) -> float:
    """By how many levels a line or a pin stands out in the middle of these faces (m, 4, 2); 0 where they show none."""
    shown = [shown_in_the_middle(image, quad) for quad in faces]
    clear = [level for level, grain in shown if abs(level) >= max(LEAST_SHOWN, GRAIN * grain)]
    return float(np.median(clear)) if clear and len(clear) >= MOSTLY * len(shown) else 0.0


def has_divider(image: Image, quad: Floats, usual: float) -> bool | None:
    """Whether a tile shows what is `usual` in the middle of the faces beside it, other than 0; None: neither plainly
    nor plainly not."""
    level, grain = shown_in_the_middle(image, quad)
    part = level / usual if abs(level) >= GRAIN * grain else 0.0
    return True if part >= AS_CLEAR else False if part <= NOT_THERE else None


def nearest(quad: Floats, faces: Floats) -> NDArray[np.intp]:
    """Which of the faces (m, 4, 2) are asked about a tile."""
    return np.asarray(np.argsort(np.linalg.norm(faces.mean(1) - quad.mean(0), axis=1))[:FACES], np.intp)


def which_side(image: Image, quad: Floats, colour: Floats, faces: Floats, face_colours: Floats) -> Side:
    """(4, 2) a find that looks like a back and its body colour, (m, 4, 2) faces that were surely read and theirs."""
    near = nearest(quad, faces)
    if len(near) < LEAST_FACES:
        return Side.BACK
    usual = usual_divider(image, faces[near])
    if usual:
        there = has_divider(image, quad, usual)
        return Side.UNSETTLED if there is None else Side.FACE if there else Side.BACK
    own = alike_in_colour(colour[None], face_colours[near])[0]
    return Side.UNSETTLED if own.mean() >= 0.5 else Side.BACK


def by_elimination(tiles: list[TileReading], known: KnownSet | None) -> list[TileReading]:
    """The same; where one back may as well be the double blank and every other tile of the box lies there face up, it
    is the double blank."""
    asked = [n for n, tile in enumerate(tiles) if tile.or_blank]
    seen = [tile.values for tile in tiles if tile.values is not None]
    if known is None or len(asked) != 1 or not known.only_left(seen, (0, 0)):
        return tiles
    surely = min(half.p for tile in tiles for half in tile.halves or ())
    half = HalfReading(0, surely)
    blank = replace(tiles[asked[0]], face="up", halves=(half, half), or_blank=False)
    return [*tiles[: asked[0]], blank, *tiles[asked[0] + 1 :]]
