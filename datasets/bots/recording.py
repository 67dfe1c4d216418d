"""The bots' acts as the events that a journal would hold."""

from __future__ import annotations

from collections.abc import Iterator

from companion.log.events import (
    Announced,
    Discarded,
    DoubleFlipped,
    Drew,
    Event,
    HandShown,
    MarkerPlaced,
    MarkerRemoved,
    Passed,
    RoundStarted,
    TilePlayed,
)
from companion.rules.position import Discard, Draw, Flip, Mark, Pass, Play, Unmark
from datasets.bots.rounds import BotRound, BotTurn


def opening(game: BotRound) -> RoundStarted:
    """The deal as an event."""
    return RoundStarted(round=game.number, engine=game.engine, starter=game.starter)


def events_of(turn: BotTurn, source: str = "person") -> Iterator[Event]:
    """The acts of a turn as events; one that is not complete and puts no marker ends with a pass."""
    player = turn.player
    for action in turn.actions:
        match action:
            case Play(tile, train):
                yield TilePlayed(by=player, tile=tile, train=train, source=source)
            case Draw():
                yield Drew(by=player, source=source)
            case Mark(train):
                yield MarkerPlaced(by=player, train=train, source=source)
            case Unmark(train):
                yield MarkerRemoved(by=player, train=train, source=source)
            case Flip(train):
                yield DoubleFlipped(by=player, train=train, source=source)
            case Discard(face_up):
                shown = turn.discarded if face_up else None
                yield Discarded(by=player, tile=shown, face_up=face_up, source=source)
            case Pass():
                yield Passed(by=player, source=source)
    if not turn.complete and Mark(player) not in turn.actions and Pass() not in turn.actions:
        yield Passed(by=player, source=source)
    if turn.announced:
        yield Announced(by=player, source=source)


def reveal(game: BotRound) -> Iterator[HandShown]:
    """The hands laid open after the round."""
    for player in game.start.players:
        discards = tuple(game.discards.get(player, ()))
        yield HandShown(by=player, tiles=tuple(sorted(game.hands[player])), discards=discards, in_order=bool(discards))
