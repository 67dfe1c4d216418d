"""A whole evening at the simulated table: round after round of one match, at a person's pace."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from datasets.simulator.camera import FRAME_S, VISIBLE_FAULTS, SimCamera, SimSettings
from hardware.camera import CameraSettings
from hardware.camera.source import FrameSource
from vision.frame import Frame


@dataclass(frozen=True, slots=True)
class EveningSettings:
    """`speed` 1 shows five frames a second; higher is faster, as far as the machine can render."""

    rules: str = "tactic"
    players: int | None = None
    rounds: int = 1
    speed: float = 1.0
    table: SimSettings = field(default_factory=lambda: SimSettings(plant=VISIBLE_FAULTS))


class SimEvening(FrameSource):
    """One camera over all rounds; everything that is seen is in the picture."""

    live = False
    stills = False

    def __init__(
        self,
        seed: int,
        settings: EveningSettings,
        clock: Callable[[], float] = time.monotonic,
        rest: Callable[[float], None] = time.sleep,
    ) -> None:
        self._seed, self._settings = seed, settings
        self._clock, self._rest = clock, rest
        self._due = clock()
        self._number = 1
        self._count = 0
        self.table = self._round()

    def _round(self) -> SimCamera:
        of = self._settings
        return SimCamera(self._seed, replace(of.table, rules=of.rules, players=of.players, number=self._number))

    def read(self) -> Frame | None:
        """The next frame, not before its time."""
        frame = self.table.read()
        while frame is None:
            if self._number >= min(self._settings.rounds, self.table.game.rounds_due):
                return None
            self._number += 1
            self.table = self._round()
            frame = self.table.read()
        self._rest(max(0.0, self._due - self._clock()))
        self._due = max(self._due, self._clock()) + FRAME_S / self._settings.speed
        frame = Frame(frame.image, self._count * FRAME_S, f"frame-{self._count:06d}")
        self._count += 1
        return frame


@dataclass(frozen=True, slots=True)
class EveningOpener:
    """Opens the evening in whatever process films it."""

    seed: int
    settings: EveningSettings

    def __call__(self, source: str, settings: CameraSettings) -> SimEvening:
        return SimEvening(self.seed, self.settings)
