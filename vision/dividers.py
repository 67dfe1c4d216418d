"""A face without pips or a back? A face shows a dividing line or a pin in its middle, a back shows neither.

A tile that looks like a back is compared with the faces that were read: where these show a line or a pin, this tile
shows the same or it is a back. Where they show none themselves (moulded black tiles in poor light), and the tile has
their colour, the question cannot be settled from a picture.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image, Picture, middle_levels
from vision.known_set import KnownSet
from vision.plausibility import alike_in_colour
from vision.reading import SEEN_WHOLE, HalfReading, TileReading
from vision.rectify import cut_tile, shifted

Floats = NDArray[np.float32]
ReadIn = Callable[[Floats], NDArray[np.intp]]
"""(n, 4, 2) outlines -> (n, 2) the likeliest values of their halves."""

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
AROUND = slice(32, 96)
UNBROKEN = 0.84
"""The share of a line's rows that differ from the body at least."""
PLAIN_LINE, STRAIGHT, ELSEWHERE = 25.0, 0.03, 0.08
"""A line by so many levels is plain; half of the tiles of a picture have it within the second of the middle, in tile
lengths. Of 344 tiles of the photographs 95 of 100 have it there; what has it farther off than the third, and is read
otherwise in other outlines, was the one tile read wrongly."""
FACES, LEAST_FACES, ENOUGH_FACES = 12, 3, 5
"""How many of the nearest faces are asked; how many have to be there; how many without lines make a set without
them."""
MOSTLY = 0.7
"""The faces have dividers where this share shows one."""
AS_CLEAR, NOT_THERE = 0.5, 0.2
"""A face without pips shows at least the first share of the faces' line, a back at most the second."""
MANY_ALIKE = 3
"""This many finds of one colour without pips are backs: a set has one double blank."""


class Side(Enum):
    FACE = "face"
    BACK = "back"
    UNSETTLED = "unsettled"


def shown_in_the_middle(image: Picture, quad: Floats) -> tuple[float, float]:
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


def line_across(image: Picture, quad: Floats) -> tuple[float, float]:
    """The strongest line from side to side in a tile's middle half: by how many levels it differs from the body (darker
    below 0), and how far it lies off the middle, in tile lengths. A column of pips is no line: the body shows between
    them. A line in the middle is the one, however strong another is."""
    cut = cv2.cvtColor(cut_tile(image, quad, CUT_WH, 0.0), cv2.COLOR_BGR2GRAY)
    body = float(middle_levels(np.asarray(cut, np.uint8).reshape(1, -1, 1))[0, 0])
    ranked = np.sort(cut[ROWS], axis=0)
    found = []
    for sign, share in ((-1.0, UNBROKEN), (1.0, 1 - UNBROKEN)):
        columns = ranked[round(share * (len(ranked) - 1))].astype(np.float32)
        stands = sign * (np.convolve(columns, np.ones(LINE_PX) / LINE_PX, "same") - body)
        found.append((float(stands[AROUND].max()), sign, stands))
    level, sign, stands = max(found, key=lambda one: one[0])
    column = AROUND.start + int(stands[AROUND].argmax())
    if stands[MIDDLE].max() >= AS_CLEAR * level:
        column = MIDDLE.start + int(stands[MIDDLE].argmax())
    return sign * level, column / CUT_WH[0] - 0.5


@dataclass(frozen=True, slots=True)
class Lines:
    """The dividing lines of the tiles that were read."""

    across: Mapping[int, tuple[float, float]]
    """Number of the tile -> by how many levels its line differs from the body (darker below 0), and how far it lies off
    the middle, in tile lengths."""
    usual: float
    """Levels by which a line usually stands out; 0 where most tiles show none."""
    straight: bool
    """The lines that stand out lie in the middles."""
    plain: float = 0.0
    """Levels of the lines that stand out; 0 where few do."""

    @classmethod
    def of(cls, image: Picture, quads: Mapping[int, Floats]) -> Lines:
        across = {n: line_across(image, quad) for n, quad in quads.items()}
        sign = -1 if not across or np.median([level for level, _ in across.values()]) < 0 else 1
        shown = [(sign * level, off) for level, off in across.values() if sign * level >= PLAIN_LINE]
        if len(shown) < LEAST_FACES:
            return cls(across, 0.0, False)
        plain, askew = (float(np.median(column)) for column in np.abs(shown).T)
        mostly = len(shown) >= MOSTLY * len(across)
        return cls(across, sign * plain * mostly, askew <= STRAIGHT, sign * plain)

    @property
    def undivided(self) -> bool:
        """Whether this is a set without dividing lines; few tiles do not tell."""
        return not self.usual and len(self.across) >= ENOUGH_FACES

    def shows(self, n: int) -> bool:
        """Whether that tile shows a line as the others do that show one."""
        level = self.across.get(n, (0.0, 0.0))[0]
        return self.plain != 0 and level / self.plain >= AS_CLEAR


