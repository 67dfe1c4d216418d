"""The hidden parts of a tile: under a toy train, a finger, a cup, a card, another tile or a glare.

The reader answers for the pips that show: a 6 with two pips under a toy is as good a 4 as any. So a network that has
seen nothing but things on tiles looks once more at each read tile; it answers for a grid over the tile. A patch that is
plainly no body and larger than a pip counts without it, and so does what lies beyond the picture's edge. A value stands
where no other value could look the same with all that is hidden put aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image, Picture, level, middle_levels
from vision.inference import THREADS, Network, Workers, as_input
from vision.known_set import KnownSet
from vision.prints import Points, prints_of
from vision.reading import SEEN_WHOLE, THOUGH_DISTURBED, HalfReading, TileReading
from vision.rectify import cut_tile, half_corners
from vision.rotated import sides
from vision.tile_shape import ONE_PLANE, shape_of

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

MASK_WH = (104, 64)
MASK_MARGIN = 0.3
"""How much of the tile's surroundings a crop shows on every side, in tile widths."""
CELL_PX = 4
"""The network answers for cells of so many pixels: a tenth of a tile's width."""
TILE_CELLS = (slice(3, 13), slice(3, 23))
"""Where among them the tile lies: down, along."""
HALF_CELLS = 10
HIDDEN, PLAINLY, BY_SIZE = 0.5, 0.9, 0.8
"""A cell more probably hidden than the first is; of a half that is read as what shows whole is than the second. A thing
larger than a pip makes a cell as probably hidden as the last."""
RIM = 1
"""Cells along a half's edges in which no pip has its middle: an outline may be off by as much."""
LEAST_CELLS, A_THING = 2, 4
"""A single cell is a scratch. From so many as the second on something lies there that may hide a pip."""
LEAST_UNDIVIDED = 20
"""Cells of a half without a dividing line beside it, its rim included. Of 520 bare Chinese halves of the photographs
none had ten.
bench.gates, under much, without lines: photographs -8/0/0, toys +2/0/0, racks -, traced 0/0/0, tables -."""
MOST = 0.3
"""Of a half's cells, its rim aside: where more are hidden nothing is claimed, whatever could look the same."""
ITSELF = 0.6
"""Of a whole tile's cells: where the network calls more hidden and both values are surer than the next, it is the tile
itself, askew in its outline, that lies on something.
bench.gates, the tile itself, askew on something: photographs -, toys -, racks -, traced 0/0/0, tables -."""
CLEARLY = 0.98
REACH = 0.11
"""In tile widths: a pip whose middle is this near to what is hidden may be hidden itself."""
SPREAD = 0.26
"""How far from a half's middle, in tile widths, makers print its outermost pips, by and large."""
SAME_PLACE = 0.1
AT_EDGE, ALONG_EDGE, LEAST_WHOLE, USUAL_RATIO, OTHER_RATIO = 0.05, 0.25, 3, 0.48, (0.1, 0.25)
"""In tile widths from the picture's edge one corner of an end or a side that lies along it, and the other at most; so
many whole tiles tell how wide they are for their length, the fourth where they are fewer; by how much one that ends
there differs (a logarithm), and one whose outline goes on beyond."""
_UNIT_HALF = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
_MIDDLES = (np.stack(np.meshgrid(*[np.arange(HALF_CELLS, dtype=np.float32)] * 2), 2).reshape(-1, 1, 2) + 0.5) / 10

SOLID = 0.4
"""In tile widths: no pip is so large. A patch that differs from the body in colour, or is brighter or darker, by the
next three (levels of L*a*b* as OpenCV scales it; a share of the body's brightness) over a disc of this size is a thing
on it. In the photographs nothing printed is."""
PIPS_APART_PX = 28.0
"""Of a tile's width in the picture: on smaller ones all pips of a half may run together."""
OTHER_COLOUR, BRIGHTER, DARKER = 12.0, 50.0, 0.5
THROUGHOUT = 0.5
"""A thing differs from the body by at least this share of its greatest difference wherever a disc of that size lies in
it: between pips that run together, and towards the edge of a large one, less is left."""
AS_PRINTED, OF_THEM = 0.5, 1 / 3
"""Cells of a half that seem hidden are its print if so many of the picture's other halves of that value, or one of
them, seem to have the same cells hidden: the share of their union that two have in common."""


