"""What one picture proves of a tile, whoever laid it."""

from __future__ import annotations

from companion.rules.actions import MEXICAN
from companion.rules.position import Position
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.rules.violations import Violation as V


def value_faults(rules: RuleSet, table: Position, laid: Laid, train: str) -> tuple[str, ...]:
    """What one picture proves of a tile at the end of `train`, whoever laid it."""
    found = [V.TILE_NOT_IN_SET] if max(laid) > table.set_max else []
    chain = table.trains.get(train, ())
    if chain:
        found += [V.MISMATCH] if laid.inner != chain[-1].outer else []
    elif laid.inner != table.engine.outer and not (rules.mx_root == "any" and train == MEXICAN):
        found.append(V.WRONG_ROOT)
    return tuple(map(str, found))
