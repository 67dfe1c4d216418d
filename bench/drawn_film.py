"""The parts that films of other renderers share: one still table, the arms over it, the camera's noise."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.simulator.arm_sprite import ArmSprite
from datasets.simulator.film import NOISE_BANK, FilmSettings
from datasets.simulator.plan import TablePlan
from datasets.simulator.reaching import Arm, ArmLook
from datasets.simulator.tabletop import TableTop

Image = NDArray[np.uint8]
UNLIKE_TABLE = 14
"""Grey levels by which what an arm adds to the picture differs from the table."""
BURNT = 246
"""From this level (of 255) on a channel is taken to be burnt out, more so towards white."""


def dimmed(image: Image, share: float) -> Image:
    """The picture with so much of its light; what was burnt out stays so, for how bright it was nobody knows."""
    burnt = np.clip((image.astype(np.float32) - BURNT) / (255 - BURNT), 0, 1)
    return np.clip(image * (share + (1 - share) * burnt), 0, 255).astype(np.uint8)


class DrawnFilm(ABC):
    """Stands in for `datasets.simulator.film.Film`. Everything that has a look of its own has a chance of its own."""

    def __init__(self, plan: TablePlan, seed: int, settings: FilmSettings | None) -> None:
        self.plan, self.seed, self.settings = plan, seed, settings or FilmSettings()
        self.lamp, self.bump_mm = 1.0, (0.0, 0.0)
        self.cup_mm: tuple[float, float] | None = None
        self._rng = self._chance("frames")
        w, h = self.settings.size_wh
        self._noise = [
            np.round(self._rng.normal(0, self.settings.noise, (h, w, 3))).astype(np.int16) for _ in range(NOISE_BANK)
        ]
        self._arms: dict[ArmLook, ArmSprite] = {}
        self._still: Image | None = None

    @abstractmethod
    def _drawn(self, table: TableTop | None, look: ArmLook | None = None) -> Image:
        """The table as it lies, or the bare table with this arm."""

    @abstractmethod
    def _with_arm(self, image: Image, arm: Arm, wobble: int) -> Image:
        """The picture with this arm over it."""

    def develop(self, table: TableTop) -> None:
        """Render the table as it lies now; every frame until the next call shows it."""
        self._still = self._drawn(table)

    def frame(self, arms: Sequence[Arm] = (), wobble: int = 0) -> Image:
        """A frame of the rendered table, with these arms over it."""
        assert self._still is not None, "develop comes first"
        image = self._still
        for arm in arms:
            image = self._with_arm(image, arm, wobble)
        gain = 1.0 + float(self._rng.normal(0, self.settings.flicker))
        noisy = cv2.add(image, self._noise[int(self._rng.integers(NOISE_BANK))], dtype=cv2.CV_8U)
        return np.asarray(cv2.convertScaleAbs(noisy, alpha=gain), np.uint8)

    def _chance(self, what: str, *more: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, *what.encode(), *more])
