"""Tiles of one picture come from one box: one that differs from the sure ones in size or body colour is doubtful.

Mostly finds that could not be read are judged by this. A tile that can be read is believed although it looks a little
different: boxes of two makers may be mixed. Only a find that is as light as the others are dark is no tile, once enough
tiles with one body were read: the dots of a cloth make fives and eights.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image, middle_levels
from vision.rotated import sides

Floats = NDArray[np.float32]


LEAST_SURE = 3
"""At least this many tiles must be sure before they are a measure."""
SIZE_FACTOR = 1.35
"""A tile longer or shorter than the others by more than this factor has an odd size."""
COLOUR_APART = 14.0
"""Bodies farther apart in a*, b* than this are two colours; farther apart in L* than `LIGHT_APART` two lights. Colours
are CIE L*a*b* as OpenCV scales it."""
LIGHT_APART = 55.0
LEAST_BODIES = 8
"""At least this many tiles tell the usual colour."""
ONE_BODY = 0.8
"""All tiles have one body if this share of them has. Then a find with another colour is no tile of the box."""
OTHER_COLOUR = 20.0
"""A pixel nearer to the bodies' a*, b* than this has their colour."""
BRIGHTER = 65.0
"""A pixel has the body's colour up to this much brighter in L*."""
IN_SHADOW = 110.0
"""And down to this much darker, in a shadow."""
LEAST_BODY = 0.1
"""A find is no tile of the box if less than this share of it has the colour."""
MANY_BACKS = 6
"""At least this many tiles lying face down are a measure of backs."""
SAME_BACKS = 0.15
"""A back that looks like less than this share of the others is no tile, if it is framed or hardly believed."""
BESIDE = 1.25
"""Tile lengths within which a tile lies beside another."""
FRAMING = 2
"""A back is framed if so many others lie beside it."""
HARDLY = 0.5
"""A back below this confidence is hardly believed."""
ROWS = 2
"""An unclear find between so many backs, end to end or flank to flank, is one of them, scratched or soiled."""
PARALLEL = 0.2
"""Such backs are parallel within this sine."""
ASIDE = 0.3
"""And out of place by at most this share of a tile's size."""
LIKE_BACKS = 0.5
"""And the find looks like at least this share of the backs."""


def body_colours(crops: Image) -> Floats:
    """(n, side, 2 side, 3) crops of tiles -> (n, 3): the middle L, a, b of each, which is its body and not its pips."""
    if not len(crops):
        return np.zeros((0, 3), np.float32)
    return middle_levels(_middles(crops))


def _middles(crops: Image) -> Image:
    """(n, side, 2 side, 3) BGR -> (n, pixels, 3) uint8: the middle of every tile in L, a, b."""
    small = np.asarray(crops[:, 4:-4:2, 4:-4:2], np.uint8)
    n, h, w, _ = small.shape
    lab = np.asarray(cv2.cvtColor(small.reshape(n * h, w, 3), cv2.COLOR_BGR2LAB), np.uint8)
    return lab.reshape(n, h * w, 3)


def lightest_beside(quads: Floats, colours: Floats, sure: NDArray[np.bool_]) -> Floats:
    """(n, 4, 2) finds, (n, 3) their body colours -> (n, 3) that of the lightest sure tile next to each; 0 for none."""
    none = np.zeros((len(quads), 3), np.float32)
    if not sure.any():
        return none
    centres = quads.mean(1)
    apart = np.linalg.norm(centres[:, None] - centres[None, sure], axis=2)
    reach = BESIDE * np.median(np.maximum(*sides(quads[sure])))
    light = np.where((apart < reach) & (apart > 0), colours[None, sure, 0], -1.0)
    lightest = colours[sure][light.argmax(1)]
    return np.asarray(np.where(light.max(1)[:, None] >= 0, lightest, none), np.float32)


