"""A change taken apart for the search: what may come next in which train, and how much is explained already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from companion.tracking.costs import Cause
from companion.tracking.evidence import Evidence, Piece
from companion.turn import Action, Discard, Draw, Flip, Mark, Play, Unmark


class Rest(NamedTuple):
    """How many pieces of each kind are explained: tiles of each train, draws, discards of each player; flips and
    markers as sets of bits."""

    tiles: tuple[int, ...]
    draws: int
    discards: tuple[int, ...]
    flips: int
    markers: int


class Step(NamedTuple):
    """One act of a hypothesis. `item` None: nothing shows it (a pass, a turn that began out of order).

    `codes` are what it is held against `player`; `causes` what had to be assumed, which made it cost `cost`.
    """

    player: str
    act: Action | None
    item: int | None
    codes: tuple[str, ...]
    causes: tuple[Cause, ...]
    cost: int


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of one Evidence by kind; tiles of one train from the inside out."""

    evidence: Evidence
    trains: tuple[tuple[str, tuple[Piece, ...]], ...]
    draws: tuple[Piece, ...]
    discards: tuple[tuple[str, tuple[Piece, ...]], ...]
    flips: tuple[Piece, ...]
    markers: tuple[Piece, ...]

    @classmethod
    def of(cls, evidence: Evidence) -> Pieces:
        trains: dict[str, list[Piece]] = {}
        discards: dict[str, list[Piece]] = {}
        draws, flips, markers = [], [], []
        for piece in evidence.pieces:
            match piece.act:
                case Play(_, train):
                    trains.setdefault(train, []).append(piece)
                case Draw():
                    draws.append(piece)
                case Discard():
                    discards.setdefault(piece.by or "", []).append(piece)
                case Flip():
                    flips.append(piece)
                case Mark() | Unmark():
                    markers.append(piece)
        return cls(
            evidence,
            tuple((train, tuple(row)) for train, row in trains.items()),
            tuple(draws),
            tuple((player, tuple(row)) for player, row in discards.items()),
            tuple(flips),
            tuple(markers),
        )

    @property
    def start(self) -> Rest:
        return Rest((0,) * len(self.trains), 0, (0,) * len(self.discards), 0, 0)

    @property
    def done(self) -> Rest:
        return Rest(
            tuple(len(row) for _, row in self.trains),
            len(self.draws),
            tuple(len(row) for _, row in self.discards),
            (1 << len(self.flips)) - 1,
            (1 << len(self.markers)) - 1,
        )
