"""Angles in degrees, -180 to 180."""

from __future__ import annotations


def wrapped(degrees: float) -> float:
    """The same direction in -180 up to 180 degrees.

    >>> wrapped(270.0), wrapped(-180.0), wrapped(180.0)
    (-90.0, -180.0, -180.0)
    """
    return (degrees + 180.0) % 360.0 - 180.0


def turn(a: float, b: float) -> float:
    """The smallest turn from `b` to `a`.

    >>> turn(-170.0, 170.0)
    20.0
    """
    return wrapped(a - b)
