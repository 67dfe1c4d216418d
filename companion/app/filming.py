"""How the camera is to film, as somebody chose it on the page: kept for the next start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.storage.state_file import read_state, write_state
from hardware.camera import CameraSettings

FILMING_FILE = "camera.json"
"""In the data folder."""

MAINS_HZ = (50, 60)
LEAST_PX, MOST_PX = 160, 10_000


class FilmingChoice:
    """The settings of the live camera: the command line's, over which the page's choice goes."""

    def __init__(
        self, file: Path, given: CameraSettings | None = None, damaged: Callable[[Path], None] = lambda aside: None
    ) -> None:
        self._file = file
        self.settings = given or CameraSettings()
        kept = read_state(file, _choice, None, damaged)
        if kept is not None:
            self._take(*kept)

    def choose(self, size_wh: tuple[int, int] | None, mains_hz: int | None) -> CameraSettings:
        """Film like this from now on; None: whatever is best. Raises ValueError, OSError."""
        choice = _choice({"size": None if size_wh is None else list(size_wh), "mains_hz": mains_hz})
        write_state(self._file, {"size": size_wh and list(size_wh), "mains_hz": mains_hz})
        self._take(*choice)
        return self.settings

    def to_json(self) -> dict[str, Any]:
        size = self.settings.size_wh
        return {"size": None if size is None else list(size), "mains": self.settings.mains_hz or "auto"}

    def _take(self, size_wh: tuple[int, int] | None, mains_hz: int | None) -> None:
        self.settings = replace(self.settings, size_wh=size_wh, mains_hz=mains_hz)


def _choice(kept: Any) -> tuple[tuple[int, int] | None, int | None]:
    """Raises ValueError, KeyError or TypeError for anything else than a size and a frequency."""
    size, mains_hz = kept["size"], kept["mains_hz"]
    if size is not None:
        w, h = (int(length) for length in size)
        if not (LEAST_PX <= w <= MOST_PX and LEAST_PX <= h <= MOST_PX):
            raise ValueError(f"expected a size of {LEAST_PX} to {MOST_PX} pixels")
        size = (w, h)
    if mains_hz is not None and mains_hz not in MAINS_HZ:
        raise ValueError("expected mains of 50 or 60 Hz")
    return size, mains_hz
