"""Events as acts and acts as events, and small changes of a table.

`at_the_open_end`: a line that reads the same with the new tiles at either end (6:6 laid beside 6:6) looks the same too.
Only its place on the table tells the ends apart then, and a nudge of the camera moves that. No fault may rest on it.

`misfits`: a laid tile does not fit where it lies, whoever laid it. One picture proves that as soon as the tile and its
neighbour are surely read, and the fault stays certain while the tile lies there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from companion.log.events import (
    Discarded,
    DoubleFlipped,
    Drew,
    Event,
    MarkerPlaced,
    MarkerRemoved,
    Passed,
    PlayerLeft,
    TableChange,
    TilePlayed,
)
from companion.rules.chinese import open_arms, tiles_of
from companion.rules.notation import Change, Laying
from companion.rules.position import (
    LEFT,
    MEXICAN,
    RIGHT,
    Discard,
    Draw,
    End,
    Flip,
    Leave,
    LinePosition,
    Mark,
    Pass,
    Play,
    Position,
    TableAct,
    Unmark,
)
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.rules.violations import Violation

Table = Position | LinePosition
AnyTable = TypeVar("AnyTable", bound=Table)


def action_of(event: Event) -> TableAct | None:
    """The act that an event records; None for an event without one. A pass is seen to by itself."""
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


def act_of(event: Event) -> TableAct | None:
    """The act somebody must have done for this event; nobody saw a pass that the rules imply."""
    if isinstance(event, PlayerLeft):
        return Leave()
    if isinstance(event, Passed):
        act = End() if event.done else Pass()
        return act if event.source == "person" else None
    return action_of(event)


def event_of(act: TableAct, by: str | None, *, source: str = "camera", **fields: Any) -> Event:
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
    """Whether the player or the findings are open: then its violations stand as they were weighed."""
    return len(event.perhaps) > 1 or (bool(event.perhaps) and event.who is not None)


def meant(event: Event) -> tuple[str, ...]:
    """Players whose act it may be, the likeliest first."""
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


def without(table: AnyTable, player: str) -> AnyTable:
    """The table where this player has left, with the hand put aside, which counts for nothing more."""
    hands = {name: count for name, count in table.hands.items() if name != player}
    return replace(table, hands=hands, gone=table.gone | {player})


AnyValue = TypeVar("AnyValue")


def at_the_open_end(report: TableChange, rules: RuleSet, line: Sequence[Laid]) -> TableChange:
    """The change with its tiles at the open end, where only one is open and the line reads the same either way."""
    left = [change.tile for change in report.laid if change.train == LEFT]
    if not left or not line or report.gone or LEFT in open_arms(rules):
        return report
    if [*left[::-1], *line] != [*line, *left]:
        return report

    def placed(change: Change) -> Change:
        return Laying(change.tile, RIGHT) if isinstance(change, Laying) else change

    def again(values: Mapping[Change, AnyValue]) -> dict[Change, AnyValue]:
        return {placed(change): value for change, value in values.items()}

    readings = {Laying(laying.tile, RIGHT): certainty for laying, certainty in report.readings.items()}
    delta = tuple(map(placed, report.delta))
    return replace(report, delta=delta, readings=readings, arms=again(report.arms), whose=again(report.whose))


def misfits(rules: RuleSet, table: Position, chain: Sequence[Laid], play: Play) -> tuple[str, ...]:
    """The codes by which this tile does not fit behind `chain`, its train so far; () where it does."""
    tile, codes = play.tile, list[Violation]()
    if max(tile) > table.set_max:
        codes.append(Violation.TILE_NOT_IN_SET)
    if chain:
        codes += [Violation.MISMATCH] if tile.inner != chain[-1].outer else []
    elif not _any_root(rules, play.train) and not set(tile) & set(table.engine):
        # A tile that shows the engine's value at its other end may only lie the other way round.
        codes.append(Violation.WRONG_ROOT)
    return tuple(map(str, codes))


def _any_root(rules: RuleSet, train: str) -> bool:
    """Whether this train may begin with any value, or no source says that it may not."""
    return train == MEXICAN and (rules.mx_root == "any" or rules.leaves_open("mx_root"))


def misfits_in_line(rules: RuleSet, table: LinePosition, play: Play) -> tuple[str, ...]:
    """The same for a tile at an end of a Chinese line."""
    found = [Violation.TILE_NOT_IN_SET] if play.tile.tile not in tiles_of(rules, len(table.players)) else []
    if table.ends is not None:
        touching, due = (play.tile.inner, table.ends[1]) if play.train == RIGHT else (play.tile.outer, table.ends[0])
        found += [Violation.MISMATCH] if touching != due else []
    return tuple(map(str, found))
