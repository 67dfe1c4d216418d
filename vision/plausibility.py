"""Tiles of one picture come from one box: what differs from the sure ones in size or body colour is doubtful.

Only finds that could not be read are judged by this. A tile that can be read is believed whatever it looks like: boxes
of two makers may be mixed, and a guess about colours is no reason to overlook a tile.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.rotated import sides

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PlausibilitySettings:
    """`least_sure` tiles must be sure before they are a measure. Colours are CIE L*a*b* as OpenCV scales it.

    Among `many_backs` tiles lying face down one that looks like less than `same_backs` of the others is none,
    where at least `framing` of them lie within `beside` tile lengths of it.
    """

    least_sure: int = 3
    size_factor: float = 1.35
    colour_apart: float = 14.0
    light_apart: float = 55.0
    many_backs: int = 6
    same_backs: float = 0.15
    beside: float = 1.25
    framing: int = 2


def body_colours(crops: Image) -> Floats:
    """(n, side, 2 side, 3) crops of tiles -> (n, 3): the middle L, a, b of each, which is its body and not its pips."""
    if not len(crops):
        return np.zeros((0, 3), np.float32)
    small = np.asarray(crops[:, 4:-4:2, 4:-4:2], np.uint8)
    n, h, w, _ = small.shape
    lab = np.asarray(cv2.cvtColor(small.reshape(n * h, w, 3), cv2.COLOR_BGR2LAB), np.float32)
    return np.asarray(np.median(lab.reshape(n, h * w, 3), 1), np.float32)


def strangers(
    quads: Floats, colours: Floats, sure: NDArray[np.bool_], settings: PlausibilitySettings
) -> NDArray[np.bool_]:
    """(n,) True where a find is of another size or colour than every group of sure tiles allows."""
    s = settings
    if sure.sum() < s.least_sure:
        return np.zeros(len(quads), np.bool_)
    along, across = sides(quads)
    size = np.sqrt(along * across)
    typical = np.median(size[sure])
    odd_size = (size > typical * s.size_factor) | (size < typical / s.size_factor)
    return np.asarray(odd_size | (_alike(colours, colours[sure], s).mean(1) < 0.2))


def gaps(quads: Floats, colours: Floats, settings: PlausibilitySettings) -> NDArray[np.bool_]:
    """(n, 4, 2) finds that lie face down and (n, 3) their body colours -> (n,) True where it is the table, framed by
    tiles. One that shines in the light lies anywhere."""
    s = settings
    n = len(colours)
    if n < s.many_backs:
        return np.zeros(n, np.bool_)
    others = _alike(colours, colours, s).sum(1) - 1
    centres = quads.mean(1)
    reach = s.beside * np.median(np.maximum(*sides(quads)))
    beside = (np.linalg.norm(centres[:, None] - centres[None], axis=2) < reach).sum(1) - 1
    return np.asarray((others < s.same_backs * (n - 1)) & (beside >= s.framing))


def _alike(colours: Floats, known: Floats, settings: PlausibilitySettings) -> NDArray[np.bool_]:
    """(n, 3) and (m, 3) body colours -> (n, m) whether two are the same but for the light on them."""
    chroma = np.linalg.norm(colours[:, None, 1:] - known[None, :, 1:], axis=2)
    light = np.abs(colours[:, None, 0] - known[None, :, 0])
    return np.asarray((chroma < settings.colour_apart) & (light < settings.light_apart))
