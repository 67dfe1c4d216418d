"""What people say of the pieces of a round, as evidence with a price for its being wrong.

A statement never resets the belief. What may be certain is judged a second time as if statements counted for nothing:
nobody is accused for certain because of what somebody entered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from companion.rules.actions import Action, Discard, Draw, End, Pass, Play
from companion.tracking.costs import COST, Cause
from companion.tracking.evidence import Evidence, Piece

WRONG = COST[Cause.WRONG_STATEMENT]
LATE = COST[Cause.LATE_STATEMENT]
BLIND = COST[Cause.BLIND_STATEMENT]


@dataclass(frozen=True, slots=True)
class Statement:
    """What people have said of one piece since it came.

    `by`: who made it. `act`: what it was instead. `withdrawn`: it is to be off the record;
    `lifted`: because it was taken back, so that what comes there later is new; `unsaid`: they had entered it, and
    nobody has looked in between. `seen`: the number of the picture that shows what they entered.
    """

    by: str | None = None
    act: Action | None = None
    withdrawn: bool = False
    lifted: bool = False
    unsaid: bool = False
    seen: int | None = None


NO_STATEMENT = Statement()


def entered(item: int, act: Action, by: str | None) -> Piece:
    """A piece that somebody has entered and no picture shows.

    A draw or a pass too many may only be late. A marker that is entered late lies there already, and costs nothing.
    """
    tile = isinstance(act, Play)
    owned = by if isinstance(act, (End, Pass, Discard)) else None
    stated_player = None if owned is not None else by
    doubt = LATE if isinstance(act, (Draw, End, Pass)) else WRONG
    return Piece(item, act, by=owned, stated_player=stated_player, doubt=doubt, value_doubt=WRONG if tile else None)


def with_statements(
    evidence: Evidence, statements: Mapping[int, Statement], shown: Mapping[int, Piece], *, blind: bool
) -> Evidence:
    """A change of the table as it is believed after all that people have said.

    `shown`: item of a piece in this picture -> the piece that somebody had entered before. `blind`: as if their
    statements counted for nothing.
    """
    pieces = []
    for piece in evidence.pieces:
        earlier = shown.get(piece.item)
        said = NO_STATEMENT if earlier is None else statements.get(earlier.item, NO_STATEMENT)
        if earlier is not None and earlier.doubt is not None and said.withdrawn and said.seen is None:
            # They had put it in where it had happened before this picture.
            earlier = None
        if earlier is not None and said.seen != evidence.number:
            # It is on record with an earlier picture.
            continue
        if earlier is not None:
            # It keeps the number under which it was entered.
            piece = replace(piece, item=earlier.item, stated_player=earlier.stated_player, by=earlier.by)
        one = statements.get(piece.item, NO_STATEMENT)
        if one.unsaid or (one.seen is not None and earlier is None):
            continue
        if blind:
            pieces.append(_blind(piece, one))
        elif not one.withdrawn:
            pieces.append(_trusted(piece, one))
        elif piece.doubt is None and not one.lifted:
            # A picture showed it: what lies on it may show that it does lie there.
            pieces.append(replace(_trusted(piece, one), denied=WRONG))
    return replace(evidence, pieces=tuple(pieces))


def _trusted(piece: Piece, statement: Statement) -> Piece:
    if statement.by is not None:
        piece = replace(piece, stated_player=statement.by)
    if statement.act is not None:
        piece = replace(piece, act=statement.act, p=None, value_doubt=WRONG, others=())
    return piece


def _blind(piece: Piece, statement: Statement) -> Piece:
    act = piece.act if statement.act is None else statement.act
    doubted = piece.doubt is not None or statement.withdrawn
    value = BLIND if piece.value_doubt is not None or statement.act is not None else None
    others = piece.others if statement.act is None else ()
    return replace(
        piece, act=act, stated_player=None, doubt=BLIND if doubted else None, value_doubt=value, others=others
    )
