"""Other orders of what people tapped, in which the round may have gone.

Between two tiles the order of taps is not the order of acts: a marker is put on the table at once and tapped when
somebody has a hand free, "my turn is over" is pressed a moment late or early. Tiles keep their order; draws, markers,
discards and ends of turns may belong to an earlier moment than that of their tap, or to a later one, by less than a
round of the table, those of several players at once. A press of "my turn is over" may also say nothing new, and
that the round is over may be wrong where the counts alone tell it. Which order it was, the rules decide: one in which
they find least. Source: docs/rules.md, third reading.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cache
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple, Protocol, Self

from companion.log.corrections import EffectiveEvent
from companion.log.events import (
    Discarded,
    Drew,
    Event,
    HandShown,
    MarkerPlaced,
    MarkerRemoved,
    Passed,
    RoundEnded,
    TilePlayed,
)

WINDOW = 24
"""So many acts back somebody may have tapped out of order, at most."""

MOST_STEPS, FEWER_STEPS = 1000, 120
"""So many acts are judged in search of another order, as whoever taps waits for it; fewer where the last tap brought
nothing up and is not of somebody who is accused."""


Burden = tuple[int, int]
"""How much is found for certain, and how much at all."""


class Round(Protocol):
    """A round after some of its acts, in some order."""

    def then(self, act: EffectiveEvent) -> Self | None:
        """After one act more; None where something is found that is not found in the order of the taps."""

    def awaits(self, player: str | None) -> bool:
        """Whether an act of this player may come now."""

    @property
    def found(self) -> int:
        """How much is found so far."""

    @property
    def settled(self) -> Burden:
        """What of it no later act can mend."""

    @property
    def state(self) -> Hashable:
        """What is found, and what the further course depends on besides which acts are still to come."""

    @property
    def burden(self) -> Burden | None:
        """What is found if this was the last act; None as in `then`."""


class Order(NamedTuple):
    """The acts from place `first` on, in another order. `far`: whether a tap moves past another player's act."""

    first: int
    acts: list[EffectiveEvent]
    far: bool


class _Way(NamedTuple):
    """Part of an order: the acts `placed`, those still `to_come` in the order of their taps, and those put off, which
    come at a later moment than that of their tap. `far` as in `Order`; `moving`: whose taps are being moved."""

    so_far: Round
    placed: tuple[int, ...]
    to_come: tuple[int, ...]
    put_off: tuple[int, ...] = ()
    far: bool = False
    moving: str | None = None


def is_loose(event: Event) -> bool:
    """Whether an act may have happened at another moment than that of its tap."""
    return event.source == "person" and isinstance(event, (Drew, MarkerPlaced, MarkerRemoved, Discarded, Passed))


def whose(event: Event) -> str | None:
    """Who makes the act: a marker's owner where nobody is named."""
    return event.who or getattr(event, "train", None)


def recent(acts: Sequence[Event], players: int) -> int:
    """How many of the last acts a tap may be out of place among: two rounds of the table."""
    turns, last = 0, None
    for n, act in enumerate(reversed(acts[-WINDOW:])):
        player = whose(act)
        turns += player not in (None, last)
        last = player or last
        if turns > 2 * players + 2:
            return n
    return min(len(acts), WINDOW)


def best_order(
    acts: Sequence[EffectiveEvent], players: int, begun: Round, burden: Burden, steps: int
) -> tuple[Order | None, bool]:
    """The order of these acts in which less is found than the `burden` of now, and least; and whether every other was
    tried.

    Orders are tried by how many taps they move, act by act, so that what cannot have been is left early. The last tap,
    and those that one player has moved together, count as none.
    """
    most = max(players, 2)
    taps = [_Tap.of(act.event) for act in acts]
    best: _Way | None = None
    ticket, seen = count(), set[Hashable]()
    ahead = [(0, 0, next(ticket), 0, _Way(begun, (), tuple(range(len(acts)))), -1)]
    while ahead and steps:
        _, _, _, moved, way, act = heappop(ahead)
        if act >= 0:
            steps -= 1
            after = way.so_far.then(acts[act])
            if after is None or after.settled >= burden:
                continue
            way = way._replace(so_far=after, placed=(*way.placed, act))
        key = (way.to_come, way.put_off, way.so_far.state)
        if key in seen:
            continue
        seen.add(key)
        if not way.to_come and not way.put_off:
            found = way.so_far.burden
            if found is not None and found < burden:
                best, burden = way, found
                if found == (0, 0):
                    break
        for more, further, step in _onward(taps, way, most):
            price = moved + more + way.so_far.found
            heappush(ahead, (price, -len(further.placed), next(ticket), moved + more, further, step))
    order = None if best is None else Order(0, [acts[n] for n in best.placed], best.far)
    return order, not ahead or burden == (0, 0)


