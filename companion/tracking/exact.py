"""The belief's engine with no lag, exact and exhaustive: every row of turns that makes a change between two tables.

Source: docs/rules.md section 9. The successor generator is the belief's own; here nothing is likelier than anything
else, the camera never errs, and every turn of a row is over. Legal if any row is faultless; else the rows with the
fewest faulty turns are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from companion.rules.notation import Change, Drawing, Vanishing
from companion.rules.position import Position
from companion.rules.ruleset import RuleSet
from companion.tracking.exact_lap import FirstTrains
from companion.tracking.exact_rows import Rows, TooManyError, has_begun
from companion.tracking.row import Inference, Row


def infer(rules: RuleSet, before: Position, delta: Iterable[Change], expected: str) -> Inference:
    """Explain the change `delta` of the table `before`, `expected` to move next. Source: docs/rules.md section 9."""
    changes = tuple(change for change in delta if change != Drawing(0))
    if any(isinstance(change, Vanishing) for change in changes):
        return Inference(explainable=False, vanished=True)
    if not changes:
        return Inference(explainable=True)
    first_turn = before.first_turn
    if expected != before.turn:
        first_turn = first_turn and not has_begun(before, expected)
    table = replace(before, turn=expected, first_turn=first_turn)
    together = rules.first_simultaneous and first_turn
    search = FirstTrains(rules, table, changes) if together else Rows(rules, table, changes)
    try:
        legal = tuple(search.with_faults(0))
        return Inference(bool(legal), legal or _fewest_faults(search, len(table.players)))
    except TooManyError:
        return Inference(explainable=False)


def _fewest_faults(search: Rows, players: int) -> tuple[Row, ...]:
    for budget in range(1, players + 1):
        rows = [*search.with_faults(budget)]
        if budget == 1:
            rows.extend(search.out_of_turn())
        if rows:
            return _undominated(rows)
    return ()


def _undominated(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Of two that blame the same players, the one whose codes include all of the other's is dropped."""
    distinct = {str(row): row for row in reversed(rows)}
    blames = {text: row.blames for text, row in distinct.items()}

    def includes_another(text: str) -> bool:
        mine = blames[text]
        others = (other for name, other in blames.items() if name != text and other.keys() == mine.keys())
        return any(all(mine[player] >= codes for player, codes in other.items()) for other in others)

    return tuple(row for text, row in distinct.items() if not includes_another(text))
