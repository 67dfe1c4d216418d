"""Which act of a turn, and which tile of a table, each code is about: what an explanation is filled with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.rules.actions import SECOND_MEXICAN, Action, Flip, Mark, Play, Unmark
from companion.rules.explain import Facts
from companion.rules.mexican.judge import play_out
from companion.rules.notation import print_laid
from companion.rules.position import Position
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.rules.violations import Violation


def turn_facts(rules: RuleSet, position: Position, actions: Sequence[Action]) -> dict[Violation, Facts]:
    """Which act of the turn each code is about, as far as one act shows it."""
    facts: dict[Violation, Facts] = {}
    player = position.turn
    for number, act in enumerate(actions):
        if isinstance(act, Play):
            known = Facts(player, print_laid(act.tile), act.train)
            certain, unsure = play_out(rules, position, actions[:number]).faults_of(act.tile, act.train)
            for code in (*certain, *unsure):
                facts.setdefault(code, known)
            facts.setdefault(Violation.PLAY_AFTER_END, known)
        elif isinstance(act, (Mark, Unmark)) and act.player != player:
            facts.setdefault(Violation.MARKER_WRONG_TRAIN, Facts(player, train=act.player))
        elif isinstance(act, Flip):
            facts.setdefault(Violation.WRONG_FLIP, Facts(player, train=act.train))
            facts.setdefault(Violation.FLIP_NOT_IN_RULES, Facts(player, train=act.train))
    return facts


def table_facts(position: Position) -> dict[Violation, Facts]:
    """Which tile of the table each code is about: the first one that shows it."""
    engine = Facts(tile=print_laid(position.engine))
    facts = dict.fromkeys((Violation.WRONG_ENGINE, Violation.ENGINE_NOT_DOUBLE), engine)
    seen = {position.engine.tile}
    for train, before, laid in _laid_tiles(position):
        known = Facts(tile=print_laid(laid), train=train)
        if max(laid) > position.set_max:
            facts.setdefault(Violation.TILE_NOT_IN_SET, known)
        if laid.tile in seen:
            facts.setdefault(Violation.DUPLICATE_TILE, known)
        if before is None and laid.inner not in position.engine:
            facts.setdefault(Violation.WRONG_ROOT, known)
        if before is not None and laid.inner != before.outer:
            facts.setdefault(Violation.MISMATCH, known)
        if train == SECOND_MEXICAN:
            facts.setdefault(Violation.SECOND_MEXICAN, known)
        seen.add(laid.tile)
    for train in sorted(position.flipped):
        facts.setdefault(Violation.WRONG_FLIP, Facts(train=train))
        facts.setdefault(Violation.FLIP_NOT_IN_RULES, Facts(train=train))
    if max(position.engine) > position.set_max:
        facts[Violation.TILE_NOT_IN_SET] = engine
    return facts


def _laid_tiles(position: Position) -> Iterator[tuple[str, Laid | None, Laid]]:
    for train, chain in position.trains.items():
        before: Laid | None = None
        for laid in chain:
            yield train, before, laid
            before = laid
