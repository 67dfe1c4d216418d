"""What people say of the pieces of a round, as evidence with a price for its being wrong.

A word never resets the belief. What may be certain is judged a second time as if words counted for nothing: nobody is
accused for certain because of what somebody entered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from companion.rules.actions import Action, Discard, Draw, End, Pass, Play
from companion.tracking.costs import COST, Cause
from companion.tracking.evidence import Evidence, Piece

WRONG = COST[Cause.WRONG_WORD]
LATE = COST[Cause.LATE_WORD]
BLIND = COST[Cause.BLIND_WORD]


@dataclass(frozen=True, slots=True)
class Said:
    """What people have said of one piece since it came.

    `by`: who made it. `act`: what it was instead. `withdrawn`: it is to be off
    the record; `lifted`: because it was taken back, so that what comes there later is new. `seen`: the number of the
    picture that shows what they entered.
    """

    by: str | None = None
    act: Action | None = None
    withdrawn: bool = False
    lifted: bool = False
    seen: int | None = None


NOTHING = Said()


def entered(item: int, act: Action, by: str | None) -> Piece:
    """A piece that somebody has entered and no picture shows.

    A draw or a pass too many may only be late. A marker that is entered late lies there already, and costs nothing.
    """
    tile = isinstance(act, Play)
    owned = by if isinstance(act, (End, Pass, Discard)) else None
    word = None if owned is not None else by
    doubt = LATE if isinstance(act, (Draw, End, Pass)) else WRONG
    return Piece(item, act, by=owned, word=word, doubt=doubt, value_doubt=WRONG if tile else None)


def heard(evidence: Evidence, said: Mapping[int, Said], shown: Mapping[int, Piece], *, blind: bool) -> Evidence:
    """A change of the table as it is believed after all that people have said.

    `shown`: item of a piece in this picture -> the piece that somebody had entered before. `blind`: as if their words
    counted for nothing.
    """
    pieces = []
    for piece in evidence.pieces:
        told = shown.get(piece.item)
        if told is not None and said.get(told.item, NOTHING).seen != evidence.number:
            # It is on record with an earlier picture.
            continue
        if told is not None:
            # It keeps the number under which it was entered.
            piece = replace(piece, item=told.item, word=told.word, by=told.by)
        one = said.get(piece.item, NOTHING)
        if one.seen is not None and told is None:
            continue
        if blind:
            pieces.append(_blind(piece, one))
        elif not one.withdrawn:
            pieces.append(_trusted(piece, one))
        elif piece.doubt is None and not one.lifted:
            # A picture showed it: what lies on it may show that it does lie there.
            pieces.append(replace(_trusted(piece, one), denied=WRONG))
    return replace(evidence, pieces=tuple(pieces))


def _trusted(piece: Piece, said: Said) -> Piece:
    if said.by is not None:
        piece = replace(piece, word=said.by)
    if said.act is not None:
        piece = replace(piece, act=said.act, p=None, value_doubt=WRONG, others=())
    return piece


def _blind(piece: Piece, said: Said) -> Piece:
    act = piece.act if said.act is None else said.act
    doubted = piece.doubt is not None or said.withdrawn
    value = BLIND if piece.value_doubt is not None or said.act is not None else None
    others = piece.others if said.act is None else ()
    return replace(piece, act=act, word=None, doubt=BLIND if doubted else None, value_doubt=value, others=others)
