"""Which codes rest on a question that a rule set's source leaves open, so that they are possible and never certain."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from companion.rules.ruleset import RuleSet
from companion.rules.violations import Violation as V

RESTS_ON: Mapping[V, tuple[str, ...]] = {
    V.WRONG_ENGINE: ("first_engine",),
    V.HAND_SIZE: ("hand_table",),
    V.FIRST_TURN_OWN_ONLY: ("long_first",),
    V.MX_TOO_EARLY: ("mx_from_turn",),
    V.DOUBLE_ORDER: ("close_order",),
    V.EXTRA_NOT_ON_DOUBLE: ("extra_tile",),
    V.EXTRA_NOT_ON_FIRST_DOUBLE: ("extra_tile",),
    V.WRONG_FLIP: ("dead_double",),
    V.DEAD_TRAIN: ("dead_double",),
    V.MARKER_REMOVED_WRONGLY: ("marker_off",),
    V.MARKER_NOT_REMOVED: ("marker_off", "marker_off_required"),
    V.NEEDLESS_DRAW: ("may_decline",),
    V.PASSED_WITH_PLAYABLE: ("may_decline",),
    V.FIRST_TRAIN_NOT_MAXIMAL: ("strict_first_train",),
    V.ANNOUNCE_MISSING: ("announce",),
    V.FIRST_LAP_NOT_FINISHED: ("finish_first_lap",),
    V.FALSE_BLOCK: ("block_rule",),
}
"""Code -> the fields that it follows from. Where more than the field decides, the judge looks at the field itself."""


def open_codes(rules: RuleSet) -> frozenset[V]:
    """The codes that this rule set can only hold to be possible."""
    return _resting_on(rules.open_fields, rules.contradicted_fields, rules.dead_double == "blocks")


@lru_cache(maxsize=64)
def _resting_on(silent: frozenset[str], contradicted: frozenset[str], locks: bool) -> frozenset[V]:
    # Where a dead double locks the table, it is only open whether it still binds: `blocks.bound_for_certain`.
    fields = (silent | contradicted) - ({"dead_double"} if locks else set())
    return frozenset(code for code, basis in RESTS_ON.items() if not fields.isdisjoint(basis))
