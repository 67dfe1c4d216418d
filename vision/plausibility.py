"""Tiles of one picture come from one box: one that differs from the sure ones in size or body colour is doubtful.

Only finds that could not be read are judged by this. A tile that can be read is believed although it looks different:
boxes of two makers may be mixed.
"""

from __future__ import annotations

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
    small = np.asarray(crops[:, 4:-4:2, 4:-4:2], np.uint8)
    n, h, w, _ = small.shape
    lab = np.asarray(cv2.cvtColor(small.reshape(n * h, w, 3), cv2.COLOR_BGR2LAB), np.uint8)
    return middle_levels(lab.reshape(n, h * w, 3))


def strangers(quads: Floats, colours: Floats, sure: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(n,) True where a find is of another size or colour than every group of sure tiles allows.

    No reading hangs on it. On 20 traced tables it leaves out two unread finds that are no tile, on 81 photographs one
    that is one, at the edge.

    bench.gates, of another size or colour: photographs 0/0/0, toys +1/0/0, racks 0/0/0, traced 0/+1/+1, tables 0/0/0.
    """
    if sure.sum() < LEAST_SURE:
        return np.zeros(len(quads), np.bool_)
    along, across = sides(quads)
    size = np.sqrt(along * across)
    typical = np.median(size[sure])
    odd_size = (size > typical * SIZE_FACTOR) | (size < typical / SIZE_FACTOR)
    return np.asarray(odd_size | (alike_in_colour(colours, colours[sure]).mean(1) < 0.2))


def gaps(quads: Floats, colours: Floats, believed: Floats) -> NDArray[np.bool_]:
    """(n, 4, 2) finds that lie face down, (n, 3) their body colours and (n,) how surely each is one -> (n,) True where
    it is the table, framed by tiles or hardly believed at all. One that shines in the light lies anywhere. On 20 traced
    tables that leaves out one find that is no tile, and no reading hangs on it there or on photographs.

    bench.gates, a gap among backs: photographs -, toys 0/0/0, racks -, traced -, tables -.
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
