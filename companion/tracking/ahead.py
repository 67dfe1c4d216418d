"""What explaining the rest of a change costs at least, whoever made it: so the search leaves ways that become dear."""

from __future__ import annotations

from typing import NamedTuple

from companion.rules.actions import MEXICAN, Play
from companion.rules.mexican.turn import TurnState
from companion.tracking.costs import COST, Cause
from companion.tracking.evidence import Piece
from companion.tracking.pieces import Pieces, Rest


def begun(rest: Rest) -> bool:
    """Whether some of the change is explained already."""
    return bool(rest.draws or rest.flips or rest.markers or any(rest.tiles))


class Ahead(NamedTuple):
    """What is left of a change, whoever's turn it is: tiles, those of them that are no doubles, and what it costs at
    least that some do not fit, and where they lie. `begun`: some of the change is explained already."""

    tiles: int
    closing: int
    misfits: int
    places: int
    begun: bool


def at_least(
    turn: TurnState, pieces: Pieces, rest: Rest, *, several: bool, between: bool, misread: frozenset[str]
) -> int:
    """An admissible lower bound, in decibans: each further tile that is no double costs another turn, each misfit a
    fault or a misreading.

    `several`: this turn may have more than one tile that is no double, as a long first one. `between`: the turn began
    in the middle of this change. A tile on one of the trains `misread` may fit all the same.
    """
    trains = turn.trains
    ends = tuple([trains[train][-1] if trains.get(train) else None for train, _ in pieces.trains])
    key = (rest, ends, misread)
    ahead = pieces.ahead.get(key)
    if ahead is None:
        ahead = pieces.ahead[key] = _ahead(turn, pieces, rest, misread)
    if several:
        return ahead.misfits
    more = max(1, ahead.closing) if turn.complete and ahead.tiles and ahead.begun else max(0, ahead.closing - 1)
    least = ahead.misfits
    if more:
        first = Cause.ANOTHER_IN_BETWEEN if between else Cause.TURN_IN_BETWEEN
        least += COST[first] + COST[Cause.ANOTHER_IN_BETWEEN] * (more - 1)
    if not turn.open and not turn.live and (turn.complete or not turn.laid):
        least += ahead.places
    return least


def _ahead(turn: TurnState, pieces: Pieces, rest: Rest, misread: frozenset[str]) -> Ahead:
    closing = tiles = misfits = places = 0
    unsure = pieces.unsure
    doubles = False
    rows = [(train, row[done:]) for (train, row), done in zip(pieces.trains, rest.tiles, strict=True)]
    for train, row in rows:
        chain = turn.trains.get(train)
        due = chain[-1].outer if chain else None if train == MEXICAN else turn.position.engine.outer
        doubted = train in misread
        before: Piece | None = None
        for piece in row:
            assert isinstance(piece.act, Play)
            tile = piece.act.tile
            another = _as_another(piece, before) if unsure else 99
            before = piece
            tiles += 1
            double = tile.is_double or (unsure and any(other.tile.is_double for other in piece.others))
            closing += not double
            doubles = doubles or double
            if due is not None and tile.inner != due and doubted:
                # It fits what was misread.
                doubted = False
            elif due is not None and tile.inner != due:
                doubted = True
                cost = min(COST[Cause.ILLEGAL], another, cost_of_misreading(turn, piece, train, pieces))
                misfits += max(0, cost - COST[Cause.ON_MEXICAN_TRAIN])
            elif tile.tile in turn.seen:
                broken = Cause.ILLEGAL if train in turn.flipped else Cause.RARELY_ILLEGAL
                cost = min(COST[broken], another, cost_of_misreading(turn, piece, train, pieces))
                misfits += max(0, cost - COST[Cause.ON_MEXICAN_TRAIN])
            due = tile.outer
    if not doubles:
        players = len(turn.position.players)
        own = 1 + (closing - 1) // players
        for train, row in rows:
            if train == MEXICAN:
                places += len(row) * COST[Cause.MARKED_ON_MEXICAN_TRAIN]
            else:
                mine = min(len(row), own)
                others = len(row) - mine
                places += mine * COST[Cause.ON_OWN_TRAIN] + others * COST[Cause.ON_ANOTHERS_TRAIN]
    return Ahead(tiles, closing, misfits, places, begun(rest))


def _as_another(piece: Piece, before: Piece | None) -> int:
    """What it costs at least that the tile, or the one before it in this change, is another one."""
    costs = [other.cost for one in (piece, before) if one is not None for other in one.others]
    if before is not None and not before.is_sure:
        costs.append(before.cost_of_another)
    return min(costs, default=99)


def cost_of_misreading(turn: TurnState, piece: Piece, train: str, pieces: Pieces) -> int:
    """What it costs that the tile shows other values than were read, or that the one it lies on does."""
    return misreading(turn, piece, train, pieces)[0]


def misreading(turn: TurnState, piece: Piece, train: str, pieces: Pieces) -> tuple[int, int | None]:
    """The same, and the item of the one it lies on where that is the likelier of the two."""
    cost = piece.cost_of_another
    if pieces.evidence.guessed:
        cost = min(cost, COST[Cause.DOUBTFUL_NEIGHBOUR])
    chain = turn.trains.get(train)
    below = pieces.evidence.doubtful_tiles.get((chain[-1], train)) if chain else None
    return (below.cost, below.item) if below is not None and below.cost < cost else (cost, None)
