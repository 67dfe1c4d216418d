"""Several rounds on one sketched table, one after the other, with hands between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bench.stand_ins.sketch import an_arm
from companion.perception.setup_file import GameSetup
from datasets.simulator.camera import SimCamera
from datasets.simulator.film import Image
from datasets.simulator.tabletop import TableTop
from vision.frame import Frame

HAND_FRAMES, STILL_FRAMES = 6, 9
"""So long a hand is over the table at a time, and so long it lies still afterwards."""


class SketchedEvening:
    """A camera over one table on which the rounds of `cameras` are filmed in turn, all of one plan.

    When one's film is over, hands clear the table and lay the next one's first scene there. `clearing`: the shares of
    the tiles that lie there still at the moments at which the table comes to rest meanwhile; 0 is an empty table.
    """

    live = False
    stills = False

    def __init__(self, cameras: Sequence[SimCamera], clearing: Sequence[float] = ()) -> None:
        self._cameras = list(cameras)
        self._clearing = clearing
        self._now = 0
        self._count = 0
        self._images = self._shoot()

    @property
    def camera(self) -> SimCamera:
        """The one that films now."""
        return self._cameras[self._now]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.camera, name)

    def setup(self) -> GameSetup:
        return self._cameras[0].setup()

    def read(self) -> Frame | None:
        image = next(self._images, None)
        if image is None:
            return None
        self._count += 1
        return Frame(image, self._count * 0.2, f"evening-{self._count:06d}")

    def _shoot(self) -> Iterator[Image]:
        for number, camera in enumerate(self._cameras):
            self._now = number
            while (frame := camera.read()) is not None:
                yield frame.image
            if number + 1 < len(self._cameras):
                for share in (*self._clearing, None):
                    for step in range(HAND_FRAMES):
                        yield camera.film.frame([an_arm((400.0, 500.0), camera.plan)], step)
                    if share is not None:
                        clear(camera.table, share)
                        camera.film.develop(camera.table)
                        for _ in range(STILL_FRAMES):
                            yield camera.film.frame()


def clear(table: TableTop, share: float) -> None:
    """Take tiles off the table until this share of them is left, the outermost first."""
    if share == 0.0:
        table.set_up(None, None)
        return
    left = round(share * sum(map(len, table.trains.values())))
    while sum(map(len, table.trains.values())) > left:
        max(table.trains.values(), key=len).pop()
    table.markers.clear()
