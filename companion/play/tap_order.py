"""Other orders of what people tapped, in which the round may have gone.

Between two tiles the order of taps is not the order of acts: a marker is put on the table at once and tapped when
somebody has a hand free, "my turn is over" is pressed a moment late or early. Tiles keep their order; draws, markers,
discards and ends of turns may belong to an earlier moment than that of their tap, or to a later one, by less than a
round of the table. A press of "my turn is over" may also say nothing new. Which order it was, the rules decide: one in
which they find less. Source: docs/rules.md, third reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from companion.log.corrections import EffectiveEvent
from companion.log.events import Discarded, Drew, Event, MarkerPlaced, MarkerRemoved, Passed, TilePlayed

WINDOW = 16
"""So many acts back somebody may have tapped out of order."""

TOGETHER = 3
"""So many taps of one player may be late or early together: a draw, a marker, the end of the turn."""


class Order(NamedTuple):
    """The acts from place `first` on, in another order. `far`: past how many turns of other players a tap moves."""

    first: int
    acts: list[EffectiveEvent]
    far: int


def is_loose(event: Event) -> bool:
    """Whether an act may have happened at another moment than that of its tap."""
    return event.source == "person" and isinstance(event, (Drew, MarkerPlaced, MarkerRemoved, Discarded, Passed))


def whose(event: Event) -> str | None:
    """Who makes the act: a marker's owner where nobody is named."""
    return event.who or getattr(event, "train", None)


def other_orders(acts: Sequence[EffectiveEvent], players: int) -> Iterator[Order]:
    """The orders to try once the last of these acts has been tapped, the nearest first."""
    most = max(players - 1, 2)
    if is_loose(acts[-1].event):
        yield from (order for order in _earlier(acts) if order.far <= most)
    yield from (order for order in _later(acts) if order.far <= most)
    yield from (order for order in _to_another_own(acts) if order.far <= most)
    yield from _unsaid(acts)


def _earlier(acts: Sequence[EffectiveEvent]) -> Iterator[Order]:
    """The last taps of the player who tapped last, alone or together, at an earlier moment."""
    player = whose(acts[-1].event)
    own: list[int] = []
    for place in range(len(acts) - 1, max(-1, len(acts) - WINDOW), -1):
        if not is_loose(acts[place].event) or whose(acts[place].event) != player:
            continue
        own = [place, *own]
        if len(own) > TOGETHER:
            return
        moved = [acts[n] for n in own]
        rest = [act for n, act in enumerate(acts) if n not in own]
        if len(own) > 1:
            yield Order(own[0], [*moved, *rest[own[0] :]], _turns(rest[own[0] :], player))
        for to in range(own[0] - 1, max(-1, len(rest) - WINDOW), -1):
            before, behind = whose(rest[to - 1].event) if to else None, whose(rest[to].event)
            within_a_turn = before == behind != player and not isinstance(rest[to].event, (TilePlayed, Discarded))
            if not within_a_turn:
                yield Order(to, [*moved, *rest[to:]], _turns(rest[to:], player))


def _later(acts: Sequence[EffectiveEvent]) -> Iterator[Order]:
    """The last taps of one player, alone or together, behind what was tapped last."""
    last = len(acts) - 1
    seen: dict[str | None, list[int]] = {}
    for place in range(last - 1, max(-1, last - WINDOW), -1):
        if not is_loose(acts[place].event):
            continue
        player = whose(acts[place].event)
        own = seen.setdefault(player, [])
        if len(own) < TOGETHER:
            own.insert(0, place)
            rest = [acts[n] for n in range(own[0], last + 1) if n not in own]
            yield Order(own[0], [*rest, *(acts[n] for n in own)], _turns(rest, player))


def _to_another_own(acts: Sequence[EffectiveEvent]) -> Iterator[Order]:
    """One of the last taps, right before or behind a later act of the same player."""
    last = len(acts) - 1
    for place in range(last - 1, max(-1, last - WINDOW), -1):
        if not is_loose(acts[place].event):
            continue
        player = whose(acts[place].event)
        for to in range(place + 1, last + 1):
            if whose(acts[to].event) != player:
                continue
            for upto in (to, to + 1):
                passed = acts[place + 1 : upto]
                if any(whose(act.event) != player for act in passed):
                    yield Order(place, [*passed, acts[place], *acts[upto:]], _turns(passed, player))


def _unsaid(acts: Sequence[EffectiveEvent]) -> Iterator[Order]:
    """Without one of the last presses of "my turn is over"."""
    for place in range(len(acts) - 1, max(-1, len(acts) - WINDOW), -1):
        event = acts[place].event
        if isinstance(event, Passed) and event.done:
            yield Order(place, list(acts[place + 1 :]), 1)


def _turns(acts: Sequence[EffectiveEvent], player: str | None) -> int:
    """How many turns of others these acts are at most."""
    return sum(name != player for name, _ in groupby(whose(act.event) for act in acts))
