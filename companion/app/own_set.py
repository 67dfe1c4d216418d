"""The players' own set and markers: chosen by name, or as the reader has learned them.

The sets that a person can name for a picture.

The prints learned from the players' own set and markers: a file each in the data folder, for every reader.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from companion.rules.tile import Tile, chinese_set, double_set
from companion.storage.state_file import read_state, write_state

if TYPE_CHECKING:
    from vision.eye import Eye
    from vision.known_set import KnownSet
    from vision.own_markers import MarkerLook, OwnMarkers


SETS = ("auto", "double-6", "double-9", "double-12", "double-15", "double-18", "chinese")


def set_name(written: str) -> str:
    """A set by its name, or by its highest double alone: `12` is `double-12`. Any other text stays as it is."""
    return f"double-{written}" if f"double-{written}" in SETS else written


def known_set(name: str) -> KnownSet | None:
    """The tiles on the table by the name of their set; None for `auto`, which forces nothing."""
    if name == "auto":
        return None
    from vision.known_set import KnownSet

    copies = chinese_set() if name == "chinese" else dict.fromkeys(double_set(int(name.removeprefix("double-"))), 1)
    return KnownSet(name, {(tile.low, tile.high): n for tile, n in copies.items()})


def set_doubt(tiles: Iterable[Tile]) -> str | None:
    """Why the tiles read in a picture are of no one set, in words; None where some set holds them all."""
    read = Counter(tiles)
    boxes = [known.copies for name in SETS if (known := known_set(name)) is not None]
    if any(all(box.get((tile.low, tile.high), 0) >= n for tile, n in read.items()) for box in boxes):
        return None
    often = [f"{tile} {n} times" for tile, n in sorted(read.items()) if n > 1]
    if often:
        return f"the set cannot be told: no set has {', '.join(often)}; look at those first"
    return "the set cannot be told: no set has all of these tiles; say it with --set where you know it"


LEARNED = "learned-set.npz"
OWN_MARKERS = "own-markers.json"
HIGHEST = {"double-6": 6, "double-9": 9, "double-12": 12, "double-15": 15, "double-18": 18}
LEARNABLE_SETS = (*HIGHEST, "chinese")


def doubles_of(tile_set: str) -> list[int]:
    """The doubles of a set, lowest first."""
    return list(range(1, 7)) if tile_set == "chinese" else list(range(HIGHEST[tile_set] + 1))


def learned_for(folder: Path, tile_set: str) -> Path | None:
    """The learned set, where there is one and it is of this kind: red pips of a Chinese set teach nothing about
    others. Raises AdaptationError for a file that cannot be used."""
    path = folder / LEARNED
    if not path.exists():
        return None
    from vision.adaptation import Adaptation

    family = tile_set == "chinese"
    return path if (Adaptation.load(path).name == "chinese") == family else None


def usable(folder: Path, tile_set: str) -> tuple[Path | None, str]:
    """`learned_for` for a game that goes on whatever the file is: (file, why not in one line)."""
    if not (folder / LEARNED).exists():
        return None, ""
    from vision.adaptation import AdaptationError

    try:
        return learned_for(folder, tile_set), ""
    except AdaptationError as problem:
        return None, str(problem)


def own_markers(folder: Path, damaged: Callable[[Path], None] = lambda aside: None) -> OwnMarkers:
    """The markers that the family has shown or said are theirs."""
    from vision.own_markers import OwnMarkers

    return read_state(folder / OWN_MARKERS, OwnMarkers.of_json, OwnMarkers(), damaged)


def keep_own_markers(folder: Path, own: OwnMarkers) -> None:
    """Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    write_state(folder / OWN_MARKERS, own.to_json())


def learn_markers(folder: Path, looks: Sequence[MarkerLook]) -> OwnMarkers:
    """The family's markers with these, which are kept. Raises OSError."""
    own = own_markers(folder)
    for look in looks:
        own = own.with_one(look)
    keep_own_markers(folder, own)
    return own


def open_taught(learned: Path | None) -> Eye:
    """A table's eye with what was learned; called in the process that looks."""
    from vision.eye import open_eye

    return open_eye(learned, one_box=True)
