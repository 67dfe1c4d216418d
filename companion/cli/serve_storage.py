"""What `companion serve` keeps on the disk: looked over at the start, and looked after while it runs."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import click

from companion.app.state import AppState
from companion.evidence import Deleter, delete_stored, expire_stored, found
from companion.evidence.store import KEEP_DAYS
from companion.log.copies import CopyKeeper
from companion.log.repair import repair_games
from companion.storage.clock_trust import CLOCK_FILE, CODE, ClockTrust
from companion.storage.repairs import REPAIRS_FILE, Repair, Repairs
from companion.web.repair_texts import in_english


@dataclass(frozen=True, slots=True)
class Storage:
    """The data folder in use: who deletes in it, whether its clock is right, and what has to be reported."""

    folder: Path
    repairs: Repairs
    deleter: Deleter
    trust: ClockTrust

    @property
    def games(self) -> Path:
        return self.folder / "games"

    def delete_pictures(self) -> int:
        """Every picture of every game and every corrected tile, where no camera keeps any; how many there were."""
        return delete_stored(self.games, self.deleter)

    def copy_games_of(self, app_state: AppState, parts: ExitStack) -> None:
        """Copy whichever game is on the table, while it is played."""

        def refused(game: str) -> None:
            self.repairs.report(Repair("COPY_REFUSED", {"game": game}))

        copies = CopyKeeper(self.games, refused, loop=app_state.parts.add("copies").loop)
        parts.callback(copies.close)
        app_state.follow(copies.follow)  # type: ignore[arg-type]


def open_storage(folder: Path) -> Storage:
    """Repair what is damaged, delete what is too old, and say what was done."""
    repairs = Repairs(folder / REPAIRS_FILE)
    for case in repair_games(folder / "games"):
        repairs.report(case)
        click.echo(in_english(case), err=True)
    deleter = Deleter(repairs.report)
    trust = ClockTrust(folder / CLOCK_FILE, _newest(folder / "games"), damaged=repairs.report_damaged)
    repairs.check(trust.repairs)
    repairs.actions[CODE] = trust.confirm
    if trust.sure:
        expire_stored(folder / "games", time.time() - KEEP_DAYS * 86400, deleter)
    return Storage(folder, repairs, deleter, trust)


def _newest(games: Path) -> float | None:
    """When something was last written in a game, in seconds since 1970; None where there is none."""
    journals = [path.stat().st_mtime for path in games.glob("*/journal.jsonl")]
    return max([*journals, *(stored.at for stored in found(games))], default=None)
