"""Looks at a table that a hand has just left, begun before anybody knows whether the table lies still.

Two equal readings make a change real, and the next picture is a fifth of a second away: by the time it shows that
nothing moves any more, the first of the two has been made, and the second one is under way: the eye looks at the same
places again while the settler still compares. Where something did move, both are thrown away.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass

from companion.perception.projection import at_edge
from vision.eye import Region
from vision.frame import Frame
from vision.reading import PictureReading

Look = Callable[[Frame, Sequence[Region]], PictureReading]


MOST_AREA = 0.2
MARGIN = 0.2
"""Regions of more than `MOST_AREA` of the picture together, or at its edge, are looked at once it is sure that the
table is still. The others are seen `MARGIN` tile lengths wider: they may not be quite the ones asked for later."""


@dataclass(frozen=True, slots=True)
class _Ahead:
    frame: Frame
    regions: tuple[Region, ...]
    reading: Future[PictureReading]


class Prefetch:
    """Holds a look at one picture, and the same look at the next one. Only one is ever under way: before the eye is
    asked for anything else, wait until this is `idle`."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._ahead: list[_Ahead] = []

    def take(self, frame: Frame, regions: Sequence[Region]) -> None:
        """Look at these regions of the picture, if they are small and no arm's. Raises what the look raises."""
        w, h = frame.size_wh
        area = sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in regions)
        if not 0 < area <= MOST_AREA * w * h or at_edge(regions, frame.size_wh):
            return
        if self.at(frame, regions) is not None:
            self._ahead = self._ahead[-1:]
            return
        self.forget()
        self._begin(frame, tuple(regions)).result()

    def again(self, frame: Frame, before: Frame | None) -> None:
        """Begin to look where the picture `before` this one was looked at, if it was, and do not wait for it."""
        if len(self._ahead) == 1 and self._ahead[0].frame is before:
            self._begin(frame, self._ahead[0].regions)

    def at(self, frame: Frame, regions: Sequence[Region]) -> PictureReading | None:
        """What is seen there in this very picture; None where it was not looked at, or not as widely. Raises what the
        look has raised."""
        for one in self._ahead:
            if one.frame is frame and all(any(_holds(outer, inner) for outer in one.regions) for inner in regions):
                return one.reading.result()
        return None

    def look(self, frame: Frame, regions: Sequence[Region]) -> PictureReading:
        """What is seen there in this picture, looked at now unless it was before. Raises what the look raises."""
        known = self.at(frame, regions)
        if known is not None:
            return known
        self.idle()
        return self._look(frame, regions)

    def idle(self) -> None:
        """Wait until no look is under way."""
        wait([one.reading for one in self._ahead])

    def forget(self) -> None:
        self.idle()
        self._ahead = []

    def _begin(self, frame: Frame, regions: tuple[Region, ...]) -> Future[PictureReading]:
        reading: Future[PictureReading] = Future()
        self._ahead.append(_Ahead(frame, regions, reading))

        def run() -> None:
            try:
                reading.set_result(self._look(frame, regions))
            except BaseException as problem:
                reading.set_exception(problem)

        # Never waited for at the program's end: the eye may hang.
        threading.Thread(target=run, name="glimpse", daemon=True).start()
        return reading


def _holds(outer: Region, inner: Region) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]
