"""A change taken apart for the search: what may come next in which train, and how much is explained already."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

from companion.rules.actions import Action, Discard, Draw, End, Flip, Mark, Pass, Play, Unmark
from companion.tracking.costs import Cause
from companion.tracking.evidence import Evidence, Piece


class Rest(NamedTuple):
    """How many pieces of each kind are explained: tiles of each train, draws, discards of each player; flips, markers
    and ends of turns as sets of bits."""

    tiles: tuple[int, ...]
    draws: int
    discards: tuple[int, ...]
    flips: int
    markers: int
    ends: int = 0


class Step(NamedTuple):
    """One act of a hypothesis. `item` None: nothing shows it (a pass, a turn that began out of order).

    `codes` are what it is held against `player`; `causes` what had to be assumed, which made it cost `cost`. A tile in
    `act` may be another one than was read. `misread_below`: the item of the tile that it lies
    on, where that is held to be misread.
    """

    player: str
    act: Action | None
    item: int | None
    codes: tuple[str, ...]
    causes: tuple[Cause, ...]
    cost: int
    misread_below: int | None = None


class Move(NamedTuple):
    """One way on: its cost, the state after it (a `partial` is made only if the search gets there), what is explained
    then, and the step."""

    cost: int
    state: Any
    rest: Rest
    step: Step


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of one Evidence by kind; tiles of one train from the inside out. `unsure`: whether one of the tiles
    may be another. `ahead`: what a search has worked out about each rest."""

    evidence: Evidence
    trains: tuple[tuple[str, tuple[Piece, ...]], ...]
    draws: tuple[Piece, ...]
    discards: tuple[tuple[str, tuple[Piece, ...]], ...]
    flips: tuple[Piece, ...]
    markers: tuple[Piece, ...]
    ends: tuple[Piece, ...] = ()
    unsure: bool = False
    ahead: dict[Any, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, evidence: Evidence) -> Pieces:
        trains: dict[str, list[Piece]] = {}
        discards: dict[str, list[Piece]] = {}
        draws, flips, markers, ends = [], [], [], []
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
                case End() | Pass():
                    ends.append(piece)
        return cls(
            evidence,
            tuple((train, tuple(row)) for train, row in trains.items()),
            tuple(draws),
            tuple((player, tuple(row)) for player, row in discards.items()),
            tuple(flips),
            tuple(markers),
            tuple(ends),
            any(one.others or not one.is_sure for one in evidence.laid),
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
            (1 << len(self.ends)) - 1,
        )

    def ended(self, rest: Rest, player: str, laid: bool) -> Rest | None:
        """`rest` with the end of `player`'s turn that somebody has entered explained; None where nobody has. Who has
        `laid` a tile did not pass."""
        for n, piece in enumerate(self.ends):
            if not rest.ends >> n & 1 and piece.by in (None, player) and not (laid and isinstance(piece.act, Pass)):
                return rest._replace(ends=rest.ends | 1 << n)
        return None

    def doubted(self) -> Iterator[tuple[int, Pieces, tuple[Piece, ...]]]:
        """The same change without what people said and what did not happen: cost, what is left, what is not."""
        doubtful = [piece for piece in self.evidence.pieces if piece.doubt is not None or piece.denied is not None]
        sizes = range(1, len(doubtful) + 1) if len(doubtful) <= MOST_DOUBTED else (1, len(doubtful))
        for gone in (gone for size in sizes for gone in combinations(doubtful, size)):
            kept = tuple(piece for piece in self.evidence.pieces if piece not in gone)
            cost = sum(piece.doubt or 0 for piece in gone)
            left = Pieces.of(replace(self.evidence, pieces=kept))
            yield cost + left.denied, left, gone

    @property
    def denied(self) -> int:
        """What it costs that all of this happened although people say that it did not."""
        return sum(piece.denied or 0 for piece in self.evidence.pieces)


MOST_DOUBTED = 3
"""Of more things that people said in one change any one may be wrong, or all."""
