"""A card that fails while a camera watches: `python -m bench.attacks.card [GAMES] [--record]`.

In each of GAMES games the card refuses for a moment, at a random one, for every kind of refusal: no room, no quota, an
error, read-only, no inodes, two seconds a flush, gone and back. Then ten times as many new games are begun at random
moments. Nothing may be silent, nothing lost that was acknowledged, no thread may end. Short in tests/box/test_card.py.
"""

from __future__ import annotations

import errno
import json
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.attacks.results import arguments, command, record
from bench.stand_ins.refusing_disk import refusing
from bench.stand_ins.telling import TellingTable, new_game, telling_table, until
from companion.log import journal as journal_module
from companion.log.journal import read_journal
from companion.web.app import PageSettings, create_app

SAID_WITHIN_S, BACK_WITHIN_S = 10.0, 30.0
SLOW_S = 2.0
NEW_GAMES = 10
"""For each game in which the card fails."""


@dataclass(slots=True)
class CardReport:
    """`silent`: refusals that neither the page nor `/health` said; `stuck`: games that did not go on by themselves;
    `lost`: acknowledged lines that are not in the journal."""

    troubles: int = 0
    new_games: int = 0
    deaths: int = 0
    silent: int = 0
    stuck: int = 0
    acknowledged: int = 0
    lost: int = 0


class Refusal:
    """The journal's own calls to the system, made to fail."""

    def __init__(self, *, number: int = 0, slow_s: float = 0.0) -> None:
        self._number, self._slow_s = number, slow_s

    def __getattr__(self, name: str) -> Any:
        original = getattr(os, name)
        if name not in ("write", "fsync", "ftruncate", "open"):
            return original

        def call(*given: Any, **named: Any) -> Any:
            if self._number:
                raise OSError(self._number, os.strerror(self._number))
            if name == "fsync":
                time.sleep(self._slow_s)
            return original(*given, **named)

        return call


@contextmanager
def refused(table: TellingTable, **how: Any) -> Iterator[None]:
    vars(journal_module)["os"] = Refusal(**how)
    try:
        yield
    finally:
        vars(journal_module)["os"] = os


@contextmanager
def gone(table: TellingTable) -> Iterator[None]:
    """The card is pulled out: nothing answers, and nothing lies there; then it is back, without its last block."""
    path: Path = table._app_state.session.journal.path  # type: ignore[attr-defined]
    away = path.with_suffix(".away")
    with refused(table, number=errno.EIO):
        path.rename(away)
        yield
        away.rename(path)


@contextmanager
def without_inodes(table: TellingTable) -> Iterator[None]:
    folder = table._app_state.data_dir
    assert folder is not None
    with refusing(folder, errno.ENOSPC, only_new=True):
        yield


Trouble = Callable[[TellingTable], Any]

TROUBLES: dict[str, tuple[Trouble, bool]] = {
    "ENOSPC": (lambda table: refused(table, number=errno.ENOSPC), True),
    "EIO": (lambda table: refused(table, number=errno.EIO), True),
    "EROFS": (lambda table: refused(table, number=errno.EROFS), True),
    "EDQUOT": (lambda table: refused(table, number=errno.EDQUOT), True),
    "no inodes": (without_inodes, False),
    "slow": (lambda table: refused(table, slow_s=SLOW_S), False),
    "gone and back": (gone, True),
}
"""Each with whether the game cannot be written meanwhile."""


def is_said(table: TellingTable, page: Any) -> bool:
    health = page.get("/health").json
    return bool(health["status"] == "degraded" and table.status()["state"] == "lost")


def trouble(table: TellingTable, page: Any, kind: str, chance: random.Random, report: CardReport) -> None:
    """One failure of the card at a random moment of a new game."""
    begin, refuses = TROUBLES[kind]
    new_game(table._app_state)
    time.sleep(chance.uniform(0.0, 0.3))
    report.troubles += 1
    with begin(table):
        if refuses:
            report.silent += not until(lambda: is_said(table, page), SAID_WITHIN_S)
        time.sleep(chance.uniform(0.0, 0.5))
    report.stuck += not table.tells_more(BACK_WITHIN_S)
    report.deaths += not table.is_alive


def count_lost(table: TellingTable, report: CardReport) -> None:
    told: dict[Path, set[int]] = {}
    for watcher in table.watchers:
        told.setdefault(watcher._session.journal.path, set()).update(watcher.told)
    for path, seqs in told.items():
        kept = {event.seq for event in read_journal(path).events}
        report.acknowledged += len(seqs)
        report.lost += len(seqs - kept)


def measure(folder: Path, games: int, seed: int = 5) -> CardReport:
    chance, report = random.Random(seed), CardReport()
    folder.mkdir(exist_ok=True)
    table = telling_table(folder, haste=1.0)
    page = create_app(table._app_state, PageSettings(pin="135790")).test_client()
    try:
        for _ in range(games):
            for kind in TROUBLES:
                trouble(table, page, kind, chance, report)
        for _ in range(games * NEW_GAMES):
            time.sleep(chance.uniform(0.0, 0.1))
            new_game(table._app_state)
            report.new_games += 1
            report.deaths += not table.is_alive
        report.stuck += not table.tells_more(BACK_WITHIN_S)
        count_lost(table, report)
        return report
    finally:
        table.close()
        table._app_state.session.close()  # type: ignore[attr-defined]


def main() -> None:
    asked = arguments("a card that fails beside a camera", games=50)
    with tempfile.TemporaryDirectory() as folder:
        report = measure(Path(folder), asked.games)
    print(json.dumps(asdict(report)))
    if asked.record:
        record("card", {**asdict(report), "command": command("bench.attacks.card")})


if __name__ == "__main__":
    main()
