"""Dead doubles and provable blocks: what the table alone proves. Source: docs/rules.md 7.3."""

from __future__ import annotations

from companion.rules.actions import MEXICAN
from companion.rules.position import Position
from companion.rules.ruleset import RuleSet
from companion.rules.tile import double_set


def live_doubles(rules: RuleSet, position: Position) -> tuple[str, ...]:
    """The trains of `open` that bind the player to move, in the order of laying. Source: docs/rules.md 7.1.

    Nobody who lays a long first train is bound.
    """
    if not position.open or (rules.long_first and position.first_turn):
        return ()
    return tuple(
        train
        for train in position.open
        if train not in position.flipped
        and (rules.dead_double == "blocks" or not position.exhausted(position.value_due(train)))
    )


def bound_for_certain(rules: RuleSet, position: Position, live: tuple[str, ...]) -> bool:
    """Whether one of these doubles binds however the source's open questions are answered: a dead one may not."""
    if not rules.leaves_open("dead_double"):
        return bool(live)
    return any(not position.exhausted(position.value_due(train)) for train in live)


def flip_is_open(rules: RuleSet) -> bool:
    """Whether turning over a dead double is a question that the source leaves open.

    Where such a double binds nobody, turning it over changes nothing. Where it locks the table, it would.
    """
    return rules.dead_double == "release" and rules.leaves_open("dead_double")


def due_doubles(rules: RuleSet, live: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the live doubles that may be closed now, by the rule set's order of closing."""
    match rules.close_order:
        case "fifo":
            return live[:1]
        case "lifo":
            return live[-1:]
        case "either":
            return tuple(dict.fromkeys(live[:1] + live[-1:]))
    return live


def dead_status(position: Position, train: str) -> str:
    """Whether the open double of `train` can still be covered: `certain` (dead), `possible`, `no` (none is open)."""
    chain = position.trains.get(train, ())
    if train not in position.open or train in position.flipped or not chain or not chain[-1].is_double:
        return "no"
    return "certain" if position.exhausted(chain[-1].outer) else "possible"


def reachable_trains(rules: RuleSet, position: Position) -> tuple[str, ...]:
    """The trains on which somebody could play: the open doubles due, or else every train that is not flipped."""
    live = live_doubles(rules, position)
    if live:
        return due_doubles(rules, live)
    return tuple(t for t in (*position.players, MEXICAN) if t not in position.flipped)


def provably_blocked(rules: RuleSet, position: Position) -> bool:
    """Whether no tile that is not on the table fits anywhere, whoever holds it."""
    for train in reachable_trains(rules, position):
        if rules.mx_root == "any" and train == MEXICAN and not position.trains.get(MEXICAN):
            if double_set(position.set_max) - position.visible:
                return False
        elif not position.exhausted(position.value_due(train)):
            return False
    return True
