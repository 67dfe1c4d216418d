"""Safe mode: a start with no camera, no broker and no learned set, for a box that does not come up with them.

A person asks for it on the page Repairs or with `--safe`; a program that has ended several times in a row, each time
soon after its start, begins so by itself. It stays until a person wants the normal start again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from companion.storage.repairs import Repair
from companion.storage.state_file import read_state, write_state

STARTS_FILE = "starts.json"
"""In the data folder: the last starts of this boot that nobody knows to have gone well, and whether to start safely."""

FEW_STARTS = 3
"""So many starts in a row that did not go well are no accident."""

WITHIN_S = 600.0
STEADY_S = 120.0
"""Who has lived so long has started well."""

CODE = "SAFE_MODE"
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class SafeMode:
    """Counts the starts and remembers what a person has chosen.

    Args:
        boot: names this start of the machine; times are seconds since then, so that no clock has to be right.
    """

    def __init__(
        self,
        data_dir: Path,
        damaged: Callable[[Path], None] = lambda aside: None,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        boot: str | None = None,
    ) -> None:
        self._path = data_dir / STARTS_FILE
        self._monotonic = monotonic
        self._boot = _boot_id() if boot is None else boot
        nothing: tuple[bool, int, list[float]] = (False, 0, [])
        known = read_state(self._path, lambda kept: _known_of(kept, self._boot), nothing, damaged)
        self.chosen, self._ended, self._starts = known

    def begin(self, *, counted: bool = True) -> bool:
        """The program starts; whether it has to start safely.

        `counted`: a service manager starts it again and again; a person at a terminal sees what goes wrong.
        """
        if not counted:
            return self.chosen
        now = self._monotonic()
        self._starts = [at for at in self._starts if 0 <= now - at <= WITHIN_S]
        if len(self._starts) >= FEW_STARTS and not self.chosen:
            self.chosen, self._ended = True, len(self._starts)
        self._starts.append(now)
        self._keep()
        return self.chosen

    def steady(self) -> None:
        """The program has lived for a while, or was ended by somebody: this start went well."""
        self._starts = []
        self._keep()

    def choose(self, safe: bool) -> None:
        """A person wants the next start to be safe, or normal."""
        self.chosen, self._ended, self._starts = safe, 0, []
        self._keep()

    def repairs(self) -> tuple[Repair, ...]:
        """What the page says while the program runs in safe mode."""
        return (Repair(f"{CODE}_BY_ITSELF", {"count": self._ended}) if self._ended else Repair(CODE),)

    def _keep(self) -> None:
        with suppress(OSError):
            write_state(
                self._path, {"boot": self._boot, "safe": self.chosen, "ended": self._ended, "starts": self._starts}
            )


def _boot_id() -> str:
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _known_of(kept: Any, boot: str) -> tuple[bool, int, list[float]]:
    safe, ended = kept["safe"] is True, int(kept["ended"])
    starts = [float(at) for at in kept["starts"]]
    return safe, ended, starts if kept["boot"] == boot else []
