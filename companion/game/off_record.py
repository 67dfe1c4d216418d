"""Tiles that lie face up on the table and are not on record: what the camera saw last, beside what the game has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from companion.rules.actions import LEFT, RIGHT
from companion.rules.position import LinePosition, Position
from companion.rules.tile import Laid

Row = tuple[Laid | None, ...]
"""Face-up tiles in the order in which they lie, None for one that is not read."""


@dataclass(frozen=True, slots=True)
class Lying:
    """The table as it was looked at last: the trains from the engine outwards, a Chinese line from left to right, and
    the tiles that belong to neither. It is what lies there now, so no journal has it."""

    trains: Mapping[str, Row] = field(default_factory=dict)
    line: Row = ()
    apart: Row = ()


@dataclass(frozen=True, slots=True)
class OffRecord:
    """How many such tiles lie at each train, or at an end of the line (L, R), and how many `apart` from all. A train
    with none is not named."""

    beyond: Mapping[str, int] = field(default_factory=dict)
    apart: int = 0

    def __bool__(self) -> bool:
        return bool(self.beyond) or self.apart > 0


def off_record(lying: Lying, table: Position | LinePosition) -> OffRecord:
    """What of `lying` the record of this table does not have. Where people say what an unread tile is, that is it."""
    if isinstance(table, LinePosition):
        left, right = _beyond(lying.line, table.line)
        found = {LEFT: left, RIGHT: right}
        known = set(table.line)
    else:
        found = {name: sum(_beyond(row, table.trains.get(name, ()))) for name, row in lying.trains.items()}
        known = set(table.laid())
    tiles = {laid.tile for laid in known}
    apart = sum(laid is None or laid.tile not in tiles for laid in lying.apart)
    return OffRecord({name: count for name, count in found.items() if count}, apart)


def _beyond(row: Row, recorded: Sequence[Laid]) -> tuple[int, int]:
    """How many tiles lie before the first, and beyond the last, that the row and the record have in common, and are not
    accounted for by those on record there. With nothing in common, all are beyond."""
    same = SequenceMatcher(None, row, recorded, autojunk=False).get_matching_blocks()[:-1]
    if not same:
        return 0, max(0, len(row) - len(recorded))
    first, last = same[0], same[-1]
    before = max(0, first.a - first.b)
    behind = max(0, (len(row) - last.a) - (len(recorded) - last.b))
    return before, max(behind, len(row) - len(recorded) - before)