def well_outlined(image: Image, tiles: list[TileReading], lines: Lines, read_in: ReadIn) -> list[TileReading]:
    """The same tiles, with halves unread where the line that the others have in their middle lies elsewhere, and other
    outlines around that line show something else: the outline reaches over a part of the next tile. On 55 photographs
    one right half more is read with it, on four drawn tables one of 367 less.

    bench.gates, the line lies elsewhere: photographs -1/0/0, toys +1/0/0, racks -, traced -, tables -.
    """
    out = list(tiles)
    for n, (_, off) in lines.across.items():
        if tiles[n].values is not None and lines.straight and lines.shows(n) and abs(off) > ELSEWHERE:
            around = [
                shifted(tiles[n].quad_px[None], (off, 0.0, longer, 0.0))[0]
                for longer in (0.0, 2 * abs(off), -2 * abs(off))
            ]
            told = read_in(np.array(around, np.float32))
            a, b = (_as_told(half, told[:, k]) for k, half in enumerate(tiles[n].halves or ()))
            out[n] = replace(tiles[n], halves=(a, b))
    return out


def _as_told(half: HalfReading, values: NDArray[np.intp]) -> HalfReading:
    """The half where it is read so in every outline, or surely and in the last: the shortest, in which it is as long as
    the other."""
    told = values[-1:] if half.p >= SEEN_WHOLE else values
    return half if (told == half.value).all() else half.refused()


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


def with_dividers(image: Image, blanks: Floats, faces: Floats) -> NDArray[np.bool_]:
    """(n, 4, 2) double blanks and (m, 4, 2) faces -> (n,) which of them show a divider as the faces beside them do:
    that is evidence enough of a tile. Of 1,145 halves on photographs two right ones are read by it.

    bench.gates, double blanks by their divider: photographs -2/0/0, toys -2/0/0, racks -, traced -, tables 0/0/0.
    """
    found = np.zeros(len(blanks), np.bool_)
    for n, quad in enumerate(blanks):
        usual = usual_beside(image, quad, faces)
        found[n] = bool(usual) and has_divider(image, quad, usual) is True
    return found


def usual_beside(image: Image, quad: Floats, faces: Floats) -> float:
    """The `usual_divider` of those of the faces (m, 4, 2) that are asked about a tile; 0 where they are too few."""
    near = nearest(quad, faces)
    return usual_divider(image, faces[near]) if len(near) >= LEAST_FACES else 0.0


def nearest(quad: Floats, faces: Floats) -> NDArray[np.intp]:
    """Which of the faces (m, 4, 2) are asked about a tile."""
    return np.asarray(np.argsort(np.linalg.norm(faces.mean(1) - quad.mean(0), axis=1))[:FACES], np.intp)


def which_side(image: Image, quad: Floats, colour: Floats, faces: Floats, face_colours: Floats) -> Side:
    """(4, 2) a find that looks like a back and its body colour, (m, 4, 2) faces that were surely read and theirs. One
    or two faces do not prove what is usual: beside them it is a back or nobody knows."""
    near = nearest(quad, faces)
    if not len(near):
        return Side.BACK
    usual = usual_divider(image, faces[near])
    there = has_divider(image, quad, usual) if usual else None
    if usual and (there is False or len(near) >= LEAST_FACES):
        return Side.UNSETTLED if there is None else Side.FACE if there else Side.BACK
    own = alike_in_colour(colour[None], face_colours[near])[0]
    return Side.UNSETTLED if own.mean() >= 0.5 else Side.BACK


def by_elimination(tiles: list[TileReading], known: KnownSet | None) -> list[TileReading]:
    """The same; where one back may as well be the double blank and every other tile of the box lies there face up, it
    is the double blank. Where nobody named the box it is the one whose highest double lies there."""
    asked = [n for n, tile in enumerate(tiles) if tile.or_blank]
    seen = [tile.values for tile in tiles if tile.values is not None]
    if len(asked) != 1 or not seen:
        return tiles
    box = KnownSet.double(max(map(max, seen))) if known is None else known
    if not box.only_left(seen, (0, 0)):
        return tiles
    surely = min(half.p for tile in tiles for half in tile.halves or ())
    half = HalfReading(0, surely)
    blank = replace(tiles[asked[0]], face="up", halves=(half, half), or_blank=False)
    return [*tiles[: asked[0]], blank, *tiles[asked[0] + 1 :]]
