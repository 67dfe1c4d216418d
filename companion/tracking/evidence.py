"""One change of the table as the camera reports it, piece by piece: the only thing the belief is fed with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from companion.log.table_change import TableChange
from companion.rules.actions import SOMEBODY, Action, Discard, Draw, Flip, Mark, Play, Unmark
from companion.rules.notation import Change, Drawing, Laying
from companion.rules.tile import Laid
from companion.tracking.costs import COST, SURE, Cause, misread
from companion.tracking.other_tiles import OtherTile, other_tiles

WRONG_STATEMENT = COST[Cause.WRONG_STATEMENT]


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing that changed. `act` is what somebody must have done for it, `item` its number for good.

    `p`: how surely the inner and the outer half of a tile were read (None: surely). `actors`: player -> decibans of
    the arm that was seen over the place, where one was; a player who is not named there is as likely as any other.
    `arm`: the one player whose arm it clearly was.
    `by`: the only player it can have been (a Chinese tile put away lies with its owner). Of what people have said:
    `stated_player` is who they say it was, `doubt` what it costs that it did not happen
    at all (None: the camera saw it), `denied` what it costs that it did although somebody has withdrawn it (None:
    nobody has), `value_doubt` what it costs that another tile lies there. `two_mexican`: two
    trains lay where no player who has none may still begin theirs. `others`: which tiles it may be instead, the
    likeliest first; the belief weighs them against the one in `act`. `follows`: tapped right after another act of the
    same player.
    """

    item: int
    act: Action
    p: tuple[float, float] | None = None
    actors: Mapping[str, int] = field(default_factory=dict)
    arm: str | None = None
    by: str | None = None
    stated_player: str | None = None
    doubt: int | None = None
    denied: int | None = None
    value_doubt: int | None = None
    two_mexican: bool = False
    others: tuple[OtherTile, ...] = ()
    follows: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether the camera saw it, and read a tile's halves surely."""
        return self.value_doubt is None and (self.p is None or min(self.p) >= SURE)

    @property
    def cost_of_another(self) -> int:
        """What it costs that the tile shows other values than were read or said."""
        read = misread(None if self.p is None else min(self.p))
        return read if self.value_doubt is None else min(read, self.value_doubt)

    def against(self, player: str) -> tuple[int, tuple[Cause, ...]]:
        """What it costs, by arm and statement, that `player` made this piece, and what has to be assumed."""
        if self.stated_player is None or self.stated_player == player:
            return self.actors.get(player, 0), ()
        return self.actors.get(player, 0) + WRONG_STATEMENT, (Cause.WRONG_STATEMENT,)


class Doubtful(NamedTuple):
    """`cost`: what it costs, in decibans, that another tile lies there than the one of piece `item`."""

    cost: int
    item: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """The pieces of one change between two still tables.

    `gone` are laid tiles that lie there no more, `returned` tiles that lie in the boneyard again. `clouded`: something
    that was not understood lies there; `guessed`: a tile beside the new ones was not surely read. `doubtful_tiles`:
    (tile, train) that lay there before, and what it costs that another one lies there: they were not surely read, or
    nobody but a person has seen them. `adopted`: it lay there before anybody watched, or tiles that nobody sees or can
    read came before it: nobody can tell how it came about. `unread`: trains that now end in such a tile.
    """

    number: int
    pieces: tuple[Piece, ...]
    gone: tuple[tuple[Laid, str], ...] = ()
    returned: int = 0
    frame: str | None = None
    clouded: bool = False
    guessed: bool = False
    doubtful_tiles: Mapping[tuple[Laid, str], Doubtful] = field(default_factory=dict)
    adopted: bool = False
    unread: tuple[str, ...] = ()

    @classmethod
    def of(cls, number: int, change: TableChange) -> Evidence:
        """A change of the table as change `number` of the belief; items are numbered from `number * ITEMS` on."""
        return cls(
            number,
            tuple(_pieces(number, change)),
            tuple((one.tile, one.train) for one in change.gone),
            change.returned,
            change.frame,
            change.clouded,
            change.guessed,
            adopted=change.adopted,
            unread=change.unread,
        )

    @property
    def laid(self) -> tuple[Piece, ...]:
        return tuple(piece for piece in self.pieces if isinstance(piece.act, Play))

    @property
    def empty(self) -> bool:
        return not self.pieces and not self.gone

    @property
    def is_statement(self) -> bool:
        """Whether only people have said it."""
        return bool(self.pieces) and not self.gone and all(piece.doubt is not None for piece in self.pieces)


ITEMS = 1000
"""More pieces than one change can have."""


def _pieces(number: int, seen: TableChange) -> Iterator[Piece]:
    item = number * ITEMS
    seen_markers: set[Change] = set()
    for change in seen.delta:
        actors, arm = seen.arms.get(change, {}), seen.whose.get(change)
        match change:
            case Laying(tile, train):
                reading = seen.readings.get(change)
                p = None if reading is None else reading.p
                others, two = other_tiles(tile, train, reading), seen.two_mexican
                yield Piece(item, Play(tile, train), p, actors, arm, two_mexican=two, others=others)
            case Drawing(count):
                for _ in range(count):
                    yield Piece(item, Draw(), None, actors, arm)
                    item += 1
                continue
            case Mark() | Unmark():
                if change in seen_markers:
                    continue
                seen_markers.add(change)
                yield Piece(item, change, None, actors, arm)
            case _:
                continue
        item += 1
    for train in seen.flips:
        yield Piece(item, Flip(train))
        item += 1
    for player, count in seen.discards.items():
        shown = seen.faces.get(player, ())
        for n in range(count):
            act = Discard(True, shown[n]) if n < len(shown) else Discard()
            yield Piece(item, act, by=None if player == SOMEBODY else player)
            item += 1
