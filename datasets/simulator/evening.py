"""A whole evening at the simulated table: round after round of one match after the other, at a person's pace."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from companion.rules.ruleset import load_ruleset
from datasets.simulator.camera import FRAME_S, VISIBLE_FAULTS, SimCamera, SimSettings
from datasets.simulator.film import Film
from datasets.simulator.plan import TablePlan
from hardware.camera import CameraSettings
from hardware.camera.source import FrameSource
from vision.frame import Frame

EVENING_TABLE_MM = (1320.0, 990.0)
"""Nobody changes the table in the middle of a match, so it has room for every round of it."""

LINE_TABLE_MM = (900.0, 675.0)
"""The same for the Chinese games."""

CATCH_UP_S = 4.0
"""A frame that came late, because its table had to be rendered, makes up for so much in the pause after it."""


@dataclass(frozen=True, slots=True)
class EveningSettings:
    """`speed` 1 shows five frames a second; higher is faster, as far as the machine can render.

    `rounds`: the film ends after so many; None: it goes on with the next match for ever.
    """

    rules: str = "tactic"
    players: int | None = None
    rounds: int | None = None
    speed: float = 1.0
    table: SimSettings = field(default_factory=lambda: SimSettings(plant=VISIBLE_FAULTS))


class SimEvening(FrameSource):
    """One camera over all rounds; everything that is seen is in the picture.

    A frame's name tells its match and round, see `place_of`. Raises TableFullError where a round finds no room.
    """

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
        self._rounds = self._all_rounds()
        self._count = 0
        self._film: Film | None = None
        self._place = next(self._rounds)
        self.table = evening_table(seed, settings, *self._place, film=self._same_look)

    def _all_rounds(self) -> Iterator[tuple[int, int]]:
        """(match, round) as long as anybody plays."""
        shown = 0
        for match in count(1):
            due = 1
            for number in count(1):
                if number > due:
                    break
                if self._settings.rounds is not None and shown >= self._settings.rounds:
                    return
                shown += 1
                yield match, number
                due = self.table.game.rounds_due

    def _same_look(self, plan: TablePlan, seed: int, *arguments: Any) -> Film:
        """The film of the round before, over a cleared table; a new match has another cloth and another light."""
        if self._film is None or self._film.seed != seed:
            self._film = Film(plan, seed, *arguments)
        self._film.plan, self._film.lamp, self._film.bump_mm, self._film.cup_mm = plan, 1.0, (0.0, 0.0), None
        return self._film

    def read(self) -> Frame | None:
        """The next frame, not before its time."""
        frame = self.table.read()
        while frame is None:
            place = next(self._rounds, None)
            if place is None:
                return None
            self._place = place
            self.table = evening_table(self._seed, self._settings, *place, film=self._same_look)
            frame = self.table.read()
        self._rest(max(0.0, self._due - self._clock()))
        self._due = max(self._due, self._clock() - CATCH_UP_S) + FRAME_S / self._settings.speed
        match, number = self._place
        frame = Frame(frame.image, self._count * FRAME_S, f"match{match}-round{number}-{self._count:06d}")
        self._count += 1
        return frame


def evening_table(
    seed: int, settings: EveningSettings, match: int, number: int, film: Callable[..., Any] = Film
) -> SimCamera:
    """The table of one round; every match has its own seed, and one size of table."""
    usual_mm = EVENING_TABLE_MM if load_ruleset(settings.rules).is_mexican else LINE_TABLE_MM
    table = replace(
        settings.table,
        rules=settings.rules,
        players=settings.players,
        number=number,
        size_mm=settings.table.size_mm or usual_mm,
    )
    return SimCamera(seed + match - 1, table, film)


def place_of(frame_name: str) -> tuple[int, int]:
    """(match, round) that an evening's frame shows."""
    found = re.match(r"match(\d+)-round(\d+)-", frame_name)
    if found is None:
        raise ValueError(f"{frame_name!r} is no frame of an evening")
    return int(found[1]), int(found[2])


@dataclass(frozen=True, slots=True)
class EveningOpener:
    """Opens the evening in whatever process films it."""

    seed: int
    settings: EveningSettings

    def __call__(self, source: str, settings: CameraSettings) -> SimEvening:
        return SimEvening(self.seed, self.settings)
