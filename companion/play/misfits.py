"""What one picture proves of a laid tile: it does not fit where it lies, whoever laid it.

Such a fault is certain as soon as the tile and its neighbour are surely read, and stays certain while the tile lies
there. Who laid it is another question, answered elsewhere and often later.
"""

from __future__ import annotations

from collections.abc import Sequence

from companion.rules.actions import MEXICAN, RIGHT, Play
from companion.rules.chinese.line import tiles_of
from companion.rules.position import LinePosition, Position
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.rules.violations import Violation


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
