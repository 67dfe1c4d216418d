"""Two still tables of a bots' game, as the camera would report the difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from companion.log.events import TableChange
from companion.rules.notation import Change, Drawing
from companion.rules.position import Discard, LinePosition, Mark, Play, Position, Unmark
from companion.rules.tile import Tile
from datasets.bots import BotTurn


def table_change(delta: Iterable[Change] = (), frame: str | None = None, **context: Any) -> TableChange:
    """The camera's report of these changes; `context` as TableChange has it."""
    return TableChange(tuple(delta), frame=frame, **context)


def seen(turns: Sequence[BotTurn], *, boneyard: bool = True) -> TableChange:
    """The camera's report of all that `turns` changed together; the boneyard only where it lies open."""
    before, after = turns[0].before, turns[-1].after
    if isinstance(before, LinePosition) or isinstance(after, LinePosition):
        discards: dict[str, int] = {}
        delta: list[Change] = []
        for turn in turns:
            for action in turn.actions:
                if isinstance(action, Play):
                    delta.append(Play(action.tile, action.train))
                elif isinstance(action, Discard):
                    discards[turn.player] = discards.get(turn.player, 0) + 1
        return TableChange(tuple(delta), discards=discards)
    delta = difference(before, after, boneyard=boneyard)
    return TableChange(tuple(delta), flips=tuple(sorted(after.flipped - before.flipped)))


def note_layers(turn: BotTurn, truth: dict[tuple[Tile, str], list[str]]) -> None:
    """Add to `truth` who laid which tile on which train."""
    for act in turn.actions:
        if isinstance(act, Play):
            truth.setdefault((act.tile.tile, act.train), []).append(turn.player)


def difference(before: Position, after: Position, *, boneyard: bool) -> list[Change]:
    delta: list[Change] = []
    for train, chain in after.trains.items():
        delta += [Play(tile, train) for tile in chain[len(before.trains.get(train, ())) :]]
    delta += [Mark(player) for player in sorted(after.markers - before.markers)]
    delta += [Unmark(player) for player in sorted(before.markers - after.markers)]
    drawn = (before.boneyard or 0) - (after.boneyard or 0)
    if boneyard and drawn > 0:
        delta.append(Drawing(drawn))
    return delta
