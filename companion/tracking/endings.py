"""How a turn of Mexican Train may be over: what it then lacks is a fault, or something that no picture showed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from typing import NamedTuple

from companion.rules.mexican.turn import TurnState
from companion.rules.violations import Violation as V
from companion.tracking.costs import COST, Cause, fault

CHEAPEST = min(map(COST.__getitem__, (Cause.MISSED_DRAW, Cause.MARKER_NOT_SEEN, Cause.MARKER_STILL_SEEN)))
"""What it costs at least that something has not been seen that a turn seems to lack."""


class Ending(NamedTuple):
    """One end of a turn: its cost, the turn closed, what it is held against the player, what was assumed, the markers
    that no picture shows yet, lying there and gone, and whether a draw is still to be seen."""

    cost: int
    turn: TurnState
    codes: tuple[str, ...]
    causes: tuple[Cause, ...]
    on: frozenset[str]
    off: frozenset[str]
    undrawn: bool = False


def endings(
    turn: TurnState,
    on: frozenset[str],
    off: frozenset[str],
    *,
    faults: bool,
    unseen: bool = True,
    within: float = inf,
) -> Iterator[Ending]:
    """How `turn` may be over. `on` are markers that are held to lie there though no picture shows them, `off` the other
    way. With `faults` also against a rule, with `unseen` also with something that nothing has shown. What costs more
    than `within` may be left out."""
    me = turn.player
    if me in off and not turn.complete:
        # It still lies there: nobody has to put it on again.
        turn = turn.copy()
        turn.markers |= {me}
        off = off - {me}
    before = turn.codes
    judged = turn.copy()
    judged.finish()
    codes = judged.codes - before
    if me in on and V.MARKER_NOT_REMOVED in codes and unseen:
        # No picture ever showed it.
        turn = turn.copy()
        turn.markers -= {me}
        on = on - {me}
        judged = turn.copy()
        judged.finish()
        codes = judged.codes - before
    if not codes:
        causes = tuple(_unusual(turn, judged, on))
        yield Ending(sum(COST[cause] for cause in causes), judged, (), causes, on, off)
        return
    if unseen and within >= CHEAPEST:
        yield from _unseen_endings(turn, codes, on, off)
    if faults and within >= COST[Cause.ALSO_ILLEGAL]:
        first = Cause.ALSO_ILLEGAL if before else fault(codes)
        causes = (first, *(Cause.ALSO_ILLEGAL for _ in range(len(codes) - 1)))
        cost = sum(COST[cause] for cause in causes)
        yield Ending(cost, judged, tuple(sorted(map(str, codes))), causes, on, off)


def _unusual(turn: TurnState, judged: TurnState, on: frozenset[str]) -> Iterator[Cause]:
    """What is held against nobody at the end of this turn, and yet hardly ever done."""
    doubts = judged.may - turn.may
    if V.MARKER_NOT_REMOVED in doubts and turn.player not in on:
        yield Cause.MARKER_LEFT_ON
    uncounted = (V.NO_DRAW, V.DOUBLE_NOT_FOLLOWED) if turn.boneyard is None else ()
    if doubts.difference((V.MARKER_NOT_REMOVED, *uncounted)):
        yield Cause.UNSETTLED_END


def _unseen_endings(turn: TurnState, codes: Iterable[V], on: frozenset[str], off: frozenset[str]) -> Iterator[Ending]:
    """The same end without a fault, if something was not seen: a draw, a marker put on or taken off."""
    me = turn.player
    mended = turn.copy()
    before = turn.codes
    causes: list[Cause] = []
    found = set(codes)
    if found & {V.NO_DRAW, V.DOUBLE_NOT_FOLLOWED}:
        mended.draw()
        causes.append(Cause.MISSED_DRAW)
    if found & {V.MARKER_MISSING, V.DOUBLE_NOT_FOLLOWED}:
        mended.markers |= {me}
        on = on | {me}
        causes.append(Cause.MARKER_NOT_SEEN)
    if V.MARKER_NOT_REMOVED in found:
        mended.markers -= {me}
        off = off | {me}
        causes.append(Cause.MARKER_STILL_SEEN)
    if not causes:
        return
    mended.finish()
    if mended.codes - before:
        return
    undrawn = Cause.MISSED_DRAW in causes and mended.boneyard is not None
    yield Ending(sum(COST[cause] for cause in causes), mended, (), tuple(causes), on, off, undrawn)
