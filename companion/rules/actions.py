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

    >>> from companion.rules import parse_act
    >>> parse_act('play 12-5@Ann')
    Play(tile=Laid(inner=12, outer=5), train='Ann')
    """

    tile: Laid
    train: str

    def __str__(self) -> str:
        """The act in notation: what `Board.push` and `Board.explain` take."""
        sign = ":" if self.train in (RIGHT, LEFT) else "-"
        return f"play {self.tile.inner}{sign}{self.tile.outer}@{self.train}"


@dataclass(frozen=True, slots=True)
class Draw:
    """One tile taken from the boneyard.

    >>> from companion.rules import Draw, print_act
    >>> print_act(Draw())
    'draw'
    """

    def __str__(self) -> str:
        return "draw"


@dataclass(frozen=True, slots=True)
class Mark:
    """A marker put on the train of `player`.

    >>> from companion.rules import Mark, print_act
    >>> print_act(Mark('Ann'))
    'mark Ann'
    """

    player: str

    def __str__(self) -> str:
        return f"mark {self.player}"


@dataclass(frozen=True, slots=True)
class Unmark:
    """The marker taken off the train of `player`.

    >>> from companion.rules import Unmark, print_act
    >>> print_act(Unmark('Ann'))
    'unmark Ann'
    """

    player: str

    def __str__(self) -> str:
        return f"unmark {self.player}"


@dataclass(frozen=True, slots=True)
class Flip:
    """The open double at the end of `train` turned face down.

    >>> from companion.rules import Flip, print_act
    >>> print_act(Flip('Ann'))
    'flip Ann'
    """

    train: str

    def __str__(self) -> str:
        return f"flip {self.train}"


@dataclass(frozen=True, slots=True)
class Discard:
    """Chinese games: an own tile laid aside instead of a play; `tile` is what it shows, where it lies face up.

    >>> from companion.rules import Discard, print_act
    >>> print_act(Discard(), ':')
    'discard'
    """

    face_up: bool = False
    tile: Tile | None = None

    def __str__(self) -> str:
        shown = f" {self.tile.low}:{self.tile.high}" if self.tile is not None else ""
        return f"discard faceup{shown}" if self.face_up or shown else "discard"


@dataclass(frozen=True, slots=True)
class Pass:
    """The turn ends without a play; as an act of its own it says so aloud.

    >>> from companion.rules import Pass, print_act
    >>> print_act(Pass())
    'pass'
    """

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True)
class End:
    """The turn is over.

    >>> from companion.rules import End, print_act
    >>> print_act(End())
    'end'
    """

    def __str__(self) -> str:
        return "end"


Action = Play | Draw | Mark | Unmark | Flip | Discard | Pass | End
