"""The names of evidence, and finding it again: only files of these names are ever deleted.

`evidence-TIME-NUMBER.jpg` is the table, `...-before-N.jpg` the table before it, `...-arm-N.jpg` the arm of player N
over it, `...-tile-N.jpg` and `...-tile-N-before.jpg` one tile from close by, `....json` where which tile is seen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from companion.evidence.deleting import Deleter

PICTURE = re.compile(r"evidence-\d{8}T\d{6}-\d{4}(-before-\d|-arm-\d|-tile-\d{1,2}(-before)?)?\.jpg")
UNFINISHED = re.compile(r"evidence-\d{8}T\d{6}-\d{4}[a-z0-9-]*\.part")
INDEX = re.compile(r"evidence-\d{8}T\d{6}-\d{4}\.json")


@dataclass(slots=True)
class Stored:
    path: Path
    size: int
    at: float

    @property
    def is_picture(self) -> bool:
        return self.path.suffix == ".jpg"


def found(games: Path) -> list[Stored]:
    """The evidence of earlier runs."""
    stored = []
    for path in games.glob("*/evidence-*"):
        if PICTURE.fullmatch(path.name) or INDEX.fullmatch(path.name):
            try:
                stat = path.stat()
            except OSError:
                continue
            stored.append(Stored(path, stat.st_size, stat.st_mtime))
    return stored


def unfinished(games: Path) -> list[Path]:
    """What a killed program was just writing; nobody else would ever find it again."""
    return [path for path in games.glob("*/evidence-*.part") if UNFINISHED.fullmatch(path.name)]


def delete_stored(games: Path, deleter: Deleter) -> int:
    """Delete every picture of earlier evenings, where no store is open; how many there were."""
    deleter.delete(unfinished(games))
    return _deleted(found(games), deleter)


def expire_stored(games: Path, before: float, deleter: Deleter) -> int:
    """Delete evidence older than `before` (seconds since 1970), where no store is open; how much there was."""
    return _deleted([stored for stored in found(games) if stored.at < before], deleter)


def _deleted(going: list[Stored], deleter: Deleter) -> int:
    left = deleter.delete(stored.path for stored in going)
    return sum(stored.is_picture for stored in going if stored.path not in left)
