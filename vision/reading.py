"""Readings of a picture. A value is a claim: an unreadable half is None, never a guess."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

Quad = NDArray[np.float32]

VALUES = 19
"""The reader's classes 0 to 18; then "none" (no readable half of a tile lies here) and "back" (it lies face down)."""
NONE, BACK, CLASSES = 19, 20, 21
OFFSETS = 4
"""After the classes: where the half's two outer corners really are, see `put_right`."""
SEEN_WHOLE = 0.9995
"""From here on a half is read as only what shows whole is: under toys on photographs the surest of 14 wrong values had
0.9989."""
THOUGH_DISTURBED = 0.99
"""From here on a half counts in a photograph where something seems to lie on it or its tile's outline is bent: it may
leave a tenth of the odds on another value that a half in full sight may. Under toys on photographs (seed 8) four of
five wrong values were below it, and 17 of 133 right ones.
bench.gates, under something, hardly sure: photographs 0/0/0, toys +12/0/0, racks +1/+1/0, traced +1/0/0, tables -."""

MAY_BE = 0.1
"""A value of an unread half is named to people from this probability on."""


@dataclass(frozen=True, slots=True)
class HalfReading:
    """One half of a tile.

    >>> HalfReading(None, 0.4, ((8, 0.4), (6, 0.3))).others[0]
    (8, 0.4)
    """

    value: int | None
    """None is *unreadable*."""
    p: float
    """The calibrated probability of the likeliest value."""
    others: tuple[tuple[int, float], ...] = ()
    """The runners-up as (value, p), likeliest first. For an unreadable half they start with the likeliest value."""

    @property
    def maybe(self) -> list[int]:
        """The values that an unread half may well have, likeliest first.

        >>> HalfReading(None, 0.5, ((8, 0.5), (6, 0.3), (7, 0.01))).maybe
        [8, 6]
        """
        return [value for value, p in self.others if p >= MAY_BE] if self.value is None else []

    def refused(self) -> HalfReading:
        """The same, unread though the print reads well, as something speaks against it: `p` is 0 then. Its possible
        values are kept for people.

        >>> HalfReading(5, 0.99, ((3, 0.01),)).refused()
        HalfReading(value=None, p=0.0, others=((5, 0.99), (3, 0.01)))
        """
        return self if self.value is None else HalfReading(None, 0.0, ((self.value, self.p), *self.others))


@dataclass(frozen=True, slots=True, eq=False)
class TileReading:
    """One tile in a picture.

    >>> quad = np.array([[0, 0], [0, 20], [40, 20], [40, 0]], np.float32)
    >>> TileReading(quad, "up", (HalfReading(12, 0.99), HalfReading(5, 0.98)), 0.9).values
    (12, 5)
    >>> TileReading(quad, "up", (HalfReading(12, 0.99), HalfReading(None, 0.4)), 0.9).values is None
    True
    """

    quad_px: Quad
    """(4, 2) float32, clockwise as displayed, half 0 at the edge 0-1."""
    face: str
    """The side that shows: "up" or "down"."""
    halves: tuple[HalfReading, HalfReading] | None
    """None for a tile that lies face down."""
    confidence: float
    """How sure it is that a tile lies there at all, from 0 to 1."""
    or_blank: bool = False
    """A tile face down that may as well be the double blank: this picture does not tell it from a back."""

    @property
    def values(self) -> tuple[int, int] | None:
        """Both values, or None while the tile lies face down or either half is unreadable."""
        if self.halves is None:
            return None
        a, b = self.halves[0].value, self.halves[1].value
        return None if a is None or b is None else (a, b)


def unread(tile: TileReading) -> TileReading:
    """The same tile with nothing claimed of it."""
    halves = tile.halves
    if halves is None or all(half.value is None for half in halves):
        return tile
    return replace(tile, halves=(HalfReading(None, 0.0), HalfReading(None, 0.0)))


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A marker or the hub.

    >>> Found(np.zeros((4, 2), np.float32), 0.8).confidence
    0.8
    """

    quad_px: Quad
    """(4, 2) float32, clockwise as displayed."""
    confidence: float
    """From 0 to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class PictureReading:
    """Everything read in one picture.

    >>> PictureReading((640, 480), ()).hub is None
    True
    """

    size_wh: tuple[int, int]
    """Pixels of the picture."""
    tiles: tuple[TileReading, ...]
    markers: tuple[Found, ...] = ()
    hub: Found | None = None
    overlooked: tuple[Quad, ...] = ()
    """Outlines (4, 2) of tiles that a photograph shows and `tiles` lacks."""
    warnings: tuple[str, ...] = field(default=())
    ms: float = 0.0
    """How long it took, without opening the file."""
