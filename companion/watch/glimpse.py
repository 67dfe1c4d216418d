"""The first look at a table that a hand has just left, taken before anybody knows whether the table lies still.

Two equal readings make a change real, and the next picture is a fifth of a second away: by the time it shows that
nothing moves any more, the first of the two has been made. Where something did move, it is thrown away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from companion.watch.view import at_edge
from vision.eye import Region
from vision.frame import Frame
from vision.reading import PictureReading


@dataclass(frozen=True, slots=True)
class GlimpseSettings:
    """Regions of more than `most_area` of the picture together, or at its edge, are looked at once it is sure that the
    table is still. The others are seen `margin` tile lengths wider: they may not be quite the ones asked for later."""

    most_area: float = 0.2
    margin: float = 0.2


class Glimpse:
    """Holds one look at one picture."""

    def __init__(self, settings: GlimpseSettings | None = None) -> None:
        self.settings = settings or GlimpseSettings()
        self._frame: Frame | None = None
        self._regions: tuple[Region, ...] = ()
        self._reading: PictureReading | None = None

    def take(self, frame: Frame, regions: Sequence[Region], look: Callable[[], PictureReading]) -> None:
        """Look at these regions of the picture, if they are small and no arm's."""
        w, h = frame.size_wh
        area = sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in regions)
        if 0 < area <= self.settings.most_area * w * h and not at_edge(regions, frame.size_wh):
            self._frame, self._regions, self._reading = frame, tuple(regions), look()

    def at(self, frame: Frame, regions: Sequence[Region]) -> PictureReading | None:
        """What was seen there in this very picture; None where it was not looked at, or not as widely."""
        if frame is not self._frame or not all(any(_holds(outer, one) for outer in self._regions) for one in regions):
            return None
        return self._reading

    def forget(self) -> None:
        self._frame, self._regions, self._reading = None, (), None


def _holds(outer: Region, inner: Region) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]
