"""Which tile of a turn at the line each code is about."""

from __future__ import annotations

from collections.abc import Sequence

from companion.rules.actions import Action, Play
from companion.rules.chinese import line
from companion.rules.chinese.judge import tile_faults
from companion.rules.explain import Facts
from companion.rules.notation import print_laid
from companion.rules.position import LinePosition
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Violation


def turn_facts(rules: RuleSet, position: LinePosition, actions: Sequence[Action]) -> dict[Violation, Facts]:
    """Which tile of the turn each code is about."""
    facts: dict[Violation, Facts] = {}
    copies = line.tiles_of(rules, len(position.players))
    for act in actions:
        if isinstance(act, Play):
            known = Facts(position.turn or None, print_laid(act.tile, ":"))
            for code in tile_faults(rules, position, act, copies):
                facts.setdefault(code, known)
        position = line.apply(position, act)
    return facts
