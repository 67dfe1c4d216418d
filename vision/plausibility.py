"""Tiles of one picture come from one box: what differs from the sure ones in size or body colour is doubtful.

Mostly finds that could not be read are judged by this. A tile that can be read is believed although it looks a little
different: boxes of two makers may be mixed. Only what is as light as the others are dark is none, once so many tiles
with one body were read: the dots of a cloth make fives and eights.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.rotated import sides

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PlausibilitySettings:
    """`least_sure` tiles must be sure before they are a measure. Colours are CIE L*a*b* as OpenCV scales it.

    A half of a tile and what lies beside it differ by `ground_apart`, where `least_bodies` tiles tell what is usual.

    Where at least `least_bodies` tiles are known and a share of `one_body` of them have one body, a find is no tile of
    the box where less than `least_body` of it has that colour, up to `brighter` or in a shadow, down to `in_shadow`.

    Among `many_backs` tiles lying face down one that looks like less than `same_backs` of the others is none,
    where at least `framing` of them lie within `beside` tile lengths of it or it is believed less than `hardly`. What
    is not clearly read and lies in their rows, `rows` of them at its sides, end to end or flank to flank, parallel
    within `parallel` (sine) and out of place by `aside` of a tile's size at most, is one of them, scratched or soiled,
    where it looks like `like_backs` of them.
    """

    least_sure: int = 3
    size_factor: float = 1.35
    colour_apart: float = 14.0
    ground_apart: float = 8.0
    light_apart: float = 55.0
    least_bodies: int = 8
    one_body: float = 0.8
    other_colour: float = 20.0
    brighter: float = 65.0
    in_shadow: float = 110.0
    least_body: float = 0.1
    many_backs: int = 6
    same_backs: float = 0.15
    beside: float = 1.25
    framing: int = 2
    hardly: float = 0.5
    rows: int = 2
    parallel: float = 0.2
    aside: float = 0.3
    like_backs: float = 0.5
    clearly: float = 0.97


def body_colours(crops: Image) -> Floats:
    """(n, side, 2 side, 3) crops of tiles -> (n, 3): the middle L, a, b of each, which is its body and not its pips."""
    if not len(crops):
        return np.zeros((0, 3), np.float32)
    return np.asarray(np.median(_middles(crops), 1), np.float32)


def _middles(crops: Image) -> Floats:
    """(n, side, 2 side, 3) BGR -> (n, pixels, 3): the middle of every tile in L, a, b."""
    small = np.asarray(crops[:, 4:-4:2, 4:-4:2], np.uint8)
    n, h, w, _ = small.shape
    lab = np.asarray(cv2.cvtColor(small.reshape(n * h, w, 3), cv2.COLOR_BGR2LAB), np.float32)
    return lab.reshape(n, h * w, 3)


def half_grounds(
    crops: Image, blank: NDArray[np.bool_], known: Floats, settings: PlausibilitySettings
) -> NDArray[np.bool_]:
    """(n, side, 2 side, 3) crops, (n, 2) which halves read as blank, (m, 3) body colours of sure tiles -> (n,) True
    where the only blank half has neither the other half's colour nor a sure tile's: it is what lies beside a tile. What
    is lighter than all sure tiles may be one in a glare, which takes the colour away."""
    s = settings
    if len(known) < s.least_bodies or not len(crops):
        return np.zeros(len(crops), np.bool_)
    wide = crops.shape[2] // 2
    halves = np.stack([body_colours(crops[:, :, :wide]), body_colours(crops[:, :, wide:])], 1)
    own, other = np.where(blank[:, :1, None], halves, halves[:, ::-1]).swapaxes(0, 1)
    apart = np.linalg.norm(own[:, 1:] - other[:, 1:], axis=1) >= s.ground_apart
    unknown = ~(np.linalg.norm(own[:, None, 1:] - known[None, :, 1:], axis=2) < s.ground_apart).any(1)
    burnt = own[:, 0] > known[:, 0].max()
    return np.asarray((blank.sum(1) == 1) & apart & unknown & ~burnt)


def lightest_beside(quads: Floats, colours: Floats, sure: NDArray[np.bool_], settings: PlausibilitySettings) -> Floats:
    """(n, 4, 2) finds, (n, 3) their body colours -> (n, 3) that of the lightest sure tile next to each; 0 for none."""
    none = np.zeros((len(quads), 3), np.float32)
    if not sure.any():
        return none
    centres = quads.mean(1)
    apart = np.linalg.norm(centres[:, None] - centres[None, sure], axis=2)
    reach = settings.beside * np.median(np.maximum(*sides(quads[sure])))
    light = np.where((apart < reach) & (apart > 0), colours[None, sure, 0], -1.0)
    lightest = colours[sure][light.argmax(1)]
    return np.asarray(np.where(light.max(1)[:, None] >= 0, lightest, none), np.float32)


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
    return np.asarray(odd_size | (alike_in_colour(colours, colours[sure], s).mean(1) < 0.2))


@dataclass(slots=True)
class Bodies:
    """The body colour of every tile that was surely read, the last look counting."""

    settings: PlausibilitySettings
    _seen: dict[tuple[int, int], Floats] = field(default_factory=dict)

    def learn(self, pairs: Iterable[tuple[int, int]], colours: Floats) -> None:
        """Values and (n, 3) body colours of n surely read tiles."""
        for (a, b), colour in zip(pairs, colours, strict=True):
            self._seen[min(a, b), max(a, b)] = colour

    def foreign(self, crops: Image, beside: Floats | None = None) -> NDArray[np.bool_]:
        """(n, side, 2 side, 3) crops -> (n,) True where hardly anything has the colour of a box with one body.

        `beside` (n, 3): the colour of a sure tile next to each, which lies in the same light.
        """
        s = self.settings
        known = np.array(list(self._seen.values()), np.float32).reshape(-1, 3)
        if len(known) < s.least_bodies or not len(crops):
            return np.zeros(len(crops), np.bool_)
        body = np.median(known, 0)[None]
        if alike_in_colour(known, body, s).mean() < s.one_body:
            return np.zeros(len(crops), np.bool_)
        middles = _middles(crops)
        share = self._of_body(middles - body)
        if beside is not None:
            share = np.maximum(share, self._of_body(middles - beside[:, None]))
        return np.asarray(share < s.least_body)

    def _of_body(self, apart: Floats) -> Floats:
        """(n, pixels, 3) differences from a body's colour -> (n,) how much of each may be that body."""
        s = self.settings
        near = (np.hypot(apart[..., 1], apart[..., 2]) < s.other_colour) & (apart[..., 0] < s.brighter)
        return np.asarray((near & (apart[..., 0] > -s.in_shadow)).mean(1), np.float32)