def strangers(quads: Floats, colours: Floats, sure: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(n,) True where a find is of another size or colour than every group of sure tiles allows.

    No reading hangs on it. On 20 traced tables it leaves out two unread finds that are no tile, on 81 photographs one
    that is one, at the edge.

    bench.gates, of another size or colour: photographs 0/0/0, toys +1/0/0, racks 0/0/0, tables 0/0/0.
    """
    if sure.sum() < LEAST_SURE:
        return np.zeros(len(quads), np.bool_)
    along, across = sides(quads)
    size = np.sqrt(along * across)
    typical = np.median(size[sure])
    odd_size = (size > typical * SIZE_FACTOR) | (size < typical / SIZE_FACTOR)
    return np.asarray(odd_size | (alike_in_colour(colours, colours[sure]).mean(1) < 0.2))


@dataclass(slots=True)
class Bodies:
    """The body colour of every tile that was surely read, the last look counting."""

    _seen: dict[tuple[int, int], Floats] = field(default_factory=dict)

    def learn(self, pairs: Iterable[tuple[int, int]], colours: Floats) -> None:
        """Values and (n, 3) body colours of n surely read tiles."""
        for (a, b), colour in zip(pairs, colours, strict=True):
            self._seen[min(a, b), max(a, b)] = colour

    def foreign(self, crops: Image, beside: Floats | None = None) -> NDArray[np.bool_]:
        """(n, side, 2 side, 3) crops -> (n,) True where hardly anything has the colour of a box with one body.

        `BESIDE` (n, 3): the colour of a sure tile next to each, which lies in the same light.
        """
        known = np.array(list(self._seen.values()), np.float32).reshape(-1, 3)
        if len(known) < LEAST_BODIES or not len(crops):
            return np.zeros(len(crops), np.bool_)
        body = np.median(known, 0)[None]
        if alike_in_colour(known, body).mean() < ONE_BODY:
            return np.zeros(len(crops), np.bool_)
        middles = _middles(crops).astype(np.float32)
        share = self._of_body(middles - body)
        if beside is not None:
            share = np.maximum(share, self._of_body(middles - beside[:, None]))
        return np.asarray(share < LEAST_BODY)

    def _of_body(self, apart: Floats) -> Floats:
        """(n, pixels, 3) differences from a body's colour -> (n,) how much of each may be that body."""
        near = (np.hypot(apart[..., 1], apart[..., 2]) < OTHER_COLOUR) & (apart[..., 0] < BRIGHTER)
        return np.asarray((near & (apart[..., 0] > -IN_SHADOW)).mean(1), np.float32)


def gaps(quads: Floats, colours: Floats, believed: Floats) -> NDArray[np.bool_]:
    """(n, 4, 2) finds that lie face down, (n, 3) their body colours and (n,) how surely each is one -> (n,) True where
    it is the table, framed by tiles or hardly believed at all. One that shines in the light lies anywhere. On 20 traced
    tables that leaves out one find that is no tile, and no reading hangs on it there or on photographs.

    bench.gates, a gap among backs: photographs -, toys 0/0/0, racks -, tables -.
    """
    n = len(colours)
    if n < MANY_BACKS:
        return np.zeros(n, np.bool_)
    others = alike_in_colour(colours, colours).sum(1) - 1
    centres = quads.mean(1)
    reach = BESIDE * np.median(np.maximum(*sides(quads)))
    beside = (np.linalg.norm(centres[:, None] - centres[None], axis=2) < reach).sum(1) - 1
    framed = (beside >= FRAMING) | (believed < HARDLY)
    return np.asarray((others < SAME_BACKS * (n - 1)) & framed)


def in_rows(quads: Floats, colours: Floats, backs: NDArray[np.intp], finds: NDArray[np.intp]) -> NDArray[np.bool_]:
    """(n, 4, 2) finds, (n, 3) their body colours -> for each of `finds` whether it is one of the rows of `backs`."""
    if len(backs) < MANY_BACKS or not len(finds):
        return np.zeros(len(finds), np.bool_)
    first, second = quads[:, 1] - quads[:, 0], quads[:, 2] - quads[:, 1]
    u = np.where((np.linalg.norm(first, axis=1) > np.linalg.norm(second, axis=1))[:, None], first, second)
    length = np.median(np.linalg.norm(u[backs], axis=1))
    width = np.median(np.minimum(*sides(quads[backs])))
    u = u / np.maximum(np.linalg.norm(u, axis=1, keepdims=True), 1e-6)
    centres = quads.mean(1)
    apart = centres[backs][None] - centres[finds][:, None]
    along = np.abs((apart * u[finds][:, None]).sum(2))
    across = np.abs(apart[..., 0] * u[finds][:, None, 1] - apart[..., 1] * u[finds][:, None, 0])
    straight = np.abs(u[finds][:, None, 0] * u[backs][None, :, 1] - u[finds][:, None, 1] * u[backs][None, :, 0])
    flank = (along < ASIDE * length) & (np.abs(across - width) < ASIDE * width)
    end = (across < ASIDE * length) & (np.abs(along - length) < ASIDE * length)
    rows = ((flank | end) & (straight < PARALLEL)).sum(1) >= ROWS
    return np.asarray(rows & (alike_in_colour(colours[finds], colours[backs]).mean(1) >= LIKE_BACKS))


def alike_in_colour(colours: Floats, known: Floats) -> NDArray[np.bool_]:
    """(n, 3) and (m, 3) body colours -> (n, m) whether two are the same but for the light on them."""
    chroma = np.linalg.norm(colours[:, None, 1:] - known[None, :, 1:], axis=2)
    light = np.abs(colours[:, None, 0] - known[None, :, 0])
    return np.asarray((chroma < COLOUR_APART) & (light < LIGHT_APART))
