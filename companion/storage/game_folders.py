"""The folder of games: what each is called, which came first, and which one is on the table.

None of it rests on the clock, which may be wrong: games are counted, and the one on the table is written down.

Zips at any hour: the format knows no year before 1980, and a box without a clock begins in 1970.
"""

from __future__ import annotations

import re
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any

from companion.storage.state_file import read_state, write_state

CURRENT_FILE = "current-game.json"
"""In the data folder: the game on the table, and how many games there have been."""

_COUNTED = re.compile(r"game-(\d{1,9})")


def may_be_a_game(name: str) -> bool:
    """Whether a game may be called so: a folder of ours, with a name that a page can show."""
    return name != ".." and Path(name).name == name != "" and name.isprintable()


class GameFolders:
    """The games under a data folder. `damaged` hears of a file that could not be understood and was set aside."""

    def __init__(self, data_dir: Path, damaged: Callable[[Path], None] = lambda aside: None) -> None:
        self.data_dir = data_dir
        self._file = data_dir / CURRENT_FILE
        nothing: tuple[str | None, int] = (None, 0)
        self._current, self._count = read_state(self._file, _current_of, nothing, damaged)

    def names(self, most: int | None = None) -> list[str]:
        """The newest first, at most so many. Games that earlier releases named after the date are older than any
        counted one."""
        folder = self.data_dir / "games"
        found = [path.name for path in folder.iterdir()] if folder.is_dir() else []
        found.sort(key=lambda name: (number_of(name), name), reverse=True)
        return list(islice((name for name in found if name in self), most))

    def __contains__(self, game: str) -> bool:
        """Whether there is a game of that name; however many there are, only this one is looked for."""
        with suppress(OSError):  # a name that no folder can have
            return may_be_a_game(game) and (self.folder(game) / "journal.jsonl").is_file()
        return False

    def folder(self, game: str) -> Path:
        return self.data_dir / "games" / game

    def current(self) -> str | None:
        """The game that was on the table last; where nothing says so, the newest one."""
        if self._current is not None and self._current in self:
            return self._current
        return next(iter(self.names(1)), None)

    def put_on_the_table(self, game: str) -> None:
        """Write down that this is the game on the table. Raises OSError; then it counts only until the next start."""
        if self._current == game and self._count >= number_of(game):
            return
        self._current, self._count = game, max(self._count, number_of(game))
        write_state(self._file, {"game": self._current, "count": self._count})

    def make(self) -> str:
        """An empty folder for a new game; its name. A number is never given twice. Raises OSError."""
        folders = (path.name for path in (self.data_dir / "games").glob("game-*"))
        copies = (path.stem for path in (self.data_dir / "copies").glob("game-*.jsonl"))
        number = max([self._count, *map(number_of, folders), *map(number_of, copies)])
        while True:
            number += 1
            name = f"game-{number:04d}"
            try:
                self.folder(name).mkdir(parents=True)
            except FileExistsError:
                continue
            return name


def number_of(game: str) -> int:
    """3 for game-0003; 0 for a game that was not counted."""
    counted = _COUNTED.fullmatch(game)
    return 0 if counted is None else int(counted[1])


def _current_of(kept: Any) -> tuple[str | None, int]:
    game, count = kept["game"], kept["count"]
    if not isinstance(game, str) or type(count) is not int or not 0 <= count < 10**9:
        raise ValueError
    return game, count


FIRST, LAST = (1980, 1, 1, 0, 0, 0), (2107, 12, 31, 23, 59, 58)
"""The earliest and latest time that a zip can hold."""


class NewZip(zipfile.ZipFile):
    """A zip that is written, compressed unless it is told otherwise. A time that it cannot hold becomes the nearest it
    can."""

    def __init__(self, into: str | Path | IO[bytes], compression: int = zipfile.ZIP_DEFLATED) -> None:
        super().__init__(into, "w", compression, strict_timestamps=False)

    def writestr(
        self,
        zinfo_or_arcname: str | zipfile.ZipInfo,
        data: Any,
        compress_type: int | None = None,
        compresslevel: int | None = None,
    ) -> None:
        """As ZipFile's; a mere name is of a file made now."""
        info = zinfo_or_arcname
        if not isinstance(info, zipfile.ZipInfo):
            info = zipfile.ZipInfo(info, min(max(time.localtime()[:6], FIRST), LAST))
            info.compress_type, info.external_attr = self.compression, 0o600 << 16
        super().writestr(info, data, compress_type, compresslevel)