def gaps(quads: Floats, colours: Floats, believed: Floats, settings: PlausibilitySettings) -> NDArray[np.bool_]:
    """(n, 4, 2) finds that lie face down, (n, 3) their body colours and (n,) how surely each is one -> (n,) True where
    it is the table, framed by tiles or hardly believed at all. One that shines in the light lies anywhere."""
    s = settings
    n = len(colours)
    if n < s.many_backs:
        return np.zeros(n, np.bool_)
    others = alike_in_colour(colours, colours, s).sum(1) - 1
    centres = quads.mean(1)
    reach = s.beside * np.median(np.maximum(*sides(quads)))
    beside = (np.linalg.norm(centres[:, None] - centres[None], axis=2) < reach).sum(1) - 1
    framed = (beside >= s.framing) | (believed < s.hardly)
    return np.asarray((others < s.same_backs * (n - 1)) & framed)


def in_rows(
    quads: Floats, colours: Floats, backs: NDArray[np.intp], finds: NDArray[np.intp], settings: PlausibilitySettings
) -> NDArray[np.bool_]:
    """(n, 4, 2) finds, (n, 3) their body colours -> for each of `finds` whether it is one of the rows of `backs`."""
    s = settings
    if len(backs) < s.many_backs or not len(finds):
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
    flank = (along < s.aside * length) & (np.abs(across - width) < s.aside * width)
    end = (across < s.aside * length) & (np.abs(along - length) < s.aside * length)
    rows = ((flank | end) & (straight < s.parallel)).sum(1) >= s.rows
    return np.asarray(rows & (alike_in_colour(colours[finds], colours[backs], s).mean(1) >= s.like_backs))


def alike_in_colour(colours: Floats, known: Floats, settings: PlausibilitySettings) -> NDArray[np.bool_]:
    """(n, 3) and (m, 3) body colours -> (n, m) whether two are the same but for the light on them."""
    chroma = np.linalg.norm(colours[:, None, 1:] - known[None, :, 1:], axis=2)
    light = np.abs(colours[:, None, 0] - known[None, :, 0])
    return np.asarray((chroma < settings.colour_apart) & (light < settings.light_apart))
