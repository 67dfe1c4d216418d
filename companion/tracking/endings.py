"""How a turn of Mexican Train may be over: what it then lacks is a fault, or something that no picture showed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from companion.rules.mexican.turn import TurnState
from companion.rules.violations import Violation as V
from companion.tracking.costs import PRIORS, Cause, fault

_C = {cause: prior.decibans for cause, prior in PRIORS.items()}

BY_PLAY = ("codes", "may", "trains", "seen", "laid", "open", "doubles")
BY_MARKER = ("codes", "may", "markers")
BY_FLIP = ("codes", "may", "flipped", "open")
BY_DRAW = BY_END = ("codes", "may")
"""What of a turn each kind of act changes in place."""


def fork(turn: TurnState, changed: tuple[str, ...]) -> TurnState:
    """The same turn, to be tried further; only what is `changed` is its own."""
    other = turn.copy()
    for name in changed:
        setattr(other, name, getattr(turn, name).copy())
    return other


class Ending(NamedTuple):
    """One end of a turn: its cost, the turn closed, what it is held against the player, what was assumed, and the
    markers that no picture shows yet, lying there and gone."""

    cost: int
    turn: TurnState
    codes: tuple[str, ...]
    causes: tuple[Cause, ...]
    on: frozenset[str]
    off: frozenset[str]


def endings(
    turn: TurnState, on: frozenset[str], off: frozenset[str], *, faults: bool, errors: bool = True
) -> Iterator[Ending]:
    """How `turn` may be over. `on` are markers that are held to lie there though no picture shows them, `off` the other
    way. With `faults` also against a rule, with `errors` also with something that the camera missed."""
    me = turn.player
    if me in off and not turn.complete:
        # It still lies there: nobody has to put it on again.
        turn = fork(turn, BY_MARKER)
        turn.markers.add(me)
        off = off - {me}
    before = frozenset(turn.codes)
    judged = fork(turn, BY_END)
    judged.finish()
    codes = judged.codes - before
    if me in on and V.MARKER_NOT_REMOVED in codes:
        # No picture ever showed it.
        turn = fork(turn, BY_MARKER)
        turn.markers.discard(me)
        on = on - {me}
        judged = fork(turn, BY_END)
        judged.finish()
        codes = judged.codes - before
    if not codes:
        causes = tuple(_unusual(turn, judged, on))
        yield Ending(sum(_C[cause] for cause in causes), judged, (), causes, on, off)
        return
    if errors:
        yield from _unseen_endings(turn, codes, on, off)
    if faults:
        first = Cause.ALSO_ILLEGAL if before else fault(codes)
        causes = (first, *(Cause.ALSO_ILLEGAL for _ in range(len(codes) - 1)))
        cost = sum(_C[cause] for cause in causes)
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
    mended = fork(turn, BY_MARKER)
    before = frozenset(turn.codes)
    causes: list[Cause] = []
    found = set(codes)
    if found & {V.NO_DRAW, V.DOUBLE_NOT_FOLLOWED}:
        mended.draw()
        causes.append(Cause.MISSED_DRAW)
    if found & {V.MARKER_MISSING, V.DOUBLE_NOT_FOLLOWED}:
        mended.markers.add(me)
        on = on | {me}
        causes.append(Cause.MARKER_NOT_SEEN)
    if V.MARKER_NOT_REMOVED in found:
        mended.markers.discard(me)
        off = off | {me}
        causes.append(Cause.MARKER_STILL_SEEN)
    if not causes:
        return
    mended.finish()
    if mended.codes - before:
        return
    yield Ending(sum(_C[cause] for cause in causes), mended, (), tuple(causes), on, off)
