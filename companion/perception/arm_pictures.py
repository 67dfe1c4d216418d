"""Small pictures of the moments in which an arm was over the table, for a dispute about who laid what.

They are kept in memory until the table is read, and only the one over a change that is recorded is stored with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vision.frame import Frame, Image

MOST, WIDTH_PX = 12, 400
"""4 MB; where more moments come, every second one goes."""


@dataclass(slots=True)
class ArmPictures:
    """`see` gets every frame with an arm in it, in order; `nearest` gives the picture of one or of the next to it."""

    _order: dict[str, int] = field(init=False, default_factory=dict)
    _kept: list[tuple[int, Image]] = field(init=False, default_factory=list)

    def see(self, frame: Frame) -> None:
        place = len(self._order)
        self._order[frame.name] = place
        w, h = frame.size_wh
        small = frame.reduced((min(w, WIDTH_PX), max(1, round(h * min(w, WIDTH_PX) / w))))
        self._kept.append((place, small.copy() if small is frame.image else small))
        if len(self._kept) > MOST:
            self._kept = self._kept[::2]

    def nearest(self, frame: str) -> Image | None:
        """None where no arm was seen in a frame of this name."""
        place = self._order.get(frame)
        if place is None or not self._kept:
            return None
        return min(self._kept, key=lambda one: abs(one[0] - place))[1]

    def forget(self) -> None:
        self._order.clear()
        self._kept.clear()
