"""What was learned of the players' own set and markers: a file each in the data folder, for whoever reads with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from companion.storage.state_file import read_state, write_state
from vision.adaptation import Adaptation, AdaptationError
from vision.own_markers import MarkerLook, OwnMarkers

if TYPE_CHECKING:
    from vision.eye import Eye

LEARNED = "learned-set.npz"
OWN_MARKERS = "own-markers.json"
HIGHEST = {"double-6": 6, "double-9": 9, "double-12": 12, "double-15": 15, "double-18": 18}
SETS = (*HIGHEST, "chinese")


def doubles_of(tile_set: str) -> list[int]:
    """The doubles of a set, lowest first."""
    return list(range(1, 7)) if tile_set == "chinese" else list(range(HIGHEST[tile_set] + 1))


def learned_for(folder: Path, tile_set: str) -> Path | None:
    """The learned set, where there is one and it is of this kind: red pips of a Chinese set teach nothing about
    others. Raises AdaptationError for a file that cannot be used."""
    path = folder / LEARNED
    if not path.exists():
        return None
    family = tile_set == "chinese"
    return path if (Adaptation.load(path).name == "chinese") == family else None


def usable(folder: Path, tile_set: str) -> tuple[Path | None, str]:
    """`learned_for` for a game that goes on whatever the file is: (file, why not in one line)."""
    try:
        return learned_for(folder, tile_set), ""
    except AdaptationError as problem:
        return None, str(problem)


def own_markers(folder: Path, damaged: Callable[[Path], None] = lambda aside: None) -> OwnMarkers:
    """The markers that the family has shown or said are theirs."""
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