class _Tap(NamedTuple):
    """What the search asks of a tap. `kind`: two acts of a kind may as well change places."""

    event: Event
    player: str | None
    kind: Hashable
    loose: bool

    @staticmethod
    def of(event: Event) -> _Tap:
        player = whose(event)
        kind = type(event), player, getattr(event, "train", None), getattr(event, "done", None)
        return _Tap(event, player, kind, is_loose(event))


def _onward(taps: Sequence[_Tap], way: _Way, most: int) -> Iterator[tuple[int, _Way, int]]:
    """Each way on: how many taps more it moves, the rest, and the act that comes next (-1: none yet)."""
    awaits = cache(way.so_far.awaits)
    so_far, placed, to_come, put_off, far, moving = way
    for act in put_off:
        player = taps[act].player
        passed = _Passed()
        for n in placed:
            if n > act:
                passed.add(taps[n].player)
        others = passed.others(player)
        if others > most:
            return
        if not to_come or (placed[-1:] > (act,) and awaits(player)):
            rest = tuple(n for n in put_off if n != act)
            yield 0, _Way(so_far, placed, to_come, rest, far or others > 0, moving), act
    if not to_come:
        return
    first, later = to_come[0], to_come[1:]
    yield 0, _Way(so_far, placed, later, put_off, far, None), first
    event, player, kind, loose = taps[first]
    alike = {kind}
    passed = _Passed()
    passed.add(player)
    for act in later:
        _, by, like, movable = taps[act]
        if movable and like not in alike and awaits(by):
            others = passed.others(by)
            if others <= most:
                rest = tuple(n for n in to_come if n != act)
                more = int(by != moving and act != len(taps) - 1)
                yield more, _Way(so_far, placed, rest, put_off, far or others > 0, by), act
        alike.add(like)
        passed.add(by)
    if loose:
        yield int(player != moving), _Way(so_far, placed, later, (*put_off, first), far, player), -1
    if _may_be_nothing(event, (taps[n].event for n in later)):
        yield 1, _Way(so_far, placed, later, put_off, True, moving), -1


class _Passed:
    """Acts in a row, counted as turns: how many turns of others they are at most."""

    def __init__(self) -> None:
        self._turns: dict[str | None, int] = {}
        self._all = 0
        self._last: tuple[str | None] | None = None

    def add(self, player: str | None) -> None:
        if self._last is None or self._last[0] != player:
            self._turns[player] = self._turns.get(player, 0) + 1
            self._all += 1
            self._last = (player,)

    def others(self, player: str | None) -> int:
        return self._all - self._turns.get(player, 0)


def _may_be_nothing(event: Event, following: Iterable[Event]) -> bool:
    """Whether it may have been no act at all: a press of "my turn is over", or an end of the round that the counts
    alone told, where somebody goes on who should have no tile left, or lays one where nobody could."""
    if isinstance(event, Passed):
        return event.done
    if not isinstance(event, RoundEnded) or event.source != "rule":
        return False
    later = list(following)
    if any(isinstance(one, HandShown) for one in later):
        return False
    if event.how == "out":
        return any(isinstance(one, (TilePlayed, Drew, Discarded)) and one.who == event.out for one in later)
    return event.how == "blocked_declared" and any(isinstance(one, TilePlayed) for one in later)