class Covers:
    """Says of tiles that were read which cells of theirs are hidden."""

    def __init__(self, model_path: Path) -> None:
        wide, high = MASK_WH
        self._network = Network(model_path).shaped((3, high, wide), (high // CELL_PX, wide // CELL_PX))
        self._workers = Workers(THREADS)

    def hidden(self, image: Picture, quads: Floats, *, digits: bool = False, by_size: bool = True) -> Floats:
        """(h, w, 3) uint8 BGR and (n, 4, 2) outlines -> (n, 2, 10, 10): how probably each cell of each half is hidden,
        the outer end at the left as in `half_corners`. `by_size`: what is larger than a pip is a thing."""
        parts = self._workers.batches(np.asarray(quads, np.float32))
        answers = self._workers.each(lambda part: self._answer(image, part, digits, by_size), parts)
        p = np.concatenate([np.zeros((0, HALF_CELLS, 2 * HALF_CELLS), np.float32), *answers])
        first, second = p[:, :, :HALF_CELLS], p[:, ::-1, : HALF_CELLS - 1 : -1]
        return np.asarray(np.stack([first, second], 1), np.float32)

    def _answer(self, image: Picture, quads: Floats, digits: bool, by_size: bool) -> Floats:
        """(n, 10, 20): how probably each cell of a tile is hidden."""
        cuts = np.stack([cut_tile(image, quad, MASK_WH, MASK_MARGIN) for quad in quads])
        if digits:
            return BY_SIZE * np.stack([solid(cut) > HIDDEN for cut in cuts])
        logits = self._network(as_input(cuts))
        seen = 1 / (1 + np.exp(-logits[:, TILE_CELLS[0], TILE_CELLS[1]]))
        if by_size:
            # Pips that seem to run together may be a toy among pips, where the network sees one.
            things = [solid(cut, all_through=not (one > HIDDEN).any()) for cut, one in zip(cuts, seen, strict=True)]
            large = np.min(sides(quads), axis=0) >= PIPS_APART_PX
            seen = np.maximum(seen, BY_SIZE * (np.array(things) > HIDDEN) * large[:, None, None])
        return np.asarray(seen, np.float32)

    def settled(
        self,
        image: Picture,
        tiles: Sequence[TileReading],
        known: KnownSet | None = None,
        *,
        digits: bool = False,
        divided: bool = True,
        photograph: bool = False,
    ) -> list[TileReading]:
        """The same tiles, halves unread whose value could be another one under what is hidden.

        The network knows pips: to it `digits` are things, and only what is plainly no body hides those. Without
        dividing lines (not `divided`) prints are of makers that nobody knows here: there not much may be hidden. There,
        and in a `photograph`, of which there is no second picture, a half that is partly hidden has to be quite surely
        read. A mark that other halves of a value show too is their print; in a
        photograph it may be a maker's name on backs, of which that saves four wrong halves and costs none.

        With nothing on the tiles it costs one right half of 1,145 on photographs and three of 300 on traced tables,
        where it saves two wrong ones (`bench.gates`); what it saves under toys `bench.covered` says.

        bench.gates, under something: photographs -3/+4/0, toys +26/+3/0, racks +1/+1/0, traced +4/+2/0, tables -.
        """
        out = list(tiles)
        asked = [n for n, tile in enumerate(tiles) if any(half.value is not None for half in tile.halves or ())]
        if not asked:
            return out
        quads = np.array([tiles[n].quad_px for n in asked], np.float32)
        whole = np.array([[half.p >= SEEN_WHOLE for half in tiles[n].halves or ()] for n in asked])
        least = np.where(whole, PLAINLY, HIDDEN)[..., None, None]
        cells = self.hidden(image, quads, digits=digits) > least
        cut_off = beyond(level(image, 1)[0].shape, quads)
        values = tuple(range(19)) if known is None else known.values()
        if 0 not in values and not digits:
            # A box without blanks prints its one larger than any pip, in red, as nothing else looks.
            ones = [k for k, n in enumerate(asked) if any(half.value == 1 for half in tiles[n].halves or ())]
            if ones:
                cells[ones] = self.hidden(image, quads[ones], by_size=False) > least[ones]
        read = [half.value for n in asked for half in tiles[n].halves or ()]
        if 0 in (read if known is None else values):
            # Checkers on blanks would be such ones.
            read = [None if value == 1 else value for value in read]
        each = cells.reshape(-1, HALF_CELLS, HALF_CELLS)
        if not photograph:
            each[printed(each, read)] = False
        for n, under, outside in zip(asked, cells, cut_off, strict=True):
            both_halves = out[n].halves
            assert both_halves is not None
            a, b = both_halves
            itself = under.mean() > ITSELF and min(a.p, b.p) >= CLEARLY
            if itself:  # a thing larger than a pip counts as hidden too, and is no part of the tile
                quad = np.asarray(out[n].quad_px, np.float32)[None]
                itself = (self.hidden(image, quad, by_size=False) > HIDDEN).mean() > ITSELF
            both = outside if itself else under | outside
            least_p = THOUGH_DISTURBED if (photograph or not divided) and not digits else 0.0
            halves = (_stands(a, both[0], values, divided, least_p), _stands(b, both[1], values, divided, least_p))
            if halves != both_halves:
                out[n] = replace(out[n], halves=halves)
        return out


def beyond(shape: tuple[int, ...], quads: Floats) -> Mask:
    """(h, w) of a picture and (n, 4, 2) outlines -> (n, 2, 10, 10): which cells of each half its edge cuts off. A tile
    goes on beyond the edge, nobody knows how far, if one end lies along it and the tile is shorter than the others, or
    one side and it is narrower. On photographs and traced tables as they are that changes no half; of four cuts through
    each photograph it saves five wrong tiles.

    bench.gates, beyond the picture's edge: photographs 0/0/0, toys 0/0/0, racks -, traced +1/0/0, tables -.
    """
    out = np.zeros((len(quads), 2, HALF_CELLS, HALF_CELLS), np.bool_)
    if not len(quads):
        return out
    wide, long = np.sort(np.array(sides(quads)), axis=0)
    # Below 0 beyond the edge.
    within = np.minimum(quads, np.array(shape[1::-1], np.float32) - quads).min(2) / wide[:, None]
    at_edge = within.min(1) < AT_EDGE
    ratio = np.log(wide / long)
    shorter = ratio - (np.median(ratio[~at_edge]) if (~at_edge).sum() >= LEAST_WHOLE else np.log(USUAL_RATIO))
    whole = shape_of(quads[~at_edge]) if at_edge.any() else None
    if whole is not None and whole.rest <= ONE_PLANE:  # a camera that leans sees tiles of one way shorter
        length, width, _ = whole.misfits(quads).T
        shorter = width - length
    for n in np.flatnonzero(at_edge):
        most = OTHER_RATIO[int(within[n].min() < -2 * AT_EDGE)]
        narrower = shorter[n] < -most and any(_along(within[n, pair]) for pair in ([1, 2], [3, 0]))
        for half in (0, 1):
            to_picture = cv2.getPerspectiveTransform(_UNIT_HALF, half_corners(quads[n], half).astype(np.float32))
            middles = cv2.perspectiveTransform(_MIDDLES, to_picture).reshape(HALF_CELLS, HALF_CELLS, 2)
            out[n, half] = (middles < 0).any(2) | (middles > shape[1::-1]).any(2)
            out[n, half] |= narrower or (shorter[n] > most and _along(within[n, 2 * half : 2 * half + 2]))
    return out


def _along(corners: Floats) -> bool:
    """Whether two corners of an outline, so many tile widths within the picture, lie along its edge."""
    return bool(corners.min() < AT_EDGE and corners.max() < ALONG_EDGE)


def solid(cut: Image, *, all_through: bool = True) -> Floats:
    """(64, 104, 3) uint8 BGR, a tile and what is around it -> (10, 20): how much of every cell is under something that
    is no body and larger than a pip; not `all_through`: and be it pips that run together. The things of `bench.covered`
    the network sees itself; plain discs on tiles of the first renderer it does not (tests/vision/test_hidden.py).

    bench.gates, under what is larger than a pip: photographs 0/0/0, toys +2/0/0, racks -, traced 0/0/0, tables -.
    """
    down, along = (slice(cells.start * CELL_PX, cells.stop * CELL_PX) for cells in TILE_CELLS)
    levels = np.asarray(cv2.cvtColor(cut, cv2.COLOR_BGR2LAB), np.uint8)
    light, a, b = middle_levels(levels[down, along].reshape(1, -1, 3))[0]
    lab = levels.astype(np.float32)
    brighter = lab[..., 0] - light
    other = np.hypot(lab[..., 1] - a, lab[..., 2] - b) / OTHER_COLOUR
    other = np.maximum(other, np.maximum(brighter / BRIGHTER, -brighter / (light * (1 - DARKER) + 10)))
    # Nothing counts for more than half a cell beyond the tile: the table is no body either.
    rim, inside = CELL_PX // 2, np.zeros(other.shape, np.bool_)
    inside[down.start - rim : down.stop + rim, along.start - rim : along.stop + rim] = True
    other = np.where(inside, other, 0).astype(np.float32)
    size = round(SOLID * HALF_CELLS * CELL_PX)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    things = cv2.morphologyEx((other > 1).astype(np.uint8), cv2.MORPH_OPEN, disc)
    if all_through and things.any():
        throughout = cv2.morphologyEx(other, cv2.MORPH_OPEN, disc)
        count, numbers = cv2.connectedComponents(things)
        for n in range(1, count):
            here = numbers == n
            if np.median(throughout[here]) < THROUGHOUT * np.percentile(other[here], 90):
                things[here] = 0
    cells = (2 * HALF_CELLS, HALF_CELLS)
    return np.asarray(cv2.resize(things[down, along].astype(np.float32), cells, interpolation=cv2.INTER_AREA))


def printed(hidden: Mask, values: Sequence[int | None]) -> Mask:
    """(n, 10, 10) what seems hidden of halves, and their values -> (n,) whether the others of the same value show the
    same: so these are printed.

    bench.gates, what recurs is printed: photographs -, toys -, racks -, traced -, tables -.
    """
    out = np.zeros(len(hidden), np.bool_)
    inner = hidden[:, RIM:-RIM, RIM:-RIM].reshape(len(hidden), (HALF_CELLS - 2 * RIM) ** 2)
    for value in {one for one in values if one is not None}:
        same = np.flatnonzero([one == value for one in values])
        asked = inner[same]
        both, either = (asked[:, None] & asked).sum(2), (asked[:, None] | asked).sum(2)
        like = (both >= AS_PRINTED * either) & (both > 0)
        out[same] = (like.sum(1) - 1 >= np.maximum(1, OF_THEM * (len(same) - 1))) & (np.diagonal(both) > 0)
    return out


def _stands(half: HalfReading, hidden: Mask, values: Sequence[int], divided: bool, least_p: float) -> HalfReading:
    """The half, unread where its value may be another one or where something lies on it and it is less probable than
    `least_p`."""
    if half.value is None:
        return half
    many, perhaps = int(hidden.sum()), may_be(half.value, hidden, values)
    if perhaps != [half.value]:
        return HalfReading(None, 0.0, tuple((value, round(1 / len(perhaps), 4)) for value in perhaps))
    doubtful = (many >= A_THING and half.p < least_p) or (not divided and many >= LEAST_UNDIVIDED)
    return half.refused() if doubtful else half


def may_be(value: int, hidden: Mask, values: Sequence[int]) -> list[int]:
    """(10, 10) which cells of a half are hidden: this value and whichever of `values` would look like it; none where
    too much is hidden to tell."""
    inner = hidden[RIM:-RIM, RIM:-RIM]
    count = int(inner.sum())
    if count < LEAST_CELLS:
        return [value]
    if count > MOST * inner.size:
        return []
    near = _near(inner)
    seen = [_seen(points, near) for points in _placed(value)]
    looks = {other: [_seen(points, near) for points in _placed(other)] for other in values if other != value}
    return [value, *(other for other, ways in looks.items() if any(_alike(mine, way) for way in ways for mine in seen))]


def _near(inner: Mask) -> Mask:
    """(100, 100): where a pip's middle is so near to what is hidden that the pip may be hidden too."""
    fine = np.zeros((100, 100), np.uint8)
    fine[10:90, 10:90] = np.kron(inner.astype(np.uint8), np.ones((10, 10), np.uint8))
    reach = round(100 * REACH)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    return np.asarray(cv2.dilate(fine, kernel) > 0)


@cache
def _placed(value: int) -> tuple[Points, ...]:
    """Where in a half the pips of a value may stand, in tile widths from its outer left corner."""
    return tuple(tuple((0.5 + a * SPREAD, 0.5 + b * SPREAD) for a, b in points) for points in prints_of(value))


def _seen(points: Points, near: Mask) -> Points:
    return tuple((x, y) for x, y in points if not near[int(100 * y), int(100 * x)])


def _alike(ones: Points, others: Points) -> bool:
    """Whether two prints show the same pips, give or take what makers differ."""
    if len(ones) != len(others):
        return False
    return all(any(np.hypot(x - u, y - v) < SAME_PLACE for u, v in others) for x, y in ones)
