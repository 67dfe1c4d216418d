"""Events as acts and acts as events, and small changes of a table that the course of a round is made of."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from companion.log.events import (
    Discarded,
    DoubleFlipped,
    Drew,
    Event,
    MarkerPlaced,
    MarkerRemoved,
    Passed,
    TilePlayed,
)
from companion.rules.actions import Action, Discard, Draw, End, Flip, Mark, Pass, Play, Unmark
from companion.rules.position import LinePosition, Position
from companion.rules.tile import Laid

Table = Position | LinePosition


def action_of(event: Event) -> Action | None:
    """The act that an event records; None for events that are none. A pass is seen to by itself."""
    match event:
        case TilePlayed():
            return Play(event.tile, event.train)
        case Drew():
            return Draw()
        case Discarded():
            return Discard(event.face_up, event.tile if event.face_up else None)
        case MarkerPlaced():
            return Mark(event.train)
        case MarkerRemoved():
            return Unmark(event.train)
        case DoubleFlipped():
            return Flip(event.train)
        case Passed():
            return End()
    return None


def is_act(event: Event) -> bool:
    """Whether somebody did it; a pass is an act too, also one that the rules imply."""
    return action_of(event) is not None or isinstance(event, Passed)


def act_of(event: Event) -> Action | None:
    """What somebody must have done for this event; a pass that the rules imply is nothing that anybody saw."""
    if isinstance(event, Passed):
        act = End() if event.done else Pass()
        return act if event.source == "person" else None
    return action_of(event)


def event_of(act: Action, by: str | None, *, source: str = "camera", **fields: Any) -> Event:
    """The event that records an act of `by`; raises TypeError for an end of a turn, which is nobody's act."""
    common: dict[str, Any] = {"by": by, "source": source, **fields}
    match act:
        case Play(tile, train):
            return TilePlayed(tile=tile, train=train, **common)
        case Draw():
            return Drew(**common)
        case Mark(player):
            return MarkerPlaced(train=player, **common)
        case Unmark(player):
            return MarkerRemoved(train=player, **common)
        case Flip(train):
            return DoubleFlipped(train=train, **common)
        case Discard(face_up, tile):
            return Discarded(face_up=face_up, tile=tile, **common)
    raise TypeError(f"nobody can have done {act!r}")


def unsettled(event: Event) -> bool:
    """Whether it is open who it was or what is held against them: then its violations stand as they were weighed."""
    return len(event.perhaps) > 1 or (bool(event.perhaps) and event.who is not None)


def meant(event: Event) -> tuple[str, ...]:
    """Whose act it may be, the likeliest first."""
    return event.perhaps if event.who is None else (event.who, *event.perhaps)


def lifted(table: Table, train: str, tile: Laid) -> Table:
    """The table without `tile` in `train` (the outermost, if it lies there twice); unchanged if it is not there."""
    if isinstance(table, LinePosition):
        line = _without(table.line, tile, from_left=train == "L")
        return replace(table, line=line)
    chain = table.trains.get(train, ())
    rest = _without(chain, tile)
    if rest == chain:
        return table
    was_last = chain[-1].tile == tile.tile
    open_ends = tuple(name for name in table.open if not (was_last and name == train))
    if was_last and rest and rest[-1].is_double and train not in table.flipped:
        open_ends = (*open_ends, train)
    flipped = table.flipped - {train} if was_last else table.flipped
    return replace(table, trains={**table.trains, train: rest}, open=open_ends, flipped=flipped)


def turned_to(table: Table, player: str, moved: Collection[str]) -> Table:
    """The table with `player` to act; `moved` have had their first turn."""
    if isinstance(table, Position):
        return replace(table, turn=player, first_turn=player not in moved)
    return replace(table, turn=player)


def _without(chain: tuple[Laid, ...], tile: Laid, *, from_left: bool = False) -> tuple[Laid, ...]:
    places = [n for n, laid in enumerate(chain) if laid.tile == tile.tile]
    if not places:
        return chain
    place = places[0] if from_left else places[-1]
    return chain[:place] + chain[place + 1 :]


def uncounted(table: Table, players: Collection[str], *, boneyard: bool = False) -> Table:
    """The table where nobody can say how many tiles these hold; nor, with `boneyard`, how many are left to draw."""
    hands = {name: count for name, count in table.hands.items() if name not in players}
    if boneyard and isinstance(table, Position):
        return replace(table, hands=hands, boneyard=None)
    return replace(table, hands=hands)
