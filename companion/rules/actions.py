"""What a player does in a turn, one frozen value per act. The one-line notation of each stands in `notation`."""

from __future__ import annotations

from dataclasses import dataclass

from companion.rules.tile import Laid, Tile

MEXICAN = "MX"
"""The Mexican train's name among the trains."""
SECOND_MEXICAN = "MX2"
"""An attempted second Mexican train."""
RIGHT = "R"
LEFT = "L"
SOMEBODY = "?"
"""Stands for a player where a tile was put away and nobody knows who sits there."""


@dataclass(frozen=True, slots=True)
class Play:
    """A tile laid on `train` (a player's name, `MX`, `MX2`; in a Chinese line `R` or `L`).

    In a Chinese line `tile.inner` is the left half and `tile.outer` the right half, wherever it was added.
    """

    tile: Laid
    train: str


@dataclass(frozen=True, slots=True)
class Draw:
    """One tile taken from the boneyard."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A marker put on the train of `player`."""

    player: str


@dataclass(frozen=True, slots=True)
class Unmark:
    """The marker taken off the train of `player`."""

    player: str


@dataclass(frozen=True, slots=True)
class Flip:
    """The open double at the end of `train` turned face down."""

    train: str


@dataclass(frozen=True, slots=True)
class Discard:
    """Chinese games: an own tile laid aside instead of a play; `tile` is what it shows, where it lies face up."""

    face_up: bool = False
    tile: Tile | None = None


@dataclass(frozen=True, slots=True)
class Pass:
    """The turn ends without a play; as an act of its own it says so aloud."""


@dataclass(frozen=True, slots=True)
class End:
    """The turn is over."""


Action = Play | Draw | Mark | Unmark | Flip | Discard | Pass | End
